"""The stage `stats` of a chain: reduce each step, or each group, to a row."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage

What = Annotated[
    list[str],
    typer.Argument(
        metavar="WHAT...",
        autocompletion=completion.expression,
        help="mean(x), slope(y,versus=s), a column, or a quantity of the beam.",
    ),
]
Keep = Annotated[bool, typer.Option("--keep-rows", help="Keep the rows; results are attributes.")]
Convention = Annotated[
    str | None, typer.Option("--convention", help="Phase-space convention of the columns.")
]
Species = Annotated[str | None, typer.Option("--species", help="Species of the particles.")]


def stats(
    what: What, keep_rows: Keep = False, convention: Convention = None, species: Species = None
) -> Stage:
    """Make a row of each step, or of each group: its attributes, and reductions of its columns.

    Example: quire run beam.h5 / group 'slice=bin(z, 10)' / stats 'std(x)' emittance_nx / write slices.h5
    """
    from quire.verbs.stats import reduced
    from quire.verbs.stats import stats as rows_of

    beam: dict[str, Any] = {"convention": convention, "species": species}
    verb = reduced if keep_rows else rows_of
    return Stage(lambda chain: verb(chain, *what, **beam))
