"""The lattice functions of the example are those of thin-lens theory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import quire
from quire.toolkit.examples import ANGLE, DRIFT, EXAMPLES, FOCAL_LENGTH, write_example


def test_beta_functions_and_dispersion_are_those_of_a_fodo_cell(tmp_path: Path) -> None:
    """S. Y. Lee, Accelerator Physics, 4th ed., equations of sections 2.III.1 and 4.I.2."""
    path = write_example("twiss", str(tmp_path / EXAMPLES["twiss"].name))
    with quire.open(path) as file:
        twiss = {name: column[:] for name, column in file[0].items()}
    half = DRIFT / (2 * FOCAL_LENGTH)  # the sine of half of the phase advance
    advance = 2 * np.arcsin(half)
    names = np.array(twiss["ElementName"])
    focusing, defocusing = names == "QF", names == "QD"
    assert twiss["betax"][focusing] == pytest.approx(2 * DRIFT * (1 + half) / np.sin(advance))
    assert twiss["betax"][defocusing] == pytest.approx(2 * DRIFT * (1 - half) / np.sin(advance))
    periodic = DRIFT * ANGLE * (1 + half / 2) / half**2
    cells = twiss["s"][focusing] / (2 * DRIFT)
    assert twiss["etax"][focusing] == pytest.approx(periodic * (1 - np.cos(cells * advance)), abs=1e-12)
    assert twiss["psix"][-1] == pytest.approx(20 * advance)


def test_the_dispersion_is_that_of_particles_of_another_momentum(tmp_path: Path) -> None:
    """Between two elements it changes by its slope, and in a dipole by half of the angle in addition."""
    with quire.open(write_example("twiss", str(tmp_path / EXAMPLES["twiss"].name))) as file:
        twiss = {name: column[:] for name, column in file[0].items()}
    length = np.diff(twiss["s"])
    expected = length * twiss["etaxp"][:-1] + np.where(length > 0, ANGLE * length / 2, 0.0)
    np.testing.assert_allclose(np.diff(twiss["etax"]), expected, atol=1e-14)
