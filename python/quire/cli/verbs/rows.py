"""The stage `rows` of a chain: keep a range of rows."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.verb import Stage

Range = Annotated[str, typer.Argument(metavar="A:B", help="Rows from A to B, excluded; -10: are the last.")]


def rows(which: Range) -> Stage:
    """Keep a range of the rows of each step.

    Example: quire run beam.h5 / sort x:desc / rows 0:10 / write outermost.h5
    """
    from quire.toolkit.selection import parse_rows
    from quire.verbs.rows import rows as chosen

    return Stage(lambda chain: chosen(chain, parse_rows(which)))
