"""Columns that several ranks add to existing steps, read by another library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError

ROWS = 1000


def write(path: Path) -> None:
    """Three steps of two columns."""
    with quire.create(path) as out:
        for number in range(3):
            with out.step(number) as step:
                step.set("s", 1.0 * number)
                step.put("x", np.arange(ROWS) + number, unit="m")
                step.put("y", np.arange(ROWS) - number, unit="m")


def add_weights(comm: Any, path: str) -> None:
    """Every rank writes its part; others are refused on all ranks, and the file remains valid."""
    mine = np.full(ROWS // comm.size + (comm.rank < ROWS % comm.size), comm.rank, dtype=np.int32)
    with quire.append(path, comm, existing="add", deadline=30) as out:
        with out.step(1) as step:
            step.put("rank", mine)
        with pytest.raises(ConflictError, match="rows"), out.step(2) as step:
            step.put("rank", mine[1:])
        with pytest.raises(ConflictError, match="already"), out.step(2) as step:
            step.put("x", mine)
        with out.step(3) as step:
            step.put("x", mine)


@pytest.mark.mpi
def test_ranks_add_a_column_together(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    write(path)
    with pytest.raises(ConflictError, match="already"), quire.append(path) as out, out.step(1) as step:
        step.put("rank", np.arange(ROWS))
    run_ranks(add_weights, 3, str(path))
    ranks = np.repeat([0, 1, 2], [334, 333, 333])
    with quire.open(path) as file:
        assert file.numbers == [0, 1, 2, 3]
        assert list(file[1].table) == ["x", "y", "rank"]
        np.testing.assert_array_equal(file[1]["rank"][:], ranks)
        np.testing.assert_array_equal(file[1]["x"][:], np.arange(ROWS) + 1)
        assert file[1].attrs["s"] == 1.0
        assert list(file[2].table) == ["x", "y"]
        assert file.check().damage is None
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["Step#1/rank"][:], ranks)
        np.testing.assert_array_equal(file["Step#2/y"][:], np.arange(ROWS) - 2)
        assert sorted(file) == ["Step#0", "Step#1", "Step#2", "Step#3"]


def test_a_restart_file_holds_one_step_and_the_file_attributes(tmp_path: Path) -> None:
    path, restart = tmp_path / "beam.h5", tmp_path / "restart.h5"
    write(path)
    with quire.append(path, existing="replace") as out:
        out.attach("run.in", b"input")
        with out.step(1) as step:
            step.set("s", 7.5)
            step.put("x", np.zeros(4), unit="m")
    quire.copy(path, restart, steps="1")
    with quire.open(restart) as file:
        assert file.numbers == [1]
        assert file[0].attrs["s"] == 7.5
        assert file[0]["x"].unit == "m"
        assert file[0]["x"][:].tolist() == [0.0] * 4
        assert file.attachment("run.in") == b"input"


def test_names_like_our_temporary_ones_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(3.0))
        step.put("x (aside)", np.arange(3.0) + 10)
    with quire.append(path, existing="overwrite") as out, out.step(0) as step:
        step.put("x", np.full(3, 7.0))
    with h5py.File(path, "a") as file:
        file.copy("Step#0", "Step#0 (aside)")
    with quire.append(path, existing="overwrite") as out, out.step(0) as step:
        step.put("x", np.full(3, 8.0))
    with h5py.File(path) as file:
        assert sorted(file) == ["Step#0", "Step#0 (aside)"]
        assert sorted(file["Step#0"]) == ["x", "x (aside)"]
        assert file["Step#0/x"][:].tolist() == [8.0] * 3
        assert file["Step#0/x (aside)"][:].tolist() == [10.0, 11.0, 12.0]


def write_field(path: Path) -> None:
    """A field with origin, attributes and a note of another program, and one with coordinates."""
    with quire.create(path) as out, out.step(0) as step:
        attributes = {"device": "A", "gain": 2.0}
        step.put_field(
            "rho", np.zeros((2, 3, 4)), quire.Grid(origin=(1, 2, 3), spacing=(4, 5, 6)), attributes=attributes
        )
        step.put_field(
            "E",
            np.zeros((2, 3, 4, 3)),
            quire.Grid(components=3, coordinates=[[0, 1], [0, 1, 4], [0, 1, 4, 9]]),
        )
    with h5py.File(path, "a") as file:
        file["Step#0/Block/rho"].attrs["kinds"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
        file["Step#0/Block/rho/note"] = [1, 2]


def overwrite(
    path: Path, name: str, extents: tuple[int, ...] = (2, 3, 4), grid: quire.Grid | None = None, **more: Any
) -> None:
    """Write ones into an existing field."""
    with quire.append(path, existing="overwrite") as out, out.step(0) as step:
        step.put_field(name, np.ones(extents), grid, **more)


def places(field: quire.Field) -> list[Any]:
    """The positions of the elements along each axis."""
    return [None if axis is None else axis.tolist() for axis in field.coordinates or ()]


def test_an_overwritten_field_keeps_other_attributes(tmp_path: Path) -> None:
    path = tmp_path / "fields.h5"
    write_field(path)
    overwrite(path, "rho", grid=quire.Grid(spacing=(7, 8, 9)), attributes={"gain": 3.0, "run": 5})
    with quire.open(path) as file:
        rho = file[0].fields["rho"]
        assert rho[:].tolist() == np.ones((2, 3, 4)).tolist()
        assert [rho.origin, rho.spacing] == [(1, 2, 3), (7, 8, 9)]
        values = dict(rho.attrs)
        assert values == {"device": "A", "gain": 3.0, "run": 5}
    with h5py.File(path) as file:
        assert sorted(file["Step#0/Block/rho"]) == ["0", "note"]
        assert file["Step#0/Block/rho"].attrs["kinds"].tolist() == [(1, 2.0)]


def test_an_overwritten_field_has_its_own_components_and_no_stale_coordinates(tmp_path: Path) -> None:
    path = tmp_path / "fields.h5"
    write_field(path)
    overwrite(path, "E")
    with quire.open(path) as file:
        kept = file[0].fields["E"]
        assert kept.components == 1
        assert places(kept) == [[0, 1], [0, 1, 4], [0, 1, 4, 9]]
    overwrite(path, "E", (2, 3, 5))
    with quire.open(path) as file:
        assert places(file[0].fields["E"]) == [[0, 1], [0, 1, 4], None]
        assert not any("Coordinates" in warning for warning in file[0].warnings)
    overwrite(path, "E", (2, 3, 5), quire.Grid(origin=(0, 0, 0)))
    with quire.open(path) as file:
        assert places(file[0].fields["E"]) == []


def test_a_shared_field_is_overwritten_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "fields.h5"
    write_field(path)
    with h5py.File(path, "a") as file:
        file.create_group("Step#1/Block")["rho"] = file["Step#0/Block/rho"]
    overwrite(path, "rho")
    with quire.open(path) as file:
        assert [float(step.fields["rho"][:].max()) for step in file] == [1.0, 0.0]
