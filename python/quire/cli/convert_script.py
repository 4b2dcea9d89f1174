"""quire convert-script: scripts with commands of Quire instead of programs of an older toolkit."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.command import answer, command
from quire.cli.output import plural, remark, say
from quire.cli.streams import STANDARD


@command
def convert_script(
    script: Annotated[str, typer.Argument(metavar="FILE", help="A script; - is standard input.")],
    output: Annotated[
        str, typer.Argument(metavar="[OUT]", help="The new script. Default: standard output.")
    ] = STANDARD,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            autocompletion=completion.constants("quire.legacy.scripts.calls", "LANGUAGES"),
            help="sh, csh or tcl. Default: by the first lines and the suffix.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing output.")] = False,
) -> None:
    """Rewrite calls of an older toolkit in sh, csh and Tcl scripts.

    Calls of programs that quire shims installs become the commands that they print with --explain; variables
    stay variables, and programs between pipes become one chain. Everything else is kept byte for byte. What
    is left is listed with its line, and the exit code is 1. Notes at the end say what to do with it, and what
    to compare.

    Example: quire convert-script analyse.csh new.csh
    """
    from quire.errors import BadFileError, ConflictError
    from quire.legacy.scripts.conversion import convert, language_of

    is_printed = output == STANDARD
    if not is_printed and os.path.lexists(output) and not overwrite:
        raise ConflictError(f"'{output}' exists already; --overwrite replaces it")
    old = sys.stdin.buffer.read() if script == STANDARD else Path(script).read_bytes()
    if b"\0" in old:
        raise BadFileError("this is no script: it contains zero bytes", file=script)
    text = old.decode("utf-8", "surrogateescape")
    made = convert(text, language or language_of(text, Path(script).suffix))
    new = made.text.encode("utf-8", "surrogateescape")
    if is_printed:
        sys.stdout.buffer.write(new)
    else:
        write_script(Path(output), new, None if script == STANDARD else Path(script))
        say(f"{output}: {plural(made.rewritten, 'call')} rewritten, {made.left} left")
    for one in made.remarks:
        remark(f"{script}:{one.line}: {'left' if one.is_left else 'note'}: {one.text}")
    for text in closing_notes(made.rewritten, made.left):
        remark(f"{script}: note: {text}")
    answer(not made.left)


def closing_notes(rewritten: int, left: int) -> list[str]:
    """Return what is to do after the conversion of a script."""
    notes = []
    if left:
        notes.append(
            f"{plural(left, 'call')} left: keep the old programs, use quire shims, or rewrite by hand"
        )
    if rewritten:
        notes.append("compare what both scripts write, by quire diff: units and NaN can differ")
    return notes


def write_script(path: Path, new: bytes, like: Path | None) -> None:
    """Write a script, with the permissions of another one."""
    from quire.toolkit.replacing import replacement

    with replacement(path) as beside:
        beside.write_bytes(new)
        if like is not None:
            beside.chmod(like.stat().st_mode & 0o777)
