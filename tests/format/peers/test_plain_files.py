"""Any HDF5 file as tables and fields, and back, compared with h5py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import mpiexec, run_ranks

import quire

pytestmark = pytest.mark.peer

ROOT = Path(__file__).resolve().parents[2]
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", ">i4", ">f8"]


def write_foreign(path: Path) -> None:
    """A file with objects of many kinds, and without steps."""
    with h5py.File(path, "w") as file:
        file.attrs["run"] = 7
        file.attrs["code"] = "tracker"
        for name in TYPES:
            file[f"c_{name}"] = np.arange(5).astype(name)
        file["c_f8"].attrs["units"] = "m"
        file["c_f4"].attrs["unit"] = "mm"
        file["c_f4"].attrs["note"] = "left out"
        file["short"] = np.arange(2.0)
        file["g/x"] = np.arange(3.0)
        file["g/words"] = np.array([b"a", b"bc", b""])
        file["g/deep/m"] = np.arange(12, dtype="f4").reshape(4, 3)
        file["g/deep/m"].attrs["units"] = "V"
        file["g/deep/m"].attrs["origin"] = [1.0, 2.0]
        file["g/scalar"] = 3.5
        file["g/text"] = "some text"
        file["cube"] = np.arange(24.0).reshape(2, 3, 4)
        file["nothing"] = h5py.Empty("f8")
        file["soft"] = h5py.SoftLink("/cube")
        file["opaque"] = np.zeros(2, dtype="V3")


def test_a_foreign_file_is_one_step_of_tables_and_fields(tmp_path: Path) -> None:
    path = tmp_path / "foreign.h5"
    write_foreign(path)
    with quire.open(path) as file:
        assert file.format == "hdf5"
        assert len(file) == 1
        step = file[0]
        assert set(step.tables) == {"", "g"}
        table = step.table
        assert set(table.columns) == {f"c_{name}" for name in TYPES}
        for name in TYPES:
            values = table[f"c_{name}"].read()
            assert values.dtype == np.dtype(name).newbyteorder("=")
            assert values.tolist() == list(range(5))
        assert table["c_f8"].unit == "m"
        assert table["c_f4"].unit == "mm"
        assert step.tables["g"]["words"].read().tolist() == ["a", "bc", ""]
        assert {name: field.shape for name, field in step.fields.items()} == {
            "short": (2,),
            "g/deep/m": (4, 3),
            "cube": (2, 3, 4),
            "nothing": (0,),
        }
        matrix = step.fields["g/deep/m"]
        assert matrix.unit == "V"
        assert matrix.group == "g/deep"
        assert matrix.attrs["origin"].tolist() == [1.0, 2.0]
        assert np.array_equal(matrix[...], np.arange(12).reshape(4, 3))
        assert np.array_equal(step.fields["cube"][...], np.arange(24.0).reshape(2, 3, 4))
        attributes = dict(step.attrs)
        assert attributes == {"run": 7, "code": "tracker", "g/scalar": 3.5, "g/text": "some text"}
        warnings = "\n".join(step.warnings)
        assert "c_f4 note" in warnings
        assert "soft" in warnings
        assert "opaque" in warnings


@pytest.mark.parametrize("storage", [{}, {"chunks": (3, 2)}, {"chunks": (3, 2), "compression": "gzip"}])
@pytest.mark.parametrize("type_name", ["i4", "f8", ">f4"])
def test_a_matrix_is_read_as_columns_on_request(
    tmp_path: Path, storage: dict[str, Any], type_name: str
) -> None:
    path = tmp_path / "matrix.h5"
    values = np.arange(77).reshape(11, 7).astype(type_name)
    with h5py.File(path, "w") as file:
        file.create_dataset("run/m", data=values, **storage)
        file.create_dataset("other", data=values, **storage)
    with quire.open(path, columns="/run/m") as file:
        assert set(file[0].tables) == {"run/m"}
        assert set(file[0].fields) == {"other"}
        table = file[0].table
        assert list(table.columns) == [f"c{i}" for i in range(7)]
        assert np.array_equal(table["c3"].read(), values[:, 3])
        assert np.array_equal(table["c6"][2:9], values[2:9, 6])
    with quire.open(path, matrices="columns") as file:
        assert set(file[0].tables) == {"run/m", "other"}
    with pytest.raises(quire.MissingError), quire.open(path, columns="m") as file:
        file[0]


def test_compounds_are_tables_with_and_without_holes(tmp_path: Path) -> None:
    path = tmp_path / "compound.h5"
    packed = np.dtype([("i", "<i4"), ("x", "<f8")])
    holes = np.dtype([("i", "u1"), ("x", "f8"), ("t", "S3"), ("v", "f4", (2,))], align=True)
    with h5py.File(path, "w") as file:
        file["packed"] = np.array([(1, 1.5), (2, 2.5)], dtype=packed)
        file["holes"] = np.array([(3, 3.5, b"abc", [1, 2]), (4, 4.5, b"d", [3, 4])], dtype=holes)
        file["wave"] = np.array([1 + 2j, 3 + 4j])
    with quire.open(path) as file:
        tables = file[0].tables
        assert {name: list(table.columns) for name, table in tables.items()} == {
            "packed": ["i", "x"],
            "holes": ["i", "x", "t", "v[0]", "v[1]"],
            "wave": ["r", "i"],
        }
        assert tables["packed"]["x"].read().tolist() == [1.5, 2.5]
        assert tables["holes"]["i"].read().tolist() == [3, 4]
        assert tables["holes"]["t"].read().tolist() == ["abc", "d"]
        assert tables["holes"]["x"][1:].tolist() == [4.5]
        assert tables["holes"]["v[1]"].read().tolist() == [2, 4]
        assert tables["wave"]["i"].read().tolist() == [2.0, 4.0]


def write_on_ranks(comm: Any, path: str, layout: str) -> int:
    """Write two tables, a field and attributes; each rank writes its part."""
    first = 3 * comm.rank
    rows = np.arange(first, first + 3)
    with quire.create(path, comm=comm, format="hdf5", layout=layout) as out:
        out.title = "a run"
        out.set("code", "tracker")
        with out.step(0) as step:
            step.set("s", 0.5, unit="m")
            step.put("x", rows * 0.5, unit=quire.Texts("m", description="position"))
            step.put("id", rows.astype("f8") if layout == "matrix" else rows)
            step.put("y", rows.astype("f4"), table="halo/outer")
            planes = np.arange(first * 4, first * 4 + 12, dtype="i4").reshape(3, 4)
            step.put_field(
                "phi", planes, quire.Grid((3 * comm.size, 4), (first, 0)), unit="V", attributes={"k": 2}
            )
            pairs = np.stack([planes, -planes], axis=-1)
            step.put_field("E", pairs, quire.Grid((3 * comm.size, 4), (first, 0), components=2))
    return 0


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("layout", ["columns", "matrix"])
def test_files_of_ranks_are_read_by_the_peer_and_by_us(tmp_path: Path, ranks: int, layout: str) -> None:
    path = tmp_path / "written.hdf5"
    run_ranks(write_on_ranks, ranks, str(path), layout)
    rows = np.arange(3 * ranks)
    planes = np.arange(12 * ranks).reshape(3 * ranks, 4)
    with h5py.File(path) as file:
        if layout == "columns":
            assert np.array_equal(file["x"][()], rows * 0.5)
            assert file["id"].dtype == np.int64
            assert file["x"].attrs["units"] == b"m"
            assert np.array_equal(file["halo/outer/y"][()], rows)
        else:
            assert np.array_equal(file["table"][()], np.stack([rows * 0.5, rows], axis=1))
            assert list(file["table"].attrs["columns"]) == [b"x", b"id"]
            assert file["halo/outer"].shape == (3 * ranks, 1)
        assert np.array_equal(file["phi"][()], planes)
        assert file["phi"].attrs["k"] == 2
        assert np.array_equal(file["E"][()], np.stack([planes, -planes]))
        assert file.attrs["s"] == 0.5
        assert file.attrs["title"] == b"a run"
    with quire.open(path) as back:
        step = back[0]
        assert back.title == "a run"
        assert step.attrs.info["s"].unit == "m"
        main, halo = ("", "halo/outer") if layout == "columns" else ("table", "halo/outer")
        assert np.array_equal(step.tables[main]["x"].read(), rows * 0.5)
        assert step.tables[main]["x"].unit == "m"
        assert np.array_equal(step.tables[halo]["y"].read(), rows)
        assert np.array_equal(step.fields["phi"][...], planes)
        assert step.fields["E"].components == 2
        assert np.array_equal(step.fields["E"][...], np.stack([planes, -planes], axis=-1))


def convert(ranks: int, *arguments: str | Path) -> None:
    """Run the command, with ranks under mpiexec."""
    command = [mpiexec(), "-n", str(ranks)] if ranks else []
    command += [sys.executable, "-m", "quire", "convert", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "ranks", [0, pytest.param(2, marks=pytest.mark.mpi), pytest.param(3, marks=pytest.mark.mpi)]
)
@pytest.mark.parametrize("type_name", ["i4", "f8"])
def test_a_wide_matrix_becomes_columns_of_another_format_and_back(
    tmp_path: Path, ranks: int, type_name: str
) -> None:
    values = np.random.default_rng(1).integers(-99, 99, (1003, 192)).astype(type_name)
    source, middle, back = tmp_path / "matrix.h5", tmp_path / "table.sdds", tmp_path / "back.hdf5"
    with h5py.File(source, "w") as file:
        file["m"] = values
    convert(ranks, source, middle, "--read-option", "columns=m")
    with quire.open(middle) as file:
        assert len(file[0].table.columns) == 192
        assert np.array_equal(file[0]["c191"].read(), values[:, 191])
    convert(ranks, middle, back, "--option", "layout=matrix", "--option", "dataset=m")
    with h5py.File(back) as file:
        assert file["m"].dtype == values.dtype
        assert np.array_equal(file["m"][()], values)


def test_a_second_step_and_appending_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.hdf5"
    with quire.create(path) as out:
        out.step(0).put("x", np.arange(3.0)).commit()
        second = out.step(1).put("x", np.arange(3.0))
        with pytest.raises(quire.UnsupportedError):
            second.commit()
    with pytest.raises(quire.UnsupportedError):
        quire.append(path)
    with quire.open(path) as file:
        assert file[0]["x"].read().tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("tables", "fields"),
    [({"a": "x"}, {"a": 1}), ({"a": "x"}, {"a/x": 1}), ({"a/b": "x"}, {"a": 1}), ({"a": "b"}, {"a/b/c": 1})],
)
def test_names_of_objects_are_unique(tmp_path: Path, tables: dict[str, str], fields: dict[str, int]) -> None:
    with quire.create(tmp_path / "clash.hdf5") as out:
        step = out.step(0)
        for table, column in tables.items():
            step.put(column, np.arange(3.0), table=table)
        for field in fields:
            step.put_field(field, np.zeros((2, 2)))
        with pytest.raises(quire.ConflictError):
            step.commit()


def test_gaps_between_boxes_are_zeros(tmp_path: Path) -> None:
    with quire.create(tmp_path / "gap.hdf5") as out, out.step(0) as step:
        step.put_field("phi", np.ones((2, 2)), quire.Grid((3, 2), (0, 0)))
    with h5py.File(tmp_path / "gap.hdf5") as file:
        assert file["phi"][...].tolist() == [[1, 1], [1, 1], [0, 0]]


def test_steps_are_read_as_plain_files_only_on_request(tmp_path: Path) -> None:
    path = tmp_path / "steps.h5"
    with quire.create(path) as out, out.step(3) as step:
        step.put("x", np.arange(3.0))
    with quire.open(path) as file:
        assert file.format != "hdf5"
    with quire.open(path, format="hdf5") as file:
        assert file[0].tables["Step#3"]["x"].read().tolist() == [0.0, 1.0, 2.0]


def test_damaged_files_are_errors_without_crashes() -> None:
    program = """
import sys
import quire
for path in sys.argv[1:]:
    try:
        with quire.open(path, format="hdf5") as file:
            for table in file[0].tables.values():
                for name in table.columns:
                    table[name].read()
            for field in file[0].fields.values():
                field[...]
    except (quire.Error, MemoryError) as error:
        print(path, type(error).__name__)
"""
    damaged = sorted(map(str, (ROOT / "data" / "h5part").glob("bad_*.h5")))
    assert damaged
    done = subprocess.run(
        [sys.executable, "-c", program, *damaged], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= len(damaged) // 2
