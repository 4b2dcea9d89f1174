"""Histograms of one column, of several on one abscissa, and of two columns.

Bins are closed below and open above: a value v is in bin floor((v - lower) / size), specs/sdds-toolkit.md,
sections 7.3 and 9. Where the upper limit is the maximum of the values, the last bin contains it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_vector, require, require_same_length

Norm = Literal["none", "sum", "area", "peak"]
WIDENING = 1e-7
"""Of the range: how far the upper limit is moved up so that the maximum is inside, if no limit is given."""
DEFAULT_BINS = 20
DEFAULT_BINS_2D = 21
MOST_BINS = 10**8


@dataclass(frozen=True)
class Bins:
    """The bins of one axis, from `lower` in steps of `size`."""

    lower: float
    size: float
    count: int

    @property
    def edges(self) -> NDArray[np.float64]:
        """The count + 1 limits of the bins."""
        return np.asarray(self.lower + self.size * np.arange(self.count + 1), dtype=np.float64)

    @property
    def centers(self) -> NDArray[np.float64]:
        """The middles of the bins."""
        return np.asarray(self.lower + self.size * (np.arange(self.count) + 0.5), dtype=np.float64)

    def place(self, values: Numbers) -> NDArray[np.intp]:
        """Independent. Return the bin of each value, -1 for values outside and for NaN."""
        with np.errstate(all="ignore"):
            places = np.floor((values - self.lower) / self.size)
            is_inside = (places >= 0) & (places < self.count)
        return np.where(is_inside, places, -1).astype(np.intp)


@dataclass(frozen=True)
class Wanted:
    """The bins that are asked for: limits, and a number or a size of bins.

    Without limits bins are from the minimum to the maximum. A size takes precedence over the number; without
    a lower limit the range is then centred on that of the values, with one bin more than it needs.
    """

    count: int | None = None
    lower: float | None = None
    upper: float | None = None
    size: float | None = None

    def bins(self, values: Numbers, default: int = DEFAULT_BINS) -> Bins:
        """Independent. Return the bins for these values. Raises UsageError for limits that contain
        nothing.
        """
        finite = values[np.isfinite(values)]
        low = self.lower if self.lower is not None else float(finite.min()) if len(finite) else 0.0
        high = self.upper if self.upper is not None else float(finite.max()) if len(finite) else low + 1.0
        require(low <= high, f"the upper limit {high:.6g} is below the lower limit {low:.6g}")
        require(self.count is None or self.count >= 1, f"a histogram has 1 bin or more, not {self.count}")
        if low == high:
            half = abs(low) / 2 or 0.5
            low, high = low - (half if self.lower is None else 0), high + half
        if self.size is not None:
            return self._sized(low, high, self.size)
        count = self.count or default
        if self.upper is None:
            high += WIDENING * (high - low)
        return _checked(Bins(low, (high - low) / count, count))

    def _sized(self, low: float, high: float, size: float) -> Bins:
        """Return bins of a size that cover the range."""
        require(size > 0 and math.isfinite(size), f"a bin size is positive, not {size}")
        count = math.ceil((high - low) / size * (1 - 1e-12))
        if self.upper is None:
            count += 1
        if self.lower is None:
            low = low + (high - low) / 2 - count * size / 2
        return _checked(Bins(low, size, count))


def _checked(bins: Bins) -> Bins:
    """Return bins whose number fits into memory."""
    require(bins.count <= MOST_BINS, f"{bins.count} bins are more than {MOST_BINS}", "take larger bins")
    require(
        math.isfinite(bins.size) and bins.size > 0 and bins.lower + bins.size > bins.lower,
        f"bins of {bins.size:.6g} from {bins.lower:.6g} on cannot be distinguished",
        "give limits that are farther apart, or fewer bins",
    )
    return bins


@dataclass(frozen=True)
class Histogram:
    """Frequencies of bins, and how many values were in none: outside of the limits, or NaN."""

    bins: Bins
    frequency: Numbers
    outside: int

    @property
    def cdf(self) -> Numbers:
        """The share of the values up to the upper limit of each bin; NaN without values."""
        sums = np.cumsum(self.frequency)
        with np.errstate(all="ignore"):
            return np.asarray(sums / sums[-1])

    def normalized(self, norm: Norm) -> Histogram:
        """Independent. Return frequencies whose sum, area or maximum is 1; NaN if there are none."""
        size = self.bins.size
        with np.errstate(all="ignore"):
            return replace(self, frequency=_normalized(self.frequency, norm, size))

    def with_sides(self) -> Histogram:
        """Independent. Return the histogram with an empty bin at each end."""
        bins = Bins(self.bins.lower - self.bins.size, self.bins.size, self.bins.count + 2)
        return replace(self, bins=bins, frequency=np.pad(self.frequency, 1))


def _normalized(frequency: Numbers, norm: Norm, cell: float) -> Numbers:
    """Return frequencies divided by their sum, by their integral over cells, or by their maximum."""
    scales = {"none": 1.0, "sum": frequency.sum(), "area": frequency.sum() * cell, "peak": frequency.max()}
    require(norm in scales, f"histograms are normalized by {', '.join(scales)}, not by '{norm}'")
    return frequency if norm == "none" else np.asarray(frequency / scales[norm])


def _counts(places: NDArray[np.intp], weights: Numbers | None, count: int) -> tuple[Numbers, int]:
    """Return the sums of weights in each bin, 1 each without them, and the number of values in none."""
    is_inside = places >= 0
    kept = None if weights is None else weights[is_inside]
    frequency = np.bincount(places[is_inside], kept, count).astype(np.float64)
    return frequency, int(len(places) - is_inside.sum())


def histogram(
    values: ArrayLike, wanted: Wanted | Bins | None = None, weights: ArrayLike | None = None
) -> Histogram:
    """Independent. Return the histogram of a column in 20 bins, or in those that are wanted.

    values, weights : of shape (n,). Raises UsageError for limits in the wrong order, ConflictError for
        different
    lengths.
    """
    values = as_vector(values)
    w = None if weights is None else as_vector(weights, "weights")
    require_same_length(values=values, weights=w)
    bins = wanted if isinstance(wanted, Bins) else (wanted or Wanted()).bins(values)
    return Histogram(bins, *_counts(bins.place(values), w, bins.count))


def histograms(
    columns: Mapping[str, ArrayLike], wanted: Wanted | None = None, weights: ArrayLike | None = None
) -> dict[str, Histogram]:
    """Independent. Return histograms of several columns in the same bins, by default over the range of
    all.
    """
    arrays = {name: as_vector(values, name) for name, values in columns.items()}
    everything = np.concatenate([*arrays.values()]) if arrays else np.empty(0)
    bins = (wanted or Wanted()).bins(everything)
    return {name: histogram(values, bins, weights) for name, values in arrays.items()}


@dataclass(frozen=True)
class Histogram2D:
    """Frequencies of shape (bins of x, bins of y), and how many pairs were in no bin."""

    x: Bins
    y: Bins
    frequency: Numbers
    outside: int

    def normalized(self, norm: Norm) -> Histogram2D:
        """Independent. Return frequencies whose sum, volume or maximum is 1; NaN if there are none."""
        with np.errstate(all="ignore"):
            return replace(self, frequency=_normalized(self.frequency, norm, self.x.size * self.y.size))


def histogram_2d(
    x: ArrayLike,
    y: ArrayLike,
    wanted_x: Wanted | Bins | None = None,
    wanted_y: Wanted | Bins | None = None,
    weights: ArrayLike | None = None,
    average: bool = False,
) -> Histogram2D:
    """Independent. Return the histogram of pairs, 21 bins an axis unless others are wanted.

    With `average` cells have the mean of the weights of their pairs, NaN where there are none.
    """
    x, y = as_vector(x, "x"), as_vector(y, "y")
    w = None if weights is None else as_vector(weights, "weights")
    require_same_length(x=x, y=y, weights=w)
    require(not average or w is not None, "an average needs weights")
    bins_x = wanted_x if isinstance(wanted_x, Bins) else (wanted_x or Wanted()).bins(x, DEFAULT_BINS_2D)
    bins_y = wanted_y if isinstance(wanted_y, Bins) else (wanted_y or Wanted()).bins(y, DEFAULT_BINS_2D)
    cells = bins_x.count * bins_y.count
    require(cells <= MOST_BINS, f"{cells} cells are more than {MOST_BINS}", "take larger bins")
    in_x, in_y = bins_x.place(x), bins_y.place(y)
    places = np.where((in_x >= 0) & (in_y >= 0), in_x * bins_y.count + in_y, -1)
    frequency, outside = _counts(places, w, cells)
    if average:
        with np.errstate(all="ignore"):
            frequency = np.asarray(frequency / _counts(places, None, cells)[0])
    return Histogram2D(bins_x, bins_y, frequency.reshape(bins_x.count, bins_y.count), outside)
