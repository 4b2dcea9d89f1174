"""Moments of a bunch by sums without rounding, as in ../moments.hpp, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from physics import COORDINATES, Array

PLANES = (("x", "px"), ("y", "py"), ("z", "delta"))
BITS = 1074 + 53
"""Sums are integers in units of 2^-BITS, of which every double is a multiple."""


def exact_sum(values: Array) -> int:
    """Return the sum of numbers as an integer: those of Python have any length."""
    fractions, exponents = np.frexp(values)
    wholes = (fractions * 2.0**53).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents):
        some = wholes[exponents == exponent]
        # Halves, so that the sums of integers of 53 bits do not overflow.
        total += ((int((some >> 32).sum()) << 32) + int((some & 0xFFFFFFFF).sum())) << int(exponent) + 1074
    return total


def total(comm: Any, sums: list[int]) -> list[int]:
    """Collective. Return the sums over all ranks."""
    if comm is None:
        return sums
    return [sum(parts) for parts in zip(*comm.allgather(sums), strict=True)]


def measure(bunch: Mapping[str, Array], comm: Any) -> tuple[int, dict[str, float]]:
    """Collective. Return the number of particles, and their moments by the names of the attributes."""
    particles, *sums = total(comm, [len(bunch["x"]), *(exact_sum(bunch[name]) for name in COORDINATES)])
    if particles == 0:
        names = [f"{kind}{name}" for kind in "CS" for name in COORDINATES] + [f"e{q}" for q, _ in PLANES]
        return 0, dict.fromkeys(names, 0.0)

    def mean(one: int) -> float:
        return one / (1 << BITS) / particles  # the quotient of integers is rounded once

    centroid = dict(zip(COORDINATES, map(mean, sums), strict=True))
    about = {name: bunch[name] - centroid[name] for name in COORDINATES}
    products = [(name, name) for name in COORDINATES] + list(PLANES)
    found = total(comm, [exact_sum(about[q] * about[p]) for q, p in products])
    second = dict(zip(products, map(mean, found), strict=True))
    moments = {f"C{name}": centroid[name] for name in COORDINATES}
    moments |= {f"S{name}": math.sqrt(second[name, name]) for name in COORDINATES}
    for q, p in PLANES:
        square = second[q, q] * second[p, p] - second[q, p] * second[q, p]
        moments[f"e{q}"] = math.sqrt(max(0.0, square))
    return particles, moments
