"""Parts of plain HDF5 files that are unusual, too new or damaged: the rest is read."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest

import quire
from quire.errors import BadFileError

SPACE_MESSAGE = 1
TYPE_MESSAGE = 3
LAYOUT_MESSAGE = 8
WORKER = Path(__file__).resolve().parents[1] / "conformance" / "damaged_worker.py"


def change_message(path: Path, dataset: str, message: int, offset: int, *numbers: int) -> None:
    """Change bytes in a message of a dataset's header."""
    change_messages(path, dataset, (message, offset, numbers))


def change_messages(path: Path, dataset: str, *changes: tuple[int, int, Sequence[int]]) -> None:
    """Change bytes in messages of a dataset's header: the kind of each, the offset in it, and the bytes."""
    with h5py.File(path) as file:
        header = h5py.h5o.get_info(file[dataset].id).addr
    content = bytearray(path.read_bytes())
    for message, offset, numbers in changes:
        place = header + 16
        while struct.unpack_from("<H", content, place)[0] != message:
            place += 8 + struct.unpack_from("<H", content, place + 2)[0]
        content[place + 8 + offset : place + 8 + offset + len(numbers)] = bytes(numbers)
    path.write_bytes(content)


def change_layout_version(path: Path, dataset: str, version: int) -> None:
    """Give a dataset a version of the format that does not exist yet."""
    change_message(path, dataset, LAYOUT_MESSAGE, 0, version)


def make_compact(file: h5py.File, name: str, type: h5py.h5t.TypeID = h5py.h5t.NATIVE_DOUBLE) -> None:
    """Write seven numbers into the header of a dataset."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((7,))
    made = h5py.h5d.create(file.id, name.encode(), type, space, creation)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(7.0))


@pytest.mark.parametrize("is_committed", [False, True])
def test_values_in_a_header_are_complete(tmp_path: Path, is_committed: bool) -> None:
    path = tmp_path / "compact.hdf5"
    with h5py.File(path, "w") as file:
        type = h5py.h5t.NATIVE_DOUBLE.copy()
        if is_committed:
            type.commit(file.id, b"number")
        make_compact(file, "x", type)
    with quire.open(path) as data:
        assert data[0]["x"][:].tolist() == [0, 1, 2, 3, 4, 5, 6]
    change_message(path, "x", LAYOUT_MESSAGE, 2, 8)
    with quire.open(path) as data:
        damage = data.check().damage
        assert damage is not None
        assert "8 bytes of values instead of 56" in damage.message


@pytest.mark.parametrize(
    ("rank", "size", "problem"),
    [(1, 40, ""), (1, 8, "8 bytes of values instead of 40"), (20, 40, "ends early")],
)
def test_values_in_a_header_of_the_first_version_are_complete(
    tmp_path: Path, rank: int, size: int, problem: str
) -> None:
    """HDF5 reads values that the header does not contain."""
    path = tmp_path / "compact.hdf5"
    with h5py.File(path, "w") as file:
        make_compact(file, "x")
    rows = [5, 0, 0, 0, 0, 0, 0, 0]
    layout = [1, rank, 0, *[0] * 5, *rows[:4], size, 0, 0, 0, *np.arange(5.0).tobytes()]
    change_messages(
        path, "x", (SPACE_MESSAGE, 8, rows), (SPACE_MESSAGE, 16, rows), (LAYOUT_MESSAGE, 0, layout)
    )
    with quire.open(path) as data:
        damage = data.check().damage
        assert problem in (damage.message if damage else "")
        if not problem:
            assert damage is None
            assert data[0]["x"][:].tolist() == [0, 1, 2, 3, 4]


def test_values_in_one_piece_are_complete(tmp_path: Path) -> None:
    path = tmp_path / "contiguous.hdf5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5.0)
        file["y"] = np.arange(300.0)  # bytes that HDF5 would return as values of x
    size_of_storage = 10
    change_message(path, "x", LAYOUT_MESSAGE, size_of_storage, 8)
    with quire.open(path) as data:
        damage = data.check().damage
        assert damage is not None
        assert "8 bytes of values instead of 40" in damage.message


def test_members_that_overlap_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.hdf5"
    with h5py.File(path, "w") as file:
        file["r"] = np.zeros(3, [("x", "f8"), ("y", "f8")])
    content = path.read_bytes()
    assert content.count(b"y\0\0\0\0\0\0\0\x08\0\0\0") == 1
    path.write_bytes(content.replace(b"y\0\0\0\0\0\0\0\x08\0\0\0", b"y\0\0\0\0\0\0\0\x04\0\0\0"))
    with quire.open(path) as data:
        damage = data.check().damage
        assert damage is not None
        assert "overlap" in damage.message


def test_numbers_of_too_many_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.hdf5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5.0)
    highest_byte_of_size = 7
    change_message(path, "x", TYPE_MESSAGE, highest_byte_of_size, 0x42)
    with quire.open(path) as data:
        damage = data.check().damage
        assert damage is not None
        assert f"a number of {0x42000008} bytes" in damage.message


OPEN_ALL = """
import sys
from pathlib import Path
import quire
path = Path(sys.argv[1])
whole = path.read_bytes()
for place in range(int(sys.argv[2]), int(sys.argv[3])):
    for byte in (0, 1, 5, 0x40, 0xff):
        path.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1:])
        try:
            with quire.open(path) as file:
                file.check()
        except quire.Error:
            pass
