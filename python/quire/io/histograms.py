"""Histograms of the rows of a table that satisfy a condition, in bounded memory.

The rows are read once where the limits of the bins are given or an index has them, or where what is read of
them fits into `KEPT_BYTES`; otherwise once for the limits, and once to be counted. Ranks share the rows. The
result depends neither on their number nor on an index: weights are summed over fixed blocks in a fixed tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from quire._core import even_slice
from quire.beam.blocks import BLOCK_ROWS, block_count, filled, fixed_blocks, read_blocks
from quire.beam.moments import Ranks, add_all
from quire.errors import TypeMismatchError
from quire.io.bin_counts import BinCounts
from quire.io.row_source import Sharing
from quire.io.types import Array, dtype_of
from quire.numeric.histograms import (
    DEFAULT_BINS,
    DEFAULT_BINS_2D,
    Bins,
    Histogram,
    Histogram2D,
    Limits,
    Wanted,
    finite_limits,
    require_room,
)

if TYPE_CHECKING:
    from quire.io.matches import Matches
    from quire.io.table import Table

KEPT_BYTES: Final = 64 << 20
"""What is kept of the rows that were read for limits, to be counted."""

LEAF_BLOCKS: Final = 16
"""Blocks of rows whose weights are summed one after another, at least."""

Block = tuple[int, dict[str, Array]]
"""The number of a fixed block of rows, and its columns."""

Convert = Callable[[str, Array], Array]
"""Makes floating-point numbers of the values of a column."""


@dataclass(frozen=True)
class Cut:
    """The rows of a slice of a table, all of them or those that satisfy a condition."""

    table: Table
    matches: Matches | None = None
    rows: slice = field(default_factory=lambda: slice(None))

    @property
    def is_whole(self) -> bool:
        """Whether it has all rows of the table."""
        return self.matches is None and self.rows == slice(None)


class ColumnBins(NamedTuple):
    """A column, and its bins."""

    name: str
    bins: Bins


class BinnedRows:
    """Some columns of rows of a table, which are counted in bins. Ranks, which make it together, share the
    rows.
    """

    def __init__(
        self,
        cut: Cut,
        names: Iterable[str],
        weight: str = "",
        ranks: Ranks | None = None,
        convert: Convert | None = None,
        kept_bytes: int | None = None,
    ) -> None:
        self._cut = cut
        self._weight = weight
        self._names = list(dict.fromkeys([*names, *([weight] if weight else ())]))
        # Without rows there is nothing to share: definitions of a file may be changed by one rank.
        self._ranks = ranks if ranks is not None and len(cut.table) else Ranks()
        self._convert = convert or as_double
        self._most = KEPT_BYTES if kept_bytes is None else kept_bytes
        self._kept: tuple[tuple[int, int], list[Block]] | None = None
        if cut.matches is not None and self._ranks.size > 1:
            cut.matches.bound.compute_aggregates(
                Sharing(self._ranks.rank, self._ranks.size, self._ranks.gather)
            )

    def limits(self, names: Sequence[str]) -> dict[str, Limits | None]:
        """Collective. Return the smallest and the greatest finite value of columns; None without any."""
        found: dict[str, Limits | None] = dict.fromkeys(names)
        for part in self._ranks.gather(lambda: self._own_limits(names)) if names else ():
            for name, limits in part.items():
                found[name] = joined(found[name], limits)
        return found

    def _own_limits(self, names: Sequence[str]) -> dict[str, Limits | None]:
        """Return the limits of the rows of this rank, or of all rows if an index has them."""
        if self._cut.is_whole:
            known = {name: indexed_limits(self._cut.table, name) for name in names}
            if None not in known.values():
                return known
        found: dict[str, Limits | None] = dict.fromkeys(names)
        leaves, size = self._share(self._even_leaf())
        for _, block in self._blocks(leaves[0] * size, leaves[1] * size, keep=True):
            for name in names:
                found[name] = joined(found[name], finite_limits(block[name]))
        return found

    def counts(self, grids: Sequence[Sequence[ColumnBins]]) -> list[BinCounts]:
        """Collective. Return the rows in the bins of each grid of axes, with sums of the weights."""
        weight = self._weight
        empty = [BinCounts([axis.bins for axis in axes], bool(weight)) for axes in grids]
        leaf = self._even_leaf()
        if weight:
            cells = max(int(np.prod([axis.bins.count + 2 for axis in axes])) for axes in grids)
            leaf = max(LEAF_BLOCKS, -(-cells // BLOCK_ROWS))

        def leaves() -> Iterator[tuple[int, list[BinCounts]]]:
            (first, last), size = self._share(leaf)
            blocks = self._blocks(first * size, last * size)
            for number, some in groupby(blocks, lambda block: block[0] // size):
                made = [BinCounts(one.axes, bool(weight)) for one in empty]
                for _, block in some:
                    for one, axes in zip(made, grids, strict=True):
                        one.add([block[axis.name] for axis in axes], block[weight] if weight else None)
                yield number, made

        def merged(left: list[BinCounts], right: list[BinCounts]) -> list[BinCounts]:
            return [one.merged(other) for one, other in zip(left, right, strict=True)]

        def own() -> Iterator[tuple[int, list[BinCounts] | None]]:
            return filled(*self._share(leaf)[0], leaves())

        return add_all(self._ranks.gather, own, merged) or empty

    def _even_leaf(self) -> int:
        """Return the blocks of a leaf if each rank has one."""
        return max(1, -(-block_count(self._cut.table) // self._ranks.size))

    def _share(self, leaf: int) -> tuple[tuple[int, int], int]:
        """Return the first leaf of this rank and the one after the last, and the blocks of a leaf."""
        leaves = -(-block_count(self._cut.table) // leaf)
        first, count = even_slice(leaves, self._ranks.rank, self._ranks.size)
        return (first, first + count), leaf

    def _blocks(self, first: int, last: int, keep: bool = False) -> Iterator[Block]:
        """Yield the rows of the blocks from `first` to `last`, excluded. With `keep` the next pass over the
        same blocks reads nothing, if they are small enough.
        """
        if self._kept is not None and self._kept[0] == (first, last):
            yield from self._kept[1]
            return
        kept: list[Block] = []
        left = self._most if keep and self._may_fit(first, last) else 0
        for number, values in self._pieces(first, last):
            block = {name: self._convert(name, values[name]) for name in self._names}
            left -= sum(array.nbytes for array in block.values())
            if left > 0:
                kept.append((number, {name: np.array(array) for name, array in block.items()}))
            else:
                kept.clear()
            yield number, block
        if left > 0:
            self._kept = (first, last), kept

    def _may_fit(self, first: int, last: int) -> bool:
        """Return whether the rows of the blocks can be kept; how many a condition selects is not known."""
        rows = min(last * BLOCK_ROWS, len(self._cut.table)) - first * BLOCK_ROWS
        return self._cut.matches is not None or rows * len(self._names) * 8 < self._most

    def _pieces(self, first: int, last: int) -> Iterator[tuple[int, Mapping[str, Array]]]:
        """Yield the rows of blocks; without weights as they are read, since numbers of rows are exact."""
        cut = self._cut
        where = None if cut.matches is None else cut.matches.within
        if self._weight:
            for number, _, values in fixed_blocks(cut.table, self._names, where, first, last, cut.rows):
                yield number, values
            return
        for _, values in read_blocks(cut.table, self._names, where, first, last, cut.rows):
            yield first, values


def joined(one: Limits | None, other: Limits | None) -> Limits | None:
    """Independent. Return the limits of two parts of a column; None is a part without finite values."""
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def as_double(name: str, values: Array) -> Array:
    """Independent. Return numbers as float64, those of more bits rounded."""
    return np.asarray(values, np.float64)


def indexed_limits(table: Any, name: str) -> Limits | None:
    """Independent. Return the finite limits of a column by the index of its file; None if it has none, or if
    some value is infinite.
    """
    find = getattr(table, "indexed", None)
    zones = None if find is None else find(name)
    if zones is None or dtype_of(zones.type).itemsize > 8:  # limits of long double are rounded
        return None
    is_any = ~np.isnan(zones.lower) if zones.lower.dtype.kind == "f" else np.ones(len(zones.lower), bool)
    if not is_any.any():
        return None
    low, high = float(zones.lower[is_any].min()), float(zones.upper[is_any].max())
    return (low, high) if np.isfinite([low, high]).all() else None


def bins_of(
    rows: BinnedRows, names: Sequence[str], wanted: Sequence[Wanted], default: int = DEFAULT_BINS
) -> list[ColumnBins]:
    """Collective. Return the bins of columns. The rows are read if limits are missing."""
    open_names = [name for name, one in zip(names, wanted, strict=True) if one.is_open]
    limits = rows.limits(list(dict.fromkeys(open_names)))
    return [
        ColumnBins(name, one.bins(limits.get(name), default)) for name, one in zip(names, wanted, strict=True)
    ]


def histogram_of(cut: Cut, name: str, wanted: Wanted, weight: str = "") -> Histogram:
    """Independent. Return the histogram of a column. Raises TypeMismatchError for texts."""
    rows = BinnedRows(cut, numbers_in(cut.table, name, weight), weight)
    axes = bins_of(rows, [name], [wanted])
    cells = rows.counts([axes])[0].cells()
    return Histogram(axes[0].bins, cells.sums, cells.outside)


def histogram_2d_of(
    cut: Cut, names: Sequence[str], wanted: Sequence[Wanted], weight: str = ""
) -> Histogram2D:
    """Independent. Return the joint histogram of two columns. Raises TypeMismatchError for texts."""
    rows = BinnedRows(cut, numbers_in(cut.table, *names, weight), weight)
    axes = bins_of(rows, names, wanted, DEFAULT_BINS_2D)
    require_room(axes[0].bins, axes[1].bins)
    cells = rows.counts([axes])[0].cells()
    return Histogram2D(axes[0].bins, axes[1].bins, cells.sums, cells.outside)


def numbers_in(table: Table, *names: str) -> list[str]:
    """Independent. Return the names of columns of numbers. Raises TypeMismatchError for those of texts."""
    found = [name for name in names if name]
    for name in found:
        if dtype_of(table[name].type).kind not in "iuf":
            raise TypeMismatchError("the column contains text, which cannot be binned", object=name)
    return found
