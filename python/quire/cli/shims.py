"""quire shims: programs of an older toolkit under their old names."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.command import command
from quire.cli.output import say


@command
def shims(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of the programs, which is made.")],
    programs: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="The programs. Default: all.")
    ] = None,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Install also what hides a program of the same name on PATH.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the programs from the folder.")] = False,
) -> None:
    """Install programs with the names of an older toolkit.

    Put the folder into PATH, and old scripts keep running. Each program translates its arguments to verbs and
    runs them; with --explain it prints the new command instead, and with --help its options. Nothing is
    written if a program of such a name is found on PATH already.

    Example: quire shims ~/old-programs
    """
    from quire.legacy import install

    names = programs or []
    paths = install.remove(folder, names) if remove else install.install(folder, names, shadow=shadow)
    for path in paths:
        say(f"removed {path}" if remove else str(path))
