"""Arrow: exchange of tables with libraries that support the Arrow C data interface.

Numbers in contiguous memory are not copied, in both directions. No library is needed; only `to_pyarrow`
imports one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire import _core
from quire.errors import TypeMismatchError, UnsupportedError
from quire.io.foreign import require
from quire.io.quantity import TEXTS, FrameColumn
from quire.io.rows import Rows, Selection, select
from quire.io.texts import Texts
from quire.io.types import Array

if TYPE_CHECKING:
    from quire.io.table import Table

FORMATS: Final = {
    "int8": "c", "uint8": "C", "int16": "s", "uint16": "S", "int32": "i", "uint32": "I", "int64": "l",
    "uint64": "L", "float32": "f", "float64": "g", "float80": "g", "character": "w:1", "string": "U",
}  # fmt: skip
"""The Arrow formats of the element types. float80 is converted to float64 if no value changes."""

DTYPES: Final = {
    "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32", "l": "int64",
    "L": "uint64", "e": "float16", "f": "float32", "g": "float64",
}  # fmt: skip
TEXT_FORMATS: Final = frozenset({"u", "U", "z", "Z", "vu", "vz"})

BINARY: Final = "Z"
BATCH_BYTES: Final = 32 << 20
"""Default size in bytes of a batch of `Batches`, of all columns."""

Batch = tuple[int, list[list[Array]]]
"""Number of rows, and for each column the buffers after the validity bitmap."""


def metadata_of(column: Any) -> dict[str, str]:
    """Independent. Return the non-empty texts of a column as metadata of an Arrow field."""
    return {name: text for name in TEXTS if (text := str(getattr(column, name)))}


def is_utf8(offsets: Array, data: Array) -> bool:
    """Independent. Return whether all packed strings are UTF-8."""
    try:
        codecs.utf_8_decode(data.data, "strict", True)
    except UnicodeDecodeError:
        return False
    starts = offsets[:-1][np.diff(offsets) > 0]
    return not bool(np.any(data[starts] & 0xC0 == 0x80))


def read_batch(
    table: Table, names: Sequence[str], selection: Selection, text_format: str | None = None
) -> tuple[dict[str, str], Batch]:
    """Independent. Return formats and one batch of some rows.

    Strings are large_utf8, or large_binary if a value is not UTF-8. Raises a type error if that differs
    from `text_format`.
    """
    formats = {name: FORMATS[table[name].type] for name in names}
    strings = [name for name in names if table[name].type == "string"]
    numbers = [name for name in names if table[name].type != "string"]
    narrowed = {
        name: np.empty(selection.count) for name in numbers if table[name].type == "float80"
    }  # as float64; the reader raises an error if a value would change
    arrays = table.read(numbers, (selection.first, selection.count), out=narrowed) if numbers else {}
    buffers = {name: [array] for name, array in arrays.items()}
    packed = table.read_packed(strings, (selection.first, selection.count))
    for name, (offsets, data) in packed.items():
        if text_format == BINARY or not is_utf8(offsets, data):
            formats[name] = BINARY
        if text_format not in (None, formats[name]):
            raise TypeMismatchError(
                "a string is not UTF-8", object=name, advice="read the whole table at once, or as NumPy array"
            )
        buffers[name] = [offsets, data]
    return formats, (selection.count, [buffers[name] for name in names])


def contiguous(table: Table, rows: Rows | None) -> Selection:
    """Independent. Return contiguous rows. Raises errors for others."""
    selection = select(rows, len(table))
    if not selection.is_contiguous and selection.count:
        raise UnsupportedError("Arrow needs contiguous rows", advice="leave out the step of the rows")
    return selection


def schema_of(
    table: Table, formats: dict[str, str]
) -> tuple[list[tuple[str, str, dict[str, str]]], dict[str, str]]:
    """Independent. Return columns and metadata of the table for the core."""
    columns = [(name, form, metadata_of(table[name])) for name, form in formats.items()]
    return columns, {"table": table.name} if table.name else {}


def stream(table: Table, names: Sequence[str], rows: Rows | None = None) -> Any:
    """Independent. Return a stream of one batch as a capsule."""
    formats, batch = read_batch(table, names, contiguous(table, rows))
    return _core.arrow_stream(*schema_of(table, formats), [batch])


def array(table: Table, names: Sequence[str], rows: Rows | None = None) -> tuple[Any, Any]:
    """Independent. Return schema and struct array as capsules."""
    formats, batch = read_batch(table, names, contiguous(table, rows))
    return _core.arrow_schema(*schema_of(table, formats)), _core.arrow_array(batch)


@dataclass(frozen=True, slots=True)
class Batches:
    """Rows of a table as an Arrow stream whose batches are read on request.

    Any reader of the Arrow C stream interface accepts it, for example pyarrow.RecordBatchReader.from_stream.
    """

    table: Table
    names: list[str]
    rows: Rows | None
    rows_per_batch: int

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Independent. Return the stream as a capsule."""
        formats = {name: FORMATS[self.table[name].type] for name in self.names}
        return _core.arrow_stream(*schema_of(self.table, formats), self._read())

    def _read(self) -> Iterator[Batch]:
        whole = contiguous(self.table, self.rows)
        for done in range(0, whole.count, self.rows_per_batch):
            part = Selection(whole.first + done, 1, min(self.rows_per_batch, whole.count - done))
            yield read_batch(self.table, self.names, part, FORMATS["string"])[1]


