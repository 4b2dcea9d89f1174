"""quire thin: copy a sample of the rows."""

from __future__ import annotations

from typing import Annotated

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
    Target,
    TheTable,
    Transport,
    WriteOptions,
    common_request,
    copy_file,
)
from quire.cli.options import ReadOptions
from quire.cli.output import remark
from quire.cli.parallel import is_first_rank
from quire.cli.selecting import Columns, Index, Rows, Steps, Where
from quire.cli.streams import display_name

Every = Annotated[int | None, typer.Option("--every", metavar="N", help="Keep every N-th row.")]
Offset = Annotated[int, typer.Option("--offset", metavar="K", help="The first row that is kept.")]
Fraction = Annotated[
    float | None, typer.Option("--fraction", metavar="F", help="Keep each row with this probability.")
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        autocompletion=completion.anything,
        metavar="COLUMN",
        help="Choose by this identity, alike in all steps.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Another seed is another sample.")]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        autocompletion=completion.columns,
        metavar="COLUMN",
        help="Scale these weights, to keep their sum.",
    ),
]


@command_of_ranks
def thin(
    source: Source,
    target: Target,
    every: Every = None,
    offset: Offset = 0,
    fraction: Fraction = None,
    by: By = None,
    seed: Seed = 0,
    weight: Weight = None,
    table: TheTable = "",
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    steps: Steps = None,
    index: Index = None,
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    transport: Transport = "posix",
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    json: AsJson = False,
) -> None:
    """Copy a file with a sample of its rows: every N-th, or at random.

    A random sample depends on the seed and on the number of each row; with --by on the values of an integer
    column, so that the same particles are kept in all steps. The result does not depend on the number of
    ranks. With --weight, weights are multiplied by the number of rows that a kept row represents. The exit
    code is 1 if no row is kept.

    Example: quire thin beam.h5 small.h5 --fraction 0.01 --by id

    Example: quire thin beam.h5 tenth.h5 --every 10
    """
    from quire.toolkit.selection import joined_conditions, parse_names, parse_rows
    from quire.toolkit.thin import Sample

    sample = Sample(every, offset, fraction, by, seed)
    sample.require_one()
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
        where=joined_conditions(where, sample.condition),
        definitions=() if weight is None else (sample.scaled(weight),),
        replace=True,
        table=table,
        transport=transport,
        durable=durable,
        lossy=lossy,
    )
    report = copy_file("sampling", source, target, request, json)
    if report.rows == 0 and is_first_rank():
        remark(f"quire: {display_name(source)}: no row is kept")
    answer(report.rows > 0)
