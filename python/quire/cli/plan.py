"""quire plan: which bytes every rank would read or write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command
from quire.cli.get import chosen_step
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, plural, printable, say, say_json
from quire.cli.plan_options import (
    MOST_RANKS,
    Aggregators,
    Durable,
    LockSize,
    Measured,
    Methods,
    RanksPerNode,
    RequestSize,
    RowBytes,
    StripeCount,
    StripeSize,
    Targets,
    Workload,
)
from quire.cli.streams import readable

if TYPE_CHECKING:
    from quire.toolkit.planning import RankPlan

MOST_EXTENTS = 6


@command
def plan(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A data file; - is standard input.")
    ] = None,
    ranks: Annotated[int, typer.Option("--ranks", min=1, max=MOST_RANKS, help="How many to simulate.")] = 1,
    step: Annotated[
        int | None, typer.Option("--step", help="The step of this number, else the first.")
    ] = None,
    index: Annotated[int | None, typer.Option("--index", help="Its place instead; -1 is the last.")] = None,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", help="Only these: x,p*; to write: x:float64,id:int32")
    ] = None,
    rows: Annotated[
        str | None, typer.Option("--rows", help="a:b, half open; to write: how many in all.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Plan a write; needs no file.")] = False,
    format: Annotated[str | None, typer.Option("--format", "-f", help="The format to write.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", help="name=value of the writer.")] = None,
    read_option: ReadOptions = None,
    workload: Workload = None,
    method: Methods = None,
    stripe_count: StripeCount = 1,
    stripe_size: StripeSize = "1MiB",
    targets: Targets = 0,
    lock_size: LockSize = "0",
    request_size: RequestSize = "4MiB",
    aggregators: Aggregators = 0,
    ranks_per_node: RanksPerNode = 0,
    row_bytes: RowBytes = 0,
    measured: Measured = None,
    durable: Durable = False,
    json: Annotated[bool, typer.Option("--json", help="Every extent, for programs.")] = False,
) -> None:
    """Print which bytes each of many ranks would read or write; or count what storage would see of it.

    Extents of the file are offset and length in bytes. Nothing is read but the header, nothing is written,
    and no MPI is needed. With --workload a million ranks take seconds; without --method all formats are
    compared.

    Example: quire plan beam.h5 --ranks 4 --columns x,px --json

    Example: quire plan --write --format NAME --columns x:float64,id:int32 --rows 1000000 --ranks 8

    Example: quire plan --workload particles --ranks 4096 --method NAME --method NAME:option=value
    """
    import quire
    from quire.advise.situation import parse_size
    from quire.cli.simulation import Wanted, show_simulation
    from quire.errors import UsageError
    from quire.io.formats import formats
    from quire.toolkit.planning import read_plans
    from quire.toolkit.selection import parse_names, parse_rows
    from quire.toolkit.simulation import Machine

    if workload is not None or method or measured is not None:
        others = (file, step, index, columns, rows, format, option, read_option)
        asked = said_workload(workload, write or any(one is not None for one in others))
        machine = Machine(
            stripe_count,
            parse_size(stripe_size),
            targets,
            parse_size(lock_size),
            parse_size(request_size),
            ranks_per_node,
            aggregators,
        )
        methods = method or formats()
        show_simulation(Wanted(asked, methods, ranks, machine, row_bytes, measured, durable), as_json=json)
        return
    if write:
        if file is not None or step is not None or index is not None or read_option:
            raise UsageError("--write plans a new file: name none, no step and no option of a reader")
        plan_write(format, parse_options(option), parse_names(columns), rows, ranks, json)
        return
    if file is None:
        raise UsageError("name a file, or ask for --write")
    if format is not None or option:
        raise UsageError("--format and --option belong to --write")
    with readable(file) as local, quire.open(local, **parse_options(read_option)) as opened:
        chosen = chosen_step(opened, step, index)
        found = (
            read_plans(chosen, ranks, parse_names(columns), parse_rows(rows)) if chosen is not None else ()
        )
        if json:
            say_json({"path": file, "ranks": ranks, "plans": [as_dictionary(one) for one in found]})
            return
        tell(found)


def said_workload(workload: str | None, has_others: bool) -> str:
    """Independent. The workload of a simulation. Raises UsageError for what asks for none."""
    from quire.errors import UsageError

    if workload is None:
        raise UsageError(
            "--method and --measured are of a simulation: say by --workload what is written",
            advice="--workload particles, --workload table:811008x192",
        )
    if has_others:
        raise UsageError(
            "--workload simulates a program: it needs no file, rows or columns, and takes formats and their "
            "options by --method FORMAT:option=value"
        )
    return workload


def plan_write(
    format: str | None,
    options: dict[str, str],
    columns: list[str] | None,
    rows: str | None,
    ranks: int,
    json: bool,
) -> None:
    """Print the plan of a write."""
    from quire.errors import UsageError
    from quire.toolkit.planning import parse_columns, write_plan

    if format is None or columns is None or rows is None or not rows.isdigit():
        raise UsageError("a plan of a write needs --format, --columns and --rows, a number")
    planned = write_plan(format, parse_columns(columns), int(rows), ranks, options=options)
    if json:
        say_json(
            {
                "format": format,
                "ranks": ranks,
                "guard": extents(planned.guard),
                "plans": [as_dictionary(one) for one in planned.ranks],
                "publication": extents(planned.publication),
                "end": planned.end,
            }
        )
        return
    tell(planned.ranks)
    say(f"before: {extents_text(planned.guard)}")
    say(f"to publish: {extents_text(planned.publication)}")
    say(f"end of the data: {planned.end}")


def tell(plans: Iterable[RankPlan]) -> None:
    """Print a line for each rank."""
    lines = [["step", "table", "rank", "rows", "bytes", "extents (offset+length)"]]
    for line in columns_of_text([*lines, *(cells(one) for one in plans)]):
        say(line)


def cells(one: RankPlan) -> list[str]:
    """The plan of a rank as cells of text."""
    total = sum(length for _, length in one.extents)
    rows = f"{one.first}:{one.first + one.count}"
    shown = extents_text(one.extents)
    return [str(one.step), printable(one.table) or "-", str(one.rank), rows, str(total), shown]


def extents_text(found: Sequence[tuple[int, int]]) -> str:
    """Extents in short, of many the first ones."""
    shown = ", ".join(f"{offset}+{length}" for offset, length in found[:MOST_EXTENTS])
    rest = len(found) - MOST_EXTENTS
    shown += f" \N{HORIZONTAL ELLIPSIS} and {plural(rest, 'more extent')}" if rest > 0 else ""
    return shown or "none"


def extents(found: Sequence[tuple[int, int]]) -> list[dict[str, int]]:
    """Extents as JSON has them."""
    return [{"offset": offset, "length": length} for offset, length in found]


def as_dictionary(one: RankPlan) -> dict[str, Any]:
    """The plan of a rank as JSON has it."""
    return {
        "step": one.step,
        "table": one.table,
        "rank": one.rank,
        "first": one.first,
        "count": one.count,
        "extents": extents(one.extents),
    }
