"""Derivatives and integrals of tabulated values.

Source of the definitions: specs/sdds-toolkit.md, sections 7.4 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quire.numeric.arrays import Numbers, as_vector, direction, require, require_data, require_same_length
from quire.numeric.smoothing import savitzky_golay


@dataclass(frozen=True)
class Derivative:
    """A derivative dy/dx at the places `x`; `sigmas` are its errors if those of y were given."""

    x: Numbers
    values: Numbers
    sigmas: Numbers | None = None


@dataclass(frozen=True)
class RunningIntegral:
    """The integral of y over x from the first row to each row, beginning with 0, and its errors.

    For the trapezoid the errors are standard deviations that follow from those of y, None without them. For
    Gill and Miller they are estimates of the error of the method.
    """

    values: Numbers
    errors: Numbers | None = None

    @property
    def final(self) -> float:
        """The integral over all rows, NaN without rows."""
        return float(self.values[-1]) if len(self.values) else float("nan")


def derivative(
    y: ArrayLike, x: ArrayLike | None = None, interval: int = 2, sigmas: ArrayLike | None = None
) -> Derivative:
    """Independent. Return differences over `interval` rows divided by those of x; one row for each row of y.

    The default is the central difference. At the ends the interval is cut to the rows that exist, and each
    result is at the middle of the two rows it was computed from (section 7.4). Without x rows have the
    distance 1. Fewer than two rows give NaN, as does an interval of length zero. `sigmas` are independent
    errors of y. Raises UsageError for an interval below 1, ConflictError for different lengths.
    """
    y = as_vector(y, "y")
    x = np.arange(len(y), dtype=np.float64) if x is None else as_vector(x, "x")
    errors = None if sigmas is None else as_vector(sigmas, "sigmas")
    require_same_length(y=y, x=x, sigmas=errors)
    require(interval >= 1, f"the interval of a derivative is at least 1 row, not {interval}")
    if len(y) < 2:
        return Derivative(x.copy(), np.full_like(y, np.nan), None if errors is None else errors * np.nan)
    rows = np.arange(len(y))
    low = np.maximum(rows - interval // 2, 0)
    high = np.minimum(rows - interval // 2 + interval, len(y) - 1)
    # An odd interval leaves no row above the last one: the last step is repeated.
    low = np.minimum(low, high - 1)
    with np.errstate(all="ignore"):
        width = np.where(x[high] == x[low], np.nan, x[high] - x[low])
        values = (y[high] - y[low]) / width
        found = None if errors is None else np.hypot(errors[high], errors[low]) / np.abs(width)
        return Derivative(x[low] + (x[high] - x[low]) / 2, values, found)


def savitzky_golay_derivative(
    y: ArrayLike, x: ArrayLike, left: int, right: int, order: int, derivative: int = 1
) -> Derivative:
    """Independent. Return the derivative of the local polynomials of `savitzky_golay`, at the places x.

    Rows must be evenly spaced: DataError for steps that differ by more than 0.1 % of their mean.
    """
    y, x = as_vector(y, "y"), as_vector(x, "x")
    require_same_length(y=y, x=x)
    if len(x) < 2:
        return Derivative(x.copy(), np.full_like(y, np.nan))
    return Derivative(x, savitzky_golay(y, left, right, order, derivative) / even_spacing(x) ** derivative)


def even_spacing(x: Numbers, name: str = "x", tolerance: float = 1e-3) -> float:
    """Independent. Return the mean step of two or more evenly spaced values.

    Raises DataError if a step differs from the mean by more than `tolerance` of it, or if it is 0 or NaN.
    """
    spacing = float(x[-1] - x[0]) / (len(x) - 1)
    with np.errstate(invalid="ignore"):
        worst = float(np.max(np.abs(np.diff(x) - spacing)))
    require_data(
        spacing != 0 and worst <= tolerance * abs(spacing),
        f"{name} is not evenly spaced: steps differ from their mean {spacing:.6g} by up to {worst:.6g}",
        "interpolate at equal steps before",
    )
    return spacing


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, sigmas: ArrayLike | None = None) -> RunningIntegral:
    """Independent. Return the running integral by the trapezoid rule; without x rows have the distance 1.

    `sigmas` are independent errors of y: each enters with the weight that its row has in the sum.
    """
    y = as_vector(y, "y")
    x = np.arange(len(y), dtype=np.float64) if x is None else as_vector(x, "x")
    errors = None if sigmas is None else as_vector(sigmas, "sigmas")
    require_same_length(y=y, x=x, sigmas=errors)
    if not len(y):
        return RunningIntegral(y.copy(), None if errors is None else errors.copy())
    with np.errstate(all="ignore"):
        steps = np.diff(x)
        values = np.concatenate([[0.0], np.cumsum(steps * (y[1:] + y[:-1]) / 2)])
        if errors is None:
            return RunningIntegral(values)
        before = np.concatenate([[0.0], steps])
        inner = np.concatenate([before[:-1] + steps, [0.0]]) / 2
        settled = np.concatenate([[0.0], np.cumsum((inner * errors) ** 2)[:-1]])
        last = (before / 2 * errors) ** 2
    return RunningIntegral(values, np.sqrt(settled + last))


def gill_miller(y: ArrayLike, x: ArrayLike) -> RunningIntegral:
    """Independent. Return the running integral by cubics through four neighbours, for uneven steps.

    P. E. Gill and G. F. Miller, An algorithm for the integration of unequally spaced data, The Computer
    Journal 15 (1972) 80: each interval is integrated with the cubic through the two rows on either side of
    it, the first and the last one with that of the four rows at the end. The error of an interval follows
    from the fourth divided differences around it, and is part of the result as in the paper. Four rows have
    no such estimate, and their error is NaN. With fewer rows all values are NaN. Raises DataError unless x
    is strictly monotonic.
    """
    y, x = as_vector(y, "y"), as_vector(x, "x")
    require_same_length(y=y, x=x)
    rows = len(y)
    if rows < 4:
        return RunningIntegral(np.full_like(y, np.nan), np.full_like(y, np.nan))
    direction(x)
    first = np.clip(np.arange(rows - 1) - 1, 0, rows - 4)  # of the four rows of each interval
    with np.errstate(all="ignore"):
        parts, kernels = _cubic_parts(y, x, first)
        errors = np.full(rows - 1, np.nan)
        if rows > 4:
            fourth = _fourth_differences(y, x)
            inner = np.arange(rows - 1)
            before, after = np.clip(inner - 2, 0, rows - 5), np.clip(inner - 1, 0, rows - 5)
            errors = kernels * (fourth[before] + fourth[after]) / 2
            parts = parts + errors
    total = np.concatenate([[0.0], np.cumsum(parts)])
    return RunningIntegral(total, np.concatenate([[0.0], np.cumsum(np.abs(errors))]))


def _cubic_parts(y: Numbers, x: Numbers, first: Numbers) -> tuple[Numbers, Numbers]:
    """Return for each interval the integral of its cubic, and that of the product of the distances to its
    rows.

    Newton's form, with the lower end of the interval as the origin; the moments are those of powers.
    """
    rows = len(x)
    start = np.arange(rows - 1)
    length = np.diff(x)
    nodes = [x[first + k] - x[start] for k in range(4)]
    levels = [y[first + k] for k in range(4)]
    for depth in range(1, 4):
        for k in range(3, depth - 1, -1):
            levels[k] = (levels[k] - levels[k - 1]) / (nodes[k] - nodes[k - depth])
    moments = [length ** (power + 1) / (power + 1) for power in range(5)]
    product = [np.ones_like(length)]  # coefficients of the product of (t - node), the lowest power first
    parts = np.zeros_like(length)
    for k in range(4):
        parts = parts + levels[k] * sum(c * m for c, m in zip(product, moments, strict=False))
        longer = [-nodes[k] * product[0]]
        longer += [product[i - 1] - nodes[k] * product[i] for i in range(1, len(product))]
        product = [*longer, product[-1]]
    return parts, np.asarray(sum(c * m for c, m in zip(product, moments, strict=True)))


def _fourth_differences(y: Numbers, x: Numbers) -> Numbers:
    """Return the divided differences of every five successive rows."""
    differences = y
    for depth in range(1, 5):
        differences = np.diff(differences) / (x[depth:] - x[:-depth])
    return differences
