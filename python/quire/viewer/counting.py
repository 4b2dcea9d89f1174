"""Counts of rows in bins of one or two axes, by the kernels of the core."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from quire.errors import UsageError
from quire.io.bin_counts import BinCounts
from quire.numeric.histograms import Bins
from quire.toolkit.binning import widened
from quire.viewer.surveys import Rows

Array = np.ndarray[Any, Any]


def axis_over(found: Sequence[tuple[float, float]], wanted: Any, bins: int) -> Bins:
    """Independent. Return the axis for these limits of values, or for wanted ones. Raises UsageError."""
    if wanted is None:
        low, high = widened(min(low for low, _ in found), max(high for _, high in found), bins)
    else:
        low, high = wanted
    axis = Bins.between(low, high, bins)
    if not (math.isfinite(high - low) and low < low + axis.size):
        raise UsageError(f"a range from {low:.6g} to {high:.6g} cannot be divided into {bins} bins")
    return axis


def count(rows: Rows, axes: Sequence[Bins]) -> Array:
    """Independent. Return the number of rows in each bin, or the sum of their weights.

    The first axis is that of the first column. A column after those of the axes has the weights.
    """
    is_weighted = len(rows.names) > len(axes)
    counts = BinCounts(axes, is_weighted)
    for values in rows.parts():
        weights = np.nan_to_num(np.abs(values[-1]), nan=0.0, posinf=0.0) if is_weighted else None
        counts.add(values[: len(axes)], weights)
    cells = counts.cells()
    return cells.sums if is_weighted else cells.rows.astype(np.int64)
