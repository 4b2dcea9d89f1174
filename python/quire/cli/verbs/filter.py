"""The stage `filter` of a chain: keep rows that satisfy a condition."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage

Condition = Annotated[
    str,
    typer.Argument(
        metavar="EXPR", autocompletion=completion.expression, help="A condition, such as 'px > 0'."
    ),
]


def filter_(condition: Condition) -> Stage:
    """Keep the rows that satisfy a condition.

    Example: quire run beam.h5 / filter 'x > 1e-4' / sort x / write right.h5
    """
    from quire.verbs.rows import filter_ as filtered

    return Stage(lambda chain: filtered(chain, condition))
