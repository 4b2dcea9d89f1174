"""quire plan: print the bytes that each rank would read or write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire.cli.command import command
from quire.cli.get import chosen_step
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, plural, printable, say, say_json
from quire.cli.plan_options import (
    Aggregators,
    AsJson,
    Columns,
    Durable,
    Format,
    LockSize,
    Measured,
    Methods,
    PlannedFile,
    Ranks,
    RanksPerNode,
    RequestSize,
    RowBytes,
    Rows,
    StepNumber,
    StripeCount,
    StripeSize,
    Targets,
    Workload,
    Write,
    WriteOptions,
)
from quire.cli.selecting import Index
from quire.cli.streams import readable

if TYPE_CHECKING:
    from quire.lab.plan.planning import RankPlan

MOST_EXTENTS = 6


@command
def plan(
    file: PlannedFile = None,
    ranks: Ranks = 1,
    step: StepNumber = None,
    index: Index = None,
    columns: Columns = None,
    rows: Rows = None,
    write: Write = False,
    format: Format = None,
    option: WriteOptions = None,
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
    json: AsJson = False,
) -> None:
    """Print the extents that ranks read or write, or simulate the accesses.

    An extent is an offset and a length in bytes. Only the header of FILE is read, nothing is written, and MPI
    is not needed. With --workload the accesses to storage are counted, for a million ranks in seconds;
    without --method all formats are compared.

    Example: quire plan beam.h5 --ranks 4 --columns x,px --json

    Example: quire plan --write --format NAME --columns x:float64,id:int32 --rows 1000000 --ranks 8

    Example: quire plan --workload particles --ranks 4096 --method NAME --method NAME:option=value
    """
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names

    if workload is not None or method or measured is not None:
        others = (file, step, index, columns, rows, format, option, read_option)
        asked = said_workload(workload, write or any(one is not None for one in others))
        machine = Machinery(
            stripe_count, stripe_size, targets, lock_size, request_size, ranks_per_node, aggregators
        )
        plan_workload(asked, method, ranks, machine, row_bytes, measured, durable, json)
        return
    if write:
        if file is not None or step is not None or index is not None or read_option:
            raise UsageError("--write plans a new file: leave out FILE, the step and options of the reader")
        plan_write(format, parse_options(option), parse_names(columns), rows, ranks, json)
        return
    if file is None:
        raise UsageError("give a file, or --write")
    if format is not None or option:
        raise UsageError("--format and --option need --write")
    reading = Reading(file, step, index, parse_names(columns), rows, parse_options(read_option))
    plan_read(reading, ranks, json)


@dataclass(frozen=True)
class Reading:
    """What is read of a file: the step by number or index, columns and rows."""

    file: str
    step: int | None
    index: int | None
    columns: list[str] | None
    rows: str | None
    options: dict[str, Any]


def plan_read(wanted: Reading, ranks: int, json: bool) -> None:
    """Print the plan of a read."""
    import quire
    from quire.lab.plan.planning import columns_without_places, read_plans
    from quire.toolkit.selection import parse_rows

    rows = parse_rows(wanted.rows)
    with readable(wanted.file) as local, quire.open(local, **wanted.options) as opened:
        chosen = chosen_step(opened, wanted.step, wanted.index)
        found = read_plans(chosen, ranks, wanted.columns, rows) if chosen is not None else ()
        placeless = columns_without_places(chosen, wanted.columns) if chosen is not None else {}
        if json:
            answers = {"path": wanted.file, "ranks": ranks, "plans": [as_dictionary(one) for one in found]}
            say_json(answers | {"without_places": placeless})
        else:
            print_plans(found)
            for table, names in placeless.items():
                say(placeless_text(table, names))


@dataclass(frozen=True)
class Machinery:
    """The simulated machine as given by options; sizes are texts such as 1MiB."""

    stripe_count: int
    stripe_size: str
    targets: int
    lock_size: str
    request_size: str
    ranks_per_node: int
    aggregators: int


def plan_workload(
    workload: str,
    methods: list[str] | None,
    ranks: int,
    machine: Machinery,
    row_bytes: int,
    measured: str | None,
    durable: bool,
    json: bool,
) -> None:
    """Count the accesses to storage for each method; by default for all formats."""
    from quire.cli.simulation import Wanted, show_simulation
    from quire.io.formats import formats
    from quire.lab.plan.simulation import Machine
    from quire.sizes import parse_size

    simulated = Machine(
        machine.stripe_count,
        parse_size(machine.stripe_size),
        machine.targets,
        parse_size(machine.lock_size),
        parse_size(machine.request_size),
        machine.ranks_per_node,
        machine.aggregators,
    )
    wanted = Wanted(workload, methods or formats(), ranks, simulated, row_bytes, measured, durable)
    show_simulation(wanted, as_json=json)


def said_workload(workload: str | None, has_others: bool) -> str:
    """Independent. Return the workload of a simulation. Raises UsageError if there is none."""
    from quire.errors import UsageError

    if workload is None:
        raise UsageError(
            "--method and --measured need --workload",
            advice="--workload particles, --workload table:811008x192",
        )
    if has_others:
        raise UsageError(
            "--workload needs no file, rows or columns; formats and their "
            "options are given by --method FORMAT:option=value"
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
    from quire.lab.plan.planning import parse_columns, write_plan

    if format is None or columns is None or rows is None or not rows.isdigit():
        raise UsageError("--write needs --format, --columns and a number of --rows")
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
    print_plans(planned.ranks)
    say(f"before: {extents_text(planned.guard)}")
    say(f"to publish: {extents_text(planned.publication)}")
    say(f"end of the data: {planned.end}")


def print_plans(plans: Iterable[RankPlan]) -> None:
    """Print one line for each rank."""
    lines = [["step", "table", "rank", "rows", "bytes", "extents (offset+length)"]]
    for line in columns_of_text([*lines, *(cells(one) for one in plans)]):
        say(line)


def cells(one: RankPlan) -> list[str]:
    """Return the plan of a rank as cells of text."""
    total = sum(length for _, length in one.extents)
    rows = f"{one.first}:{one.first + one.count}"
    shown = extents_text(one.extents)
    return [str(one.step), printable(one.table) or "-", str(one.rank), rows, str(total), shown]


def placeless_text(table: str, names: Sequence[str]) -> str:
    """Return a message for columns without extents."""
    of = f" of {printable(table)}" if table else ""
    return (
        f"no extents of {printable(', '.join(names))}{of}: the values are compressed or stored as a whole "
        "and read block by block"
    )


def extents_text(found: Sequence[tuple[int, int]]) -> str:
    """Return the first extents as text, and the number of the others."""
    shown = ", ".join(f"{offset}+{length}" for offset, length in found[:MOST_EXTENTS])
    rest = len(found) - MOST_EXTENTS
    shown += f" \N{HORIZONTAL ELLIPSIS} and {plural(rest, 'more extent')}" if rest > 0 else ""
    return shown or "none"


def extents(found: Sequence[tuple[int, int]]) -> list[dict[str, int]]:
    """Return extents for JSON."""
    return [{"offset": offset, "length": length} for offset, length in found]


def as_dictionary(one: RankPlan) -> dict[str, Any]:
    """Return the plan of a rank for JSON."""
    return {
        "step": one.step,
        "table": one.table,
        "rank": one.rank,
        "first": one.first,
        "count": one.count,
        "extents": extents(one.extents),
    }