print("done")
"""


def test_damaged_links_do_not_crash_readers(tmp_path: Path) -> None:
    """HDF5 frees uninitialized pointers: filled memory reveals it."""
    path = tmp_path / "links.hdf5"
    with h5py.File(path, "w") as file:
        file["values"] = np.arange(5.0)
        file["elsewhere"] = h5py.ExternalLink(
            "other.hdf5", "/values"
        )  # stores links as messages of the header
        file["again"] = h5py.SoftLink("/values")
    content = path.read_bytes()
    in_heap = content.index(b"values")  # an unused copy
    names = [content.index(name, in_heap + 1) for name in (b"values", b"elsewhere", b"again")]
    before, after = 20, 40
    done = subprocess.run(
        [sys.executable, "-c", OPEN_ALL, str(path), str(min(names) - before), str(max(names) + after)],
        env={**os.environ, "MALLOC_PERTURB_": "165"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-500:]


def test_extents_of_a_member_that_wrap_around_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.hdf5"
    with h5py.File(path, "w") as file:
        file["r"] = np.zeros(3, [("x", "f8"), ("y", "f8")])
    content = bytearray(path.read_bytes())
    assert content.count(b"y\0\0\0\0\0\0\0\x08\0\0\0\0") == 1
    member = content.index(b"y\0\0\0\0\0\0\0\x08\0\0\0\0") + 12
    content[member] = 4  # dimensions, whose product is 0 in 64 bits
    struct.pack_into("<4I", content, member + 12, *[1 << 16] * 4)
    path.write_bytes(content)
    with quire.open(path) as data:
        damage = data.check().damage
        assert damage is not None
        assert "outside of its record" in damage.message


def test_only_a_dataset_of_a_later_version_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "newer.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5.0)
        file["new"] = np.arange(5.0)
        file["group/cube"] = np.zeros((2, 3, 4))
    change_layout_version(path, "new", 9)
    with quire.open(path) as file:
        step = file[0]
        assert list(step.table.columns) == ["x"]
        assert step["x"][:].tolist() == [0, 1, 2, 3, 4]
        assert list(step.fields) == ["group/cube"]
        assert any("new is left out" in warning and "version" in warning for warning in step.warnings)


def two_columns(path: Path, version_and_class: int) -> Path:
    """A step of two columns, the second of which has a type of another class."""
    with h5py.File(path, "w") as file:
        file["Step#0/x"] = np.arange(5.0)
        file["Step#0/y"] = np.arange(5.0)
    change_message(path, "Step#0/y", TYPE_MESSAGE, 0, version_and_class)
    return path


@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_only_complex_numbers_are_left_out(tmp_path: Path, format: str) -> None:
    path = two_columns(tmp_path / "complex.h5", 0x5B)
    with quire.open(path, format=format) as file:
        step = file[0]
        (table,) = step.tables.values()
        assert list(table.columns) == ["x"]
        assert any("y is left out" in warning and "complex" in warning for warning in step.warnings)


@pytest.mark.parametrize("version_and_class", [0x1B, 0x5C], ids=["complex before they were", "no class"])
def test_unknown_classes_of_types_are_damage(tmp_path: Path, version_and_class: int) -> None:
    path = two_columns(tmp_path / "damaged.h5", version_and_class)
    with quire.open(path, format="h5part") as file, pytest.raises(BadFileError, match="is not a type"):
        file[0]


@pytest.mark.parametrize("chunk", [(1, 2, 3), (3, 2, 3), (2, 5, 7)])
def test_chunked_fields_have_components(tmp_path: Path, chunk: tuple[int, ...]) -> None:
    path = tmp_path / "vector.h5"
    values = np.arange(3 * 5 * 7.0).reshape(3, 5, 7)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("E", data=values, chunks=chunk, compression="gzip")
        data.attrs["components"] = 3
    with quire.open(path) as file:
        field = file[0].fields["E"]
        assert (field.shape, field.components) == ((5, 7, 3), 3)
        np.testing.assert_array_equal(field[...], np.moveaxis(values, 0, -1))
        np.testing.assert_array_equal(field[1:4, 2:6], np.moveaxis(values, 0, -1)[1:4, 2:6])


def test_components_read_through_the_library(tmp_path: Path) -> None:
    path = tmp_path / "odd.h5"
    values = np.arange(24, dtype="i4").reshape(2, 3, 4)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("B", data=values, chunks=(2, 3, 4), scaleoffset=0)
        data.attrs["components"] = 2
    with quire.open(path) as file:
        field = file[0].fields["B"]
        assert field.components == 2
        np.testing.assert_array_equal(field[...], np.moveaxis(values, 0, -1))


def test_matrices_are_in_the_requested_order(tmp_path: Path) -> None:
    path = tmp_path / "matrices.h5"
    with h5py.File(path, "w") as file:
        for name in ("a", "b", "c/d"):
            file[name] = np.full((2, 3), ord(name[0]))
        file["lines/x"] = np.arange(4.0)
    with quire.open(path, columns="c/d, b, /c/d") as file:
        step = file[0]
        assert list(step.tables) == ["c/d", "b", "lines"]
        assert step["c0"][:].tolist() == [ord("c")] * 2
        assert list(step.fields) == ["a"]


def test_a_chunk_does_not_exceed_the_size_of_its_filters(tmp_path: Path) -> None:
    path = tmp_path / "long.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.arange(100.0), chunks=(100,), compression="gzip")
        file["filling"] = np.zeros(10000)
    content = bytearray(path.read_bytes())
    key = content.index(b"TREE\x01") + 24
    struct.pack_into("<I", content, key, 20000)
    path.write_bytes(content)
    with quire.open(path) as file, pytest.raises(BadFileError, match="20000 bytes, more than"):
        file[0]


DAMAGED_EVERYWHERE = """
import contextlib, sys, h5py, numpy, quire
path, version, start = sys.argv[1], sys.argv[2], int(sys.argv[3])
kinds = numpy.dtype([("a", "f8"), ("b", h5py.enum_dtype({"no": 0, "yes": 1}, "i2")), ("c", "(2,)i4")])
with h5py.File(path, "w", libver=version) as file:
    file.attrs["names"] = ["a", "longer text"]
    file.attrs["kinds"] = numpy.zeros(2, kinds)
    step = file.create_group("Step#0")
    step.attrs["time"] = 1.0
    step.create_dataset("x", data=numpy.arange(64.0), chunks=(16,), compression="gzip")
    step["kinds"] = numpy.zeros(64, kinds)
    step["texts"] = ["a", "b"] * 32
    step.create_dataset("Block/f/0", data=numpy.zeros((2, 3, 4)), chunks=(1, 3, 4))
    file["Attachment/run.in"] = numpy.zeros(4, "i1")
