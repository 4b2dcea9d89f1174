"""XDMF sidecars: VTK's reader finds our data with every axis in its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import ConflictError, MissingError, UnsupportedError
from quire.toolkit.xdmf import write_xdmf

pytestmark = pytest.mark.peer

HERE = Path(__file__).resolve().parent
NX, NY, NZ = 5, 3, 2
ORIGIN = (10.0, 20.0, 30.0)
SPACING = (0.5, 2.0, 7.0)
ROWS = 6


def field_values(number: int, component: int = 0) -> np.ndarray[Any, Any]:
    """An object without any symmetry: i + 10 j + 100 k, slowest axis first."""
    k, j, i = np.meshgrid(np.arange(NZ), np.arange(NY), np.arange(NX), indexing="ij")
    return np.asarray(i + 10.0 * j + 100.0 * k + 1000.0 * number + 0.25 * component)


def write_fields(path: Path) -> None:
    """Particles and fields of two steps, as a program of the field would write them."""
    with h5py.File(path, "w") as file:
        for number in (0, 1):
            group = file.create_group(f"Step#{number}")
            group.attrs["TimeValue"] = np.array([0.5 * number])
            for axis, name in enumerate("xyz"):
                group[name] = np.arange(ROWS) * 1.0 + 10 * axis + 100 * number
            group["id"] = np.arange(ROWS, dtype=np.int64) + 7
            group.create_dataset("packed", data=np.arange(ROWS) * 0.5, chunks=(4,), compression="gzip")
            group["big"] = np.arange(ROWS).astype(">f4")
            for field, components in (("rho", 1), ("E", 3)):
                block = group.create_group(f"Block/{field}")
                block.attrs["__Origin__"] = np.array(ORIGIN)
                block.attrs["__Spacing__"] = np.array(SPACING)
                for component in range(components):
                    block[str(component)] = field_values(number, component)


def seen(sidecar: Path, time: float) -> dict[str, Any]:
    """A sidecar at a time as VTK's reader returns it, in a separate process and from another directory."""
    command = [sys.executable, str(HERE / "vtk_xdmf_worker.py"), str(sidecar), str(time)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=os.sep)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def test_particles_and_fields_are_found_over_time(tmp_path: Path) -> None:
    path, sidecar = tmp_path / "run.h5", tmp_path / "views" / "run.xmf"
    sidecar.parent.mkdir()
    write_fields(path)
    report = write_xdmf(path, sidecar)
    assert (report.steps, report.left_out) == (2, [])
    for number in (0, 1):
        found = seen(sidecar, 0.5 * number)
        assert found["times"] == [0.0, 0.5]
        points = np.column_stack([np.arange(ROWS) + 10 * axis + 100 * number for axis in range(3)])
        particles = found["grids"]["particles"]
        np.testing.assert_array_equal(particles["points"], points)
        assert particles["arrays"]["id"] == list(range(7, 7 + ROWS))
        np.testing.assert_array_equal(particles["arrays"]["packed"], np.arange(ROWS) * 0.5)
        np.testing.assert_array_equal(particles["arrays"]["big"], np.arange(ROWS))
        grid = found["grids"]["fields"]
        assert grid["origin"] == list(ORIGIN)
        assert grid["spacing"] == list(SPACING)
        assert grid["dimensions"] == [NX, NY, NZ]
        # VTK's points run along x first.
        np.testing.assert_array_equal(grid["arrays"]["rho"], field_values(number).ravel())
        vectors = np.column_stack([field_values(number, component).ravel() for component in range(3)])
        np.testing.assert_array_equal(grid["arrays"]["E"], vectors)


def test_points_of_a_field_match_their_indices(tmp_path: Path) -> None:
    path, sidecar = tmp_path / "run.h5", tmp_path / "run.xmf"
    write_fields(path)
    write_xdmf(path, sidecar)
    found = seen(sidecar, 0.0)["grids"]["fields"]
    for (i, j, k), value in (((4, 0, 0), 4.0), ((0, 2, 0), 20.0), ((0, 0, 1), 100.0), ((3, 1, 1), 113.0)):
        place = [ORIGIN[axis] + SPACING[axis] * index for axis, index in enumerate((i, j, k))]
        index = found["points"].index(place)
        assert found["arrays"]["rho"][index] == value


@pytest.mark.parametrize("order", ["little", "big"])
def test_values_of_other_formats_are_found_by_their_bytes(tmp_path: Path, order: str) -> None:
    path, sidecar = tmp_path / "run.sdds", tmp_path / "run.xmf"
    with quire.create(path, major_order="column", byte_order=order) as out:
        for number in (0, 1):
            with out.step(number) as step:
                step.set("t", 2.0 * number, unit="s")
                step.put("x", np.arange(4.0) + number, unit="m")
                step.put("y", np.arange(4.0) * 10, unit="m")
                step.put("q", np.arange(4, dtype=np.int32))
                step.put("name", ["a", "b", "c", "d"])
    report = write_xdmf(path, sidecar)
    assert [sentence.split(":")[0] for sentence in report.left_out] == ["the column name"]
    found = seen(sidecar, 2.0)
    assert found["times"] == [0.0, 2.0]
    points = np.column_stack([np.arange(4.0) + 1, np.arange(4.0) * 10, np.zeros(4)])
    # A single collection has no name.
    (particles,) = found["grids"].values()
    np.testing.assert_array_equal(particles["points"], points)
    assert particles["arrays"]["q"] == [0, 1, 2, 3]


