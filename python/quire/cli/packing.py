"""Common to pack and repack: options of files of streams, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.options import parse_options
from quire.cli.output import plural, printable, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.streams import STANDARD

if TYPE_CHECKING:
    from quire.toolkit.streams import Packed, Packing

NewStreams = Annotated[str, typer.Argument(metavar="OUT", help="New file of streams.")]
BlockSize = Annotated[
    int | None, typer.Option("--block-size", help="Block size of the file system; chunks are aligned to it.")
]
ChunkSize = Annotated[
    int | None, typer.Option("--chunk-size", help="Size of chunks. Default: one chunk for each stream.")
]
Files = Annotated[
    str | None,
    typer.Option("--files", metavar="N", help="Number of physical files; auto: chosen for this system."),
]
Merge = Annotated[bool, typer.Option("--merge", help="Merge the streams of a group into one.")]
Compact = Annotated[bool, typer.Option("--compact", help="Do not align or reserve space.")]


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
    """Return how the file is written, from the options. Raises UsageError."""
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
        # Merged streams can be separated again, unless the options ask for the format of the reference
        # library.
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
    """Raises UsageError for `-`: a file of streams contains its own name and those of its other files."""
    from quire.errors import UsageError

    if target == STANDARD:
        raise UsageError("files of streams contain their names: give the name of a file, not standard output")


def print_packed(target: str, done: Packed, json: bool) -> None:
    """Print the contents of the new file, on the first rank."""
    if not is_first_rank():
        return
    if json:
        say_json({"path": target, "streams": done.streams, "bytes": done.bytes})
    else:
        say(f"{printable(target)}: {plural(done.streams, 'stream')}, {plural(done.bytes, 'byte')}")
