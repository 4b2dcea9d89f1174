"""A bunch of particles and the map of a cell of a FODO channel, as in ../physics.hpp, bit for bit.

NumPy adds and multiplies as C++ does; no other operation acts on particles.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

COORDINATES = ("x", "px", "y", "py", "z", "delta")
"""x, y, z in m; px = Px/P0, py = Py/P0; z is positive ahead of the reference; delta = (P - P0)/P0."""
EMITTANCE = 1e-6
"""Of the bunch at the beginning in both planes, geometric, in m."""
SIZES = {"z": 0.01, "delta": 1e-3}
OFFSETS = {"x": 1e-3, "y": -5e-4}
SEED = 1


@dataclass
class Channel:
    """One cell: half a focusing quadrupole, sextupole, drift, defocusing quadrupole, sextupole of the
    opposite sign, drift, half a focusing quadrupole, cavity.
    """

    gamma: float = 1.2132
    quadrupole: float = 5.0
    quadrupole_length: float = 0.2
    drift_length: float = 0.8
    sextupole: float = 10.0
    rf: float = 0.002
    rf_wave_number: float = 7.4
    rf_cubic: float = -1.0 / 6
    rf_quintic: float = 1.0 / 120

    @property
    def cell_length(self) -> float:
        """In m."""
        return 2 * (self.quadrupole_length + self.drift_length)


@dataclass(frozen=True)
class PlaneMap:
    """A linear map of one plane: (q, p) becomes (qq q + qp p, pq q + pp p)."""

    qq: float
    qp: float
    pq: float
    pp: float

    def after(self, first: PlaneMap) -> PlaneMap:
        """Return the map that applies `first`, then this one."""
        return PlaneMap(
            self.qq * first.qq + self.qp * first.pq,
            self.qq * first.qp + self.qp * first.pp,
            self.pq * first.qq + self.pp * first.pq,
            self.pq * first.qp + self.pp * first.pp,
        )


def drift_map(length: float) -> PlaneMap:
    """Return the map of a drift."""
    return PlaneMap(1, length, 0, 1)


def quadrupole_map(strength: float, length: float) -> PlaneMap:
    """Return the map of a quadrupole, by the power series of cos(sqrt(k) l) and sin(sqrt(k) l)/sqrt(k)."""
    cosine, sine, term = 0.0, 0.0, 1.0
    for n in range(30):
        cosine += term
        sine += term * length / (2 * n + 1)
        term *= -strength * length * length / ((2 * n + 1) * (2 * n + 2))
    return PlaneMap(cosine, sine, -strength * sine, cosine)


@dataclass(frozen=True)
class Piece:
    """The linear part of the channel between two kicks."""

    x: PlaneMap
    y: PlaneMap
    slip: float
    """z grows by slip * delta, in m."""

    def move(self, at: dict[str, Array]) -> None:
        """Move particles through it."""
        for q, p, plane in (("x", "px", self.x), ("y", "py", self.y)):
            at[q], at[p] = (plane.qq * at[q] + plane.qp * at[p], plane.pq * at[q] + plane.pp * at[p])
        at["z"] = at["z"] + self.slip * at["delta"]


class CellMap:
    """The map of a cell."""

    def __init__(self, of: Channel) -> None:
        half = of.quadrupole_length / 2
        slip = 1 / (of.gamma * of.gamma)
        drift = drift_map(of.drift_length)
        half_focusing = quadrupole_map(of.quadrupole, half)
        half_defocusing = quadrupole_map(-of.quadrupole, half)
        focusing = quadrupole_map(of.quadrupole, of.quadrupole_length)
        defocusing = quadrupole_map(-of.quadrupole, of.quadrupole_length)
        self.pieces = (
            Piece(half_focusing, half_defocusing, slip * half),
            Piece(
                defocusing.after(drift),
                focusing.after(drift),
                slip * (of.drift_length + of.quadrupole_length),
            ),
            Piece(half_focusing.after(drift), half_defocusing.after(drift), slip * (of.drift_length + half)),
        )
        k = of.rf_wave_number
        self.half_sextupole = of.sextupole / 2
        self.rf_linear = -of.rf * k
        self.rf_cubic = self.rf_linear * of.rf_cubic * k * k
        self.rf_quintic = self.rf_linear * of.rf_quintic * k * k * k * k

    def linear(self) -> tuple[PlaneMap, PlaneMap]:
        """Return the maps of the whole cell in (x, px) and (y, py)."""
        first, second, third = self.pieces
        return third.x.after(second.x).after(first.x), third.y.after(second.y).after(first.y)

    def track(self, at: dict[str, Array], cells: int) -> None:
        """Move particles through so many cells."""
        for _ in range(cells):
            self.pieces[0].move(at)
            kick(at, self.half_sextupole)
            self.pieces[1].move(at)
            kick(at, -self.half_sextupole)
            self.pieces[2].move(at)
            square = at["z"] * at["z"]
            force = self.rf_linear + square * (self.rf_cubic + square * self.rf_quintic)
            at["delta"] = at["delta"] + at["z"] * force


def kick(at: dict[str, Array], half_strength: float) -> None:
    """Kick particles by half a sextupole."""
    at["px"] = at["px"] - half_strength * (at["x"] * at["x"] - at["y"] * at["y"])
    at["py"] = at["py"] + 2 * half_strength * at["x"] * at["y"]


def philox(counter: list[Array], seed: int) -> list[Array]:
    """Return four words for each counter: Philox4x32-10, the generator of ../random.hpp."""
    low = np.uint64(0xFFFFFFFF)
    bits = np.uint64(32)
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first = np.uint64(0xD2511F53) * counter[0]
        second = np.uint64(0xCD9E8D57) * counter[2]
        counter = [
            (second >> bits) ^ counter[1] ^ np.uint64(key[0]),
            second & low,
            (first >> bits) ^ counter[3] ^ np.uint64(key[1]),
            first & low,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def gaussian(seed: int, particles: Array, coordinate: int) -> Array:
    """Return nearly Gaussian numbers: each is the sum of 12 uniform ones, and never rounded."""
    ids = particles.astype(np.uint64)
    total = np.full(len(ids), -6 * 0xFFFFFFFF, np.int64)
    for block in range(3):
        words = [ids & np.uint64(0xFFFFFFFF), ids >> np.uint64(32)]
        words += [np.full(len(ids), word, np.uint64) for word in (coordinate, block)]
        for word in philox(words, seed):
            total += word.astype(np.int64)
    return total * 2.0**-32


def matched(q: Array, p: Array, plane: PlaneMap) -> tuple[Array, Array]:
    """Return (q, p) with the emittance and the matched ellipse of a map."""
    cosine = (plane.qq + plane.pp) / 2
    sine = math.copysign(math.sqrt(1 - cosine * cosine), plane.qp)
    beta = plane.qp / sine
    alpha = (plane.qq - plane.pp) / (2 * sine)
    return q * math.sqrt(EMITTANCE * beta), math.sqrt(EMITTANCE / beta) * (p - alpha * q)


def make_bunch(cell: CellMap, particles: range) -> dict[str, Array]:
    """Return some particles of the bunch at the beginning, and their ids, by name."""
    ids = np.arange(particles.start, particles.stop, dtype=np.int64)
    at = {name: gaussian(SEED, ids, number) for number, name in enumerate(COORDINATES)}
    for q, p, plane in zip(("x", "y"), ("px", "py"), cell.linear(), strict=True):
        at[q], at[p] = matched(at[q], at[p], plane)
    for name, size in SIZES.items():
        at[name] *= size
    return {name: at[name] + OFFSETS.get(name, 0.0) for name in COORDINATES} | {"id": ids}


def constants_of(channel: Channel) -> tuple[float, ...]:
    """Return the constants of a channel in their order."""
    return astuple(channel)
