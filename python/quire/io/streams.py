"""Streams: the bytes of tasks, read and written like files."""

from __future__ import annotations

import io
import operator
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire import _core
from quire.errors import Placing, UnsupportedOperationError, UsageError
from quire.io.arguments import number_of
from quire.io.lazy import found_once
from quire.io.memory import empty
from quire.io.refusal import tried
from quire.io.types import Array

if TYPE_CHECKING:
    from quire.io.step import Step


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a stream of records.

    >>> quire.Record(key=7, offset=16, size=8).size
    8
    """

    key: int
    offset: int
    """Offset of its bytes in the stream."""
    size: int


def byte_array(data: Any) -> Array:
    """Independent. Return any buffer as an array of bytes, without a copy."""
    view = memoryview(data)
    if not view.c_contiguous:
        view = memoryview(view.tobytes())
    if view.nbytes == 0:
        return np.empty(0, dtype=np.uint8)
    return np.frombuffer(view.cast("B"), dtype=np.uint8)


class Stream(io.RawIOBase):
    """The bytes of one task, as a raw binary file with a position.

    >>> with quire.open("streams.dat") as file:
    ...     stream = file[0].streams[0]
    ...     stream.size, stream.read(5)
    (11, b'first')
    """

    def __init__(self, core: _core.StreamReader, path: str) -> None:
        super().__init__()
        self._core = core
        self._path = path
        self._position = 0

    @property
    def rank(self) -> int:
        """The number of the task that wrote the stream."""
        return self._core.rank

    @property
    def index(self) -> int:
        """Index of the stream in the step."""
        return self._core.index

    @property
    def file(self) -> int:
        """Number of the physical file that contains it."""
        return self._core.file

    @property
    def file_index(self) -> int:
        """Index of the stream in that file."""
        return self._core.file_index

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self._core.size

    def __len__(self) -> int:
        return self._core.size

    def __bool__(self) -> bool:
        return True

    @property
    def chunk_size(self) -> int:
        """Bytes that the file reserves for each chunk."""
        return self._core.chunk_bytes

    @property
    def byte_order(self) -> str:
        """Byte order of the data, "little" or "big", as the writer stored it. Bytes are never swapped."""
        return self._core.order

    @property
    def has_records(self) -> bool:
        """Whether the stream is a sequence of records with keys."""
        return self._core.has_records

    @found_once
    def chunks(self) -> list[tuple[int, int]]:
        """Offset and length of the used part of each chunk, in the order of the stream."""
        return self._core.chunks

    @found_once
    def _ends(self) -> list[int]:
        return [int(end) for end in np.cumsum([length for _, length in self.chunks])]

    @property
    def left_in_chunk(self) -> int:
        """Bytes up to the end of the chunk that contains the next byte; 0 only at the end of the stream."""
        place = int(np.searchsorted(self._ends, self._position, side="right"))
        return self._ends[place] - self._position if place < len(self._ends) else 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        self._require_open()
        return self._position

    def write(self, data: Any, /) -> int:
        raise self._only_read("written to")

    def truncate(self, size: int | None = None, /) -> int:
        raise self._only_read("cut")

    def _only_read(self, what: str) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"a stream that is open for reading cannot be {what}",
            file=self._path,
            object=self._name,
            advice="write streams of a new file: quire.create",
        )

    @property
    def _name(self) -> str:
        return f"stream of task {self.rank}"

    def _require_open(self) -> None:
        if self.closed:
            raise UsageError("the stream is closed", file=self._path, object=self._name)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Independent. Move to a byte of the stream. Raises usage errors for positions outside."""
        self._require_open()
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}
        if whence not in base:
            raise UsageError(f"whence cannot be {whence}", file=self._path)
        position = base[whence] + operator.index(offset)
        if not 0 <= position <= self.size:
            raise UsageError(
                f"byte {position} is not inside a stream of {self.size} bytes",
                file=self._path,
                object=self._name,
            )
        self._position = position
        return position

    def readinto(self, buffer: Any, /) -> int:
        """Independent. Read the next bytes, across ends of chunks; returns 0 at the end."""
        self._require_open()
        view = memoryview(buffer).cast("B")
        if view.readonly:
            raise UsageError("the memory to read into cannot be changed", file=self._path, object=self._name)
        if view.nbytes == 0:
            return 0
        count = self._core.read_at(self._position, np.frombuffer(view, dtype=np.uint8))
        self._position += count
        return count

    def readall(self) -> bytes:
        """Independent. Read all bytes from the position to the end, with one request."""
        return self.read_at(self._position, self.size - self._position, move=True)

    def read_at(self, position: int, count: int, move: bool = False) -> bytes:
        """Independent. Read up to `count` bytes from a position of the stream."""
        self._require_open()
        if position < 0:
            raise UsageError(f"a stream has no byte {position}", file=self._path, object=self._name)
        with Placing(self._path, self._name):
            array = empty(max(min(count, self.size - position), 0), np.dtype(np.uint8), self._name)
        done = self._core.read_at(position, array) if array.size else 0
        if move:
            self._position = position + done
        return array[:done].tobytes()

    def iterate_records(self) -> Iterator[Record]:
        """Independent. Iterate over the records in the order in which they were written."""
        self._require_open()
        position = 0
        while (found := self._core.record_at(position)) is not None:
            record = Record(*found)
            yield record
            position = record.offset + record.size

    def records(self) -> list[Record]:
        """Independent. Return all records. Raises BadFileError if one does not fit into the stream."""
        return list(self.iterate_records())

    def keys(self) -> list[int]:
        """Independent. Return the keys of the records, each once, in the order of their first appearance."""
        return list(dict.fromkeys(record.key for record in self.iterate_records()))

    def value(self, key: int) -> bytes:
        """Independent. Return the concatenated values of all records of a key."""
        return b"".join(
            self.read_at(record.offset, record.size) for record in self.iterate_records() if record.key == key
        )

    def __repr__(self) -> str:
        return f"<Stream of task {self.rank}: {self.size} bytes in {len(self.chunks)} chunks>"


