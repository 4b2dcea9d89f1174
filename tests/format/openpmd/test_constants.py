"""Columns with one number for all particles: stored once by openPMD, in every row by other formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError, UsageError
from quire.toolkit.convert import copy

ROWS = 5


def write(path: Path | str, comm: Any = None, **options: Any) -> None:
    """A table with two columns of values and three constants."""
    with quire.create(path, comm, **options) as out, out.step(3) as step:
        rows = ROWS + out.rank
        step.put("x", np.arange(rows) * 1.0, unit="m")
        step.put_constant("y", 0.25, unit="m")
        step.put_constant("charge", -1.602176634e-19, unit="C")
        step.put_constant("status", 1, type="int32")


def write_on_ranks(comm: Any, path: str, options: dict[str, Any]) -> None:
    """The same on several ranks."""
    write(path, comm, format="openpmd", **options)


def write_other_values(comm: Any, path: str, format: str) -> None:
    """Ranks with different constants."""
    with quire.create(path, comm, format=format) as out:
        step = out.step(0)
        step.put("x", np.zeros(2)).put_constant("y", float(comm.rank))
        with pytest.raises(ConflictError):
            step.commit()


@pytest.mark.parametrize("options", [{}, {"chunk": 2}, {"chunk": 2, "filter": "deflate"}])
def test_a_constant_is_a_group_with_its_value(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "run.h5"
    write(path, format="openpmd", **options)
    with h5py.File(path) as file:
        beam = file["data/3/particles/beam"]
        for name, value in (("position/y", 0.25), ("charge", -1.602176634e-19), ("status", 1)):
            group = beam[name]
            assert isinstance(group, h5py.Group)
            assert (group.attrs["value"], list(group.attrs["shape"])) == (value, [ROWS])
        assert beam["status"].attrs["value"].dtype == np.int32
        assert beam["charge"].attrs["unitSI"] == 1
        assert beam["charge"].attrs["timeOffset"] == 0
        assert set(beam["positionOffset"]) == {"x", "y"}
        assert isinstance(beam["position/x"], h5py.Dataset)
    with quire.open(path) as file:
        table = file[0].table
        assert {name: one.value for name, one in table.constants.items()} == {
            "y": 0.25, "charge": -1.602176634e-19, "status": 1
        }  # fmt: skip
        assert table["y"].unit == table.constants["y"].unit == "m"
        assert table["status"].type == "int32"
        np.testing.assert_array_equal(table["y"][:], np.full(ROWS, 0.25))
        np.testing.assert_array_equal(table["x"][:], np.arange(ROWS))
        assert table.where("y > 1").count() == 0


def write_constants_alone(comm: Any, path: str, options: dict[str, Any]) -> None:
    """A table of constants, and one beside a table that is written in parts."""
    with quire.create(path, comm, format="openpmd", **options) as out:
        with out.step(0) as step:
            step.rows(7).put_constant("q", 1.5)
        with out.step(1) as step:
            step.rows(7, table="ions").put_constant("q", 1.5, table="ions")
            step.rows(3, table="electrons").declare("x", "float64", table="electrons")
            if step.weighs_values:
                step.agree_on_rows().weigh({"x": np.ones(3)}, table="electrons")
            step.open().write(0, {"x": np.ones(3)}, table="electrons")


@pytest.mark.parametrize("options", [{}, {"chunk": 2}, {"chunk": 2, "filter": "deflate"}])
def test_a_table_may_have_constants_only(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "run.h5"
    write_constants_alone(quire.SELF, str(path), options)
    with quire.open(path) as file:
        assert file[0]["q"][:].tolist() == file[1].tables["ions"]["q"][:].tolist() == [1.5] * 7
        assert file[1].tables["electrons"]["x"][:].tolist() == [1.0] * 3


@pytest.mark.mpi
@pytest.mark.parametrize("options", [{}, {"chunk": 2, "filter": "deflate"}])
def test_ranks_write_a_table_of_constants_only(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "run.h5"
    run_ranks(write_constants_alone, 3, str(path), options)
    with quire.open(path) as file:
        assert file[0]["q"][:].tolist() == file[1].tables["ions"]["q"][:].tolist() == [1.5] * 21


@pytest.mark.parametrize("format", step_formats())
def test_other_formats_store_a_constant_in_each_row(tmp_path: Path, format: str) -> None:
    path = path_for(tmp_path, format)
    write(path, format=format)
    with quire.open(path) as file:
        table = file[0].table
        np.testing.assert_array_equal(table["y"][:], np.full(ROWS, 0.25))
        np.testing.assert_array_equal(table["status"][:], np.ones(ROWS))
        assert (len(table.constants) > 0) == quire.io.formats.format_info(format).holds_constants


@pytest.mark.mpi
@pytest.mark.parametrize("options", [{}, {"chunk": 2, "filter": "deflate"}])
def test_ranks_write_the_same_constant(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "run.h5"
    run_ranks(write_on_ranks, 3, str(path), options)
    with quire.open(path) as file:
        rows = 3 * ROWS + 3
        assert len(file[0].table) == rows
        np.testing.assert_array_equal(file[0]["charge"][:], np.full(rows, -1.602176634e-19))


@pytest.mark.mpi
@pytest.mark.parametrize("format", step_formats())
def test_ranks_with_different_constants_raise(tmp_path: Path, format: str) -> None:
    run_ranks(write_other_values, 2, str(path_for(tmp_path, format)), format)


def test_a_copy_keeps_constants(tmp_path: Path) -> None:
    source, target, other = tmp_path / "run.h5", tmp_path / "copy.h5", tmp_path / "other.h5"
    write(source, format="openpmd")
    copy(source, target, format="openpmd")
    assert target.read_bytes() == source.read_bytes()
    copy(source, other, format="h5part")
    with quire.open(other) as file:
        np.testing.assert_array_equal(file[0]["y"][:], np.full(ROWS, 0.25))
    copy(source, target, format="openpmd", where="x > 1", overwrite=True, options={"filter": "deflate"})
    with quire.open(target) as file:
        assert list(file[0].table.constants) == ["y", "charge", "status"]
        assert file[0]["y"][:].tolist() == [0.25] * 3


def test_wrong_constants_are_refused(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run.h5", format="openpmd") as out:
        for value, message in (([1.0, 2.0], "single number"), ("text", "one number")):
            step = out.step(0)
            with pytest.raises(UsageError, match=message):
                step.put("x", np.zeros(2)).put_constant("q", value).commit()
            step.abort("it was refused")
        step = out.step(0)
        with pytest.raises(UsageError, match="put twice"):
            step.put("x", np.zeros(2)).put_constant("x", 1.0).commit()
