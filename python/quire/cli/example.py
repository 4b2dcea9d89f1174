"""quire example: write a small file to try commands with."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.command import command
from quire.cli.output import columns_of_text, say


def names(incomplete: str) -> list[str]:
    """Return the names of examples, for completion."""
    from quire.toolkit.examples import EXAMPLES

    return [name for name in EXAMPLES if name.startswith(incomplete)]


@command
def example(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", autocompletion=names, help="One of the examples.")
    ] = None,
    target: Annotated[
        str | None, typer.Argument(metavar="[OUT]", help="The new file. Default: the name in the list.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing OUT.")] = False,
) -> None:
    """Write a small file to try commands with. Without a name, list the examples.

    The files are computed, and the same everywhere. The commands in the examples of all help texts run with
    them.

    Example: quire example beam

    Example: quire example twiss
    """
    from quire.toolkit.examples import EXAMPLES, write_example

    if name is None:
        for line in columns_of_text([(key, one.name, one.contents) for key, one in EXAMPLES.items()]):
            say(line)
    else:
        say(f"{write_example(name, target, overwrite)}: {EXAMPLES[name].contents}")
