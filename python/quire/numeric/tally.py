"""Reductions in one pass: blocks of rows are added one after another, of all rows or of each group of them.

Deviations are those from the mean of the first block of a group: the relative error of the variance of n rows
is at most of the order of n roundings, and of one for most data. Equal blocks give equal bits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, Protocol

import numpy as np

from quire.numeric.arrays import Numbers

NEEDS: Final[Mapping[str, Collection[str]]] = {
    "count": ("present",),
    "mean": ("sum",),
    "sum": ("sum",),
    "rms": ("power",),
    "std": ("squares",),
    "sigma": ("squares",),
    "min": ("min",),
    "max": ("max",),
    "spread": ("min", "max"),
    "first": ("first",),
    "last": ("last",),
}
"""The reductions that one pass can compute, and what it keeps for them."""


class Block(Protocol):
    """Which group each row of a block is in. Results are arrays with an entry for each group."""

    rows: Numbers
    """The number of rows of each group."""

    def sum(self, values: Numbers) -> Numbers:
        """Independent. Return the sums."""

    def least(self, values: Numbers) -> Numbers:
        """Independent. Return the least values."""

    def greatest(self, values: Numbers) -> Numbers:
        """Independent. Return the greatest values."""

    def first(self, values: Numbers) -> Numbers:
        """Independent. Return the first values; any value for groups without rows."""

    def last(self, values: Numbers) -> Numbers:
        """Independent. Return the last values; any value for groups without rows."""

    def of_rows(self, results: Numbers) -> Numbers:
        """Independent. Return for each row the result of its group, or one result for all."""


class OneGroup:
    """All rows are one group."""

    def __init__(self, rows: int) -> None:
        self.rows = np.array([rows], np.int64)

    def sum(self, values: Numbers) -> Numbers:
        """Independent. Return the sum."""
        return np.asarray(values.sum(keepdims=True))

    def least(self, values: Numbers) -> Numbers:
        """Independent. Return the least value."""
        return np.asarray(values.min(keepdims=True))

    def greatest(self, values: Numbers) -> Numbers:
        """Independent. Return the greatest value."""
        return np.asarray(values.max(keepdims=True))

    def first(self, values: Numbers) -> Numbers:
        """Independent. Return the first value."""
        return values[:1].copy()

    def last(self, values: Numbers) -> Numbers:
        """Independent. Return the last value."""
        return values[-1:].copy()

    def of_rows(self, results: Numbers) -> Numbers:
        """Independent. Return the result."""
        return results


class NumberedGroups:
    """Each row has the number of its group."""

    def __init__(self, numbers: Numbers, count: int) -> None:
        self._numbers = numbers
        self.rows = np.bincount(numbers, minlength=count)

    def sum(self, values: Numbers) -> Numbers:
        """Independent. Return the sums, each in the order of the rows."""
        if values.dtype == np.float64:
            return np.bincount(self._numbers, values, len(self.rows))
        return self._gathered(np.add, values, 0)

    def least(self, values: Numbers) -> Numbers:
        """Independent. Return the least values; infinity for groups without rows."""
        return self._gathered(np.minimum, values, np.inf)

    def greatest(self, values: Numbers) -> Numbers:
        """Independent. Return the greatest values; minus infinity for groups without rows."""
        return self._gathered(np.maximum, values, -np.inf)

    def first(self, values: Numbers) -> Numbers:
        """Independent. Return the first values; any value for groups without rows."""
        return self._assigned(self._numbers[::-1], values[::-1])

    def last(self, values: Numbers) -> Numbers:
        """Independent. Return the last values; any value for groups without rows."""
        return self._assigned(self._numbers, values)

    def of_rows(self, results: Numbers) -> Numbers:
        """Independent. Return for each row the result of its group."""
        return results.take(self._numbers)

    def _gathered(self, operation: np.ufunc, values: Numbers, start: float) -> Numbers:
        found = np.full(len(self.rows), start, values.dtype)
        operation.at(found, self._numbers, values)
        return found

    def _assigned(self, numbers: Numbers, values: Numbers) -> Numbers:
        found = np.zeros(len(self.rows), values.dtype)
        found[numbers] = values  # of several values of a group the last one stays
        return found


class Tally:
    """What is kept of one column, in arrays with an entry for each group. Later blocks may have more groups.

    `whats` are names of reductions in `NEEDS`. NaN make all of them NaN but `first`, `last` and `count`: the
    number of other values.
    """

    def __init__(self, whats: Collection[str]) -> None:
        self._needs = {need for what in whats for need in NEEDS[what]}
        self._kept: dict[str, Numbers] = {}
        self._memory: Numbers = np.empty(0)
        self.rows = np.zeros(0, np.int64)
        """The number of rows of each group."""

    def add(self, block: Block, values: Numbers) -> None:
        """Independent. Add rows: floating-point numbers, or texts for `count`, `first` and `last`."""
        more = len(block.rows) - len(self.rows)
        before = padded(self.rows, more)
        self._kept = {name: padded(array, more) for name, array in self._kept.items()}
        with np.errstate(all="ignore"):
            for name, found in self._parts(block, values, before):
                old = self._kept.get(name)
                self._kept[name] = found if old is None else MERGED[name](old, found, before, block.rows)
        self.rows = before + block.rows

    def _parts(self, block: Block, values: Numbers, before: Numbers) -> Iterator[tuple[str, Numbers]]:
        """Yield what is kept of a block."""
        if "present" in self._needs:
            is_present = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), bool)
            yield "present", block.sum(is_present.astype(np.float64))
        if "sum" in self._needs:
            yield "sum", block.sum(values)
        if "power" in self._needs:
            yield "power", block.sum(np.square(values, self._room(values)))
        if "squares" in self._needs:
            if ((before == 0) & (block.rows > 0)).any():
                yield "origin", block.sum(values) / block.rows
            deviations = np.subtract(values, block.of_rows(self._kept["origin"]), self._room(values))
            yield "deviations", block.sum(deviations)
            yield "squares", block.sum(np.square(deviations, deviations))
        parts = {"min": block.least, "max": block.greatest, "first": block.first, "last": block.last}
        for name in parts.keys() & self._needs:
            yield name, parts[name](values)

    def _room(self, values: Numbers) -> Numbers:
        """Return memory for as many values, which is kept: new memory costs more than the arithmetic."""
        if len(self._memory) < len(values):
            self._memory = np.empty_like(values)
        return self._memory[: len(values)]

    def result(self, what: str) -> Numbers:
        """Independent. Return a reduction of each group; the deviation of one row is NaN."""
        kept, rows = self._kept, self.rows
        with np.errstate(all="ignore"):
            if what == "count":
                return kept["present"].astype(np.int64)
            if what == "mean":
                return np.asarray(kept["sum"] / rows)
            if what == "rms":
                return np.sqrt(kept["power"] / rows)
            if what == "spread":
                return np.asarray(kept["max"] - kept["min"])
            if what in ("std", "sigma"):
                squares = np.maximum(kept["squares"] - kept["deviations"] ** 2 / rows, 0)
                deviation = np.sqrt(rows / (rows - 1) * (squares / rows))
                return np.asarray(deviation if what == "std" else deviation / np.sqrt(rows))
            return kept[what]


def padded(array: Numbers, more: int) -> Numbers:
    """Independent. Return an array with more elements at its end, if any."""
    return np.concatenate([array, np.zeros(more, array.dtype)]) if more else array


def added(old: Numbers, new: Numbers, before: Numbers, rows: Numbers) -> Numbers:
    """Independent. Return sums of two blocks."""
    return np.asarray(old + new)


def earlier(old: Numbers, new: Numbers, before: Numbers, rows: Numbers) -> Numbers:
    """Independent. Return what the first block of each group has."""
    return np.where(before > 0, old, new)


def later(old: Numbers, new: Numbers, before: Numbers, rows: Numbers) -> Numbers:
    """Independent. Return what the last block of each group has."""
    return np.where(rows > 0, new, old)


def least(old: Numbers, new: Numbers, before: Numbers, rows: Numbers) -> Numbers:
    """Independent. Return the least values of two blocks."""
    return np.where(before > 0, np.minimum(old, new), new)


def greatest(old: Numbers, new: Numbers, before: Numbers, rows: Numbers) -> Numbers:
    """Independent. Return the greatest values of two blocks."""
    return np.where(before > 0, np.maximum(old, new), new)


MERGED: Final[Mapping[str, Callable[[Numbers, Numbers, Numbers, Numbers], Numbers]]] = {
    **dict.fromkeys(("present", "sum", "power", "deviations", "squares"), added),
    **dict.fromkeys(("first", "origin"), earlier),
    "last": later,
    "min": least,
    "max": greatest,
}
"""What is kept of all rows, of that of the rows before and of a block, with the numbers of rows of both."""
