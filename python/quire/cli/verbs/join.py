"""quire join: add the columns of another file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.options import Memory, parse_memory
from quire.cli.verb import Stage

Other = Annotated[str, typer.Argument(metavar="FILE", help="The file with the new columns.")]
On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="NAMES",
        autocompletion=completion.columns,
        help="Columns with equal values: name or id=particle. Default: row by row.",
    ),
]
Nearest = Annotated[
    str,
    typer.Option(
        "--nearest",
        metavar="NAME",
        autocompletion=completion.columns,
        help="Column; the row with the nearest value is the partner.",
    ),
]
Tolerance = Annotated[
    float, typer.Option("--tolerance", help="With --nearest: the greatest distance.", show_default=False)
]
How = Annotated[
    str,
    typer.Option(
        "--how",
        autocompletion=completion.constants("quire.verbs.join", "MANNERS"),
        help="inner, left (keep all rows), semi (rows with a partner), anti (those without).",
    ),
]
Take = Annotated[
    list[str] | None,
    typer.Option(
        "--take",
        autocompletion=completion.columns_of_other,
        metavar="NAMES",
        help="Columns of FILE. Default: all but the keys.",
    ),
]
Suffix = Annotated[str, typer.Option("--suffix", help="Added to names of columns that both files have.")]


def join(
    other: Other,
    on: On = "",
    nearest: Nearest = "",
    tolerance: Tolerance = float("inf"),
    how: How = "inner",
    take: Take = None,
    suffix: Suffix = "",
    memory: Memory = None,
) -> Stage:
    """Add the columns and attributes of another file, by keys.

    Rows keep the order of IN. Several partners make several rows. Without --on and --nearest row N gets row
    N. The steps of both files are joined in their order; a single step of FILE is used for all. Without a
    partner a row is left out, with a warning; with --how left it stays, and new values are NaN.

    Example: quire join beam.h5 moved.h5 beam.h5 --on id --take x --suffix _start --steps 5
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.join import join as joined

    names = parse_names(take)
    limit = parse_memory(memory)

    def verb(chain: Any, mate: Any) -> Any:
        return joined(
            chain.limited(limit),
            mate,
            on,
            nearest=nearest,
            tolerance=tolerance,
            how=how,
            take=names,
            suffix=suffix,
        )

    return Stage(verb, [other])
