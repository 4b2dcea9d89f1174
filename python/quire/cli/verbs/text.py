"""quire text: columns of texts from numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.verb import Stage

Definitions = Annotated[
    list[str],
    typer.Argument(metavar="NAME=FORMAT...", help="A format with names in braces: 'name=Q{n:03d}'."),
]


def text(definitions: Definitions) -> Stage:
    """Add columns of texts that are made of columns and attributes.

    A format has names in braces, with a format of Python after a colon: {n:03d}, {x:.3e}. {row} is the
    number of the row from 0, {step} that of the step.

    Example: quire text beam.h5 labelled.h5 'label=electron {id:05d}'
    """
    from quire.verbs.texts import text as labelled

    return Stage(lambda chain: labelled(chain, *definitions))
