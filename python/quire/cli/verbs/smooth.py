"""quire smooth: smooth columns over neighbouring rows."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Names, Order, Points


class Filter(StrEnum):
    """How columns are smoothed."""

    MEAN = "mean"
    MEDIAN = "median"
    GAUSSIAN = "gaussian"
    POLYNOMIAL = "polynomial"
    DESPIKE = "despike"


Method = Annotated[
    Filter,
    typer.Option("--method", metavar="FILTER", help="mean, median, gaussian, polynomial or despike."),
]
Width = Annotated[float, typer.Option("--sigma", metavar="X", help="Of gaussian, in rows.")]
Threshold = Annotated[float, typer.Option("--threshold", metavar="X", help="Least height of a spike.")]
Passes = Annotated[int, typer.Option("--passes", metavar="N", help="Number of repetitions.")]
Suffix = Annotated[
    str, typer.Option("--suffix", metavar="TEXT", help="Add columns NAMETEXT instead of replacing.")
]


def smooth(
    columns: Names,
    method: Method = Filter.MEAN,
    points: Points = None,
    order: Order = 2,
    sigma: Width = 1.0,
    threshold: Threshold = 0.0,
    passes: Passes = 1,
    suffix: Suffix = "",
) -> Stage:
    """Smooth columns over neighbouring rows.

    mean and median are those of a window of 3 rows, gaussian is a mean with weights, polynomial is that of
    Savitzky and Golay over 5 rows; despike replaces only rows that are farthest from the mean of the others
    in their window. Windows shrink at the ends.

    Example: quire smooth beam.h5 smoothed.h5 x,y --points 5 --suffix _smoothed
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.calculus import smooth as smoothed

    names, how = parse_names(columns) or [], method.value
    return Stage(
        lambda chain: smoothed(
            chain,
            *names,
            method=how,
            points=points,
            order=order,
            sigma=sigma,
            threshold=threshold,
            passes=passes,
            suffix=suffix,
        )
    )
