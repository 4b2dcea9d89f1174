"""Reductions to properties of one pulse: levels, crossing times, widths, and the fullest bin.

Source of the definitions: specs/sdds-toolkit.md, section 5.3. Each function reduces one-dimensional values of
one row or more without NaN. What a pulse does not have, such as a crossing on both sides, is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from quire.errors import UsageError
from quire.numeric.arrays import Numbers
from quire.numeric.calculus import gill_miller
from quire.numeric.extrema import zeros
from quire.numeric.moments import Sample

LEVEL_BINS = 50
MODE_BINS = 100
MOST_MODE_BINS = 10**7


def mode(sample: Sample) -> float:
    """Independent. Return the centre of the fullest bin of a histogram, of equally full ones the lowest.

    Bins have the wanted size, or 1/100 of the range, and begin one size below the minimum. Equal values are
    their own mode. Raises UsageError for a size that makes more than 10^7 bins.
    """
    low, high = float(sample.y.min()), float(sample.y.max())
    if low == high:
        return low
    size = sample.bin_size or (high - low) / MODE_BINS
    if not math.isfinite(size) or not math.isfinite(high - low):
        return math.nan
    bins = math.ceil((high - low) / size) + 2
    if bins > MOST_MODE_BINS:
        raise UsageError(f"a bin size of {size:.6g} makes {bins} bins", advice="take larger bins")
    low -= size
    counts = np.bincount(np.floor((sample.y - low) / size).astype(np.intp), minlength=bins)
    return low + (int(counts.argmax()) + 0.5) * size


def _modal_level(y: Numbers, low: float, high: float, otherwise: float) -> float:
    """Return the centre of the fullest of 50 bins, if it has more than two Poisson deviations above the
    mean.
    """
    inside = y[(y >= low) & (y <= high)]
    if not high > low or not len(inside):
        return otherwise
    size = (high - low) / LEVEL_BINS
    bins = np.minimum(((inside - low) / size).astype(np.intp), LEVEL_BINS - 1)
    counts = np.bincount(bins, minlength=LEVEL_BINS)
    fullest = int(counts.argmax())
    is_distinct = counts[fullest] - len(inside) / LEVEL_BINS > 2 * math.sqrt(counts[fullest])
    return low + (fullest + 0.5) * size if is_distinct else otherwise


def levels(y: Numbers) -> tuple[float, float]:
    """Independent. Return base and top level: the modal values of the lower and the upper half of the range,
    and minimum or maximum where no bin of 50 has clearly more values than the others.
    """
    low, high = float(y.min()), float(y.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        return math.nan, math.nan
    middle = low + (high - low) / 2
    return _modal_level(y, low, middle, low), _modal_level(y, middle, high, high)


def base_level(sample: Sample) -> float:
    """Independent. Return the modal level of the lower half of the range."""
    return levels(sample.y)[0]


def top_level(sample: Sample) -> float:
    """Independent. Return the modal level of the upper half of the range."""
    return levels(sample.y)[1]


def amplitude(sample: Sample) -> float:
    """Independent. Return top level - base level."""
    base, top = levels(sample.y)
    return top - base


def _crossing(x: Numbers, y: Numbers, row: int, level: float) -> float:
    """Return where the line between a row and the next one has this level."""
    share = (level - y[row]) / (y[row + 1] - y[row])
    return float(x[row] + share * (x[row + 1] - x[row]))


def _passage(x: Numbers, y: Numbers, low: float, high: float) -> float:
    """Return the distance from the last upward crossing of `low` to the first one of `high` after it."""
    reached = np.flatnonzero((y[:-1] < high) & (y[1:] >= high))
    for row in reached[:1]:
        started = np.flatnonzero((y[: row + 1] < low) & (y[1 : row + 2] >= low))
        if len(started):
            return _crossing(x, y, int(row), high) - _crossing(x, y, int(started[-1]), low)
    return math.nan


def rise_time(sample: Sample) -> float:
    """Independent. Return the distance of the 10 % and 90 % crossings of the first rise from base to top."""
    base, top = levels(sample.y)
    return _passage(sample.x, sample.y, base + 0.1 * (top - base), base + 0.9 * (top - base))


def fall_time(sample: Sample) -> float:
    """Independent. Return the distance of the 90 % and 10 % crossings of the last fall from top to base."""
    base, top = levels(sample.y)
    return -_passage(sample.x[::-1], sample.y[::-1], base + 0.1 * (top - base), base + 0.9 * (top - base))


def _sides(sample: Sample, level: float) -> tuple[float, float]:
    """Return the nearest crossings of a level before and after the maximum, NaN where there is none, as of
    shares of a negative maximum, which are above it.
    """
    x, y = sample.x, sample.y
    peak = int(y.argmax())
    if y[peak] < level:
        return math.nan, math.nan
    before = np.flatnonzero(y[:peak] < level)
    after = np.flatnonzero(y[peak + 1 :] < level)
    left = _crossing(x, y, int(before[-1]), level) if len(before) else math.nan
    right = _crossing(x, y, peak + int(after[0]), level) if len(after) else math.nan
    return left, right


def width(fraction: float, from_base: bool) -> Callable[[Sample], float]:
    """Independent. Return a reduction to the full width at a fraction of the maximum, or of the amplitude
    above the base level.
    """

    def compute(sample: Sample) -> float:
        base, top = levels(sample.y)
        level = base + fraction * (top - base) if from_base else fraction * float(sample.y.max())
        left, right = _sides(sample, level)
        return abs(right - left)

    return compute


def center(sample: Sample) -> float:
    """Independent. Return the mean of the crossings of half the amplitude above the base level."""
    base, top = levels(sample.y)
    left, right = _sides(sample, base + (top - base) / 2)
    return (left + right) / 2


def zero_crossing(sample: Sample) -> float:
    """Independent. Return the first zero, by linear interpolation; NaN if there is none."""
    found = zeros(sample.y, sample.x)
    return float(found.x[0]) if len(found.x) else math.nan


def gill_miller_integral(sample: Sample) -> float:
    """Independent. Return the integral of Gill and Miller; NaN unless x is strictly monotonic."""
    steps = np.diff(sample.x)
    if not (np.all(steps > 0) or np.all(steps < 0)):
        return math.nan
    return gill_miller(sample.y, sample.x).final
