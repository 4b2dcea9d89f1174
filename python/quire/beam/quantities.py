"""The quantities of a beam, each with its unit and its definition."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire.beam.passes import CHIRP_ORDER, FirstPass, SecondPass
from quire.beam.robust import FRACTIONS, Robust
from quire.beam.slices import Slices
from quire.beam.species import Species, species_named

Array = np.ndarray[Any, Any]

FEW: Final = "there are fewer than 2 particles"
WEIGHTLESS: Final = "all weights are 0"
BROKEN: Final = "a value of a particle is not finite"
NO_EMITTANCE: Final = "the emittance or a spread is 0"
NO_STATUS: Final = "the file does not say which particles are lost"


class Undefined(Exception):  # noqa: N818
    """A quantity has no value for this beam; the text is the reason."""


@dataclass(frozen=True)
class Quantity:
    """One number of a beam. `reason` states why a value is NaN."""

    name: str
    value: float
    unit: str
    description: str
    reason: str = ""


@dataclass(frozen=True)
class Definition:
    """A quantity: name, unit, description and how its value follows from the state of a beam."""

    name: str
    unit: str
    description: str
    value: Callable[[State], float]

    def quantity(self, state: State) -> Quantity:
        """Independent. Return the value for a beam."""
        try:
            value, reason = float(self.value(state)), ""
            if not math.isfinite(value):
                reason = BROKEN if state.is_broken else "the result is not finite"
                value = math.nan
        except Undefined as undefined:
            value, reason = math.nan, str(undefined)
        return Quantity(self.name, value, self.unit, self.description, reason)


@dataclass(frozen=True)
class State:
    """What the passes over the particles found. `length` is `z` at one time, `t` at one place."""

    species: Species
    first: FirstPass
    second: SecondPass | None
    slices: Slices | None
    length: str
    robust: Robust | None = None

    @property
    def count(self) -> int:
        """The number of rows."""
        return 0 if self.first.moments is None else int(self.first.moments.count[0])

    @property
    def weight(self) -> float:
        """The number of real particles."""
        return 0.0 if self.first.moments is None else float(self.first.moments.weight[0])

    @property
    def charge(self) -> float:
        """The magnitude of the charge in C."""
        return self.weight * abs(self.species.charge)

    @property
    def is_broken(self) -> bool:
        """Whether a value of a particle is not finite."""
        return self.first.moments is not None and not np.all(np.isfinite(self.first.moments.mean))

    def mean(self, name: str) -> float:
        """Independent. Return the mean of a variable."""
        if self.first.moments is None:
            raise Undefined("there are no particles")
        if self.weight == 0:
            raise Undefined(WEIGHTLESS)
        return self.first.means[name]

    def cov(self, a: str, b: str) -> float:
        """Independent. Return a covariance; `delta` is the deviation of the momentum from its mean, over
        it.
        """
        if self.count < 2 or self.weight == 0:
            raise Undefined(FEW if self.count < 2 else WEIGHTLESS)
        scale = 1.0
        for name in (a, b):
            scale *= self.mean("p") if name == "delta" else 1.0
        a, b = ("p" if name == "delta" else name for name in (a, b))
        return self.first.covariance(a, b) / scale

    def sigma(self, name: str) -> float:
        """Independent. Return an rms deviation from the mean."""
        return math.sqrt(self.cov(name, name))

    def determinant(self, names: Sequence[str]) -> float:
        """Independent. Return the square root of the determinant of a covariance matrix."""
        sigmas = [self.sigma(name) for name in names]
        product = math.prod(sigmas)
        if not (math.isfinite(product) and all(sigmas)):
            return product
        scaled = np.array(
            [[self.cov(a, b) / (s * t) for b, t in zip(names, sigmas, strict=True)]
             for a, s in zip(names, sigmas, strict=True)]
        )  # fmt: skip
        return root(float(np.linalg.det(scaled))) * product

    def emittance(self, q: str, p: str) -> float:
        """Independent. Return the rms emittance of two variables."""
        return root(self.cov(q, q) * self.cov(p, p) - self.cov(q, p) ** 2)

    def without_dispersion(self, q: str, p: str) -> tuple[float, float, float]:
        """Independent. Return covariances from which what is proportional to delta is subtracted."""
        dd = self.cov("delta", "delta")
        qd, pd = self.cov(q, "delta"), self.cov(p, "delta")
        share = 1.0 / dd if dd > 0 else 0.0
        return (
            self.cov(q, q) - qd * qd * share,
            self.cov(q, p) - qd * pd * share,
            self.cov(p, p) - pd * pd * share,
        )

    def second_pass(self) -> SecondPass:
        """Independent. Return the results of the second pass, if there are particles enough for it."""
        if self.second is None:
            raise Undefined(FEW if self.count < 2 else WEIGHTLESS)
        return self.second


def root(square: float) -> float:
    """Independent. Return a square root. A negative square, by rounding, has none."""
    if square < 0:
        raise Undefined("the square of the emittance is negative by rounding")
    return math.sqrt(square)


def ratio(a: float, b: float) -> float:
    """Independent. Return a quotient; by 0 it is undefined."""
    if b == 0:
        raise Undefined(NO_EMITTANCE)
    return a / b


def emittance_corrected(state: State, plane: str) -> float:
    """Independent. Return the geometric emittance with dispersion removed."""
    s11, s12, s22 = state.without_dispersion(plane, f"{plane}p")
    return root(s11 * s22 - s12 * s12)


def halo_of_profile(state: State, plane: str) -> float:
    """Independent. Return the spatial profile parameter <x^4> / <x^2>^2 - 2 (Wangler and Crandall, LINAC
    2000).
    """
    found = state.second_pass().sums[f"{plane}40"] / state.weight
    return ratio(found * state.sigma(plane), state.sigma(plane)) - 2.0


def halo_of_phase_space(state: State, plane: str) -> float:
    """Independent. Return the phase-space halo parameter (Allen and Wangler, Phys. Rev. ST AB 5, 124202
    (2002)).
    """
    q4, q3u, q2u2, qu3, u4 = (
        state.second_pass().sums[f"{plane}{a}{4 - a}"] / state.weight for a in (4, 3, 2, 1, 0)
    )
    correlation = ratio(state.cov(plane, f"u{plane}"), state.sigma(plane) * state.sigma(f"u{plane}"))
    fourth = q4 * u4 + 3.0 * q2u2 * q2u2 - 4.0 * qu3 * q3u
    return ratio(root(3.0 * fourth), 2.0 * (1.0 - correlation * correlation)) - 2.0


def lost_rows(state: State) -> int:
    """Independent. Return the number of rows of lost particles, if the rows have a status."""
    if state.first.lost is None:
        raise Undefined(NO_STATUS)
    return state.first.lost


def uncorrelated_spread(state: State) -> float:
    """Independent. Return the rms energy in eV after a weighted polynomial along the bunch is removed."""
    sums = state.second_pass().sums
    order = range(CHIRP_ORDER + 1)
    matrix = np.array([[sums[f"length{a + b}"] for b in order] for a in order])
    right = np.array([sums[f"energy{power}"] for power in order])
    if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(right))):
        raise Undefined("the beam has no length or no energy spread")
    solved = np.linalg.lstsq(matrix, right, rcond=None)[0]
    rest = (sums["energy_square"] - float(solved @ right)) / state.weight
    return math.sqrt(max(rest, 0.0)) * energy_spread(state)


def bunching(state: State) -> float:
    """Independent. Return the share of the particles that radiate in phase at the wavelength."""
    sums = state.second_pass().sums
    return math.hypot(sums["cosine"], sums["sine"]) / state.weight


BUNCHING: Final = Definition(
    "bunching", "", "magnitude of <exp(i k z)>, or of c t, at the wavelength", bunching
)


def energy_spread(state: State) -> float:
    """Independent. Return the rms of the energy in eV."""
    return state.sigma("energy") * state.species.rest_energy


def from_slices(name: str) -> Callable[[State], float]:
    """Independent. Return the quantity of this name of slices."""

    def value(state: State) -> float:
        if state.slices is None:
            raise Undefined("there are no slices: the beam has no length")
        return state.slices.summary(name)

    return value


def longitudinal_pair(state: State) -> tuple[str, str]:
    """Independent. Return the canonical pair along the bunch: z and uz at one time, c t and gamma at one
    place.
    """
    return ("z", "uz") if state.length == "z" else ("ct", "energy")


def definitions(state: State) -> Iterator[Definition]:
    """Independent. Yield all quantities of a beam, in the order of the documentation."""
    rest = state.species.rest_energy
    length = state.length
    yield Definition("particles", "", "rows of living particles", lambda s: s.count)
    yield Definition("lost", "", "rows of lost particles, left out", lost_rows)
    yield Definition("weight", "", "number of real particles", lambda s: s.weight)
    yield Definition("charge", "C", "magnitude of the charge", lambda s: s.charge)
    yield from centroids(state)
    yield Definition("mean_p", "m$be$nc", "mean total momentum, beta gamma", lambda s: s.mean("p"))
    yield Definition("sigma_delta", "", "rms of p / <p> - 1", lambda s: s.sigma("delta"))
    yield Definition("mean_energy", "eV", "mean kinetic energy", lambda s: s.mean("energy") * rest)
    yield Definition("sigma_energy", "eV", "rms energy spread", energy_spread)
    yield Definition(
        "energy_spread", "", "rms energy over mean kinetic energy",
        lambda s: ratio(s.sigma("energy"), s.mean("energy")),
    )  # fmt: skip
    yield Definition(
        "sigma_energy_uncorrelated", "eV",
        f"rms energy after a polynomial of order {CHIRP_ORDER} along the bunch is removed",
        uncorrelated_spread,
    )  # fmt: skip
    for plane in ("x", "y"):
        yield from transverse(plane)
    yield Definition(
        "emittance_4d",
        "m^2",
        "normalised emittance of x, ux, y, uy",
        lambda s: s.determinant(["x", "ux", "y", "uy"]),
    )
    yield Definition(
        "emittance_6d", "m^3", "normalised emittance of the six-dimensional phase space",
        lambda s: s.determinant(["x", "ux", "y", "uy", *longitudinal_pair(s)]),
    )  # fmt: skip
    yield Definition(
        "emittance_nz", "m", "normalised longitudinal emittance", lambda s: s.emittance(*longitudinal_pair(s))
    )
    if length == "t":
        yield Definition(
            "sigma_z_from_t",
            "m",
            "mean speed times sigma_t, an estimate",
            lambda s: s.mean("vz") * s.sigma("t"),
        )
    yield Definition("angular_momentum", "m*eV/c", "mean of x py - y px", lambda s: s.mean("lz") * rest)
    for name, unit, text in SLICE_SUMMARIES:
        yield Definition(name, UNITS[length] if name == "fwhm" else unit, text, from_slices(name))
    names = matrix_names(length)
    for i, a in enumerate(names):
        for b in names[i:]:
            yield Definition(
                f"cov_{a}_{b}", product_unit(a, b), f"covariance of {a} and {b}",
                lambda s, a=a, b=b: s.cov(a, b),  # type: ignore[misc]
            )  # fmt: skip


UNITS: Final = {
    "x": "m", "y": "m", "z": "m", "t": "s", "xp": "rad", "yp": "rad", "delta": "",
    "ux": "m$be$nc", "uy": "m$be$nc", "uz": "m$be$nc",
}  # fmt: skip

SLICE_SUMMARIES: Final = (
    ("peak_current", "A", "largest current of a slice"),
    ("mean_current", "A", "charge over duration, from the first to the last particle"),
    ("fwhm", "", "full width of the current at half of its maximum"),
    ("slice_emittance_nx", "m rad", "mean of the normalised emittances of slices in x, by charge"),
    ("slice_emittance_ny", "m rad", "mean of the normalised emittances of slices in y, by charge"),
    ("slice_sigma_energy", "eV", "mean of the rms energies of slices, by charge"),
)


def product_unit(a: str, b: str) -> str:
    """Independent. Return the unit of a covariance."""
    if a == b:
        return f"{UNITS[a]}^2" if UNITS[a] else ""
    return "*".join(filter(None, (UNITS[a], UNITS[b])))


def matrix_names(length: str) -> list[str]:
    """Independent. Return the variables of the covariance matrix."""
    return ["x", "xp", "y", "yp", length, "delta"]


def centroids(state: State) -> Iterator[Definition]:
    """Independent. Yield means, rms deviations and limits."""
    places = [
        name for name in ("x", "y", "z", "t") if name in state.first.names or name in ("x", "y", state.length)
    ]
    for name in (*places, "xp", "yp", "ux", "uy", "uz"):
        yield Definition(f"mean_{name}", UNITS[name], f"mean of {name}", lambda s, n=name: s.mean(n))  # type: ignore[misc]
        yield Definition(f"sigma_{name}", UNITS[name], f"rms of {name}", lambda s, n=name: s.sigma(n))  # type: ignore[misc]
    for name in places:
        for place, which in enumerate(("min", "max")):
            yield Definition(
                f"{which}_{name}", UNITS[name], f"{which}imum of {name}",
                lambda s, n=name, i=place: extent(s, n)[i],  # type: ignore[misc]
            )  # fmt: skip


def extent(state: State, name: str) -> tuple[float, float]:
    """Independent. Return the least and the greatest value of a variable."""
    if not state.count:
        raise Undefined("there are no particles")
    return state.first.extent(name)


def transverse(q: str) -> Iterator[Definition]:
    """Independent. Yield the quantities of one transverse plane."""
    p, u = f"{q}p", f"u{q}"

    def corrected(state: State) -> float:
        return emittance_corrected(state, q)

    yield Definition(f"divergence_{q}", "rad", f"rms of atan2({u}, uz)", lambda s: s.sigma(f"a{q}"))
    yield Definition(
        f"correlation_{q}_{p}", "", f"correlation of {q} and {p}",
        lambda s: ratio(s.cov(q, p), s.sigma(q) * s.sigma(p)),
    )  # fmt: skip
    yield Definition(f"emittance_{q}", "m rad", "geometric rms emittance", lambda s: s.emittance(q, p))
    yield Definition(f"emittance_n{q}", "m rad", "normalised rms emittance", lambda s: s.emittance(q, u))
    yield Definition(
        f"beta_{q}", "m", f"cov({q}, {q}) / emittance_{q}", lambda s: ratio(s.cov(q, q), s.emittance(q, p))
    )
    yield Definition(
        f"alpha_{q}", "", f"-cov({q}, {p}) / emittance_{q}", lambda s: -ratio(s.cov(q, p), s.emittance(q, p))
    )
    yield Definition(
        f"gamma_{q}", "1/m", f"cov({p}, {p}) / emittance_{q}", lambda s: ratio(s.cov(p, p), s.emittance(q, p))
    )
    yield Definition(
        f"dispersion_{q}", "m", f"cov({q}, delta) / cov(delta, delta)",
        lambda s: ratio(s.cov(q, "delta"), s.cov("delta", "delta")),
    )  # fmt: skip
    yield Definition(
        f"dispersion_{p}", "rad", f"cov({p}, delta) / cov(delta, delta)",
        lambda s: ratio(s.cov(p, "delta"), s.cov("delta", "delta")),
    )  # fmt: skip
    yield Definition(f"emittance_c{q}", "m rad", "geometric emittance without dispersion", corrected)
    yield Definition(
        f"emittance_cn{q}",
        "m rad",
        f"emittance_c{q} times the mean beta gamma",
        lambda s: corrected(s) * s.mean("p"),
    )
    yield Definition(
        f"beta_c{q}", "m", "beta function without dispersion",
        lambda s: ratio(s.without_dispersion(q, p)[0], corrected(s)),
    )  # fmt: skip
    yield Definition(
        f"alpha_c{q}", "", "alpha function without dispersion",
        lambda s: -ratio(s.without_dispersion(q, p)[1], corrected(s)),
    )  # fmt: skip
    yield Definition(
        f"halo_{q}", "", "profile parameter: 1 for a Gaussian, 0 for a KV beam",
        lambda s: halo_of_profile(s, q),
    )  # fmt: skip
    yield Definition(
        f"halo_phase_{q}", "", "phase-space halo parameter: 1 for a Gaussian, 0 for a KV beam",
        lambda s: halo_of_phase_space(s, q),
    )  # fmt: skip
    yield Definition(
        f"beyond_3_sigma_{q}", "", f"share of the particles with |{q} - <{q}>| > 3 sigma_{q}",
        lambda s: s.second_pass().sums[f"beyond_{q}"] / s.weight,
    )  # fmt: skip


def robust_of(state: State) -> Robust:
    """Independent. Return medians and emittances of the best particles."""
    if state.robust is None:
        raise Undefined(FEW if state.count < 2 else WEIGHTLESS if state.weight == 0 else BROKEN)
    return state.robust


def best_emittance(state: State, plane: str, fraction: float) -> float:
    """Independent. Return the normalised emittance of the share of the particles with the least
    amplitudes.
    """
    found = robust_of(state).emittances.get((plane, fraction))
    if found is None:
        raise Undefined(NO_EMITTANCE)
    return found


def robust_definitions(state: State) -> Iterator[Definition]:
    """Independent. Yield the quantities that need more passes."""
    rest = state.species.rest_energy
    yield Definition(
        "median_energy", "eV", "median of the kinetic energy", lambda s: robust_of(s).median * rest
    )
    yield Definition(
        "mad_energy", "eV", "median of the distances of the energy from its median",
        lambda s: robust_of(s).deviation * rest,
    )  # fmt: skip
    for plane in ("x", "y"):
        for fraction in FRACTIONS:
            yield Definition(
                f"emittance_n{plane}_{fraction * 100:.0f}", "m rad",
                f"normalised emittance of the {fraction * 100:.0f} % of the particles of least amplitude",
                lambda s, p=plane, f=fraction: best_emittance(s, p, f),  # type: ignore[misc]
            )  # fmt: skip


def quantity_names() -> list[str]:
    """Independent. Return the names of the quantities of all beams, at one time or at one place."""
    nothing = FirstPass(names=("x", "y", "z", "t"), origin=np.zeros(4), moments=None, lost=0)
    of_all = (
        definition.name
        for length in ("z", "t")
        for definition in definitions(State(species_named("electron"), nothing, None, None, length))
    )
    return list(dict.fromkeys(of_all))
