"""The stage `concat` of a chain: append the steps of other files."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.verb import Stage

Others = Annotated[list[str], typer.Argument(metavar="FILE...", help="Files whose steps follow.")]


def concat(others: Others) -> Stage:
    """Append the steps of other files. Steps are numbered from 0.

    Example: quire run beam.h5 / concat beam.h5 / pages merge / write twice.h5
    """
    from quire.verbs.pages import append

    return Stage(append, others)
