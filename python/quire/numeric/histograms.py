"""Histograms of one column, of several on one abscissa, and of two columns.

A value v is in bin floor((v - lower) / size), specs/sdds-toolkit.md, section 9: bins are closed below and
open above. Only where no upper limit is given does the last bin contain the maximum of the values as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_doubles, as_vector, require, require_same_length

Norm = Literal["none", "sum", "area", "peak"]
Limits = tuple[float, float]
DEFAULT_BINS = 20
DEFAULT_BINS_2D = 21
MOST_BINS = 10**8
BLOCK = 1 << 16
"""Values that are binned at a time, so that they stay in the cache."""


def blocks(rows: int, least: int = 1) -> Iterator[slice]:
    """Independent. Yield slices of at least so many rows."""
    size = max(BLOCK, least)
    for start in range(0, rows, size):
        yield slice(start, start + size)


def finite_limits(*columns: Numbers) -> Limits | None:
    """Independent. Return the smallest and the greatest finite value of columns, None if there is none."""
    low, high = math.inf, -math.inf
    for values in columns:
        for rows in blocks(len(values)):
            block = values[rows]
            ends = (np.minimum.reduce(block), np.maximum.reduce(block))
            if not all(map(math.isfinite, ends)):
                finite = block[np.isfinite(block)]
                ends = (finite.min(), finite.max()) if len(finite) else (math.inf, -math.inf)
            low, high = min(low, float(ends[0])), max(high, float(ends[1]))
    return (low, high) if low <= high else None


@dataclass(frozen=True)
class Bins:
    """The bins of one axis, from `lower` in steps of `size`; without any, `lower` and `size` are NaN.

    >>> Bins.between(0.0, 1.0, 4).edges.tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """

    lower: float
    size: float
    count: int
    last: float | None = None
    """The upper limit, if the last bin contains it."""

    @classmethod
    def between(cls, low: float, high: float, count: int) -> Bins:
        """Independent. Return bins of which the last contains `high`, as in numpy.histogram."""
        return cls(low, (high - low) / count, count, high)

    @property
    def upper(self) -> float:
        """The end of the last bin."""
        return self.lower + self.size * self.count if self.last is None else self.last

    @property
    def edges(self) -> NDArray[np.float64]:
        """The count + 1 limits of the bins."""
        made = np.asarray(self.lower + self.size * np.arange(self.count + 1), dtype=np.float64)
        made[-1] = self.upper
        return made

    @property
    def centers(self) -> NDArray[np.float64]:
        """The middles of the bins."""
        return self.middles(np.arange(self.count))

    def middles(self, numbers: NDArray[np.integer]) -> NDArray[np.float64]:
        """Independent. Return the middles of bins by their numbers from 0 on."""
        return np.asarray(self.lower + self.size * (numbers + 0.5), dtype=np.float64)

    def place(self, values: Numbers) -> NDArray[np.intp]:
        """Independent. Return for each value the number of its bin, from 1 on; 0 for values below all and
        NaN, count + 1 for values above.
        """
        with np.errstate(all="ignore"):
            steps = values - self.lower
            steps /= self.size
            if not (steps.min(initial=0.0) >= 0 and steps.max(initial=0.0) < self.count):  # also for NaN
                np.floor(steps, out=steps)
                if self.last is not None:
                    steps[(steps == self.count) & (values <= self.last)] = self.count - 1
                np.fmax(steps, -1, out=steps)
                np.fmin(steps, self.count, out=steps)
            places = steps.astype(np.intp)
            places += 1
            return places


NO_BINS = Bins(math.nan, math.nan, 0)


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

    @property
    def is_open(self) -> bool:
        """Whether a limit is that of the values."""
        return self.lower is None or self.upper is None

    def bins(self, found: Limits | None, default: int = DEFAULT_BINS) -> Bins:
        """Independent. Return the bins for values with these limits; without values and limits none.

        Raises UsageError for limits that contain nothing.
        """
        require(self.count is None or self.count >= 1, f"a histogram has 1 bin or more, not {self.count}")
        require(
            self.size is None or (self.size > 0 and math.isfinite(self.size)),
            f"a bin size is positive, not {self.size}",
        )
        if found is None and (self.lower is None or self.upper is None):
            return NO_BINS
        ends = found or (0.0, 0.0)  # which are not used without values
        low = ends[0] if self.lower is None else self.lower
        high = ends[1] if self.upper is None else self.upper
        require(
            math.isfinite(low) and math.isfinite(high), f"limits are finite numbers, not {low} and {high}"
        )
        given = self.lower is not None and self.upper is not None
        require(
            low < high if given else low <= high,
            f"the upper limit {high:.6g} is not above the lower {low:.6g}",
        )
        if low == high:
            half = abs(low) / 2 or 0.5
            low, high = low - (half if self.lower is None else 0), high + (half if self.upper is None else 0)
        if self.size is not None:
            return self._sized(low, high, self.size)
        count = self.count or default
        made = Bins.between(low, high, count)
        return _checked(made if self.upper is None else replace(made, last=None))

    def _sized(self, low: float, high: float, size: float) -> Bins:
        """Return bins of a size that cover the range."""
        require(
            (high - low) / size <= MOST_BINS, f"a bin size of {size:.6g} makes more than {MOST_BINS} bins"
        )
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
    """Frequencies of bins, and how many values were in none: outside of the limits, or NaN.

    >>> with quire.open("beam.h5") as file:
    ...     found = file[0].table.histogram("x", bins=4).normalized("peak")
    ...     found.frequency.round(2).tolist(), found.bins.centers.round(5).tolist(), found.outside
    ([0.05, 0.76, 1.0, 0.1], [-0.00055, -0.00021, 0.00013, 0.00047], 0)
    """

    bins: Bins
    frequency: Numbers
    outside: int

    @property
    def cdf(self) -> Numbers:
        """The share of the values up to the upper limit of each bin; NaN without values."""
        sums = np.cumsum(self.frequency)
        with np.errstate(all="ignore"):
            return np.asarray(sums / sums[-1:])

    def normalized(self, norm: Norm) -> Histogram:
        """Independent. Return frequencies whose sum, area or maximum is 1; NaN if there are none."""
        return replace(self, frequency=_normalized(self.frequency, norm, self.bins.size))

    def with_sides(self) -> Histogram:
        """Independent. Return the histogram with an empty bin at each end."""
        bins = replace(self.bins, lower=self.bins.lower - self.bins.size, count=self.bins.count + 2)
        return replace(self, bins=bins, frequency=np.pad(self.frequency, 1))


def _normalized(frequency: Numbers, norm: Norm, cell: float) -> Numbers:
    """Return frequencies divided by their sum, by their integral over cells, or by their maximum."""
    norms = ("none", "sum", "area", "peak")
    require(norm in norms, f"histograms are normalized by {', '.join(norms)}, not by '{norm}'")
    if norm == "none" or not frequency.size:
        return frequency
    scales = {"sum": frequency.sum(), "area": frequency.sum() * cell, "peak": frequency.max()}
    with np.errstate(all="ignore"):
        return np.asarray(frequency / scales[norm])


@dataclass(frozen=True)
class Cells:
    """The sums of weights and the numbers of rows in the cells of all axes, those of the last one fastest."""

    sums: Numbers
    rows: Numbers
    outside: int


Axes = Sequence[tuple[Bins, Numbers]]
"""The bins of each axis, and the values."""


def with_sides(axes: Sequence[Bins]) -> list[int]:
    """Independent. Return the numbers of bins, with two more for what is outside of them."""
    return [bins.count + 2 for bins in axes]


def cells_of(axes: Sequence[Bins], rows: Numbers, sums: Numbers) -> Cells:
    """Independent. Return the cells of all bins, of numbers that include the sides."""
    shape = with_sides(axes)
    inner = tuple(slice(1, -1) for _ in axes)
    kept = rows.reshape(shape)[inner]
    return Cells(sums.reshape(shape)[inner], kept, int(rows.sum() - kept.sum()))


def counted(axes: Axes, weights: Numbers | None) -> Cells:
    """Independent. Return what is in each cell; without weights each row has the weight 1."""
    all_bins = [bins for bins, _ in axes]
    shape = with_sides(all_bins)
    count = math.prod(shape)
    numbers = np.zeros(count)
    sums = numbers if weights is None else np.zeros(count)
    for rows in blocks(len(axes[0][1]), count):
        places, *others = (bins.place(values[rows]) for bins, values in axes)
        for more, length in zip(others, shape[1:], strict=True):
            places *= length
            places += more
        numbers += np.bincount(places, minlength=count)
        if weights is not None:
            sums += np.bincount(places, weights[rows], count)
    return cells_of(all_bins, numbers, sums)


def histogram(
    values: ArrayLike, wanted: Wanted | Bins | None = None, weights: ArrayLike | None = None
) -> Histogram:
    """Independent. Return the histogram of a column in 20 bins, or in those that are wanted.

    values, weights : of shape (n,)

    A weight that is NaN makes its bin NaN. Raises UsageError for limits in the wrong order, ConflictError
    for different lengths.
    """
    values = as_vector(values)
    w = None if weights is None else as_doubles(weights, "weights")
    require_same_length(values=values, weights=w)
    bins = wanted if isinstance(wanted, Bins) else (wanted or Wanted()).bins(finite_limits(values))
    found = counted([(bins, values)], w)
    return Histogram(bins, found.sums, found.outside)


@dataclass(frozen=True)
class Histogram2D:
    """Frequencies of shape (bins of x, bins of y), and how many pairs were in no bin.

    >>> with quire.open("beam.h5") as file:
    ...     found = file[0].table.histogram_2d("x", "px", bins=2, limits=[(-5e-4, 5e-4), None])
    ...     found.frequency.tolist(), found.x.edges.tolist(), found.y.size > 0, found.outside
    ([[512.0, 495.0], [476.0, 494.0]], [-0.0005, 0.0, 0.0005], True, 23)
    """

    x: Bins
    y: Bins
    frequency: Numbers
    outside: int

    def normalized(self, norm: Norm) -> Histogram2D:
        """Independent. Return frequencies whose sum, volume or maximum is 1; NaN if there are none."""
        return replace(self, frequency=_normalized(self.frequency, norm, self.x.size * self.y.size))


def require_room(x: Bins, y: Bins) -> None:
    """Independent. Raises UsageError for the bins of two axes that have too many cells."""
    cells = x.count * y.count
    require(cells <= MOST_BINS, f"{cells} cells are more than {MOST_BINS}", "take larger bins")
