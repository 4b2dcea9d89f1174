"""Streams: the bytes of single tasks, read and written like files."""

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
    """One record of a stream of records."""

    key: int
    offset: int
    """Of its bytes, in the stream."""
    size: int


def byte_array(data: Any) -> Array:
    """Independent. Anything that has bytes as an array of them, without a copy."""
    view = memoryview(data)
    if not view.c_contiguous:
        view = memoryview(view.tobytes())
    if view.nbytes == 0:
        return np.empty(0, dtype=np.uint8)
    return np.frombuffer(view.cast("B"), dtype=np.uint8)


class Stream(io.RawIOBase):
    """The bytes of one task, with a position of its own; a raw binary file for Python."""

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
        """Its place among the streams of the step."""
        return self._core.index

    @property
    def file(self) -> int:
        """Which of several physical files has it."""
        return self._core.file

    @property
    def file_index(self) -> int:
        """Its place in that file."""
        return self._core.file_index

    @property
    def size(self) -> int:
        """Bytes in all."""
        return self._core.size

    def __len__(self) -> int:
        return self._core.size

    def __bool__(self) -> bool:
        return True

    @property
    def chunk_size(self) -> int:
        """Bytes that the file keeps free for each chunk."""
        return self._core.chunk_bytes

    @property
    def byte_order(self) -> str:
        """Of the data, "little" or "big", as the writer has noted it; nobody swaps bytes."""
        return self._core.order

    @property
    def has_records(self) -> bool:
        """Whether the stream is a sequence of records with keys."""
        return self._core.has_records

    @found_once
    def chunks(self) -> list[tuple[int, int]]:
        """Address and length of the used part of each chunk, in the order of the stream."""
        return self._core.chunks

    @found_once
    def _ends(self) -> list[int]:
        return [int(end) for end in np.cumsum([length for _, length in self.chunks])]

    @property
    def left_in_chunk(self) -> int:
        """Bytes up to the end of the chunk that has the next byte; 0 only at the end of the stream."""
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
            f"a stream that is read cannot be {what}",
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
        """Independent. Move to a byte of the stream; usage errors in front of it and beyond its end."""
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
        """Independent. The next bytes, across the ends of chunks; 0 at the end."""
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
        """Independent. Everything from the position to the end, with one request."""
        return self.read_at(self._position, self.size - self._position, move=True)

    def read_at(self, position: int, count: int, move: bool = False) -> bytes:
        """Independent. Up to `count` bytes from a place of the stream on: as many as there are."""
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
        """Independent. The records in the order in which they were written, head by head."""
        self._require_open()
        position = 0
        while (found := self._core.record_at(position)) is not None:
            record = Record(*found)
            yield record
            position = record.offset + record.size

    def records(self) -> list[Record]:
        """Independent. All records. BadFileError if one does not fit into the stream."""
        return list(self.iterate_records())

    def keys(self) -> list[int]:
        """Independent. The keys of the records, each once, in the order in which they first appear."""
        return list(dict.fromkeys(record.key for record in self.iterate_records()))

    def value(self, key: int) -> bytes:
        """Independent. What all records of a key hold, one behind the other."""
        return b"".join(
            self.read_at(record.offset, record.size) for record in self.iterate_records() if record.key == key
        )

    def __repr__(self) -> str:
        return f"<Stream of task {self.rank}: {self.size} bytes in {len(self.chunks)} chunks>"


class Streams(Mapping[int, Stream]):
    """The streams of a step by the numbers of their tasks.

    With several ranks `streams[number]` is collective: every rank asks for one. `open` and `at` take any
    number, also none, so that each rank reads what it wants.
    """

    def __init__(self, step: Step, core: _core.ReadStep, path: str, count: int) -> None:
        self._step = step
        self._core = core
        self._path = path
        self._count = count

    def open(self, ranks: Sequence[int]) -> list[Stream]:
        """Collective. The streams of these tasks; every rank asks for its own, or for none."""
        return self._streams(ranks, False)

    def at(self, places: Sequence[int]) -> list[Stream]:
        """Collective. The same by their places in the file, from 0 on."""
        return self._streams(places, True)

    def _streams(self, wanted: Sequence[int], by_index: bool) -> list[Stream]:
        numbers, refusal = tried(lambda: [number_of("stream", number) for number in wanted])
        return [
            Stream(core, self._path) for core in _core.streams(self._core, numbers or [], by_index, refusal)
        ]

    @found_once
    def ranks(self) -> list[int]:
        """Independent. The numbers of all tasks in the order of the file."""
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
    """A stream of a step that is being written. Made by `WriteStep.stream`."""

    @classmethod
    def begin(
        cls,
        step: _core.WriteStep,
        given: tuple[int, int | None, int | None, int | None],
        path: str,
        is_open: Callable[[], bool],
    ) -> WriteStream:
        """Independent. One more stream of a step, with what `WriteStep.stream` was given."""
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
        """The number of its task."""
        return self._rank

    @property
    def size(self) -> int:
        """Bytes of all pieces so far."""
        return self._core.size

    @property
    def left_in_chunk(self) -> int:
        """Room in the present chunk; known once the step is open."""
        with Placing(self._path, self._name):
            return self._core.left_in_chunk

    @property
    def _name(self) -> str:
        return f"stream of task {self._rank}"

    def write(self, data: Any) -> int:
        """Independent. A piece, which stays together in one chunk; returns its number of bytes.

        `data` is anything that has bytes. Before `WriteStep.open` it is kept by reference until the commit,
        and must not change; afterwards it goes to the file at once.
        """
        return self._put(self._core.write, data)

    def write_together(self, data: Any) -> int:
        """Independent. A piece that a merging file puts together with those of other tasks.

        Every task of a group makes the same number of these calls, with no bytes if it has none.
        """
        return self._put(self._core.write_together, data)

    def write_record(self, key: int, data: Any) -> int:
        """Independent. A record with a key from 0 to 2**64 - 1, in a file of records."""
        if not 0 <= key < 1 << 64:
            raise UsageError(f"a key cannot be {key}", file=self._path, object=self._name)
        return self._put(lambda array, is_open: self._core.write_record(key, array, is_open), data)

    def ensure_space(self, count: int) -> None:
        """Independent. Let the next piece begin a chunk unless so many bytes fit into the present one."""
        with Placing(self._path, self._name):
            self._core.ensure_space(count)

    def _put(self, put: Callable[[Array, bool], None], data: Any) -> int:
        array = byte_array(data)
        with Placing(self._path, self._name):
            put(array, self._is_open())
        return int(array.size)

    def __repr__(self) -> str:
        return f"<WriteStream of task {self._rank}: {self.size} bytes>"
