"""Streams, in every format that has them: like files for Python, by any ranks, in any pieces."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, stream_formats
from tests.python.support.mpi import run_ranks

import quire

FORMATS = stream_formats()


def data(task: int, count: int) -> bytes:
    """Bytes that belong to a task."""
    return np.random.default_rng(task).bytes(count)


def write(path: Path, format_name: str, streams: dict[int, list[bytes]], **options: Any) -> None:
    """A file of streams in pieces."""
    with quire.create(path, format=format_name, **options) as out, out.step(0) as step:
        for task, pieces in streams.items():
            stream = step.stream(rank=task, chunk_size=max(map(len, pieces), default=0))
            for piece in pieces:
                stream.write(piece)


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_stream_is_a_binary_file(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    content = data(3, 1000)
    write(path, format_name, {3: [content[:400], content[400:]], 7: []})
    with quire.open(path) as file:
        step = file[0]
        assert len(step.streams) == 2
        assert list(step.streams) == [3, 7]
        assert 3 in step.streams
        assert 4 not in step.streams
        assert "2 streams" in repr(step)
        stream = step.streams[3]
        assert isinstance(stream, io.RawIOBase)
        assert stream.read() == content
        assert stream.read() == b""
        assert stream.left_in_chunk == 0
        assert stream.seek(-10, os.SEEK_END) == 990
        buffered = io.BufferedReader(stream)
        assert buffered.read(4) == content[990:994]
        assert buffered.detach() is stream
        stream.seek(5)
        target = bytearray(20)
        assert stream.readinto(target) == 20
        assert bytes(target) == content[5:25]
        assert stream.tell() == 25
        for wrong in (-1, 1001):
            with pytest.raises(quire.UsageError):
                stream.seek(wrong)
        assert step.streams[7].readall() == b""
        with pytest.raises(quire.MissingError, match="task 4"):
            step.streams[4]
        with pytest.raises(quire.UnsupportedError):
            stream.records()


@pytest.mark.parametrize("format_name", FORMATS)
def test_what_a_stream_cannot_do_is_refused_as_files_do(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    write(path, format_name, {3: [b"abc"]})
    with quire.open(path) as file:
        stream = file[0].streams[3]
        assert not stream.writable()
        with pytest.raises(quire.UnsupportedOperationError, match="stream of task 3") as caught:
            stream.write(b"x")
        assert isinstance(caught.value, io.UnsupportedOperation)
        with pytest.raises(io.UnsupportedOperation):
            stream.truncate(0)
        with pytest.raises(quire.UsageError, match="no byte -1"):
            stream.read_at(-1, 1)
        assert stream.read_at(1, 1 << 60) == b"bc"
        assert stream.read_at(1 << 70, 1) == b""
        with pytest.raises(ValueError, match="cannot be changed"):
            stream.readinto(b"123")
        stream.close()
        for late in (stream.read, stream.tell, stream.readall, stream.records, lambda: stream.seek(0)):
            with pytest.raises(ValueError, match="closed"):
                late()


@pytest.mark.parametrize("format_name", FORMATS)
def test_pieces_go_to_the_file_at_once_when_the_step_is_open(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        stream = step.stream(rank=0, chunk_size=100)
        with pytest.raises(quire.UsageError):
            assert stream.left_in_chunk
        step.open()
        room = stream.left_in_chunk
        buffer = bytearray(b"a" * 60)
        stream.write(buffer)
        buffer[:] = b"b" * 60
        assert stream.left_in_chunk == room - 60
        stream.write(np.arange(5, dtype=np.int32))
        assert stream.size == 80
        with pytest.raises(quire.UsageError):
            step.stream(rank=1)
    with quire.open(path) as file:
        assert file[0].streams[0].readall() == b"a" * 60 + np.arange(5, dtype=np.int32).tobytes()


@pytest.mark.parametrize("format_name", FORMATS)
def test_records_have_keys(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    with quire.create(path, format=format_name, keys=True) as out, out.step(0) as step:
        written = step.stream(rank=0, chunk_size=64)
        for key, value in ((5, b"one"), (2**64 - 1, b""), (5, b"two" * 100)):
            written.write_record(key, value)
        with pytest.raises(quire.UsageError):
            written.write(b"no record")
        with pytest.raises(quire.UsageError):
            written.write_record(-1, b"")
    with quire.open(path) as file:
        stream = file[0].streams[0]
        assert stream.has_records
        assert stream.keys() == [5, 2**64 - 1]
        assert stream.value(5) == b"one" + b"two" * 100
        assert [record.size for record in stream.records()] == [3, 0, 300]


@pytest.mark.parametrize("format_name", FORMATS)
def test_what_fails_leaves_the_bytes_alone(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    with (
        pytest.raises(quire.UsageError, match="does not fit"),
        quire.create(path, format=format_name) as out,
        out.step(0) as step,
    ):
        step.stream(rank=0, chunk_size=3).write(b"x" * 10_000)
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        for wrong in ({"rank": -1}, {"rank": 0, "chunk_size": -1}):
            with pytest.raises(quire.UsageError):
                step.stream(**wrong)
        step.stream(rank=0).write(b"kept")
    with quire.open(path) as file:
        assert file[0].streams[0].readall() == b"kept"


@pytest.mark.parametrize("format_name", FORMATS)
def test_tables_are_refused_by_formats_of_streams(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    with (
        pytest.raises(quire.UnsupportedError),
        quire.create(path, format=format_name) as out,
        out.step(0) as step,
    ):
        step.put("x", np.arange(3.0))


@settings(max_examples=40)
@given(
    sizes=st.lists(st.lists(st.integers(0, 300), max_size=5), min_size=1, max_size=6),
    options=st.sampled_from(
        [
            {"block_size": 1},
            {"block_size": 64, "mode": "collective", "collsize": 2},
            {"style": "compact"},
            {"block_size": 1000, "interface": "serial"},
            {"block_size": 64, "byte_order": "big"},
        ]
    ),
)
@pytest.mark.parametrize("format_name", FORMATS)
def test_any_pieces_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    format_name: str,
    sizes: list[list[int]],
    options: dict[str, Any],
) -> None:
    path = path_for(tmp_path_factory.mktemp("streams"), format_name)
    streams = {
        task: [data(100 * task + i, size) for i, size in enumerate(pieces)]
        for task, pieces in enumerate(sizes)
    }
    write(path, format_name, streams, **options)
    with quire.open(path) as file:
        assert file.check().damage is None
        for stream in file[0].streams.at(range(len(sizes))):
            assert stream.readall() == b"".join(streams[stream.rank])


def write_together(comm: Any, path: str, format_name: str, options: dict[str, Any]) -> None:
    """Several ranks write seven streams, which go round; each reads those of its neighbour."""
    tasks = 7
    with quire.create(path, comm=comm, format=format_name, **options) as out, out.step(0) as step:
        for task in range(comm.rank, tasks, comm.size):
            written = step.stream(rank=task, chunk_size=500)
            for piece in range(3):
                written.write_together(data(10 * task + piece, 50 * task % 170))
    with quire.open(path, comm=comm) as file:
        wanted = list(range((comm.rank + 1) % comm.size, tasks, comm.size))
        for task, stream in zip(wanted, file[0].streams.open(wanted), strict=True):
            assert stream.rank == task
            assert stream.readall() == b"".join(data(10 * task + i, 50 * task % 170) for i in range(3))


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize(
    "options",
    [{}, {"mode": "merge", "style": "compact"}, {"files": 3}, {"mode": "merge", "origins": "kept"}],
    ids=["plain", "compact_merge", "files", "merge"],
)
@pytest.mark.parametrize("format_name", FORMATS)
def test_ranks_write_and_read_streams_together(
    tmp_path: Path, format_name: str, options: dict[str, Any], ranks: int
) -> None:
    run_ranks(write_together, ranks, str(path_for(tmp_path, format_name)), format_name, options)
