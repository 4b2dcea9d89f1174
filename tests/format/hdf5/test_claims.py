"""Shapes that claim more than the memory of any machine are an error before memory is allocated."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import quire
from quire.errors import BadFileError, MemoryBudgetError, UnsupportedError

TERA = 1 << 42
COLUMNS: dict[str, Any] = {
    "late": {"dtype": "f8"},
    "chunked": {"dtype": "i4", "chunks": (1 << 20,), "maxshape": (None,)},
    "fixed": {"dtype": "S8"},
    "texts": {"dtype": h5py.string_dtype()},
}


@pytest.fixture(params=["h5part", "hdf5"])
def step(request: Any, tmp_path: Path) -> Any:
    """A step of columns and fields without values that would take terabytes."""
    path = tmp_path / f"claims.{request.param}"
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#0")
        for name, how in COLUMNS.items():
            group.create_dataset(name, shape=(TERA,), **how)
        group.create_dataset("Block/f/0", shape=(1 << 14, 1 << 14, 1 << 14), dtype="f8")
    with quire.open(path, format=request.param, unwritten=True) as file:
        yield file[0]


NEVER_WRITTEN: dict[str, Any] = {
    **COLUMNS,
    "few chunks": {"dtype": "f8", "chunks": (1024,), "data": None},
    "filtered": {"dtype": "f8", "chunks": (1024,), "scaleoffset": 2},
    "records": {"dtype": [("a", "f8"), ("b", "f4")]},
}


CLAIMS = [(format, name) for format in ("h5part", "hdf5") for name in (*NEVER_WRITTEN, "field")]
CLAIMS.remove(("h5part", "records"))  # which has no compounds


@pytest.mark.parametrize(("format", "name"), CLAIMS)
def test_unwritten_datasets_are_read_only_on_request(tmp_path: Path, format: str, name: str) -> None:
    path = tmp_path / "endless.h5"
    with h5py.File(path, "w") as file:
        if name == "field":
            file.create_dataset("Step#0/Block/f/0", shape=(1 << 14,) * 3, dtype="f4")
        else:
            data = file.create_dataset(f"Step#0/{name}", shape=(1 << 44,), **NEVER_WRITTEN[name])
            if name == "few chunks":
                data[:3000] = 1.0
    with (
        quire.open(path, format=format) as file,
        pytest.raises(UnsupportedError, match="were written") as caught,
    ):
        file[0]
    assert "unwritten=true" in caught.value.advice
    assert path.stat().st_size < 1 << 16
    with quire.open(path, format=format, unwritten=True) as file:
        assert file[0].number == 0


def test_late_allocated_datasets_are_read(tmp_path: Path) -> None:
    path = tmp_path / "late.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("Step#0/late", shape=(1 << 20,), dtype="f8", fillvalue=2.5)
        file.create_dataset("Step#0/chunked", shape=(1 << 20,), dtype="f8", chunks=(1024,))
    with quire.open(path) as file:
        assert file[0]["late"][:].sum() == 2.5 * (1 << 20)
        assert not file[0]["chunked"][:].any()


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


def test_output_arrays_may_be_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "own.hdf5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", shape=(1000,), dtype="f8", fillvalue=2.5)
    with quire.open(path) as file:
        own = np.zeros(1000)
        file[0].table.read(["x"], out={"x": own})
        assert own.sum() == 2500
