"""quire peaks: the rows of the peaks of a column."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Name

Threshold = Annotated[float | None, typer.Option("--threshold", metavar="X", help="Least value of a peak.")]
Points = Annotated[
    int, typer.Option("--points", metavar="N", help="3, 5 or 7 rows that rise to the peak and fall after it.")
]
Zone = Annotated[
    float,
    typer.Option(
        "--exclusion-zone", metavar="X", help="Least distance, as a fraction of the number of rows."
    ),
]
Change = Annotated[
    float,
    typer.Option("--change", metavar="X", help="Least descent on both sides, as a fraction of the peak."),
]
Curvature = Annotated[
    float | None, typer.Option("--curvature", metavar="X", help="Least magnitude of the second derivative.")
]
Versus = Annotated[
    str,
    typer.Option(
        "--versus", metavar="NAME", autocompletion=completion.columns, help="Column for --curvature."
    ),
]


def peaks(
    column: Name,
    threshold: Threshold = None,
    points: Points = 3,
    exclusion_zone: Zone = 0.0,
    change: Change = 0.0,
    curvature: Curvature = None,
    versus: Versus = "",
) -> Stage:
    """Keep the rows in which a column exceeds the rows before and after.

    Rows at the ends and plateaus never count, nor do rows next to NaN.

    Example: quire peaks beam.h5 high.h5 x --threshold 5e-4
    """
    from quire.verbs.extrema import peaks as found

    return Stage(
        lambda chain: found(
            chain,
            column,
            versus=versus,
            threshold=threshold,
            points=points,
            exclusion_zone=exclusion_zone,
            change=change,
            curvature=curvature,
        )
    )
