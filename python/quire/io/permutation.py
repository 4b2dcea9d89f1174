"""The rows of a table in the order of their ids, as an index stores them.

specs/query-index.md, section 5. A section is of at most 2^24 rows. It has the keys (value_list.py) with which
pages of 1024 rows in this order begin, and the last one (u64 each); the checksum of each page (u32); and the
pages: the rows (u32), counted from the first one of the section, then a code for each (u16). The code is
(key - first key) / 2^s, where s is the least exponent for which the code of the key with which the next page
begins has 16 bits. Rows of equal ids ascend.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quire.io.id_map import PERMUTATION, values_of
from quire.io.types import Array
from quire.io.value_list import Estimate, Found, Keys, SidecarError, is_ascending, keys_of

if TYPE_CHECKING:
    from quire.io.table import Table

PAGE_ROWS: Final = 1024
CODE_BITS: Final = 16
ROW_BYTES: Final = 6
"""Of a row and its code."""
PAGES_AT_ONCE: Final = 1024
"""Whose codes are computed together."""
MOST_PAIRS: Final = 1 << 22
"""Rows that can have some ids; more are searched in the column."""
MOST_SEARCHED: Final = 1024
"""Of keys that a condition searches: each reads up to two pages of its own before the plan is chosen."""


def head_bytes(rows: int) -> int:
    """Independent. Return the bytes of a section of so many rows before its pages."""
    return 8 + 12 * -(-rows // PAGE_ROWS)


def permutation_of(values: Array) -> tuple[bytes, list[bytes]]:
    """Independent. Return the section of some rows, at least one: what is before its pages, and the pages."""
    keys = keys_of(values)
    order = np.argsort(keys, kind="stable").astype("<u4")
    keys = keys[order]
    fences = np.append(keys[::PAGE_ROWS], keys[-1:]).astype("<u8")
    shifts = shifts_of(fences)
    pages = []
    for first in range(0, len(shifts), PAGES_AT_ONCE):
        some = slice(first, min(first + PAGES_AT_ONCE, len(shifts)))
        part = keys[some.start * PAGE_ROWS : some.stop * PAGE_ROWS]
        page = np.arange(len(part)) // PAGE_ROWS
        codes = ((part - fences[some][page]) >> shifts[some][page]).astype("<u2")
        for begin in range(0, len(part), PAGE_ROWS):
            place = some.start * PAGE_ROWS + begin
            pages.append(
                order[place : place + PAGE_ROWS].tobytes() + codes[begin : begin + PAGE_ROWS].tobytes()
            )
    sums = np.array([zlib.crc32(page) for page in pages], "<u4")
    return fences.tobytes() + sums.tobytes(), pages


def shifts_of(fences: Array) -> Array:
    """Independent. Return the exponents of the codes of pages that begin with these keys."""
    width = np.diff(fences)
    shifts = np.zeros(len(width), np.uint64)
    while (is_wide := (width >> shifts) >> np.uint64(CODE_BITS) > 0).any():
        shifts[is_wide] += np.uint64(1)
    return shifts


@dataclass(frozen=True)
class Places:
    """Places in the order of ids that can have keys in some intervals, each from a first one up to a last
    one, which is excluded; and those of them that are certain to have them.
    """

    begin: Array
    end: Array
    certain_begin: Array
    certain_end: Array

    def candidates(self) -> list[tuple[Array, Array]]:
        """Independent. Return those whose values decide, before and after the others."""
        return [(self.begin, self.certain_begin), (self.certain_end, self.end)]

    def certain(self) -> int:
        """Independent. Return the number of those that are certain."""
        return int((self.certain_end - self.certain_begin).sum())

    def total(self) -> int:
        """Independent. Return the number of all."""
        return int((self.end - self.begin).sum())


class Permutation:
    """The rows of ids among at most 2^24 rows, searched as a list is. `read` returns bytes of its section."""

    def __init__(self, read: Callable[[int, int], bytes], head: bytes, first: int, rows: int) -> None:
        pages = -(-rows // PAGE_ROWS)
        self.first, self.rows = first, rows
        self._read = read
        self._head = head
        self._fences = np.frombuffer(head, "<u8", pages + 1)
        self._sums = np.frombuffer(head, "<u4", pages, self._fences.nbytes)
        if not is_ascending(self._fences):
            raise SidecarError("a permutation of ids has wrong pages")
        self._shifts = shifts_of(self._fences)
        # Memory of pages that are not read is never touched.
        self._rows = np.empty(pages * PAGE_ROWS, "<u4")
        self._codes = np.empty(pages * PAGE_ROWS, "<u2")
        self._is_read = np.zeros(pages, np.bool_)
        self._last: tuple[Keys, Places] | None = None

    def estimate(self, keys: Keys) -> Estimate:
        """Independent. Return what a search takes. Raises SidecarError."""
        found = self._between(keys)
        has_any = found.end > found.begin
        first, last = found.begin[has_any] // PAGE_ROWS, (found.end[has_any] - 1) // PAGE_ROWS
        pages = min(int((last - first + 1).sum()), len(self._sums))
        certain = found.certain()
        return Estimate(certain, found.total() - certain, pages * PAGE_ROWS * ROW_BYTES, pages)

    def find(self, keys: Keys) -> Found:
        """Independent. Return the rows with keys in these intervals, counted from its first. Raises
        SidecarError.
        """
        found = self._between(keys)
        certain = self._rows_at(ranges(found.certain_begin, found.certain_end))
        return Found(np.unique(certain), self._candidates(found))

    def count(self, keys: Keys) -> tuple[int, Array]:
        """Independent. Return how many rows are certain to have keys in these intervals, and the rows whose
        values decide. Raises SidecarError.
        """
        found = self._between(keys)
        return found.certain(), self._candidates(found)

    def pairs(self, table: Table, column: str, ids: Array) -> tuple[Array, Array] | None:
        """Independent. Return the places of ids, and the rows that have them; None if too many can have
        them. Raises SidecarError.
        """
        keys = keys_of(ids)
        inside = np.flatnonzero((keys >= self._fences[0]) & (keys <= self._fences[-1]))
        found = self._search(keys[inside], keys[inside])
        if found.total() > MOST_PAIRS:
            return None
        owners = [np.repeat(inside, found.certain_end - found.certain_begin)]
        rows = [self._rows_at(ranges(found.certain_begin, found.certain_end)) + np.int64(self.first)]
        for begin, end in found.candidates():
            some = np.repeat(inside, end - begin)
            checked = self._rows_at(ranges(begin, end)) + np.int64(self.first)
            is_right = values_of(table, column, checked) == ids[some] if len(some) else np.empty(0, np.bool_)
            owners.append(some[is_right])
            rows.append(checked[is_right])
        return np.concatenate(owners), np.concatenate(rows)

    def is_of(self, values: Array) -> bool:
        """Independent. Return whether it is the permutation of these ids. Raises SidecarError."""
        head, pages = permutation_of(values)
        if head != self._head:
            return False
        # The checksums are those of the pages of these ids.
        self._require(np.arange(len(pages)))
        return True

    def _candidates(self, found: Places) -> Array:
        return np.unique(self._rows_at(np.concatenate([ranges(*part) for part in found.candidates()])))

    def _between(self, keys: Keys) -> Places:
        """Return the places with keys in intervals. The last ones that were asked for are kept."""
        if self._last is None or self._last[0] != keys:
            ends = np.array(keys, np.uint64).reshape(-1, 2)
            lower, upper = np.maximum(ends[:, 0], self._fences[0]), np.minimum(ends[:, 1], self._fences[-1])
            inside = lower <= upper
            self._last = keys, self._search(lower[inside], upper[inside])
        return self._last[1]

    def _search(self, lower: Array, upper: Array) -> Places:
        """Return the places with keys in intervals, whose ends are not outside of all keys."""
        first = np.searchsorted(self._fences[1:], lower)
        last = np.searchsorted(self._fences[:-1], upper, side="right") - 1
        self._require(np.unique(np.append(first, last)))
        before_first, after_first = self._around(first, lower)
        before_last, after_last = self._around(last, upper)
        is_exact = self._shifts == 0
        is_whole = lower <= self._fences[first]
        begin = np.where(is_whole, first * PAGE_ROWS, before_first)
        certain_begin = np.where(is_whole | is_exact[first], begin, after_first)
        is_whole = upper >= self._fences[last + 1]
        end = np.where(is_whole, np.minimum((last + 1) * PAGE_ROWS, self.rows), after_last)
        certain_end = np.where(is_whole | is_exact[last], end, before_last)
        has_none = certain_begin >= certain_end
        return Places(
            begin, end, np.where(has_none, end, certain_begin), np.where(has_none, end, certain_end)
        )

    def _around(self, pages: Array, keys: Array) -> tuple[Array, Array]:
        """Return the places before and after the codes that keys have in their pages."""
        wanted = (np.maximum(keys, self._fences[pages]) - self._fences[pages]) >> self._shifts[pages]
        wanted = np.concatenate([wanted, wanted + np.uint64(1)]).astype(np.int64)
        low = np.tile(pages * PAGE_ROWS, 2)
        high = np.minimum(low + PAGE_ROWS, self.rows)
        while (low < high).any():
            middle = np.minimum((low + high) // 2, self.rows - 1)
            is_below = (self._codes[middle] < wanted) & (low < high)
            high = np.where(is_below, high, np.minimum(middle, high))
            low = np.where(is_below, middle + 1, low)
        return low[: len(pages)], low[len(pages) :]

    def _rows_at(self, places: Array) -> Array:
        """Return the rows at places."""
        self._require(np.unique(places // PAGE_ROWS))
        return self._rows[places]

    def _require(self, pages: Array) -> None:
        """Read some pages, unless they have been read."""
        for page in pages[~self._is_read[pages]].tolist():
            begin = page * PAGE_ROWS
            count = min(PAGE_ROWS, self.rows - begin)
            content = self._read(len(self._head) + begin * ROW_BYTES, count * ROW_BYTES)
            if zlib.crc32(content) != int(self._sums[page]):
                raise SidecarError("a permutation of ids is damaged")
            rows = np.frombuffer(content, "<u4", count)
            if int(rows.max()) >= self.rows:
                raise SidecarError("a permutation of ids has wrong rows")
            self._rows[begin : begin + count] = rows
            self._codes[begin : begin + count] = np.frombuffer(content, "<u2", count, rows.nbytes)
            self._is_read[page] = True


class IdPermutation:
    """The rows of the ids of a table, in parts of at most 2^24 rows."""

    form: Final = PERMUTATION

    def __init__(self, parts: Sequence[Permutation]) -> None:
        self.parts = parts
        self.rows = 0
        for part in parts:
            if part.first != self.rows:
                raise SidecarError("a permutation of ids lacks rows")
            self.rows += part.rows

    def pairs(self, table: Table, column: str, ids: Array) -> tuple[Array, Array] | None:
        """Independent. Return the places of ids, and the rows that have them; None if too many can have
        them. Raises SidecarError.
        """
        found = []
        for part in self.parts:
            pairs = part.pairs(table, column, ids)
            if pairs is None:
                return None
            found.append(pairs)
        places, rows = zip(*found, strict=True)
        return np.concatenate(places), np.concatenate(rows)

    def searched(self, table: Table, column: str, rows: tuple[int, int], keys: Keys) -> Permutation | None:
        """Independent. Return the part of some rows, None if there is none, or for more intervals than a
        plan may search.
        """
        if len(keys) > MOST_SEARCHED:
            return None
        return next((part for part in self.parts if (part.first, part.rows) == rows), None)


def ranges(begin: Array, end: Array) -> Array:
    """Independent. Return all numbers of ranges, one after another."""
    length = end - begin
    after = np.cumsum(length)
    found: Array = np.repeat(begin - (after - length), length) + np.arange(after[-1] if len(after) else 0)
    return found
