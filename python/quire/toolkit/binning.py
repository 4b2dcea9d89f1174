"""Histograms of one or two columns, counted block by block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import UsageError
from quire.io.bin_counts import BinCounts
from quire.io.binnable import Binnable
from quire.io.histograms import KEPT_BYTES, BinnedRows, ColumnBins, Convert, Cut, joined, numbers_in
from quire.numeric.histograms import Bins, Limits
from quire.toolkit.wanted_units import require_same_unit

if TYPE_CHECKING:
    from quire import Table
    from quire.io.matches import Matches

    Array = np.ndarray[Any, Any]

LARGEST_BINS = 1 << 24


@dataclass(frozen=True)
class Distribution:
    """Counts of one column (one axis) or of two (counts[i, j]: bin i of the first, j of the second)."""

    names: tuple[str, ...]
    axes: tuple[Bins, ...]
    counts: Array
    outside: int
    rows: int
    """The number of rows in the bins."""
    weight: Any = None
    """The column whose values are summed instead of counting rows."""


def suitable_bins(axes: int, rows: int) -> list[int]:
    """Independent. Return the numbers of bins of each axis in which this number of rows is no noise."""
    if axes == 1:
        return [round(min(max(2.5 * math.cbrt(rows), 24.0), 400.0))]
    return [round(min(max(math.sqrt(rows) / 1.3, 48.0), 360.0))] * axes


def parse_bins(text: str, axes: int) -> tuple[int, ...]:
    """Independent. Parse `200` or `200x100` as numbers of bins, one for each axis. Raises UsageError."""
    parts = text.lower().split("x")
    if all(part.isdigit() for part in parts) and len(parts) in (1, axes):
        bins = tuple(int(part) for part in parts) * (axes if len(parts) == 1 else 1)
        if all(bins) and int(np.prod(bins, dtype=object)) <= LARGEST_BINS:
            return bins
    raise UsageError(f"'{text}' is not a number of bins for {axes} axes; write for example 100 or 200x200")


def parse_range(text: str) -> Limits:
    """Independent. Parse `a:b` as a pair of finite numbers with a < b. Raises UsageError."""
    low, _, high = text.partition(":")
    try:
        pair = (float(low), float(high))
    except ValueError:
        pair = (0.0, 0.0)
    if math.isfinite(pair[1] - pair[0]) and pair[0] < pair[1]:
        return pair
    raise UsageError(f"'{text}' is not a range; write for example -1e-3:1e-3")


class BinnedTables:
    """Some columns of several tables, counted together, or the sums of a weight: one that is NaN or infinite
    counts as 0. What is read for limits is kept, to be counted, if it fits into the memory. Raises
    ConflictError for a column whose units differ.
    """

    def __init__(self, tables: Sequence[Table | Matches], names: Sequence[str], weight: str = "") -> None:
        self._names = names
        needed = [*names, *([weight] if weight else [])]
        for name in needed:
            require_same_unit([one[name] for one in tables])
        self._weight = tables[0][weight] if weight and tables else None
        kept = KEPT_BYTES // max(1, len(tables))
        cuts = [one._cut() if isinstance(one, Binnable) else Cut(one) for one in tables]
        self._rows = [
            BinnedRows(one, numbers_in(one.table, *needed), weight, convert=finite(weight), kept_bytes=kept)
            for one in cuts
        ]

    def limits(self) -> dict[str, Limits | None]:
        """Independent. Return the smallest and the largest finite value of each column; None without any."""
        found: dict[str, Limits | None] = dict.fromkeys(self._names)
        for rows in self._rows:
            for name, limits in rows.limits(self._names).items():
                found[name] = joined(found[name], limits)
        return found

    def distribution(self, bins: Sequence[int], limits: Sequence[Limits]) -> Distribution:
        """Independent. Count the rows; values outside and NaN are counted in `outside`."""
        axes = tuple(Bins.between(*pair, count) for pair, count in zip(limits, bins, strict=True))
        grid = [ColumnBins(name, axis) for name, axis in zip(self._names, axes, strict=True)]
        counts = BinCounts([one.bins for one in grid], self._weight is not None)
        for rows in self._rows:
            counts.merged(rows.counts([grid])[0])
        cells = counts.cells()
        counted = cells.rows.astype(np.int64)
        found: Array = counted if self._weight is None else cells.sums
        return Distribution(tuple(self._names), axes, found, cells.outside, int(counted.sum()), self._weight)


def finite(weight: str) -> Convert | None:
    """Independent. Return what makes floating-point numbers of columns; weights that are not finite are 0."""
    if not weight:
        return None

    def converted(name: str, values: Array) -> Array:
        numbers = np.asarray(values, np.float64)
        return np.where(np.isfinite(numbers), numbers, 0.0) if name == weight else numbers

    return converted


def shared_limits(tables: Sequence[BinnedTables], names: Sequence[str], bins: Sequence[int]) -> list[Limits]:
    """Independent. Return limits of the values of all tables, with a distance; (0, 1) without values. Raises
    UsageError if they exceed the range of float64.
    """
    found: dict[str, Limits | None] = dict.fromkeys(names)
    for one in tables:
        for name, limits in one.limits().items():
            found[name] = joined(found[name], limits)
    for name, pair in found.items():
        if pair is not None and not math.isfinite(pair[1] - pair[0]):
            raise UsageError(f"the values of '{name}' exceed the range of float64; give a range")
    return [
        widened(*(found[name] or (math.inf, -math.inf)), count)
        for name, count in zip(names, bins, strict=True)
    ]


def widened(low: float, high: float, bins: int = 1) -> Limits:
    """Independent. Return limits with a positive distance, also for no values or a single value, which is in
    the middle of a bin.

    >>> from quire.toolkit.binning import widened
    >>> widened(1.0, 1.0), widened(1.0, 1.0, 4)
    ((0.5, 1.5), (0.375, 1.375))
    """
    if low > high:
        return 0.0, 1.0
    spread = max(abs(low), abs(high), np.finfo(float).tiny)
    if high - low > spread * 1e-12:
        return float(low), float(high)
    half = 0.5 * spread if spread > 1e-300 else 0.5
    shift = 0.0 if bins % 2 else half / bins
    return float(low - half - shift), float(high + half - shift)


def complete_limits(
    tables: Sequence[BinnedTables],
    names: Sequence[str],
    given: Sequence[Limits | None],
    bins: Sequence[int],
) -> list[Limits]:
    """Independent. Return the given limits. Missing ones are those of the values of all tables."""
    found = shared_limits(tables, names, bins) if None in given else []
    return [found[place] if pair is None else pair for place, pair in enumerate(given)]
