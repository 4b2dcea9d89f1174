"""The dominant frequencies of a signal to high precision (NAFF).

J. Laskar, Physica D 67 (1993) 257; specs/sdds-toolkit.md, section 7.6. A Fourier transform under a Hann
window finds a line, a maximisation of one variable its frequency; the line is subtracted, and the next one is
sought. After each one all frequencies are refined together by least squares under the same window. The mean
is a part of every fit, because a line has none only over whole periods.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_doubles, require, require_same_length
from quire.numeric.spectra import window

PRECISION = 1e-12
"""Of frequencies, in units of the sampling rate; lines that are nearer are the same."""
STEPS = 3
"""Of Gauss and Newton, of which each doubles the digits."""
NOISE = 1e-20
"""The power of what remains, as a fraction of that of the signal, below which it is rounding."""


@dataclass(frozen=True)
class Lines:
    """Lines of a signal, the dominant one first, in arrays of the wanted length; NaN where no line was found.

    frequency : in units of 1/spacing
    amplitude : of A cos(2 pi f t + phase), with t = 0 at the first row
    phase : in radians
    significance : the share of the power at this stage that the line removed
    """

    frequency: NDArray[np.float64]
    amplitude: NDArray[np.float64]
    phase: NDArray[np.float64]
    significance: NDArray[np.float64]


def lines(
    values: ArrayLike,
    partner: ArrayLike | None = None,
    count: int = 1,
    spacing: float = 1.0,
    least: float = 0.0,
) -> Lines:
    """Independent. Return the `count` dominant frequencies of values of shape (n,), without their mean.

    partner : the conjugate column (x' of x): frequencies are then those of x - i x', both scaled to equal
        size, and distinguished over the whole range from 0 to 1/spacing instead of half of it
    least : the search ends at the first line with less than this share of the power of the signal

    Fewer than four rows, NaN and constants have no line. Raises UsageError for counts and spacings that make
    no sense, ConflictError for different lengths.
    """
    x = as_doubles(values)
    xp = None if partner is None else as_doubles(partner, "partner")
    require_same_length(values=x, partner=xp)
    require(count >= 1, f"the number of frequencies is 1 or more, not {count}")
    require(spacing > 0 and math.isfinite(spacing), f"the spacing is positive, not {spacing}")
    table = np.full((4, count), np.nan)
    signal = _signal(x, xp)
    if signal is not None:
        frequencies, shares = _search(signal, count, least)
        found = len(frequencies)
        amplitudes = _fitted(x, frequencies)
        table[0, :found], table[3, :found] = frequencies, shares
        table[1, :found], table[2, :found] = np.abs(amplitudes), np.angle(amplitudes)
    return Lines(table[0] / spacing, table[1], table[2], table[3])


def _signal(x: Numbers, xp: Numbers | None) -> Numbers | None:
    """Return what is analysed, None if it has no line."""
    if len(x) < 4 or not np.isfinite(x).all() or (xp is not None and not np.isfinite(xp).all()):
        return None
    real = x - x.mean()
    scale = np.abs(real).max()
    # What remains of a constant is rounding of its mean.
    if scale <= 1e-14 * np.abs(x).max():
        return None
    if xp is None:
        return np.asarray(real / scale)
    other = xp - xp.mean()
    size = float(np.sqrt(np.mean(other**2)))
    return np.asarray(real / math.sqrt(np.mean(real**2)) - 1j * (other / size if size > 0 else other))


def _search(signal: Numbers, count: int, least: float) -> tuple[Numbers, list[float]]:
    """Return the frequencies in units of the sampling rate, and the shares of power that they removed."""
    weights = window("hann", len(signal))
    rest = _without(signal, np.empty(0))
    power = before = float(np.sum(np.abs(rest) ** 2))
    frequencies = np.empty(0)
    shares: list[float] = []
    for _ in range(count):
        if before <= NOISE * power:
            break
        found = _refined(signal, weights, np.append(frequencies, _strongest(rest, weights)))
        rest = _without(signal, found)
        after = float(np.sum(np.abs(rest) ** 2))
        is_new = len(found) == len(set(np.round(found / PRECISION).tolist()))
        if before - after < least * power or not is_new:
            break
        frequencies = found
        shares.append(1 - after / before)
        before = after
    return frequencies, shares


def _strongest(signal: Numbers, weights: Numbers) -> float:
    """Return the frequency of the strongest line under the window."""
    points = len(signal)
    length = 2 * points  # half a bin of the window at most from the true maximum
    if np.iscomplexobj(signal):
        start = int(np.argmax(np.abs(np.fft.fft(signal * weights, length)))) / length
        explained = _complex_power(signal, weights)
    else:
        transform = np.abs(np.fft.rfft(signal * weights, length))
        start = (1 + int(np.argmax(transform[1:]))) / length
        explained = _real_power(signal, weights)
    # A real signal has no line at 0 and at half of the sampling rate, where its two parts coincide.
    low, high = start - 1 / length, start + 1 / length
    if not np.iscomplexobj(signal):
        low, high = max(low, 1e-3 / points), min(high, 0.5 - 1e-6 / points)
    return _maximum(explained, low, high, 1e-3 / length) % 1.0


def _maximum(function: Callable[[float], float], low: float, high: float, precision: float) -> float:
    """Return the place of the maximum of a function between two limits, by golden sections."""
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > precision:
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (low + high) / 2


def _refined(signal: Numbers, weights: Numbers, frequencies: Numbers) -> Numbers:
    """Return the frequencies of the same lines to the last digits, by steps of Gauss and Newton.

    A maximum alone is flat: its place is known to the square root of the precision of the numbers.
    """
    scale = np.sqrt(weights)[:, None]
    rows = (np.arange(len(signal)) - (len(signal) - 1) / 2)[:, None]
    refined = frequencies
    for _ in range(STEPS):
        basis = _basis(signal, refined)
        turned = _basis(signal, refined, turned=True)
        lines = len(frequencies)
        amplitudes = np.linalg.lstsq(basis * scale, signal * scale[:, 0], rcond=None)[0]
        waves = (turned * amplitudes)[:, 1:].reshape(len(signal), -1, lines).sum(axis=1)
        columns = np.hstack([basis, 2 * np.pi * rows * waves]) * scale
        refined = refined + np.linalg.lstsq(columns, signal * scale[:, 0], rcond=None)[0][-lines:].real
    is_same = np.abs(refined - frequencies) < 0.5 / len(signal)
    in_range = (refined > 0) & (refined < (1 if np.iscomplexobj(signal) else 0.5))
    return np.where(is_same & in_range, refined, frequencies)


def _basis(like: Numbers, frequencies: Numbers, turned: bool = False) -> Numbers:
    """Return a constant, and the waves of a real or a complex signal, or their derivatives by the phase.

    Phases are 0 in the middle of the rows.
    """
    rows = np.arange(len(like)) - (len(like) - 1) / 2
    waves = np.exp(2j * np.pi * np.outer(rows, frequencies)) * (1j if turned else 1)
    parts = [waves] if np.iscomplexobj(like) else [waves.real, waves.imag]
    return np.hstack([np.ones((len(like), 1)), *parts])


def _complex_power(signal: Numbers, weights: Numbers) -> Callable[[float], float]:
    """Return the power of a complex line as a function of its frequency."""
    rows = np.arange(len(signal))
    weighted = signal * weights
    return lambda f: float(np.abs(weighted @ np.exp(-2j * np.pi * f * rows)))


def _real_power(signal: Numbers, weights: Numbers) -> Callable[[float], float]:
    """Return the weighted power that a cosine and a sine explain, as a function of their frequency.

    Other than the transform alone it takes the line at the negative frequency into account.
    """
    rows = np.arange(len(signal))

    def explained(f: float) -> float:
        basis = np.stack([np.cos(2 * np.pi * f * rows), np.sin(2 * np.pi * f * rows)])
        weighted = basis * weights
        aa, ab, bb = weighted[0] @ basis[0], weighted[0] @ basis[1], weighted[1] @ basis[1]
        a, b = weighted @ signal
        determinant = aa * bb - ab * ab
        return float((a * a * bb - 2 * a * b * ab + b * b * aa) / determinant) if determinant > 0 else 0.0

    return explained


def _without(signal: Numbers, frequencies: Numbers) -> Numbers:
    """Return what the mean and all lines together leave of a signal, by least squares."""
    basis = _basis(signal, frequencies)
    return np.asarray(signal - basis @ np.linalg.lstsq(basis, signal, rcond=None)[0])


def _fitted(real: Numbers, frequencies: Numbers) -> NDArray[np.complex128]:
    """Return A exp(i phase) of each line of a real signal at its first row, by least squares of all."""
    found = np.linalg.lstsq(_basis(real, frequencies), real, rcond=None)[0][1:]
    count = len(frequencies)
    middle = (len(real) - 1) / 2
    return np.asarray((found[:count] - 1j * found[count:]) * np.exp(-2j * np.pi * frequencies * middle))
