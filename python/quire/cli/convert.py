"""quire convert: any format to any format."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.command import answer, command
from quire.cli.output import plural, printable, remark, say, say_json
from quire.cli.parallel import communicator, is_first_rank
from quire.cli.progress import progress
from quire.cli.streams import STANDARD, readable, writable


@command
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A data file; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The new file; - is standard output.")],
    format: Annotated[str | None, typer.Option("--format", "-f", help="Else by the suffix of OUT.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", help="name=value of the writer.")] = None,
    read_option: Annotated[list[str] | None, typer.Option(help="name=value of the reader.")] = None,
    steps: Annotated[str | None, typer.Option("--steps", help="Only these, by number: 1,4-8")] = None,
    columns: Annotated[list[str] | None, typer.Option("--columns", help="Only these: x,p*")] = None,
    rows: Annotated[str | None, typer.Option("--rows", help="a:b, half open, of every table.")] = None,
    transport: Annotated[str, typer.Option("--transport", help="How bytes are moved.")] = "posix",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing OUT.")] = False,
    durable: Annotated[bool, typer.Option("--durable", help="Survive a power cut.")] = False,
    lossy: Annotated[bool, typer.Option("--lossy", help="Allow conversions that change values.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be lost.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The result for programs.")] = False,
) -> None:
    """Convert a file to another format, or to other options.

    Works block by block in bounded memory, and in parallel under mpiexec with the same result. What the
    target cannot hold is told on standard error before it is written. --dry-run leaves with 1 if something
    would be lost.

    Example: quire convert run.data run.h5

    Example: mpiexec -n 4 quire convert run.h5 late.data --format NAME --steps 10-20
    """
    from quire.cli.trace import trace
    from quire.errors import UsageError
    from quire.toolkit.convert import Observer, Request, carry_out, losses
    from quire.toolkit.selection import parse_names, parse_rows, parse_steps

    if target == STANDARD and format is None:
        raise UsageError("standard output has no suffix: name the format by --format")
    comm = communicator()
    if comm is not None and comm.size > 1 and STANDARD in (source, target):
        raise UsageError("several ranks cannot share standard input or output: name files")
    request = Request(
        format=format,
        options=parse_options(option),
        source_options=parse_options(read_option),
        steps=parse_steps(steps),
        columns=parse_names(columns),
        rows=parse_rows(rows),
        transport=transport,
        durable=durable,
        lossy=lossy,
        overwrite=overwrite or target == STANDARD,
    )
    with readable(source) as local_source:
        if dry_run:
            lost = losses(local_source, target, request)
            for sentence in lost:
                tell_loss(sentence)
            answer(not lost)
        with progress("converting") as bar, writable(target) as local_target:
            observer = Observer(tell_loss, bar.expect, bar.advance, trace)
            report = carry_out(local_source, local_target, request, comm, observer)
    if not is_first_rank() or target == STANDARD:
        return
    if json:
        say_json({"path": target, "steps": report.steps, "rows": report.rows, "losses": report.losses})
    else:
        say(f"{target}: {plural(report.steps, 'step')}, {plural(report.rows, 'row')}")


def tell_loss(sentence: str) -> None:
    """Say on standard error what the target cannot hold; one rank says it for all."""
    if is_first_rank():
        remark(f"lost: {printable(sentence)}")


def parse_options(texts: list[str] | None) -> dict[str, str]:
    """`name=value` texts as a dictionary. Raises UsageError."""
    from quire.errors import UsageError

    options: dict[str, str] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"'{text}' is not an option; write name=value")
        options[name] = value
    return options
