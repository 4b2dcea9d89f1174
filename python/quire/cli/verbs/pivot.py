"""quire pivot: rows become columns."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage

Columns = Annotated[
    str,
    typer.Argument(
        metavar="COLUMN", help="Its values name the new columns.", autocompletion=completion.columns
    ),
]
Values = Annotated[
    str,
    typer.Argument(metavar="VALUE", help="The column with their values.", autocompletion=completion.columns),
]
Rows = Annotated[
    list[str] | None,
    typer.Option(
        "--rows-by",
        autocompletion=completion.columns,
        metavar="NAMES",
        help="Columns that make a row of the result.",
    ),
]


def pivot(columns: Columns, values: Values, rows_by: Rows = None) -> Stage:
    """Make a column of each value of a column. What has no value is NaN, or an empty text.

    Example: quire melt beam.h5 long.h5 x y --name plane --value position

    Example: quire pivot long.h5 wide.h5 plane position --rows-by id
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.reshape import pivot as pivoted

    return Stage(lambda chain: pivoted(chain, columns, values, rows_by=parse_names(rows_by) or ()))
