"""Unstructured meshes are written with the records and attributes of the reference, on any ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError, MissingError, TypeMismatchError, UnsupportedError, UsageError
from quire.toolkit.convert import copy
from quire.toolkit.request import Observer

GOLDEN = Path(__file__).parents[2] / "data" / "h5part"
MESH = "TriangleMeshes/patch"
ATTRIBUTES = {
    "__num_leaf_levels__": np.array([1], np.int16),
    "__num_elems__": np.array([2]),
    "__num_leaf_elems__": np.array([2]),
    "__num_vertices__": np.array([4]),
}
VERTICES: dict[str, Any] = {
    "idx": np.arange(4),
    "x": np.array([0.0, 1.0, 0.0, 1.0]),
    "y": np.array([0.0, 0.0, 1.0, 1.0]),
    "z": np.zeros(4),
}
ELEMENTS: dict[str, Any] = {
    "idx": np.arange(2),
    "parent": np.array([-1, -1]),
    "child": np.array([-1, -1]),
    "level": np.zeros(2, np.int16),
    "refinement": np.full(2, -1, np.int16),
    "flags": np.zeros(2, np.int32),
    **{f"vertex_{corner}": np.array([corner, corner + 1]) for corner in range(3)},
    **{f"neighbour_{side}": np.array([-1, -1]) for side in range(3)},
}
TAGS: dict[str, dict[str, Any]] = {
    "elems": {"eid": np.array([0, 1, -1]), "idx": np.array([0, 1, 1])},
    "entities": {"eid": np.array([0x30 << 56, -1]), "idx": np.array([0, 1])},
    "values": {"value": np.array([0.5])},
}


def write(path: Path, number: int = 0, without: str = "", **tables: Any) -> None:
    """A mesh of two triangles; `tables` replace some of its tables."""
    with quire.create(path, format="h5part", meshes=True) as out, out.step(number) as step:
        for name, value in ATTRIBUTES.items():
            if name != without:
                step.set(f"{MESH}/{name}", value)
        for name, columns in {"Vertices": VERTICES, "Elems": ELEMENTS, **tables}.items():
            for column, values in columns.items():
                step.put(column, values, table=f"{MESH}/{name}")


@pytest.mark.parametrize("name", ["mesh_tri_refined_repacked", "mesh_tet_repacked"])
def test_a_copy_has_the_records_of_the_reference(tmp_path: Path, name: str) -> None:
    changes: list[str] = []
    copy(
        GOLDEN / f"{name}.h5",
        tmp_path / "copy.h5",
        options={"meshes": True},
        observer=Observer(change=lambda *said: changes.append(": ".join(said))),
    )
    assert len(changes) == 1
    assert "__num_b_vertices__" in changes[0]
    assert changes[0].startswith("reshaped: ")
    compared = 0
    with h5py.File(GOLDEN / f"{name}.h5") as theirs, h5py.File(tmp_path / "copy.h5") as ours:

        def compare(path: str, one: Any) -> None:
            nonlocal compared
            other = ours["Topo"][path]
            assert set(other.attrs) == set(one.attrs)
            for attribute, value in one.attrs.items():
                wanted = np.full_like(value, -1) if attribute.endswith("_b_vertices__") else value
                np.testing.assert_array_equal(other.attrs[attribute], wanted)
                assert other.attrs[attribute].dtype == value.dtype
            if isinstance(one, h5py.Dataset):
                compared += 1
                assert other.chunks is None
                assert other.shape == one.shape
                if one.dtype.names is None:
                    np.testing.assert_array_equal(other[:], one[:])
                for member in one.dtype.names or ():
                    assert other.dtype[member] == one.dtype[member]
                    np.testing.assert_array_equal(other[:][member], one[:][member])

        theirs["Topo"].visititems(compare)
    assert compared == 11
    with quire.open(tmp_path / "copy.h5") as file:
        assert file.check().is_whole


def test_a_mesh_is_made_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "mesh.h5"
    tags: dict[str, Any] = {f"Tags/heat/{name}": columns for name, columns in TAGS.items()}
    write(path, **tags)
    with h5py.File(path) as file:
        mesh = file["Topo"][MESH]
        assert mesh["Vertices"].dtype.itemsize == 32
        assert mesh["Vertices"]["P"].tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
        assert mesh["Elems"].dtype.itemsize == 80
        assert mesh["Elems"]["vertex_indices"].tolist() == [[0, 1, 2], [1, 2, 3]]
        # The type of the values is that of the tag.
        assert mesh["Tags/heat/values"].dtype == np.float64
    with quire.open(path) as file:
        assert file.numbers == [0]
        assert file[0].warnings == []
        for name, columns in {"Vertices": VERTICES, "Elems": ELEMENTS}.items():
            table = file[0].tables[f"{MESH}/{name}"]
            assert list(table.columns) == list(columns)
            for column, values in columns.items():
                np.testing.assert_array_equal(table[column][:], values)


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"number": 1}, UsageError, "belong to no step"),
        ({"without": "__num_elems__"}, UsageError, "needs the attribute __num_elems__"),
        ({"Vertices": {"idx": VERTICES["idx"]}}, UsageError, "must be idx, x, y, z, in this order"),
        ({"Elems": dict(reversed(ELEMENTS.items()))}, UsageError, "in this order"),
        ({"Elems": ELEMENTS | {"level": np.array([0, 1 << 20])}}, TypeMismatchError, "level"),
        ({"Tags/heat/elems": TAGS["elems"]}, UsageError, "needs one table entities"),
        ({"Beam": {"x": np.zeros(2)}}, UnsupportedError, "only tables of meshes"),
    ],
)
def test_incomplete_meshes_are_refused(
    tmp_path: Path, more: dict[str, Any], error: type[quire.Error], message: str
) -> None:
    with pytest.raises(error, match=message):
        write(tmp_path / "mesh.h5", **more)


def test_other_writing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mesh.h5"
    for option in ({"chunk": 8}, {"filter": "deflate"}, {"step_name": "It"}):
        with pytest.raises(UsageError, match="without chunks and steps"):
            quire.create(path, format="h5part", meshes=True, **option)
    write(path)
    with pytest.raises(UnsupportedError, match="not added to a file"):
        quire.append(path, meshes=True)
    with quire.create(path, format="h5part", meshes=True) as out:
        step = out.step(0)
        step.set("time", 1.0)
        with pytest.raises(UnsupportedError, match="belongs to a mesh"):
            step.commit()
    beam = tmp_path / "beam.h5"
    with quire.create(beam) as out, out.step(0) as step:
        step.put("x", np.zeros(3))
    with pytest.raises((UnsupportedError, ConflictError, MissingError)):
        copy(beam, tmp_path / "none.h5", options={"meshes": True})


def copied_by_ranks(comm: Any, source: str, target: str) -> int:
    copy(source, target, comm=comm, options={"meshes": True})
    return int(comm.rank)


@pytest.mark.mpi
def test_ranks_write_the_same_bytes(tmp_path: Path) -> None:
    source = GOLDEN / "mesh_tri_refined_repacked.h5"
    copy(source, tmp_path / "alone.h5", options={"meshes": True})
    assert run_ranks(copied_by_ranks, 3, str(source), str(tmp_path / "ranks.h5")) == [0, 1, 2]
    assert (tmp_path / "ranks.h5").read_bytes() == (tmp_path / "alone.h5").read_bytes()
