"""The rows of a column in the order of their values, as an index stores them.

specs/query-index.md, section 5. A list is of at most 2^24 rows of a column, in bins of about 512 rows. Its
section has the limits of groups of 64 bins, then the bins, then the rows of each bin (see
src/kernels/value_list.hpp). Values are compared as keys: natural numbers of 64 bits in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, NamedTuple

import numpy as np

from quire import _core
from quire.errors import BadFileError
from quire.io.types import Array, dtype_of

MOST_ROWS: Final = 1 << 24
"""Of a list; longer columns have several."""
GROUP_BINS: Final = 64
DIGEST_BYTES: Final = 8

BIN: Final = np.dtype(
    [("lower", "<u8"), ("upper", "<u8"), ("offset", "<u8"), ("rows", "<u4"), ("checksum", "<u4")]
)
GROUP: Final = np.dtype([("lower", "<u8"), ("upper", "<u8"), ("before", "<u8"), ("digest", "V8")])
"""Limits of the keys of some bins, the number of rows in the bins before, and the checksum of the bins."""

SIGN: Final = np.uint64(1 << 63)
KEY_OF_NAN: Final = (1 << 64) - 1

Keys = Sequence[tuple[int, int]]
"""Intervals of keys, both ends included."""


class SidecarError(Exception):
    """The reason why an index cannot be used."""


class Found(NamedTuple):
    """Rows of a list, ascending: those whose values are in an interval, and those whose values decide."""

    certain: Array
    candidates: Array


NOTHING: Final = Found(np.empty(0, np.uint32), np.empty(0, np.uint32))


def united(one: Found, other: Found) -> Found:
    """Independent. Return the rows that one of both has; some may be certain and candidates."""
    return Found(*(_core.united_rows(*parts) for parts in zip(one, other, strict=True)))


@dataclass(frozen=True)
class Estimate:
    """What a search in a list finds and takes."""

    certain: int
    """Rows that match."""
    candidates: int
    """Rows whose values decide."""
    bytes: int
    """That are read of the index to name the rows."""
    reads: int


@dataclass(frozen=True)
class Interval:
    """The bins with keys in an interval: from a first one up to the last one, which is excluded."""

    first: int
    last: int
    edges: dict[int, Found]
    """The rows of the bins that have other keys as well: the first, the last, or both."""


def can_be_listed(type: str) -> bool:
    """Independent. Return whether columns of this type can have a list."""
    found = dtype_of(type)
    return found.kind in "fiu" and found.itemsize <= 8


def keys_of(numbers: Array) -> Array:
    """Independent. Return the keys of numbers, as key_of() in src/kernels/value_list.hpp."""
    if numbers.dtype.kind == "u":
        return numbers.astype(np.uint64)
    if numbers.dtype.kind == "i":
        return numbers.astype(np.int64).view(np.uint64) ^ SIGN
    bits = (numbers.astype(np.float64) + 0.0).view(np.uint64)  # the sum of -0 and 0 is 0
    keys = np.where(bits & SIGN, ~bits, bits | SIGN)
    keys[np.isnan(numbers)] = KEY_OF_NAN
    return keys


def numbers_of(keys: Array, dtype: np.dtype[Any]) -> Array:
    """Independent. Return the numbers of this type that have these keys, without keys that none has."""
    if dtype.kind == "u":
        return keys.astype(dtype)
    if dtype.kind == "i":
        return (keys ^ SIGN).view(np.int64).astype(dtype)
    doubles = np.where(keys & SIGN, keys ^ SIGN, ~keys).view(np.float64)
    with np.errstate(over="ignore"):
        found = doubles.astype(dtype)
    exact: Array = found[found == doubles]
    return exact


def digest(content: bytes) -> bytes:
    """Independent. Return the checksum of a part of an index."""
    one_row = np.frombuffer(content, np.uint8).reshape(1, -1)
    return _core.sum_of_row_hashes(1, [(one_row, len(content), None)]).to_bytes(DIGEST_BYTES, "little")


def is_ascending(numbers: Array) -> bool:
    """Independent. Return whether no number is smaller than the one before."""
    return bool((numbers[1:] >= numbers[:-1]).all())


def are_limits(lower: Array, upper: Array) -> bool:
    """Independent. Return whether these are limits of different intervals, ascending."""
    return bool((lower <= upper).all() and (upper[:-1] < lower[1:]).all())


@dataclass(frozen=True)
class ListParts:
    """A new list: its three parts as bytes, and the number of bins."""

    groups: bytes
    bins: bytes
    content: Array
    count: int


def list_of(values: Array, type: str) -> ListParts:
    """Independent. Return the list of rows by their values."""
    stored, content = _core.list_values(type, values)
    bins = stored.view(BIN)
    starts = range(0, len(bins), GROUP_BINS)
    groups = np.zeros(len(starts), GROUP)
    if len(bins):
        rows = np.cumsum(bins["rows"], dtype=np.uint64)
        first = np.arange(0, len(bins), GROUP_BINS)
        last = np.minimum(first + GROUP_BINS, len(bins)) - 1
        groups["lower"], groups["upper"] = bins["lower"][first], bins["upper"][last]
        groups["before"] = rows[first] - bins["rows"][first]
    for group, start in enumerate(starts):
        groups["digest"][group] = np.void(digest(bins[start : start + GROUP_BINS].tobytes()))
    return ListParts(groups.tobytes(), bins.tobytes(), content, len(bins))


@dataclass(frozen=True)
class Extent:
    """The rows of a list, and its size."""

    type: str
    first: int
    """The first of its rows in the table."""
    rows: int
    bins: int
    bytes: int


class ValueList:
    """A list in an index. `read` returns bytes of its section; parts are read when they are needed."""

    def __init__(self, read: Callable[[int, int], bytes], groups: bytes, extent: Extent) -> None:
        self._read = read
        self._groups = np.frombuffer(groups, GROUP)
        self.type, self.first, self.rows, self.bytes = extent.type, extent.first, extent.rows, extent.bytes
        self._bins = np.empty(extent.bins, BIN)
        self._read_groups: set[int] = set()
        self._content = len(groups) + extent.bins * BIN.itemsize
        self._group_rows = np.diff(self._groups["before"], append=np.uint64(extent.rows))
        begin, end = self._groups["lower"], self._groups["upper"]
        is_whole = not len(begin) or self._groups["before"][0] == 0
        if not is_whole or not is_ascending(self._groups["before"]) or not are_limits(begin, end):
            raise SidecarError("a list has wrong numbers of rows")
        self._last: tuple[tuple[int, int], Interval] | None = None

    def estimate(self, keys: Keys) -> Estimate:
        """Independent. Return what a search takes. Raises SidecarError."""
        found = [self._interval(*one) for one in keys]
        size = sum(self._offset(one.last) - self._offset(one.first) for one in found)
        edges = [rows for one in found for rows in one.edges.values()]
        candidates = sum(len(rows.candidates) for rows in edges)
        return Estimate(self._certain(found), candidates, size, len(found))

    def find(self, keys: Keys) -> Found:
        """Independent. Return the rows with keys in these intervals, counted from its first. Raises
        SidecarError.
        """
        parts = [part for lower, upper in keys if (part := self._find(lower, upper)) is not None]
        return reduce(united, parts) if parts else NOTHING

    def count(self, keys: Keys) -> tuple[int, Array]:
        """Independent. Return how many rows are certain to have keys in these intervals, and the rows whose
        values decide. Raises SidecarError.
        """
        found = [self._interval(*one) for one in keys]
        candidates = [rows.candidates for one in found for rows in one.edges.values()]
        return self._certain(found), reduce(_core.united_rows, candidates, NOTHING.candidates)

    def is_list_of(self, values: Array) -> bool:
        """Independent. Return whether it is the list of these values. Raises SidecarError."""
        count = len(self._bins)
        self._require(0, len(self._groups))
        if int(self._bins["rows"].sum(dtype=np.uint64)) != len(values) or not self._has_right_groups():
            return False
        content = self._rows_of(0, count) if count else b""
        try:
            return _core.is_list_of(
                self.type, values, self._bins.view(np.uint8), np.frombuffer(content, np.uint8)
            )
        except BadFileError as problem:
            raise SidecarError(problem.message) from None

    def _find(self, lower: int, upper: int) -> Found | None:
        found = self._interval(lower, upper)
        if found.first == found.last:
            return None
        # The estimate has read the rows of a bin with other keys.
        single = found.edges.get(found.first) if found.last - found.first == 1 else None
        return single or self._rows_in(found.first, found.last, lower, upper)

    def _certain(self, intervals: Sequence[Interval]) -> int:
        """Return the number of rows that are certain to be in intervals."""
        total = 0
        for one in intervals:
            total += self._rows_before(one.last) - self._rows_before(one.first)
            for edge, rows in one.edges.items():
                total += len(rows.certain) - int(self._bins["rows"][edge])
        return total

    def _interval(self, lower: int, upper: int) -> Interval:
        """Return the bins with keys in an interval. The last one that was asked for is kept."""
        if self._last is not None and self._last[0] == (lower, upper):
            return self._last[1]
        first, last = self._bins_between(lower, upper)
        edges = {
            one: self._rows_in(one, one + 1, lower, upper)
            for one in dict.fromkeys((first, last - 1) if first < last else ())
            if not self._is_inside(one, lower, upper)
        }
        found = Interval(first, max(first, last), edges)
        self._last = (lower, upper), found
        return found

    def _rows_in(self, first: int, last: int, lower: int, upper: int) -> Found:
        """Return the rows of some bins with keys in an interval."""
        content = np.frombuffer(self._rows_of(first, last), np.uint8)
        bins = self._bins[first:last].view(np.uint8)
        try:
            found = _core.listed_rows(bins, content, self._offset(first), lower, upper, self.rows)
        except BadFileError as problem:
            raise SidecarError(problem.message) from None
        return Found(*found)

    def _bins_between(self, lower: int, upper: int) -> tuple[int, int]:
        """Return the bins that can have keys in an interval: the first one, and the end."""
        low, high = np.uint64(lower), np.uint64(upper)
        begin = int(np.searchsorted(self._groups["upper"], low))
        end = int(np.searchsorted(self._groups["lower"], high, side="right"))
        if begin >= end:
            return 0, 0
        self._require(begin, begin + 1)
        self._require(end - 1, end)
        first = self._bins["upper"][begin * GROUP_BINS : (begin + 1) * GROUP_BINS]
        last = self._bins["lower"][(end - 1) * GROUP_BINS : end * GROUP_BINS]
        return (
            begin * GROUP_BINS + int(np.searchsorted(first, low)),
            (end - 1) * GROUP_BINS + int(np.searchsorted(last, high, side="right")),
        )

    def _is_inside(self, which: int, lower: int, upper: int) -> bool:
        return lower <= int(self._bins["lower"][which]) and int(self._bins["upper"][which]) <= upper

    def _rows_before(self, which: int) -> int:
        """Return the number of rows in the bins before one."""
        group = (which - 1) // GROUP_BINS if which == len(self._bins) else which // GROUP_BINS
        self._require(group, group + 1)
        inside = self._bins["rows"][group * GROUP_BINS : which].sum(dtype=np.uint64)
        return int(self._groups["before"][group]) + int(inside)

    def _offset(self, which: int) -> int:
        """Return where the rows of a bin are among those of all, or where they end."""
        if which == len(self._bins):
            return self.bytes - self._content
        self._require(which // GROUP_BINS, which // GROUP_BINS + 1)
        return int(self._bins["offset"][which])

    def _rows_of(self, first: int, last: int) -> bytes:
        """Read the rows of some bins."""
        self._require(first // GROUP_BINS, -(-last // GROUP_BINS))
        begin, end = self._offset(first), self._offset(last)
        if not 0 <= begin <= end <= self.bytes - self._content:
            raise SidecarError("a list has a wrong bin")
        return self._read(self._content + begin, end - begin)

    def _require(self, first: int, last: int) -> None:
        """Read some groups of bins, unless they have been read."""
        for group in range(first, last):
            if group in self._read_groups:
                continue
            begin, end = group * GROUP_BINS, min((group + 1) * GROUP_BINS, len(self._bins))
            place = self._groups.nbytes + begin * BIN.itemsize
            content = self._read(place, (end - begin) * BIN.itemsize)
            if digest(content) != self._groups["digest"][group].tobytes():
                raise SidecarError("a list of rows is damaged")
            bins = np.frombuffer(content, BIN)
            # Counts are sums of these numbers, without the rows themselves.
            if int(bins["rows"].sum(dtype=np.uint64)) != int(self._group_rows[group]) or not (
                are_limits(bins["lower"], bins["upper"])
                and bins["lower"][0] == self._groups["lower"][group]
                and bins["upper"][-1] == self._groups["upper"][group]
            ):
                raise SidecarError("a list has wrong numbers of rows")
            self._bins[begin:end] = bins
            self._read_groups.add(group)

    def _has_right_groups(self) -> bool:
        first = np.arange(0, len(self._bins), GROUP_BINS)
        last = np.minimum(first + GROUP_BINS, len(self._bins)) - 1
        rows = np.cumsum(self._bins["rows"], dtype=np.uint64)
        before = rows[first] - self._bins["rows"][first]
        return bool(
            (self._groups["lower"] == self._bins["lower"][first]).all()
            and (self._groups["upper"] == self._bins["upper"][last]).all()
            and (self._groups["before"] == before).all()
        )
