"""Programs for openPMD read our files, and we read theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.peers.test_peers import worker

import quire
from quire.toolkit.convert import copy

pytestmark = pytest.mark.peer

ROWS = 30
MOMENTUM = 1.602176634e-13 / 299792458.0
"""MeV/c in SI units."""
KINDS: list[dict[str, Any]] = [{}, {"chunk": 7, "field_chunk": 2}, {"chunk": 8, "filter": "deflate"}]
LONG = ("x", "y", "z", "px", "py", "pz")


def ask(command: str, path: Path | str, *arguments: str, peer: str = "openpmd") -> dict[str, Any]:
    """The answer of a program, in the last line that it prints."""
    said = worker("openpmd_worker.py", command, str(path), *arguments, peer=peer)
    answer = json.loads(said.splitlines()[-1])
    assert isinstance(answer, dict)
    return answer


def values_of(name: str, number: int) -> np.ndarray[Any, Any]:
    """The values of a column in a step."""
    return np.random.default_rng([number, *name.encode()]).normal(size=ROWS)


def write(path: Path, **options: Any) -> None:
    """Two steps with particles, a scalar and a vector field."""
    with quire.create(path, format="openpmd", **options) as out:
        out.set("author", "Jo Doe <jo@example.org>")
        for number in (0, 40):
            with out.step(number) as step:
                step.set("time", 0.5 * number, unit="fs")
                for name in LONG:
                    unit = "MeV/c" if name.startswith("p") else "mm"
                    step.put(name, values_of(name, number), unit=unit, table="electron")
                step.put("time", values_of("time", number), unit="s", table="electron")
                step.put("weight", np.full(ROWS, 1e-12), unit="C", table="electron")
                step.put("id", np.arange(ROWS, dtype=np.uint64), table="electron")
                for name, value in (
                    ("speciesType", "electron"),
                    ("chargeUnitSI", 1.0),
                    ("totalCharge", ROWS * 1e-12),
                ):
                    step.set(f"electron/{name}", value)
                step.set("electron/numParticles", ROWS)
                grid = quire.Grid(origin=[0, 1, 2], spacing=[1e-3, 2e-3, 3e-3])
                step.put_field("rho", np.arange(60.0).reshape(3, 4, 5), grid, unit="C/m^3")
                vector = quire.Grid(origin=[0, 0], spacing=[1, 1], components=3)
                step.put_field("E", np.arange(36.0).reshape(3, 4, 3), vector, unit="MV/m")


@pytest.mark.parametrize("options", KINDS)
def test_validator_finds_no_error_in_our_file(tmp_path: Path, options: dict[str, Any]) -> None:
    write(tmp_path / "ours.h5", **options)
    result = ask("validate", tmp_path / "ours.h5")
    assert result["errors"] == 0, result["said"]


@pytest.mark.parametrize("options", KINDS)
def test_api_reads_our_file(tmp_path: Path, options: dict[str, Any]) -> None:
    write(tmp_path / "ours.h5", **options)
    found = ask("api_read", tmp_path / "ours.h5")["iterations"]
    assert list(found) == ["0", "40"]
    assert found["40"]["times"] == [20.0, 1.0, 1e-15]
    assert found["40"]["meshes"]["rho"] == [
        ["z", "y", "x"],
        [1e-3, 2e-3, 3e-3],
        [0, 1, 2],
        "Geometry.cartesian",
    ]
    objects = found["40"]["objects"]
    for name in LONG:
        one = objects["electron/" + ("momentum/" if name.startswith("p") else "position/") + name[-1]]
        np.testing.assert_array_equal(one["values"], values_of(name, 40))
        assert one["unitSI"] == (MOMENTUM if name.startswith("p") else 1e-3)
        assert one["unitDimension"][:3] == ([1, 1, -1] if name.startswith("p") else [1, 0, 0])
    assert objects["electron/positionOffset/x"]["values"] == [0.0] * ROWS
    assert objects["electron/id"]["values"] == list(range(ROWS))
    assert objects["electron/weight"]["unitDimension"] == [0, 0, 1, 1, 0, 0, 0]
    assert objects["rho"]["values"] == list(range(60))
    assert [objects[f"E/{axis}"]["values"][1] for axis in "xyz"] == [3, 4, 5]
    assert objects["E/x"]["unitSI"] == 1e6


def test_beamphysics_reads_our_file(tmp_path: Path) -> None:
    with quire.create(tmp_path / "ours.h5", format="openpmd") as out, out.step(0) as step:
        for name in LONG:
            unit = "MeV/c" if name.startswith("p") else "mm"
            step.put(name, values_of(name, 0), unit=unit, table="electron")
        step.put("time", values_of("time", 0), unit="s", table="electron")
        step.put("weight", np.full(ROWS, 1e-12), unit="C", table="electron")
        for name, value in (
            ("speciesType", "electron"),
            ("chargeUnitSI", 1.0),
            ("totalCharge", ROWS * 1e-12),
        ):
            step.set(f"electron/{name}", value)
        step.set("electron/numParticles", ROWS)
    found = ask("beamphysics_read", tmp_path / "ours.h5")
    assert found["species"] == "electron"
    np.testing.assert_allclose(found["x"], values_of("x", 0) * 1e-3, rtol=1e-15)
    np.testing.assert_allclose(found["pz"], values_of("pz", 0) * 1e6, rtol=1e-14)
    np.testing.assert_array_equal(found["t"], values_of("time", 0))


@pytest.mark.parametrize("options", KINDS)
def test_programs_read_our_constants_and_patches(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "ours.h5"
    constants = {"z": (0.5, "mm"), "time": (1e-9, "s"), "weight": (1e-12, "C"), "particleStatus": (1, "")}
    with quire.create(path, format="openpmd", patches=True, **options) as out, out.step(0) as step:
        for name in LONG:
            if name not in constants:
                unit = "MeV/c" if name.startswith("p") else "mm"
                step.put(name, values_of(name, 0), unit=unit, table="electron")
        for name, (value, unit) in constants.items():
            step.put_constant(name, value, unit=unit, table="electron")
        step.set("electron/speciesType", "electron")
        step.set("electron/chargeUnitSI", 1.0)
        step.set("electron/totalCharge", ROWS * 1e-12)
        step.set("electron/numParticles", ROWS)
    result = ask("validate", path)
    assert result["errors"] == 0, result["said"]
    objects = ask("api_read", path)["iterations"]["0"]["objects"]
    assert objects["electron/position/z"]["values"] == [0.5] * ROWS
    assert objects["electron/position/z"]["unitSI"] == 1e-3
    assert objects["electron/weight"]["values"] == [1e-12] * ROWS
    particles = ask("beamphysics_read", path)
    np.testing.assert_allclose(particles["x"], values_of("x", 0) * 1e-3, rtol=1e-15)
    assert (particles["z"], particles["status"]) == ([0.0005] * ROWS, [1] * ROWS)
    patches = ask("api_patches", path, "electron")
    assert (patches["numParticles"], patches["numParticlesOffset"]) == ([ROWS], [0])
    x = values_of("x", 0)
    assert patches["offset/x"] == [x.min()]
    assert x.max() < patches["offset/x"][0] + patches["extent/x"][0] < x.max() + 1e-12


def test_api_reads_a_series_that_we_wrote_by_its_pattern(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run_%04T.h5") as out:
        for number in (3, 20):
            with out.step(number) as step:
                step.put("x", values_of("x", number), unit="mm")
    found = ask("api_read", tmp_path / "run_%04T.h5")["iterations"]
    assert list(found) == ["3", "20"]
    for number, iteration in found.items():
        assert ask("validate", tmp_path / f"run_{int(number):04}.h5")["errors"] == 0
        assert iteration["objects"]["beam/position/x"]["values"] == values_of("x", int(number)).tolist()


def test_viewer_reads_our_file(tmp_path: Path) -> None:
    write(tmp_path / "ours.h5")
    found = ask("viewer_read", tmp_path / "ours.h5", "electron", "40")
    assert found["iterations"] == [0, 40]
    np.testing.assert_allclose(found["x"], values_of("x", 40) * 1e-3, rtol=1e-15)


@pytest.mark.parametrize("chunks", ["none", "auto"])
@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("group_based", "run.h5"),
        ("file_based", "run_%06T.h5"),
        ("file_based", "run_%T.h5"),
        ("variable_based", "run.h5"),
    ],
)
def test_we_read_what_the_api_writes(tmp_path: Path, encoding: str, name: str, chunks: str) -> None:
    ask("api_write", tmp_path / name, encoding, chunks)
    with quire.open(tmp_path / name) as file:
        # The only iteration of a file with variables has no number there.
        numbers = [3] if encoding == "variable_based" else [3, 20]
        assert file.numbers == ([0] if encoding == "variable_based" else numbers)
        assert file.attrs["author"] == "peer"
        for number, step in zip(numbers, file, strict=True):
            rows = 10 + number
            assert (step.attrs["time"], step.attrs.info["time"].unit) == (1.5 * number, "fs")
            electrons = step.tables["electrons"]
            assert list(electrons) == [*LONG, "weighting"]
            np.testing.assert_array_equal(electrons["y"][:], np.arange(rows) + ord("y"))
            np.testing.assert_array_equal(electrons["pz"][:], np.arange(rows) + ord("z") + 1000.0)
            np.testing.assert_array_equal(electrons["weighting"][:], np.full(rows, 2.5, dtype=np.float32))
            assert electrons["x"].unit == "um"
            assert electrons["px"].unit == "2.5e-22 kg m/s"
            field = step.fields["E"]
            assert (field.origin, field.spacing) == ((1.0, 2.0), (0.5, 0.25))
            np.testing.assert_array_equal(field[...][..., 1], np.arange(20.0).reshape(4, 5) + ord("y"))


def test_one_file_of_a_series_is_the_whole_series_unless_asked_otherwise(tmp_path: Path) -> None:
    ask("api_write", tmp_path / "run_%T.h5", "file_based", "none")
    with quire.open(tmp_path / "run_20.h5") as file:
        assert file.numbers == [3, 20]
        assert sorted(file.members) == ["run_20.h5", "run_3.h5"]
    with quire.open(tmp_path / "run_20.h5", series=False) as file:
        assert file.numbers == [20]


def test_api_reads_a_series_that_we_wrote(tmp_path: Path) -> None:
    for number in (3, 20):
        path = tmp_path / f"run_{number:04}.h5"
        names: dict[str, Any] = {"format": "openpmd", "iteration_format": "run_%04T"}
        with quire.create(path, **names) as out, out.step(number) as step:
            step.put("x", values_of("x", number), unit="mm")
        assert ask("validate", path)["errors"] == 0
    found = ask("api_read", tmp_path / "run_%04T.h5")["iterations"]
    assert list(found) == ["3", "20"]
    for number, iteration in found.items():
        assert iteration["objects"]["beam/position/x"]["values"] == values_of("x", int(number)).tolist()


def test_a_series_becomes_one_file_that_the_api_reads(tmp_path: Path) -> None:
    ask("api_write", tmp_path / "run_%T.h5", "file_based", "auto")
    copy(tmp_path / "run_%T.h5", tmp_path / "whole.h5", format="openpmd")
    assert ask("validate", tmp_path / "whole.h5")["errors"] == 0
    theirs = ask("api_read", tmp_path / "run_%T.h5")["iterations"]
    ours = ask("api_read", tmp_path / "whole.h5")["iterations"]
    assert list(ours) == list(theirs)
    for number, iteration in theirs.items():
        assert ours[number]["times"] == iteration["times"]
        assert ours[number]["meshes"] == iteration["meshes"]
        for name, one in iteration["objects"].items():
            copied = ours[number]["objects"][name]
            # The offset is zero in any unit.
            same = (
                one
                if not name.startswith("electrons/positionOffset")
                else {**one, "unitSI": copied["unitSI"]}
            )
            assert copied == same, name


def test_beamphysics_reads_a_copy_of_its_own_file(tmp_path: Path) -> None:
    theirs = ask("beamphysics_write", tmp_path / "theirs.h5")
    copy(tmp_path / "theirs.h5", tmp_path / "ours.h5", format="openpmd")
    assert ask("beamphysics_read", tmp_path / "ours.h5") == theirs


def test_a_beam_of_ours_comes_back_from_impactx_unchanged(tmp_path: Path) -> None:
    units = dict.fromkeys(("x", "y", "t"), "m") | dict.fromkeys(("px", "py", "pt", "qm", "weighting"), "")
    beam = {name: values_of(name, 0) * 1e-5 for name in units}
    # ImpactX computes this from its reference particle, whose mass is given in MeV.
    beam["qm"] = np.full(ROWS, -175882001075.8961)
    beam["weighting"] = np.full(ROWS, 1e6)
    beam |= {f"spin_{axis}": np.zeros(ROWS) for axis in "xyz"}
    with quire.create(tmp_path / "ours.h5", format="openpmd") as out, out.step(1) as step:
        for name, values in beam.items():
            step.put(name, values, unit=units.get(name, ""))
        step.put("id", np.arange(1, ROWS + 1, dtype=np.uint64))
    copied = ask("impactx_copy", tmp_path / "ours.h5", str(tmp_path), peer="impactx")["path"]
    with quire.open(copied) as file:
        theirs = file[0].tables["beam"]
        assert set(theirs) == {*beam, "id"}
        assert {name: theirs[name].unit for name in units} == units
        order = [np.lexsort((values["y"], values["x"])) for values in (beam, {k: theirs[k][:] for k in "xy"})]
        for name, values in beam.items():
            np.testing.assert_array_equal(theirs[name][:][order[1]], values[order[0]], err_msg=name)
