"""quire zeros: where a column is zero."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Name, Versus

Level = Annotated[float, typer.Option("--level", metavar="X", help="Find where the column is X instead.")]


def zeros(column: Name, versus: Versus, level: Level = 0.0) -> Stage:
    """Make a row of each place where a column changes its sign, or is 0.

    Places are found by linear interpolation, and other columns of numbers have their values there. NAME_slope
    is added.

    Example: quire zeros beam.h5 crossings.h5 x --versus id --steps 5
    """
    from quire.verbs.extrema import zeros as found

    return Stage(lambda chain: found(chain, column, versus=versus, level=level))
