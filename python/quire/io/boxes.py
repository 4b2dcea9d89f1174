"""Selections of n-dimensional arrays in files and memory, and distributions of boxes over ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire import _core
from quire.errors import Placing, UsageError
from quire.io.arguments import number_of
from quire.io.communicator import core_comm
from quire.io.refusal import tried
from quire.io.rows import Rows, Selection, position, select
from quire.io.types import Array

Box = Sequence[Rows | int]
"""One slice, range, pair (first, count) or index for each axis, slowest first."""

Slab = tuple[list[int], list[int], list[int], list[int]]
"""Start, stride, count and block along each axis, for the core."""

Memory = tuple[list[int], list[Slab]]
"""The extents of an array in memory, and the selection in it."""

PACKED: Final[Memory] = ([], [])
"""Memory that contains only the elements."""


def axes_of(box: Box, extents: Sequence[int], name: str) -> list[Selection]:
    """Independent. Return the positions along each axis of an array. Errors name the object."""
    if len(box) != len(extents):
        raise UsageError(f"the box has {len(box)} axes, the field {len(extents)}", object=name)
    axes = []
    for item, extent in zip(box, extents, strict=True):
        if isinstance(item, slice | tuple | range):
            axes.append(select(item, extent))
        else:
            axes.append(Selection(position(item, extent, "element"), 1, 1))
    return axes


def slab_of(axes: Sequence[Selection]) -> Slab:
    """Independent. Return the positions in increasing order, for the core."""
    return (
        [axis.first for axis in axes],
        [abs(axis.step) for axis in axes],
        [axis.count for axis in axes],
        [1] * len(axes),
    )


def flat_memory(array: Array) -> tuple[Array, Memory] | None:
    """Independent. Return a one-dimensional view of memory and the selection of the array in it, in C order.

    It allows to write and read an array that is part of a larger one (such as one without its ghost cells)
    without a copy. Returns None if there is no such view.
    """
    if array.flags.c_contiguous or array.size == 0 or array.ndim == 0:
        return array.reshape(-1), PACKED
    shape, strides = [], []
    for length, stride in zip(array.shape, array.strides, strict=True):
        if length > 1:
            shape.append(length)
            strides.append(stride)
    if any(stride <= 0 for stride in strides):
        return None
    extents = [shape[0]] if shape else [1]
    for outer, inner, length in zip(strides[:-1], strides[1:], shape[1:], strict=True):
        if outer % inner or outer // inner < length:
            return None
        extents.append(outer // inner)
    step = strides[-1] if strides else array.itemsize
    if len(extents) == 1:
        return np.lib.stride_tricks.as_strided(array, (array.size,), (step,)), PACKED
    line = np.lib.stride_tricks.as_strided(
        array, (int(np.prod(extents)),), (step,), writeable=array.flags.writeable
    )
    ones = [1] * len(extents)
    return line, (extents, [([0] * len(extents), ones, shape or [1], ones)])


@dataclass(frozen=True, slots=True)
class GridPart:
    """A rank's part of a field that consists of equal blocks.

    >>> part = quire.grid_part(1, grid=[2, 1], block=[4, 3])
    >>> part.extents, part.box
    ((8, 3), (slice(4, 8, None), slice(0, 3, None)))
    """

    extents: tuple[int, ...]
    """Extents of the whole field, slowest axis first."""
    box: tuple[slice, ...]
    """This rank's elements in the field."""
    shape: tuple[int, ...]
    """Extents of the block in memory, with its halo."""
    inner: tuple[slice, ...]
    """This rank's elements in that block."""


def _slices(start: Sequence[int], count: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(first, first + many) for first, many in zip(start, count, strict=True))


def _core_box(box: Sequence[slice] | slice) -> tuple[list[int], list[int]]:
    box = (box,) if isinstance(box, slice) else box
    if not isinstance(box, Sequence):
        raise UsageError("a box has a slice with a start and a stop for each axis")
    for axis in box:
        if (
            not isinstance(axis, slice)
            or axis.start is None
            or axis.stop is None
            or axis.step not in (None, 1)
        ):
            raise UsageError("a box has a slice with a start and a stop for each axis")
    bounds = [(number_of("element", axis.start), number_of("element", axis.stop)) for axis in box]
    if any(start < 0 for start, _ in bounds):
        raise UsageError("a box cannot start before the first element")
    return [start for start, _ in bounds], [max(stop - start, 0) for start, stop in bounds]


def disjoint_boxes(boxes: Sequence[Sequence[slice]]) -> list[tuple[slice, ...]]:
    """Independent. Cut boxes with ghost zones, one for each rank, so that they are disjoint.

    Ranks write the cut boxes and read the full ones. The cuts are those of the reference library, so that
    files are the same also where ranks differ in their ghost zones.

    >>> quire.disjoint_boxes([[slice(0, 5)], [slice(4, 8)]])
    [(slice(0, 5, None),), (slice(5, 8, None),)]
    """
    with Placing(""):
        return [_slices(*box) for box in _core.disjoint_boxes([_core_box(box) for box in boxes])]


def disjoint_box(box: Sequence[slice] | slice, comm: Any = None) -> tuple[slice, ...]:
    """Collective. Return this rank's box of `disjoint_boxes`.

    Raises a usage error on all ranks if their boxes differ in the number of axes.

    >>> quire.disjoint_box([slice(0, 8), slice(0, 4)])  # of a single rank: the box itself
    (slice(0, 8, None), slice(0, 4, None))
    """
    mine, refusal = tried(lambda: _core_box(box))
    return _slices(*_core.disjoint_box(core_comm(comm), *(mine or ([], [])), refusal))


def require_disjoint(box: Sequence[slice] | slice, comm: Any = None) -> None:
    """Collective. Raises a conflict error on all ranks, naming two of them, if boxes share an element.

    Raises a usage error on all ranks if their boxes differ in the number of axes.

    >>> quire.require_disjoint([slice(0, 8), slice(0, 4)])  # of a single rank: no error
    """
    mine, refusal = tried(lambda: _core_box(box))
    _core.require_disjoint(core_comm(comm), *(mine or ([], [])), refusal)


def grid_part(
    rank: int,
    grid: Sequence[int],
    block: Sequence[int],
    halo: Sequence[int] | None = None,
    compatible: bool = False,
) -> GridPart:
    """Independent. Return the part of a rank in a grid of ranks with equal blocks, slowest axis first.

    Ranks are numbered along the fastest axis first. `halo` is the number of additional elements of the block
    in memory on both sides of each axis. `compatible` exchanges the coordinates of the first and the last
    axis, as the reference library does.

    >>> quire.grid_part(3, grid=[2, 2], block=[4, 4], halo=[1, 1]).box
    (slice(4, 8, None), slice(4, 8, None))
    """
    with Placing(""):
        extents, start, count, shape, inner = _core.grid_part(
            rank, list(grid), list(block), list(halo or []), compatible
        )
    return GridPart(tuple(extents), _slices(start, count), tuple(shape), _slices(inner, count))
