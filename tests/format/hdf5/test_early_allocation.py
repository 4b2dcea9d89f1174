"""Growth of datasets whose chunks were allocated early, as parallel HDF5 allocates them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import quire
from quire.errors import ConflictError

KINDS: dict[str, dict[str, Any]] = {
    "steps": {"format": "h5part", "chunk": 4, "field_chunk": "3x4"},
    "columns": {"format": "hdf5", "chunk": 4, "field_chunk": "3x4"},
    "compressed": {"format": "h5part", "chunk": 5, "field_chunk": "4", "filter": "deflate"},
}
GRID = np.random.default_rng(7).normal(size=(10, 11)).round(2)


def path_of(kind: str, column: str) -> str:
    return f"Step#0/{column}" if KINDS[kind]["format"] == "h5part" else column


def write(path: Path, kind: str) -> None:
    """Six rows and a field, in datasets with early allocation."""
    with quire.create(path, grow=True, **KINDS[kind]) as out, out.step(0) as step:
        step.put("t", np.arange(6) * 0.5).put("n", np.arange(6) * 5).put_field("rho", GRID)
    field = "Step#0/Block/rho/0" if KINDS[kind]["format"] == "h5part" else "rho"
    with h5py.File(path, "r+") as file:
        for name in (path_of(kind, "t"), path_of(kind, "n"), field):
            old = file[name].id
            creation = old.get_create_plist()
            creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            values = file[name][...]
            del file[name]
            h5py.h5d.create(file.id, name.encode(), old.get_type(), old.get_space(), creation)
            file[name][...] = values


@pytest.mark.parametrize("kind", ["steps", "columns"])
def test_columns_grow(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.h5"
    write(path, kind)
    rows = 6
    for more in (11, 16, 21):
        added = np.arange(rows, rows + more)
        with quire.append(path, grow=True, **KINDS[kind]) as out, out.step(0) as step:
            step.put("t", added * 0.5).put("n", added * 5)
        rows += more
        with quire.open(path) as file:
            (table,) = file[0].tables.values()
            assert table["t"][:].tolist() == [0.5 * row for row in range(rows)]
            assert table["n"][:].tolist() == [5 * row for row in range(rows)]
            assert file.check().is_whole
        with h5py.File(path) as file:
            lines = file[path_of(kind, "t")]
            assert lines[:].tolist() == [0.5 * row for row in range(rows)]
            assert lines.id.get_create_plist().get_alloc_time() == h5py.h5d.ALLOC_TIME_EARLY


def add(step: quire.WriteStep, kind: str) -> None:
    """A row of compressed columns, otherwise a layer of the field."""
    if kind == "compressed":
        step.put("t", [3.0]).put("n", [30])
    else:
        extents = (len(GRID) + 1, GRID.shape[1])
        step.put_field("rho", GRID[:1], quire.Grid(extents=extents, start=(len(GRID), 0)))


@pytest.mark.parametrize("kind", KINDS)
def test_fields_and_compressed_columns_do_not_grow(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.h5"
    write(path, kind)
    content = path.read_bytes()
    with (
        pytest.raises(ConflictError, match="allocated early"),
        quire.append(path, grow=True, **KINDS[kind]) as out,
        out.step(0) as step,
    ):
        add(step, kind)
    assert path.read_bytes() == content
