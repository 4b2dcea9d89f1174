"""Least-squares splines.

C. de Boor, A Practical Guide to Splines (1978), by SciPy; specs/sdds-toolkit.md, section 3.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import as_doubles, require, require_data, require_same_length
from quire.numeric.goodness import Goodness, goodness


@dataclass(frozen=True)
class SplineFit:
    """A B-spline with its breakpoints, coefficients, values and residuals.

    If the data do not determine it, `problem` has the reason, and the numbers are NaN.
    """

    breakpoints: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    fitted: NDArray[np.float64]
    residuals: NDArray[np.float64]
    goodness: Goodness
    problem: str = ""
    spline: Any = None

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """Independent. Return the spline at other places, NaN outside of its range."""
        places = as_doubles(x, "x")
        nothing = np.full(len(places), np.nan)
        return nothing if self.spline is None else np.asarray(self.spline(places, extrapolate=False))


def fit_spline(
    x: ArrayLike,
    y: ArrayLike,
    breakpoints: int | ArrayLike = 10,
    order: int = 3,
    sigmas: ArrayLike | None = None,
) -> SplineFit:
    """Independent. Return the spline of this order (3 is cubic) that fits y best.

    x, y, sigmas : of shape (n,); rows with NaN take no part, equal x are allowed
    breakpoints : the number of evenly spaced ones, ends included, or their places

    Raises UsageError for breakpoints that do not ascend, or do not cover the rows.
    """
    from scipy.interpolate import make_lsq_spline

    x, y = as_doubles(x, "x"), as_doubles(y, "y")
    errors = None if sigmas is None else as_doubles(sigmas, "sigmas")
    require_same_length(x=x, y=y, sigmas=errors)
    is_used = np.isfinite(x) & np.isfinite(y)
    if errors is not None:
        is_used &= ~np.isnan(errors)
        require_data(
            bool((errors[is_used] > 0).all()), "errors of y are positive", "leave out rows without error"
        )
    rows = np.flatnonzero(is_used)
    rows = rows[np.argsort(x[rows], kind="stable")]
    require(order >= 1, f"a spline has order 1 or more, not {order}")
    if isinstance(breakpoints, int):
        require(breakpoints >= 2, f"a spline has 2 breakpoints or more, not {breakpoints}")
    count = (breakpoints if isinstance(breakpoints, int) else np.size(breakpoints)) + order - 1
    if len(rows) < count or x[rows[0]] == x[rows[-1]]:
        return _undetermined(len(x), len(rows), count)
    places = _breakpoints(breakpoints, float(x[rows[0]]), float(x[rows[-1]]))
    knots = np.concatenate([[places[0]] * order, places, [places[-1]] * order])
    weights = None if errors is None else 1 / errors[rows]
    try:
        spline = make_lsq_spline(x[rows], y[rows], knots, order, weights)
    except (ValueError, np.linalg.LinAlgError):
        return _undetermined(len(x), len(rows), count)
    if not np.isfinite(spline.c).all():
        return _undetermined(len(x), len(rows), count)
    fitted = np.asarray(spline(x, extrapolate=False))
    residuals = np.where(is_used, y - fitted, np.nan)
    quality = goodness(residuals[rows], None if errors is None else errors[rows], len(spline.c))
    return SplineFit(places, spline.c, fitted, residuals, quality, spline=spline)


def _undetermined(length: int, points: int, count: int) -> SplineFit:
    """Return what is left of a fit of so many rows that do not determine all coefficients."""
    nothing = np.full(length, np.nan)
    quality = Goodness(np.nan, np.nan, np.nan, points, count)
    problem = f"{points} rows do not determine {count} coefficients of a spline: take fewer knots"
    return SplineFit(np.empty(0), np.full(count, np.nan), nothing, nothing, quality, problem)


def _breakpoints(wanted: int | ArrayLike, first: float, last: float) -> NDArray[np.float64]:
    """Return ascending breakpoints that cover the range."""
    if isinstance(wanted, int):
        return np.linspace(first, last, wanted)
    places = as_doubles(wanted, "breakpoints")
    is_valid = (
        len(places) > 1 and bool((np.diff(places) > 0).all()) and places[0] <= first and places[-1] >= last
    )
    require(is_valid, f"breakpoints ascend, and cover the range {first:.6g} to {last:.6g}")
    return places
