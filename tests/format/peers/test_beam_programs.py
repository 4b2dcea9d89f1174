"""Beams that we write for programs are read by these, with the same particles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.peers.test_openpmd import ask
from tests.python.beam.beams import UNITS, gaussian, write

import quire
from quire.beam.species import known_species
from quire.toolkit.convert import copy

pytestmark = pytest.mark.peer

ROWS = 400
MASS_TOLERANCE = 1e-8
"""The masses of the programs are those of an older recommended value."""
REFERENCE = ("beta_gamma_ref", "gamma_ref", "t_ref", "mass_ref", "charge_ref")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Particles at one time, each with a charge."""
    columns = gaussian(ROWS) | {"q": -1e-15 * np.linspace(1.0, 2.0, ROWS)}
    return write(tmp_path / "source.h5", columns, units={**UNITS, "q": "C"})


def sorted_rows(path: Path | str) -> dict[str, np.ndarray[Any, Any]]:
    """The columns of a beam in an order that does not depend on the program."""
    with quire.open(path) as file:
        table = file[0].tables["beam"]
        columns = {name: table[name][:] for name in table}
    order = np.lexsort((columns["y"], columns["x"]))
    return {name: values[order] for name, values in columns.items()}


def test_impactx_reads_the_beam_and_its_reference_and_writes_them_unchanged(
    source: Path, tmp_path: Path
) -> None:
    path = tmp_path / "beam.h5"
    copy(source, path, program="impactx")
    answer = ask("impactx_copy", path, str(tmp_path), "reference", peer="impactx")
    ours, theirs = sorted_rows(path), sorted_rows(answer["path"])
    assert set(ours) == set(theirs)
    for name in ours.keys() - {"id", "qm"}:
        np.testing.assert_array_equal(theirs[name], ours[name], err_msg=name)
    # It computes this from its reference particle.
    np.testing.assert_allclose(theirs["qm"], ours["qm"], rtol=1e-15)
    with quire.open(path) as mine, quire.open(answer["path"]) as other:
        for name in REFERENCE:
            assert other[0].attrs[f"beam/{name}"] == mine[0].attrs[f"beam/{name}"], name
        assert answer["reference"]["mass"] == known_species()["electron"].mass
        assert answer["reference"]["pt"] == -mine[0].attrs["beam/gamma_ref"]


def test_a_beam_returns_from_impactx_to_any_program(source: Path, tmp_path: Path) -> None:
    copy(source, tmp_path / "there.h5", program="impactx")
    copied = ask("impactx_copy", tmp_path / "there.h5", str(tmp_path), "reference", peer="impactx")["path"]
    copy(copied, tmp_path / "back.h5", program="opal")
    with quire.open(source) as before, quire.open(tmp_path / "back.h5") as after:
        for name in ("charge", "sigma_x", "sigma_z", "emittance_nx", "mean_energy", "sigma_energy"):
            assert after[0].beam()[name] == pytest.approx(before[0].beam()[name], rel=1e-6), name


@pytest.mark.parametrize(
    ("program", "suffix", "command"),
    [("beamphysics", ".h5", "beamphysics_describe"), ("astra", ".ini", "astra_read")],
)
def test_beamphysics_finds_the_same_particles(
    source: Path, tmp_path: Path, program: str, suffix: str, command: str
) -> None:
    path = tmp_path / f"beam{suffix}"
    copy(source, path, program=program)
    found = ask(command, path)
    assert (found["species"], found["particles"]) == ("electron", ROWS)
    with quire.open(source) as file:
        columns = {name: file[0][name][:] for name in (*UNITS, "q")}
        beam = file[0].beam()
    rest_energy = known_species()["electron"].rest_energy
    for name in UNITS:
        scale = rest_energy if name.startswith("p") else 1.0
        tolerance = 1e-14 * scale * np.abs(columns[name]).max()
        np.testing.assert_allclose(found[name], columns[name] * scale, rtol=0, atol=tolerance, err_msg=name)
    np.testing.assert_allclose(found["weight"], np.abs(columns["q"]), rtol=1e-14)
    assert set(found["status"]) == {1}
    assert set(found["t"]) == {0.0}
    for theirs, ours in (("sigma_x", "sigma_x"), ("sigma_y", "sigma_y"), ("sigma_z", "sigma_z"),
                         ("mean_kinetic_energy", "mean_energy"), ("charge", "charge")):  # fmt: skip
        assert found[theirs] == pytest.approx(beam[ours], rel=MASS_TOLERANCE), theirs
    # The sample covariance is larger by n / (n - 1), where unequal weights lessen n.
    assert found["norm_emit_x"] == pytest.approx(beam.emittance_nx, rel=2 / ROWS)
