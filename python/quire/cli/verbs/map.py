"""quire map: a column over two others, as a grid or as contour lines."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage
from quire.cli.verbs.hist import numbers, pair


class Method(StrEnum):
    """How values between rows are interpolated."""

    LINEAR = "linear"
    CUBIC = "cubic"
    NEAREST = "nearest"


X = Annotated[
    str, typer.Argument(metavar="X", help="Column along the map.", autocompletion=completion.columns)
]
Y = Annotated[str, typer.Argument(metavar="Y", help="Column up the map.", autocompletion=completion.columns)]
Z = Annotated[
    str, typer.Argument(metavar="Z", help="Column that is mapped.", autocompletion=completion.columns)
]
Points = Annotated[
    str, typer.Option("--points", metavar="N", help="Interpolate at so many points: 50, or 60x40.")
]
Limits = Annotated[
    list[str] | None,
    typer.Option("--range", metavar="A:B", help="Range of X, and then of Y; A: and :B are open."),
]
How = Annotated[Method, typer.Option("--method", metavar="HOW", help="linear, cubic or nearest.")]
Levels = Annotated[
    str, typer.Option("--levels", metavar="N", help="Contour lines: so many, or at these values: 0.5,1")
]


def map_(
    x: X,
    y: Y,
    z: Z,
    points: Points = "",
    limits: Limits = None,
    method: How = Method.LINEAR,
    levels: Levels = "",
) -> Stage:
    """Make a row of each point of a grid, or of each point of contour lines.

    Without --points the rows must form a grid, in any order. Grids are ordered by X, then Y. Lines have the
    columns level, line (their number), X and Y. --levels 5 are five levels, --levels 5, is the level 5.

    Example: quire map beam.h5 mean.h5 x y px --points 20x20 --method nearest --steps 0
    """
    from quire.cli.verbs.interp import numbers as values
    from quire.verbs.maps import map_ as mapped

    wanted: dict[str, Any] = {
        "points": numbers(points),
        "limits": [pair(text) for text in limits or []],
        "method": method.value,
    }
    if levels:
        wanted["levels"] = int(levels) if levels.isdecimal() else values(levels.rstrip(","))
    return Stage(lambda chain: mapped(chain, x, y, z, **wanted))
