"""Views in VTKHDF: VTK's reader finds particles and fields of every step, in files that copy none of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.peers.test_xdmf import NX, NY, NZ, ORIGIN, ROWS, SPACING, field_values, write_fields
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import ConflictError, MissingError, UnsupportedError, UsageError
from quire.toolkit import vtkhdf
from quire.toolkit.vtkhdf import write_vtkhdf

pytestmark = pytest.mark.peer

HERE = Path(__file__).resolve().parent
CODES = HERE.parents[1] / "data" / "codes"
MESHES = HERE.parents[1] / "data" / "h5part"


def seen(view: Path, time: float) -> dict[str, Any]:
    """A view at a time as VTK's reader returns it, in a separate process and from another directory."""
    command = [sys.executable, str(HERE / "vtk_view_worker.py"), str(view), str(time)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, cwd=os.sep)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def test_particles_and_fields_are_found_over_time(tmp_path: Path) -> None:
    path, view = tmp_path / "run.h5", tmp_path / "views" / "run.vtkhdf"
    view.parent.mkdir()
    write_fields(path)
    report = write_vtkhdf(path, view)
    particles, fields = (view.with_stem(f"run_{name}") for name in ("particles", "fields"))
    assert report.files == [str(particles), str(fields)]
    assert (report.steps, report.left_out) == (2, [])
    for number in (0, 1):
        found = seen(particles, 0.5 * number)
        assert (found["times"], found["kind"]) == ([0.0, 0.5], "vtkPolyData")
        points = np.column_stack([np.arange(ROWS) + 10 * axis + 100 * number for axis in range(3)])
        np.testing.assert_array_equal(found["points"], points)
        assert found["cells"] == [list(range(ROWS))]
        arrays = found["arrays"]
        assert set(arrays) == {"x", "y", "z", "id", "packed", "big"}
        assert arrays["id"] == list(range(7, 7 + ROWS))
        np.testing.assert_array_equal(arrays["packed"], np.arange(ROWS) * 0.5)
        np.testing.assert_array_equal(arrays["big"], np.arange(ROWS))
        grid = seen(fields, 0.5 * number)
        assert grid["kind"] == "vtkImageData"
        assert (grid["origin"], grid["spacing"]) == (list(ORIGIN), list(SPACING))
        assert grid["dimensions"] == [NX, NY, NZ]
        # VTK's points run along x first.
        np.testing.assert_array_equal(grid["arrays"]["rho"], field_values(number).ravel())
        vectors = np.column_stack([field_values(number, component).ravel() for component in range(3)])
        np.testing.assert_array_equal(grid["arrays"]["E"], vectors)


def test_values_are_not_copied(tmp_path: Path) -> None:
    path, view = tmp_path / "run.h5", tmp_path / "run.vtkhdf"
    rows = 200_000
    with quire.create(path) as out, out.step(0) as step:
        for name in "xyz":
            step.put(name, np.random.default_rng(1).normal(size=rows))
    write_vtkhdf(path, view)
    assert view.stat().st_size < path.stat().st_size / 10
    with h5py.File(view) as file:
        root = file["VTKHDF"]
        assert list(root.attrs["Version"]) == [2, 0]
        assert {source.file_name for source in root["Points"].virtual_sources()} == {"run.h5"}
        assert all(root["PointData"][name].is_virtual for name in "xyz")
        assert root["Points"].shape == (rows, 3)
        np.testing.assert_array_equal(root["Vertices/Connectivity"][:], np.arange(rows))
    # Files that are moved together stay together.
    moved = tmp_path / "moved"
    moved.mkdir()
    shutil.move(path, moved)
    shutil.move(view, moved)
    with quire.open(moved / "run.h5") as file:
        np.testing.assert_array_equal(seen(moved / "run.vtkhdf", 0.0)["arrays"]["y"], file[0]["y"][:])


def test_steps_differ_in_rows_columns_and_types(tmp_path: Path) -> None:
    path, view = tmp_path / "run.h5", tmp_path / "run.vtkhdf"
    counts = (4, 0, 3)
    with quire.create(path) as out:
        for number, rows in enumerate(counts):
            with out.step(10 * number) as step:
                for place, name in enumerate("xy"):
                    step.put(name, np.arange(rows) * 1.0 + place + 10 * number)
                weights = np.arange(float(rows)) / 8
                step.put("q", weights.astype(np.float32) if number == 0 else weights)
                if number == 2:
                    step.put("late", np.arange(rows) * 2.0)
    assert write_vtkhdf(path, view).left_out == []
    for number, rows in enumerate(counts):
        found = seen(view, 10.0 * number)
        assert found["times"] == [0.0, 10.0, 20.0]
        points = [[row + 10.0 * number, row + 1.0 + 10 * number, 0.0] for row in range(rows)]
        assert found["points"] == points
        assert found["cells"] == [list(range(rows))]
        assert found["arrays"]["q"] == [row / 8 for row in range(rows)]
        late = np.array(found["arrays"]["late"], dtype=float)
        np.testing.assert_array_equal(late, np.arange(rows) * (2.0 if number == 2 else np.nan))


