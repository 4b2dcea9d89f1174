"""quire pack: pack many files into one file of streams."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.command import command_of_ranks
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Overwrite,
    Transport,
    WriteOptions,
    inputs_and_output,
)
from quire.cli.packing import (
    BlockSize,
    ChunkSize,
    Compact,
    Files,
    Merge,
    packing_of,
    print_packed,
    refuse_standard_output,
)
from quire.cli.parallel import communicator
from quire.cli.progress import progress


@command_of_ranks
def pack(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... OUT", help="Files, each of which becomes a stream, and at last the new file."
        ),
    ],
    numbers: Annotated[
        bool,
        typer.Option("--numbers-from-names", help="Use the last number in each name as number of the task."),
    ] = False,
    format: Format = None,
    option: WriteOptions = None,
    block_size: BlockSize = None,
    chunk_size: ChunkSize = None,
    files: Files = None,
    merge: Merge = False,
    compact: Compact = False,
    transport: Transport = "posix",
    overwrite: Overwrite = False,
    durable: Durable = False,
    json: AsJson = False,
) -> None:
    """Pack many files into one file of streams, in the given order.

    Files are copied block by block, and in parallel under mpiexec. Merged streams are held in memory.

    Example: quire pack out.0000 out.0001 out.0002 run.pack
    """
    from quire.toolkit.streams import pack as engine

    sources, target = inputs_and_output(paths)
    packing = packing_of(
        format, option, block_size, chunk_size, files, merge, compact, overwrite, durable, transport
    )
    refuse_standard_output(target)
    with progress("packing", "bytes") as bar:
        done = engine(
            sources,
            target,
            packing,
            numbers_from_names=numbers,
            comm=communicator(),
            progress=bar.advance,
        )
    print_packed(target, done, json)
