"""Completion of words on the command line by what the file on the line contains.

A file that cannot be read completes nothing: an error message would be mixed into the line.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from quire import File, Step
    from quire.io.formats import Option

MOST_STEPS = 1000
"""Of a file with more steps only the first ones are offered."""

Complete = Callable[[typer.Context, str], list[str]]

FILES = ("file", "files", "source", "sources", "left", "words")
"""Names of the parameters that are data files, or begin with one."""


def file_on_line(context: typer.Context) -> str | None:
    """Return the first data file on the line, if there is one."""
    values = [context.params.get(name) for name in FILES]
    # After an option without its value, words are not assigned to parameters yet.
    for value in [*values, context.args]:
        words = value if isinstance(value, (list, tuple)) else [value]
        for path in words:
            if isinstance(path, str) and os.path.exists(path):
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
indices = listed(lambda file: [str(place) for place, _ in zip(range(MOST_STEPS), file, strict=False)])
attachments = listed(lambda file: file.attachments)
anything = listed(lambda file: [*attributes_of(file), *columns_of(file), *fields_of(file)])


NAME_AT_END = re.compile(r"[A-Za-z_][\w.:$]*$")
"""The name that is completed in an expression."""


def expression(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return an expression with the name at its end completed, of a column or an attribute."""
    found = NAME_AT_END.search(incomplete)
    start = found[0] if found else ""
    before = incomplete[: len(incomplete) - len(start)]
    names = names_in(ctx, lambda file: [*columns_of(file), *attributes_of(file)])
    return [before + name for name in names if name.startswith(start)]


def with_values(names: Iterable[str], incomplete: str) -> list[str]:
    """Return a list of NAME=VALUE with the last name completed."""
    before, comma, start = incomplete.rpartition(",")
    return [f"{before}{comma}{name}=" for name in names if name.startswith(start)]


def keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns and attributes to which options give values, as `x=mm`."""
    return with_values(names_in(ctx, lambda file: [*columns_of(file), *attributes_of(file)]), incomplete)


def columns_of_other(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the last data file on the line."""
    given = [word for word in [*ctx.params.values(), *ctx.args] if isinstance(word, str)]
    context: Any = SimpleNamespace(params={}, args=[word for word in given if os.path.exists(word)][-1:])
    return columns(context, incomplete)


def names_in_text(ctx: typer.Context) -> list[str]:
    """Return the names of the columns of the text on the line; none if it cannot be read."""
    import quire
    from quire.toolkit.text_import import TextLayout, TextSource

    path = file_on_line(ctx)
    try:
        return [] if path is None else TextSource(path, TextLayout()).names
    except (quire.Error, OSError):
        return []


def text_columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the text on the line."""
    return [name for name in names_in_text(ctx) if name.startswith(incomplete)]


def text_keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the text on the line to which options give values."""
    return with_values(names_in_text(ctx), incomplete)


def of_list(names_of: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return the completion of one of the names that a function returns."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names_of() if name.startswith(incomplete)]

    return complete


def words(*known: str) -> Callable[[str], list[str]]:
    """Return the completion of one of these words."""
    return of_list(lambda: known)


def constants(module: str, name: str) -> Callable[[str], list[str]]:
    """Return the completion of the words of a module, which is imported then, in a list with commas."""

    def complete(incomplete: str) -> list[str]:
        before, comma, start = incomplete.rpartition(",")
        known = getattr(importlib.import_module(module), name)
        return [before + comma + word for word in known if word.startswith(start)]

    return complete


def program_names() -> Iterable[str]:
    """Return the programs for which files are converted."""
    from quire.toolkit.profiles import profile_names

    return profile_names()


def convention_names() -> Iterable[str]:
    """Return the phase-space conventions."""
    from quire.beam.conventions import convention_names as names

    return names()


def species_names() -> Iterable[str]:
    """Return the known species."""
    from quire.beam.species import known_species

    return known_species()


def quantities(incomplete: str) -> list[str]:
    """Return the quantities of a beam, in a list with commas."""
    from quire.beam.quantities import quantity_names

    before, comma, start = incomplete.rpartition(",")
    return [before + comma + name for name in quantity_names() if name.startswith(start)]


def transport_names() -> Iterable[str]:
    """Return the transports of this build."""
    from quire.io.formats import transports as names

    return names()


programs = of_list(program_names)
transports = of_list(transport_names)
conventions = of_list(convention_names)
species = of_list(species_names)


def settings(options: Iterable[Option]) -> list[str]:
    """Return options as words on the line: with their choices, or up to the value."""
    truths = ("true", "false")
    words = []
    for option in options:
        choices = option.choices or (truths if option.kind == "truth" else ())
        words += [f"{option.name}={choice}" for choice in choices] or [f"{option.name}="]
    return words


def write_options(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the options of the writer: of the format on the line, or that of the suffix of the new file."""
    import quire
    from quire.io.formats import common_options, format_for_path, format_info

    _, common = common_options()
    target = next((ctx.params[name] for name in ("target", "output") if ctx.params.get(name)), None)
    name = ctx.params.get("format") or (format_for_path(target) if isinstance(target, str) else None)
    try:
        own = format_info(name).write_options if name else ()
    except quire.Error:
        own = ()
    return [word for word in settings([*own, *common]) if word.startswith(incomplete)]


def read_options(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the options of the reader of the file on the line."""
    import quire
    from quire.io.formats import common_options, format_info

    common, _ = common_options()
    path = file_on_line(ctx)
    try:
        with quire.open(path or "") as file:
            own = format_info(file.format).read_options
    except (quire.Error, OSError, ImportError):
        own = ()
    return [word for word in settings([*own, *common]) if word.startswith(incomplete)]


def formats(incomplete: str) -> list[str]:
    """Return the names of formats."""
    import quire

    return [name for name in quire.formats() if name.startswith(incomplete)]
