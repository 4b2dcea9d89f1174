"""Correlation of columns, with significance.

Source of the definitions: specs/sdds-toolkit.md, sections 7.3, 9 and 11.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from quire.numeric.arrays import Numbers, as_doubles, require, require_same_length

Method = Literal["pearson", "spearman", "ordinal"]
"""What is correlated: values, or their ranks. Equal values have the mean of their ranks (`spearman`), or
ranks in the order of the rows (`ordinal`), as in section 11."""


@dataclass(frozen=True)
class Correlation:
    """The coefficient of two columns, its significance, and the number of rows used.

    The significance is the probability of a coefficient of this magnitude or more for columns that are not
    correlated: two-tailed, Student's t with n-2 degrees of freedom. Both are NaN below three rows or for a
    constant.
    """

    coefficient: float
    significance: float
    points: int


def correlate(x: ArrayLike, y: ArrayLike, method: Method = "pearson") -> Correlation:
    """Independent. Return Pearson's correlation of two columns, or that of their ranks.

    Rows with NaN in either column are left out.
    """
    x, y = as_doubles(x, "x"), as_doubles(y, "y")
    require_same_length(x=x, y=y)
    is_kept = ~(np.isnan(x) | np.isnan(y))
    x, y = x[is_kept], y[is_kept]
    require(method in get_args(Method), f"correlations are pearson, spearman or ordinal, not {method}")
    if method != "pearson" and len(x):
        x, y = _ranks(x, method), _ranks(y, method)
    coefficient = _coefficient(x, y)
    return Correlation(coefficient, significance(coefficient, len(x)), len(x))


def _coefficient(x: Numbers, y: Numbers) -> float:
    """Return Pearson's coefficient, NaN if it is not defined."""
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return math.nan
    with np.errstate(all="ignore"):
        x, y = x - x.mean(), y - y.mean()
        # Scaled first, so that squares neither overflow nor vanish.
        x, y = x / np.abs(x).max(), y / np.abs(y).max()
        found = float(x @ y / (math.sqrt(x @ x) * math.sqrt(y @ y)))
    return max(-1.0, min(1.0, found)) if math.isfinite(found) else math.nan


def _ranks(values: Numbers, method: Method) -> Numbers:
    """Return the ranks of values from 1 on."""
    if method == "spearman":
        _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
        return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(1, len(values) + 1)
    return ranks


def significance(coefficient: float, points: int) -> float:
    """Independent. Return the two-tailed probability of Student's t = r sqrt((n-2) / (1-r^2)) with n-2
    degrees.

    It is the regularised incomplete beta function I_x(a, 1/2) of x = 1 - r^2 and a = (n-2)/2. SciPy has it,
    but its import takes longer than most commands.
    """
    if points < 3 or math.isnan(coefficient):
        return math.nan
    a, x, complement = (points - 2) / 2, (1 - coefficient) * (1 + coefficient), coefficient**2
    if x == 0 or complement == 0:
        return float(complement == 0)
    # The factor x^a (1-x)^(1/2) / B(a, 1/2), without loss of digits where x is near to 1.
    power = a * (math.log1p(-complement) if complement < 0.5 else math.log(x))
    factor = math.exp(power) * abs(coefficient) * _gamma_ratio(a) / math.sqrt(math.pi)
    if x * (a + 2.5) < a + 1:
        return factor * _beta_fraction(a, 0.5, x) / a
    return 1 - factor * _beta_fraction(0.5, a, complement) / 0.5


def _gamma_ratio(a: float) -> float:
    """Return gamma(a + 1/2) / gamma(a); by the asymptotic series (DLMF 5.11.13) for large numbers."""
    if a < 25:
        return math.gamma(a + 0.5) / math.gamma(a)
    b = 1 / (8 * a)
    return math.sqrt(a) * math.exp(b * (-1 + b * b * (8 / 3 + b * b * (-256 / 5 + b * b * 17408 / 7))))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz' method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for count in itertools.count(1):
        m = count // 2
        term = m * (b - m) if count % 2 == 0 else -(a + m) * (a + b + m)
        term *= x / ((a + count - 1) * (a + count))
        lower = 1 / (1 + term * lower)
        upper = 1 + term / upper
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            return 1 / value
    raise AssertionError("the fraction converges")


def correlate_columns(
    columns: Mapping[str, ArrayLike], with_only: Iterable[str] = (), method: Method = "pearson"
) -> dict[tuple[str, str], Correlation]:
    """Independent. Return the correlations of all pairs of columns, in their order, or of those with
    `with_only`.
    """
    names, chosen = list(columns), set(with_only)
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    kept = [pair for pair in pairs if not chosen or chosen & set(pair)]
    return {(a, b): correlate(columns[a], columns[b], method) for a, b in kept}
