"""Quantities of beams are those of openpmd-beamphysics for the same particles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quire
from quire.beam.species import E_CHARGE, known_species

pytestmark = pytest.mark.peer

HERE = Path(__file__).resolve().parent
PEER = Path(os.environ.get("QUIRE_PEERS", Path(sys.prefix) / "peers")) / "openpmd"
ROWS = 30_000
MC2 = known_species()["electron"].rest_energy

MASS_TOLERANCE = 1e-8
"""Its mass of the electron is an older recommended value."""

SAME = {
    "mean_x": "mean_x",
    "sigma_x": "sigma_x",
    "sigma_y": "sigma_y",
    "sigma_t": "sigma_t",
    "sigma_xp": "sigma_xp",
    "mean_kinetic_energy": "mean_energy",
    "sigma_energy": "sigma_energy",
    "charge": "charge",
}
"""Its names with ours."""

SAMPLE = {"norm_emit_x": "emittance_nx", "norm_emit_y": "emittance_ny"}
"""Quantities that it computes by the sample covariance, which is larger by n / (n - 1), where unequal weights
lessen n."""

TWISS = {
    "alpha_x": "alpha_cx",
    "beta_x": "beta_cx",
    "alpha_y": "alpha_cy",
    "beta_y": "beta_cy",
    "eta_x": "dispersion_x",
    "etap_x": "dispersion_xp",
}
"""Those without dispersion. Its slopes are px over the mean momentum, which is px / pz for a small energy
spread.
"""


def beam(spread: float) -> dict[str, np.ndarray[Any, Any]]:
    """Particles at one place, with dispersion, a chirp, an energy spread and unequal weights."""
    random = np.random.default_rng(7)
    x, y, t, a, b, e = random.normal(size=(6, ROWS))
    delta = spread * (e + 0.5 * t)
    uz = 200 * (1 + delta)
    slopes = {"x": 1e-4 * a + 2e-4 * x + 1e-4 * delta / spread, "y": 2e-4 * b - 1e-4 * y}
    return {
        "x": 1e-3 * x + 1e-3 * delta / spread + 0.02,
        "y": 2e-3 * y - 0.01,
        "z": np.full(ROWS, 1.5),
        "t": 1e-12 * t + 5e-9,
        "ux": slopes["x"] * uz,
        "uy": slopes["y"] * uz,
        "uz": uz,
        "weight": random.uniform(0.5, 1.5, ROWS) * 1e4,
    }


def both(folder: Path, columns: dict[str, np.ndarray[Any, Any]]) -> tuple[Any, dict[str, Any]]:
    """Our beam and the numbers of the peer, for the same particles."""
    path = folder / "beam.sdds"
    with quire.create(path) as out, out.step(1) as step:
        for name in ("x", "y", "z", "t"):
            step.put(name, columns[name], unit="s" if name == "t" else "m")
        for name in "xyz":
            step.put(f"GB{name}", columns[f"u{name}"])
        step.put("nmacro", columns["weight"])
    stored: dict[str, Any] = {name: columns[name] for name in ("x", "y", "z", "t")}
    stored |= {f"p{name}": columns[f"u{name}"] * MC2 for name in "xyz"}
    stored |= {"weight": columns["weight"] * E_CHARGE, "status": np.ones(ROWS, np.int64)}
    np.savez(folder / "beam.npz", **stored)
    command = [sys.executable, str(HERE / "beamphysics_worker.py"), str(folder / "beam.npz")]
    environment = {**os.environ, "PYTHONPATH": str(PEER)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    with quire.open(path) as file:
        return file[0].beam(species="electron"), json.loads(done.stdout)


def test_quantities_are_those_of_the_peer(tmp_path: Path) -> None:
    columns = beam(0.02)
    ours, theirs = both(tmp_path, columns)
    for name, own in SAME.items():
        assert ours[own] == pytest.approx(theirs[name], rel=MASS_TOLERANCE), name
    weight = columns["weight"]
    sample = 1 / (1 - float(np.sum(weight**2)) / float(np.sum(weight)) ** 2)
    assert sample == pytest.approx(ROWS / (ROWS - 1), rel=1e-5)
    for name, own in SAMPLE.items():
        assert ours[own] * sample == pytest.approx(theirs[name], rel=MASS_TOLERANCE), name
    assert ours.emittance_4d * sample**2 == pytest.approx(theirs["norm_emit_4d"], rel=MASS_TOLERANCE)
    assert ours.mean_energy / MC2 + 1 == pytest.approx(theirs["mean_gamma"], rel=MASS_TOLERANCE)


def test_twiss_parameters_are_those_of_the_peer_for_a_small_energy_spread(tmp_path: Path) -> None:
    ours, theirs = both(tmp_path, beam(1e-6))
    for name, own in TWISS.items():
        assert ours[own] == pytest.approx(theirs[f"twiss_{name}"], rel=1e-5), name
    assert ours.emittance_cx == pytest.approx(theirs["twiss_emit_x"], rel=1e-4)