@dataclass(frozen=True, slots=True)
class Stream:
    """An existing stream, for libraries that request it from an object."""

    capsule: Any

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Independent. Return the stream as a capsule; only once."""
        return self.capsule


def to_pyarrow(table: Table, names: Sequence[str], rows: Rows | None = None) -> Any:
    """Independent. Return a pyarrow.Table of one batch."""
    pyarrow = require("pyarrow", "a table for Arrow")
    return pyarrow.table(Stream(stream(table, names, rows)))


def columns_of(data: Any) -> list[FrameColumn]:
    """Independent. Return the columns of an object with the Arrow C data interface, for writing."""
    if hasattr(data, "__arrow_c_stream__"):
        source = _core.ArrowTable.from_stream(data.__arrow_c_stream__())
    else:
        source = _core.ArrowTable.from_array(*data.__arrow_c_array__())
    if source.format != "+s":
        raise TypeMismatchError(
            f"the Arrow data of the {type(data).__name__} are not a table",
            advice="give a table or a record batch",
        )
    return [
        FrameColumn(
            name,
            values_of(source, place, name, form, dictionary),
            Texts(*(metadata.get(key, "") for key in TEXTS)),
        )
        for place, (name, form, dictionary, metadata) in enumerate(source.columns)
    ]


def values_of(source: _core.ArrowTable, place: int, name: str, form: str, dictionary: str) -> Array:
    """Independent. Return the values of a column, without a copy if it is one batch of numbers."""
    if missing := source.missing(place):
        raise TypeMismatchError(
            f"{missing} values are missing, which files cannot store",
            object=name,
            advice="replace them, for example by fill_null",
        )
    batches = range(len(source.lengths))
    kind = dictionary or form
    if kind in TEXT_FORMATS:
        texts = [text for batch in batches for text in source.texts(batch, place)]
        values = np.empty(len(texts), dtype=object)
        values[:] = texts
        return values
    if form == "w:1":
        return np.array(
            [t.encode("utf-8", "surrogateescape") for b in batches for t in source.texts(b, place)], "S1"
        )
    if form not in DTYPES or dictionary:
        raise TypeMismatchError(
            f'values of the Arrow format "{kind}" cannot be stored',
            object=name,
            advice="cast the column to numbers or text",
        )
    dtype = np.dtype(DTYPES[form])
    parts = [source.numbers(batch, place).view(dtype) for batch in batches]
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0, dtype)
