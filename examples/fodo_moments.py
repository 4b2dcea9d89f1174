"""Recompute the moments in the steps of a FODO run and compare them with what the simulation wrote.

    python examples/fodo_moments.py [--last] FILE...

The simulation sums without rounding (examples/fodo/exact_sum.hpp), and so does math.fsum: every moment must
agree to the last bit, in every format, however many ranks wrote the file. With --last only the last step of
each file is read.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping

import numpy as np

import quire

PLANES = (("x", "px"), ("y", "py"), ("z", "delta"))
COORDINATES = tuple(name for plane in PLANES for name in plane)


def mean(values: np.ndarray) -> float:
    """Return the mean with a single rounding of the sum."""
    return math.fsum(values.tolist()) / len(values)


def moments(particles: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Return centroid, rms sizes and projected geometric emittances (m) of a bunch.

    `particles` holds x, y, z in m, and px, py, delta without unit; the names of the results are those of the
    attributes: Cx ... Cdelta, Sx ... Sdelta, ex, ey, ez.
    """
    centroid = {name: mean(particles[name]) for name in COORDINATES}
    about = {name: particles[name] - centroid[name] for name in COORDINATES}
    squares = {name: mean(about[name] * about[name]) for name in COORDINATES}
    result = {f"C{name}": centroid[name] for name in COORDINATES}
    result |= {f"S{name}": math.sqrt(squares[name]) for name in COORDINATES}
    for q, p in PLANES:
        mixed = mean(about[q] * about[p])
        result[f"e{q}"] = math.sqrt(max(0.0, squares[q] * squares[p] - mixed * mixed))
    return result


def differences(step: quire.Step) -> Iterable[str]:
    """Yield the attributes of a step that its particles contradict."""
    for name, value in moments(step.table.read(COORDINATES)).items():
        written = step.attrs[name]
        if written != value:
            yield f"{name} is {written!r}, the particles say {value!r}"


def compare(path: str, *, last: bool = False) -> bool:
    """Print one line for each step of a file, or for its last; return whether all agree."""
    agree = True
    with quire.open(path) as file:
        for step in [file[-1]] if last else file:
            wrong = list(differences(step))
            agree = agree and not wrong
            s, ex, ey = (step.attrs.info[name] for name in ("s", "ex", "ey"))
            verdict = "; ".join(wrong) or "moments equal to the last bit"
            print(
                f"{path} step {step.number:6d}  s {s.value:9.3f} {s.unit}  ex {ex.value:.6e} {ex.unit}  ",
                end="",
            )
            print(f"ey {ey.value:.6e} {ey.unit}  {verdict}")
    return agree


def main(arguments: list[str]) -> int:
    """Return 0 if every step of every file agrees, 1 if not, 2 for wrong usage."""
    last = arguments[:1] == ["--last"]
    paths = arguments[last:]
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    return 0 if all([compare(path, last=last) for path in paths]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
