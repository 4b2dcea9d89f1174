"""Counts of rows in bins of one or two axes, by the kernels of the core."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire import _core
from quire.errors import UsageError
from quire.toolkit.binning import widened
from quire.viewer.surveys import Rows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Axis:
    """Equal bins between two limits; the last bin includes the upper one."""

    low: float
    high: float
    bins: int

    @property
    def size(self) -> float:
        """The width of a bin."""
        return (self.high - self.low) / self.bins


def axis_over(found: Sequence[tuple[float, float]], wanted: Any, bins: int) -> Axis:
    """Independent. Return the axis for these limits of values, or for wanted ones. Raises UsageError."""
    if wanted is None:
        low, high = widened(min(low for low, _ in found), max(high for _, high in found))
    else:
        low, high = wanted
    axis = Axis(low, high, bins)
    if not (math.isfinite(high - low) and low < low + axis.size):
        raise UsageError(f"a range from {low:.6g} to {high:.6g} cannot be divided into {bins} bins")
    return axis


def count(rows: Rows, axes: Sequence[Axis]) -> Array:
    """Independent. Return the number of rows in each bin, or the sum of their weights.

    The first axis is that of the first column. A column after those of the axes has the weights.
    """
    sides = [axis.bins + 2 for axis in axes]
    cells = math.prod(sides)
    is_weighted = len(rows.names) > len(axes)
    counts = np.zeros(cells, np.float64 if is_weighted else np.int64)
    room = np.empty(0, np.int32)
    for values in rows.parts():
        length = len(values[0])
        room = room if len(room) >= length else np.empty(length, np.int32)
        places = room[:length]
        for number, (axis, one) in enumerate(zip(axes, values, strict=False)):
            _core.place_in_bins(
                np.ascontiguousarray(one), axis.low, axis.size, axis.bins, axis.high, number > 0, places
            )
        if is_weighted:
            weights = np.nan_to_num(np.abs(values[-1]), nan=0.0, posinf=0.0)
            counts += np.bincount(places, weights, cells)
        else:
            _core.count_places(places, counts)
    # The first and the last bin of each axis are those of values outside.
    return counts.reshape(sides)[tuple(slice(1, -1) for _ in axes)]
