"""The shape of a field that is being written, the part of a rank, and its position in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quire.errors import TypeMismatchError, UsageError
from quire.io.boxes import Box, Slab, axes_of, slab_of
from quire.io.types import Array


@dataclass(frozen=True, eq=False, slots=True)
class Grid:
    """The shape of a field, this rank's part of it, and where it is in space; each part is optional.

    A part is one of `start`, `box` and `boxes`; by default it begins at the first element. Parts of different
    ranks must be disjoint. Elements that no rank writes are 0.

    >>> with quire.create("field.h5") as out, out.step(0) as step:
    ...     _ = step.put_field("phi", np.ones((4, 3)), grid=quire.Grid(origin=[0, 0], spacing=[0.1, 0.2]))
    """

    extents: Sequence[int] | None = None
    """Elements of the whole field along each axis, slowest first; by default those of this rank's values."""
    start: Sequence[int] | None = None
    """Position in the field of the first element of this rank's values."""
    box: Box | None = None
    """A slice, a pair (first, count) or an index for each axis, slowest first; slices may have steps."""
    boxes: Sequence[Box] | None = None
    """Disjoint boxes, with consecutive values in the order of the file."""
    components: int | None = None
    """Components of each element, which are the last axis of the values if there are several. Default: 1."""
    origin: Sequence[float] | None = None
    """Position of the first element along each axis, slowest first."""
    spacing: Sequence[float] | None = None
    """Distance of elements along each axis, slowest first."""
    coordinates: Sequence[Sequence[float] | Array | None] | None = None
    """Positions of all indices along each axis, slowest first; None for an axis without."""


Geometry = tuple[list[float], list[float], list[list[float]]]
"""Origin, spacing and coordinates."""


def checked_grid(grid: object, name: str) -> Grid:
    """Independent. Return the argument `grid`, by default an empty one. Raises type errors."""
    if grid is None:
        return Grid()
    if not isinstance(grid, Grid):
        raise TypeMismatchError(
            f"grid must be a quire.Grid, not a {type(grid).__name__}",
            object=name,
            advice="give quire.Grid(extents, start)",
        )
    return grid


def selection_of(name: str, grid: Grid, shape: Sequence[int], extents: Sequence[int]) -> list[Slab]:
    """Independent. Return the part of a field that values of this shape are."""
    if sum(way is not None for way in (grid.start, grid.box, grid.boxes)) > 1:
        raise UsageError("a box is given by start, box or boxes", object=name)
    if grid.boxes is not None:
        parts = [axes_of(part, extents, name) for part in grid.boxes]
        slabs = [slab_of(axes) for axes in parts]
        count = sum(math.prod(axis.count for axis in axes) for axes in parts)
        if list(shape) != [count] or any(axis.step < 0 for axes in parts for axis in axes):
            raise UsageError(
                f"the values have the shape {tuple(shape)}, the boxes {count} elements in increasing order",
                object=name,
            )
        return slabs
    if grid.box is not None:
        axes = axes_of(grid.box, extents, name)
        items = zip(axes, grid.box, strict=True)
        wanted = [axis.count for axis, item in items if not hasattr(item, "__index__")]
        if list(shape) not in (wanted, [axis.count for axis in axes]):
            raise UsageError(
                f"the values have the shape {tuple(shape)}, the box {tuple(wanted)}", object=name
            )
        if any(axis.step < 0 for axis in axes):
            raise UsageError("a box is written in increasing order", object=name, advice="reverse the values")
        return [slab_of(axes)]
    at = [0] * len(extents) if grid.start is None else [int(place) for place in grid.start]
    if not len(shape) == len(extents) == len(at):
        raise UsageError(
            f"the box has {len(shape)} axes, the field {len(extents)}, the start {len(at)}", object=name
        )
    if any(place < 0 for place in at):
        raise UsageError(f"a box cannot start at {tuple(at)}", object=name)
    ones = [1] * len(at)
    return [(at, ones, list(shape), ones)]


def geometry_of(grid: Grid, like: Any) -> Geometry:
    """Independent. Return the given origin, spacing and coordinates, else those of a field that was read."""
    first = getattr(like, "origin", None) if grid.origin is None else grid.origin
    steps = getattr(like, "spacing", None) if grid.spacing is None else grid.spacing
    axes = getattr(like, "coordinates", None) if grid.coordinates is None else grid.coordinates
    return (
        [float(number) for number in (() if first is None else first)],
        [float(number) for number in (() if steps is None else steps)],
        [
            [] if axis is None else [float(number) for number in axis]
            for axis in (() if axes is None else axes)
        ],
    )
