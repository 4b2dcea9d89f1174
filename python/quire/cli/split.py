"""quire split: divide a file into several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli import completion
from quire.cli.command import command_of_ranks, report_unreadable
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Source,
    TheTable,
    Transport,
    WriteOptions,
    common_request,
    report_warning,
    reporting_once,
    sentences,
)
from quire.cli.options import ReadOptions
from quire.cli.output import plural, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.progress import progress
from quire.cli.selecting import Columns, Steps
from quire.cli.streams import STANDARD, communicator_for, readable

if TYPE_CHECKING:
    from quire.toolkit.request import CopyReport, Request

Pattern = Annotated[
    str, typer.Argument(metavar="PATTERN", help="Names of the new files, such as run_{step:05d}.h5.")
]
Every = Annotated[int | None, typer.Option("--every", metavar="N", help="N steps in each file. Default: 1.")]
Rows = Annotated[int | None, typer.Option("--rows", metavar="N", help="N rows of each table in each file.")]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        autocompletion=completion.anything,
        metavar="NAME",
        help="A file for each value of this column or attribute.",
    ),
]


@command_of_ranks
def split(
    source: Source,
    pattern: Pattern,
    every: Every = None,
    rows: Rows = None,
    by: By = None,
    table: TheTable = "",
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    steps: Steps = None,
    columns: Columns = None,
    transport: Transport = "posix",
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    json: AsJson = False,
) -> None:
    """Divide a file into several: by steps, rows, or values of a column.

    PATTERN contains {step}, the number of the first step in a file, {part}, which counts the files from 0, or
    {value}, the value of --by. All names are checked before the first file is written. Attributes of the file
    are in every file. The files are written in parallel under mpiexec.

    Example: quire split beam.h5 'beam_{step:05d}.h5'

    Example: quire split beam.h5 'part_{part}.h5' --rows 1000
    """
    from quire.errors import UsageError
    from quire.toolkit.request import Observer
    from quire.toolkit.selection import parse_names
    from quire.toolkit.split import Division
    from quire.toolkit.split import split as divide

    if pattern == STANDARD:
        raise UsageError("standard output is one file; write a pattern of names")
    request = common_request(
        pattern,
        format,
        option,
        read_option,
        steps,
        overwrite,
        columns=parse_names(columns),
        table=table,
        transport=transport,
        durable=durable,
        lossy=lossy,
    )
    comm = communicator_for(source, pattern)
    with readable(source) as local_source, progress("dividing") as bar:
        observer = Observer(reporting_once(), bar.expect, bar.advance, None, report_warning)
        division = Division(every, rows, by)
        reports = divide(local_source, pattern, division, comm=comm, observer=observer, **vars(request))
    if is_first_rank():
        print_reports(reports, request, json)
    for report in reports.values():
        report_unreadable(source, report.unreadable)


def print_reports(reports: Mapping[str, CopyReport], request: Request, json: bool) -> None:
    """Print what was written to each file."""
    if json:
        files = [
            {"path": target, "steps": report.steps, "rows": report.rows} | sentences(report, request)
            for target, report in reports.items()
        ]
        say_json({"files": files})
    else:
        for target, report in reports.items():
            say(f"{target}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")
