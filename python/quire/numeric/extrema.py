"""Peaks and zeros of tabulated values.

Source of the definitions: specs/sdds-toolkit.md, section 7.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_vector, require, require_same_length


@dataclass(frozen=True)
class PeakCriteria:
    """Which local maxima are peaks.

    threshold : the least value
    points : 3, 5 or 7 rows that rise up to the peak and fall after it
    exclusion_zone : fraction of the length of the table; of peaks nearer than this only the highest remains
    change : the least descent on both sides, before the values rise above the peak again, as a fraction of
        the magnitude of the peak
    curvature : the least magnitude of the second derivative at the peak
    """

    threshold: float | None = None
    points: int = 3
    exclusion_zone: float = 0.0
    change: float = 0.0
    curvature: float | None = None


def peaks(y: ArrayLike, x: ArrayLike | None = None, criteria: PeakCriteria | None = None) -> NDArray[np.intp]:
    """Independent. Return the rows that exceed both neighbours and satisfy the criteria, ascending.

    Rows at the ends and plateaus never count, nor does a row next to NaN. x is needed for the curvature;
    without it rows have the distance 1. Raises UsageError for criteria that make no sense.
    """
    y = as_vector(y, "y")
    criteria = criteria or PeakCriteria()
    require(criteria.points in (3, 5, 7), f"peaks are found by 3, 5 or 7 points, not {criteria.points}")
    require(0 <= criteria.exclusion_zone <= 1, "the exclusion zone is a fraction from 0 to 1")
    with np.errstate(invalid="ignore"):
        rises = np.diff(y) > 0
        falls = np.diff(y) < 0
        reach = criteria.points // 2
        count = len(y) - 2 * reach
        if count <= 0:
            return np.empty(0, np.intp)
        is_peak = np.ones(count, bool)
        for k in range(reach):
            is_peak &= rises[k : k + count] & falls[reach + k : reach + k + count]
        rows = np.flatnonzero(is_peak) + reach
        if criteria.threshold is not None:
            rows = rows[y[rows] >= criteria.threshold]
        if criteria.curvature is not None:
            places = np.arange(len(y), dtype=np.float64) if x is None else as_vector(x, "x")
            require_same_length(y=y, x=places)
            rows = rows[np.abs(_curvature(y, places, rows)) >= criteria.curvature]
        if criteria.change > 0:
            descents = np.array([_descent(y, int(row)) for row in rows])
            rows = rows[descents >= criteria.change * np.abs(y[rows])] if len(rows) else rows
    return _apart(rows, y, criteria.exclusion_zone * len(y))


def _curvature(y: Numbers, x: Numbers, rows: NDArray[np.intp]) -> Numbers:
    """Return the second derivative of the parabola through each row and its neighbours."""
    with np.errstate(all="ignore"):
        after = (y[rows + 1] - y[rows]) / (x[rows + 1] - x[rows])
        before = (y[rows] - y[rows - 1]) / (x[rows] - x[rows - 1])
        return np.asarray(2 * (after - before) / (x[rows + 1] - x[rows - 1]))


def _descent(y: Numbers, row: int) -> float:
    """Return how far values descend from a peak on the side of the smaller descent."""
    sides = []
    for side in (y[row + 1 :], y[:row][::-1]):
        higher = np.flatnonzero(side > y[row])
        sides.append(float(y[row] - np.nanmin(side[: higher[0]] if len(higher) else side)))
    return min(sides)


def _apart(rows: NDArray[np.intp], y: Numbers, zone: float) -> NDArray[np.intp]:
    """Return the rows that have no higher kept one nearer than the zone; of equal ones the first is kept."""
    if zone <= 1 or not len(rows):
        return rows
    is_kept = np.zeros(len(rows), bool)
    is_free = np.ones(len(rows), bool)
    for place in np.argsort(-y[rows], kind="stable"):
        if is_free[place]:
            is_kept[place] = True
            is_free &= np.abs(rows - rows[place]) >= zone
    return rows[is_kept]


@dataclass(frozen=True)
class Zeros:
    """Zeros of a tabulated function: places, and slopes there. `rows` are the last rows that are not after
    the places, `shares` how far these are on the way to the next row.
    """

    x: Numbers
    slopes: Numbers
    rows: NDArray[np.intp]
    shares: Numbers

    def of(self, values: ArrayLike) -> Numbers:
        """Independent. Return the values of another column at the places, by linear interpolation."""
        values = as_vector(values)
        after = np.minimum(self.rows + 1, len(values) - 1)
        with np.errstate(all="ignore"):
            step = self.shares * (values[after] - values[self.rows])
            return np.asarray(values[self.rows] + np.where(self.shares == 0, 0, step))


def zeros(y: ArrayLike, x: ArrayLike | None = None, offset: float = 0.0) -> Zeros:
    """Independent. Return where y + offset changes its sign, by linear interpolation, and where it is exactly
    0.

    Without x rows have the distance 1. Several zeros in a row count once, in their middle. The slope is that
    between the rows on both sides, NaN where these are at the same place. NaN has no sign: nothing is found
    next to it, except exact zeros.
    """
    y = as_vector(y, "y") + offset
    x = np.arange(len(y), dtype=np.float64) if x is None else as_vector(x, "x")
    require_same_length(y=y, x=x)
    with np.errstate(all="ignore"):
        sign = np.sign(y)
        rows = np.flatnonzero(sign[:-1] * sign[1:] < 0)
        slopes = (y[rows + 1] - y[rows]) / _width(x, rows, rows + 1)
        # As a weighted mean, because infinite values have no slope.
        share = 1 / (1 - y[rows + 1] / y[rows])
        places = x[rows] + share * (x[rows + 1] - x[rows])
        edges = np.diff(np.concatenate([[0], (y == 0).astype(np.int8), [0]]))
        first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
        low, high = np.maximum(first - 1, 0), np.minimum(last + 1, len(y) - 1)
        flat = (y[high] - y[low]) / _width(x, low, high)
        middle = first + (last - first) // 2
        half = ((last - first) % 2) / 2
        all_rows = np.concatenate([rows, middle])
        order = np.argsort(all_rows, kind="stable")
        return Zeros(
            np.concatenate([places, x[first] + (x[last] - x[first]) / 2])[order],
            np.concatenate([slopes, flat])[order],
            all_rows[order],
            np.concatenate([share, half])[order],
        )


def _width(x: Numbers, low: NDArray[np.intp], high: NDArray[np.intp]) -> Numbers:
    """Return the distances of rows, NaN for 0."""
    width = x[high] - x[low]
    return np.asarray(np.where(width == 0, np.nan, width))
