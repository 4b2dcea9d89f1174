"""Unstructured meshes written by h5py: any layout of records gives the same tables, on any ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire

VERTICES = 5000
MEMBERS = ["x", "y", "z"]
PAIR = np.dtype([("eid", "<i8"), ("idx", "<i8")])
# The reference's record, with its hole; without a hole in another order; of other widths and byte orders.
ELEMENTS: dict[str, Any] = {
    "reference": np.dtype(
        {
            "names": ["idx", "parent_idx", "child_idx", "level_idx", "vertex_indices", "neighbor_indices"],
            "formats": ["<i8", "<i8", "<i4", "<i2", ("<i8", (4,)), ("<i8", (4,))],
            "offsets": [0, 8, 16, 24, 32, 64],
            "itemsize": 96,
        }
    ),
    "other order": np.dtype(
        [
            ("vertex_indices", "<i8", (4,)),
            ("level_idx", "<i2"),
            ("child_idx", "<i8"),
            ("parent_idx", "<i8"),
            ("neighbor_indices", "<i8", (4,)),
            ("idx", "<i8"),
        ]
    ),
    "big endian": np.dtype(
        [
            ("idx", ">i4"),
            ("parent_idx", ">i8"),
            ("child_idx", ">i2"),
            ("level_idx", "i1"),
            ("vertex_indices", ">i4", (4,)),
            ("neighbor_indices", ">i8", (4,)),
        ]
    ),
    "mixed orders": np.dtype(
        [
            ("idx", ">i4"),
            ("parent_idx", "<i8"),
            ("child_idx", ">i2"),
            ("level_idx", "i1"),
            ("vertex_indices", ">i4", (4,)),
            ("neighbor_indices", "<i8", (4,)),
        ]
    ),
}
LAYOUTS: dict[str, dict[str, Any]] = {
    "contiguous": {},
    "chunked": {"chunks": (4096,), "maxshape": (None,)},
    "compressed": {"chunks": (999,), "compression": "gzip", "shuffle": True},
}


def vertices_of(count: int) -> np.ndarray[Any, Any]:
    records = np.zeros(count, dtype=[("idx", "<i8"), ("P", "<f8", (3,))])
    records["idx"] = np.arange(count)
    records["P"] = np.random.default_rng(3).normal(size=(count, 3))
    return records


def elements_of(count: int, dtype: Any) -> np.ndarray[Any, Any]:
    records = np.zeros(count, dtype=dtype)
    records["idx"] = np.arange(count)
    records["parent_idx"] = -1
    records["child_idx"] = np.arange(count) - 7
    records["level_idx"] = np.arange(count) % 3
    records["vertex_indices"] = np.arange(4 * count).reshape(count, 4) % VERTICES
    records["neighbor_indices"] = -1 - np.arange(4 * count).reshape(count, 4)
    return records


def write_mesh(parent: h5py.Group, elements: np.ndarray[Any, Any], **how: Any) -> h5py.Group:
    mesh = parent.create_group("part 1")
    mesh.attrs["__num_vertices__"] = np.array([VERTICES], dtype="i8")
    mesh.attrs["__num_elems__"] = np.array([len(elements)], dtype="i8")
    mesh.create_dataset("Vertices", data=vertices_of(VERTICES), **how)
    mesh.create_dataset("Elems", data=elements, **how)
    tag = mesh.create_group("Tags/bc")
    tag.attrs["__scope_min__"] = np.array([0], dtype="i8")
    tag["elems"] = np.array([(0, 0), (-1, 1)], dtype=PAIR)
    tag["entities"] = np.array([(0x1000000000000000, 0), (-1, 2)], dtype=PAIR)
    tag["values"] = np.array([7, 8])
    return mesh


def check_mesh(step: quire.Step, elements: np.ndarray[Any, Any]) -> None:
    path = "TetMeshes/part 1"
    table = step.tables[f"{path}/Vertices"]
    assert list(table.columns) == ["idx", *MEMBERS]
    for axis, name in enumerate(MEMBERS):
        assert np.array_equal(table[name].read(), vertices_of(VERTICES)["P"][:, axis])
    table = step.tables[f"{path}/Elems"]
    names = {"idx": "idx", "parent": "parent_idx", "child": "child_idx", "level": "level_idx"}
    for name, member in names.items():
        assert np.array_equal(table[name].read(), elements[member]), name
    for i in range(4):
        assert np.array_equal(table[f"vertex_{i}"][11:-5], elements["vertex_indices"][11:-5, i])
        assert np.array_equal(table[f"neighbour_{i}"].read(), elements["neighbor_indices"][:, i])
    assert set(table.columns) == set(names) | {f"{n}_{i}" for n in ("vertex", "neighbour") for i in range(4)}
    assert step.tables[f"{path}/Tags/bc/entities"]["eid"].read().tolist() == [1 << 60, -1]
    assert step.tables[f"{path}/Tags/bc/values"]["value"].read().tolist() == [7, 8]
    assert step.attrs[f"{path}/Tags/bc/__scope_min__"] == 0


@pytest.mark.parametrize("records", ELEMENTS)
@pytest.mark.parametrize("layout", ["contiguous", "chunked", "compressed"])
def test_any_layout_of_the_records(tmp_path: Path, records: str, layout: str) -> None:
    path = tmp_path / "mesh.h5"
    elements = elements_of(10_000, ELEMENTS[records])
    with h5py.File(path, "w") as file:
        write_mesh(file.create_group("Topo/TetMeshes"), elements, **LAYOUTS[layout])
    with quire.open(path) as file:
        assert file.format == "h5part"
        assert file.numbers == [0]
        assert file.warnings == []
        assert [text for text in file[0].warnings if "float64" not in text] == []
        check_mesh(file[0], elements)


def sum_on_ranks(comm: Any, path: str) -> list[float]:
    """Read the part of this rank of two tables."""
    with quire.open(path, comm=comm) as file:
        tables = file[0].tables
        elements = tables["TetMeshes/part 1/Elems"]
        part = elements["vertex_2"][elements.share(comm.rank, comm.size)]
        vertices = tables["TetMeshes/part 1/Vertices"]
        y = vertices["y"][vertices.share(comm.rank, comm.size)]
        return [float(y.sum()), float(part.sum())]


def test_meshes_do_not_change_steps(tmp_path: Path) -> None:
    path = tmp_path / "both.h5"
    elements = elements_of(20, ELEMENTS["reference"])
    with h5py.File(path, "w") as file:
        file["Step#3/x"] = np.arange(4.0)
        write_mesh(file.create_group("Topo/TetMeshes"), elements)
    with quire.open(path) as file:
        assert file.numbers == [3]
        assert list(file[0].tables) == [""]
        assert any("option meshes" in text for text in file.warnings)
    with quire.open(path, meshes=True) as file:
        assert file.numbers == [0]
        check_mesh(file[0], elements)


def test_missing_meshes_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "none.h5"
    with h5py.File(path, "w") as file:
        file["Step#3/x"] = np.arange(4.0)
    with pytest.raises(quire.MissingError, match="no meshes"):
        quire.open(path, meshes=True)


def test_partitioned_meshes_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "partitioned.h5"
    elements = elements_of(20, ELEMENTS["reference"])
    with h5py.File(path, "w") as file:
        kind = file.create_group("Topo/TetMeshes")
        write_mesh(kind, elements)
        for name, make in {"declared": False, "seen": True}.items():
            mesh = kind.create_group(name)
            mesh.attrs["__is_chunked__"] = np.array([0 if make else 1], dtype="i2")
            if make:
                mesh["Chunks"] = np.zeros(3, dtype=PAIR)
    with quire.open(path) as file:
        check_mesh(file[0], elements)
        warnings = [text for text in file[0].warnings if "partitioned" in text]
        assert len(warnings) == 2
        assert {name.split("/")[1] for name in file[0].tables} == {"part 1"}


def test_objects_that_are_not_meshes_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "wrong.h5"
    elements = elements_of(20, ELEMENTS["reference"])
    with h5py.File(path, "w") as file:
        mesh = write_mesh(file.create_group("Topo/TetMeshes"), elements)
        mesh.attrs["__num_elems__"] = np.array([21], dtype="i8")
        file["Topo/TetMeshes/number"] = 3
        del mesh["Tags/bc/elems"]
        file.create_group("Topo/TriangleMeshes/empty")
    with quire.open(path) as file:
        texts = "\n".join(file[0].warnings)
        assert "has 20 records, __num_elems__ states 21" in texts
        assert "TetMeshes/number is not a mesh" in texts
        assert "Tags/bc has no elems" in texts
        assert "TriangleMeshes/empty has no Vertices" in texts
    with h5py.File(path, "r+") as file:
        del file["Topo/TetMeshes/part 1/Vertices"]
        file["Topo/TetMeshes/part 1/Vertices"] = np.zeros(3, dtype=[("idx", "<i8")])
    with quire.open(path) as file, pytest.raises(quire.BadFileError, match="have no x"):
        file[0]


def read_everything(path: Path) -> None:
    with quire.open(path) as file:
        for step in file:
            for table in step.tables.values():
                for column in table.columns.values():
                    column.read()


def test_files_with_a_user_block(tmp_path: Path) -> None:
    path = tmp_path / "block.h5"
    elements = elements_of(1000, ELEMENTS["mixed orders"])
    with h5py.File(path, "w", userblock_size=512) as file:
        write_mesh(file.create_group("Topo/TetMeshes"), elements, **LAYOUTS["compressed"])
    with quire.open(path) as file:
        check_mesh(file[0], elements)


@pytest.mark.parametrize("layout", ["contiguous", "compressed"])
def test_damaged_records_are_errors_or_values(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "damaged.h5"
    with h5py.File(path, "w") as file:
        write_mesh(
            file.create_group("Topo/TetMeshes"), elements_of(1000, ELEMENTS["reference"]), **LAYOUTS[layout]
        )
    whole = path.read_bytes()
    members = whole.index(b"neighbor_indices\0")
    refused = 0
    for position in range(members - 64, members + 96):
        path.write_bytes(whole[:position] + b"\xff" + whole[position + 1 :])
        try:
            read_everything(path)
        except quire.Error as error:
            refused += isinstance(error, quire.BadFileError)
    assert refused > 10


def test_true_types_of_tag_values_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "types.h5"
    with h5py.File(path, "w") as file:
        mesh = write_mesh(file.create_group("Topo/TetMeshes"), elements_of(3, ELEMENTS["reference"]))
        del mesh["Tags/bc/values"]
        mesh["Tags/bc/values"] = np.array([0.5, 1.5])
    with quire.open(path) as file:
        assert file[0].warnings == []
        assert file[0].tables["TetMeshes/part 1/Tags/bc/values"]["value"].read().tolist() == [0.5, 1.5]


@pytest.mark.mpi
@pytest.mark.parametrize("layout", ["contiguous", "compressed"])
@pytest.mark.parametrize("records", ["reference", "mixed orders"])
def test_ranks_share_the_records(tmp_path: Path, layout: str, records: str) -> None:
    path = tmp_path / "ranks.h5"
    elements = elements_of(10_000, ELEMENTS[records])
    with h5py.File(path, "w") as file:
        write_mesh(file.create_group("Topo/TetMeshes"), elements, **LAYOUTS[layout])
    sums = run_ranks(sum_on_ranks, 3, str(path))
    assert np.isclose(sum(part[0] for part in sums), vertices_of(VERTICES)["P"][:, 1].sum())
    assert sum(part[1] for part in sums) == elements["vertex_indices"][:, 2].sum()
