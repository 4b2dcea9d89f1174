"""Models of fits, with values to begin with: Gaussian, Lorentzian, exponential, sine.

Source of the formulas: specs/sdds-toolkit.md, section 7.5. The guesses are for peaks and for dips alike, and
that of a sine is the strongest line of a spectrum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from quire.numeric.arrays import Numbers
from quire.numeric.fits import Model, Start

MOST_SCANNED = 1024
"""Rows of longer tables that guesses begin with."""


def _gaussian(x: Numbers, baseline: float, height: float, mean: float, sigma: float) -> Any:
    return baseline + height * np.exp(-0.5 * ((x - mean) / sigma) ** 2)


def _lorentzian(x: Numbers, baseline: float, height: float, center: float, gamma: float) -> Any:
    return baseline + height / (1 + ((x - center) / gamma) ** 2)


def _exponential(x: Numbers, constant: float, factor: float, rate: float) -> Any:
    return constant + factor * np.exp(rate * x)


def _sine(x: Numbers, constant: float, factor: float, frequency: float, phase: float) -> Any:
    return constant + factor * np.sin(2 * np.pi * frequency * x + phase)


def _sloped_sine(
    x: Numbers, constant: float, factor: float, frequency: float, phase: float, slope: float
) -> Any:
    return _sine(x, constant, factor, frequency, phase) + slope * x


def _damped_sine(
    x: Numbers, constant: float, factor: float, frequency: float, phase: float, rate: float
) -> Any:
    return constant + factor * np.exp(rate * x) * np.sin(2 * np.pi * frequency * x + phase)


def _peak_guesses(place: str, width: str, ratio: float) -> Callable[..., list[Start]]:
    """Return the guesses of a peak: upright, and as a dip; `ratio` is the width over the half width at half
    height.
    """

    def guesses(x: Numbers, y: Numbers, given: Mapping[str, float]) -> list[Start]:
        found = []
        for sign in (1.0, -1.0):
            upright = sign * y
            base = sign * given["baseline"] if "baseline" in given else float(np.quantile(upright, 0.1))
            top = int(np.argmax(upright))
            height = float(upright[top]) - base or 1.0
            half = _half_width(x, upright - base, top)
            for factor in (1.0, 3.0):
                found.append({"baseline": sign * base, "height": sign * height, place: float(x[top]),
                              width: factor * half * ratio})  # fmt: skip
        return found

    return guesses


def _half_width(x: Numbers, y: Numbers, top: int) -> float:
    """Return half of the width at half of the height, at least half a step."""
    above = y > y[top] / 2
    left = top - int(np.argmin(above[: top + 1][::-1])) if not above[: top + 1].all() else 0
    right = top + int(np.argmin(above[top:])) if not above[top:].all() else len(x) - 1
    width = float(x[right] - x[left]) / 2
    return width or float(x[-1] - x[0]) or 1.0


def _exponential_guesses(x: Numbers, y: Numbers, given: Mapping[str, float]) -> list[Start]:
    """Return the best growing and the best falling exponential of many rates, with a linear fit of the
    rest.
    """
    span = float(x[-1] - x[0]) or 1.0
    step = -(-len(x) // MOST_SCANNED)
    x, y = x[::step], y[::step]
    found = []
    for sign in (1.0, -1.0):
        best: tuple[float, Start] | None = None
        rates = [given["rate"]] if "rate" in given else sign * np.logspace(-2, 2.5, 46) / span
        for rate in rates:
            edge = x[-1] if rate > 0 else x[0]  # where the exponential is largest, so that it never overflows
            basis = np.stack([np.ones_like(x), np.exp(rate * (x - edge))], axis=1)
            solved = np.linalg.lstsq(basis, y, rcond=None)[0]
            cost = float(np.sum((y - basis @ solved) ** 2))
            with np.errstate(over="ignore"):
                factor = float(solved[1] * np.exp(-rate * edge))
            if np.isfinite(factor) and (best is None or cost < best[0]):
                best = (cost, {"constant": float(solved[0]), "factor": factor, "rate": float(rate)})
        if best is not None:
            found.append(best[1])
    return found or [{"constant": float(y.mean()), "factor": 1.0, "rate": 1.0 / span}]


def _sine_guesses(extra: str | None = None) -> Callable[..., list[Start]]:
    """Return the guess of a sine, with another parameter that begins with the slope of a line, or with 0."""

    def guesses(x: Numbers, y: Numbers, given: Mapping[str, float]) -> list[Start]:
        line = float(np.polyfit(x, y, 1)[0]) if extra == "slope" and len(np.unique(x)) > 1 else 0.0
        frequencies = [given["frequency"]] if "frequency" in given else _strongest(x, y - line * x)
        found = []
        for frequency in frequencies:
            phases = 2 * np.pi * frequency * x
            basis = np.stack([np.ones_like(x), np.cos(phases), np.sin(phases)], axis=1)
            constant, cosine, sine = np.linalg.lstsq(basis, y - line * x, rcond=None)[0]
            start = {"constant": float(constant), "factor": float(np.hypot(cosine, sine)) or 1.0,
                     "frequency": float(frequency), "phase": float(np.arctan2(cosine, sine))}  # fmt: skip
            found.append({**start, **({extra: line} if extra else {})})
        return found

    return guesses


def _strongest(x: Numbers, y: Numbers) -> list[float]:
    """Return frequencies near the strongest line of possibly uneven rows, by least squares.

    Of long tables the first rows and evenly thinned ones are scanned, up to the Nyquist frequency of their
    mean spacing; the frequency of the first rows is refined with more and more rows.
    """
    y = y - y.mean()
    first = _scanned(x[:MOST_SCANNED], y[:MOST_SCANNED])
    count = MOST_SCANNED
    while count < len(x):
        before = 1 / (float(x[count - 1] - x[0]) or 1.0)
        count = min(4 * count, len(x))
        step = 1 / (4 * (float(x[count - 1] - x[0]) or 1.0))
        near = np.arange(max(first - before / 2, step), first + before / 2 + step, step)
        first = _peak(x[:count], y[:count], near)
    step = -(-len(x) // MOST_SCANNED)
    found = first if step == 1 else _peak(x, y, np.array([first, _scanned(x[::step], y[::step])]))
    return [found, found * 0.9, found * 1.1]


def _scanned(x: Numbers, y: Numbers) -> float:
    """Return the strongest frequency of a grid with steps of a quarter of the resolution."""
    span = float(x[-1] - x[0])
    return 1.0 if span <= 0 else _peak(x, y, np.arange(1, 2 * (len(x) - 1) + 1) / (4 * span))


def _peak(x: Numbers, y: Numbers, frequencies: Numbers) -> float:
    """Return the frequency of the sine, with a constant, that explains most of y."""
    powers = np.zeros(len(frequencies))
    for place, frequency in enumerate(frequencies):
        phases = 2 * np.pi * frequency * (x - x[0])
        basis = np.stack([np.cos(phases), np.sin(phases)])
        basis = basis - basis.mean(axis=1, keepdims=True)
        normal, right = basis @ basis.T, basis @ y
        determinant = normal[0, 0] * normal[1, 1] - normal[0, 1] ** 2
        if determinant > 1e-9 * np.trace(normal) ** 2:
            powers[place] = right @ np.linalg.solve(normal, right)
    return float(frequencies[np.argmax(powers)])


def _positive(name: str) -> Callable[[Start], Start]:
    """Return what makes a width positive, whose sign means nothing."""
    return lambda values: {**values, name: abs(values[name])}


def _usual_wave(values: Start) -> Start:
    """Return the same wave with a positive frequency and factor, and a phase from -pi to pi."""
    frequency, factor, phase = values["frequency"], values["factor"], values["phase"]
    if frequency < 0:
        frequency, phase = -frequency, np.pi - phase
    if factor < 0:
        factor, phase = -factor, phase + np.pi
    phase = float(np.arctan2(np.sin(phase), np.cos(phase))) if abs(phase) > np.pi else float(phase)
    return {**values, "frequency": frequency, "factor": factor, "phase": phase}


_PEAK = {"baseline": "y", "height": "y"}
_WAVE = {"constant": "y", "factor": "y", "frequency": "1/x", "phase": "rad"}

MODELS = {
    "gaussian": Model(
        ("baseline", "height", "mean", "sigma"),
        _gaussian,
        _peak_guesses("mean", "sigma", 1 / np.sqrt(2 * np.log(2))),
        {**_PEAK, "mean": "x", "sigma": "x"},
        _positive("sigma"),
        is_analytic=True,
    ),
    "lorentzian": Model(
        ("baseline", "height", "center", "gamma"),
        _lorentzian,
        _peak_guesses("center", "gamma", 1.0),
        {**_PEAK, "center": "x", "gamma": "x"},
        _positive("gamma"),
        is_analytic=True,
    ),
    "exponential": Model(
        ("constant", "factor", "rate"),
        _exponential,
        _exponential_guesses,
        {"constant": "y", "factor": "y", "rate": "1/x"},
        is_analytic=True,
    ),
    "sine": Model(
        ("constant", "factor", "frequency", "phase"),
        _sine,
        _sine_guesses(),
        _WAVE,
        _usual_wave,
        is_analytic=True,
    ),
    "sloped_sine": Model(
        ("constant", "factor", "frequency", "phase", "slope"),
        _sloped_sine,
        _sine_guesses("slope"),
        {**_WAVE, "slope": "y/x"},
        _usual_wave,
        is_analytic=True,
    ),
    "damped_sine": Model(
        ("constant", "factor", "frequency", "phase", "rate"),
        _damped_sine,
        _sine_guesses("rate"),
        {**_WAVE, "rate": "1/x"},
        _usual_wave,
        is_analytic=True,
    ),
}
"""Models by name."""