def test_fields_of_two_axes_and_of_a_part_of_the_steps(tmp_path: Path) -> None:
    path, view = tmp_path / "run.h5", tmp_path / "run.vtkhdf"
    grid = quire.Grid(origin=[1.0, 2.0], spacing=[0.5, 0.25])
    with quire.create(path, format="openpmd") as out:
        for number in (0, 1):
            with out.step(number) as step:
                step.put_field("rho", np.arange(6.0).reshape(2, 3) + 10 * number, grid)
                if number == 1:
                    step.put_field("late", np.arange(6.0).reshape(2, 3), grid)
    report = write_vtkhdf(path, view)
    assert report.files == [str(view)]
    first, second = (seen(view, float(number)) for number in (0, 1))
    assert first["dimensions"] == [3, 2, 1]
    assert (first["origin"], first["spacing"]) == ([2.0, 1.0, 0.0], [0.25, 0.5, 1.0])
    assert second["arrays"]["rho"] == [10, 11, 12, 13, 14, 15]
    assert np.isnan(first["arrays"]["late"]).all()
    assert second["arrays"]["late"] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 1, 3), (2, 3, 1), (1, 1, 1)])
@pytest.mark.parametrize("components", [1, 3])
def test_axes_of_one_element_keep_their_place(
    tmp_path: Path, shape: tuple[int, ...], components: int
) -> None:
    path, view = tmp_path / "run.h5", tmp_path / "run.vtkhdf"
    vector = (components,) if components > 1 else ()
    grid = quire.Grid(origin=[1.0] * len(shape), spacing=[0.5] * len(shape), components=components)
    values = np.arange(float(np.prod(shape) * components)).reshape(*shape, *vector)
    with quire.create(path, format="openpmd") as out:
        for number in (0, 1):
            with out.step(number) as step:
                step.put_field("E", values + 100 * number, grid)
    write_vtkhdf(path, view)
    found = seen(view, 1.0)
    # The times in the file are all 0.
    assert found["times"] == [0.0, 1.0]
    assert found["dimensions"] == [*reversed(shape), *[1] * (3 - len(shape))]
    np.testing.assert_array_equal(found["arrays"]["E"], (values + 100).reshape(-1, *vector))


def test_constants_and_values_of_other_formats_are_copied(tmp_path: Path) -> None:
    view = tmp_path / "electrons.vtkhdf"
    write_vtkhdf(CODES / "beamphysics_electron.h5", view)
    with quire.open(CODES / "beamphysics_electron.h5") as file:
        table = file[0].table
        found = seen(view, 0.0)
        np.testing.assert_array_equal(found["points"], np.column_stack([table[name][:] for name in "xyz"]))
        for name in ("px", "weight", "particleStatus"):
            np.testing.assert_array_equal(found["arrays"][name], table[name][:])
    view = tmp_path / "bunch.vtkhdf"
    write_vtkhdf(CODES / "elegant_line.w1", view, positions=["x", "y", "t"])
    with quire.open(CODES / "elegant_line.w1") as file:
        for step in file:
            found = seen(view, float(step.number))
            np.testing.assert_array_equal(found["arrays"]["p"], step["p"][:])
            np.testing.assert_array_equal(np.array(found["points"])[:, 2], step["t"][:])


