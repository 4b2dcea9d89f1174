"""quire sum: print checksums that do not depend on the order of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command_of_ranks
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import MOST_STEPS, JsonList, columns_of_text, plural, printable, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.progress import progress
from quire.cli.selecting import Columns, Index, Rows, Steps, Where
from quire.cli.streams import communicator_for, display_name, readable

if TYPE_CHECKING:
    from quire.toolkit.checksum import StepChecksum


@command_of_ranks
def sum_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files; - is standard input.")],
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    steps: Steps = None,
    index: Index = None,
    details: Annotated[bool, typer.Option("--details", help="Also print sums of steps and columns.")] = False,
    as_stored: Annotated[
        bool, typer.Option("--as-stored", help="Sum elements by table and row, not by number.")
    ] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print checksums that do not depend on the order of rows.

    A checksum is the sum modulo 2^64 of the XXH3-64 hashes of all rows, as little-endian bytes. It is the
    same for any order of rows, any number of ranks, and any format that stores the same types. Attributes are
    not included. Elements are summed with their numbers, shapes and orders, whatever block or rank they are
    stored in. Under mpiexec the rows are distributed over the ranks.

    Example: quire sum beam.h5
    """
    from quire.cli.trace import trace
    from quire.toolkit.checksum import step_checksums
    from quire.toolkit.selection import RowSelection, parse_names, parse_rows, parse_steps

    comm = communicator_for(*files)
    options = parse_options(read_option)

    def sums_of(path: str) -> Iterator[StepChecksum]:
        with readable(path) as local, progress("adding") as bar:
            yield from step_checksums(
                local,
                comm=comm,
                steps=parse_steps(steps, index=index),
                rows=RowSelection(parse_rows(rows), where),
                columns=parse_names(columns),
                as_stored=as_stored,
                progress=bar.advance,
                observe=trace,
                **options,
            )

    if json:
        say_json({"files": JsonList(as_dictionary(path, Total(sums_of(path))) for path in files)})
        return
    found = [(path, Total(sums_of(path), MOST_STEPS if details else 0).add_all()) for path in files]
    for path, one in found if is_first_rank() else ():
        say(f"{one.whole:016x}  {display_name(path)}")
        if details:
            print_sums(one)


class Total:
    """Adds up the sums of steps one after another, and keeps those of the first `most` steps."""

    def __init__(self, steps: Iterable[StepChecksum], most: int = 0) -> None:
        self.steps = steps
        self.most = most
        self.count = 0
        self.whole = 0
        self.kept: list[StepChecksum] = []

    def __iter__(self) -> Iterator[StepChecksum]:
        from quire.toolkit.checksum import MODULUS, hash_of_step

        for step in self.steps:
            self.count += 1
            self.whole = (self.whole + hash_of_step(step)) % MODULUS
            if len(self.kept) < self.most:
                self.kept.append(step)
            yield step

    def add_all(self) -> Total:
        """Collective if the sums are. Add all steps; returns this object."""
        for _ in self:
            pass
        return self


def print_sums(one: Total) -> None:
    """Print the sums of all steps, tables, columns and fields."""
    lines: list[list[str]] = []
    for step in one.kept:
        for table in step.tables:
            lines.append(
                [f"{table.whole:016x}", f"step {step.number}", table.name or "table", f"{table.rows} rows"]
            )
            lines += [
                [f"{value:016x}", f"step {step.number}", table.name or "table", name]
                for name, value in table.columns.items()
            ]
        lines += [
            [f"{value:016x}", f"step {step.number}", "field", name] for name, value in step.fields.items()
        ]
        lines += [
            [f"{value:016x}", f"step {step.number}", "stream", f"task {rank}"]
            for rank, value in step.streams.items()
        ]
    for line in columns_of_text([[printable(cell) for cell in cells] for cells in lines], "  "):
        say(line)
    if len(one.kept) < one.count:
        say(
            f"  \N{HORIZONTAL ELLIPSIS} and {plural(one.count - len(one.kept), 'more step')} (--json has all)"
        )


def as_dictionary(path: str, one: Total) -> dict[str, Any]:
    """Return sums for JSON, as sixteen hexadecimal digits. The sum of the file follows the steps."""
    return {
        "path": path,
        "steps": JsonList(step_dictionary(step) for step in one),
        "sum": lambda: f"{one.whole:016x}",
    }


def step_dictionary(step: StepChecksum) -> dict[str, Any]:
    """Return the sums of a step for JSON."""
    return {
        "number": step.number,
        "tables": [
            {
                "name": table.name,
                "rows": table.rows,
                "sum": f"{table.whole:016x}",
                "columns": {name: f"{value:016x}" for name, value in table.columns.items()},
            }
            for table in step.tables
        ],
        "fields": {name: f"{value:016x}" for name, value in step.fields.items()},
        "streams": {str(rank): f"{value:016x}" for rank, value in step.streams.items()},
    }
