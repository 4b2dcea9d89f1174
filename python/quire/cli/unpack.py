"""quire unpack: extract streams to files."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.command import command_of_ranks
from quire.cli.copying import AsJson, Overwrite, Source
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, printable, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.progress import progress
from quire.cli.streams import communicator_for, readable


@command_of_ranks
def unpack(
    source: Source,
    directory: Annotated[
        str, typer.Option("--to", help="Target directory; created if it does not exist.")
    ] = ".",
    prefix: Annotated[
        str | None, typer.Option("--prefix", help="Prefix of the names. Default: that of IN.")
    ] = None,
    digits: Annotated[int, typer.Option("--digits", min=1, max=20, help="Digits of the task in names.")] = 6,
    tasks: Annotated[str | None, typer.Option("--tasks", help="Only these tasks: 1,4-8")] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="Write one file for each key of a stream of records.")
    ] = False,
    overwrite: Overwrite = False,
    read_option: ReadOptions = None,
    json: AsJson = False,
) -> None:
    """Extract each stream of a file to a file of its own.

    The files are named PREFIX and the number of the task.

    Example: quire unpack run.pack --to tasks
    """
    from quire.toolkit.selection import parse_steps
    from quire.toolkit.streams import FileNaming
    from quire.toolkit.streams import unpack as engine

    comm = communicator_for(source)
    with readable(source) as local, progress("unpacking", "bytes") as bar:
        done = engine(
            local,
            directory,
            naming=FileNaming(prefix, digits, keys),
            tasks=parse_steps(tasks, "tasks"),
            overwrite=overwrite,
            comm=comm,
            progress=bar.advance,
            **parse_options(read_option),
        )
    if json and is_first_rank():
        say_json({"path": source, "files": [str(path) for path in done.paths], "bytes": done.bytes})
    elif is_first_rank():
        say(f"{printable(directory)}: {plural(len(done.paths), 'file')}, {plural(done.bytes, 'byte')}")
