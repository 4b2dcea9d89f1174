"""quire sum: checksums that do not depend on the order of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command_of_ranks
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import MOST_STEPS, JsonList, columns_of_text, plural, printable, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.progress import progress
from quire.cli.streams import communicator_for, readable

if TYPE_CHECKING:
    from quire.toolkit.checksum import StepChecksum


@command_of_ranks
def sum_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files; - is standard input.")],
    columns: Annotated[list[str] | None, typer.Option("--columns", help="Only these: x,p*")] = None,
    steps: Annotated[str | None, typer.Option("--steps", help="Only these, by number: 1,4-8")] = None,
    details: Annotated[bool, typer.Option("--details", help="Also of every step and column.")] = False,
    as_stored: Annotated[
        bool, typer.Option("--as-stored", help="Elements by tables as they stand, not by number.")
    ] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Everything, for programs.")] = False,
) -> None:
    """Print checksums that do not depend on the order of rows.

    They are the same for any order of rows, any number of ranks and any format that holds the same types: the
    XXH3-64 hashes of all rows, as little-endian bytes, added up modulo 2^64. Attributes are not part of them.
    Elements count with their numbers, shapes and orders, whatever blocks or ranks they are in. Shares the
    rows under mpiexec.

    Example: quire sum run.data run.h5
    """
    from quire.cli.trace import trace
    from quire.toolkit.checksum import step_checksums
    from quire.toolkit.selection import parse_names, parse_steps

    comm = communicator_for(*files)
    options = parse_options(read_option)

    def sums_of(path: str) -> Iterator[StepChecksum]:
        with readable(path) as local, progress("adding") as bar:
            yield from step_checksums(
                local,
                comm=comm,
                steps=parse_steps(steps),
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
        say(f"{one.whole:016x}  {path}")
        if details:
            tell(one)


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
        """Collective, as the sums are made. The same object, once all steps are added."""
        for _ in self:
            pass
        return self


def tell(one: Total) -> None:
    """Print the sums of every step, table, column and field."""
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
    """Sums as JSON has them: sixteen hexadecimal digits each. That of the file comes after the steps."""
    return {
        "path": path,
        "steps": JsonList(step_dictionary(step) for step in one),
        "sum": lambda: f"{one.whole:016x}",
    }


def step_dictionary(step: StepChecksum) -> dict[str, Any]:
    """The sums of a step as JSON has them."""
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
