"""The option `--where EXPR` of all commands that select rows."""

from __future__ import annotations

from typing import Annotated

import typer

Where = Annotated[
    str | None,
    typer.Option(
        "--where", metavar="EXPR", help="Only rows that satisfy EXPR, such as 'px > 0 and x < 1e-3'."
    ),
]
