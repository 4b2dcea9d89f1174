"""Completion of words on the command line by what the file on the line contains.

A file that cannot be read completes nothing: an error message would be mixed into the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from quire import File, Step

MOST_STEPS = 1000
"""Of a file with more steps only the first ones are offered."""

Complete = Callable[[typer.Context, str], list[str]]

FILES = ("file", "files", "source", "sources", "left")
"""Names of the parameters that are data files."""


def file_on_line(context: typer.Context) -> str | None:
    """Return the first data file on the line, if there is one."""
    values = [context.params.get(name) for name in FILES]
    # After an option without its value, words are not assigned to parameters yet.
    for value in [*values, context.args]:
        path = value[0] if isinstance(value, (list, tuple)) and value else value
        if isinstance(path, str) and path and path != "-":
            return path
    return None


def names_in(context: typer.Context, names_of: Callable[[File], Iterable[str]]) -> list[str]:
    """Return names in the file on the line; none if it cannot be read."""
    import quire

    path = file_on_line(context)
    if path is None:
        return []
    try:
        with quire.open(path) as file:
            return list(dict.fromkeys(names_of(file)))
    except (quire.Error, OSError, ImportError):
        return []


def first_step(file: File) -> Step | None:
    """Return the first step, or what a file without steps declares."""
    return next(iter(file), None) or file.declared


def columns_of(file: File) -> list[str]:
    """Return the names of the columns of the first step."""
    step = first_step(file)
    return [] if step is None else [name for table in step.tables.values() for name in table.columns]


def attributes_of(file: File) -> list[str]:
    """Return the names of the attributes of the file and of the first step."""
    step = first_step(file)
    return [*file.attrs, *(() if step is None else step.attrs)]


def fields_of(file: File) -> list[str]:
    """Return the names of the fields of the first step."""
    step = first_step(file)
    return [] if step is None else list(step.fields)


def tables_of(file: File) -> list[str]:
    """Return the names of the tables of the first step."""
    step = first_step(file)
    return [] if step is None else [name for name in step.tables if name]


def steps_of(file: File) -> list[str]:
    """Return the numbers of the first steps."""
    return [str(step.number) for step, _ in zip(file, range(MOST_STEPS), strict=False)]


def listed(names_of: Callable[[File], Iterable[str]]) -> Complete:
    """Return the completion of a list of names with commas: the last name is completed."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        before, comma, start = incomplete.rpartition(",")
        return [before + comma + name for name in names_in(ctx, names_of) if name.startswith(start)]

    return complete


columns = listed(columns_of)
attributes = listed(attributes_of)
fields = listed(fields_of)
tables = listed(tables_of)
steps = listed(steps_of)
anything = listed(lambda file: [*attributes_of(file), *columns_of(file), *fields_of(file)])


def formats(incomplete: str) -> list[str]:
    """Return the names of formats."""
    import quire

    return [name for name in quire.formats() if name.startswith(incomplete)]
