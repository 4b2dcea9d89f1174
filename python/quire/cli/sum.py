"""quire sum: checksums that do not depend on the order of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command_of_ranks
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, printable, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.progress import progress
from quire.cli.streams import communicator_for, readable

if TYPE_CHECKING:
    from quire.toolkit.checksum import FileChecksum, StepChecksum


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
    from quire.toolkit.checksum import checksum
    from quire.toolkit.selection import parse_names, parse_steps

    comm = communicator_for(*files)
    found: list[FileChecksum] = []
    options = parse_options(read_option)
    for path in files:
        with readable(path) as local, progress("adding") as bar:
            found.append(
                checksum(
                    local,
                    comm=comm,
                    steps=parse_steps(steps),
                    columns=parse_names(columns),
                    as_stored=as_stored,
                    progress=bar.advance,
                    observe=trace,
                    **options,
                )
            )
    if not is_first_rank():
        return
    if json:
        say_json({"files": [as_dictionary(path, one) for path, one in zip(files, found, strict=True)]})
        return
    for path, one in zip(files, found, strict=True):
        say(f"{one.whole:016x}  {path}")
        if details:
            tell(one)


def tell(one: FileChecksum) -> None:
    """Print the sums of every step, table, column and field."""
    lines: list[list[str]] = []
    for step in one.steps:
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


def as_dictionary(path: str, one: FileChecksum) -> dict[str, Any]:
    """Sums as JSON has them: sixteen hexadecimal digits each."""
    return {"path": path, "sum": f"{one.whole:016x}", "steps": [step_dictionary(step) for step in one.steps]}


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
