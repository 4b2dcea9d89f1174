"""quire concat: write several files as one."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from quire.cli.command import command_of_ranks, report_unreadable
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Strict,
    Transport,
    WriteOptions,
    common_request,
    inputs_and_output,
    print_report,
    report_change,
    report_warning,
)
from quire.cli.options import ReadOptions
from quire.cli.progress import progress
from quire.cli.selecting import Columns, Rows, Steps, Where
from quire.cli.streams import communicator_for, readable, writable

Files = Annotated[
    list[str], typer.Argument(metavar="IN... OUT", help="Data files, and at last the new file.")
]
JoinRows = Annotated[bool, typer.Option("--join-rows", help="Join the rows of steps with the same number.")]
Renumber = Annotated[bool, typer.Option("--renumber", help="Number the steps of OUT from 0.")]


@command_of_ranks
def concat(
    files: Files,
    join_rows: JoinRows = False,
    renumber: Renumber = False,
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    steps: Steps = None,
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    transport: Transport = "posix",
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    strict: Strict = False,
    json: AsJson = False,
) -> None:
    """Write several files, of any formats, as one.

    The steps of the files follow one another; with --join-rows the rows of steps with the same number are
    joined. Columns must have the same names, types and units. Attributes that differ are those of the first
    file, with a warning. The names of the inputs are stored in the attribute sources. The files are processed
    block by block, and in parallel under mpiexec with the same result.

    Example: quire concat beam.h5 beam.h5 both.h5 --renumber

    Example: quire concat beam.h5 beam.h5 joined.h5 --join-rows
    """
    from quire.toolkit.concat import concat as write
    from quire.toolkit.request import Observer
    from quire.toolkit.selection import parse_names, parse_rows

    sources, target = inputs_and_output(files)
    request = common_request(
        target,
        format,
        option,
        read_option,
        steps,
        overwrite,
        columns=parse_names(columns),
        rows=parse_rows(rows),
        where=where,
        renumber=renumber,
        transport=transport,
        durable=durable,
        lossy=lossy,
        strict=strict,
    )
    comm = communicator_for(*files)
    with ExitStack() as opened, progress("writing") as bar, writable(target) as local_target:
        local_sources = [
            opened.enter_context(readable(source, is_only=len(sources) == 1)) for source in sources
        ]
        observer = Observer(report_change, bar.expect, bar.advance, None, report_warning)
        report = write(
            local_sources, local_target, join_rows=join_rows, comm=comm, observer=observer, **vars(request)
        )
    print_report(report, target, request, json)
    report_unreadable(", ".join(sources), report.unreadable)
