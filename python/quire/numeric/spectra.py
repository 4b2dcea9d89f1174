"""Fourier spectra of evenly spaced values: amplitudes, phases, power densities.

Source of the definitions: specs/sdds-toolkit.md, sections 7.6 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_doubles, require, require_data, require_same_length
from quire.numeric.calculus import even_spacing

WindowName = Literal["none", "hann", "hamming", "parzen", "welch", "flat_top", "gaussian"]
Length = Literal["as_is", "pad", "truncate"]

FLAT_TOP = (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)


def window(name: WindowName, points: int) -> NDArray[np.float64]:
    """Independent. Return a symmetric window of so many points: 0.5 - 0.5 cos(2 pi i/(n-1)) for Hann, and so
    on.

    Parzen's is the triangle, Welch's the parabola, and the Gaussian has a standard deviation of 1/8 of the
    length.
    """
    if points < 2 or name == "none":
        return np.ones(points)
    phase = 2 * np.pi * np.arange(points) / (points - 1)
    from_middle = np.linspace(-1.0, 1.0, points)
    shapes: dict[str, Callable[[], Any]] = {
        "hann": lambda: 0.5 - 0.5 * np.cos(phase),
        "hamming": lambda: 0.54 - 0.46 * np.cos(phase),
        "parzen": lambda: 1 - np.abs(from_middle),
        "welch": lambda: 1 - from_middle**2,
        "flat_top": lambda: sum((-1) ** k * a * np.cos(k * phase) for k, a in enumerate(FLAT_TOP)),
        "gaussian": lambda: np.exp(-0.5 * (4 * from_middle) ** 2),
    }
    require(name in shapes, f"windows are none, {', '.join(shapes)}, not '{name}'")
    return np.asarray(shapes[name](), dtype=np.float64)


@dataclass(frozen=True)
class Preparation:
    """What is done with values before the transform.

    window : its name
    correct : whether the power density is divided by the mean square of the window, which keeps the power
    remove_mean : whether the mean is subtracted first
    length : `pad` with zeros to a power of two, `truncate` to the greatest length whose factors are 2, 3 and
        5
    """

    window: WindowName = "none"
    correct: bool = False
    remove_mean: bool = False
    length: Length = "as_is"


@dataclass(frozen=True)
class Spectrum:
    """A spectrum at the frequencies from 0 on, in units of 1/t."""

    frequency: NDArray[np.float64]
    values: NDArray[np.complex128]
    """X/N with the phase of t = 0."""
    power_scale: float
    has_nyquist: bool

    @property
    def spacing(self) -> float:
        """The distance of frequencies, NaN for a single one."""
        return float(self.frequency[1] - self.frequency[0]) if len(self.frequency) > 1 else math.nan

    @cached_property
    def fold(self) -> NDArray[np.float64]:
        """How many frequencies, positive and negative, each value represents: 1 or 2."""
        fold = np.full(len(self.frequency), 2.0)
        fold[0] = 1.0
        if self.has_nyquist:
            fold[-1] = 1.0
        return fold

    @property
    def amplitude(self) -> NDArray[np.float64]:
        """2 |X|/N, and |X|/N at frequency 0 and at the Nyquist frequency: a sine of amplitude 2 reads 2."""
        return np.abs(self.values) * self.fold

    @property
    def real(self) -> NDArray[np.float64]:
        """The real part, scaled as the amplitude."""
        return np.asarray(self.values.real * self.fold)

    @property
    def imaginary(self) -> NDArray[np.float64]:
        """The imaginary part, scaled as the amplitude."""
        return np.asarray(self.values.imag * self.fold)

    @property
    def phase(self) -> NDArray[np.float64]:
        """The phase in degrees, from -180 to 180."""
        return np.degrees(np.angle(self.values))

    @property
    def unwrapped_phase(self) -> NDArray[np.float64]:
        """The phase in degrees without jumps of 360."""
        return np.degrees(np.unwrap(np.angle(self.values)))

    @property
    def density(self) -> NDArray[np.float64]:
        """The one-sided power spectral density, whose integral is the mean square of the values."""
        return np.abs(self.values) ** 2 * self.fold * self.power_scale / self.spacing

    def integrated(self, from_top: bool = False) -> NDArray[np.float64]:
        """Independent. Return the power up to each frequency, or from each frequency on."""
        parts = self.density * self.spacing
        return np.cumsum(parts[::-1])[::-1] if from_top else np.cumsum(parts)


def spectrum(
    values: ArrayLike,
    time: ArrayLike | None = None,
    spacing: float | None = None,
    preparation: Preparation | None = None,
) -> Spectrum:
    """Independent. Return the Fourier transform of real values of shape (n,).

    time : of shape (n,), evenly spaced to 1 %; the spacing is the mean of its steps
    spacing : instead of time, which then begins at 0; without both it is 1

    Raises DataError for uneven or fewer than two times, or no values, TypeMismatchError for texts and long
    double.
    """
    preparation = preparation or Preparation()
    array = as_doubles(values)
    start, step = _times(array, time, spacing)
    if preparation.remove_mean:
        array = array - array.mean()
    array = _cut(array, preparation.length)
    shape = window(preparation.window, len(array))
    padded = _padded_length(len(array), preparation.length)
    # Padding adds no values: amplitudes are divided by the number of those that were given.
    found = np.fft.rfft(array * shape, padded) / len(array)
    frequency = np.asarray(np.fft.rfftfreq(padded, step), dtype=np.float64)
    found = found * np.exp(-2j * np.pi * frequency * start)
    power = len(array) / padded
    if preparation.correct:
        power /= float(np.mean(shape**2))
    return Spectrum(frequency, found, power, padded % 2 == 0)


def _times(values: Numbers, time: ArrayLike | None, spacing: float | None) -> tuple[float, float]:
    """Return the first time and the spacing."""
    require_data(len(values) > 0, "a spectrum needs values")
    require(time is None or spacing is None, "give either times or their spacing")
    if time is None:
        step = 1.0 if spacing is None else spacing
        require(step > 0 and math.isfinite(step), f"the spacing of times is positive, not {step}")
        return 0.0, step
    times = as_doubles(time, "time")
    require_same_length(values=values, time=times)
    require_data(len(times) > 1, "a spectrum needs two times or more")
    step = even_spacing(times, "time", tolerance=0.01)
    require_data(step > 0, "times decrease", "sort by time")
    return float(times[0]), step


def _cut(values: Numbers, length: Length) -> Numbers:
    """Return the values that are transformed."""
    require(length in ("as_is", "pad", "truncate"), f"lengths are as_is, pad and truncate, not '{length}'")
    if length != "truncate":
        return values
    points = len(values)
    while not _is_smooth(points):
        points -= 1
    return values[:points]


def _is_smooth(points: int) -> bool:
    """Return whether 2, 3 and 5 are the only prime factors."""
    for factor in (2, 3, 5):
        while points % factor == 0:
            points //= factor
    return points == 1


def _padded_length(points: int, length: Length) -> int:
    """Return the length of the transform."""
    return 1 << (points - 1).bit_length() if length == "pad" else points
