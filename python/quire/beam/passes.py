"""The passes over the particles of a table: first and second moments, then what needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

import numpy as np

from quire._core import even_slice
from quire.beam.blocks import block_count
from quire.beam.moments import (
    Moments,
    Ranks,
    add_all,
    grouped_moments,
    merge_moments,
    moments_of,
)
from quire.beam.particles import Particles, ParticleTable, energy_of
from quire.beam.species import C_LIGHT

Array = np.ndarray[Any, Any]

PLACES: Final = ("x", "y", "z", "t")
SLOPES: Final = ("xp", "yp")
HALO_SIGMAS: Final = 3.0
SLICE_SIGMAS: Final = 4.0
"""Half of the range that slices divide, in rms lengths."""


SLICED: Final = ("x", "y", "xp", "yp", "ux", "uy", "energy", "vz")
"""The variables of which slices have moments."""


def all_variables(particles: Particles) -> dict[str, Array]:
    """Independent. Return coordinates and what is derived from them for each particle.

    Besides `variables`, `ax` and `ay` are angles, and `lz` is the angular momentum over m c.
    """
    found = variables(particles)
    ux, uy, uz = found["ux"], found["uy"], found["uz"]
    found["ax"], found["ay"] = np.arctan2(ux, uz), np.arctan2(uy, uz)
    found["lz"] = found["x"] * uy - found["y"] * ux
    return found


def variables(particles: Particles) -> dict[str, Array]:
    """Independent. Return coordinates and what is derived from them for each particle, without what only the
    first pass needs.

    `xp`, `yp` are slopes; `p` is the total beta gamma, `energy` gamma - 1, `ct` the time times c and `vz` the
    longitudinal speed.
    """
    found = dict(particles.coordinates)
    ux, uy, uz = found["ux"], found["uy"], found["uz"]
    with np.errstate(all="ignore"):
        found["xp"], found["yp"] = ux / uz, uy / uz
    found["p"] = np.sqrt(ux * ux + uy * uy + uz * uz)
    found["energy"] = energy_of(found["p"])
    found["vz"] = C_LIGHT * uz / (1.0 + found["energy"])
    if "t" in found:
        found["ct"] = C_LIGHT * found["t"]
    return found


@dataclass(frozen=True)
class FirstPass:
    """Counts and moments of all variables, whose means are relative to `origin`. `lost` is None if the rows
    have no status.
    """

    names: Sequence[str]
    origin: Array
    moments: Moments | None
    lost: int | None

    @cached_property
    def means(self) -> Mapping[str, float]:
        """The mean of each variable."""
        assert self.moments is not None
        return dict(zip(self.names, (self.origin + self.moments.mean[0]).tolist(), strict=True))

    @cached_property
    def covariances(self) -> Array:
        """The covariances of all variables."""
        assert self.moments is not None
        found: Array = self.moments.covariance()[0]
        return found

    def covariance(self, a: str, b: str) -> float:
        """Independent. Return the covariance of two variables."""
        return float(self.covariances[self.names.index(a), self.names.index(b)])

    def extent(self, name: str) -> tuple[float, float]:
        """Independent. Return the least and the greatest value of a variable."""
        assert self.moments is not None
        place = self.names.index(name)
        low, high = self.moments.least[0, place], self.moments.greatest[0, place]
        return float(low), float(high)


@dataclass(frozen=True)
class SecondPass:
    """What needs the means: sums of higher powers by name, and moments of slices of the length.

    `edges` are those of the slices along `length`, in its unit; `outside` is the weight outside them.
    """

    sums: Mapping[str, float]
    length: str
    edges: Array
    slices: Moments | None
    slice_names: Sequence[str]
    outside: float


class Passes:
    """The passes over one table, of which the ranks read even shares."""

    def __init__(self, table: ParticleTable, ranks: Ranks | None = None) -> None:
        self.table = table
        self.ranks = ranks or Ranks()
        self.blocks = block_count(table.table)
        first, count = even_slice(self.blocks, self.ranks.rank, self.ranks.size)
        self.share = (first, first + count)

    def each(self, make: Callable[[Particles], Any]) -> Callable[[], Iterator[tuple[int, Any]]]:
        """Independent. Return the blocks of this rank; None for those without rows."""

        def blocks() -> Iterator[tuple[int, Any]]:
            for number, particles in self.table.blocks(*self.share):
                yield number, None if particles is None else make(particles)

        return blocks

    def first(self) -> FirstPass:
        """Collective if the ranks are several. Return the moments of all variables."""
        names, origin = self.ranks.gather(self._origin)[0]

        def part(particles: Particles) -> tuple[Moments | None, int]:
            if not len(particles):
                return None, particles.lost
            return moments_of(stacked(particles, names), particles.weight, origin), particles.lost

        def merge(a: tuple[Moments | None, int], b: tuple[Moments | None, int]) -> tuple[Moments | None, int]:
            left, right = a[0], b[0]
            both = merge_moments(left, right) if left is not None and right is not None else left or right
            return both, a[1] + b[1]

        moments, lost = add_all(self.ranks.gather, self.each(part), merge) or (None, 0)
        return FirstPass(names, origin, moments, lost if self.table.has_status else None)

    def _origin(self) -> tuple[list[str], Array]:
        """Return the names of the variables and their means in the first block, near which all others are."""
        for _, particles in self.table.blocks(0, self.blocks if self.ranks.rank == 0 else 0):
            if particles is not None and len(particles):
                found = all_variables(particles)
                # A block that is far from zero has a mean that is near its values, whatever its rounding.
                return list(found), np.array([float(np.mean(one)) for one in found.values()])
        return [], np.zeros(0)

    def second(
        self,
        first: FirstPass,
        length: str,
        bins: int,
        limits: Array | None = None,
        wavelength: float | None = None,
    ) -> SecondPass:
        """Collective if the ranks are several. Return higher moments, and those of slices along `length`.

        `limits` are the edges of the slices, by default of equal lengths.
        """
        means = {name: first.moments.mean[0, place] for place, name in enumerate(first.names)}  # type: ignore[union-attr]
        sigmas = {name: float(np.sqrt(first.covariance(name, name))) for name in first.names}
        origin = dict(zip(first.names, first.origin, strict=True))
        names = SLICED
        origins = np.array([origin[name] for name in names])
        powered = {*chain.from_iterable(PLANES.values()), length, "energy"}
        half = SLICE_SIGMAS * sigmas[length]
        is_sliced = bool(np.isfinite(half)) and half > 0
        edges = np.linspace(-half, half, bins + 1) if is_sliced else np.zeros(0)
        if is_sliced and limits is not None:
            edges = limits - first.means[length]
        wavenumber = (
            0.0 if wavelength is None else 2.0 * np.pi / wavelength * (C_LIGHT if length == "t" else 1.0)
        )

        def part(particles: Particles) -> tuple[Array, Moments | None]:
            found = variables(particles)
            place = found[length] - origin[length] - means[length]
            with np.errstate(all="ignore"):
                reduced = {
                    name: (found[name] - origin[name] - means[name]) / sigmas[name] for name in powered
                }
            sums = higher_sums(reduced, particles.weight, length)
            sums[BUNCHING] = bunching_sums(place, particles.weight, wavenumber)
            if not is_sliced:
                return sums, None
            # Edges that are values of particles are rounded, and no particle is outside of them.
            inside = (place >= edges[0]) & (place <= edges[-1]) | (limits is not None)
            group = np.clip(np.searchsorted(edges, place, side="right") - 1, 0, bins - 1)
            sums[OUTSIDE] = np.add.reduce(particles.weight[~inside])
            group[~inside] = -1
            values = np.stack([found[name] for name in names])
            return sums, grouped_moments(values, particles.weight, origins, group, bins)

        def merge(
            a: tuple[Array, Moments | None], b: tuple[Array, Moments | None]
        ) -> tuple[Array, Moments | None]:
            return a[0] + b[0], merge_moments(a[1], b[1]) if a[1] is not None and b[1] is not None else None

        def of_living(particles: Particles) -> tuple[Array, Moments | None] | None:
            return part(particles) if len(particles) else None

        total = add_all(self.ranks.gather, self.each(of_living), merge)
        assert total is not None
        sums = dict(zip(SUMS, total[0].tolist(), strict=True))
        return SecondPass(sums, length, edges, total[1], names, sums.pop("outside"))


PLANES: Final = {"x": ("x", "ux"), "y": ("y", "uy")}
POWERS: Final = ((4, 0), (3, 1), (2, 2), (1, 3), (0, 4))
CHIRP_ORDER: Final = 2

SUMS: Final = (
    *(f"{plane}{a}{b}" for plane in PLANES for a, b in POWERS),
    *(f"beyond_{plane}" for plane in PLANES),
    *(f"length{power}" for power in range(2 * CHIRP_ORDER + 1)),
    *(f"energy{power}" for power in range(CHIRP_ORDER + 1)),
    "energy_square",
    "outside",
    "cosine",
    "sine",
)
"""The names of the sums of the second pass."""

OUTSIDE: Final = SUMS.index("outside")
BUNCHING: Final = slice(OUTSIDE + 1, OUTSIDE + 3)


def higher_sums(reduced: Mapping[str, Array], weight: Array, length: str) -> Array:
    """Independent. Return the sums named `SUMS` of a block: weighted products of variables in units of
    sigma.
    """
    found: list[Any] = []
    for position, momentum in PLANES.values():
        q, u = reduced[position], reduced[momentum]
        qq, qu, uu = q * q, q * u, u * u
        found += [np.add.reduce(weight * one) for one in (qq * qq, qq * qu, qu * qu, qu * uu, uu * uu)]
    for position, _ in PLANES.values():
        found.append(np.add.reduce(weight[np.abs(reduced[position]) > HALO_SIGMAS]))
    place, energy = reduced[length], reduced["energy"]
    powers = [weight]
    for _ in range(2 * CHIRP_ORDER):
        powers.append(powers[-1] * place)
    found += [np.add.reduce(one) for one in powers]
    found += [np.add.reduce(energy * one) for one in powers[: CHIRP_ORDER + 1]]
    found += [np.add.reduce(weight * (energy * energy)), 0.0, 0.0, 0.0]
    return np.array(found)


def bunching_sums(place: Array, weight: Array, wavenumber: float) -> list[Any]:
    """Independent. Return the sums of the weights times cosine and sine of the phase."""
    if wavenumber == 0.0:
        return [np.add.reduce(weight), 0.0]
    phase = wavenumber * place
    return [np.add.reduce(weight * wave(phase)) for wave in (np.cos, np.sin)]


def stacked(particles: Particles, names: Sequence[str]) -> Array:
    """Independent. Return variables by rows in one array."""
    found = all_variables(particles)
    return np.stack([found[name] for name in names])
