"""Chunked fields: encoded by the ranks that own the chunks, with the same bytes on any number of ranks."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin  # noqa: F401  (registers filters in h5py)
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError, UsageError
from quire.io.types import Array

EXTENTS = (13, 10, 17)
WAYS: dict[str, dict[str, Any]] = {
    "plain": {"field_chunk": "4x3x5"},
    "deflate": {"field_chunk": "4", "filter": "deflate"},
    "zstd": {"field_chunk": "5x10x6", "filter": "zstd", "shuffle": False},
    "one chunk": {"filter": "deflate", "level": 1},
}


def values_of(extents: tuple[int, ...] = EXTENTS) -> Array:
    """Different values everywhere that compress a little."""
    return np.round(np.cumsum(np.random.default_rng(1).normal(size=extents), axis=-1), 2)


def cut(comm: Any, axes: tuple[int, int]) -> tuple[slice, ...]:
    """The box of a rank: the second axis split unevenly in two, the third into the other parts."""
    across = min(2, comm.size)
    row, column = comm.rank % across, comm.rank // across
    columns = -(-comm.size // across)
    if row + column * across >= comm.size:
        return (slice(0, 0),) * 3
    starts = [0, 0, 0]
    ends = list(EXTENTS)
    last = comm.size % across and column == columns - 1
    for axis, place, count in (
        (axes[0], 0 if last else row, 1 if last else across),
        (axes[1], column, columns),
    ):
        starts[axis] = EXTENTS[axis] * place // count
        ends[axis] = EXTENTS[axis] * (place + 1) // count
    return tuple(slice(start, end) for start, end in zip(starts, ends, strict=True))


def write(comm: Any, path: str, format: str, axes: tuple[int, int], way: str) -> None:
    """Each rank writes its box of a scalar and a vector field, and its rows of a table."""
    box = cut(comm, axes)
    values = values_of()
    with quire.create(path, comm, format=format, **WAYS[way]) as out, out.step(0) as step:
        rows = slice(100 * comm.rank // comm.size, 100 * (comm.rank + 1) // comm.size)
        step.put("x", np.arange(100.0)[rows])
        start = [side.start for side in box]
        step.put_field("rho", values[box], quire.Grid(EXTENTS, start), unit="C")
        vector = np.stack([values, -values], axis=-1).astype("f4")
        step.put_field("E", vector[box], quire.Grid(EXTENTS, start, components=2), type="float32")


def place(format: str, name: str) -> list[str]:
    """The paths of the components of a field."""
    if format == "hdf5":
        return [name]
    return [f"Step#0/Block/{name}/{i}" for i in range(2 if name == "E" else 1)]


@pytest.mark.mpi
@pytest.mark.parametrize("counts", [(1, 3), pytest.param((1, 2, 4), marks=pytest.mark.nightly)], ids=str)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_the_same_bytes_on_any_ranks_and_read_by_others(
    tmp_path: Path, way: str, format: str, counts: tuple[int, ...]
) -> None:
    axes_of = {1: (0, 1), 2: (1, 2), 3: (0, 2), 4: (2, 1)}
    files = []
    for ranks in counts:
        files.append(tmp_path / f"{ranks}.h5")
        run_ranks(write, ranks, str(files[-1]), format, axes_of[ranks], way)
    for other in files[1:]:
        assert other.read_bytes() == files[0].read_bytes(), other
    values = values_of()
    with h5py.File(files[0]) as file:
        data = file[place(format, "rho")[0]]
        assert data.chunks is not None
        assert data.maxshape == (None,) * 3
        np.testing.assert_array_equal(data[...], values)
        found = np.stack([file[name][...] for name in place(format, "E")]).reshape(2, *EXTENTS)
        np.testing.assert_array_equal(found, np.stack([values, -values]).astype("f4"))
    with quire.open(files[0]) as read:
        field = read[0].fields["rho"]
        assert field.unit == "C"
        np.testing.assert_array_equal(field[2:9, 1:, ::3], values[2:9, 1:, ::3])
        assert not read[0].warnings
        assert read[0].fields["E"][...].shape == (*EXTENTS, 2)
    listing = subprocess.run(["h5dump", "-pH", str(files[0])], capture_output=True, text=True, check=True)
    assert "CHUNKED" in listing.stdout


def test_holes_are_zeros_and_empty_chunks_are_not_allocated(tmp_path: Path) -> None:
    path = tmp_path / "holes.h5"
    with quire.create(path, field_chunk="4", filter="deflate") as out, out.step(0) as step:
        step.put_field("rho", np.ones((3, 3)), quire.Grid((20, 30), (5, 6)))
    expected = np.zeros((20, 30))
    expected[5:8, 6:9] = 1.0
    with h5py.File(path) as file:
        data = file["Step#0/Block/rho/0"]
        np.testing.assert_array_equal(data[0], expected)
        assert data.id.get_num_chunks() == 2
    with quire.open(path) as read:
        np.testing.assert_array_equal(read[0].fields["rho"][0], expected)


@pytest.mark.parametrize("shape", ["0", "4x", "x4", "4y4", "-1", "4x4x4x4", "300000000"])
def test_invalid_shapes_are_refused(tmp_path: Path, shape: str) -> None:
    with (
        pytest.raises(UsageError) as refusal,
        quire.create(tmp_path / "no.h5", field_chunk=shape) as out,
        out.step(0) as step,
    ):
        step.put_field("rho", values_of())
    assert refusal.value.object == "field_chunk"


# ---- Growth

SIZES = [(5, 3, 4), (5, 7, 4), (5, 7, 11), (8, 7, 11), (8, 8, 11), (10, 9, 17), (13, 10, 17)]


def new_parts(old: tuple[int, ...], new: tuple[int, ...]) -> list[tuple[slice, ...]]:
    """Boxes that cover the new elements when the extents grow."""
    boxes = []
    for axis in range(3):
        if new[axis] == old[axis]:
            continue
        box = [slice(0, old[k]) if k < axis else slice(0, new[k]) for k in range(3)]
        box[axis] = slice(old[axis], new[axis])
        boxes.append(tuple(box))
    return boxes


def share(box: tuple[slice, ...], rank: int, size: int) -> tuple[slice, ...]:
    """The part of a box that a rank writes, split along its longest axis."""
    lengths = [side.stop - side.start for side in box]
    axis = lengths.index(max(lengths))
    start, length = box[axis].start, lengths[axis]
    cut_side = slice(start + length * rank // size, start + length * (rank + 1) // size)
    return (*box[:axis], cut_side, *box[axis + 1 :])


def grow(comm: Any, path: str, way: str, reopen: bool) -> None:
    """A scalar and a vector field that are extended along every axis, with a growing table."""
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    values = values_of()
    how = WAYS[way] | {"grow": True, "chunk": 8}
    out = quire.create(path, comm, deadline=60, **how)
    old = (0, 0, 0)
    for number, extents in enumerate(SIZES):
        if reopen and number > 0:
            out.close()
            out = quire.append(path, comm, deadline=60, **how)
        boxes = [share(box, rank, size) for box in new_parts(old, extents)]
        if number == 0:
            boxes = [share(tuple(slice(0, n) for n in extents), rank, size)]
        with out.step(0) as step:
            if number % 2 == 0:
                rows = 6 // size
                step.put("t", np.arange(1.0 * rows) + rows * rank + 3 * number)
            # The elements of all boxes in the order of the field.
            mask = np.zeros(extents, dtype=bool)
            for box in boxes:
                mask[box] = True
            mine = values[tuple(slice(0, n) for n in extents)][mask]
            step.put_field("rho", mine, quire.Grid(extents, boxes=boxes))
        old = extents
    out.close()


@pytest.mark.mpi
@pytest.mark.parametrize("reopen", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_fields_are_extended_along_every_axis_on_any_ranks(tmp_path: Path, way: str, reopen: bool) -> None:
    files = [tmp_path / f"{ranks}.h5" for ranks in (1, 2, 3)]
    for ranks, path in enumerate(files, start=1):
        run_ranks(grow, ranks, str(path), way, reopen)
    values = values_of()
    for path in files:
        assert path.read_bytes() == files[0].read_bytes()
        with h5py.File(path) as file:
            data = file["Step#0/Block/rho/0"]
            assert data.shape == EXTENTS
            np.testing.assert_array_equal(data[...], values)
            np.testing.assert_array_equal(file["Step#0/t"][...], np.arange(24.0))
        with quire.open(path) as read:
            np.testing.assert_array_equal(read[0].fields["rho"][...], values)
            assert read.check().damage is None


def test_growth_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "grown.h5"
    with quire.create(path, field_chunk="2", grow=True) as out:
        with out.step(0) as step:
            step.put_field("rho", np.ones((3, 4)))
        wrong: list[tuple[str, dict[str, Any], Any]] = [
            ("already", {"extents": (4, 4), "start": (2, 0)}, np.ones((2, 4))),
            ("does not shrink", {"extents": (3, 3), "start": (0, 0)}, np.ones((3, 3))),
            ("give them all", {"extents": (8,), "start": (4,)}, np.ones(4)),
        ]
        for message, where, values in wrong:
            with pytest.raises(ConflictError, match=message), out.step(0) as step:
                step.put_field("rho", values, quire.Grid(**where))
        with out.step(0) as step:
            step.put_field("rho", np.full((1, 4), 2.0), quire.Grid((4, 4), (3, 0)))
    with quire.open(path) as read:
        np.testing.assert_array_equal(read[0].fields["rho"][0], [[1.0] * 4] * 3 + [[2.0] * 4])