@pytest.mark.parametrize(
    ("name", "path", "corners", "type"),
    [
        ("mesh_tri_refined_repacked", "TriangleMeshes/surface", 3, 5),
        ("mesh_tet_repacked", "TetMeshes/0", 4, 10),
    ],
)
def test_leaf_elements_of_meshes_are_shown(
    tmp_path: Path, name: str, path: str, corners: int, type: int
) -> None:
    view = tmp_path / "mesh.vtkhdf"
    report = write_vtkhdf(MESHES / f"{name}.h5", view)
    assert report.files == [str(view)]
    assert all("/Tags/" in sentence for sentence in report.left_out)
    with quire.open(MESHES / f"{name}.h5") as file:
        vertices, elements = (file[0].tables[f"{path}/{table}"] for table in ("Vertices", "Elems"))
        points = np.column_stack([vertices[axis][:] for axis in "xyz"])
        is_leaf = elements["child"][:] < 0
        cells = np.column_stack([elements[f"vertex_{corner}"][:] for corner in range(corners)])[is_leaf]
        levels = elements["level"][:][is_leaf]
    found = seen(view, 0.0)
    assert found["kind"] == "vtkUnstructuredGrid"
    np.testing.assert_array_equal(found["points"], points)
    np.testing.assert_array_equal(found["cells"], cells)
    assert set(found["cell_types"]) == {type}
    np.testing.assert_array_equal(found["cell_arrays"]["level"], levels)


def test_tags_of_elements_and_vertices_are_shown(tmp_path: Path) -> None:
    view = tmp_path / "mesh.vtkhdf"
    report = write_vtkhdf(MESHES / "mesh_tet_repacked.h5", view)
    # Temperatures are those of faces.
    path = "TetMeshes/0/Tags/temperature"
    assert report.left_out == [f"the tags {path}: values of edges and faces have no place"]
    found = seen(view, 0.0)
    assert found["cell_arrays"]["material"] == [100, 101, 102, 103, 104, 105]
    with quire.open(MESHES / "mesh_tet_repacked.h5") as file:
        elements = file[0].tables["TetMeshes/0/Elems"]
        vertices = {
            (row, corner): elements[f"vertex_{corner}"][row] for row in range(6) for corner in range(4)
        }
    tagged = {
        vertices[0, 0]: (0, 0, 0),
        vertices[0, 2]: (2, -2, 7),
        vertices[1, 2]: (4, 0, 0),
        vertices[3, 2]: (6, -6, 7),
    }
    assert len(tagged) == 4
    for component in range(3):
        column = [tagged.get(row, (0, 0, 0))[component] for row in range(len(found["points"]))]
        assert found["arrays"][f"bc_{component}"] == column


def test_parts_of_elements_inherit_their_tags(tmp_path: Path) -> None:
    view = tmp_path / "mesh.vtkhdf"
    write_vtkhdf(MESHES / "mesh_tri_refined_repacked.h5", view)
    path = "TriangleMeshes/surface"
    with quire.open(MESHES / "mesh_tri_refined_repacked.h5") as file:
        tables = file[0].tables
        entities, values = (tables[f"{path}/Tags/material/{name}"] for name in ("entities", "values"))
        tagged = dict(zip((entities["eid"][:-1] & 0xFFFF).tolist(), values["value"][:].tolist(), strict=True))
        elements = tables[f"{path}/Elems"]
        parents, children = elements["parent"][:].tolist(), elements["child"][:].tolist()

    def tag(row: int) -> int:
        return tagged[row] if row in tagged else tag(parents[row]) if parents[row] >= 0 else 0

    leaves = [row for row, child in enumerate(children) if child < 0]
    assert seen(view, 0.0)["cell_arrays"]["material"] == [tag(row) for row in leaves]


def test_tags_that_contradict_their_mesh_are_left_out(tmp_path: Path) -> None:
    path, view = tmp_path / "mesh.h5", tmp_path / "mesh.vtkhdf"
    shutil.copy(MESHES / "mesh_tet_repacked.h5", path)
    with h5py.File(path, "r+") as file:
        entities = file["Topo/TetMeshes/0/Tags/material/entities"]
        records = entities[:]
        records["idx"][-1] = 99
        entities[:] = records
    report = write_vtkhdf(path, view)
    assert any("material: its entities have values that do not exist" in one for one in report.left_out)
    assert "material" not in seen(view, 0.0)["cell_arrays"]


@pytest.mark.parametrize("options", [{}, {"chunk": 2, "field_chunk": 2}])
def test_the_files_of_a_series_are_one_view(tmp_path: Path, options: dict[str, Any]) -> None:
    for number in (0, 100):
        names = {"format": "openpmd", "iteration_format": "run_%06T", **options}
        with quire.create(tmp_path / f"run_{number:06}.h5", **names) as out, out.step(number) as step:
            step.set("time", 0.5 * number)
            for place, name in enumerate("xyz"):
                step.put(name, np.arange(3.0) + place + number, unit="m")
            step.put("id", np.arange(3) + number)
            step.put_field("rho", np.arange(6.0).reshape(2, 3) + number)
    view = tmp_path / "views" / "run.vtkhdf"
    view.parent.mkdir()
    report = write_vtkhdf(tmp_path / "run_%06T.h5", view)
    assert len(report.files) == 2
    for number in (0, 100):
        particles, fields = (seen(Path(name), 0.5 * number) for name in report.files)
        assert particles["points"][1] == [1.0 + number, 2.0 + number, 3.0 + number]
        assert particles["arrays"]["id"] == [number, number + 1, number + 2]
        assert fields["arrays"]["rho"] == [number + one for one in range(6)]


