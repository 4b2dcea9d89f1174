"""Histograms of one or two columns, counted block by block."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import TypeMismatchError, UsageError
from quire.toolkit.selection import rows_per_block

if TYPE_CHECKING:
    from quire import Table
    from quire.io.matches import Matches

    Array = np.ndarray[Any, Any]

BLOCK_BYTES = 8 << 20
LARGEST_BINS = 1 << 24


@dataclass(frozen=True)
class Axis:
    """Equal bins between `low` and `high`; the last bin includes `high`, as in numpy.histogram."""

    low: float
    high: float
    bins: int

    @property
    def edges(self) -> Array:
        """The bins + 1 edges."""
        return np.linspace(self.low, self.high, self.bins + 1)

    def index(self, values: Array) -> Array:
        """Independent. Return the bin of each value, -1 for values outside and NaN."""
        edges = self.edges
        inside = (values >= self.low) & (values <= self.high)
        kept = values[inside]
        guess = ((kept - self.low) * (self.bins / (self.high - self.low))).astype(np.int64)
        guess = np.clip(guess, 0, self.bins - 1)
        # The product rounds: a value near an edge may be in the neighbouring bin.
        guess -= kept < edges[guess]
        guess += (kept >= edges[guess + 1]) & (guess < self.bins - 1)
        found = np.full(len(values), -1, dtype=np.int64)
        found[inside] = guess
        return found


@dataclass(frozen=True)
class Distribution:
    """Counts of one column (one axis) or of two (counts[i, j]: bin i of the first, j of the second)."""

    names: tuple[str, ...]
    axes: tuple[Axis, ...]
    counts: Array
    outside: int

    @property
    def total(self) -> int:
        """The number of rows that were read."""
        return int(self.counts.sum()) + self.outside


def parse_bins(text: str, axes: int) -> tuple[int, ...]:
    """Independent. Parse `200` or `200x100` as numbers of bins, one for each axis. Raises UsageError."""
    parts = text.lower().split("x")
    if all(part.isdigit() for part in parts) and len(parts) in (1, axes):
        bins = tuple(int(part) for part in parts) * (axes if len(parts) == 1 else 1)
        if all(bins) and int(np.prod(bins, dtype=object)) <= LARGEST_BINS:
            return bins
    raise UsageError(f"'{text}' is not a number of bins for {axes} axes; write for example 100 or 200x200")


def parse_range(text: str) -> tuple[float, float]:
    """Independent. Parse `a:b` as a pair of finite numbers with a < b. Raises UsageError."""
    low, _, high = text.partition(":")
    try:
        pair = (float(low), float(high))
    except ValueError:
        pair = (0.0, 0.0)
    if math.isfinite(pair[1] - pair[0]) and pair[0] < pair[1]:
        return pair
    raise UsageError(f"'{text}' is not a range; write for example -1e-3:1e-3")


def number_blocks(tables: Iterable[Table | Matches], names: Sequence[str]) -> Iterator[list[Array]]:
    """Independent. Yield the columns as float64, block by block. Raises TypeMismatchError for text."""
    for table in tables:
        for name in names:
            if table[name].type in ("string", "character"):
                raise TypeMismatchError(f"column '{name}' contains text, which cannot be binned")
        per_block = rows_per_block(table, names, BLOCK_BYTES)
        for _, block in table.blocks(names, rows_per_block=per_block):
            yield [np.asarray(block[name], dtype=np.float64) for name in names]


def find_limits(tables: Iterable[Table | Matches], names: Sequence[str]) -> list[tuple[float, float]]:
    """Independent. Return the smallest and largest finite value of each column; (0, 1) if there is none."""
    lows = np.full(len(names), np.inf)
    highs = np.full(len(names), -np.inf)
    for block in number_blocks(tables, names):
        for axis, values in enumerate(block):
            finite = values[np.isfinite(values)]
            if len(finite):
                lows[axis] = min(lows[axis], finite.min())
                highs[axis] = max(highs[axis], finite.max())
    for name, low, high in zip(names, lows, highs, strict=True):
        if low < high and not math.isfinite(float(high) - float(low)):
            raise UsageError(f"the values of '{name}' exceed the range of float64; give a range")
    return [widened(low, high) for low, high in zip(lows, highs, strict=True)]


def widened(low: float, high: float) -> tuple[float, float]:
    """Independent. Return limits with a positive distance, also for no values or a single value."""
    if low > high:
        return 0.0, 1.0
    spread = max(abs(low), abs(high), np.finfo(float).tiny)
    if high - low > spread * 1e-12:
        return float(low), float(high)
    half = 0.5 * spread if spread > 1e-300 else 0.5
    return float(low - half), float(high + half)


def complete_limits(
    tables: Iterable[Table | Matches], names: Sequence[str], given: Sequence[tuple[float, float] | None]
) -> list[tuple[float, float]]:
    """Independent. Return the given limits. Missing ones are computed from the values of all tables."""
    found = find_limits(tables, names) if None in given else []
    return [found[place] if pair is None else pair for place, pair in enumerate(given)]


def distribution(
    tables: Sequence[Table | Matches],
    names: Sequence[str],
    bins: Sequence[int],
    limits: Sequence[tuple[float, float] | None] | None = None,
) -> Distribution:
    """Independent with a serial file. Count the values of one or two columns of tables, in bounded memory.

    `bins` and `limits` have an entry for each name. The limits of an axis are by default the smallest and the
    largest value, which needs another pass over the file. Values outside and NaN are counted in `outside`.
    Raises MissingError for missing columns, TypeMismatchError for text.
    """
    pairs = complete_limits(tables, names, limits if limits is not None else [None] * len(names))
    axes = tuple(Axis(low, high, count) for (low, high), count in zip(pairs, bins, strict=True))
    shape = tuple(axis.bins for axis in axes)
    counts = np.zeros(int(np.prod(shape)), dtype=np.int64)
    outside = 0
    for block in number_blocks(tables, names):
        places = [axis.index(values) for axis, values in zip(axes, block, strict=True)]
        inside = np.logical_and.reduce([place >= 0 for place in places])
        flat = np.ravel_multi_index([place[inside] for place in places], shape)
        counts += np.bincount(flat, minlength=len(counts))
        outside += int(len(inside) - inside.sum())
    return Distribution(tuple(names), axes, counts.reshape(shape), outside)
