"""The options that select steps, columns and rows: the same in every command that has them."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion

Steps = Annotated[
    str | None,
    typer.Option(
        "--steps",
        "--step",
        metavar="LIST",
        autocompletion=completion.steps,
        help="Only steps of these numbers: 3 or 1,4-8,20-",
    ),
]
Index = Annotated[
    int | None,
    typer.Option(
        "--index",
        autocompletion=completion.indices,
        metavar="N",
        help="Only the step at this position from 0; -1: the last.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns", metavar="NAMES", autocompletion=completion.columns, help="Only these columns: x,p*"
    ),
]
Rows = Annotated[
    str | None,
    typer.Option("--rows", metavar="A:B", help="Only rows from A to B, excluded; -10: are the last."),
]
FirstTable = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="NAME",
        autocompletion=completion.tables,
        help="Name of the table. Default: the first.",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        autocompletion=completion.expression,
        metavar="EXPR",
        help="Only rows that satisfy EXPR: 'px > 0 and x < 1e-3'",
    ),
]
RpnDefinitions = Annotated[
    str | None,
    typer.Option(
        "--rpn-definitions", metavar="FILE", help="Functions of your own (udf) for expressions with rpn:."
    ),
]
