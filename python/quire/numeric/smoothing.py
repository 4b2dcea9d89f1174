"""Smoothing of evenly spaced values: means, despiking, Savitzky-Golay, Gaussian and median filters.

Source of the definitions: specs/sdds-toolkit.md, sections 7.4 and 9. At the ends windows shrink to the rows
that exist. A NaN affects the rows whose window contains it, and no others.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from quire.numeric.arrays import Numbers, as_vector, require, require_data

BLOCK = 1 << 22
"""Values of windows that are in memory at a time."""


def moving_mean(values: ArrayLike, points: int = 3, passes: int = 1) -> Numbers:
    """Independent. Return the mean of `points` rows around each row, repeated `passes` times.

    As `rolling(points, center=True, min_periods=1).mean()` of pandas. Raises UsageError for even numbers of
    points.
    """
    values = as_vector(values)
    _require_odd(points)
    return _repeated(values, passes, lambda one: _weighted_mean(one, np.ones(points)))


def gaussian(values: ArrayLike, sigma: float, passes: int = 1, truncate: float = 4.0) -> Numbers:
    """Independent. Return means weighted by a Gaussian of standard deviation `sigma` rows, cut at `truncate`
    sigma.

    At the ends the weights of the rows that exist are scaled to the sum 1.
    """
    values = as_vector(values)
    require(sigma > 0 and math.isfinite(sigma), f"sigma is a positive number of rows, not {sigma}")
    reach = int(truncate * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return _repeated(values, passes, lambda one: _weighted_mean(one, weights))


def median(values: ArrayLike, points: int = 3, passes: int = 1) -> Numbers:
    """Independent. Return the median of `points` rows around each row; the upper one where a window at the
    end has an even number of rows. Raises UsageError for even numbers of points.
    """
    values = as_vector(values)
    _require_odd(points)
    return _repeated(values, passes, lambda one: _median(one, points))


def savitzky_golay(
    values: ArrayLike, left: int, right: int, order: int, derivative: int = 0, passes: int = 1
) -> Numbers:
    """Independent. Return the polynomial of this order that fits `left` rows before to `right` rows after
    each row, or its derivative with respect to the row.

    At the ends the polynomial of the first or last whole window is evaluated. A. Savitzky and M. J. E. Golay,
    Analytical Chemistry 36 (1964) 1627. Tables shorter than the window raise DataError, an order that the
    window cannot determine UsageError.
    """
    values = as_vector(values)
    points = left + right + 1
    require(left >= 0 and right >= 0, f"left and right are 0 or more rows, not {left} and {right}")
    require(
        0 <= order < points, f"a window of {points} rows determines orders 0 to {points - 1}, not {order}"
    )
    require(derivative >= 0, f"the derivative is 0 or more, not {derivative}")
    require_data(
        not len(values) or points <= len(values),
        f"the window has {points} rows, and the table {len(values)}",
        "take fewer rows left and right",
    )
    return _repeated(values, passes, lambda one: _local_polynomial(one, left, right, order, derivative))


def despike(
    values: ArrayLike,
    neighbors: int = 4,
    threshold: float = 0.0,
    average_of: int | None = None,
    passes: int = 1,
) -> Numbers:
    """Independent. Return values without spikes.

    A row is a spike if no row among it and its `neighbors` (half of them on each side) is farther from the
    mean of the others than this row, and if that distance exceeds `threshold`. It becomes the mean of its
    `average_of` nearest neighbours, by default of all of them. Rows without a whole window keep their values.
    """
    values = as_vector(values)
    require(neighbors >= 2 and neighbors % 2 == 0, f"neighbors is an even number of rows, not {neighbors}")
    require(
        average_of is None or (average_of % 2 == 0 and 2 <= average_of <= neighbors),
        f"the mean is of 2 to {neighbors} rows, an even number, not of {average_of}",
    )
    return _repeated(values, passes, lambda one: _despike(one, neighbors // 2, threshold, average_of))


def _repeated(values: Numbers, passes: int, filter_once: Callable[[Numbers], Numbers]) -> Numbers:
    """Return what so many passes of a filter leave of the values, a copy for none."""
    require(passes >= 0, f"the number of passes is 0 or more, not {passes}")
    result = values.copy()
    for _ in range(passes if len(values) else 0):
        with np.errstate(all="ignore"):
            result = filter_once(result)
    return result


def _require_odd(points: int) -> None:
    """Raise UsageError unless a window has a middle."""
    require(points >= 1 and points % 2 == 1, f"a window has an odd number of rows, not {points}")


def _weighted_mean(values: Numbers, weights: Numbers) -> Numbers:
    """Return the weighted means of windows that are cut at the ends."""
    reach, rows = len(weights) // 2, len(values)
    cut = max(reach - rows + 1, 0)  # weights that no window reaches
    weights = weights[cut : len(weights) - cut].astype(values.dtype)
    reach -= cut
    sums = np.convolve(values, weights)[reach : reach + rows]
    return np.asarray(sums / np.convolve(np.ones_like(values), weights)[reach : reach + rows])


def _median(values: Numbers, points: int) -> Numbers:
    """Return the upper medians of windows that are cut at the ends."""
    reach, rows = points // 2, len(values)
    result = np.empty_like(values)
    for row in [*range(min(reach, rows)), *range(max(rows - reach, reach), rows)]:
        window = values[max(row - reach, 0) : row + reach + 1]
        result[row] = np.nan if np.isnan(window).any() else np.sort(window)[len(window) // 2]
    if rows >= points:
        windows = sliding_window_view(values, points)
        step = max(BLOCK // points, 1)
        for start in range(0, len(windows), step):
            block = np.partition(windows[start : start + step], reach, axis=1)[:, reach]
            block[np.isnan(windows[start : start + step]).any(axis=1)] = np.nan
            result[reach + start : reach + start + len(block)] = block
    return result


def _local_polynomial(values: Numbers, left: int, right: int, order: int, derivative: int) -> Numbers:
    """Return the derivatives of the polynomials of all windows at their rows."""
    offsets = np.arange(-left, right + 1, dtype=np.float64)
    inverse = np.linalg.pinv(np.vander(offsets, order + 1, increasing=True))  # coefficients from values
    powers = np.arange(order + 1)
    factors = np.array([math.perm(power, derivative) for power in range(order + 1)], dtype=np.float64)

    def evaluate(coefficients: Numbers, at: Numbers) -> Numbers:
        reduced = np.maximum(powers - derivative, 0)
        return np.asarray((at[:, None] ** reduced) @ (factors * coefficients))

    middle = factors[derivative] * inverse[derivative] if derivative <= order else np.zeros(len(offsets))
    result = np.empty_like(values)
    result[left : len(values) - right] = np.correlate(values, middle, "valid")
    result[:left] = evaluate(inverse @ values[: len(offsets)], np.arange(-left, 0, dtype=np.float64))
    if right:
        at = np.arange(1, right + 1, dtype=np.float64)
        result[-right:] = evaluate(inverse @ values[-len(offsets) :], at)
    return result


def _despike(values: Numbers, reach: int, threshold: float, average_of: int | None) -> Numbers:
    """Return values whose spikes are replaced once, all by the values before."""
    result = values.copy()
    points = 2 * reach + 1
    if len(values) < points:
        return result
    near = average_of // 2 if average_of else reach
    windows = sliding_window_view(values, points)
    step = max(BLOCK // points, 1)
    for start in range(0, len(windows), step):
        block = windows[start : start + step]
        distances = np.abs(block - (block.sum(axis=1, keepdims=True) - block) / (points - 1))
        middle = distances[:, reach]
        is_spike = (middle >= distances.max(axis=1)) & (middle > threshold)
        around = np.concatenate(
            [block[:, reach - near : reach], block[:, reach + 1 : reach + near + 1]], axis=1
        )
        rows = np.flatnonzero(is_spike)
        result[reach + start + rows] = around[rows].mean(axis=1)
    return result
