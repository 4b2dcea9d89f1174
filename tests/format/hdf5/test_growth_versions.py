"""Growth in files with structures of later HDF5 releases: other chunk indices and superblocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import hdf5plugin  # noqa: F401  (registers filters in h5py)
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.io.types import Array

STEP = 0
SIZES = [(2, 3, 4), (5, 3, 4), (5, 8, 4), (5, 8, 10), (9, 8, 10)]
ROWS = 7
PLACES = {"h5part": ("Step#0/t", "Step#0/Block/rho/0"), "hdf5": ("t", "rho")}
FIELD = np.random.default_rng(3).normal(size=SIZES[-1]).round(1)


def share(box: tuple[slice, ...], rank: int, size: int) -> tuple[slice, ...]:
    """The part of a box that a rank writes, split along the last axis."""
    start, length = box[-1].start, box[-1].stop - box[-1].start
    return (*box[:-1], slice(start + length * rank // size, start + length * (rank + 1) // size))


def grow(comm: Any, path: str, how: dict[str, Any], reopen: bool, done: int = 0) -> None:
    """Extend a field along one axis after the other, with a growing column."""
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    out = quire.create(path, comm, **how) if done == 0 else quire.append(path, comm, **how)
    for number in range(done, len(SIZES)):
        if reopen and number > done:
            out.close()
            out = quire.append(path, comm, **how)
        box = tuple(slice(0, length) for length in SIZES[number])
        if number > 0:
            sides = zip(SIZES[number - 1], SIZES[number], strict=True)
            box = tuple(slice(old if old != new else 0, new) for old, new in sides)
        mine = share(box, rank, size)
        rows = np.arange(ROWS * rank // size, ROWS * (rank + 1) // size)
        with out.step(STEP) as step:
            step.put("t", rows + 1.0 * ROWS * number)
            start = [side.start for side in mine]
            step.put_field("rho", FIELD[mine], quire.Grid(SIZES[number], start))
    out.close()


def check(path: str, format: str) -> None:
    """Compare with the written values, by h5py and by our own reader."""
    column, field = PLACES[format]
    line: Array = np.arange(1.0 * ROWS * len(SIZES))
    with h5py.File(path) as file:
        assert file[field].maxshape == (None,) * 3
        np.testing.assert_array_equal(file[column][...], line)
        np.testing.assert_array_equal(file[field][...], FIELD)
    with quire.open(path) as read:
        np.testing.assert_array_equal(read[0]["t"][:], line)
        np.testing.assert_array_equal(read[0].fields["rho"][...], FIELD)
        assert not read[0].warnings
        assert read.check().damage is None


@pytest.mark.parametrize("filter", ["none", "deflate", "zstd"])
@pytest.mark.parametrize("version", ["v18", "v110"])
@pytest.mark.parametrize("format", PLACES)
def test_one_process(tmp_path: Path, format: str, version: str, filter: str) -> None:
    how: dict[str, Any] = {"format": format, "library_version": version, "filter": filter, "grow": True}
    for reopen in (False, True):
        path = str(tmp_path / f"{reopen}.h5")
        grow(None, path, how | {"chunk": 5, "field_chunk": "3"}, reopen)
        check(path, format)


def grow_all(comm: Any, folder: str) -> None:
    for format in PLACES:
        how: dict[str, Any] = {"format": format, "library_version": "v110", "filter": "deflate", "grow": True}
        grow(comm, f"{folder}/{format}.h5", how | {"chunk": 5, "field_chunk": "3x4x5"}, reopen=True)


@pytest.mark.mpi
def test_the_same_bytes_from_all_ranks(tmp_path: Path) -> None:
    folders = [tmp_path / str(ranks) for ranks in (1, 2, 3)]
    for folder in folders:
        folder.mkdir()
    grow_all(None, str(folders[0]))
    for ranks in (2, 3):
        run_ranks(grow_all, ranks, str(tmp_path / str(ranks)))
    for folder in folders:
        for format in PLACES:
            file = folder / f"{format}.h5"
            check(str(file), format)
            assert file.read_bytes() == (folders[0] / file.name).read_bytes(), file


@pytest.mark.parametrize("format", PLACES)
def test_files_of_this_version_from_others_grow(tmp_path: Path, format: str) -> None:
    path = str(tmp_path / "foreign.h5")
    column, field = PLACES[format]
    endless: dict[str, Any] = {"compression": "gzip", "shuffle": True}
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file.create_dataset(column, data=np.arange(1.0 * ROWS), maxshape=(None,), chunks=(4,), **endless)
        first = FIELD[tuple(slice(0, length) for length in SIZES[0])]
        file.create_dataset(field, data=first, maxshape=(None,) * 3, chunks=(3, 2, 4), **endless)
    grow(None, path, {"format": format, "grow": True}, reopen=True, done=1)
    check(path, format)
