"""Correlation of columns, with significance, and against a lag.

Source of the definitions: specs/sdds-toolkit.md, sections 7.3 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_doubles, require, require_same_length
from quire.numeric.outliers import OutlierCriteria, is_outlier

Ranks = Literal["none", "ordered", "shared"]
"""Which ranks are correlated instead of values: of equal values those of their order in the column, as in
section
11, or for all of them the mean of these, as Spearman's coefficient has it."""


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


def correlate(
    x: ArrayLike, y: ArrayLike, ranks: Ranks = "none", outliers: OutlierCriteria | None = None
) -> Correlation:
    """Independent. Return Pearson's correlation of two columns, or that of their ranks.

    Rows with NaN in either column are left out, then those that are outliers of either one.
    """
    x, y = as_doubles(x, "x"), as_doubles(y, "y")
    require_same_length(x=x, y=y)
    is_kept = ~(np.isnan(x) | np.isnan(y))
    if outliers is not None:
        removed = is_outlier(x, outliers, ~is_kept) | is_outlier(y, outliers, ~is_kept)
        is_kept &= ~removed
    x, y = x[is_kept], y[is_kept]
    if ranks != "none" and len(x):
        x, y = _ranks(x, ranks), _ranks(y, ranks)
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


def _ranks(values: Numbers, ranks: Ranks) -> Numbers:
    """Return the ranks of values from 1 on."""
    from scipy.stats import rankdata

    methods = {"ordered": "ordinal", "shared": "average"}
    require(ranks in methods, f"ranks are none, ordered or shared, not {ranks}")
    return np.asarray(rankdata(values, methods[ranks]), dtype=np.float64)


def significance(coefficient: float, points: int) -> float:
    """Independent. Return the two-tailed probability of Student's t = r sqrt((n-2) / (1-r^2)) with n-2
    degrees.
    """
    if points < 3 or math.isnan(coefficient):
        return math.nan
    from scipy.special import betainc

    return float(betainc((points - 2) / 2, 0.5, (1 - coefficient) * (1 + coefficient)))


def correlate_columns(
    columns: Mapping[str, ArrayLike],
    with_only: Iterable[str] | None = None,
    ranks: Ranks = "none",
    outliers: OutlierCriteria | None = None,
) -> dict[tuple[str, str], Correlation]:
    """Independent. Return the correlations of all pairs of columns, in their order, or of those with
    `with_only`.
    """
    names = list(columns)
    chosen = None if with_only is None else set(with_only)
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    kept = [pair for pair in pairs if chosen is None or chosen & set(pair)]
    return {(a, b): correlate(columns[a], columns[b], ranks, outliers) for a, b in kept}


def lagged(x: ArrayLike, y: ArrayLike, most: int) -> tuple[NDArray[np.intp], Numbers]:
    """Independent. Return the lags -most ... most, and the correlation of x[i] with y[i + lag] for each of
    them.

    A lag that leaves fewer than two rows has NaN. Raises UsageError for a negative lag.
    """
    x, y = as_doubles(x, "x"), as_doubles(y, "y")
    require_same_length(x=x, y=y)
    require(most >= 0, f"the greatest lag is 0 rows or more, not {most}")
    lags = np.arange(-most, most + 1)
    found = []
    for lag in lags:
        count = len(x) - abs(int(lag))
        pair = (x[:count], y[len(y) - count :]) if lag >= 0 else (x[len(x) - count :], y[:count])
        found.append(correlate(*pair).coefficient if count > 1 else math.nan)
    return lags, np.array(found)
