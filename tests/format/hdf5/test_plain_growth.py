"""Plain HDF5 files that grow: rows of tables, as columns or matrices, and fields along any axis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import hdf5plugin  # noqa: F401  (registers filters in h5py)
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError, UnsupportedError
from quire.io.types import Array

PARTS = [7, 0, 1, 12, 3]
SIZES = [(4, 3), (4, 8), (9, 8), (9, 8), (10, 11)]
FIELD = np.random.default_rng(7).normal(size=SIZES[-1]).round(2)
WAYS: dict[str, dict[str, Any]] = {
    "columns": {"chunk": 4, "field_chunk": "3x4"},
    "compressed columns": {"chunk": 5, "field_chunk": "4", "filter": "deflate"},
    "matrix": {"layout": "matrix", "chunk": 4, "field_chunk": "3x4"},
    "compressed matrix": {"layout": "matrix", "chunk": 100, "field_chunk": "4", "filter": "zstd"},
}


def columns_of(first: int, rows: int) -> dict[str, Array]:
    """Return rows of a table that grows."""
    line = np.arange(first, first + rows)
    return {"t": line * 0.25, "n": line * 5.0}


def new_boxes(old: tuple[int, ...], new: tuple[int, ...]) -> list[tuple[slice, ...]]:
    """Boxes that cover the new elements when the extents grow."""
    below = (slice(old[0], new[0]), slice(0, new[1]))
    beside = (slice(0, old[0]), slice(old[1], new[1]))
    return [box for box in (beside, below) if all(side.stop > side.start for side in box)]


def share(side: slice, rank: int, size: int) -> slice:
    """The part of an axis that a rank writes; rank 0 of several has none every other time."""
    length = side.stop - side.start
    if size > 1 and length % 2 == 0:
        rank, size = max(rank - 1, 0) if rank > 0 else -1, size - 1
    if rank < 0:
        return slice(side.start, side.start)
    return slice(side.start + length * rank // size, side.start + length * (rank + 1) // size)


def write_rows(step: quire.WriteStep, name: str, first: int, values: Array) -> None:
    """A declared field, written row by row, the last one first."""
    step.agree_on_rows()
    rows = [(first + row, 0) for row in reversed(range(len(values)))]
    for start in rows:
        step.weigh_field(name, start, values[start[0] - first :][:1])
    step.open()
    for start in rows:
        step.write_field(name, start, values[start[0] - first :][:1])


def grow(comm: Any, path: str, way: str, reopen: bool, parted: bool = False) -> None:
    """A table that gets longer, a scalar field that grows along both axes, and a vector field along one."""
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    how = WAYS[way] | {"grow": True, "format": "hdf5"}
    out = quire.create(path, comm, deadline=30, **how)
    done, old = 0, (0, 0)
    for number, (rows, extents) in enumerate(zip(PARTS, SIZES, strict=True)):
        if reopen and number > 0:
            out.close()
            out = quire.append(path, comm, deadline=30, **how)
        lines = share(slice(done, done + rows), rank, size)
        with out.step(0) as step:
            if number == 0:
                step.set("run", "A")
            for name, mine in columns_of(lines.start, lines.stop - lines.start).items():
                step.put(name, mine, table="beam", unit="s" if name == "t" else "")
            boxes = [(box[0], share(box[1], rank, size)) for box in new_boxes(old, extents)]
            mask = np.zeros(extents, dtype=bool)
            for box in boxes:
                mask[box] = True
            mine = FIELD[: extents[0], : extents[1]][mask]
            if extents != old:
                step.put_field("rho", mine, quire.Grid(extents, boxes=boxes))
                long = share(slice(old[0], extents[0]), rank, size)
                vector = np.stack([FIELD[long], -FIELD[long]], axis=-1)[:, :2]
                whole = (extents[0], 2)
                if parted:
                    step.declare_field(
                        "E", "float64", quire.Grid(whole, box=[long, slice(0, 2)], components=2)
                    )
                    write_rows(step, "E", long.start, vector)
                else:
                    step.put_field("E", vector, quire.Grid(whole, (long.start, 0), components=2))
        done, old = done + rows, extents
    out.close()


def check(path: Path, way: str) -> None:
    """Compare with the written values, by h5py and by our own reader."""
    wanted = columns_of(0, sum(PARTS))
    with h5py.File(path) as file:
        assert file.attrs["run"] == b"A"
        if "matrix" in way:
            assert file["beam"].maxshape == (None, None)
            np.testing.assert_array_equal(file["beam"][...], np.stack([*wanted.values()], axis=1))
        else:
            np.testing.assert_array_equal(file["beam/t"][...], wanted["t"])
            np.testing.assert_array_equal(file["beam/n"][...], wanted["n"])
        np.testing.assert_array_equal(file["rho"][...], FIELD)
        np.testing.assert_array_equal(file["E"][...], [FIELD[:, :2], -FIELD[:, :2]])
    with quire.open(path) as read:
        table = read[0].tables["beam"]
        assert table["t"].unit == "s"
        for name, values in wanted.items():
            np.testing.assert_array_equal(table[name][:], values)
            np.testing.assert_array_equal(table[name][3:19:2], values[3:19:2])
        np.testing.assert_array_equal(read[0].fields["rho"][2:7, 3:], FIELD[2:7, 3:])
        assert not read[0].warnings
        assert read.check().damage is None


@pytest.mark.parametrize("reopen", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_one_process(tmp_path: Path, way: str, reopen: bool) -> None:
    grow(None, str(tmp_path / "file.hdf5"), way, reopen)
    check(tmp_path / "file.hdf5", way)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_bytes_from_parts(tmp_path: Path, way: str) -> None:
    for parted in (False, True):
        grow(None, str(tmp_path / f"{parted}.hdf5"), way, True, parted)
    assert (tmp_path / "True.hdf5").read_bytes() == (tmp_path / "False.hdf5").read_bytes()


def grow_in_parts(comm: Any, folder: str) -> None:
    for way in WAYS:
        grow(comm, f"{folder}/{way}.hdf5", way, False, True)


@pytest.mark.mpi
def test_the_same_bytes_from_parts_of_all_ranks(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    run_ranks(grow_in_parts, 3, str(tmp_path / "parts"))
    for way in WAYS:
        grow(None, str(tmp_path / "alone.hdf5"), way, False)
        assert (tmp_path / "parts" / f"{way}.hdf5").read_bytes() == (tmp_path / "alone.hdf5").read_bytes(), (
            way
        )


def grow_all(comm: Any, folder: str) -> None:
    for number, way in enumerate(WAYS):
        grow(comm, f"{folder}/{way}.hdf5", way, reopen=number % 3 == 0)


@pytest.mark.mpi
def test_the_same_bytes_from_all_ranks(tmp_path: Path) -> None:
    folders = [tmp_path / str(ranks) for ranks in (1, 2, 3)]
    for folder in folders:
        folder.mkdir()
    grow_all(None, str(folders[0]))
    for ranks in (2, 3):
        run_ranks(grow_all, ranks, str(tmp_path / str(ranks)))
    for folder in folders:
        for way in WAYS:
            check(folder / f"{way}.hdf5", way)
            wanted = (folders[0] / f"{way}.hdf5").read_bytes()
            assert (folder / f"{way}.hdf5").read_bytes() == wanted, (folder, way)


def test_foreign_files_grow_with_their_own_layout(tmp_path: Path) -> None:
    path = tmp_path / "foreign.hdf5"
    endless: dict[str, Any] = {"maxshape": (None,), "chunks": (4,), "compression": 3, "fletcher32": True}
    with h5py.File(path, "w") as file:
        for name, values in columns_of(0, 10).items():
            file.create_dataset(f"beam/{name}", data=values, **endless)
        file.create_dataset("signal", data=np.arange(6.0), **endless)
        file.create_dataset("fixed", data=np.arange(12.0).reshape(3, 4))
        for name, columns in (("m", 1), ("wide", 2)):
            matrix = file.create_dataset(name, data=np.ones((3, 2)), maxshape=(None, 2), chunks=(2, columns))
            matrix.attrs["columns"] = ["a", "b"]
    with quire.append(path, grow=True) as out:
        with out.step(0) as step:
            for name, values in columns_of(10, 9).items():
                step.put(name, values, table="beam")
            # A one-dimensional dataset is a column or a field, with any name.
            step.put_field("signal", np.arange(6.0, 9.0), quire.Grid((9,), (6,)))
            step.put("b", [2, 3], table="m").put("a", [4, 5], table="m")
        with pytest.raises(ConflictError, match="it is not stored in chunks"), out.step(0) as step:
            step.put_field("fixed", np.ones((1, 4)), quire.Grid((4, 4), (3, 0)))
        with (
            pytest.raises(ConflictError, match="its chunks hold several columns") as refusal,
            out.step(0) as step,
        ):
            step.put("a", [1.0], table="wide").put("b", [1.0], table="wide")
        assert "rows as those of a field" in refusal.value.advice
        with out.step(0) as step:
            step.put_field("wide", np.full((2, 2), 7.0), quire.Grid((5, 2), (3, 0)))
    with h5py.File(path) as file:
        for name, values in columns_of(0, 19).items():
            np.testing.assert_array_equal(file[f"beam/{name}"][...], values)
            assert file[f"beam/{name}"].fletcher32
        np.testing.assert_array_equal(file["signal"][...], np.arange(9.0))
        np.testing.assert_array_equal(file["m"][...], [[1, 1], [1, 1], [1, 1], [4, 2], [5, 3]])
        np.testing.assert_array_equal(file["wide"][...], [[1, 1]] * 3 + [[7, 7]] * 2)
    with quire.open(path) as read:
        assert read[0].tables["wide"]["b"][:].tolist() == [1, 1, 1, 7, 7]


def test_objects_that_cannot_grow_report_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "file.hdf5"
    with quire.create(path, chunk=4, grow=True) as out:
        out.step(0).put("t", [1.0]).put("n", [2]).commit()
        with pytest.raises(ConflictError, match="has this column, too"):
            out.step(0).put("t", [1.0]).commit()
        with pytest.raises(ConflictError, match="has its attributes already"):
            out.step(0).set("a", 1).put("t", [1.0]).put("n", [2]).commit()
        with pytest.raises(UnsupportedError, match="one step"):
            out.step(1).put("t", [1.0]).commit()
        out.step(0).put("t", [3.0]).put("n", [4]).commit()
    with pytest.raises(UnsupportedError) as refusal:
        quire.append(path)
    assert "grow=true" in refusal.value.advice
    with quire.open(path) as file:
        assert file[0]["t"][:].tolist() == [1, 3]


def test_overwriting_shows_each_step_as_in_a_new_file(tmp_path: Path) -> None:
    """A file of one step keeps the old contents until it is complete; a growing one is never complete."""
    path = tmp_path / "grown.h5"
    for first in (1.0, 5.0):
        with quire.create(path, format="hdf5", grow=True, chunk=4) as out:
            for value in (first, first + 1):
                with out.step(0) as step:
                    step.put("x", np.full(2, value))
                with quire.open(path) as file:
                    assert file[0]["x"][-1] == value
        with quire.open(path) as file:
            assert list(file[0]["x"][:]) == [first] * 2 + [first + 1] * 2