def test_values_outside_of_hdf5_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run-m.h5"
    with quire.create(path, split=True) as out, out.step(0) as step:
        for name in "xyz":
            step.put(name, np.arange(3.0))
    with pytest.raises(UnsupportedError, match="stored in several files"):
        write_vtkhdf(path, tmp_path / "run.vtkhdf")


def test_elements_with_vertices_that_do_not_exist_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "mesh.h5"
    shutil.copy(MESHES / "mesh_tet_repacked.h5", path)
    with h5py.File(path, "r+") as file:
        elements = file["Topo/TetMeshes/0/Elems"]
        records = elements[:]
        records["vertex_indices"][2, 1] = 99
        elements[:] = records
    with pytest.raises(MissingError, match="neither positions nor fields") as raised:
        write_vtkhdf(path, tmp_path / "mesh.vtkhdf")
    assert "vertices that do not exist" in str(raised.value.advice)


def test_too_many_copies_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vtkhdf, "MOST_COPIED", 1 << 10)
    with pytest.raises(UnsupportedError, match="more than 0 MiB to be copied") as raised:
        write_vtkhdf(CODES / "elegant_line.w1", tmp_path / "bunch.vtkhdf")
    assert "quire convert" in raised.value.advice
    assert not (tmp_path / "bunch.vtkhdf").exists()


def test_what_cannot_be_shown_is_reported(tmp_path: Path) -> None:
    path, view = tmp_path / "run.h5", tmp_path / "run.vtkhdf"
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        for name in ("x", "y", "s/lost"):
            step.put(name, np.arange(3.0), table="electrons")
        step.put("numParticles", np.array([3], dtype=np.uint64), table="electrons/particlePatches")
        step.put_field("four", np.zeros((2, 2, 2, 2)))
    report = write_vtkhdf(path, view)
    assert report.left_out == [
        "the table electrons/particlePatches: there are no columns x and y; give the positions",
        "the fields four: VTK has no images of 4 axes",
    ]
    assert seen(view, 0.0)["arrays"]["s_lost"] == [0, 1, 2]
    with pytest.raises(ConflictError):
        write_vtkhdf(path, view)
    with pytest.raises(UsageError, match="two or three"):
        write_vtkhdf(path, view, positions=["x"], overwrite=True)
    with pytest.raises(MissingError):
        write_vtkhdf(path, view, positions=["x", "w"], overwrite=True)
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put("q", np.arange(3.0))
    with pytest.raises(MissingError, match="neither positions nor fields"):
        write_vtkhdf(path, tmp_path / "nothing.vtkhdf")


def test_the_command_writes_views(tmp_path: Path) -> None:
    path, view = tmp_path / "run.h5", tmp_path / "run.vtkhdf"
    write_fields(path)
    run = CliRunner()
    outcome = run.invoke(app, ["export", "vtkhdf", str(path), "-o", str(view), "--steps", "1"])
    assert outcome.exit_code == 0, outcome.output
    files = [str(view.with_stem(f"run_{name}")) for name in ("particles", "fields")]
    assert outcome.output == "".join(f"{name}: 1 step of {path}\n" for name in files)
    assert seen(Path(files[0]), 0.5)["points"][0] == [100.0, 110.0, 120.0]
    assert run.invoke(app, ["export", str(path), str(view)]).exit_code == 1
    words = ["export", "vtkhdf", str(path), str(view.with_suffix(".hdf")), "--steps", "1"]
    assert run.invoke(app, words).exit_code == 0
    assert view.with_name("run_fields.hdf").exists()
    again = run.invoke(
        app,
        [
            "export",
            str(path),
            str(view),
            "--overwrite",
            "--positions",
            "z,x",
            "--time",
            "TimeValue",
            "--json",
        ],
    )
    assert json.loads(again.stdout)["files"] == files
    points = np.array(seen(Path(files[0]), 0.0)["points"])
    np.testing.assert_array_equal(
        points, np.column_stack([np.arange(ROWS) + 20.0, np.arange(ROWS), np.zeros(ROWS)])
    )
