"""quire get: one value for the shell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import ExitCode, command
from quire.cli.output import remark, say, say_json
from quire.cli.streams import readable

if TYPE_CHECKING:
    from quire import File, Step


@command
def get(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")],
    name: Annotated[str, typer.Argument(help="An attribute of a step or of the file, else a column.")],
    step: Annotated[int | None, typer.Option("--step", help="The number of the step.")] = None,
    index: Annotated[int | None, typer.Option("--index", help="Its place instead; -1 is the last.")] = None,
    rows: Annotated[str | None, typer.Option("--rows", help="Rows of a column, for example 0:10.")] = None,
    json: Annotated[bool, typer.Option("--json", help="With type and unit, for programs.")] = False,
) -> None:
    """Print one attribute or column, a value a line, with all digits.

    Without --step or --index an attribute of the file goes first, then the first step is asked.
    Exit code 1 if there is no such name.

    Example: quire get beam.h5 s --index -1
    """
    import quire
    from quire.cli.trace import trace
    from quire.toolkit.selection import parse_rows, resolve_rows

    wanted = parse_rows(rows)
    with readable(file) as local, quire.open(local) as opened:
        found = find_attribute(opened, name, step, index)
        if found is not None:
            show_values(found, [found.value], json)
        else:
            column = find_column(opened, name, step, index)
            if column is None:
                remark(f"quire: there is no attribute or column '{name}' in {file}")
                raise typer.Exit(ExitCode.NO)
            table, item = column
            first, count = resolve_rows(wanted, len(table))
            blocks = (block[name] for _, block in table.blocks([name], rows=slice(first, first + count)))
            show_values(item, blocks, json)
        trace(opened)


def chosen_step(file: File, step: int | None, index: int | None) -> Step | None:
    """The step asked for; the first one if none was, None in a file without steps."""
    from quire.errors import UsageError

    if step is not None and index is not None:
        raise UsageError("give either --step or --index")
    if step is not None:
        return file.step(step)
    if index is None:
        return next(iter(file), None)
    return file[index]


def find_attribute(file: File, name: str, step: int | None, index: int | None) -> Any:
    """The attribute of this name, or None."""
    if step is None and index is None and name in file.attributes:
        return file.attributes[name]
    chosen = chosen_step(file, step, index)
    if chosen is not None and name in chosen.attributes:
        return chosen.attributes[name]
    return file.attributes.get(name)


def find_column(file: File, name: str, step: int | None, index: int | None) -> Any:
    """Table and column of this name in the first table that has it, or None."""
    chosen = chosen_step(file, step, index)
    for table in chosen.tables.values() if chosen is not None else ():
        if name in table.columns:
            return table, table[name]
    return None


def show_values(item: Any, parts: Iterable[Any], json: bool) -> None:
    """Print values one a line, or all as JSON."""
    from quire.toolkit.summary import flat, plain, quantity

    if json:
        parts = list(parts)
        values = plain(parts[0]) if hasattr(item, "value") else [v for part in parts for v in plain(part)]
        say_json(quantity(item) | {"value": values})
        return
    for part in parts:
        for value in flat(part):
            say(str(plain(value)))
