"""Objects that parallel HDF5 cannot read as arrays of numbers are read together with others."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import quire
from quire.io.formats import format_info

ENGINES = [
    choice
    for option in format_info("hdf5").read_options
    if option.name == "engine"
    for choice in option.choices
][1:]
"""The engines of this build other than direct."""


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.linspace(0, 1, 5)
        file["big"] = np.arange(5, dtype=">i4")
        file["is_lost"] = np.array([True, False, True, True, False])
        file["word"] = ["one", "two", "three", "four", "five"]
        file["arrays"] = np.zeros(3, dtype=np.dtype(("f8", (2,))))
        file.create_dataset(
            "grid/tiles", data=np.arange(60.0).reshape(6, 10), chunks=(4, 3), compression="gzip"
        )
        matrix = file.create_dataset("matrix", data=np.arange(12.0).reshape(4, 3))
        matrix.attrs["columns"] = ["a", "b", "c"]
        file["records"] = np.array([(1, 2.5), (3, 4.5)], dtype=[("n", "i4"), ("v", "f8")])
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_all_objects_of_a_foreign_file_are_equal(foreign: Path, engine: str) -> None:
    with quire.open(foreign) as direct, quire.open(foreign, engine=engine) as other:
        assert not other.reads_together
        for name, table in direct[0].tables.items():
            found = other[0].tables[name].read()
            for column, values in table.read().items():
                np.testing.assert_array_equal(found[column], values)
                assert found[column].dtype == values.dtype
            few = other[0].tables[name].read(rows=[1, 0])
            for column, values in table.read(rows=[1, 0]).items():
                np.testing.assert_array_equal(few[column], values)
        assert {"grid/tiles", "matrix"} <= {*direct[0].tables, *direct[0].fields}
        for name, field in direct[0].fields.items():
            np.testing.assert_array_equal(other[0].fields[name][...], field[...])
        tiles = other[0].fields["grid/tiles"][1::2, ::3]
        np.testing.assert_array_equal(tiles, direct[0].fields["grid/tiles"][1::2, ::3])


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_of_a_matrix_are_read_together(foreign: Path, engine: str) -> None:
    with quire.open(foreign, engine=engine, transfer="collective") as file:
        assert file.reads_together
        matrix = file[0].tables["matrix"]
        assert matrix["b"].read().tolist() == [1, 4, 7, 10]
        two = matrix.read(["c", "a"], rows=slice(1, 4, 2))
        assert (two["c"].tolist(), two["a"].tolist()) == ([5, 11], [3, 9])
