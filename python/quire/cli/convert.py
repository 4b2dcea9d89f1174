"""quire convert: convert files between formats."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import ExitCode, command_of_ranks, fail
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Transport,
    WriteOptions,
    common_request,
    copy_file,
    inputs_and_output,
    reporting_once,
)
from quire.cli.options import ReadOptions
from quire.cli.output import say_json
from quire.cli.parallel import is_first_rank, start_ranks
from quire.cli.particles import Convention, Species
from quire.cli.selecting import Columns, Index, Rows, Steps, Where

if TYPE_CHECKING:
    from quire.toolkit.request import Request

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="IN... OUT",
        help="A data file and the new file, or several and a directory; - is standard input or output.",
    ),
]
Table = Annotated[
    str,
    typer.Option(
        "--table",
        help="Only this table (with its elements); with --where or --rows the table they apply to.",
    ),
]
Program = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="PROGRAM",
        autocompletion=completion.programs,
        help="Write a file that PROGRAM reads.",
    ),
]
Ranks = Annotated[int | None, typer.Option("--ranks", metavar="N", help="Start N ranks with mpiexec.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only report what would be lost or changed.")]


@command_of_ranks
def convert(
    files: Files,
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    steps: Steps = None,
    index: Index = None,
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    table: Table = "",
    program: Program = None,
    convention: Convention = None,
    species: Species = None,
    transport: Transport = "posix",
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    ranks: Ranks = None,
    dry_run: DryRun = False,
    json: AsJson = False,
) -> None:
    """Convert files to another format, or rewrite them with other options.

    Several files, or one, are converted into a directory, which a name that ends in / makes. They keep their
    names and get the suffix of --format. A file that fails is reported, and hides no other.

    A file is processed block by block in bounded memory, and in parallel under mpiexec. The result does not
    depend on the number of ranks, except for formats that store one part per rank; --ranks sets the number of
    parts. Fields of strings, and fields that the target format can only store as a whole, are held in memory;
    compressing them needs up to four times their size. Losses are reported on standard error before anything
    is written. With --dry-run the exit code is 1 if something would be lost.

    Example: quire convert beam.h5 part.h5 --columns x,px --steps 10-

    Example: quire convert beam.h5 converted/ --for viewers

    Example: mpiexec -n 4 quire convert run.h5 late.data --format NAME --steps 10-20
    """
    if ranks is not None:
        start_ranks(ranks)
    from quire.errors import UsageError
    from quire.toolkit.outputs import is_data, is_for_several, outputs_in
    from quire.toolkit.request import names_only_table
    from quire.toolkit.selection import parse_names, parse_rows

    if program is None and (convention or species):
        raise UsageError("--convention and --species describe particles for a program: give --for too")
    sources, target = inputs_and_output(files)
    for source in sources:
        if os.path.isdir(source) and not is_data(source):
            raise UsageError(f"'{source}' is a directory: name its files, as by {os.path.join(source, '*')}")
    wanted_rows = parse_rows(rows)
    profile = None
    if program is not None:
        from quire.toolkit.profiles import profile_named

        profile = profile_named(program)
    request = common_request(
        target,
        format,
        option,
        read_option,
        steps,
        overwrite,
        index=index,
        columns=parse_names(columns),
        rows=wanted_rows,
        where=where,
        table=table,
        only_table=names_only_table(table, where, wanted_rows, profile),
        profile=profile,
        convention=convention,
        species=species,
        transport=transport,
        durable=durable,
        lossy=lossy,
    )
    if is_for_several(sources, target):
        convert_all(outputs_in(target, sources, request), target, request, json, dry_run)
    else:
        copy_file("converting", sources[0], target, request, json, dry_run)


def convert_all(
    outputs: Mapping[str, str], directory: str, request: Request, json: bool, dry_run: bool
) -> None:
    """Collective. Convert files, each to its output in a directory. Exits with the code of the first that
    failed, after all of them.
    """
    from quire.errors import Error

    is_new = not os.path.isdir(directory)
    if not dry_run:
        os.makedirs(directory, exist_ok=True)
    report_once = reporting_once()
    answers: list[dict[str, Any]] = []
    codes: list[int] = []
    complete = 0
    try:
        for source, target in outputs.items():
            try:
                copy_file(
                    "converting",
                    source,
                    target,
                    request,
                    json,
                    dry_run,
                    report_each=report_once,
                    say_answers=answers.append,
                )
                complete += 1
            except (Error, OSError) as problem:
                codes.append(fail(problem))
            except typer.Exit as done:  # only looked at, or without its damaged steps
                codes.append(done.exit_code)
    except KeyboardInterrupt as interruption:
        interruption.add_note(f"{complete} of {len(outputs)} files are complete")
        raise
    finally:
        if is_new and is_first_rank():
            with contextlib.suppress(OSError):  # it has files
                os.rmdir(directory)
    if json and is_first_rank():
        say_json({"files": answers})
    if failed := next((code for code in codes if code != ExitCode.GOOD), None):
        raise typer.Exit(failed)