data = open(path, "rb").read()
for place in range(start, len(data), 89):
    damaged = bytearray(data)
    damaged[place] ^= 1 << place % 8
    with open(path, "wb") as file:
        file.write(damaged)
    for format in ("h5part", "hdf5"):
        with contextlib.suppress(quire.Error), quire.open(path, format=format) as file:
            file.check()
"""


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_damage_causes_neither_crashes_nor_reports_at_exit(tmp_path: Path, version: str) -> None:
    program = [sys.executable, "-c", DAMAGED_EVERYWHERE, str(tmp_path / "damaged.h5"), version, "11"]
    done = subprocess.run(program, timeout=60, check=False, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == 0


DAMAGED_SUPERBLOCK = """
import contextlib, sys, h5py, numpy, quire
path, version = sys.argv[1], sys.argv[2]
with h5py.File(path, "w", libver=version) as file:
    file["Step#0/x"] = numpy.arange(8.0)
    for number in range(3):
        file.create_group(f"Step#{number + 1}").attrs["time"] = 1.0
data = open(path, "rb").read()
for place in range(8, 96):
    for bit in (0, 4, 7):
        damaged = bytearray(data)
        damaged[place] ^= 1 << bit
        with open(path, "wb") as file:
            file.write(damaged)
        with contextlib.suppress(quire.Error), quire.open(path) as file:
            file.check()
