"""The rows of ids, as an index stores them.

specs/query-index.md, section 5. What is stored depends on the ids of a table: nothing if they ascend with the
rows; the row of each possible id if they are different integers and few are missing; else the rows in the
order of the ids (permutation.py). The section of an inverse has a row (u32) for each id from the smallest to
the greatest one, then that smallest one, and the checksum of each page of rows.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.io.types import Array
from quire.io.value_list import (
    KEY_OF_NAN,
    NOTHING,
    SIGN,
    Estimate,
    Found,
    Keys,
    SidecarError,
    keys_of,
    numbers_of,
)

if TYPE_CHECKING:
    from quire.io.table import Table

IDENTITY, SORTED, INVERSE, PERMUTATION = 1, 2, 3, 5
FORMS: Final = {
    IDENTITY: "identity",
    SORTED: "sorted",
    INVERSE: "inverse",
    PERMUTATION: "permutation",
}
ABSENT: Final = (1 << 32) - 1
"""The row of an id that no row has."""
PAGE_IDS: Final = 1024
WINDOW_IDS: Final = 1 << 25
"""Ids whose rows are in memory at once while they are written."""
MOST_FOUND: Final = 1 << 16
"""Ids that are looked up; more are searched in the column."""

Blocks = Callable[[], Iterator[tuple[int, Array]]]
"""Reads the ids of a table: the first row and the values of each block."""


@dataclass(frozen=True)
class IdOrder:
    """What is known of the ids of a table after they were read once."""

    form: int
    smallest: int
    count: int
    """From the smallest to the greatest id."""


def order_of(blocks: Blocks, rows: int) -> IdOrder:
    """Independent. Return how rows of ids are best found."""
    is_identity = is_sorted = is_integer = True
    smallest = greatest = before = None
    for first, values in blocks():
        if not len(values):
            continue
        begin, end = values[0].item(), values[-1].item()
        is_sorted &= (before is None or before < begin) and bool((values[1:] > values[:-1]).all())
        before = end
        is_integer &= values.dtype.kind != "f"
        if not is_integer:
            is_sorted &= begin == begin  # a single NaN
            smallest = greatest = 0
            continue
        smallest = min(int(values.min()), begin if smallest is None else smallest)
        greatest = max(int(values.max()), end if greatest is None else greatest)
        is_identity &= begin - first == smallest and end - begin == len(values) - 1
    if smallest is None or greatest is None:
        return IdOrder(IDENTITY, 0, 0)
    count = greatest - smallest + 1
    if is_sorted:
        return IdOrder(IDENTITY if is_identity and is_integer else SORTED, smallest, count)
    can_be_inverse = is_integer and count <= 2 * rows and rows < ABSENT
    return IdOrder(INVERSE if can_be_inverse else PERMUTATION, smallest, count)


def inverse_of(blocks: Blocks, order: IdOrder) -> Iterator[Array]:
    """Independent. Yield the rows of different ids, in the order of the ids."""
    for begin in range(0, order.count, WINDOW_IDS):
        made = np.full(min(WINDOW_IDS, order.count - begin), ABSENT, "<u4")
        for first, values in blocks():
            places = offsets(values, order.smallest + begin)
            here = np.flatnonzero(places < np.uint64(len(made)))
            made[places[here]] = first + here
        yield made


def offsets(values: Array, base: int) -> Array:
    """Independent. Return how much greater integers are, modulo 2^64."""
    return values.astype(np.int64 if values.dtype.kind == "i" else np.uint64).view(np.uint64) - np.uint64(
        base & ((1 << 64) - 1)
    )


class IdMap:
    """The rows of the ids of a table, of which `read` returns bytes of the section."""

    def __init__(self, form: int, rows: int, read: Callable[[int, int], bytes], head: bytes) -> None:
        self.form = form
        self.rows = rows
        self._read = read
        self.base = int.from_bytes(head[:8], "little")
        """The smallest id, modulo 2^64."""
        self._sums = np.frombuffer(head, "<u4", offset=8) if form == INVERSE else np.empty(0, "<u4")
        # Memory of pages that are not read is never touched.
        self._pages = np.empty((len(self._sums), PAGE_IDS), "<u4")
        self._is_read = np.zeros(len(self._sums), np.bool_)

    @property
    def span(self) -> int | None:
        """How many ids from the smallest one on can have a row; None if that is not known."""
        return {IDENTITY: self.rows, INVERSE: self._pages.size}.get(self.form)

    def find(self, table: Table, column: str, ids: Array) -> Array:
        """Independent. Return the row of each of some ids of the type of the column, -1 if it has none.
        Raises SidecarError.
        """
        if self.form == SORTED:
            return in_ascending(table, column, ids)
        places = offsets(ids, self.base)
        if self.form == IDENTITY:
            return np.where(places < np.uint64(self.rows), places.view(np.int64), -1)
        inside = np.flatnonzero(places < np.uint64(self._pages.size))
        found = np.full(len(ids), -1, np.int64)
        if len(inside):
            places = places[inside].astype(np.int64)
            self._require(np.unique(places // PAGE_IDS))
            rows = self._pages.reshape(-1)[places].astype(np.int64)
            found[inside] = np.where(rows < self.rows, rows, -1)
        return found

    def pairs(self, table: Table, column: str, ids: Array) -> tuple[Array, Array]:
        """Independent. Return the places of ids that have a row, and their rows. Raises SidecarError."""
        rows = self.find(table, column, ids)
        places = np.flatnonzero(rows >= 0)
        return places, rows[places]

    def searched(self, table: Table, column: str, rows: tuple[int, int], keys: Keys) -> IdRows | None:
        """Independent. Return what finds the ids with these keys among some rows; None for too many."""
        found = IdRows(table, column, self, *rows)
        return found if found.number(keys) <= MOST_FOUND else None

    def has_base(self, smallest: int) -> bool:
        """Independent. Return whether its smallest id is this one, if it depends on that."""
        return self.form == SORTED or self.base == smallest & ((1 << 64) - 1)

    def count(self) -> int:
        """Independent. Return the number of ids of an inverse that have a row. Raises SidecarError."""
        self._require(np.arange(len(self._sums)))
        return int(np.count_nonzero(self._pages != ABSENT))

    def _require(self, pages: Array) -> None:
        """Read some pages, unless they have been read."""
        size = self._pages.itemsize * PAGE_IDS
        for page in pages[~self._is_read[pages]].tolist():
            content = self._read(page * size, size)
            if zlib.crc32(content) != int(self._sums[page]):
                raise SidecarError("a map of ids is damaged")
            self._pages[page] = np.frombuffer(content, "<u4")
            self._is_read[page] = True


class IdRows:
    """The rows of ids among some rows of a table, searched as a list is."""

    def __init__(self, table: Table, column: str, map: IdMap, first: int, rows: int) -> None:
        self._table = table
        self._column = column
        self._map = map
        self.first = first
        self.rows = rows

    def number(self, keys: Keys) -> int:
        """Independent. Return how many ids have keys in these intervals and may have a row."""
        return sum(upper - lower + 1 for lower, upper in self._possible(keys))

    def estimate(self, keys: Keys) -> Estimate:
        """Independent. Return what a search takes."""
        count = self.number(keys)
        reads = {IDENTITY: 0, SORTED: 12 * count}.get(self._map.form, count)
        return Estimate(count, 0, 4 * reads, reads)

    def find(self, keys: Keys) -> Found:
        """Independent. Return the rows of ids with keys in these intervals. Raises SidecarError."""
        dtype = self._table[self._column].dtype
        ids = [np.arange(lower, upper + 1, dtype=np.uint64) for lower, upper in self._possible(keys)]
        wanted = numbers_of(np.concatenate([np.empty(0, np.uint64), *ids]), dtype)
        rows = self._map.find(self._table, self._column, wanted) - self.first
        return Found(np.sort(rows[(rows >= 0) & (rows < self.rows)]).astype(np.uint32), NOTHING.candidates)

    def _possible(self, keys: Keys) -> list[tuple[int, int]]:
        """Return the parts of intervals that a row may have."""
        dtype = self._table[self._column].dtype
        least, most = 0, KEY_OF_NAN - 1
        if dtype.kind != "f":
            limits: Any = np.iinfo(dtype)
            least, most = keys_of(np.array([limits.min, limits.max], dtype)).tolist()
        if self._map.span is not None:
            least = self._map.base ^ (int(SIGN) if dtype.kind == "i" else 0)
            most = min(most, least + self._map.span - 1)
        parts = [(max(lower, least), min(upper, most)) for lower, upper in keys]
        return [(lower, upper) for lower, upper in parts if lower <= upper]

    def count(self, keys: Keys) -> tuple[int, Array]:
        """Independent. Return the number of these rows. Raises SidecarError."""
        return len(self.find(keys).certain), NOTHING.candidates


def pages_of(rows: Iterator[Array]) -> Iterator[bytes]:
    """Independent. Yield the rows of an inverse as bytes of whole pages."""
    for some in rows:
        yield np.pad(some, (0, -len(some) % PAGE_IDS), constant_values=ABSENT).tobytes()


def sums_of(content: bytes) -> bytes:
    """Independent. Return the checksums of pages."""
    size = 4 * PAGE_IDS
    sums = [zlib.crc32(content[begin : begin + size]) for begin in range(0, len(content), size)]
    return np.array(sums, "<u4").tobytes()


def in_ascending(table: Table, column: str, ids: Array) -> Array:
    """Independent. Return the rows of ids in a column of ascending ones, by halving blocks of rows."""
    rows = len(table)
    found = np.full(len(ids), -1, np.int64)
    zones = table.indexed(column)
    if zones is None or not rows:
        return found
    block = np.searchsorted(zones.upper, ids)
    low = np.minimum(zones.first[np.minimum(block, len(zones.first) - 1)], rows)
    high = np.minimum(low + int(zones.count[0]), rows)
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        is_below = values_of(table, column, middle) < ids[open_]
        low[open_] = np.where(is_below, middle + 1, low[open_])
        high[open_] = np.where(is_below, high[open_], middle)
    inside = np.flatnonzero(low < rows)
    equal = inside[values_of(table, column, low[inside]) == ids[inside]]
    found[equal] = low[equal]
    return found


def values_of(table: Table, column: str, rows: Array) -> Any:
    """Independent. Read the values of rows, of which each is read once."""
    some, places = np.unique(rows, return_inverse=True)
    return table.read([column], some)[column][places]
