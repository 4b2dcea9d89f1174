"""Small files to try things with: a bunch in a FODO channel, and the lattice functions of an arc of cells.

The cell is that of thin lenses: half a focusing lens, a drift, a defocusing lens, a drift, and the other half
of the focusing lens (S. Y. Lee, Accelerator Physics, 4th ed., section 2.III.1). In the arc the drifts are
dipoles, whose focusing is neglected (section 4.I); the dispersion is 0 at its begin.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import quire
from quire.errors import UsageError
from quire.io.formats import format_infos
from quire.near import there_is_no
from quire.toolkit.replacing import refuse_overwriting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

DRIFT = 1.0
"""Length of a drift, in m."""
FOCAL_LENGTH = 1.2
"""Of a whole lens, in m."""
ANGLE = 0.05
"""Of a dipole of the arc, in rad."""
CELLS = 20
PARTICLES = 2000
MOMENTUM = 195.7
"""Mean of gamma * beta: electrons of 100 MeV."""
EMITTANCE = 1e-8
"""Geometric, in m."""
FIRST_SUFFIX = format_infos()[0].suffixes[0]
"""Of the first format of the list, which holds columns of text."""
GRID = 16
"""Nodes of the charge density along each axis."""


@dataclass(frozen=True)
class Example:
    """One file: its usual name, what it contains, and the function that writes it."""

    name: str
    contents: str
    write: Callable[[Path], None]


def lens(focal_length: float) -> Array:
    """Return the matrix of a thin lens."""
    return np.array([[1.0, 0.0], [-1.0 / focal_length, 1.0]])


def drift(length: float) -> Array:
    """Return the matrix of a drift."""
    return np.array([[1.0, length], [0.0, 1.0]])


def elements(sign: float) -> list[tuple[str, float, Array]]:
    """Return the elements of a cell, their lengths and matrices; `sign` is -1 in the other plane."""
    half, whole = lens(2 * sign * FOCAL_LENGTH), lens(-sign * FOCAL_LENGTH)
    return [
        ("QF", 0.0, half),
        ("B1", DRIFT, drift(DRIFT)),
        ("QD", 0.0, whole),
        ("B2", DRIFT, drift(DRIFT)),
        ("QF", 0.0, half),
    ]


def lattice_functions(sign: float) -> tuple[list[str], list[float], Array]:
    """Return names, ends and beta, alpha and phase of the elements of all cells, in one plane."""
    cell = elements(sign)
    matrix = np.linalg.multi_dot([one for _, _, one in reversed(cell)])
    sine = np.sqrt(1.0 - (np.trace(matrix) / 2) ** 2)
    beta, alpha, phase = matrix[0, 1] / sine, 0.0, 0.0
    names, ends, functions = ["_BEG_"], [0.0], [(beta, alpha, phase)]
    for number in range(CELLS * len(cell)):
        name, length, one = cell[number % len(cell)]
        gamma = (1 + alpha**2) / beta
        a, b = one[0]
        c, d = one[1]
        phase += np.arctan2(b, a * beta - b * alpha)
        beta, alpha = (
            a * a * beta - 2 * a * b * alpha + b * b * gamma,
            -a * c * beta + (a * d + b * c) * alpha - b * d * gamma,
        )
        names.append(name)
        ends.append(ends[-1] + length)
        functions.append((beta, alpha, phase))
    return names, ends, np.array(functions)


def dispersion() -> Array:
    """Return the dispersion and its slope at the ends of the elements of all cells, from 0 at the begin."""
    state = [np.zeros(2)]
    for number in range(CELLS * len(elements(1.0))):
        _, length, one = elements(1.0)[number % len(elements(1.0))]
        bend = np.array([length / 2, 1.0]) * (ANGLE if length else 0.0)
        state.append(one @ state[-1] + bend)
    return np.array(state)


def write_twiss(path: Path) -> None:
    """Write the lattice functions, a row for each element."""
    names, ends, in_x = lattice_functions(1.0)
    _, _, in_y = lattice_functions(-1.0)
    with quire.create(path) as out:
        out.title = "Lattice functions of an arc of FODO cells"
        with out.step(0) as step:
            step.set("nux", in_x[-1, 2] / (2 * np.pi))
            step.set("nuy", in_y[-1, 2] / (2 * np.pi))
            step.put("ElementName", names)
            step.put("s", np.array(ends), unit="m")
            for plane, functions in (("x", in_x), ("y", in_y)):
                step.put(f"beta{plane}", functions[:, 0], unit="m")
                step.put(f"alpha{plane}", functions[:, 1])
                step.put(f"psi{plane}", functions[:, 2], unit="rad")
                if plane == "x":
                    step.put("etax", dispersion()[:, 0], unit="m")
                    step.put("etaxp", dispersion()[:, 1])


def density(x: Array, y: Array, z: Array) -> tuple[Array, list[float], list[float]]:
    """Return the number of particles for each node of a grid around them, its origin and its spacing."""
    edges = [np.linspace(values.min(), values.max(), GRID + 1) for values in (z, y, x)]
    counts, _ = np.histogramdd(np.stack((z, y, x), axis=1), bins=edges)
    origin = [float(one[0] + one[1]) / 2 for one in edges]
    return counts, origin, [float(one[1] - one[0]) for one in edges]


def write_beam(path: Path) -> None:
    """Write a bunch at the ends of cells: particles, and the charge density on a grid."""
    random = np.random.default_rng(2026)
    coordinates = {
        plane: np.sqrt(EMITTANCE) * (normal_form(sign) @ random.standard_normal((2, PARTICLES)))
        for plane, sign in (("x", 1.0), ("y", -1.0))
    }
    z = 1e-3 * random.standard_normal(PARTICLES)
    pz = MOMENTUM * (1 + 1e-3 * random.standard_normal(PARTICLES))
    with quire.create(path) as out:
        out.attrs["code"] = "quire example"
        for number in range(0, CELLS + 1, 5):
            if number:
                for plane, sign in (("x", 1.0), ("y", -1.0)):
                    cell = np.linalg.multi_dot([one for _, _, one in reversed(elements(sign))])
                    coordinates[plane] = np.linalg.matrix_power(cell, 5) @ coordinates[plane]
            with out.step(number) as step:
                step.set("s", 2 * DRIFT * number, unit="m")
                for plane in "xy":
                    position, slope = coordinates[plane]
                    step.set(f"rms_{plane}", float(np.std(position)), unit="m")
                    step.put(plane, position, unit="m")
                    step.put(f"p{plane}", slope * pz, unit="m$be$nc")
                step.put("z", z, unit="m")
                step.put("pz", pz, unit="m$be$nc")
                step.put("id", np.arange(PARTICLES))
                counts, origin, spacing = density(coordinates["x"][0], coordinates["y"][0], z)
                step.put_field("rho", counts, unit="1", grid=quire.Grid(origin=origin, spacing=spacing))


def normal_form(sign: float) -> Array:
    """Return the matrix that maps a round distribution to the matched one at the begin of a cell."""
    beta, alpha, _ = lattice_functions(sign)[2][0]
    return np.array([[np.sqrt(beta), 0.0], [-alpha / np.sqrt(beta), 1 / np.sqrt(beta)]])


EXAMPLES: dict[str, Example] = {
    "beam": Example("beam.h5", "a bunch of 2000 particles in 5 steps, with its charge density", write_beam),
    "twiss": Example(
        f"twiss{FIRST_SUFFIX}",
        "lattice functions of an arc of 20 FODO cells, with names of elements",
        write_twiss,
    ),
}


def write_example(name: str, target: str | None = None, overwrite: bool = False) -> Path:
    """Independent. Write an example under its usual name, or another one; return the path.

    Raises UsageError for an unknown example, and for an existing file unless it may be overwritten.
    """
    if name not in EXAMPLES:
        raise UsageError(there_is_no("example", name, list(EXAMPLES)))
    path = Path(target or EXAMPLES[name].name)
    refuse_overwriting(os.devnull, path, overwrite)
    EXAMPLES[name].write(path)
    return path
