"""Quantities of beams are those that the programs of the field print for the same particles."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import quire
from quire.toolkit.beam import beams

DATA = Path(__file__).resolve().parents[2] / "data" / "codes"

SIGMAS = {
    "Sx": "sigma_x",
    "Sxp": "sigma_xp",
    "Sy": "sigma_y",
    "Syp": "sigma_yp",
    "Sdelta": "sigma_delta",
    "St": "sigma_t",
    "ex": "emittance_x",
    "ey": "emittance_y",
    "ecx": "emittance_cx",
    "ecy": "emittance_cy",
    "ecnx": "emittance_cnx",
    "ecny": "emittance_cny",
    "betaxBeam": "beta_cx",
    "alphaxBeam": "alpha_cx",
    "betayBeam": "beta_cy",
    "minimum1": "min_x",
    "maximum3": "max_y",
    "s12": "cov_x_xp",
}
"""Columns of the file of beam sizes, with our names."""

ANALYSED = {
    "ex": "emittance_x",
    "ey": "emittance_y",
    "ecx": "emittance_cx",
    "betax": "beta_x",
    "alphax": "alpha_x",
    "betay": "beta_y",
    "betacx": "beta_cx",
    "alphacx": "alpha_cx",
    "ecnx": "emittance_cnx",
    "Sx": "sigma_x",
    "St": "sigma_t",
    "Sdelta": "sigma_delta",
    "pAverage": "mean_p",
    "s11": "cov_x_x",
    "s12": "cov_x_xp",
    "s13": "cov_x_y",
    "s24": "cov_xp_yp",
    "s34": "cov_y_yp",
    "s66": "cov_delta_delta",
    "Charge": "charge",
    "Particles": "particles",
}


def test_beam_sizes_are_those_of_elegant_for_the_same_particles() -> None:
    with quire.open(DATA / "elegant_line.sig") as file:
        for one, sizes in zip(beams(DATA / "elegant_line.w1"), file, strict=True):
            row = sizes["ElementName"][:].tolist().index("W-1:a")
            for theirs, ours in SIGMAS.items():
                expected = sizes[theirs][row]
                assert one.beam[ours] == pytest.approx(expected, rel=1e-12), (one.number, theirs)
            # Its normalised emittance is the geometric one times the mean beta gamma.
            assert one.beam.emittance_x * one.beam.mean_p == pytest.approx(sizes["enx"][row], rel=1e-13)


def test_twiss_parameters_are_those_of_sddsanalyzebeam() -> None:
    with quire.open(DATA / "analyzebeam_line_w1.sdds") as file:
        analysed = file[0].table.read()
    for row, one in enumerate(beams(DATA / "elegant_line.w1")):
        for theirs, ours in ANALYSED.items():
            # The covariance of two planes is a sum of terms of both signs, and so less exact.
            allowed = 1e-9 if theirs in ("s13", "s24", "s34") else 2e-13
            assert one.beam[ours] == pytest.approx(analysed[theirs][row], rel=allowed), theirs


def test_ranks_of_another_program_do_not_matter() -> None:
    serial = {one.number: one.beam for one in beams(DATA / "elegant_line.w1")}
    parallel = {one.number: one.beam for one in beams(DATA / "pelegant_np3_line.w1")}
    assert parallel.keys() == serial.keys()
    for number, beam in parallel.items():
        assert beam.particles == serial[number].particles
        assert beam.charge == serial[number].charge


def test_opal_quantities_are_those_of_the_attributes() -> None:
    for one in beams(DATA / "opal_t_3ranks.h5"):
        attributes, beam = one.step.attrs, one.beam
        assert beam.convention == "opal"
        rms = [beam.sigma_x, beam.sigma_y, beam.sigma_z]
        assert rms == pytest.approx(attributes["RMSX"].tolist(), rel=1e-12)
        assert [beam.sigma_ux, beam.sigma_uy, beam.sigma_uz] == pytest.approx(
            attributes["RMSP"].tolist(), rel=1e-12
        )
        assert [beam.mean_x, beam.mean_y, beam.mean_z] == pytest.approx(
            attributes["centroid"].tolist(), rel=1e-12
        )
        normalised = [beam.emittance_nx, beam.emittance_ny, beam.emittance_nz]
        assert normalised == pytest.approx(attributes["#varepsilon"].tolist(), rel=1e-12)
        assert beam.charge == pytest.approx(-attributes["CHARGE"], rel=1e-12)
        assert [beam.max_x, beam.max_y, beam.max_z] == attributes["maxX"].tolist()


def test_a_charge_that_is_not_known_leaves_weights_of_one(tmp_path: Path) -> None:
    path = tmp_path / "beam.sdds"
    with quire.create(path) as out, out.step(1) as step:
        step.set("Charge", math.nan, unit="C").set("Particles", 5)
        for name, unit in {"x": "m", "xp": "", "y": "m", "yp": "", "t": "s", "p": "m$be$nc"}.items():
            step.put(name, 1.0 + np.arange(5), unit=unit)
    with quire.open(path) as file:
        beam = file[0].beam()
    assert (beam.convention, beam.has_weights, beam.weight) == ("elegant", False, 5.0)
