"""Reductions that treat all leading dimensions at once: moments, order statistics, lines.

Source of the definitions: specs/sdds-toolkit.md, sections 5.3 and 9. Each function reduces the last
dimension, which has one row or more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire.numeric.arrays import Numbers


@dataclass(frozen=True)
class Sample:
    """What a reduction computes from: values y of shape (..., n), weights and abscissa of a shape that
    fits.
    """

    y: Numbers
    weights: Numbers | None = None
    x: Any = None
    percent: float | None = None
    bin_size: float | None = None

    @property
    def rows(self) -> int:
        """The length of the dimension that is reduced."""
        return int(self.y.shape[-1])

    def mean_of(self, values: Numbers) -> Numbers:
        """Independent. Return the weighted mean of values of the shape of y; NaN where the weights sum to
        0.
        """
        if self.weights is None:
            return np.asarray(values.mean(axis=-1))
        total = np.broadcast_to(self.weights, values.shape).sum(axis=-1)
        return np.asarray((self.weights * values).sum(axis=-1) / np.where(total == 0, np.nan, total))


def mean(sample: Sample) -> Numbers:
    """Independent. Return the weighted mean."""
    return sample.mean_of(sample.y)


def rms(sample: Sample) -> Numbers:
    """Independent. Return sqrt(sum w y^2 / sum w)."""
    return np.sqrt(sample.mean_of(sample.y**2))


def total(sample: Sample) -> Numbers:
    """Independent. Return the sum of w y."""
    return np.asarray((sample.y if sample.weights is None else sample.weights * sample.y).sum(axis=-1))


def product(sample: Sample) -> Numbers:
    """Independent. Return the product of w y."""
    return np.asarray((sample.y if sample.weights is None else sample.weights * sample.y).prod(axis=-1))


def deviation(sample: Sample) -> Numbers:
    """Independent. Return sqrt(n/(n-1) sum w (y-m)^2 / sum w), m the weighted mean; NaN for one row."""
    if sample.rows < 2:
        return np.full(sample.y.shape[:-1], np.nan)
    squares = (sample.y - mean(sample)[..., None]) ** 2
    return np.asarray(np.sqrt(sample.rows / (sample.rows - 1) * sample.mean_of(squares)))


def mean_error(sample: Sample) -> Numbers:
    """Independent. Return the standard deviation divided by sqrt(n)."""
    return np.asarray(deviation(sample) / np.sqrt(sample.rows))


def mean_absolute_deviation(sample: Sample) -> Numbers:
    """Independent. Return the weighted mean of |y - m|, m the weighted mean."""
    return sample.mean_of(np.abs(sample.y - mean(sample)[..., None]))


def spread(sample: Sample) -> Numbers:
    """Independent. Return maximum - minimum."""
    return np.asarray(sample.y.max(axis=-1) - sample.y.min(axis=-1))


def median(sample: Sample) -> Numbers:
    """Independent. Return element n//2 of the sorted values: the upper median."""
    middle = sample.rows // 2
    return np.asarray(np.partition(sample.y, middle, axis=-1)[..., middle])


def level(sample: Sample, percent: float) -> Numbers:
    """Independent. Return element floor((n-1) p/100) of the sorted values, without interpolation."""
    place = int((sample.rows - 1) * percent / 100)
    return np.asarray(np.partition(sample.y, place, axis=-1)[..., place])


def percentile(sample: Sample) -> Numbers:
    """Independent. Return the level of the wanted percentage."""
    return level(sample, sample.percent or 0.0)


def between(low: float, high: float) -> Callable[[Sample], Numbers]:
    """Independent. Return a reduction to the distance of two levels, which are given in percent."""
    return lambda sample: level(sample, high) - level(sample, low)


def central_range(sample: Sample) -> Numbers:
    """Independent. Return the distance of the levels 50 - p/2 and 50 + p/2 percent."""
    percent = sample.percent or 0.0
    return level(sample, 50 + percent / 2) - level(sample, 50 - percent / 2)


def _line(sample: Sample) -> tuple[Numbers, Numbers]:
    """Return intercept and slope of the straight line by least squares, NaN unless x has two values."""
    x = sample.x - np.asarray(sample.x.mean(axis=-1))[..., None]
    y = sample.y - sample.y.mean(axis=-1)[..., None]
    square = np.asarray((x * x).sum(axis=-1))
    slope = np.asarray((x * y).sum(axis=-1) / np.where(square > 0, square, np.nan))
    return sample.y.mean(axis=-1) - slope * sample.x.mean(axis=-1), slope


def slope(sample: Sample) -> Numbers:
    """Independent. Return the slope of the straight line against x."""
    return _line(sample)[1]


def intercept(sample: Sample) -> Numbers:
    """Independent. Return the value of the straight line at x = 0."""
    return _line(sample)[0]


def line_deviation(sample: Sample) -> Numbers:
    """Independent. Return sqrt(sum of squared residuals of the straight line / (n-2)); NaN below three
    rows.
    """
    if sample.rows < 3:
        return np.full(sample.y.shape[:-1], np.nan)
    x = sample.x - np.asarray(sample.x.mean(axis=-1))[..., None]
    residuals = sample.y - sample.y.mean(axis=-1)[..., None] - slope(sample)[..., None] * x
    return np.asarray(np.sqrt((residuals**2).sum(axis=-1) / (sample.rows - 2)))


def integral(sample: Sample) -> Numbers:
    """Independent. Return the integral over x by the trapezoid rule."""
    return np.asarray(
        (np.diff(sample.x, axis=-1) * (sample.y[..., 1:] + sample.y[..., :-1]) / 2).sum(axis=-1)
    )


def correlation(sample: Sample) -> Numbers:
    """Independent. Return Pearson's coefficient with x; NaN if either is constant."""
    x = sample.x - np.asarray(sample.x.mean(axis=-1))[..., None]
    y = sample.y - sample.y.mean(axis=-1)[..., None]
    scale = np.sqrt((x * x).sum(axis=-1)) * np.sqrt((y * y).sum(axis=-1))
    return np.asarray(np.clip((x * y).sum(axis=-1) / np.where(scale > 0, scale, np.nan), -1, 1))


def count(sample: Sample) -> Numbers:
    """Independent. Return the number of rows used."""
    return np.full(sample.y.shape[:-1], float(sample.rows))


def first_row(y: Numbers) -> Numbers:
    """Independent. Return 0, the place of the first row."""
    return np.zeros(y.shape[:-1], np.intp)


def last_row(y: Numbers) -> Numbers:
    """Independent. Return the place of the last row."""
    return np.full(y.shape[:-1], y.shape[-1] - 1, np.intp)


def minimum_row(y: Numbers) -> Numbers:
    """Independent. Return the place of the minimum, of equal ones the first."""
    return np.asarray(y.argmin(axis=-1))


def maximum_row(y: Numbers) -> Numbers:
    """Independent. Return the place of the maximum, of equal ones the first."""
    return np.asarray(y.argmax(axis=-1))


def smallest_row(y: Numbers) -> Numbers:
    """Independent. Return the place of the smallest magnitude."""
    return np.asarray(np.abs(y).argmin(axis=-1))


def largest_row(y: Numbers) -> Numbers:
    """Independent. Return the place of the largest magnitude."""
    return np.asarray(np.abs(y).argmax(axis=-1))
