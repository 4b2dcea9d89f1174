"""What pack and repack share: how a file of streams is written, and what is told about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.options import parse_options
from quire.cli.output import plural, printable, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.streams import STANDARD

if TYPE_CHECKING:
    from quire.toolkit.streams import Packed, Packing

NewStreams = Annotated[str, typer.Argument(metavar="OUT", help="The new file of streams.")]
BlockSize = Annotated[
    int | None, typer.Option("--block-size", help="Of the file system: chunks begin at multiples of it.")
]
ChunkSize = Annotated[
    int | None, typer.Option("--chunk-size", help="Room for a chunk; else each stream is one chunk.")
]
Files = Annotated[
    str | None, typer.Option("--files", help="In how many physical files; auto: as the machine writes best.")
]
Merge = Annotated[bool, typer.Option("--merge", help="Put the streams of a group into one of them.")]
Compact = Annotated[bool, typer.Option("--compact", help="No more room than is needed.")]


def packing_of(
    format: str | None,
    option: list[str] | None,
    block_size: int | None,
    chunk_size: int | None,
    files: str | None,
    merge: bool,
    compact: bool,
    overwrite: bool,
    durable: bool,
    transport: str,
) -> Packing:
    """How the file is written, from what the command line says. Raises UsageError."""
    from quire.errors import UsageError
    from quire.toolkit.streams import Packing

    if chunk_size is not None and chunk_size < 1:
        raise UsageError("a chunk has at least 1 byte")
    options: dict[str, Any] = {}
    if block_size is not None:
        options["block_size"] = block_size
    if files is not None:
        options["files"] = files
    if merge:
        options["mode"] = "merge"
    if compact:
        options["style"] = "compact"
    options |= parse_options(option)
    if options.get("mode") == "merge":
        # What is merged can be taken apart again, unless it is to be as the reference has it.
        options.setdefault("origins", "kept")
    return Packing(
        format=format,
        options=options,
        chunk_size=chunk_size,
        overwrite=overwrite,
        durable=durable,
        transport=transport,
    )


def refuse_standard_output(target: str) -> None:
    """Raises UsageError for `-`: a file of streams knows its own name and those of the files beside it."""
    from quire.errors import UsageError

    if target == STANDARD:
        raise UsageError("files of streams know their names: name a file, not standard output")


def tell_packed(target: str, done: Packed, json: bool) -> None:
    """Say what is in the new file; one rank says it for all."""
    if not is_first_rank():
        return
    if json:
        say_json({"path": target, "streams": done.streams, "bytes": done.bytes})
    else:
        say(f"{printable(target)}: {plural(done.streams, 'stream')}, {plural(done.bytes, 'byte')}")
