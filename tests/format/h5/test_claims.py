"""Shapes that claim more than any machine holds: an error that says so, before memory is asked for."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import quire
from quire.errors import BadFileError, MemoryBudgetError

TERA = 1 << 42
COLUMNS: dict[str, Any] = {
    "late": {"dtype": "f8"},
    "chunked": {"dtype": "i4", "chunks": (1 << 20,), "maxshape": (None,)},
    "fixed": {"dtype": "S8"},
    "texts": {"dtype": h5py.string_dtype()},
}


@pytest.fixture(params=["h5part", "hdf5"])
def step(request: Any, tmp_path: Path) -> Any:
    """A step of columns and fields without values that take terabytes."""
    path = tmp_path / f"claims.{request.param}"
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        for name, how in COLUMNS.items():
            group.create_dataset(name, shape=(TERA,), **how)
        group.create_dataset("Block/f/0", shape=(1 << 14, 1 << 14, 1 << 14), dtype="f8")
    with quire.open(path, format=request.param) as file:
        yield file[0]


def refused(read: Any, name: str) -> None:
    with pytest.raises(MemoryBudgetError, match="this machine has") as caught:
        read()
    assert caught.value.object == name
    assert "claims." in caught.value.file
    assert "read a part" in caught.value.advice


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_terabytes_are_refused_and_parts_are_read(step: quire.Step, name: str) -> None:
    refused(step[name].read, name)
    refused(lambda: step[name][1:], name)
    (table,) = step.tables.values()
    refused(lambda: table.read([*COLUMNS]), table.name)
    refused(table.to_structured, table.name)
    assert step[name][TERA - 3 :].tolist() in ([0, 0, 0], ["", "", ""])


def test_packed_strings_are_refused_by_the_core(step: quire.Step) -> None:
    (table,) = step.tables.values()
    for name in ("fixed", "texts"):
        refused(lambda name=name: table.read_packed(name), name)


def test_fields_of_terabytes_are_refused_and_boxes_are_read(step: quire.Step) -> None:
    ((name, field),) = step.fields.items()
    refused(lambda: field[...], name)
    if not name.startswith("Step"):
        assert field.shape == (1 << 14,) * 3


def test_more_rows_than_can_be_counted_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "endless.hdf5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", shape=(987654321, 2), dtype="i1")
    content = path.read_bytes().replace(struct.pack("<Q", 987654321), struct.pack("<Q", 1 << 62), 1)
    path.write_bytes(content)
    with quire.open(path) as file, pytest.raises(BadFileError, match="claims 9223372036854775808 elements"):
        file[0]


def test_memory_of_ones_own_may_be_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "own.hdf5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", shape=(1000,), dtype="f8", fillvalue=2.5)
    with quire.open(path) as file:
        own = np.zeros(1000)
        file[0].table.read(["x"], out={"x": own})
        assert own.sum() == 2500
