"""Files that grow through parallel HDF5 like those of our own engine, on any number of ranks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.h5.test_plain_growth import new_boxes, share
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError, TypeMismatchError, UnsupportedError
from quire.io.formats import format_info

HAS_PHDF5 = any(option.name == "transfer" for option in format_info("hdf5").write_options) and any(
    "phdf5" in option.choices for option in format_info("hdf5").write_options
)
only_with_phdf5 = pytest.mark.skipif(not HAS_PHDF5, reason="this build has no parallel HDF5")

STAGES = [(7, (4, 3)), (7, (4, 8)), (19, (9, 8)), (22, (10, 11))]
"""The rows of the table and the extents of the field after each commit."""
TURN = 2
"""The stage at which the file is opened again on another number of ranks."""
GRID = np.random.default_rng(7).normal(size=STAGES[-1][1]).round(2)

KINDS: dict[str, dict[str, Any]] = {
    "steps": {"format": "h5part", "chunk": 4, "field_chunk": "3x4"},
    "compressed": {"format": "h5part", "chunk": 5, "field_chunk": "4", "filter": "deflate"},
    "columns": {"format": "hdf5", "chunk": 4, "field_chunk": "3x4"},
    "matrix": {"format": "hdf5", "layout": "matrix", "chunk": 6, "field_chunk": "4", "filter": "deflate"},
}
ENGINES: dict[str, dict[str, Any]] = {
    "direct": {},
    "independent": {"engine": "phdf5", "transfer": "independent"},
    "collective": {"engine": "phdf5", "transfer": "collective"},
}
WAYS = [
    ("steps", "independent", "collective"),
    ("columns", "independent", "independent"),
    ("matrix", "collective", "collective"),
]
"""Kinds of files, and the transfers before and after the turn."""


def named(way: tuple[str, str, str]) -> str:
    return "_".join(way) + ".h5"


def grow(path: str, kind: str, engine: str, comm: Any, stages: range) -> None:
    """Write some stages: a table, a scalar field that grows along both axes, a vector field along one."""
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    options = KINDS[kind] | ENGINES[engine] | {"grow": True}
    rows, old = STAGES[stages.start - 1] if stages.start else (0, (0, 0))
    out = (quire.append if stages.start else quire.create)(path, comm, deadline=30, **options)
    table = "" if KINDS[kind]["format"] == "h5part" else "beam"
    for stage in stages:
        last, extents = STAGES[stage]
        if stage == TURN:  # a failing rank changes nothing
            wrong = np.full(2, 2**53 + (rank + 1 == size))
            with pytest.raises(TypeMismatchError):
                out.step(0).put("t", wrong, table=table).put("n", wrong, table=table).commit()
        with out.step(0) as step:
            lines = share(slice(rows, last), rank, size)
            line = np.arange(lines.start, lines.stop)
            step.put("t", line * 0.25, table=table)
            step.put("n", line * 5.0, table=table)
            boxes = [(box[0], share(box[1], rank, size)) for box in new_boxes(old, extents)]
            mask = np.zeros(extents, dtype=bool)
            for box in boxes:
                mask[box] = True
            step.put_field("rho", GRID[: extents[0], : extents[1]][mask], quire.Grid(extents, boxes=boxes))
            long = share(slice(old[0], extents[0]), rank, size)
            pairs = np.stack([GRID[long], -GRID[long]], axis=-1)[:, :2]
            step.put_field("E", pairs, quire.Grid((extents[0], 2), (long.start, 0), components=2))
        rows, old = last, extents
    out.close()


def grow_all(comm: Any, folder: str, first: int, last: int) -> None:
    for way in WAYS:
        grow(str(Path(folder, named(way))), way[0], way[1 if first == 0 else 2], comm, range(first, last))


def dumped(path: Path) -> Iterator[str]:
    """The output of h5dump: names, types, extents with their limits, and values."""
    done = subprocess.run(["h5dump", str(path)], check=True, capture_output=True, timeout=30, text=True)
    yield from done.stdout.splitlines()[1:]


@only_with_phdf5
@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [(1, 2), pytest.param((2, 3), marks=pytest.mark.nightly)])
def test_files_of_both_engines_are_equal_on_any_ranks(tmp_path: Path, ranks: tuple[int, int]) -> None:
    run_ranks(grow_all, ranks[0], str(tmp_path), 0, TURN)
    run_ranks(grow_all, ranks[1], str(tmp_path), TURN, len(STAGES))
    assert shutil.which("h5dump")
    for way in WAYS:
        alone = tmp_path / f"alone_{way[0]}.h5"
        grow(str(alone), way[0], "direct", None, range(len(STAGES)))
        assert list(dumped(tmp_path / named(way))) == list(dumped(alone)), way
        with quire.open(tmp_path / named(way)) as file:
            (table,) = file[0].tables.values()
            assert table["n"][:].tolist() == [5 * row for row in range(STAGES[-1][0])]
            fields = [np.squeeze(file[0].fields[name][...]) for name in ("rho", "E")]
            np.testing.assert_array_equal(fields[0], GRID)
            np.testing.assert_array_equal(fields[1], np.stack([GRID, -GRID], axis=-1)[:, :2])


@only_with_phdf5
@pytest.mark.parametrize("kind", ["steps", "columns"])
def test_a_growth_that_fails_leaves_the_extents(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.h5"
    with quire.create(path, engine="phdf5", grow=True, **KINDS[kind]) as out:
        out.step(0).put("t", np.arange(6.0)).commit()
        with pytest.raises(TypeMismatchError):
            out.step(0).put("t", np.ones(1, np.longdouble) / 3).commit()
        with pytest.raises(ConflictError, match="no such column"):
            out.step(0).put("u", [1.0]).commit()
        out.step(0).put("t", [6.0]).commit()
    with h5py.File(path) as file:
        lines = file["Step#0/t"] if kind == "steps" else file["t"]
        assert lines[:].tolist() == [0, 1, 2, 3, 4, 5, 6]


@only_with_phdf5
def test_compressed_files_grow_only_collectively(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    together: dict[str, Any] = {"engine": "phdf5", "transfer": "collective", "grow": True}
    with quire.create(path, **together, **KINDS["compressed"]) as out:
        out.step(0).put("t", np.arange(6.0)).commit()
    with (
        quire.append(path, engine="phdf5", grow=True) as out,
        pytest.raises(UnsupportedError, match="only for collective writes"),
    ):
        out.step(0).put("t", [6.0]).commit()
    with quire.append(path, **together) as out, out.step(0) as step:
        step.put("t", [6.0])
    with h5py.File(path) as file:
        assert file["Step#0/t"][:].tolist() == [0, 1, 2, 3, 4, 5, 6]


@only_with_phdf5
@pytest.mark.parametrize("kind", ["steps", "columns", "compressed"])
def test_each_engine_extends_its_own_allocation(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.h5"

    def add_row(step: quire.WriteStep) -> None:
        step.put("t", [6.0])

    def add_layer(step: quire.WriteStep) -> None:
        extents = (len(GRID) + 1, GRID.shape[1])
        step.put_field("rho", GRID[:1], quire.Grid(extents, (len(GRID), 0)))

    for first, second, add, reason in (
        (ENGINES["direct"], ENGINES["collective"], add_row, "allocated when they are written"),
        (ENGINES["collective"], ENGINES["direct"], add_row if kind == "compressed" else add_layer, "early"),
    ):
        with quire.create(path, grow=True, **KINDS[kind], **first) as out:
            out.step(0).put("t", np.arange(6.0)).put_field("rho", GRID).commit()
        content = path.read_bytes()
        with (
            pytest.raises(ConflictError, match=reason),
            quire.append(path, grow=True, **KINDS[kind], **second) as out,
            out.step(0) as step,
        ):
            add(step)
        assert path.read_bytes() == content


@only_with_phdf5
@pytest.mark.parametrize("kind", ["steps", "columns"])
def test_early_allocated_columns_grow_with_both_engines(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.h5"
    rows = 0
    for number, engine in enumerate(["collective", "direct", "direct", "collective", "direct"]):
        make = quire.append if number else quire.create
        more = np.arange(rows, rows + 6 + 5 * number)
        with make(path, grow=True, **KINDS[kind], **ENGINES[engine]) as out:
            out.step(0).put("t", more * 0.5).put("n", more * 5).commit()
        rows += len(more)
        with quire.open(path) as file:
            (table,) = file[0].tables.values()
            assert table["t"][:].tolist() == [0.5 * row for row in range(rows)]
            assert table["n"][:].tolist() == [5 * row for row in range(rows)]
            assert file.check().is_whole
        with h5py.File(path) as file:
            lines = file["Step#0/t"] if kind == "steps" else file["t"]
            assert lines[:].tolist() == [0.5 * row for row in range(rows)]
            assert lines.id.get_create_plist().get_alloc_time() == h5py.h5d.ALLOC_TIME_EARLY


@only_with_phdf5
@pytest.mark.parametrize("chunk", [(2, 2), (3, 3), (4, 1)])
def test_columns_that_share_chunks_grow_through_the_library(tmp_path: Path, chunk: tuple[int, int]) -> None:
    path = tmp_path / "foreign.h5"
    with h5py.File(path, "w") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk(chunk)
        creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        space = h5py.h5s.create_simple((5, 3), (h5py.h5s.UNLIMITED, 3))
        h5py.h5d.create(file.id, b"m", h5py.h5t.NATIVE_DOUBLE, space, creation)
        file["m"][...] = np.arange(15.0).reshape(5, 3)
        file["m"].attrs["columns"] = ["a", "b", "c"]
    added = {"c": [17.0, 20.0], "a": [15.0, 18.0], "b": [16.0, 19.0]}
    with quire.append(path, format="hdf5", engine="phdf5", grow=True) as out, out.step(0) as step:
        for name, values in added.items():
            step.put(name, values, table="m")
    with h5py.File(path) as file:
        assert file["m"].chunks == chunk
        np.testing.assert_array_equal(file["m"][...], np.arange(21.0).reshape(7, 3))
