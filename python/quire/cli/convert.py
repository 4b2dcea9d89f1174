"""quire convert: convert files between formats."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.command import command_of_ranks
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Source,
    Target,
    Transport,
    WriteOptions,
    common_request,
    copy_file,
)
from quire.cli.options import ReadOptions
from quire.cli.parallel import start_ranks
from quire.cli.particles import Convention, Species
from quire.cli.selecting import Columns, Index, Rows, Steps, Where

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
    source: Source,
    target: Target,
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
    """Convert a file to another format, or rewrite it with other options.

    The file is processed block by block in bounded memory, and in parallel under mpiexec. The result does not
    depend on the number of ranks, except for formats that store one part per rank; --ranks sets the number of
    parts. Fields of strings, and fields that the target format can only store as a whole, are held in memory;
    compressing them needs up to four times their size. Losses are reported on standard error before anything
    is written. With --dry-run the exit code is 1 if something would be lost.

    Example: quire convert beam.h5 part.h5 --columns x,px --steps 10-

    Example: mpiexec -n 4 quire convert run.h5 late.data --format NAME --steps 10-20
    """
    if ranks is not None:
        start_ranks(ranks)
    from quire.errors import UsageError
    from quire.toolkit.profiles import profile_named
    from quire.toolkit.request import names_only_table
    from quire.toolkit.selection import parse_names, parse_rows

    if program is None and (convention or species):
        raise UsageError("--convention and --species describe particles for a program: give --for too")
    wanted_rows = parse_rows(rows)
    profile = None if program is None else profile_named(program)
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
    copy_file("converting", source, target, request, json, dry_run)
