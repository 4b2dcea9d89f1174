"""quire correlate: correlations of columns."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage


class Method(StrEnum):
    """What is correlated."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    ORDINAL = "ordinal"


Columns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAMES...",
        help="Columns, or patterns. Default: all of numbers.",
        autocompletion=completion.columns,
    ),
]
WithOnly = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="NAMES",
        help="Only pairs with one of these columns.",
        autocompletion=completion.columns,
    ),
]
How = Annotated[
    Method,
    typer.Option("--method", help="pearson: of values; spearman, ordinal: of ranks."),
]
AsMatrix = Annotated[bool, typer.Option("--matrix", help="Make a matrix of the coefficients.")]


def correlate(
    columns: Columns = None,
    with_only: WithOnly = None,
    method: How = Method.PEARSON,
    matrix: AsMatrix = False,
) -> Stage:
    """Make a row of each pair of columns, with their correlation.

    A row has the coefficient, its significance and the number of rows. The significance is the probability
    of such a coefficient, or a greater one, without correlation. Equal values have the mean of their ranks
    (spearman), or ranks in the order of rows (ordinal). Rows with NaN in one of the columns take no part.

    Example: quire correlate beam.h5 pairs.h5 x px y py

    Example: quire run --steps 5 beam.h5 / correlate --with z --method spearman
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.correlate import correlate as correlated

    names, others = parse_names(columns) or (), parse_names(with_only) or ()
    return Stage(lambda chain: correlated(chain, names, with_only=others, method=method.value, matrix=matrix))
