"""Beams written for programs that read openPMD or text: complete, in their units, and nothing is dropped
silently.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.profiles.test_particle_profiles import DATA, convert, weighted
from tests.python.beam.beams import UNITS, gaussian, write
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

import quire
from quire.beam.species import C_LIGHT, E_CHARGE, known_species
from quire.cli.main import app
from quire.errors import ConflictError, UnsupportedError, UsageError
from quire.toolkit.convert import copy

ROWS = 200
ELECTRON = known_species()["electron"]
ASTRA = "x,y,z,px,py,pz,clock,charge,index,status"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Particles at one time, each with a charge."""
    charges = -1e-15 * np.linspace(1.0, 2.0, ROWS)
    return write(tmp_path / "source.h5", weighted(ROWS, charges), units={**UNITS, "q": "C"})


def imported(text: Path) -> Path:
    """The text for ASTRA as a table."""
    target = text.with_suffix(".sdds")
    words = ["import", str(text), str(target), "--no-header", "--delimiter", "space", "--names", ASTRA]
    outcome = CliRunner().invoke(app, [*words, "--overwrite"])
    assert outcome.exit_code == 0, outcome.output
    return target


def test_a_beam_for_impactx_has_its_records_and_its_reference(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "beam.h5"
    changes = convert(source, target, "impactx")
    with h5py.File(target) as file:
        beam = file["data/0/particles/beam"]
        names = [*(f"position/{axis}" for axis in "xyt"), *(f"momentum/{axis}" for axis in "xyt"), "qm",
                 "weighting", *(f"spin/{axis}" for axis in "xyz")]  # fmt: skip
        for name in names:
            assert beam[name].dtype == np.dtype("<f8"), name
            assert beam[name].attrs["unitSI"] == 1.0, name
        assert beam["id"].dtype == np.dtype("<u8")
        assert beam["id"][:].tolist() == list(range(1, ROWS + 1))
        assert beam["qm"][0] == pytest.approx(ELECTRON.charge / ELECTRON.mass)
        assert not beam["spin/x"][:].any()
        attributes = dict(beam.attrs)
    assert attributes["mass_ref"] == ELECTRON.mass
    assert attributes["pz_ref"] == attributes["beta_gamma_ref"]
    assert attributes["pt_ref"] == -attributes["gamma_ref"]
    assert attributes["gamma_ref"] == pytest.approx(np.hypot(attributes["beta_gamma_ref"], 1.0))
    assert "added: columns spin_x, spin_y, spin_z: 0 in every row" in changes
    with quire.open(source) as before, quire.open(target) as after:
        mean = float(np.average(before[0]["z"][:], weights=before[0]["q"][:]))
        expected, found = before[0].beam(screen=mean), after[0].beam()
        for name in ("charge", "mean_energy", "sigma_x", "sigma_t", "emittance_nx", "dispersion_x"):
            assert found[name] == pytest.approx(expected[name], rel=1e-8), name


def test_times_for_impactx_are_relative_to_the_bunch(tmp_path: Path) -> None:
    columns = {"x": 0.0, "xp": 0.0, "y": 0.0, "yp": 0.0, "t": 1e-6, "p": 100.0}
    table = {name: value + np.linspace(0, 1e-12, ROWS) for name, value in columns.items()}
    units = dict(zip(columns, ("m", "", "m", "", "s", "m$be$nc"), strict=True))
    path = tmp_path / "late.sdds"
    with quire.create(path) as out, out.step(1) as step:
        step.set("Charge", 1e-9, unit="C")
        for name, values in table.items():
            step.put(name, values, unit=units[name])
    convert(path, tmp_path / "beam.h5", "impactx")
    with quire.open(tmp_path / "beam.h5") as file:
        assert file[0].attrs["beam/t_ref"] == pytest.approx(1e-6 * C_LIGHT)
        assert np.abs(file[0].tables["beam"]["t"][:]).max() < 1e-12 * C_LIGHT
        assert file[0].beam().mean_t == pytest.approx(table["t"].mean(), rel=1e-14)
        assert file[0].beam().charge == pytest.approx(1e-9)


def test_a_file_of_impactx_is_not_changed(tmp_path: Path) -> None:
    path, target = DATA / "impactx_file_000001.h5", tmp_path / "beam.h5"
    assert convert(path, target, "impactx") == []
    with quire.open(path) as before, quire.open(target) as after:
        assert dict(before[0].attrs) == dict(after[0].attrs)
        for name, column in before[0].table.columns.items():
            assert after[0][name].type == column.type
            np.testing.assert_array_equal(after[0][name][:], before[0][name][:])


def test_a_beam_for_beamphysics_states_what_it_is(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "beam.h5"
    changes = convert(source, target, "beamphysics")
    with h5py.File(target) as file:
        assert file.attrs["openPMDextension"] == b"BeamPhysics;SpeciesType"
        beam = file["data/0/particles/beam"]
        assert beam.attrs["speciesType"] == b"electron"
        assert beam.attrs["numParticles"] == ROWS
        assert beam.attrs["totalCharge"] == pytest.approx(1.5e-15 * ROWS)
        assert np.issubdtype(beam["particleStatus"].dtype, np.integer)
        assert beam["momentum/x"].attrs["unitSI"] == pytest.approx(E_CHARGE / C_LIGHT, rel=1e-14)
        assert set(beam["weight"].attrs["unitDimension"]) == {0.0, 1.0}
    assert "changed: particles are at one time, which is taken as t = 0 s" in changes


def test_the_number_and_charge_are_those_of_the_rows_that_are_copied(source: Path, tmp_path: Path) -> None:
    parts: dict[str, dict[str, Any]] = {"where": {"where": "x > 0"}, "rows": {"rows": slice(50, 120)}}
    for name, more in parts.items():
        target = tmp_path / f"{name}.h5"
        convert(source, target, "beamphysics", **more)
        with quire.open(target) as file:
            step, table = file[0], file[0].tables["beam"]
            assert step.attrs["beam/numParticles"] == len(table) < ROWS
            assert step.attrs["beam/totalCharge"] == pytest.approx(table["weight"][:].sum(), rel=1e-13)
    with pytest.raises(UsageError, match="columns of the source"):
        convert(source, tmp_path / "made.h5", "beamphysics", where="weight > 0")


def test_the_time_is_that_of_the_step(tmp_path: Path) -> None:
    path = tmp_path / "late.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.set("TIME", 2.5, unit="ns")
        for name, values in weighted(ROWS).items():
            step.put(name, values, unit={**UNITS, "q": "C"}[name])
    convert(path, tmp_path / "beam.h5", "beamphysics")
    with quire.open(tmp_path / "beam.h5") as file:
        assert set(file[0].tables["beam"]["time"][:]) == {2.5e-9}


def test_the_table_gets_the_name_that_the_program_reads(tmp_path: Path) -> None:
    target = tmp_path / "beam.h5"
    changes = convert(DATA / "beamphysics_electron.h5", target, "impactx")
    assert "renamed: table electron (now beam): impactx reads a table of this name" in changes
    with quire.open(DATA / "beamphysics_electron.h5") as before, quire.open(target) as after:
        assert list(after[0].tables) == ["beam"]
        # Attributes of the table keep their place in it.
        assert after[0].attrs["beam/totalCharge"] == before[0].attrs["electron/totalCharge"]
        assert not [name for name in after[0].attrs if name.startswith("electron/")]
        assert after[0].beam().sigma_t == pytest.approx(before[0].beam().sigma_t, rel=1e-12)


def test_particles_at_one_time_drift_to_a_place_though_their_times_are_known(tmp_path: Path) -> None:
    both = tmp_path / "both.h5"
    convert(write(tmp_path / "one.h5", weighted(), units={**UNITS, "q": "C"}), both, "beamphysics")
    changes = convert(both, tmp_path / "bunch.sdds", "elegant")
    assert "changed: particles drift from one time to the plane of their mean z" in changes
    changes = convert(tmp_path / "bunch.sdds", tmp_path / "placed.h5", "beamphysics")
    assert "changed: particles are at one place, which is taken as z = 0 m" in changes
    changes = convert(tmp_path / "placed.h5", tmp_path / "back.h5", "opal")
    assert "changed: particles drift from one place to their mean time" in changes
    with quire.open(both) as before, quire.open(tmp_path / "back.h5") as after:
        for name in ("sigma_x", "sigma_z", "emittance_nx", "charge"):
            assert after[0].beam()[name] == pytest.approx(before[0].beam()[name], rel=1e-6), name


def test_text_for_astra_begins_with_the_reference_particle(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "beam.ini"
    changes = convert(source, target, "astra", durable=True)
    lines = np.loadtxt(target)
    assert lines.shape == (ROWS + 1, 10)
    with quire.open(source) as file:
        columns = {name: file[0][name][:] for name in (*UNITS, "q")}
    weights = np.abs(columns["q"])
    for place, name in enumerate(("x", "y", "z")):
        assert lines[0, place] == pytest.approx(np.average(columns[name], weights=weights), rel=1e-9)
    np.testing.assert_array_equal(lines[1:, 0], columns["x"])
    np.testing.assert_allclose(lines[1:, 2] + lines[0, 2], columns["z"], rtol=0, atol=1e-17)
    momenta = columns["pz"] * ELECTRON.rest_energy
    np.testing.assert_allclose(lines[1:, 5] + lines[0, 5], momenta, rtol=1e-14)
    np.testing.assert_allclose(lines[1:, 7], columns["q"] * 1e9, rtol=1e-14)
    assert lines[0, 7] == 0
    assert set(lines[:, 8]) == {1}
    assert set(lines[:, 9]) == {5}
    assert "changed: the first row is a reference particle, the mean of all, without charge" in changes
    assert "lost: attribute s: left out: the text has columns only" in changes


def test_text_for_astra_returns_the_beam(source: Path, tmp_path: Path) -> None:
    text, back = tmp_path / "beam.ini", tmp_path / "back.h5"
    convert(source, text, "astra")
    convert(imported(text), back, "opal")
    with quire.open(source) as before, quire.open(back) as after:
        assert len(after[0].table) == ROWS
        for name in (*UNITS, "q"):
            tolerance = 1e-14 * np.abs(before[0][name][:]).max()
            np.testing.assert_allclose(after[0][name][:], before[0][name][:], rtol=0, atol=tolerance)
    # A part of the file is relative to a reference of its own.
    part = tmp_path / "part.ini"
    changes = convert(imported(text), part, "astra", where="row > 100")
    assert any("reference particle" in change for change in changes)
    convert(imported(part), tmp_path / "part.h5", "opal")
    with quire.open(source) as before, quire.open(tmp_path / "part.h5") as after:
        np.testing.assert_allclose(after[0]["z"][:], before[0]["z"][100:], rtol=0, atol=1e-17)
    # All of it is copied as it is.
    same = tmp_path / "same.ini"
    changes = convert(imported(text), same, "astra")
    assert not any("phase space" in change for change in changes), changes
    np.testing.assert_array_equal(np.loadtxt(same), np.loadtxt(text))


@pytest.mark.parametrize(("species", "index"), [("electron", 1), ("positron", 2), ("proton", 3)])
def test_the_index_of_astra_is_the_species(tmp_path: Path, species: str, index: int) -> None:
    path = write(tmp_path / "beam.h5", weighted(10, 1e-15), units={**UNITS, "q": "C"})
    convert(path, tmp_path / "beam.ini", "astra", species=species)
    assert set(np.loadtxt(tmp_path / "beam.ini")[:, 8]) == {index}
    with quire.open(imported(tmp_path / "beam.ini")) as file:
        assert file[0].beam().species.name == species


def test_other_species_have_no_index_of_astra(tmp_path: Path) -> None:
    path = write(tmp_path / "beam.h5", weighted(10, 1e-15), units={**UNITS, "q": "C"})
    with pytest.raises(ConflictError, match="electrons, positrons and protons"):
        convert(path, tmp_path / "beam.ini", "astra", species="muon")
    assert not (tmp_path / "beam.ini").exists()


@pytest.mark.parametrize(
    ("program", "suffix", "options", "message"),
    [
        ("impactx", ".sdds", [], "impactx reads openpmd, but the suffix"),
        ("astra", ".sdds", [], "astra reads plain text, but the suffix"),
        ("astra", ".ini", ["--format", "h5part"], "astra reads plain text, not h5part"),
        ("beamphysics", ".h5", ["--option", "species=other"], "beamphysics needs the option species=beam"),
        ("vtk", ".vtkhdf", [], "use quire export FILE OUT.vtkhdf"),
    ],
)
def test_what_the_program_does_not_read_is_refused(
    source: Path, tmp_path: Path, program: str, suffix: str, options: list[str], message: str
) -> None:
    target = tmp_path / f"beam{suffix}"
    outcome = CliRunner().invoke(app, ["convert", str(source), str(target), "--for", program, *options])
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert not target.exists()


@pytest.mark.parametrize("program", ["impactx", "beamphysics", "astra"])
def test_unknown_charges_are_not_invented(tmp_path: Path, program: str) -> None:
    path = write(tmp_path / "bare.h5", gaussian(10))
    with pytest.raises(quire.Error) as raised:
        convert(path, tmp_path / "beam.txt", program)
    assert any(word in raised.value.advice for word in ("weighting", "charge", "a column of it"))


@pytest.mark.parametrize("program", ["beamphysics", "astra"])
def test_several_steps_are_refused(tmp_path: Path, program: str) -> None:
    path = write(tmp_path / "steps.h5", weighted(10), weighted(10), units={**UNITS, "q": "C"})
    with pytest.raises(UnsupportedError, match="reads 1 step, here are 2"):
        convert(path, tmp_path / "beam.txt", program)
    convert(path, tmp_path / "beam.txt", program, steps="1")


def test_a_dry_run_reports_what_text_cannot_hold(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "beam.ini"
    words = ["convert", str(source), str(target), "--for", "astra", "--dry-run", "--json"]
    outcome = CliRunner().invoke(app, words)
    assert outcome.exit_code == 1
    assert '"attribute s: left out: the text has columns only"' in outcome.stdout
    assert not target.exists()


def text_by_ranks(comm: Any, source: str, target: str) -> int:
    return copy(source, target, comm=comm, program="astra").rows


@pytest.mark.mpi
def test_ranks_write_the_same_text(source: Path, tmp_path: Path) -> None:
    convert(source, tmp_path / "alone.ini", "astra")
    assert run_ranks(text_by_ranks, 2, str(source), str(tmp_path / "ranks.ini")) == [ROWS, ROWS]
    assert (tmp_path / "ranks.ini").read_bytes() == (tmp_path / "alone.ini").read_bytes()
