"""quire deriv: derivatives of columns."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Names, Order, Points, Sigma, Versus

Interval = Annotated[int, typer.Option("--interval", metavar="N", help="Rows of a difference.")]


def deriv(
    columns: Names,
    versus: Versus,
    interval: Interval = 2,
    sigma: Sigma = "",
    points: Points = None,
    order: Order = 2,
) -> Stage:
    """Make a table of the derivatives of columns.

    Each NAME_derivative is the difference of the rows before and after, divided by that of --versus; at the
    ends it is that of one step, in its middle. With --points it is the derivative of a polynomial through so
    many rows (Savitzky and Golay). Other columns are left out.

    Example: quire deriv beam.h5 slopes.h5 x,y --versus id
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.calculus import deriv as derived

    names, window = parse_names(columns) or [], points or 0
    return Stage(
        lambda chain: derived(
            chain, *names, versus=versus, interval=interval, sigma=sigma, points=window, order=order
        )
    )
