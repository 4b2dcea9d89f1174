"""Count the rows of bins by the core: float64 in one pass, faster than by NumPy."""

from __future__ import annotations

import math

import numpy as np

from quire import _core
from quire.numeric.arrays import Numbers
from quire.numeric.histograms import Axes, Cells, blocks, cells_of, counted, with_sides


def counted_by_core(axes: Axes, weights: Numbers | None) -> Cells:
    """Independent. Return what `counted` does."""
    if any(values.dtype != np.float64 for _, values in axes):
        return counted(axes, weights)
    cells = math.prod(with_sides(axes))
    rows = np.zeros(cells, np.int64)
    sums = rows if weights is None else np.zeros(cells)
    arrays = [np.ascontiguousarray(values) for _, values in axes]
    room = np.empty(0, np.int32)
    for some in blocks(len(arrays[0]), cells if weights is not None else 1):
        length = len(arrays[0][some])
        room = room if len(room) >= length else np.empty(length, np.int32)
        places = room[:length]
        for number, ((bins, _), values) in enumerate(zip(axes, arrays, strict=True)):
            last = -math.inf if bins.last is None else bins.last
            _core.place_in_bins(values[some], bins.lower, bins.size, bins.count, last, number > 0, places)
        _core.count_places(places, rows)
        if weights is not None:
            sums += np.bincount(places, weights[some], cells)
    made = rows.astype(np.float64)
    return cells_of(axes, made, made if weights is None else sums)
