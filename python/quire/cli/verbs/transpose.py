"""quire transpose: rows become columns, columns become rows."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage

Names = Annotated[
    str,
    typer.Option(
        "--names",
        metavar="COLUMN",
        autocompletion=completion.columns,
        help="Column with the names of the new columns. Default: the first one of texts.",
    ),
]
OldNames = Annotated[str, typer.Option("--old-names", metavar="NAME", help="Column for the old names.")]
Root = Annotated[
    str,
    typer.Option(
        "--root", metavar="TEXT", help="Without names: the new columns are TEXT0, TEXT1 ..., or TEXT alone."
    ),
]


Digits = Annotated[
    int, typer.Option("--digits", metavar="N", help="With --root: digits of the numbers.", min=0)
]


def transpose(
    names: Names = "", old_names: OldNames = "name", root: Root = "row", digits: Digits = 0
) -> Stage:
    """Make a row of each column of numbers, and a column of each row.

    Example: quire transpose beam.h5 turned.h5 --where 'id < 10' --names id
    """
    from quire.verbs.reshape import transpose as transposed

    return Stage(lambda chain: transposed(chain, names=names, old_names=old_names, root=root, digits=digits))
