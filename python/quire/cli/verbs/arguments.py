"""Arguments and options that several verbs have."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion

Names = Annotated[
    list[str],
    typer.Argument(metavar="NAMES...", help="Columns, or patterns.", autocompletion=completion.columns),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A column.", autocompletion=completion.columns)]
IdColumn = Annotated[
    str,
    typer.Option(
        "--key", metavar="NAME", autocompletion=completion.columns, help="Column of ids. [default: id]"
    ),
]
Versus = Annotated[
    str,
    typer.Option(
        "--versus",
        metavar="NAME",
        autocompletion=completion.columns,
        help="Column that they are functions of.",
    ),
]
Times = Annotated[
    str,
    typer.Option(
        "--versus", metavar="NAME", autocompletion=completion.columns, help="Column of evenly spaced times."
    ),
]
Spacing = Annotated[
    float | None, typer.Option("--spacing", metavar="X", help="Distance of the rows instead. [default: 1]")
]
Sigma = Annotated[
    str,
    typer.Option(
        "--sigma",
        autocompletion=completion.columns,
        metavar="NAME",
        help="Column of errors; * is the name of the column: s_*.",
    ),
]
Points = Annotated[int | None, typer.Option("--points", metavar="N", help="Rows of a window, an odd number.")]
Order = Annotated[int, typer.Option("--order", metavar="N", help="Order of the polynomial.")]
