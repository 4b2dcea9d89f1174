"""Files split into metadata and raw data: exchanged with HDF5's own driver, and copied."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.hdf5.pairs import raw_of
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import MissingError, UnsupportedError, UsageError
from quire.toolkit.difference import difference
from quire.toolkit.recover import recover
from quire.toolkit.xdmf import write_xdmf

ROWS = 1000
VERSIONS = ("earliest", "v18", "v110")


def split_by_h5py(path: Path, **options: Any) -> Any:
    """The pair whose first file is `path`, opened with HDF5's split driver."""
    return h5py.File(str(path).removesuffix("-m.h5"), driver="split", **options)


def write(path: Path, steps: int = 3, **options: Any) -> Path:
    with quire.create(path, split=True, **options) as out:
        out.set("code", "split")
        for number in range(steps):
            with out.step(number) as step:
                step.set("s", 1.0 * number)
                step.put("x", np.arange(ROWS) + 0.5 * number, unit="m")
                step.put_field("phi", np.arange(60.0).reshape(3, 4, 5) + number)
    return path


def expect_steps(path: Path, numbers: Sequence[int]) -> None:
    with quire.open(path) as file:
        assert file.numbers == list(numbers)
        assert file.check().damage is None
        for step in file:
            np.testing.assert_array_equal(step["x"][:], np.arange(ROWS) + 0.5 * step.number)
            np.testing.assert_array_equal(
                step.fields["phi"].read(), np.arange(60.0).reshape(3, 4, 5) + step.number
            )


@pytest.mark.parametrize("chunks", [{}, {"chunk": 300, "filter": "deflate"}], ids=["contiguous", "chunked"])
@pytest.mark.parametrize("version", VERSIONS)
def test_hdf5_reads_what_we_split(tmp_path: Path, version: str, chunks: dict[str, Any]) -> None:
    path = write(tmp_path / "x-m.h5", library_version=version, **chunks)
    with split_by_h5py(path, mode="r") as file:
        for number in range(3):
            np.testing.assert_array_equal(file[f"Step#{number}/x"][:], np.arange(ROWS) + 0.5 * number)
        assert file.attrs["code"] == b"split"
    expect_steps(path, range(3))