def test_objects_that_cannot_be_located_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "rows.sdds"
    with quire.create(path, major_order="row") as out, out.step(0) as step:
        for name in "xyz":
            step.put(name, np.arange(3.0))
    with pytest.raises(MissingError, match="neither positions nor fields") as error:
        write_xdmf(path, tmp_path / "rows.xmf")
    assert "write it by columns: quire convert" in error.value.advice
    columns = tmp_path / "columns.sdds"
    quire.copy(path, columns, options={"major_order": "column"})
    assert write_xdmf(columns, tmp_path / "columns.xmf").left_out == []
    assert not (tmp_path / "rows.xmf").exists()
    packed = tmp_path / "rows.sdds.gz"
    quire.copy(path, packed)
    with pytest.raises(UnsupportedError, match="compressed as a whole"):
        write_xdmf(packed, tmp_path / "packed.xmf")
    with pytest.raises(MissingError):
        write_xdmf(path, tmp_path / "rows.xmf", time="nothing")


def test_the_command_writes_a_sidecar(tmp_path: Path) -> None:
    path, sidecar = tmp_path / "run.h5", tmp_path / "run.xmf"
    write_fields(path)
    run = CliRunner()
    outcome = run.invoke(app, ["export", "xdmf", str(path), "-o", str(sidecar), "--steps", "1"])
    assert outcome.exit_code == 0, outcome.output
    times = [element.get("Value") for element in ElementTree.parse(sidecar).getroot().iter("Time")]
    assert times == ["0.5", "0.5"]
    again = run.invoke(app, ["export", str(path), str(sidecar)])
    assert again.exit_code == 1
    again = run.invoke(
        app, ["export", str(path), str(sidecar), "--overwrite", "--positions", "z,x", "--json"]
    )
    answer = {"path": str(sidecar), "files": [str(sidecar)], "steps": 2, "left_out": []}
    assert json.loads(again.stdout) == answer
    np.testing.assert_array_equal(
        np.array(seen(sidecar, 0.0)["grids"]["particles"]["points"])[:, :2],
        np.column_stack([np.arange(ROWS) + 20.0, np.arange(ROWS)]),
    )
    assert run.invoke(app, ["export", str(path)]).exit_code == 2
    assert run.invoke(app, ["export", str(path), str(tmp_path / "a.csv"), "--time", "t"]).exit_code == 2
    with pytest.raises(ConflictError):
        write_xdmf(path, path, overwrite=True)


@pytest.mark.parametrize("name", ["trail ", "\u00e4", "a\u00e4", " lead", "a\tb", "a&<\"'"])
@pytest.mark.parametrize("file", ["run.h5", " run.h5", "\u00e4.h5"])
def test_names_that_readers_would_trim_are_found(tmp_path: Path, name: str, file: str) -> None:
    path, sidecar = tmp_path / file, tmp_path / "run.xmf"
    write_fields(path)
    with h5py.File(path, "a") as opened:
        opened["Step#0"][name] = np.arange(ROWS) + 0.5
    assert write_xdmf(path, sidecar).left_out == []
    found = seen(sidecar, 0.0)["grids"]["particles"]["arrays"]
    assert found[name] == (np.arange(ROWS) + 0.5).tolist()
    assert found["id"] == list(range(7, 7 + ROWS))


@pytest.mark.parametrize("name", ["col:on", "a\x01b", "a\rb", b"a\xffb"])
def test_names_that_cannot_be_referenced_are_left_out(tmp_path: Path, name: str | bytes) -> None:
    path, sidecar = tmp_path / "run.h5", tmp_path / "run.xmf"
    write_fields(path)
    with h5py.File(path, "a") as file:
        file["Step#0"][name] = np.arange(ROWS)
        if name == "col:on":
            file[f"Step#0/Block/{name}/0"] = field_values(0)
    left_out = write_xdmf(path, sidecar).left_out
    kinds = {"column", "field"} if name == "col:on" else {"column"}
    assert {sentence.split()[1] for sentence in left_out} == kinds
    assert len(seen(sidecar, 0.0)["grids"]["particles"]["points"]) == ROWS


def test_steps_that_cannot_be_referenced_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with quire.create(path, step_name="It:er") as out, out.step(0) as step:
        for name in "xyz":
            step.put(name, np.arange(3.0))
    with pytest.raises(MissingError, match="colon"):
        write_xdmf(path, tmp_path / "run.xmf")
