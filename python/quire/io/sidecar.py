"""Indexes beside data files, in a file NAME.qix: limits of blocks of rows, and lists of rows by value.

specs/query-index.md, section 5. All numbers are little-endian:

    0   8 bytes  magic "QUIREIX1"
    8   u32      version of this layout
    12  u32      bytes of this header
    16  u64 u64  offset and bytes of the directory
    32  8 bytes  XXH3 of the directory
    40  u32      flags: 1 if the index was not asked for
    44           zeros

Sections begin at multiples of 64 bytes. The directory is JSON, written last: the size and the time of the
data file, how it was read, names, and the place of an array of records. A record refers to a section for a
column of a table of a step: its limits, which are the smallest value of each block of rows, then the
greatest, then the number of NaN; one of its lists (value_list.py), each of at most 2^24 rows; or the rows of
its ids (id_map.py), of which permutations have parts of at most 2^24 rows (permutation.py). A record of a
table has the checksum of some of its rows. An index that does not belong to the file, or is damaged, is
ignored with one warning, or without one if it was not asked for. Writers of files make indexes of limits
alone, without records of tables (src/api/sidecar.cpp): those of large tables unasked.

New steps are appended: their sections, and a directory with their records and the place of the directory
before it, whose names it repeats. The header is written last, and refers to what is on the disk already: an
index whose writer was killed is the one before, which does not belong to the longer file.
"""

from __future__ import annotations

import json
import os
import struct
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np

from quire.io.id_map import (
    FORMS,
    INVERSE,
    PAGE_IDS,
    PERMUTATION,
    Blocks,
    IdMap,
    IdOrder,
    inverse_of,
    pages_of,
    sums_of,
)
from quire.io.permutation import IdPermutation, Permutation, head_bytes, permutation_of
from quire.io.types import Array, dtype_of
from quire.io.value_list import (
    BIN,
    GROUP,
    GROUP_BINS,
    MOST_ROWS,
    Extent,
    ListParts,
    SidecarError,
    ValueList,
    digest,
)
from quire.io.zones import as_double

BLOCK_ROWS: Final = 4096
"""Rows that have limits of their own."""
VERSION: Final = 5

MAGIC: Final = b"QUIREIX1"
HEADER: Final = struct.Struct("<8sIIQQ8sI20x")
UNASKED: Final = 1
"""A flag."""
ALIGNMENT: Final = 64

LIMITS, LIST, IDS, SAMPLE = 1, 2, 3, 4
"""Kinds of records."""
SAMPLE_ROWS: Final = 64
"""By which a table is recognized."""

RECORD: Final = np.dtype(
    [
        ("kind", "<u4"),
        ("table", "<u4"),
        ("column", "<u4"),
        ("type", "<u4"),
        ("step", "<i8"),
        ("first", "<u8"),
        ("rows", "<u8"),
        ("form", "<u8"),
        ("offset", "<u8"),
        ("length", "<u8"),
        ("digest", "V8"),
    ]
)
"""Table, column and type by their index in the list of names; `digest` is that of the section, or of the
groups of a list, of what precedes the pages of a permutation or follows those of other ids, or of a sample of
rows. `form` is the number of bins, or how ids are found.
"""


class ColumnKey(NamedTuple):
    """A column of a table of a step."""

    step: int
    table: str
    column: str


@dataclass(frozen=True)
class Zones:
    """The limits of a column in each block of rows, apart from NaN: those of a block of NaN alone are NaN.

    Limits of long double are float64 that enclose the values.
    """

    type: str
    rows: int
    lower: Array
    upper: Array
    nans: Array

    @property
    def first(self) -> Array:
        """The first row of each block."""
        return np.arange(0, self.rows, BLOCK_ROWS, dtype=np.int64)

    @property
    def count(self) -> Array:
        """The number of rows of each block."""
        found: Array = np.minimum(self.rows - self.first, BLOCK_ROWS)
        return found

    def enclosing(self) -> tuple[Array, Array]:
        """Independent. Return limits as float64, which contain all values of which these are the limits."""
        return as_double(self.lower, -np.inf), as_double(self.upper, np.inf)

    def all_values(self) -> tuple[float, float]:
        """Independent. Return the same limits of all rows; NaN if no value has any."""
        lower, upper = self.enclosing()
        return float(np.fmin.reduce(lower, initial=np.nan)), float(np.fmax.reduce(upper, initial=np.nan))


@dataclass(frozen=True)
class Source:
    """What an index knows of the data file: its size and times, and how it was read."""

    size: int
    modified: int
    """In nanoseconds since 1970."""
    options: Mapping[str, str]

    @classmethod
    def of(cls, status: os.stat_result, options: Mapping[str, str]) -> Source:
        """Independent. Return what is known of a file by its status."""
        return cls(status.st_size, status.st_mtime_ns, dict(options))

    def is_of(self, status: os.stat_result) -> bool:
        """Independent. Return whether a file has this size and time."""
        return (self.size, self.modified) == (status.st_size, status.st_mtime_ns)