class Streams(Mapping[int, Stream]):
    """The streams of a step, by the numbers of their tasks.

    With several ranks `streams[number]` is collective: each rank opens one stream. `open` and `at` accept any
    number of streams on each rank, also none.

    >>> with quire.open("streams.dat") as file:
    ...     streams = file[0].streams
    ...     len(streams), list(streams), streams[1].read()
    (2, [0, 1], b'second task')
    """

    def __init__(self, step: Step, core: _core.ReadStep, path: str, count: int) -> None:
        self._step = step
        self._core = core
        self._path = path
        self._count = count

    def open(self, ranks: Sequence[int]) -> list[Stream]:
        """Collective. Open the streams of these tasks; each rank opens its own, or none."""
        return self._streams(ranks, False)

    def at(self, places: Sequence[int]) -> list[Stream]:
        """Collective. Open streams by their indices in the file, from 0 on."""
        return self._streams(places, True)

    def _streams(self, wanted: Sequence[int], by_index: bool) -> list[Stream]:
        numbers, refusal = tried(lambda: [number_of("stream", number) for number in wanted])
        return [
            Stream(core, self._path) for core in _core.streams(self._core, numbers or [], by_index, refusal)
        ]

    @found_once
    def ranks(self) -> list[int]:
        """Independent. Return the numbers of all tasks in the order of the file."""
        if self._count == 0:
            return []
        return [int(rank) for rank in self._step.table["rank"].read()]

    def __getitem__(self, rank: int) -> Stream:
        return self.open([rank])[0]

    def __iter__(self) -> Iterator[int]:
        return iter(self.ranks)

    def __contains__(self, rank: object) -> bool:
        return rank in self.ranks

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<Streams: {self._count}>"


class WriteStream:
    """A stream of a step that is being written. Returned by `WriteStep.stream`.

    >>> with quire.open("streams.dat") as file:
    ...     format = file.format
    >>> with quire.create("log.dat", format=format) as out, out.step(0) as step:
    ...     _ = step.stream(0).write(b"a line of this task")
    """

    @classmethod
    def begin(
        cls,
        step: _core.WriteStep,
        given: tuple[int, int | None, int | None, int | None],
        path: str,
        is_open: Callable[[], bool],
    ) -> WriteStream:
        """Independent. Add a stream to a step, with the arguments of `WriteStep.stream`."""
        for name, value in zip(("rank", "chunk_size", "file", "index"), given, strict=True):
            if value is not None and value < 0:
                raise UsageError(f"{name} cannot be {value}", file=path)
        return cls(_core.stream(step, *given), given[0], path, is_open)

    def __init__(self, core: _core.StreamWriter, rank: int, path: str, is_open: Callable[[], bool]) -> None:
        self._core = core
        self._rank = rank
        self._path = path
        self._is_open = is_open

    @property
    def rank(self) -> int:
        """The number of the task."""
        return self._rank

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._core.size

    @property
    def left_in_chunk(self) -> int:
        """Free bytes in the current chunk; known after `WriteStep.open`."""
        with Placing(self._path, self._name):
            return self._core.left_in_chunk

    @property
    def _name(self) -> str:
        return f"stream of task {self._rank}"

    def write(self, data: Any) -> int:
        """Independent. Write a piece, which is stored in one chunk; returns its number of bytes.

        `data` is any buffer. Before `WriteStep.open` it is kept by reference until the commit and must not
        change; afterwards it is written immediately.
        """
        return self._put(self._core.write, data)

    def write_together(self, data: Any) -> int:
        """Independent. Write a piece that is stored together with those of other tasks in a merged file.

        All tasks of a group make the same number of these calls, with empty data if they have none.
        """
        return self._put(self._core.write_together, data)

    def write_record(self, key: int, data: Any) -> int:
        """Independent. Write a record with a key from 0 to 2**64 - 1, in a file of records."""
        if not 0 <= key < 1 << 64:
            raise UsageError(f"a key cannot be {key}", file=self._path, object=self._name)
        return self._put(lambda array, is_open: self._core.write_record(key, array, is_open), data)

    def ensure_space(self, count: int) -> None:
        """Independent. Start a new chunk unless this number of bytes fits into the current one."""
        with Placing(self._path, self._name):
            self._core.ensure_space(count)

    def _put(self, put: Callable[[Array, bool], None], data: Any) -> int:
        array = byte_array(data)
        with Placing(self._path, self._name):
            put(array, self._is_open())
        return int(array.size)

    def __repr__(self) -> str:
        return f"<WriteStream of task {self._rank}: {self.size} bytes>"
