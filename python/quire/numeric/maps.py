"""Values over a plane: grids of scattered points, and contour lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from quire.errors import DataError
from quire.numeric.arrays import Doubles, as_doubles, require, require_data, require_same_length

Method = Literal["linear", "cubic", "nearest"]


@dataclass(frozen=True)
class Grid:
    """Values at the crossings of x and y, which ascend: `values[i, j]` at x[i], y[j]."""

    x: Doubles
    y: Doubles
    values: Doubles


def exact_grid(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Grid:
    """Independent. Return points that form a grid, in any order, as that grid.

    Raises DataError unless there is one point for each pair of a value of x and a value of y.
    """
    across, up, values = points(x, y, z)
    xs, column = np.unique(across, return_inverse=True)
    ys, row = np.unique(up, return_inverse=True)
    cells = np.bincount(column * max(len(ys), 1) + row, minlength=len(xs) * len(ys))
    require_data(
        bool((cells == 1).all()),
        f"{len(values)} points are no grid of {len(xs)} values of x and {len(ys)} of y",
        "interpolate them by a number of points, such as 50x50",
    )
    grid = np.empty((len(xs), len(ys)))
    grid[column, row] = values
    return Grid(xs, ys, grid)


def interpolated_grid(
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike,
    counts: tuple[int, int],
    limits: Sequence[tuple[float | None, float | None]] = ((None, None), (None, None)),
    method: Method = "linear",
) -> Grid:
    """Independent. Return a regular grid of so many values of x and y, interpolated between points.

    The limits are by default those of the points. `linear` and `cubic` work on the triangles of Delaunay, and
    are NaN outside of the points; points whose z is NaN are left out (scipy.interpolate.griddata). Raises
    DataError for points on a line.
    """
    from scipy.interpolate import griddata
    from scipy.spatial import QhullError

    across, up, values = points(x, y, z)
    require(min(counts) >= 2, f"a grid has 2 points or more along each axis, not {min(counts)}")
    known = np.isfinite(values)
    require_data(bool(known.any()), "there is no point with a value")
    places = []
    for one, (low, high), count in zip((across, up), limits, counts, strict=True):
        begin, end = one.min() if low is None else low, one.max() if high is None else high
        places.append(np.linspace(begin, end, count))
    crossings = tuple(np.meshgrid(*places, indexing="ij"))
    try:
        found = griddata((across[known], up[known]), values[known], crossings, method, rescale=True)
    except QhullError:
        raise DataError(
            f"{known.sum()} points have no area between them", advice="the method nearest needs none"
        ) from None
    return Grid(places[0], places[1], np.asarray(found, np.float64))


def points(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> tuple[Doubles, Doubles, Doubles]:
    """Independent. Return coordinates and values as float64. Raises DataError for NaN in coordinates."""
    across, up, values = as_doubles(x, "x"), as_doubles(y, "y"), as_doubles(z, "z")
    require_same_length(x=across, y=up, z=values)
    lost = np.count_nonzero(~(np.isfinite(across) & np.isfinite(up)))
    require_data(not lost, f"{lost} of {len(across)} points have coordinates that are NaN or infinite")
    return across, up, values


def even_levels(values: ArrayLike, count: int) -> list[float]:
    """Independent. Return so many levels at even distances between the limits of values, none without any."""
    require(count >= 1, f"there is 1 level or more, not {count}")
    array = np.asarray(values, np.float64)
    finite = array[np.isfinite(array)]
    if not len(finite):
        return []
    levels: list[float] = np.linspace(finite.min(), finite.max(), count + 2)[1:-1].tolist()
    return levels


@dataclass(frozen=True)
class Line:
    """A contour line; a closed one ends with its first point."""

    level: float
    x: Doubles
    y: Doubles


def contour_lines(grid: Grid, levels: Sequence[float]) -> list[Line]:
    """Independent. Return the lines of each level, straight between the edges of cells; none in cells with
    NaN. Raises DataError for a grid that is a line.
    """
    from contourpy import contour_generator

    require_data(min(grid.values.shape) >= 2, "contours need two values of x and of y, or more")
    generator = contour_generator(grid.x, grid.y, np.ma.masked_invalid(grid.values.T))
    found = ((level, np.asarray(line)) for level in levels for line in generator.lines(level))
    return [Line(level, line[:, 0], line[:, 1]) for level, line in found]
