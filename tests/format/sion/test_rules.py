"""Files that a reader must refuse, and bytes that it must ignore: specs/sion.md sections 1, 2, 6 and 9."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Any

import pytest
from tests.python.support.mpi import run_ranks

import quire

DATA = Path(__file__).resolve().parents[2] / "data" / "sion"

# Offsets in s03_serial_multi.sion, which has three tasks and four blocks of 64 bytes.
CHUNK_SIZES = 1076 + 3 * 8
BLOCKS = 1076 + 3 * 16
SECOND_AT = BLOCKS + 4
SECOND = 2176
USED = SECOND + 3 * 8


def i32(value: int) -> bytes:
    return struct.pack("<i", value)


def i64(value: int) -> bytes:
    return struct.pack("<q", value)


def changed(folder: Path, name: str, *changes: tuple[int, bytes], of: str = "") -> Path:
    """Copy all files of a vector; one of them has changed bytes."""
    for file in DATA.glob(f"{name}*"):
        if file.suffix != ".json":
            shutil.copy(file, folder)
    target = folder / f"{name}{of}"
    data = bytearray(target.read_bytes())
    for at, new in changes:
        data[at : at + len(new)] = new
    target.write_bytes(data)
    return folder / name


def read(path: Path, **options: Any) -> dict[int, bytes]:
    """All streams, after the check of every record."""
    with quire.open(path, format="sion", **options) as file:
        damage = file.check().damage
        if damage is not None:
            raise damage
        return {stream.rank: stream.readall() for stream in file[0].streams.at(range(len(file[0].streams)))}


REFUSED = {
    "the magic": ([(0, b"sioN")], "mark of a multifile"),
    "an asymmetric word of byte orders": ([(4, b"\1\0\0\0")], "none of the four"),
    "another asymmetric word": ([(4, b"\0\1\0\0")], "none of the four"),
    "a word of other numbers": ([(4, b"\2\2\2\2")], "none of the four"),
    "version 1": ([(16, i32(1))], "version 1"),
    "a version below 0": ([(16, i32(-5))], "version -5"),
    "version 6": ([(16, i32(6))], "version 6"),
    "no block size": ([(20, i32(0))], "block size is 0"),
    "a block size below 0": ([(20, i32(-1))], "block size is -1"),
    "no tasks": ([(24, i32(0))], "number of tasks is 0"),
    "tasks below 0": ([(24, i32(-1))], "number of tasks is -1"),
    "more tasks than fit into the file": ([(24, i32(2**31 - 1))], "too short"),
    "no files": ([(28, i32(0))], "number of files is 0"),
    "files below 0": ([(28, i32(-2))], "number of files is -2"),
    "a number after the last file": ([(32, i32(2))], "number 2 of 1"),
    "a file number below 0": ([(32, i32(-1))], "number -1 of 1"),
    "a chunk size below 0": ([(CHUNK_SIZES + 8, i64(-64))], "chunk size -64"),
    "chunk sizes whose sum has no 64 bits": (
        [(CHUNK_SIZES, i64(2**62) + i64(2**62))],
        "beyond what a file can have",
    ),
    "no blocks": ([(BLOCKS, i32(0))], "number of blocks is 0"),
    "blocks below 0": ([(BLOCKS, i32(-1))], "number of blocks is -1"),
    "more blocks than fit into the file": ([(BLOCKS, i32(2**31 - 1))], "beyond the end of the file"),
    "a file that was not closed": ([(SECOND_AT, i64(0))], "not closed"),
    "sizes before the file": ([(SECOND_AT, i64(-8))], "beyond the end of the file"),
    "sizes after the file": ([(SECOND_AT, i64(2**62))], "beyond the end of the file"),
    "sizes where the blocks do not end": ([(SECOND_AT, i64(SECOND - 64))], "blocks end at byte 2176"),
    "a task without a chunk": ([(SECOND, i64(0))], "has 0 chunks"),
    "a task with more chunks than blocks": ([(SECOND, i64(5))], "has 5 chunks"),
    "blocks that no task reaches": ([(SECOND, i64(3))], "no task has more than 3"),
    "a chunk with bytes below 0": ([(USED, i64(-1))], "has -1 bytes"),
    "a chunk with more bytes than room": ([(USED, i64(129))], "room for 128"),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_a_file_is_refused_for(tmp_path: Path, rule: str) -> None:
    changes, match = REFUSED[rule]
    path = changed(tmp_path, "s03_serial_multi.sion", *changes)
    with pytest.raises(quire.BadFileError, match=match):
        read(path)


# The table of all tasks of m05_mapped.sion: five entries of file and place, at the end of the first file.
TABLE = (DATA / "m05_mapped.sion").stat().st_size - 5 * 8
REFUSED_SETS = {
    "a table with fewer entries than tasks": (
        "",
        [(TABLE - 4, i32(4))],
        "has 4 entries, the files have 5 tasks",
    ),
    "an incomplete table": ("", [(TABLE - 4, i32(6))], "which the file does not contain"),
    "a table without entries": ("", [(TABLE - 4, i32(0))], "has 0 entries"),
    "a file that the set does not have": ("", [(TABLE + 8, i32(2))], "file 2 of 2"),
    "a file below 0": ("", [(TABLE + 8, i32(-1))], "file -1 of 2"),
    "a place that the file does not have": ("", [(TABLE + 4, i32(2))], "a place that the file does not have"),
    "a place below 0": ("", [(TABLE + 4, i32(-1))], "place -1"),
    "a place of another task": ("", [(TABLE + 4, i32(1))], "leads to task 2"),
    "a sibling that is no multifile": (".000001", [(0, b"none")], "mark of a multifile"),
    "a sibling of a larger set": (".000001", [(28, i32(3))], "file 1 of 3, not 1 of 2"),
    "a sibling with another number": (".000001", [(32, i32(0))], "file 0 of 2, not 1 of 2"),
    "a sibling with other tasks": (".000001", [(1076, i64(7))], "leads to task 7"),
    "a sibling that was not closed": (".000001", [(1076 + 3 * 16 + 4, i64(0))], "not closed"),
}


@pytest.mark.parametrize("rule", REFUSED_SETS)
def test_a_set_is_refused_for(tmp_path: Path, rule: str) -> None:
    of, changes, match = REFUSED_SETS[rule]
    path = changed(tmp_path, "m05_mapped.sion", *changes, of=of)
    with pytest.raises(quire.BadFileError, match=match):
        read(path)


def test_a_set_without_one_of_its_files_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, "m05_mapped.sion")
    path.with_name("m05_mapped.sion.000001").unlink()
    with pytest.raises(quire.MissingError, match=r"m05_mapped\.sion\.000001 is missing"):
        read(path)


# The stream of task 0 of k02_keyval.sion has 108 bytes from 1152 on, in chunks of 64 and 44.
REFUSED_RECORDS = {
    "a record that is longer than its stream": ([(1160, i64(93))], "does not fit into the 92"),
    "a length of nearly 2**64": ([(1160, b"\xff" * 8)], "18446744073709551615 bytes does not fit"),
    "a stream that ends inside a head": ([(1792 + 2 * 8 + 2 * 8, i64(26))], "inside the head"),
    "a stream that ends inside a value": ([(1792 + 2 * 8 + 2 * 8, i64(43))], "does not fit"),
}


@pytest.mark.parametrize("rule", REFUSED_RECORDS)
def test_records_are_refused_for(tmp_path: Path, rule: str) -> None:
    changes, match = REFUSED_RECORDS[rule]
    path = changed(tmp_path, "k02_keyval.sion", *changes)
    with pytest.raises(quire.BadFileError, match=match):
        read(path)
    with quire.open(path, format="sion") as file:
        assert file[0].streams[0].readall(), "the bytes can be read as stored"
        with pytest.raises(quire.BadFileError):
            file[0].streams[0].records()


# Unused slots of task 1, which has one chunk, gaps, and fields that are only informative.
IGNORED = {
    "slots of blocks that a task has not reached": [(USED + 3 * 8 + 8, i64(-1)), (USED + 6 * 8 + 8, i64(99))],
    "the gap before the data": [(1140, b"\xff" * 12)],
    "the rest of a chunk": [(1152 + 100, b"\xff" * 28)],
    "the version of the writer": [(8, i32(99)), (12, i32(-1))],
    "the second word of flags": [(44, i64(-1))],
    "a mode that is 0": [(36, i64(0))],
    "a name without an end": [(52, b"x" * 1024)],
    "a number of 0 instead of 1 in the only file": [(32, i32(0))],
    "entries of the table of a single file": [(2296, i32(-7))],
    "bytes after the end": [(2300, b"QUIREorg" * 9)],
}


@pytest.mark.parametrize("rule", IGNORED)
def test_a_reader_ignores(tmp_path: Path, rule: str) -> None:
    path = changed(tmp_path, "s03_serial_multi.sion", *IGNORED[rule])
    assert read(path) == read(DATA / "s03_serial_multi.sion")


@pytest.mark.parametrize(
    ("word", "orders"), [(b"\0\1\1\0", ("little", "big")), (b"\0\0\0\0", ("little", "little"))]
)
def test_the_data_are_never_swapped(tmp_path: Path, word: bytes, orders: tuple[str, str]) -> None:
    path = changed(tmp_path, "s03_serial_multi.sion", (4, word))
    assert read(path) == read(DATA / "s03_serial_multi.sion")
    with quire.open(path) as file:
        assert (file.layout["byte order"], file.layout["data byte order"]) == orders
        assert file[0].streams[10].byte_order == orders[1]


@pytest.mark.parametrize("mode", [50, 52, 53, 54])
def test_modes_without_records_on_disk_are_plain_streams(tmp_path: Path, mode: int) -> None:
    path = changed(tmp_path, "s03_serial_multi.sion", (36, i64(mode << 32)))
    assert read(path) == read(DATA / "s03_serial_multi.sion")


def test_newer_versions_are_read_on_request(tmp_path: Path) -> None:
    path = changed(tmp_path, "s03_serial_multi.sion", (16, i32(6)))
    assert read(path, lenient=True) == read(DATA / "s03_serial_multi.sion")


def test_a_task_may_have_several_streams_in_files_of_the_serial_interface(tmp_path: Path) -> None:
    path = changed(tmp_path, "s03_serial_multi.sion", (1076, i64(42)))
    with quire.open(path) as file:
        assert file[0].streams.ranks == [42, 7, 42]
        assert [len(stream) for stream in file[0].streams.at([0, 2])] == [388, 65]
        with pytest.raises(quire.UsageError, match="several streams are of task 42"):
            file[0].streams[42]


def test_tasks_with_negative_numbers_keep_copies_and_are_left_out(tmp_path: Path) -> None:
    path = changed(tmp_path, "s03_serial_multi.sion", (1076 + 8, i64(-8)))
    with quire.open(path) as file:
        assert file[0].streams.ranks == [10, 42]


@pytest.mark.parametrize("replacement", ["whole", "direct"])
def test_the_stored_name_is_the_final_one(tmp_path: Path, replacement: str) -> None:
    path = tmp_path / "final.sion"
    with quire.create(path, replacement=replacement, files=2) as out, out.step(0) as step:
        for task in range(2):
            step.stream(task).write(b"x")
    for name in ("final.sion", "final.sion.000001"):
        with quire.open(tmp_path / name) as file:
            assert file.layout["stored name"] == str(path)


def replace_in_pieces(comm: Any, path: str, transport: str) -> None:
    with (
        quire.create(path, comm, transport=transport, replacement="whole", deadline=30) as out,
        out.step(0) as step,
    ):
        stream = step.stream(comm.rank, chunk_size=4096)
        step.open()
        stream.write(bytes([comm.rank]) * 10)


@pytest.mark.mpi
@pytest.mark.parametrize("transport", ["posix", "mpi_independent", "mpi_collective"])
def test_removed_notes_are_not_synchronized(tmp_path: Path, transport: str) -> None:
    path = tmp_path / "noted.sion"
    run_ranks(replace_in_pieces, 2, str(path), transport)
    with quire.open(path) as file:
        assert [stream.read() for stream in file[0].streams.at([0, 1])] == [b"\0" * 10, b"\1" * 10]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("options", [{"files": 2}, {"files": 2, "copies": 1}])
def test_a_set_is_not_replaced_through_a_link(tmp_path: Path, options: dict[str, int]) -> None:
    """Its members would be created next to the target of the link, where no reader of the link finds them."""

    def write(text: bytes, replacement: str, **options: Any) -> None:
        with quire.create(link, replacement=replacement, **options) as out, out.step(0) as step:
            for task in range(2):
                step.stream(task).write(text)

    (tmp_path / "real").mkdir()
    link = tmp_path / "run.sion"
    link.symlink_to("real/run.sion")
    write(b"old", "direct", **options)
    there = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    with pytest.raises(quire.ConflictError, match="symbolic link"):
        write(b"new", "whole", **options)
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == there
    assert set(read(link).values()) == {b"old"}
    write(b"new", "whole")
    assert link.is_symlink()
    assert set(read(link).values()) == {b"new"}


@pytest.mark.parametrize("options", [{}, {"files": 2}])
def test_a_multifile_is_written_through_a_link_in_place(tmp_path: Path, options: dict[str, Any]) -> None:
    """Further files cannot be moved next to the target of the link atomically; the preset refuses nothing."""
    (tmp_path / "real").mkdir()
    link = tmp_path / "run.sion"
    link.symlink_to("real/run.sion")
    for text in (b"old", b"new"):
        with quire.create(link, **options) as out, out.step(0) as step:
            for task in range(2):
                step.stream(task).write(text)
        assert set(read(link).values()) == {text}
    assert link.is_symlink()
    assert all(not entry.name.count("quire") for entry in tmp_path.rglob("*"))


def test_a_chunk_that_no_file_can_have_is_a_usage_error(tmp_path: Path) -> None:
    """The error is that of the caller, not of a damaged file."""

    def ask_for_too_much() -> None:
        with quire.create(tmp_path / "new.sion") as out, out.step(0) as step:
            for rank in range(2):
                step.stream(rank=rank, chunk_size=1 << 62).write(b"1")

    with pytest.raises(quire.UsageError, match="beyond what a file can have"):
        ask_for_too_much()


@pytest.mark.parametrize("block_size", [512, 4096])
def test_a_multifile_of_files_of_other_formats_stays_one(tmp_path: Path, block_size: int) -> None:
    """The signature of HDF5 may follow other bytes, but not those of a multifile."""
    inner = tmp_path / "inner.h5"
    with quire.create(inner) as out, out.step(0) as step:
        step.put("x", [1.0])
    outer = tmp_path / "outer.sion"
    with quire.create(outer, block_size=block_size) as out, out.step(0) as step:
        step.stream(rank=0).write(inner.read_bytes())
    with quire.open(outer) as file:
        assert file.format == "sion"
        assert file[0].streams[0].read() == inner.read_bytes()