"""


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_damaged_superblocks_cause_no_reports_at_exit(tmp_path: Path, version: str) -> None:
    program = [sys.executable, "-c", DAMAGED_SUPERBLOCK, str(tmp_path / "damaged.h5"), version]
    done = subprocess.run(program, timeout=60, check=False, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("put_before", [512, 2048])
def test_a_file_may_have_moved_as_a_whole(tmp_path: Path, put_before: int) -> None:
    path, moved = tmp_path / "file.h5", tmp_path / "moved.h5"
    with h5py.File(path, "w") as file:
        file["Step#0/x"] = np.arange(8.0)
    moved.write_bytes(b" " * put_before + path.read_bytes())
    with quire.open(moved) as file:
        assert file.warnings == []
        assert file[0]["x"][:].tolist() == list(range(8))
    with quire.append(moved) as out, out.step(1) as step:
        step.put("x", np.arange(3.0))
    with h5py.File(moved) as file:
        assert file["Step#0/x"][:].tolist() == list(range(8))
        assert file["Step#1/x"][:].tolist() == [0, 1, 2]
    content = bytearray(path.read_bytes())
    struct.pack_into("<Q", content, 24, put_before)
    path.write_bytes(content)
    with pytest.raises(BadFileError, match=f"begin at byte {put_before}, but is stored at 0") as caught:
        quire.open(path)
    assert caught.value.offset == 24


REFERENCES = {"length": (0, 9000), "heap": (4, 4096), "object": (12, 99)}


@pytest.mark.parametrize("part", REFERENCES)
def test_references_of_texts_are_checked_first(tmp_path: Path, part: str) -> None:
    path = tmp_path / "texts.h5"
    with h5py.File(path, "w") as file:
        file["Step#0/x"] = np.arange(3.0)
        file.attrs["names"] = ["a", "", "x" * 5000]
    with quire.open(path) as data:
        assert data.attrs["names"].tolist() == ["a", "", "x" * 5000]
    content = bytearray(path.read_bytes())
    place = content.index(struct.pack("<I", 5000))  # the third reference of 16 bytes
    offset, wrong = REFERENCES[part]
    struct.pack_into("<I", content, place + offset, wrong)
    path.write_bytes(content)
    with pytest.raises(BadFileError, match="text") as caught:
        quire.open(path)
    assert caught.value.offset is not None


def lead_header(path: Path, version: str, place: int, length: int, part: bytes, size: int) -> None:
    """Store or continue the header of a dataset elsewhere, in a file of `size` bytes with a hole."""
    with h5py.File(path, "w", libver=version) as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_attr_phase_change(0, 0)
        h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((3,)), creation)
        header = h5py.h5o.get_info(file["x"].id).addr
    content = bytearray(path.read_bytes())
    if place:  # the first message of the header points there, with its old length
        struct.pack_into("<H", content, header + 16, 16)
        struct.pack_into("<QQ", content, header + 24, place, length)
    else:
        struct.pack_into("<I", content, header + 8, length)
    end = content.index(struct.pack("<Q", len(content)))  # in the superblock
    struct.pack_into("<Q", content, end, size)
    with path.open("wb") as file:
        file.write(content)
        file.seek(place or len(content))
        file.write(part)
        file.truncate(size)


def without_memory(path: Path) -> None:
    """Open and check a damaged file with little more memory than its size, and expect damage."""
    sound = path.with_name("sound.hdf5")
    with h5py.File(sound, "w") as file:
        file["x"] = np.arange(3.0)
    command = [sys.executable, str(WORKER), str(sound), "--", str(path)]
    done = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
    with quire.open(path) as file:
        damage = file.check().damage
        assert damage is not None
        assert damage.kind == "bad file"
        assert "header" in damage.message


@pytest.mark.parametrize("place", [0, 1 << 20], ids=["first", "continued"])
def test_a_header_in_a_file_with_a_hole_takes_no_memory(tmp_path: Path, place: int) -> None:
    path = tmp_path / "hole.hdf5"
    lead_header(path, "earliest", place, 3 << 30, b"", 4 << 30)
    without_memory(path)


def test_cyclic_parts_of_a_header_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "circles.hdf5"
    place, count, each = 1 << 16, 4000, 24
    ends = place + count * each
    messages = [(place + n * each, ends - place - n * each) for n in range(1, count + 1)]
    part = b"".join(struct.pack("<HHB3xQQ", 16, 16, 0, *message) for message in messages)
    lead_header(path, "earliest", place, len(part), part, ends + 4096)
    without_memory(path)


def test_hundreds_of_large_attributes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "large.hdf5"
    with h5py.File(path, "w", libver="earliest") as file:
        file["x"] = np.arange(3.0)
        file["cube"] = np.zeros((2, 3, 4))
        for number in range(100):
            file["cube"].attrs[f"a{number}"] = np.full(7500, number, "f8")
    with quire.open(path) as data:
        attributes = data[0].fields["cube"].attrs.info
        assert len(attributes) == 100
        assert attributes["a99"].value[-1] == 99
