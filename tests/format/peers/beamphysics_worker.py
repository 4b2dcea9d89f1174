"""Prints quantities of a beam as openpmd-beamphysics computes them, in a separate process.

python beamphysics_worker.py FILE.npz   positions in m, times in s, momenta in eV/c, weights in C
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from beamphysics import ParticleGroup

KEYS = (
    "mean_x", "sigma_x", "sigma_y", "sigma_z", "sigma_t", "mean_energy", "sigma_energy", "charge",
    "norm_emit_x", "norm_emit_y", "norm_emit_4d", "mean_kinetic_energy", "sigma_xp", "mean_gamma",
)  # fmt: skip


def main(path: str) -> dict[str, Any]:
    """Return numbers by name."""
    with np.load(path) as stored:
        columns = {name: stored[name] for name in stored}
    group = ParticleGroup(data={**columns, "species": "electron"})
    found: dict[str, Any] = {key: float(group[key]) for key in KEYS}
    for plane in "xy":
        # It has normalised emittances as well, without dispersion.
        found |= {f"twiss_{key}": float(value) for key, value in group.twiss(plane=plane).items()}
    return found


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
