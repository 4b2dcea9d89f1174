"""quire show: tables on the terminal, block by block."""

from __future__ import annotations

import csv
import json as json_module
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command
from quire.cli.get import chosen_step
from quire.cli.output import columns_of_text, plural, printable, say, say_json, shortened
from quire.cli.streams import readable

if TYPE_CHECKING:
    from quire import File, Step, Table

HEAD_ROWS = 20
BLOCK_BYTES = 4 << 20
# One conversion of bounded width; length modifiers mean nothing here. Whatever else a file holds is not used.
PRINTF = re.compile(
    r"(?P<before>[^%]*)%(?P<form>[-+ #0]*\d{0,3}(\.\d{0,3})?)"
    r"[hlLqjzt]*(?P<kind>[diouxXeEfFgG])(?P<after>[^%]*)"
)


@command
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")],
    step: Annotated[int | None, typer.Option("--step", help="Only the step of this number.")] = None,
    index: Annotated[
        int | None, typer.Option("--index", help="Only the step at this place; -1: last.")
    ] = None,
    columns: Annotated[list[str] | None, typer.Option("--columns", help="Names or patterns: x,p*")] = None,
    rows: Annotated[str | None, typer.Option("--rows", help="a:b, half open; : is all.")] = None,
    table: Annotated[str | None, typer.Option("--table", help="Only the table of this name.")] = None,
    attributes: Annotated[bool, typer.Option("--attributes", help="Attributes instead of tables.")] = False,
    display: Annotated[bool, typer.Option("--display", help="Use the display formats of the file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="All rows, for programs.")] = False,
    comma: Annotated[bool, typer.Option("--csv", help="All rows, separated by commas.")] = False,
) -> None:
    """Show the rows of tables, or the attributes of steps.

    People get the first 20 rows of each table unless --rows asks for others; --csv and --json print all rows
    with all digits. Nothing is read that is not shown.

    Example: quire show beam.h5 --step 12 --columns x,px --rows 0:5
    """
    import quire
    from quire.cli.trace import trace
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names, parse_rows

    if json and comma:
        raise UsageError("give either --json or --csv")
    viewer = Viewer(parse_names(columns), parse_rows(rows), rows is None, table, display)
    with readable(file) as local, quire.open(local) as opened:
        steps = selected(opened, step, index)
        if attributes:
            show_attributes(opened, steps, json)
        elif json:
            viewer.show_json(steps)
        elif comma:
            viewer.show_csv(steps)
        else:
            viewer.show_text(steps)
        trace(opened)


def selected(file: File, step: int | None, index: int | None) -> Iterator[Step]:
    """The steps asked for; all if none was."""
    if step is None and index is None:
        yield from file
    else:
        chosen = chosen_step(file, step, index)
        if chosen is not None:
            yield chosen


def show_attributes(file: File, steps: Iterator[Step], as_json: bool) -> None:
    """Print the attributes of the file and of steps."""
    from quire.toolkit.summary import attributes

    groups = [("file", attributes(file.attributes))]
    groups += [(f"step {step.number}", attributes(step.attributes)) for step in steps]
    if as_json:
        say_json({name: items for name, items in groups})
        return
    for name, items in groups:
        if items or name != "file":
            say(name)
        cells = [
            (printable(item["name"]), printable(item["unit"]), shortened(str(item["value"]), 100))
            for item in items
        ]
        for line in columns_of_text(cells, "  "):
            say(line)


class Viewer:
    """Prints tables of steps in one of three ways, a block of rows at a time."""

    def __init__(
        self, names: list[str] | None, rows: slice, head_only: bool, table: str | None, display: bool
    ) -> None:
        self.names = names
        self.rows = rows
        self.head_only = head_only
        self.table = table
        self.display = display

    def tables(self, step: Step) -> list[tuple[Table, list[str]]]:
        """The tables of a step that are shown, each with its columns."""
        from quire.errors import MissingError
        from quire.toolkit.selection import select_names

        if self.table is not None and self.table not in step.tables:
            listed = ", ".join(step.tables) or "none"
            raise MissingError(f"step {step.number} has no table '{self.table}'; there are: {listed}")
        chosen = [step.tables[self.table]] if self.table is not None else list(step.tables.values())
        return [(table, select_names(self.names, list(table.columns), "column")) for table in chosen]

    def blocks(
        self, table: Table, names: Sequence[str], most: int | None = None
    ) -> Iterator[tuple[int, list[Any]]]:
        """Row number and columns of each block of the rows asked for, at most so many rows."""
        from quire.toolkit.selection import resolve_rows, rows_per_block

        first, count = resolve_rows(self.rows, len(table))
        count = count if most is None else min(count, most)
        per_block = rows_per_block(table, names, BLOCK_BYTES)
        for start, block in table.blocks(names, rows_per_block=per_block, rows=slice(first, first + count)):
            yield start, [block[name] for name in names]

    def show_text(self, steps: Iterator[Step]) -> None:
        """Aligned columns for people."""
        for step in steps:
            for table, names in self.tables(step):
                name = f", table '{printable(table.name)}'" if table.name else ""
                say(f"step {step.number}{name}: {plural(len(table), 'row')}")
                if names:
                    self.show_rows(table, names)

    def show_rows(self, table: Table, names: Sequence[str]) -> None:
        """Header and rows of one table; widths come from the first block."""
        most = HEAD_ROWS if self.head_only else None
        formats = [table[name].display if self.display else "" for name in names]
        header = ["row"] + [
            printable(f"{name} [{table[name].unit}]" if table[name].unit else name) for name in names
        ]
        widths: list[int] = []
        shown = 0
        for start, columns in self.blocks(table, names, most):
            cells = [
                [cell_text(value, form) for value in column]
                for column, form in zip(columns, formats, strict=True)
            ]
            count = len(cells[0])
            numbers = [str(start + i) for i in range(count)]
            if not widths:
                widths = [
                    max(len(text) for text in (*head, *column))
                    for head, column in zip([[one] for one in header], [numbers, *cells], strict=True)
                ]
                say("  ".join(text.rjust(width) for text, width in zip(header, widths, strict=True)))
            for row in zip(numbers, *cells, strict=True):
                say("  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)))
            shown += count
        rest = len(table) - shown
        if self.head_only and rest > 0:
            say(f"\N{HORIZONTAL ELLIPSIS} and {plural(rest, 'more row')} (--rows : shows all)")

    def show_csv(self, steps: Iterator[Step]) -> None:
        """Rows separated by commas; the step goes first. A new header where the columns change."""
        writer = csv.writer(sys.stdout, lineterminator="\n")
        last: list[str] | None = None
        for step in steps:
            for table, names in self.tables(step):
                if names != last:
                    writer.writerow(["step", *names])
                    last = names
                for _, columns in self.blocks(table, names):
                    writer.writerows(
                        [step.number, *(exact(value) for value in row)] for row in zip(*columns, strict=True)
                    )

    def show_json(self, steps: Iterator[Step]) -> None:
        """One object: tables in order, each with names, units and rows; rows are written as they are read."""
        sys.stdout.write('{"tables": [')
        separator = "\n"
        for step in steps:
            for table, names in self.tables(step):
                head = {
                    "step": step.number,
                    "table": table.name,
                    "columns": names,
                    "units": [table[name].unit for name in names],
                }
                sys.stdout.write(separator + json_module.dumps(head)[:-1] + ', "rows": [')
                self.write_json_rows(table, names)
                sys.stdout.write("]}")
                separator = ",\n"
        sys.stdout.write("\n]}\n")

    def write_json_rows(self, table: Table, names: Sequence[str]) -> None:
        """The rows of one table, one a line."""
        separator = "\n"
        for _, columns in self.blocks(table, names):
            for row in zip(*columns, strict=True):
                sys.stdout.write(
                    separator + json_module.dumps([exact(value) for value in row], allow_nan=False)
                )
                separator = ",\n"


def exact(value: Any) -> Any:
    """A value with all its digits, as JSON and CSV can hold it."""
    from quire.toolkit.summary import plain

    return plain(value)


def cell_text(value: Any, display: str) -> str:
    """A value for a person: nine digits, or the printf format of the file if it fits the value."""
    import numpy as np

    if isinstance(value, str | bytes):
        return printable(exact(value))
    known = PRINTF.fullmatch(display)
    if known:
        try:
            return printable(f"{known['before']}%{known['form']}{known['kind']}{known['after']}" % value)
        except (TypeError, ValueError):
            pass
    return f"{value:.9g}" if isinstance(value, np.floating) else str(value)