def limits_type(type: str) -> np.dtype[Any]:
    """Independent. Return the type that stores the limits of a column of this type."""
    found = dtype_of(type)
    return np.dtype("<f8") if found.itemsize > 8 else found.newbyteorder("<")


def zones_of(values: Array, type: str) -> Zones:
    """Independent. Return the limits of the blocks of a whole column."""
    parts = [values[first : first + BLOCK_ROWS] for first in range(0, len(values), BLOCK_ROWS)]
    whole = len(values) // BLOCK_ROWS
    square = values[: whole * BLOCK_ROWS].reshape(whole, BLOCK_ROWS)
    rest = parts[whole:]
    with np.errstate(invalid="ignore"):
        lower = np.concatenate([square.min(axis=1), *(part.min(keepdims=True) for part in rest)])
        upper = np.concatenate([square.max(axis=1), *(part.max(keepdims=True) for part in rest)])
    nans = np.zeros(len(parts), "<u2")
    if values.dtype.kind == "f":
        # A minimum is NaN if any value is.
        for block in np.flatnonzero(np.isnan(lower)).tolist():
            numbers = parts[block][~np.isnan(parts[block])]
            nans[block] = len(parts[block]) - len(numbers)
            if len(numbers):
                lower[block], upper[block] = numbers.min(), numbers.max()
    stored = limits_type(type)
    if values.dtype.itemsize > stored.itemsize:
        lower, upper = as_double(lower, -np.inf), as_double(upper, np.inf)
    return Zones(type, len(values), lower.astype(stored), upper.astype(stored), nans)


class Link(NamedTuple):
    """The place and the checksum of a directory."""

    offset: int
    length: int
    digest: str


