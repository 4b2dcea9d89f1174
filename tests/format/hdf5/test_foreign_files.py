"""Contents that other programs write into files of steps, beyond the vectors, rule by rule."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError, UnsupportedError
from quire.toolkit.request import Observer


def one_step(path: Path, **attributes: Any) -> Path:
    """A file of one step with a column, and attributes of the file."""
    with h5py.File(path, "w") as file:
        file["Step#0/x"] = np.arange(3.0)
        for name, value in attributes.items():
            file.attrs[name] = value
    return path


TEXTS: list[tuple[bytes, str]] = [
    (b"abc\0", "abc"),
    (b"abc\0\0junk", "abc"),
    (b"abc", "abc"),  # without NUL
    (b"two\nlines\t!", "two\nlines\t!"),
    (b"\0", ""),
]


@pytest.mark.parametrize(("stored", "text"), TEXTS, ids=[repr(stored) for stored, _ in TEXTS])
def test_texts_of_old_writers_are_arrays_of_bytes(tmp_path: Path, stored: bytes, text: str) -> None:
    with quire.open(one_step(tmp_path / "old.h5", note=np.frombuffer(stored, dtype="i1"))) as file:
        assert file.attrs["note"] == text


def test_only_old_steps_have_texts_without_nul(tmp_path: Path) -> None:
    path = one_step(
        tmp_path / "words.h5", word=np.frombuffer(b"ABC", "i1"), ended=np.frombuffer(b"ABC\0", "i1")
    )
    with h5py.File(path, "a") as file:
        file["Step#0"].attrs["word"] = np.frombuffer(b"ABC", "i1")
        file["Step#0/Block/E/0"] = np.zeros((2, 3, 4))
        file["Step#0/Block/E"].attrs["word"] = np.frombuffer(b"ABC", "i1")
    with quire.open(path, format="h5part") as data:
        step = data[0]
        for attributes in (data.attrs.info, step.attrs.info, step.fields["E"].attrs.info):
            assert attributes["word"].value == "ABC"
    with quire.open(path, format="hdf5") as data:
        attributes = data[0].attrs.info
        assert attributes["word"].value.tolist() == [65, 66, 67]
        assert attributes["ended"].value == "ABC"


NUMBERS: list[np.ndarray[Any, Any]] = [
    np.array([True, False]),  # an enumeration of 8 bits
    np.array([1, 2, 3], dtype="i1"),
    np.array([42], dtype="i1"),  # the code of a star
    np.array([-1, -100], dtype="i1"),
    np.array([97, 98, 0], dtype="u1"),
    np.array([[97, 98], [99, 0]], dtype="i1"),
]


@pytest.mark.parametrize("numbers", NUMBERS, ids=repr)
def test_small_numbers_are_not_texts(tmp_path: Path, numbers: np.ndarray[Any, Any]) -> None:
    with quire.open(one_step(tmp_path / "numbers.h5", flags=numbers)) as file:
        found = np.asarray(file.attrs["flags"])
        np.testing.assert_array_equal(np.atleast_1d(found), numbers.astype(found.dtype))
        assert found.dtype.kind in "iu"


def test_attributes_whose_elements_are_arrays(tmp_path: Path) -> None:
    path = one_step(tmp_path / "arrays.h5")
    with h5py.File(path, "a") as file:
        for name, shape, base in (("row", (), ">f8"), ("rows", (2,), "<i2")):
            values = np.arange(6 if shape else 3, dtype=base).reshape(*shape, 3)
            kind = h5py.h5t.array_create(h5py.h5t.py_create(values.dtype), (3,))
            space = h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)
            h5py.h5a.create(file.id, name.encode(), kind, space).write(values, kind)
    with quire.open(path) as data:
        assert data.attrs["row"].tolist() == [0, 1, 2]
        assert data.attrs["rows"].tolist() == [[0, 1, 2], [3, 4, 5]]
        assert data.attrs.info["rows"].type == "int16"


def test_order_of_attributes_is_that_of_creation(tmp_path: Path) -> None:
    path = tmp_path / "order.h5"
    names = [f"n{(7 * i) % 40}" for i in range(40)]  # enough for the index of later versions
    with h5py.File(path, "w", libver="latest", track_order=True) as file:
        file["Step#0/x"] = np.arange(3.0)
        for name in names:
            file.attrs[name] = 1.0
    with quire.open(path) as data:
        assert list(data.attrs) == names


def test_steps_are_guessed_by_groups_alone(tmp_path: Path) -> None:
    path = tmp_path / "prefix.h5"
    with h5py.File(path, "w") as file:
        for number in range(3):
            file[f"table#{number}"] = 1.0
        for number in (0, 5):
            file[f"a.*#{number:04d}/x"] = np.arange(2.0)
    with quire.open(path) as data:
        assert data.numbers == [0, 5]
        assert any("table#0" in warning for warning in data.warnings)
    with quire.append(path) as out:
        out.step(7).put("x", np.zeros(1)).commit()
    with h5py.File(path) as file:
        assert "a.*#0007" in file


def test_objects_in_other_files_are_reported_and_not_read(tmp_path: Path) -> None:
    path = one_step(tmp_path / "links.h5")
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = np.arange(3.0)
        other["Step#0/x"] = np.arange(3.0)
    with h5py.File(path, "a") as file:
        step = file["Step#0"]
        step["outside"] = h5py.ExternalLink("other.h5", "/Step#0/x")
        step["nowhere"] = h5py.SoftLink("/nothing")
        layout = h5py.VirtualLayout((3,), "f8")
        layout[:] = h5py.VirtualSource("other.h5", "x", (3,))
        step.create_virtual_dataset("view", layout)
        file["Step#0/Block/field"] = h5py.ExternalLink("other.h5", "/x")
    for format in ("h5part", "hdf5"):
        with quire.open(path, format=format) as data:
            table = next(iter(data[0].tables.values()))
            assert list(table.columns) == ["x"]
            warnings = " ".join(data[0].warnings)
            for name in ("outside", "nowhere", "view", "field"):
                assert name in warnings


def test_values_of_other_files_are_not_indexed(tmp_path: Path) -> None:
    path = one_step(tmp_path / "main.h5")
    with h5py.File(path, "a") as file:
        file["Step#1"] = h5py.ExternalLink("other.h5", "/Step#0")

    def write_other(sign: int) -> None:
        with h5py.File(tmp_path / "other.h5", "w") as file:
            file["Step#0/x"] = sign * np.arange(3.0)

    write_other(1)
    assert quire.build_index(path).columns == 1
    assert quire.index_faults(path) == []
    write_other(-1)
    with quire.open(path) as data:
        assert data[1].table.where("x < 0").numbers().tolist() == [1, 2]


@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_array_elements_become_dimensions(tmp_path: Path, format: str) -> None:
    path = one_step(tmp_path / "arrays.h5")
    values = np.arange(12, dtype=">f8").reshape(2, 2, 3)
    with h5py.File(path, "a") as file:
        kind = h5py.h5t.array_create(h5py.h5t.IEEE_F64BE, (2, 3))
        space = h5py.h5s.create_simple((2,))
        h5py.h5d.create(file["Step#0"].id, b"arrays", kind, space).write(
            h5py.h5s.ALL, h5py.h5s.ALL, values, kind
        )
    with quire.open(path, format=format) as data:
        name = next(name for name in data[0].fields if name.endswith("arrays"))
        field = data[0].fields[name]
        assert field.extents == (2, 2, 3)
        np.testing.assert_array_equal(field[...], values)
        np.testing.assert_array_equal(field[1, :, 2:], values[1, :, 2:])


@pytest.mark.parametrize("format", ["h5part", "hdf5"])
def test_chunked_arrays_are_reported(tmp_path: Path, format: str) -> None:
    path = one_step(tmp_path / "arrays.h5")
    with h5py.File(path, "a") as file:
        kind = h5py.h5t.array_create(h5py.h5t.IEEE_F64LE, (3,))
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((2,))
        h5py.h5d.create(file["Step#0"].id, b"arrays", kind, h5py.h5s.create_simple((4,)), creation)
        file["Step#0"].create_dataset("link", (3,), h5py.ref_dtype)
    with quire.open(path, format=format) as data:
        warnings = data[0].warnings
        assert any("arrays is left out: arrays in chunks are not read" in warning for warning in warnings)
        assert any("link is left out: it holds neither numbers nor texts" in warning for warning in warnings)


def test_members_that_are_not_columns_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "records.hdf5"
    inner = np.dtype([("u", "f4"), ("v", "i2")])
    with h5py.File(path, "w") as file:
        file["records"] = np.zeros(4, [("x", "f8"), ("pair", inner), ("long", "(65,)i1"), ("n", "i4")])
    with quire.open(path) as data:
        assert list(data[0].tables["records"].columns) == ["x", "n"]
        warnings = " ".join(data[0].warnings)
        assert "members of records are left out: pair, long" in warnings


def test_a_later_layout_is_reported_and_other_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "later.h5"
    with h5py.File(path, "w", libver=("earliest", "v108")) as file:
        file["Step#0/x"] = np.arange(3.0)
        place = struct.pack("<QQ", file["Step#0/x"].id.get_offset(), 24)
        file["Step#0/y"] = np.arange(3.0)
    content = path.read_bytes()
    assert content.count(b"\3\1" + place) == 1
    path.write_bytes(content.replace(b"\3\1" + place, b"\5\1" + place))
    with quire.open(path) as data:
        assert list(data[0].table.columns) == ["y"]
        assert "HDF5 2.0" in " ".join(data[0].warnings)


def test_the_plainest_name_of_a_number_is_the_step(tmp_path: Path) -> None:
    path = one_step(tmp_path / "twice.h5")
    with h5py.File(path, "a") as file:
        for name in ("Step#-0", "Step#00"):
            file[f"{name}/other"] = np.zeros(2)
    with quire.open(path) as data:
        assert data.numbers == [0]
        assert list(data[0].table.columns) == ["x"]
        assert sum("has the number of Step#0" in text for text in data.warnings) == 2


def test_notes_next_to_components_are_left_out(tmp_path: Path) -> None:
    path = one_step(tmp_path / "notes.h5")
    with h5py.File(path, "a") as file:
        file["Step#0/Block/E/0"] = np.arange(8.0).reshape(2, 2, 2)
        file["Step#0/Block/E/note"] = np.zeros(3)
    with quire.open(path) as data:
        assert data[0].fields["E"][...].reshape(-1).tolist() == list(range(8))
        assert any("note in the field E is left out" in text for text in data[0].warnings)


def test_columns_of_other_shapes_are_copied_as_fields(tmp_path: Path) -> None:
    path, target = one_step(tmp_path / "shapes.h5"), tmp_path / "copy.h5"
    with h5py.File(path, "a") as file:
        file["Step#0/y"] = np.arange(10.0)
        file["Step#0/charge"] = 5.0
        file["Step#0/z"] = np.ones((10, 3))
    report = quire.copy(path, target)
    message = "stored as a field: its shape differs from that of the other columns"
    assert f"columns charge, y, z: {message}" in report.reshaped
    with h5py.File(target) as file:
        shapes = {name: group["0"].shape for name, group in file["Step#0/Block"].items()}
        assert shapes == {"y": (1, 1, 10), "charge": (1, 1, 1), "z": (1, 10, 3)}
        assert file["Step#0/Block/charge/0"][0, 0, 0] == 5.0


def copy_scalar(comm: Any, source: str, target: str) -> None:
    """A copy by several ranks."""
    quire.copy(source, target, comm=comm, options={"filter": "deflate"})


def test_a_scalar_field_is_copied_by_any_ranks(tmp_path: Path) -> None:
    path, target = one_step(tmp_path / "shapes.h5"), tmp_path / "copy.h5"
    with h5py.File(path, "a") as file:
        file["Step#0/charge"] = 5.0
    run_ranks(copy_scalar, 2, str(path), str(target))
    with h5py.File(target) as file:
        assert file["Step#0/Block/charge/0"][0, 0, 0] == 5.0


def test_unsupported_attributes_are_reported(tmp_path: Path) -> None:
    path = one_step(tmp_path / "noted.h5")
    with h5py.File(path, "a") as file:
        file["Step#0/x"].attrs["unit"] = "mm"
        file["Step#0/y"] = np.arange(3.0)
        file["Step#0/Block/rho/0"] = np.zeros((2, 3, 4))
        file["Step#0/Block/rho/0"].attrs["scale"] = 2.0
        file["Step#0/Block"].attrs["author"] = "me"
        file["Attachment/run.in"] = np.zeros(3, "i1")
        file["Attachment/run.in"].attrs["mime"] = "text"
    warnings: list[str] = []
    quire.copy(path, tmp_path / "copy.h5", observer=Observer(warning=warnings.append))
    assert warnings == [
        "attributes of attachments are left out: run.in mime",
        "attributes of columns are left out: x unit",
        "attributes of Block and components of fields are left out: Block author, rho/0 scale",
    ]
    with quire.open(path) as opened:
        assert opened[0]["x"].unit == ""


def test_many_attributes_that_are_left_out_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "noted.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file["Step#0/x"] = np.arange(3.0)
        for number in range(40):
            file["Step#0/x"].attrs[f"note{number:02}"] = number
    with quire.open(path) as opened:
        (warning,) = opened[0].warnings
        assert warning.startswith("attributes of columns are left out: x note00, ")
        assert warning.endswith("x note15 and 24 more")


def test_a_file_of_attachments_is_a_file_of_steps(tmp_path: Path) -> None:
    path = tmp_path / "noted.h5"
    with h5py.File(path, "w") as file:
        file["Attachment/run.in"] = np.zeros(3, "i1")
        file["Attachment/run.in"].attrs["mime"] = "text"
    with quire.open(path) as opened:
        assert opened.format == "h5part"
        assert opened.warnings == ["attributes of attachments are left out: run.in mime"]


def test_a_unit_does_not_replace_another_attribute(tmp_path: Path) -> None:
    path = one_step(tmp_path / "numbers.h5", xUnit=5)
    with pytest.raises(ConflictError, match="xUnit"), quire.append(path) as out, out.step(1) as step:
        step.put("x", np.arange(3.0), unit="m")
    with h5py.File(path) as file:
        assert file.attrs["xUnit"] == 5
        assert list(file) == ["Step#0"]
    source, target = tmp_path / "units.sdds", tmp_path / "copy.h5"
    with quire.create(source) as out:
        out.set("xUnit", 5)
        with out.step(0) as step:
            step.put("x", np.arange(3.0), unit="m")
    message = 'column x: the unit "m" is left out: the attribute xUnit of the file is something else'
    assert message in quire.copy(source, target).losses
    with quire.open(target) as opened:
        assert opened.attrs["xUnit"] == 5


def test_long_texts_are_not_advised_to_be_columns(tmp_path: Path) -> None:
    step = quire.create(tmp_path / "long.h5").step(0).set("log", "a" * 70000)
    with pytest.raises(UnsupportedError, match="attach it"):
        step.commit()


@pytest.mark.parametrize("options", [{}, {"chunk": 2}])
def test_objects_named_like_a_step_are_read_back(tmp_path: Path, options: dict[str, Any]) -> None:
    path, copy = tmp_path / "beam.hdf5", tmp_path / "copy.hdf5"
    with quire.create(path, **options) as out, out.step(0) as step:
        step.put("Step#1", np.arange(3.0))
        step.put("x", np.arange(3.0))
        step.put_field("cell#007", np.ones((2, 3)))
    quire.copy(path, copy)
    for one in (path, copy):
        with quire.open(one) as file:
            assert file.format == "hdf5"
            assert file[0]["Step#1"][:].tolist() == [0, 1, 2]
            assert file[0].fields["cell#007"][...].sum() == 6
            assert file.check().is_whole


def test_a_matrix_named_like_a_step_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "beam.hdf5"
    with quire.create(path, layout="matrix", dataset="Step#1") as out, out.step(0) as step:
        step.put("x", np.arange(3.0))
    with quire.open(path) as file:
        assert file.format == "hdf5"
        assert file[0].tables["Step#1"]["x"][:].tolist() == [0, 1, 2]


def test_a_group_of_a_step_decides_the_format(tmp_path: Path) -> None:
    path = tmp_path / "mixed.h5"
    with h5py.File(path, "w") as file:
        file["A#1"] = np.arange(3.0)
        file["Step#0/x"] = np.arange(3.0)
    with quire.open(path) as steps:
        assert steps.format == "h5part"
        assert steps[0]["x"][:].tolist() == [0, 1, 2]


def test_most_columns_decide_the_rows_of_the_table(tmp_path: Path) -> None:
    path, copy = tmp_path / "short.h5part", tmp_path / "copy.sdds"
    with h5py.File(path, "w") as file:
        for name in ("id", "px", "py", "pz", "x", "y", "z"):
            file[f"Step#0/{name}"] = np.arange(12.0)
        file["Step#0/charge"] = np.arange(11.0)  # the first one by its name
    with quire.open(path) as data:
        step = data[0]
        assert (len(step.table), list(step.table.columns)) == (12, ["id", "px", "py", "pz", "x", "y", "z"])
        assert list(step.fields) == ["charge"]
        assert any("charge is given as a field: it has 11 rows, the step 12" in one for one in step.warnings)
    report = quire.copy(path, copy)
    assert report.rows == 12
    with quire.open(copy) as data:
        assert data[0]["z"][:].tolist() == list(range(12))
        assert data[0].fields["charge"].read().tolist() == list(range(11))


def test_particle_columns_decide_the_rows_first(tmp_path: Path) -> None:
    path = tmp_path / "few.h5part"
    with h5py.File(path, "w") as file:
        for name in ("a", "b", "c"):
            file[f"Step#0/{name}"] = np.arange(3.0)
        for name in ("x", "y"):
            file[f"Step#0/{name}"] = np.arange(5.0)
    with quire.open(path) as data:
        assert list(data[0].table.columns) == ["x", "y"]
        assert list(data[0].fields) == ["a", "b", "c"]
