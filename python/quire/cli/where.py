"""`--where EXPR`, the same in every command that looks at rows."""

from __future__ import annotations

from typing import Annotated

import typer

Where = Annotated[
    str | None,
    typer.Option("--where", metavar="EXPR", help="Only rows for which this holds: 'px > 0 and x < 1e-3'."),
]
