"""Beams with known numbers, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import quire

Array = np.ndarray[Any, Any]

UNITS = {"x": "m", "y": "m", "z": "m", "px": "#beta#gamma", "py": "#beta#gamma", "pz": "#beta#gamma"}
NAMES = tuple(UNITS)


def gaussian(rows: int, seed: int = 1) -> dict[str, Array]:
    """A Gaussian beam at one time, with correlations in x and along the bunch."""
    random = np.random.default_rng(seed)
    x, y, z, px, py, pz = random.normal(size=(6, rows))
    return {
        "x": 1e-3 * x,
        "y": 2e-3 * y,
        "z": 1e-4 * z,
        "px": 0.1 * px + 0.2 * x,
        "py": 0.05 * py,
        "pz": 100.0 + 0.1 * pz + 0.3 * z,
    }


def write(path: Path, *beams: dict[str, Array], units: dict[str, str] = UNITS, **attributes: float) -> Path:
    """A file with a step for each beam, at s = 0, 0.5, 1 ..."""
    with quire.create(path) as out:
        for number, columns in enumerate(beams):
            with out.step(number) as step:
                step.set("s", 0.5 * number, unit="m")
                for name, value in attributes.items():
                    step.set(name, value)
                for name, values in columns.items():
                    step.put(name, values, unit=units.get(name, ""))
    return path
