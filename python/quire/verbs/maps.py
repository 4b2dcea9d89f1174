"""Maps of a column over two others: rows of a grid, or of contour lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from quire.errors import UsageError
from quire.io.foreign import require
from quire.numeric import maps
from quire.numeric.maps import Grid, Line, Method
from quire.verbs.numbers import about, computed, doubles
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import NewColumn, StepLike, texts_of

S = TypeVar("S", bound=StepChain)

Limits = tuple[float | None, float | None]
LEVEL, LINE = "level", "line"


def map_(
    chain: S,
    x: str,
    y: str,
    z: str,
    *,
    points: Sequence[int] | None = None,
    limits: Sequence[Limits] = (),
    method: Method = "linear",
    levels: int | Sequence[float] | None = None,
) -> S:
    """Independent. Make a row of each point of a grid of the column z over x and y, or of each point of its
    contour lines.

    Parameters
    ----------
    points : number of values along x and along y, or one number for both, between which z is interpolated;
        without it the rows must form a grid, in any order
    limits : with `points`, the limits of x and of y; None, the default, is the least or greatest value
    method : with `points`, `linear` or `cubic` (NaN outside of the rows) or `nearest`
    levels : contour lines at these values, or at so many at even distances: the columns are `level`, `line`
        (the number of the line in the step), x and y

    Rows of a grid are ordered by x, then y. Raises UsageError if rows form no grid.

    >>> import quire
    >>> rows = quire.new("x=1,0,0,1", "y=0,0,2,2", "z=5,1,2,6").map("x", "y", "z").read()
    >>> rows["x"].tolist(), rows["z"].tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 5.0, 6.0])
    """
    if len({x, y, z}) < 3:
        raise UsageError("a map needs three different columns")
    counts = [*points, *points] if points is not None and len(points) == 1 else points
    if counts is not None and len(counts) != 2:
        raise UsageError(f"a grid has numbers of points along two axes, not {len(counts)}")
    if counts is None and (limits or method != "linear"):
        raise UsageError("limits and a method need a number of points")
    if len(limits) > 2:
        raise UsageError(f"there are {len(limits)} ranges for 2 axes")
    ranges: list[Limits] = [*limits, *[(None, None)] * (2 - len(limits))]
    if levels is not None:
        require("contourpy", "contour lines")

    def mapped(step: StepLike, table: Any) -> StepLike:
        found = doubles(table, [x, y, z])
        with about(step):
            if counts is None:
                grid = maps.exact_grid(found[x], found[y], found[z])
            else:
                pair = (counts[0], counts[1])
                grid = maps.interpolated_grid(found[x], found[y], found[z], pair, ranges, method)
            if levels is None:
                made = rows_of(grid, [table[name] for name in (x, y, z)])
            else:
                values = maps.even_levels(grid.values, levels) if isinstance(levels, int) else levels
                lines = maps.contour_lines(grid, values) if len(values) else []
                made = rows_of_lines(lines, [table[name] for name in (x, y, z)])
        return computed(step, table, made, len(made[0].read()))

    return chain.each(mapped)


def rows_of(grid: Grid, columns: Sequence[Any]) -> list[NewColumn]:
    """Independent. Return the columns of a grid, that of y fastest."""
    x, y, z = columns
    return [
        NewColumn(x.name, np.repeat(grid.x, len(grid.y)), texts_of(x)),
        NewColumn(y.name, np.tile(grid.y, len(grid.x)), texts_of(y)),
        NewColumn(z.name, grid.values.reshape(-1), texts_of(z)),
    ]


def rows_of_lines(lines: Sequence[Line], columns: Sequence[Any]) -> list[NewColumn]:
    """Independent. Return the columns of the points of contour lines."""
    x, y, z = columns
    lengths = [len(one.x) for one in lines]
    nothing = np.empty(0)
    return [
        NewColumn(LEVEL, np.repeat(np.array([one.level for one in lines], np.float64), lengths), z.unit),
        NewColumn(LINE, np.repeat(np.arange(len(lines), dtype=np.int64), lengths)),
        NewColumn(x.name, np.concatenate([nothing, *(one.x for one in lines)]), texts_of(x)),
        NewColumn(y.name, np.concatenate([nothing, *(one.y for one in lines)]), texts_of(y)),
    ]
