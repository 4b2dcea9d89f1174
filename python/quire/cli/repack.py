"""quire repack: rewrite a file of streams."""

from __future__ import annotations

from quire.cli.command import command_of_ranks
from quire.cli.copying import AsJson, Durable, Format, Overwrite, Source, Transport, WriteOptions
from quire.cli.options import ReadOptions, parse_options
from quire.cli.packing import (
    BlockSize,
    ChunkSize,
    Compact,
    Files,
    Merge,
    NewStreams,
    packing_of,
    print_packed,
    refuse_standard_output,
)
from quire.cli.progress import progress
from quire.cli.streams import communicator_for, readable


@command_of_ranks
def repack(
    source: Source,
    target: NewStreams,
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
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
    """Rewrite a file of streams: defragmented, divided or merged.

    Blocks may have other sizes, and streams be in another number of files. Tasks keep their numbers and
    records their keys. Blocks keep their size unless streams are merged. A merged file is separated if it
    contains the origins of its bytes; --read-option merged=true copies it unchanged.

    Example: quire repack fragmented.pack tidy.pack --compact
    """
    from quire.toolkit.streams import repack as engine

    packing = packing_of(
        format, option, block_size, chunk_size, files, merge, compact, overwrite, durable, transport
    )
    refuse_standard_output(target)
    comm = communicator_for(source)
    with readable(source) as local, progress("repacking", "bytes") as bar:
        done = engine(local, target, packing, comm=comm, progress=bar.advance, **parse_options(read_option))
    print_packed(target, done, json)