class SidecarWriter:
    """Writes an index to a new file, or appends to that of `before`. finish() makes it complete."""

    def __init__(self, out: BinaryIO, before: Sidecar | None = None) -> None:
        self._out = out
        self._before = None if before is None else before.link
        self._names = {} if before is None else {name: index for index, name in enumerate(before.names)}
        self._records: list[tuple[Any, ...]] = []
        self._end = HEADER.size if self._before is None else self._before.offset + self._before.length
        if self._before is None:
            out.write(bytes(HEADER.size))
        else:
            # A writer that was killed may have left more.
            out.seek(self._end)
            out.truncate()

    def add(self, key: ColumnKey, zones: Zones) -> None:
        """Independent. Write the limits of a column."""
        content = zones.lower.tobytes() + zones.upper.tobytes() + zones.nans.tobytes()
        self._record(LIMITS, key, zones.type, (0, zones.rows, 0), self._append([content]), digest(content))

    def add_list(self, key: ColumnKey, type: str, rows: tuple[int, int], parts: ListParts) -> None:
        """Independent. Write the list of some rows of a column: the first one and their number."""
        place = self._append([parts.groups, parts.bins, parts.content.tobytes()])
        self._record(LIST, key, type, (*rows, parts.count), place, digest(parts.groups))

    def add_ids(self, key: ColumnKey, type: str, rows: int, order: IdOrder, blocks: Blocks) -> None:
        """Independent. Write the rows of ids, which are different unless they have lists."""
        sums: list[bytes] = []

        def pages() -> Iterator[bytes]:
            for content in pages_of(inverse_of(blocks, order)):
                sums.append(sums_of(content))
                yield content

        place = self._append(pages() if order.form == INVERSE else ())
        head = (order.smallest & (1 << 64) - 1).to_bytes(8, "little") + b"".join(sums)
        self._out.write(head)
        self._end += len(head)
        self._record(IDS, key, type, (0, rows, order.form), place, digest(head))

    def add_permutation(self, key: ColumnKey, type: str, rows: tuple[int, int], ids: Array) -> None:
        """Independent. Write some rows, the first one and their number, in the order of their ids."""
        head, pages = permutation_of(ids)
        self._record(IDS, key, type, (*rows, PERMUTATION), self._append([head, *pages]), digest(head))

    def add_sample(self, step: int, table: str, rows: int, check: bytes) -> None:
        """Independent. Store the checksum of a sample of the rows of a table."""
        self._record(SAMPLE, ColumnKey(step, table, ""), "", (0, rows, 0), self._append(()), check)

    def _record(
        self, kind: int, key: ColumnKey, type: str, rows: tuple[int, int, int], place: int, check: bytes
    ) -> None:
        names = [self._index(name) for name in (key.table, key.column, type)]
        self._records.append((kind, *names, key.step, *rows, place, self._end - place, check))

    def finish(self, source: Source) -> None:
        """Independent. Write the directory, then the header when the rest is on the disk."""
        records = np.array(self._records, RECORD)
        directory = json.dumps(
            {
                "source": {"size": source.size, "modified": source.modified, "options": dict(source.options)},
                "block_rows": BLOCK_ROWS,
                "names": list(self._names),
                "records": [self._append([records.tobytes()]), len(records)],
                "records_digest": digest(records.tobytes()).hex(),
                "before": self._before,
            }
        ).encode()
        place = self._append([directory])
        self._out.flush()
        os.fsync(self._out.fileno())
        self._out.seek(0)
        self._out.write(HEADER.pack(MAGIC, VERSION, HEADER.size, place, len(directory), digest(directory), 0))

    def _index(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _append(self, parts: Iterable[bytes]) -> int:
        """Write a section; returns its offset."""
        place = self._end + -self._end % ALIGNMENT
        self._out.write(bytes(place - self._end))
        self._end = place
        for part in parts:
            self._out.write(part)
            self._end += len(part)
        return place


def is_unasked(path: str | os.PathLike[str]) -> bool:
    """Independent. Return whether there is an index that was not asked for, be it damaged or not."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            header = file.read(HEADER.size)
    except OSError:
        return False
    if len(header) < HEADER.size:
        return False
    magic, *_, flags = HEADER.unpack(header)
    return magic == MAGIC and bool(flags & UNASKED)


class Sidecar:
    """An index that belongs to a file. Sections are read when they are needed, each once."""

    def __init__(self, path: str) -> None:
        """Independent. Open an index. Raises OSError, and SidecarError if it is none or damaged."""
        self.path = path
        # A pipe would wait for a writer.
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        weakref.finalize(self, os.close, self._descriptor)
        self.size = os.fstat(self._descriptor).st_size
        header = self._read(0, HEADER.size)
        magic, version, header_bytes, offset, length, expected, flags = HEADER.unpack(header)
        if magic != MAGIC:
            raise SidecarError("it is no index")
        if version != VERSION or header_bytes != HEADER.size:
            raise SidecarError(f"it has version {version}, and version {VERSION} is read")
        self.is_unasked = bool(flags & UNASKED)
        """Whether a writer made it without being asked."""
        self.link = Link(offset, length, expected.hex())
        """The last directory."""
        try:
            self._read_directories()
            self._places: dict[int, dict[ColumnKey, list[int]]] = {LIMITS: {}, LIST: {}, IDS: {}, SAMPLE: {}}
            columns = (self._records[name].tolist() for name in ("kind", "step", "table", "column"))
            for index, (kind, step, table, column) in enumerate(zip(*columns, strict=True)):
                key = ColumnKey(step, self.names[table], self.names[column])
                self._places[kind].setdefault(key, []).append(index)
        except (ValueError, LookupError, TypeError, RecursionError) as problem:
            raise SidecarError(f"its directory is damaged: {problem}") from None
        self._found: dict[ColumnKey, Zones] = {}
        self._lists: dict[ColumnKey, list[ValueList]] = {}
        self._maps: dict[ColumnKey, IdMap | IdPermutation] = {}

    def _read_directories(self) -> None:
        """Read the directories from the last to the first one, each of which is before the other."""
        link: Link | None = self.link
        parts: list[Any] = []
        while link is not None:
            content = json.loads(self._checked(link.offset, link.length, bytes.fromhex(link.digest)))
            if not parts:
                source = content["source"]
                self.source = Source(source["size"], source["modified"], source["options"])
                self.names: Sequence[str] = content["names"]
            if content["block_rows"] != BLOCK_ROWS:
                raise SidecarError("its blocks have another size")
            place, count = content["records"]
            stored = self._checked(place, count * RECORD.itemsize, bytes.fromhex(content["records_digest"]))
            parts.append(np.frombuffer(stored, RECORD))
            before = None if content["before"] is None else Link(*content["before"])
            if before is not None and before.offset >= link.offset:
                raise SidecarError("its directories are in a wrong order")
            link = before
        self._records = np.concatenate(parts[::-1])

    @property
    def keys(self) -> Sequence[ColumnKey]:
        """The columns that have limits."""
        return list(self._places[LIMITS])

    @property
    def listed(self) -> Mapping[ColumnKey, int]:
        """The columns that have lists, with the bytes of these."""
        return {key: int(self._records["length"][some].sum()) for key, some in self._places[LIST].items()}

    @property
    def ids(self) -> Mapping[ColumnKey, str]:
        """The columns of ids, with how their rows are found."""
        forms = {key: int(self._records["form"][one]) for key, (one, *_) in self._places[IDS].items()}
        return {key: FORMS.get(form, "unknown") for key, form in forms.items()}

    @property
    def samples(self) -> Mapping[tuple[int, str], bytes]:
        """The checksums of samples of rows, by step and table."""
        checks, places = self._records["digest"], self._places[SAMPLE]
        return {(key.step, key.table): checks[one].tobytes() for key, (one, *_) in places.items()}

    def zones(self, place: tuple[int, str, str]) -> Zones | None:
        """Independent. Return the limits of a column; None if there are none. Raises SidecarError."""
        key = ColumnKey(*place)
        if key not in self._places[LIMITS]:
            return None
        if key not in self._found:
            self._found[key] = self._read_zones(self._records[self._places[LIMITS][key][0]])
        return self._found[key]

    def lists(self, place: tuple[int, str, str], type: str, rows: int) -> Sequence[ValueList]:
        """Independent. Return the lists of all rows of a column, ascending; none if it has none, or another
        type or number of rows. Raises SidecarError.
        """
        key = ColumnKey(*place)
        if key not in self._lists:
            records = self._records[self._places[LIST].get(key, [])]
            self._lists[key] = [self._open_list(one) for one in records]
        found = self._lists[key]
        expected = [(first, min(MOST_ROWS, rows - first), type) for first in range(0, rows, MOST_ROWS)]
        return found if [(one.first, one.rows, one.type) for one in found] == expected else []

    def id_map(self, place: tuple[int, str, str], type: str, rows: int) -> IdMap | IdPermutation | None:
        """Independent. Return the rows of the ids of a column, None if it has none, or another type or number
        of rows. Raises SidecarError.
        """
        key = ColumnKey(*place)
        if key not in self._places[IDS]:
            return None
        records = self._records[self._places[IDS][key]]
        form = int(records["form"][0])
        if form not in FORMS or self.names[int(records["type"][0])] != type:
            return None
        if key not in self._maps:
            if form == PERMUTATION:
                self._maps[key] = IdPermutation([self._open_permutation(one) for one in records])
            else:
                self._maps[key] = self._open_map(records[0])
        return self._maps[key] if self._maps[key].rows == rows else None

    def _open_map(self, record: Any) -> IdMap:
        form, rows, offset, length = (int(record[name]) for name in ("form", "rows", "offset", "length"))
        pages = max(length - 8, 0) // (4 * PAGE_IDS + 4)
        head = 8 + 4 * pages
        if length < head:
            raise SidecarError("it is truncated")
        content = self._checked(offset + length - head, head, record["digest"].tobytes())
        return IdMap(form, rows, partial(self._read_within, offset, length), content)

    def _open_permutation(self, record: Any) -> Permutation:
        first, rows, offset, length = (int(record[name]) for name in ("first", "rows", "offset", "length"))
        if rows < 1 or head_bytes(rows) > length:
            raise SidecarError("it is truncated")
        content = self._checked(offset, head_bytes(rows), record["digest"].tobytes())
        return Permutation(partial(self._read_within, offset, length), content, first, rows)

    def _open_list(self, record: Any) -> ValueList:
        first, rows, bins, offset, length = (
            int(record[name]) for name in ("first", "rows", "form", "offset", "length")
        )
        groups = -(-bins // GROUP_BINS) * GROUP.itemsize
        if groups + bins * BIN.itemsize > length or offset + length > self.size:
            raise SidecarError("it is truncated")
        content = self._checked(offset, groups, record["digest"].tobytes())
        return ValueList(
            partial(self._read_within, offset, length),
            content,
            Extent(self.names[int(record["type"])], first, rows, bins, length),
        )

    def _read_within(self, begin: int, length: int, offset: int, count: int) -> bytes:
        if offset + count > length:
            raise SidecarError("a list is longer than its section")
        return self._read(begin + offset, count)

    def _read_zones(self, record: Any) -> Zones:
        type, rows = self.names[int(record["type"])], int(record["rows"])
        stored = limits_type(type)
        count = -(-rows // BLOCK_ROWS)
        length = count * stored.itemsize
        content = self._checked(int(record["offset"]), 2 * length + 2 * count, record["digest"].tobytes())
        lower = np.frombuffer(content, stored, count)
        upper = np.frombuffer(content, stored, count, length)
        return Zones(type, rows, lower, upper, np.frombuffer(content, "<u2", count, 2 * length))

    def _checked(self, offset: int, length: int, expected: bytes) -> bytes:
        content = self._read(offset, length)
        if digest(content) != expected:
            raise SidecarError(f"it is damaged at byte {offset}")
        return content

    def _read(self, offset: int, length: int) -> bytes:
        if min(offset, length) < 0 or offset + length > self.size:
            raise SidecarError("it is truncated")
        content = os.pread(self._descriptor, length, offset)
        if len(content) != length:
            raise SidecarError("it is truncated")
        return content
