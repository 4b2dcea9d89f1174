"""Tables in temporary files: rows that do not fit into the memory on their way from one verb to the next."""

from __future__ import annotations

import itertools
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from quire.errors import InputOutputError
from quire.io.types import Array, dtype_of
from quire.toolkit.copied_table import rows_of
from quire.verbs.steplike import MadeTable, NewColumn, as_floats

if TYPE_CHECKING:
    from quire.io.table import Progress


class Spill:
    """Bytes in a temporary file without a name, which the system removes with the process."""

    def __init__(self) -> None:
        try:
            self._file = tempfile.TemporaryFile(prefix="quire-", buffering=0)  # noqa: SIM115
        except OSError as problem:
            raise failed(problem) from problem
        weakref.finalize(self, self._file.close)

    def append(self, data: Any) -> None:
        """Independent. Write bytes at the end. Raises InputOutputError, for example if the disk is full."""
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as problem:
            raise failed(problem) from problem

    def read_into(self, data: Any, offset: int) -> None:
        """Independent. Read bytes at an offset."""
        left = memoryview(data)
        while left:
            count = os.preadv(self._file.fileno(), [left], offset)
            if count == 0:
                raise InputOutputError("a temporary file is shorter than what was written to it")
            left, offset = left[count:], offset + count


def failed(problem: OSError) -> InputOutputError:
    """Independent. Return the error of a temporary file."""
    return InputOutputError(
        f"temporary files cannot be written: {problem.strerror}",
        file=tempfile.gettempdir(),
        advice="choose another directory by the environment variable TMPDIR",
    )


class SpilledColumn(Protocol):
    """The values of a column in temporary files."""

    def append(self, values: Array) -> None:
        """Independent. Add values at the end."""

    def read(self, first: int, count: int) -> Array:
        """Independent. Return the values of contiguous rows."""


class SpilledNumbers:
    """Numbers, or characters."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._values = Spill()

    def append(self, values: Array) -> None:
        """Independent. Add values at the end."""
        self._values.append(np.ascontiguousarray(values, self._dtype).view(np.uint8))

    def read(self, first: int, count: int) -> Array:
        """Independent. Return the values of contiguous rows."""
        values = np.empty(count, self._dtype)
        self._values.read_into(values.view(np.uint8), first * self._dtype.itemsize)
        return values


class SpilledTexts:
    """Texts, with bytes that are not UTF-8 as surrogates."""

    def __init__(self) -> None:
        self._ends = SpilledNumbers(np.dtype(np.int64))
        self._bytes = Spill()
        self._end = 0

    def append(self, values: Array) -> None:
        """Independent. Add values at the end."""
        encoded = [text.encode("utf-8", "surrogateescape") for text in values]
        ends = self._end + np.cumsum([len(one) for one in encoded], dtype=np.int64)
        self._ends.append(ends)
        self._bytes.append(b"".join(encoded))
        self._end = int(ends[-1]) if len(ends) else self._end

    def read(self, first: int, count: int) -> Array:
        """Independent. Return the values of contiguous rows."""
        before = self._ends.read(first - 1, 1) if first else np.zeros(1, np.int64)
        ends = np.concatenate([before, self._ends.read(first, count)])
        data = np.empty(int(ends[-1] - ends[0]), np.uint8)
        self._bytes.read_into(data, int(ends[0]))
        packed = data.tobytes()
        values = np.empty(count, object)
        places = (ends - ends[0]).tolist()
        values[:] = [
            packed[begin:end].decode("utf-8", "surrogateescape") for begin, end in itertools.pairwise(places)
        ]
        return values


def spilled_column(kind: str) -> SpilledColumn:
    """Independent. Return an empty column of a type."""
    return SpilledTexts() if kind == "string" else SpilledNumbers(dtype_of(kind))


class SpilledRows:
    """Columns in temporary files, which are written once and read by ranges of rows.

    The files are removed with the last table that reads them.
    """

    def __init__(self, types: Mapping[str, str]) -> None:
        self.types = types
        self._columns = {name: spilled_column(kind) for name, kind in types.items()}
        self._missing: dict[str, SpilledNumbers] = {}
        self.missing: dict[str, int] = {}
        """Columns with missing values, and their number."""
        self.count = 0

    def append(self, block: Mapping[str, Array], missing: Mapping[str, Array], rows: int) -> None:
        """Independent. Add rows. `missing` has a Boolean for each row of columns without some values."""
        for name, values in block.items():
            self._columns[name].append(values)
        for name, marks in missing.items():
            if name not in self._missing:
                self._missing[name] = SpilledNumbers(np.dtype(bool))
                self._missing[name].append(np.zeros(self.count, bool))
                self.missing[name] = 0
            self.missing[name] += int(marks.sum())
        for name, column in self._missing.items():
            column.append(missing.get(name, np.zeros(rows, bool)))
        self.count += rows

    def read(self, name: str, first: int, count: int) -> Array:
        """Independent. Return the values of contiguous rows; missing ones are NaN, or empty texts.

        Raises TypeMismatchError where an integer beside missing values would be rounded.
        """
        values = self._columns[name].read(first, count)
        if name not in self._missing:
            return values
        if values.dtype.kind in "iu":
            values = as_floats(values, name)
        values[self._missing[name].read(first, count)] = nothing_of(values.dtype)
        return values


def nothing_of(dtype: np.dtype[Any]) -> Any:
    """Independent. Return what a missing value of a type is: NaN, or an empty text."""
    return {"S": b"", "O": ""}.get(dtype.kind, np.nan)


class RowsInFiles(Protocol):
    """Rows in temporary files, now or when they are first read."""

    @property
    def count(self) -> int:
        """The number of rows."""

    @property
    def missing(self) -> Mapping[str, int]:
        """Columns with missing values, and their number."""

    def read(self, name: str, first: int, count: int) -> Array:
        """Independent. Return the values of contiguous rows."""


class SpilledTable(MadeTable):
    """Contiguous rows in temporary files."""

    def __init__(
        self, columns: Iterable[Any], rows: RowsInFiles, name: str = "", part: tuple[int, int] | None = None
    ) -> None:
        self._spilled = rows
        self._first, count = part or (0, rows.count)
        super().__init__((self._new_column(one, count) for one in columns), count, name)

    def _new_column(self, column: Any, count: int) -> NewColumn:
        read = partial(self._spilled.read, column.name, self._first, count)
        if column.name in self._spilled.missing and dtype_of(column.type).kind in "iu":
            return NewColumn(column.name, read, column.unit, "float64")
        return NewColumn.like(column, read)

    def part(self, first: int, count: int) -> SpilledTable:
        """Independent. Return some of the rows as a table."""
        return SpilledTable(self.columns.values(), self._spilled, self.name, (self._first + first, count))

    def blocks(
        self,
        names: Iterable[str],
        rows_per_block: int | None = None,
        rows: Any = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`."""
        wanted: Sequence[str] = list(names)
        first, count = rows_of(rows, len(self))
        size = rows_per_block or self.rows_per_block(wanted)
        for start in range(first, first + count, size):
            here = min(size, first + count - start)
            yield start, {name: self._spilled.read(name, self._first + start, here) for name in wanted}
            if progress is not None:
                progress(start + here - first, count)
