"""Correlation of columns, with significance.

Source of the definitions: specs/sdds-toolkit.md, sections 7.3, 9 and 11.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

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
    require(method in ("pearson", *RANKS), f"correlations are pearson, spearman or ordinal, not {method}")
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


RANKS = {"spearman": "average", "ordinal": "ordinal"}
"""Names of SciPy for what equal values get."""


def _ranks(values: Numbers, method: str) -> Numbers:
    """Return the ranks of values from 1 on."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, RANKS[method]), dtype=np.float64)


def significance(coefficient: float, points: int) -> float:
    """Independent. Return the two-tailed probability of Student's t = r sqrt((n-2) / (1-r^2)) with n-2
    degrees.
    """
    if points < 3 or math.isnan(coefficient):
        return math.nan
    from scipy.special import betainc

    return float(betainc((points - 2) / 2, 0.5, (1 - coefficient) * (1 + coefficient)))


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
