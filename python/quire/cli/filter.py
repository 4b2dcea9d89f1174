"""quire filter: copy the rows that satisfy a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli import completion
from quire.cli.command import answer, command_of_ranks
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Source,
    Strict,
    Target,
    TheTable,
    Transport,
    WriteOptions,
    common_request,
    copy_file,
)
from quire.cli.hints import refuse_order
from quire.cli.options import ReadOptions
from quire.cli.output import printable, remark
from quire.cli.parallel import is_first_rank
from quire.cli.selecting import Columns, Index, Rows, RpnDefinitions, Steps
from quire.cli.streams import display_name

if TYPE_CHECKING:
    from quire.toolkit.request import CopyReport


@command_of_ranks
def filter_(
    source: Source,
    target: Target,
    condition: Annotated[
        str,
        typer.Argument(
            metavar="EXPR",
            autocompletion=completion.expression,
            help="A condition, such as 'px > 0 and x < 1e-3'.",
        ),
    ],
    table: TheTable = "",
    rpn_definitions: RpnDefinitions = None,
    drop_empty: Annotated[bool, typer.Option("--drop-empty", help="Leave out steps without rows.")] = False,
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    steps: Steps = None,
    index: Index = None,
    columns: Columns = None,
    rows: Rows = None,
    transport: Transport = "posix",
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    strict: Strict = False,
    json: AsJson = False,
) -> None:
    """Copy a file, with only the rows that satisfy a condition.

    The expression may use columns, attributes of the step and of the file, and row and step;
    quire explain --help lists the functions. Steps without such rows are kept, with empty tables. The file
    is processed block by block, and in parallel under mpiexec with the same result. The exit code is 1 if no
    row satisfies the expression.

    Example: quire filter beam.h5 halo.h5 'sqrt(x**2 + y**2) > 3 * rms_x'
    """
    from quire.toolkit.selection import parse_names, parse_rows

    refuse_order("filter", source, target, [condition], format)
    if rpn_definitions is not None:
        from quire import expression

        condition = expression(condition, rpn_definitions).text

    def dropped(report: CopyReport) -> dict[str, int]:
        return {"dropped_steps": report.dropped_steps} if drop_empty else {}

    request = common_request(
        target,
        format,
        option,
        read_option,
        steps,
        overwrite,
        index=index,
        columns=parse_names(columns),
        rows=parse_rows(rows),
        where=condition,
        table=table,
        drop_empty=drop_empty,
        transport=transport,
        durable=durable,
        lossy=lossy,
        strict=strict,
    )
    report = copy_file("filtering", source, target, request, json, more=dropped)
    if report.rows == 0 and is_first_rank():
        remark(f"quire: {display_name(source)}: no row satisfies {printable(condition)}")
    answer(report.rows > 0)
