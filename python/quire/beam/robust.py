"""Quantities that a few particles far away do not change: medians, and emittances of the best particles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire.beam.moments import Moments, add_all, merge_moments, moments_of
from quire.beam.particles import Particles
from quire.beam.passes import PLANES, FirstPass, Passes, variables

Array = np.ndarray[Any, Any]

FRACTIONS: Final = (0.9, 0.95, 0.99)
"""Shares of the weight of which emittances are computed."""

Value = Callable[[Mapping[str, Array]], Array]
"""A number of each particle, from its variables."""

BINS: Final = 4096
REFINEMENTS: Final = 3
"""A quantile is found within the range of the values over BINS^REFINEMENTS, 1.5e-11."""


@dataclass(frozen=True)
class Robust:
    """Median and median absolute deviation of gamma - 1, and emittances by plane and fraction."""

    median: float
    deviation: float
    emittances: Mapping[tuple[str, float], float]


@dataclass(frozen=True)
class Target:
    """A quantile that is searched: a value of each particle, the share of the weight, and limits of the
    values.
    """

    value: Value
    fraction: float
    low: float
    high: float


def quantiles(passes: Passes, targets: Sequence[Target], weight: float) -> list[float]:
    """Collective if the ranks are several. Return the least values that at least a share of the weight does
    not exceed, within 1.5e-11 of their range. Reads the particles three times.
    """
    lows = np.array([one.low for one in targets])
    widths = np.array([one.high - one.low for one in targets])
    below = np.zeros(len(targets))
    for _ in range(REFINEMENTS):
        counts = add_all(passes.ranks.gather, passes.each(histogram(targets, lows, widths)), add)
        assert counts is not None
        for place, one in enumerate(targets):
            reached = below[place] + np.cumsum(counts[place])
            found = min(int(np.searchsorted(reached, one.fraction * weight * (1 - 1e-12))), BINS - 1)
            below[place] = reached[found - 1] if found else below[place]
            lows[place] += found * (widths[place] / BINS)
            widths[place] /= BINS
    return [float(value) for value in lows + widths]


def add(a: Array, b: Array) -> Array:
    """Independent. Return a sum."""
    return a + b


def histogram(targets: Sequence[Target], lows: Array, widths: Array) -> Callable[[Particles], Array | None]:
    """Independent. Return a function that sums the weights of a block in bins between the limits."""

    def part(particles: Particles) -> Array | None:
        if not len(particles):
            return None
        known = variables(particles)
        counts = np.zeros((len(targets), BINS))
        for place, one in enumerate(targets):
            values = one.value(known)
            with np.errstate(all="ignore"):
                bins = np.floor((values - lows[place]) * (BINS / widths[place]))
            inside = (bins >= 0) & (bins < BINS)
            if place_is_last(lows[place], widths[place], one):
                # The greatest value is on the upper edge.
                bins, inside = np.minimum(bins, BINS - 1), bins >= 0
            chosen = bins[inside].astype(np.int64)
            counts[place] = np.bincount(chosen, particles.weight[inside], BINS)
        return counts

    return part


def place_is_last(low: float, width: float, target: Target) -> bool:
    """Independent. Return whether an interval ends at the upper limit."""
    return low + width >= target.high - 0.5 * width / BINS


def amplitude(first: FirstPass, plane: str) -> tuple[Value, float]:
    """Independent. Return the amplitude J = (gamma x^2 + 2 alpha x u + beta u^2) / 2 and a bound of it.

    The mean of J is the normalised emittance.
    """
    q, u = PLANES[plane]
    a, b, c = first.covariance(q, q), first.covariance(q, u), first.covariance(u, u)
    emittance = float(np.sqrt(max(a * c - b * b, 0.0)))
    centre = {name: first.means[name] for name in (q, u)}

    def value(known: Mapping[str, Array]) -> Array:
        x, p = known[q] - centre[q], known[u] - centre[u]
        with np.errstate(all="ignore"):
            return np.asarray((c * x * x - 2.0 * b * x * p + a * p * p) / (2.0 * emittance))

    x, p = (max(abs(limit - centre[name]) for limit in first.extent(name)) for name in (q, u))
    with np.errstate(all="ignore"):
        bound = (c * x * x + 2.0 * abs(b) * x * p + a * p * p) / np.float64(2.0 * emittance)
    return value, float(bound)


def robust_of(passes: Passes, first: FirstPass) -> Robust:
    """Collective if the ranks are several. Return the quantities; reads the particles six times."""
    assert first.moments is not None
    weight = float(first.moments.weight[0])
    low, high = first.extent("energy")
    wanted = [Target(lambda known: known["energy"], 0.5, low, high)]
    amplitudes = {plane: amplitude(first, plane) for plane in PLANES}
    for value, bound in amplitudes.values():
        if np.isfinite(bound):
            wanted += [Target(value, fraction, 0.0, bound) for fraction in FRACTIONS]
    median, *limits = quantiles(passes, wanted, weight)
    spread = max(high - median, median - low, 0.0)
    away = Target(lambda known: np.abs(known["energy"] - median), 0.5, 0.0, spread)
    (deviation,) = quantiles(passes, [away], weight) if spread > 0 else [0.0]
    return Robust(median, deviation, emittances_within(passes, first, amplitudes, limits))


def edges_of_charge(passes: Passes, first: FirstPass, length: str, slices: int) -> Array | None:
    """Collective if the ranks are several. Return the edges of slices of equal charge; None without a length.

    Reads the particles three times.
    """
    assert first.moments is not None
    low, high = first.extent(length)
    if not low < high:
        return None
    weight = float(first.moments.weight[0])
    wanted = [Target(lambda known: known[length], part / slices, low, high) for part in range(1, slices)]
    return np.array([low, *(quantiles(passes, wanted, weight) if wanted else []), high])


def emittances_within(
    passes: Passes,
    first: FirstPass,
    amplitudes: Mapping[str, tuple[Value, float]],
    limits: Sequence[float],
) -> dict[tuple[str, float], float]:
    """Collective if the ranks are several. Return normalised emittances of the particles whose amplitude is
    within limits, for each plane and fraction. Reads the particles once.
    """
    known = [plane for plane, (_, bound) in amplitudes.items() if np.isfinite(bound)]
    wanted = [(plane, fraction) for plane in known for fraction in FRACTIONS]

    def part(particles: Particles) -> list[Moments | None] | None:
        if not len(particles):
            return None
        found = variables(particles)
        values = {plane: amplitudes[plane][0](found) for plane in known}
        parts = []
        for (plane, _), limit in zip(wanted, limits, strict=True):
            kept = values[plane] <= limit
            names = PLANES[plane]
            origin = np.array([first.means[name] for name in names])
            chosen = np.stack([found[name][kept] for name in names])
            parts.append(moments_of(chosen, particles.weight[kept], origin) if np.any(kept) else None)
        return parts

    total = add_all(passes.ranks.gather, passes.each(part), merge_lists) or []
    return {key: emittance_of(one) for key, one in zip(wanted, total, strict=True) if one is not None}


def merge_lists(a: list[Moments | None], b: list[Moments | None]) -> list[Moments | None]:
    """Independent. Return the moments of two blocks, one by one."""
    return [merge_moments(x, y) if x and y else x or y for x, y in zip(a, b, strict=True)]


def emittance_of(moments: Moments) -> float:
    """Independent. Return the emittance of two variables."""
    (a, b), (_, c) = moments.covariance()[0]
    return float(np.sqrt(max(a * c - b * b, 0.0)))
