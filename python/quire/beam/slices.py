"""Slices of a bunch along its length: current profile, slice emittances and energy spreads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire.beam.passes import FirstPass, SecondPass
from quire.beam.species import Species

Array = np.ndarray[Any, Any]

FEWEST: Final = 20
"""Slices of fewer rows have no spread: NaN."""


@dataclass(frozen=True)
class Slices:
    """Quantities of slices of equal length or charge, as arrays with an entry for each slice.

    `length` is `z` (m) at one time or `t` (s) at one place, `edges` has one entry more. `columns` are all
    quantities by name, `units` their units. The spread of slices of fewer than 20 rows is NaN.
    """

    length: str
    edges: Array
    columns: Mapping[str, Array]
    units: Mapping[str, str]
    duration: float
    charge: float

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.edges) - 1

    def mean(self, name: str) -> float:
        """Independent. Return the mean of a quantity over the slices that have it, weighted by charge."""
        known = np.isfinite(self[name])
        charge = self["charge"][known]
        if not len(charge) or not charge.sum() > 0:
            return math.nan
        return float(np.sum(charge * self[name][known]) / np.sum(charge))

    def fwhm(self) -> float:
        """Independent. Return the full width at half maximum of the current, between interpolated
        crossings.
        """
        current = self["current"]
        centres = (self.edges[1:] + self.edges[:-1]) / 2
        half = current.max() / 2
        above = np.flatnonzero(current >= half)
        first, last = int(above[0]), int(above[-1])
        low, high = centres[first], centres[last]
        if first > 0:
            low = np.interp(half, current[first - 1 : first + 1], centres[first - 1 : first + 1])
        if last < len(current) - 1:
            high = np.interp(half, current[[last + 1, last]], centres[[last + 1, last]])
        return float(high - low)

    def summary(self, name: str) -> float:
        """Independent. Return a number of all slices."""
        if name == "peak_current":
            return float(self["current"].max())
        if name == "mean_current":
            return self.charge / self.duration if self.duration > 0 else math.nan
        if name == "fwhm":
            return self.fwhm()
        return self.mean(name.removeprefix("slice_"))

    def __repr__(self) -> str:
        return f"<Slices: {len(self)} along {self.length}, with {', '.join(self)}>"


def slices_of(species: Species, first: FirstPass, second: SecondPass) -> Slices | None:
    """Independent. Return the slices of a bunch, None if it has no length."""
    moments = second.slices
    if moments is None:
        return None
    place = dict(zip(second.slice_names, range(len(second.slice_names)), strict=True))
    origin = dict(zip(first.names, first.origin, strict=True))
    length = second.length
    width = np.diff(second.edges)
    charge = moments.weight * abs(species.charge)
    few = moments.count < FEWEST
    covariances = moments.covariance()

    def mean(name: str) -> Array:
        return np.where(moments.count > 0, moments.mean[:, place[name]] + origin[name], np.nan)

    def cov(a: str, b: str) -> Array:
        return np.where(few, np.nan, covariances[:, place[a], place[b]])

    def emittance(q: str, p: str) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(cov(q, q) * cov(p, p) - cov(q, p) ** 2))

    with np.errstate(all="ignore"):
        current = np.nan_to_num(charge * mean("vz") / width) if length == "z" else charge / width
        columns = {"charge": charge, "current": current, "rows": moments.count.astype(np.float64)}
        units = {"charge": "C", "current": "A", "rows": ""}
        for name, unit in (("x", "m"), ("y", "m"), ("xp", "rad"), ("yp", "rad")):
            columns |= {f"mean_{name}": mean(name), f"sigma_{name}": np.sqrt(cov(name, name))}
            units |= {f"mean_{name}": unit, f"sigma_{name}": unit}
        columns["mean_energy"] = mean("energy") * species.rest_energy
        columns["sigma_energy"] = np.sqrt(cov("energy", "energy")) * species.rest_energy
        units |= {"mean_energy": "eV", "sigma_energy": "eV"}
        for q, p, u in (("x", "xp", "ux"), ("y", "yp", "uy")):
            geometric = emittance(q, p)
            columns |= {
                f"emittance_{q}": geometric,
                f"emittance_n{q}": emittance(q, u),
                f"beta_{q}": cov(q, q) / geometric,
                f"alpha_{q}": -cov(q, p) / geometric,
            }
            units |= {
                f"emittance_{q}": "m rad",
                f"emittance_n{q}": "m rad",
                f"beta_{q}": "m",
                f"alpha_{q}": "",
            }
    low, high = first.extent(length)
    duration = (high - low) / (first.means["vz"] if length == "z" else 1.0)
    edges = second.edges + first.means[length]
    total = float(first.moments.weight[0]) * abs(species.charge) if first.moments is not None else 0.0
    return Slices(length, edges, columns, units, duration, total)
