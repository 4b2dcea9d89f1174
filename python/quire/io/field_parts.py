"""The part of a field that a rank writes, from the arguments of the caller."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from quire.errors import UsageError
from quire.io.boxes import Box, Slab, axes_of, slab_of
from quire.io.types import Array


def selection_of(
    name: str,
    shape: Sequence[int],
    extents: Sequence[int],
    start: Sequence[int] | None,
    box: Box | None,
    boxes: Sequence[Box] | None,
) -> list[Slab]:
    """Independent. Return the part of a field to write, from the one argument that gives it."""
    if sum(way is not None for way in (start, box, boxes)) > 1:
        raise UsageError("a box is given by start, box or boxes", object=name)
    if boxes is not None:
        parts = [axes_of(part, extents, name) for part in boxes]
        slabs = [slab_of(axes) for axes in parts]
        count = sum(math.prod(axis.count for axis in axes) for axes in parts)
        if list(shape) != [count] or any(axis.step < 0 for axes in parts for axis in axes):
            raise UsageError(
                f"the values have the shape {tuple(shape)}, the boxes {count} elements in increasing order",
                object=name,
            )
        return slabs
    if box is not None:
        axes = axes_of(box, extents, name)
        wanted = [axis.count for axis, item in zip(axes, box, strict=True) if not hasattr(item, "__index__")]
        if list(shape) not in (wanted, [axis.count for axis in axes]):
            raise UsageError(
                f"the values have the shape {tuple(shape)}, the box {tuple(wanted)}", object=name
            )
        if any(axis.step < 0 for axis in axes):
            raise UsageError("a box is written in increasing order", object=name, advice="reverse the values")
        return [slab_of(axes)]
    at = [0] * len(extents) if start is None else [int(place) for place in start]
    if not len(shape) == len(extents) == len(at):
        raise UsageError(
            f"the box has {len(shape)} axes, the field {len(extents)}, the start {len(at)}", object=name
        )
    if any(place < 0 for place in at):
        raise UsageError(f"a box cannot start at {tuple(at)}", object=name)
    ones = [1] * len(at)
    return [(at, ones, list(shape), ones)]


def geometry_of(
    like: Any,
    origin: Sequence[float] | None,
    spacing: Sequence[float] | None,
    coordinates: Sequence[Sequence[float] | Array | None] | None,
) -> tuple[list[float], list[float], list[list[float]]]:
    """Independent. Return origin, spacing and coordinates: the given ones, else those of a field that was
    read.
    """
    first = getattr(like, "origin", None) if origin is None else origin
    steps = getattr(like, "spacing", None) if spacing is None else spacing
    axes = getattr(like, "coordinates", None) if coordinates is None else coordinates
    return (
        [float(number) for number in (() if first is None else first)],
        [float(number) for number in (() if steps is None else steps)],
        [
            [] if axis is None else [float(number) for number in axis]
            for axis in (() if axes is None else axes)
        ],
    )