def test_the_tools_of_hdf5_read_what_we_split(tmp_path: Path) -> None:
    tool = shutil.which("h5dump")
    if tool is None:
        pytest.skip("there is no h5dump")
    write(tmp_path / "x-m.h5", 1)
    dumped = subprocess.run(
        [tool, "-f", "split", "-d", "/Step#0/x", "-s", "7", "-c", "1", str(tmp_path / "x")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "(7): 7" in dumped.stdout, dumped.stderr


# ---- Any contents of a step in any storage

CONTENTS = ("table", "field", "both", "empty table", "nothing", "mixed")
STORAGE: dict[str, dict[str, Any]] = {
    "contiguous": {},
    "chunks": {"chunk": 300, "field_chunk": 7},
    "filtered": {"chunk": 300, "field_chunk": 7, "filter": "deflate"},
    "large chunks": {"chunk": 5000, "field_chunk": 20},
    "packed": {"alignment": 8},
    "v110": {"chunk": 300, "field_chunk": 7, "library_version": "v110"},
}


def content_of(content: str, number: int) -> str:
    """The contents of a step; in a mixed file each step has others."""
    return CONTENTS[number % (len(CONTENTS) - 1)] if content == "mixed" else content


def put_content(step: Any, content: str, number: int) -> None:
    step.set("s", 1.0 * number)
    if content in ("table", "both"):
        step.put("x", np.arange(ROWS) + 0.5 * number).put("id", np.arange(ROWS, dtype=np.int32))
    if content == "empty table":
        step.put("x", np.zeros(0))
    if content in ("field", "both"):
        step.put_field("phi", np.arange(60.0).reshape(3, 4, 5) + number)


def expect_content(step: Any, content: str, number: int) -> None:
    if content in ("table", "both"):
        np.testing.assert_array_equal(step["x"][:], np.arange(ROWS) + 0.5 * number)
        np.testing.assert_array_equal(step["id"][5:9], np.arange(5, 9))
    if content in ("field", "both"):
        np.testing.assert_array_equal(step.fields["phi"].read(), np.arange(60.0).reshape(3, 4, 5) + number)


def write_contents(path: Path, content: str, numbers: Sequence[int], how: dict[str, Any], new: bool) -> None:
    with quire.create(path, split=True, **how) if new else quire.append(path, **how) as out:
        for number in numbers:
            with out.step(number) as step:
                put_content(step, content_of(content, number), number)


def expect_contents(path: Path, content: str, count: int) -> None:
    with quire.open(path) as file:
        report = file.check()
        assert (report.damage, report.warnings, file.numbers) == (None, [], list(range(count)))
        for number, step in enumerate(file):
            expect_content(step, content_of(content, number), number)


def expect_contents_by_hdf5(path: Path, content: str, count: int) -> None:
    with split_by_h5py(path, mode="r") as file:
        for number in range(count):
            step, one = file[f"Step#{number}"], content_of(content, number)
            if one in ("table", "both"):
                np.testing.assert_array_equal(step["x"][:], np.arange(ROWS) + 0.5 * number)
            if one in ("field", "both"):
                phi = step["Block/phi/0"][:]
                np.testing.assert_array_equal(phi.ravel(), np.arange(60.0) + number)


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("storage", STORAGE)
def test_steps_of_any_content_are_complete_in_both_files(tmp_path: Path, storage: str, content: str) -> None:
    path, how = tmp_path / "x-m.h5", STORAGE[storage]
    write_contents(path, content, range(2), how, new=True)
    expect_contents(path, content, 2)
    write_contents(path, content, range(2, 4), how, new=False)
    write_contents(path, content, range(4, 5), how, new=False)
    expect_contents(path, content, 5)
    expect_contents_by_hdf5(path, content, 5)
    assert not recover(path).changed
    write_contents(path, content, range(5, 7), how, new=False)
    assert recover(path, tmp_path / "saved-m.h5").kept == list(range(7))
    quire.copy(path, tmp_path / "copy-m.h5", options={"split": True})
    for copy in ("x-m.h5", "saved-m.h5", "copy-m.h5"):
        expect_contents(tmp_path / copy, content, 7)
        expect_contents_by_hdf5(tmp_path / copy, content, 7)


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("content", CONTENTS[:-1])
def test_small_steps_follow_those_that_were_dropped(tmp_path: Path, content: str, split: bool) -> None:
    for storage, how in STORAGE.items():
        for rest in CONTENTS[:-1]:
            path = tmp_path / "x-m.h5"
            with quire.create(path, split=split, **how) as out, out.step(0) as step:
                put_content(step, "nothing", 0)
            for number in (1, 2):
                with quire.append(path, **how) as out, out.step(number) as step:
                    put_content(step, content, number)
            with quire.append(path, after=quire.After(0, "drop"), **how) as out:
                for number in (1, 2, 3):
                    with out.step(number) as step:
                        put_content(step, rest, number)
            with quire.open(path) as file:
                report = file.check()
                assert (report.damage, report.warnings, file.numbers) == (None, [], [0, 1, 2, 3]), (
                    storage,
                    rest,
                )
                for number in (1, 2, 3):
                    expect_content(file[number], rest, number)


@pytest.mark.parametrize(
    "how", [{"chunk": 300}, {"chunk": 300, "filter": "deflate"}], ids=["plain", "filtered"]
)
@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_columns_grow_in_both_files(tmp_path: Path, format: str, how: dict[str, Any]) -> None:
    path = tmp_path / "x-m.h5"
    columns = "x" if format == "hdf5" else "Step#0/x"
    values = np.zeros(0)
    for part in range(4):
        more = np.arange(250 + part) + 0.5
        new = part == 0
        file = quire.create(path, format=format, split=True, grow=True, **how) if new else None
        with file or quire.append(path, grow=True, **how) as out, out.step(0) as step:
            step.put("x", more)
        values = np.concatenate([values, more])
        with quire.open(path) as read:
            assert read.check().warnings == []
            np.testing.assert_array_equal(read[0]["x"][:], values)
        with split_by_h5py(path, mode="r") as by_hdf5:
            np.testing.assert_array_equal(by_hdf5[columns][:], values)


@pytest.mark.parametrize("libver", ["earliest", "v108", "v110"])
def test_we_read_what_hdf5_splits(tmp_path: Path, libver: str) -> None:
    path = tmp_path / "x-m.h5"
    low = libver if libver == "earliest" else (libver, "latest")
    with split_by_h5py(path, mode="w", libver=low) as file:
        file.attrs["text"] = "of any length, which HDF5 keeps with the raw data"
        file["Step#0/x"] = np.arange(ROWS)
        file.create_dataset("Step#0/y", data=np.arange(ROWS) * 2, chunks=(300,), compression="gzip")
        file["Step#0"].attrs["texts"] = ["one", "two"]
    with quire.open(path) as file:
        assert file.attrs["text"] == "of any length, which HDF5 keeps with the raw data"
        np.testing.assert_array_equal(file[0]["x"][:], np.arange(ROWS))
        np.testing.assert_array_equal(file[0]["y"][10:], np.arange(ROWS)[10:] * 2)
        assert list(file[0].attrs["texts"]) == ["one", "two"]
        assert file.members == ["x-m.h5", "x-r.h5"]
    with quire.open(path, format="hdf5") as file:
        assert len(file[0].tables) == 1


@pytest.mark.parametrize("libver", ["earliest", "v110"])
def test_both_append_to_each_other(tmp_path: Path, libver: str) -> None:
    path = tmp_path / "x-m.h5"
    low = libver if libver == "earliest" else (libver, "latest")
    with split_by_h5py(path, mode="w", libver=low) as file:
        file["Step#0/x"] = np.arange(ROWS)
        file["Step#0"].attrs["text"] = "of any length"
    with quire.append(path) as out, out.step(1) as step:
        step.put("x", np.arange(ROWS) + 1)
    with split_by_h5py(path, mode="r+", libver=low) as file:
        np.testing.assert_array_equal(file["Step#1/x"][:], np.arange(ROWS) + 1)
        assert file["Step#0"].attrs["text"] == "of any length"
        file["Step#2/x"] = np.arange(ROWS) + 2
    with quire.append(path) as out, out.step(3) as step:
        step.put("x", np.arange(ROWS) + 3)
    with quire.open(path) as file:
        assert file.numbers == [0, 1, 2, 3]
        for number in file.numbers:
            np.testing.assert_array_equal(file[number]["x"][:], np.arange(ROWS) + number)
    with split_by_h5py(path, mode="r") as file:
        np.testing.assert_array_equal(file["Step#3/x"][:], np.arange(ROWS) + 3)


def test_steps_with_texts_among_raw_data_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x-m.h5"
    with split_by_h5py(path, mode="w") as file:
        for number in range(2):
            file[f"Step#{number}/x"] = np.arange(ROWS)
            file[f"Step#{number}"].attrs["text"] = "of any length"
    with quire.append(path, existing="replace") as out, out.step(0) as step:
        step.put("x", np.arange(ROWS) + 1)
    with split_by_h5py(path, mode="r") as file:
        np.testing.assert_array_equal(file["Step#0/x"][:], np.arange(ROWS) + 1)
        np.testing.assert_array_equal(file["Step#1/x"][:], np.arange(ROWS))
        assert file["Step#1"].attrs["text"] == "of any length"


def test_plain_hdf5_is_split_too(tmp_path: Path) -> None:
    path = tmp_path / "x-m.h5"
    with quire.create(path, format="hdf5", split=True, layout="matrix") as out, out.step(0) as step:
        step.put("x", np.arange(ROWS) * 0.5).put("y", np.arange(ROWS) * 2.0)
    with split_by_h5py(path, mode="r") as file:
        np.testing.assert_array_equal(file["table"][:, 1], np.arange(ROWS) * 2.0)
    with quire.open(path) as file:
        np.testing.assert_array_equal(next(iter(file[0].tables.values()))["y"][:], np.arange(ROWS) * 2.0)


def test_elements_that_hdf5_splits_are_read(tmp_path: Path) -> None:
    source, path = tmp_path / "one.fld", tmp_path / "two-m.fld"
    block = quire.ElementBlock(
        "Triangle", ("Modified_A", "Modified_B"), np.array([2, 2]), np.arange(4), {"p": np.arange(12.0)}
    )
    with quire.create(source) as out, out.step(3) as step:
        step.put_elements([block])
    suffixes = {"meta_ext": b"-m.fld", "raw_ext": b"-r.fld"}
    with h5py.File(source) as one, h5py.File(tmp_path / "two", "w", driver="split", **suffixes) as two:
        for name in one:
            one.copy(name, two)
    assert difference(source, path).same
    with quire.open(path) as file:
        assert file.members == ["two-m.fld", "two-r.fld"]


# ---- Copies


def test_convert_makes_and_takes_split_files(tmp_path: Path) -> None:
    source = write(tmp_path / "x-m.h5")
    one = tmp_path / "one.h5"
    quire.copy(source, one)
    expect_steps(one, range(3))
    with h5py.File(one) as file:
        assert len(file) == 3
    again = tmp_path / "again-m.h5"
    for _ in range(2):
        quire.copy(one, again, overwrite=True, options={"split": True})
        expect_steps(again, range(3))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "again-m.h5",
        "again-r.h5",
        "one.h5",
        "x-m.h5",
        "x-r.h5",
    ]


def test_recover_keeps_both_files(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    with raw_of(path).open("r+b") as raw:
        raw.truncate(raw_of(path).stat().st_size - 1)
    saved = tmp_path / "saved-m.h5"
    assert recover(path, saved).kept == [0, 1]
    expect_steps(saved, [0, 1])
    with quire.open(saved) as file:
        assert file.members == ["saved-m.h5", "saved-r.h5"]
    assert recover(path).kept == [0, 1]
    expect_steps(path, [0, 1])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "saved-m.h5",
        "saved-r.h5",
        "x-m.h5",
        "x-r.h5",
    ]


def test_missing_raw_data_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    with pytest.raises(UnsupportedError, match="several files"):
        write_xdmf(path, tmp_path / "x.xmf")
    raw_of(path).unlink()
    for work in (lambda: quire.open(path), lambda: quire.append(path), lambda: recover(path)):
        with pytest.raises(MissingError, match=r"x-r\.h5"):
            work()


# ---- Refused combinations


@pytest.mark.parametrize("name", ["x.sdds", "x.sion"])
def test_other_formats_refuse_the_option(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="split"):
        quire.create(tmp_path / name, split=True)


def fill(comm: Any, folder: str, how: dict[str, Any]) -> None:
    """Each rank writes its rows, if it has any, to new files and after the steps of old ones."""
    path = f"{folder}/x-m.h5"
    for number, rows in enumerate((ROWS, 2, 0, ROWS)):
        share = np.array_split(np.arange(rows) * (number + 1), comm.size)[comm.rank]
        new = number == 0
        with (
            quire.create(path, comm, split=True, deadline=60, **how)
            if new
            else quire.append(path, comm, deadline=60, **how) as out,
            out.step(number) as step,
        ):
            step.put("x", share)
    with quire.open(path, comm) as file:
        assert file.check().damage is None
        mine = file[3].table.share(comm.rank, comm.size)
        np.testing.assert_array_equal(file[3]["x"][mine], share)


@pytest.mark.mpi
@pytest.mark.parametrize("how", [{}, {"chunk": 300}], ids=["contiguous", "chunks"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_write_what_one_writes(tmp_path: Path, ranks: int, how: dict[str, Any]) -> None:
    folders = [tmp_path / "together", tmp_path / "alone"]
    for folder, count in zip(folders, (ranks, 1), strict=True):
        folder.mkdir()
        run_ranks(fill, count, str(folder), how)
    for name in ("x-m.h5", "x-r.h5"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    with split_by_h5py(folders[0] / "x-m.h5", mode="r") as file:
        np.testing.assert_array_equal(file["Step#1/x"][:], [0, 2])
        np.testing.assert_array_equal(file["Step#3/x"][:], np.arange(ROWS) * 4)
