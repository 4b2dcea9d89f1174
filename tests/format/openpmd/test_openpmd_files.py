"""openPMD files that we write: their objects, and what is read from them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.files import write_table
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import BadFileError, ConflictError, MissingError, UnsupportedError, UsageError
from quire.toolkit.convert import copy
from quire.toolkit.request import Observer

DATA = Path(__file__).resolve().parents[2] / "data" / "codes"
ROWS = 7


def write(path: Path, numbers: tuple[int, ...] = (5,), **options: Any) -> None:
    """Steps with one species and two meshes."""
    with quire.create(path, format="openpmd", **options) as out:
        for number in numbers:
            fill(out, number)


def fill(out: quire.Writer, number: int) -> None:
    """One of these steps."""
    with out.step(number) as step:
        step.set("time", 2.0 * number, unit="ps")
        step.put("x", np.arange(ROWS) + 1.0 * number, unit="mm", table="electrons")
        step.put("px", np.arange(ROWS) * 2.0, unit="MeV/c", table="electrons")
        step.put("id", np.arange(ROWS, dtype=np.uint64), table="electrons")
        step.put_field(
            "rho", np.arange(6.0).reshape(2, 3), quire.Grid(origin=[1, 2], spacing=[3, 4]), unit="C/m^3"
        )


def changes_of(source: Path, target: Path, **more: Any) -> dict[str, list[str]]:
    """Copy a file; return the sentences of its changes by their kind."""
    found: dict[str, list[str]] = {}
    copy(
        source,
        target,
        observer=Observer(change=lambda kind, text: found.setdefault(kind, []).append(text)),
        **more,
    )
    return found


def test_objects_are_those_of_the_standard(tmp_path: Path) -> None:
    write(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file.attrs["openPMD"] == b"1.1.0"
        assert file.attrs["basePath"] == b"/data/%T/"
        assert (file.attrs["meshesPath"], file.attrs["particlesPath"]) == (b"meshes/", b"particles/")
        assert file.attrs["openPMDextension"].dtype == np.uint32
        iteration = file["data/5"]
        assert (iteration.attrs["time"], iteration.attrs["dt"], iteration.attrs["timeUnitSI"]) == (
            10.0,
            1.0,
            1e-12,
        )
        species = iteration["particles/electrons"]
        assert set(species) == {"position", "positionOffset", "momentum", "id"}
        assert list(species["position"].attrs["unitDimension"]) == [1, 0, 0, 0, 0, 0, 0]
        assert species["position/x"].attrs["unitSI"] == 1e-3
        assert species["momentum/x"].attrs["unitSI"] == float(Fraction("1.602176634e-13") / 299792458)
        assert (
            species["positionOffset/x"].attrs["value"],
            list(species["positionOffset/x"].attrs["shape"]),
        ) == (0, [ROWS])
        mesh = iteration["meshes/rho"]
        assert mesh.attrs["geometry"] == b"cartesian"
        assert list(mesh.attrs["axisLabels"]) == [b"y", b"x"]
        assert (list(mesh.attrs["gridSpacing"]), list(mesh.attrs["gridGlobalOffset"])) == ([3, 4], [1, 2])


def test_paths_of_the_root_exist_only_for_what_an_iteration_has(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run.h5", format="openpmd") as out, out.step(0) as step:
        step.put("x", np.zeros(3))
    with h5py.File(tmp_path / "run.h5") as file:
        assert "meshesPath" not in file.attrs
        assert set(file["data/0"]) == {"particles"}
        assert set(file["data/0/particles"]) == {"beam"}


def test_a_step_returns_without_what_the_writer_added(tmp_path: Path) -> None:
    path, copied = tmp_path / "run.h5", tmp_path / "copy.h5"
    with quire.create(path, format="openpmd", chunk=2, filter="deflate") as out, out.step(0) as step:
        step.put("x", np.arange(3.0), unit="mm")
        step.put("y", np.arange(2.0), table="electrons")
        step.set("beam/speciesType", "electron")
    with h5py.File(path) as file:
        iteration = file["data/0"]
        assert (iteration.attrs["time"], iteration.attrs["dt"], iteration.attrs["timeUnitSI"]) == (0, 1, 1)
        assert iteration["particles/beam"].attrs["speciesType"] == b"electron"
    copy(path, copied, format="openpmd", options={"chunk": 2, "filter": "deflate"})
    assert copied.read_bytes() == path.read_bytes()
    with quire.open(path) as file:
        assert list(file[0].tables) == ["", "electrons"]
        assert dict(file[0].attrs) == {"beam/speciesType": "electron"}
        np.testing.assert_array_equal(file[0].tables[""]["x"][:], np.arange(3.0))


def test_given_names_and_times_are_shown_if_they_are_those_that_a_writer_adds(tmp_path: Path) -> None:
    path, copied = tmp_path / "run.h5", tmp_path / "copy.h5"
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put("x", np.zeros(3), table="beam")
        step.set("time", 0.0)
        step.set("dt", 1.0, unit="s")
    copy(path, copied, format="openpmd")
    for name in (path, copied):
        with quire.open(name) as file:
            assert list(file[0].tables) == ["beam"]
            assert dict(file[0].attrs) == {"time": 0.0, "dt": 1.0}
            assert (file[0].attrs.info["time"].unit, file[0].attrs.info["dt"].unit) == ("", "s")


def test_a_species_that_is_named_by_an_option_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    write_table(path, "openpmd", {"x": np.zeros(3)}, species="electrons")
    copy(path, tmp_path / "copy.h5", format="openpmd")
    for name in (path, tmp_path / "copy.h5"):
        with quire.open(name) as file:
            assert list(file[0].tables) == ["electrons"]


def test_an_added_time_that_another_program_changed_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    write_table(path, "openpmd", {"x": np.zeros(3)})
    with h5py.File(path, "r+") as file:
        file["data/0"].attrs["time"] = 2.5
        file["data/0"].attrs["timeUnitSI"] = 1e-12
    with quire.open(path) as file:
        assert dict(file[0].attrs) == {"time": 2.5, "timeUnitSI": 1e-12}
        assert file[0].attrs.info["time"].unit == "ps"


def test_times_with_two_units_are_refused(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run.h5", format="openpmd") as out:
        step = out.step(0)
        step.set("time", 2.0, unit="ps")
        step.set("dt", 1.0, unit="fs")
        step.put("x", np.zeros(1))
        with pytest.raises(ConflictError, match="one unit of times") as raised:
            step.commit()
    assert raised.value.object == "dt"


def test_attributes_named_by_a_path_are_those_of_the_object(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put("x", np.zeros(3), unit="m", table="electrons")
        step.put_field("rho", np.zeros(4))
        step.set("electrons/speciesType", "electron")
        step.set("electrons/position/macroWeighted", np.uint32(1))
        step.set("electrons/position/x/note", "a component")
        step.set("meshes/fieldSolver", "Yee")
        step.set("nothing/of/this", 1)
    with h5py.File(path) as file:
        iteration = file["data/0"]
        assert iteration["particles/electrons"].attrs["speciesType"] == b"electron"
        assert iteration["particles/electrons/position"].attrs["macroWeighted"] == 1
        assert iteration["particles/electrons/position/x"].attrs["note"] == b"a component"
        assert iteration["meshes"].attrs["fieldSolver"] == b"Yee"
        assert iteration.attrs["nothing/of/this"] == 1
    with quire.open(path) as file:
        attributes = file[0].attrs
        assert attributes["electrons/speciesType"] == "electron"
        assert attributes["electrons/position/macroWeighted"] == 1
        assert attributes["electrons/position/x/note"] == "a component"
        assert attributes["meshes/fieldSolver"] == "Yee"
        assert attributes["nothing/of/this"] == 1
        assert "electrons/position/timeOffset" not in attributes


def write_with_patches(comm: Any, path: str) -> None:
    """Each rank describes its particles in one row of the patches."""
    count = 3 + comm.rank
    first = comm.exscan(count) or 0
    x = np.arange(count) + 10.0 * comm.rank
    patches = {
        "numParticles": np.uint64(count),
        "numParticlesOffset": np.uint64(first),
        "offset_x": x.min(),
        "extent_x": np.ptp(x),
    }
    with quire.create(path, comm, format="openpmd") as out, out.step(0) as step:
        step.put("x", x, unit="m", table="electrons")
        for name, value in patches.items():
            unit = "m" if name.endswith("x") else ""
            step.put(name, np.array([value]), unit=unit, table="electrons/particlePatches")


@pytest.mark.mpi
def test_ranks_write_a_patch_each(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    run_ranks(write_with_patches, 3, str(path))
    with quire.open(path) as file:
        patches = file[0].tables["electrons/particlePatches"]
        first, count = (patches[name][:] for name in ("numParticlesOffset", "numParticles"))
        assert (first.tolist(), count.tolist()) == ([0, 3, 7], [3, 4, 5])
        for k in range(3):
            x = file[0].tables["electrons"].read(["x"], rows=(first[k], count[k]))["x"]
            assert (x.min(), np.ptp(x)) == (patches["offset_x"][k], patches["extent_x"][k])
    with h5py.File(path) as file:
        group = file["data/0/particles/electrons/particlePatches"]
        assert sorted(group) == ["extent", "numParticles", "numParticlesOffset", "offset"]
        assert list(group["offset/x"]) == [0.0, 10.0, 20.0]


@pytest.mark.parametrize(
    "unit", ["", "m", "mm", "m$be$nc", "eV/c", "furlong", "rad", "%", "2.5e-22 kg m/s", "1/m^3"]
)
def test_units_are_restored(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "run.h5"
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put("q", np.zeros(2), unit=unit)
        step.put_field("f", np.zeros(2), unit=unit)
    with quire.open(path) as file:
        assert file[0]["q"].unit == unit
        assert file[0].fields["f"].unit == unit
        assert list(file[0].attrs) == []


def test_texts_of_columns_are_restored(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    texts = quire.Texts(unit="m", symbol="x'", description="a position", display="%12.4e")
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put("q", np.zeros(2), unit=texts)
    with quire.open(path) as file:
        column = file[0]["q"]
        assert (column.unit, column.symbol, column.description, column.display) == (
            "m",
            "x'",
            "a position",
            "%12.4e",
        )


def test_fields_without_a_geometry_stay_without_one(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put_field("f", np.arange(6.0).reshape(2, 3))
    with quire.open(path) as file:
        field = file[0].fields["f"]
        assert (field.origin, field.spacing, list(field.attrs)) == (None, None, [])


@pytest.mark.parametrize("options", [{}, {"field_chunk": 2}, {"chunk": 4, "filter": "deflate"}])
def test_components_are_restored_with_their_names(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "run.h5"
    values = np.arange(24.0).reshape(3, 4, 2)
    with quire.create(path, format="openpmd", **options) as out, out.step(0) as step:
        grid = quire.Grid(components=2)
        step.put_field("E", values, grid)
        step.put_field("B", values, grid, attributes={"componentLabels": ["r", "z"]})
        step.put_field("J", values, grid, attributes={"geometry": "thetaMode"})
        step.put_field("A/x", values, grid)
    with h5py.File(path) as file:
        meshes = file["data/0/meshes"]
        assert (set(meshes["E"]), set(meshes["B"])) == ({"x", "y"}, {"r", "z"})
        assert (meshes["J"].shape, meshes["A/x"].shape) == ((2, 3, 4), (2, 3, 4))
    with quire.open(path) as file:
        for name in ("E", "B", "J", "A/x"):
            field = file[0].fields[name]
            assert (field.extents, field.components) == ((3, 4), 2)
            np.testing.assert_array_equal(field[...], values)


def test_steps_are_appended_and_dropped(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    write(path, (0, 10))
    with quire.append(path) as out:
        fill(out, 20)
        with pytest.raises(ConflictError, match="step 20 is already in the file"):
            fill(out, 20)
    with quire.append(path, after=quire.After(0, later="drop")) as out:
        fill(out, 30)
    with quire.open(path) as file:
        assert file.numbers == [0, 30]
        np.testing.assert_array_equal(file.step(30)["x"][:], np.arange(ROWS) + 30.0)
    with pytest.raises(MissingError), quire.append(path, after=7):
        pass


def test_steps_are_appended_to_a_file_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    path.write_bytes((DATA / "openpmd_patches.h5").read_bytes())
    with quire.append(path) as out:
        fill(out, 6)
    with h5py.File(path) as file:
        # The file's own paths are used.
        assert set(file["data/6"]) == {"fields", "particles"}
    with quire.open(path) as file:
        assert file.numbers == [5, 6]
        np.testing.assert_array_equal(file.step(6)["x"][:], np.arange(ROWS) + 6.0)


def test_a_file_for_each_step_is_one_series(tmp_path: Path) -> None:
    source = tmp_path / "run.h5"
    write(source, (5, 80))
    for number in (5, 80):
        copy(
            source,
            tmp_path / f"part_{number:03}.h5",
            format="openpmd",
            steps=str(number),
            options={"iteration_format": "part_%03T"},
        )
    copy(tmp_path / "part_%03T.h5", tmp_path / "whole.h5", format="openpmd")
    assert (tmp_path / "whole.h5").read_bytes() == source.read_bytes()


def test_a_file_of_a_series_holds_one_step_and_needs_a_pattern(tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match="one step"):
        write(tmp_path / "run_5.h5", (5, 6), iteration_format="run_%T")
    with pytest.raises(UsageError, match="in place of the iteration"):
        write(tmp_path / "run.h5", iteration_format="run")


def test_files_of_a_series_are_not_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "mon_file_000001.h5"
    path.write_bytes((DATA / "impactx_file_000001.h5").read_bytes())
    with pytest.raises(UnsupportedError, match="one iteration only"), quire.append(path):
        pass


@pytest.mark.parametrize(
    "name", ["openpmd_patches", "openpmd_thetamode", "impactx_file_000001", "beamphysics_electron"]
)
def test_a_copy_of_a_file_of_another_program_describes_the_same(tmp_path: Path, name: str) -> None:
    changes = changes_of(DATA / f"{name}.h5", tmp_path / "copy.h5", format="openpmd")
    assert set(changes) <= {"added"}
    with quire.open(DATA / f"{name}.h5") as theirs, quire.open(tmp_path / "copy.h5") as ours:
        assert ours.numbers == theirs.numbers
        for mine, other in zip(ours, theirs, strict=True):
            for key in other.attrs:
                np.testing.assert_array_equal(mine.attrs[key], other.attrs[key])
            assert list(mine.tables) == list(other.tables)
            for table in other.tables:
                assert list(mine.tables[table]) == list(other.tables[table])
                for column in other.tables[table]:
                    assert mine.tables[table][column].unit == other.tables[table][column].unit
                    np.testing.assert_array_equal(
                        mine.tables[table][column][:], other.tables[table][column][:]
                    )
            for field in other.fields:
                assert dict(mine.fields[field].attrs).keys() == dict(other.fields[field].attrs).keys()
                assert mine.fields[field].origin == other.fields[field].origin
                np.testing.assert_array_equal(mine.fields[field][...], other.fields[field][...])


def test_unknown_units_and_lost_columns_are_reported(tmp_path: Path) -> None:
    with quire.create(tmp_path / "beam.sdds") as out, out.step(0) as step:
        step.put("x", np.zeros(3), unit="furlong")
        step.put("names", ["a", "b", "c"])
    changes = changes_of(tmp_path / "beam.sdds", tmp_path / "beam.h5", format="openpmd")
    assert any("furlong" in text for text in changes["reshaped"])
    assert any("names" in text for text in changes["lost"])
    assert "added" not in changes


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a/b/c", "so many slashes"),
        ("/x", "needs a name"),
        ("../x", "must not be called"),
        ("x/", "needs a name"),
    ],
)
def test_names_that_are_no_paths_are_refused(tmp_path: Path, name: str, message: str) -> None:
    with quire.create(tmp_path / "run.h5", format="openpmd") as out:
        step = out.step(0)
        step.put(name, np.zeros(2))
        with pytest.raises(UsageError, match=message):
            step.commit()


def test_records_are_scalar_or_have_components(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run.h5", format="openpmd") as out:
        step = out.step(0)
        step.put("position/lost", np.zeros(2))
        step.put("position", np.zeros(2))
        with pytest.raises(ConflictError, match="another object has this name"):
            step.commit()


def test_constants_that_claim_too_much_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    write(path)
    with h5py.File(path, "r+") as file:
        constant = file.create_group("data/5/meshes/E")
        constant.attrs["value"] = 1.0
        constant.attrs["shape"] = np.array([1 << 40], dtype=np.uint64)
    with quire.open(path) as file, pytest.raises(UnsupportedError, match="a constant claims"):
        file[0]
    with quire.open(path, unwritten=True) as file:
        assert file[0].fields["E"][1 << 39] == 1.0


@pytest.mark.parametrize("shape", [np.array([-1]), np.array([1.5]), np.zeros((2, 2), dtype=int)])
def test_constants_need_a_shape(tmp_path: Path, shape: np.ndarray[Any, Any]) -> None:
    path = tmp_path / "run.h5"
    write(path)
    with h5py.File(path, "r+") as file:
        constant = file.create_group("data/5/particles/electrons/q")
        constant.attrs["value"] = 1.0
        constant.attrs["shape"] = shape
    with quire.open(path) as file, pytest.raises(BadFileError, match="shape of a constant"):
        file[0]


def test_other_containers_are_refused_with_advice(tmp_path: Path) -> None:
    folder = tmp_path / "run.bp"
    folder.mkdir()
    (folder / "md.idx").write_bytes(b"ADIOS-BP v2.10.0 Index Table".ljust(64, b"\0"))
    (folder / "data.0").write_bytes(b"\0" * 64)
    with pytest.raises(UnsupportedError, match="ADIOS2") as raised:
        quire.open(folder)
    assert "openpmd-pipe" in str(raised.value.advice)
    (tmp_path / "run.json").write_text('{"__openPMD_internal": {}, "attributes": {}}')
    with pytest.raises(UnsupportedError, match="JSON"):
        quire.open(tmp_path / "run.json")


def test_a_file_of_a_series_that_lacks_its_iteration_is_named(tmp_path: Path) -> None:
    bytes_ = (DATA / "impactx_file_000001.h5").read_bytes()
    for number in (1, 2):
        (tmp_path / f"mon_file_{number:06}.h5").write_bytes(bytes_)
    with quire.open(tmp_path / "mon_file_%T.h5") as file:
        assert file.numbers == [1, 2]
        assert len(file.step(1).tables["beam"]["x"][:]) == 60
        with pytest.raises(BadFileError, match="iteration in its name") as raised:
            file.step(2)
    assert "mon_file_000002.h5" in str(raised.value)


def test_patches_are_a_table_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put("x", np.arange(6.0), unit="m", table="electrons")
        patches = "electrons/particlePatches"
        step.put("numParticles", np.array([2, 4], dtype=np.uint64), table=patches)
        step.put("numParticlesOffset", np.array([0, 2], dtype=np.uint64), table=patches)
        step.put("offset_x", np.array([0.0, 2.0]), unit="m", table=patches)
        step.put("extent_x", np.array([2.0, 4.0]), unit="m", table=patches)
    with h5py.File(path) as file:
        assert list(file["data/0/particles/electrons/particlePatches/offset/x"]) == [0, 2]
    with quire.open(path) as file:
        assert list(file[0].tables) == ["electrons", patches]
        assert list(file[0].tables[patches]["extent_x"][:]) == [2.0, 4.0]


@pytest.mark.parametrize(("value", "names"), [(0.25, ["E"]), (0.1, ["E/x", "E/y"])])
def test_constant_components_take_the_type_of_the_others_if_it_holds_them(
    tmp_path: Path, value: float, names: list[str]
) -> None:
    path = tmp_path / "run.h5"
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put_field("E/x", np.arange(3, dtype=np.float32))
    with h5py.File(path, "r+") as file:
        constant = file.create_group("data/0/meshes/E/y")
        constant.attrs["value"] = value
        constant.attrs["shape"] = np.array([3], dtype=np.uint64)
    with quire.open(path) as file:
        assert list(file[0].fields) == names
        values = [np.asarray(file[0].fields[name][...]) for name in names]
        found = values[0][:, 1] if len(names) == 1 else values[1]
        assert (found == value).all()
