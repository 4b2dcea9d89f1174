"""Least-squares fits of functions that are not linear in their parameters.

    found = fit(MODELS["gaussian"], x, y)
    found.values["mean"], found.sigmas["mean"], found.is_converged

A fit always reports whether it converged. Source of the models: specs/sdds-toolkit.md, section 7.5; the
starting values are those of `quire.numeric.models`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.near import there_is_no
from quire.numeric.arrays import Numbers, as_doubles, require, require_same_length
from quire.numeric.goodness import Goodness, goodness

Function = Callable[..., Any]
Start = dict[str, float]


@dataclass(frozen=True)
class Model:
    """A function of x and parameters, with these names in this order, and a way to guess them from data.

    `guesses` returns one set of values or more; the fit tries each. A guess gets x and y, finite and sorted
    by x, and the values that are fixed or given by the user.
    """

    names: tuple[str, ...]
    function: Function
    guesses: Callable[[Numbers, Numbers, Mapping[str, float]], list[Start]] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of parameters as products of those of y and x: `y`, `x`, `1/x`, `y/x`."""


@dataclass(frozen=True)
class Settings:
    """How parameters are found.

    start : values to begin with; what is not named is guessed
    fixed : values of parameters that are not fitted
    bounds : lower and upper limits, None for no limit
    evaluations : the largest number of evaluations from one start
    """

    start: Mapping[str, float] = field(default_factory=dict)
    fixed: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    evaluations: int = 5000


@dataclass(frozen=True)
class Fit:
    """A fit. Numbers of one that did not converge are those of its last step, or NaN; `message` has the
    reason.

    covariance : of the parameters in the order of `values`; rows of fixed ones are 0. Scaled by the reduced
        chi squared unless errors of y were given
    """

    values: dict[str, float]
    covariance: NDArray[np.float64]
    fitted: NDArray[np.float64]
    residuals: NDArray[np.float64]
    goodness: Goodness
    is_converged: bool
    message: str
    function: Function

    @property
    def sigmas(self) -> dict[str, float]:
        """The errors of the parameters, 0 for fixed ones, NaN for those that the data do not determine."""
        with np.errstate(invalid="ignore"):
            return dict(zip(self.values, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """Independent. Return the function at other places."""
        return _evaluated(self.function, as_doubles(x, "x"), list(self.values.values()))


def fit(
    model: Model,
    x: ArrayLike,
    y: ArrayLike,
    sigmas: ArrayLike | None = None,
    settings: Settings | None = None,
) -> Fit:
    """Independent. Return the parameters of a model that fit y best, by least squares (SciPy,
    `least_squares`).

    x, y, sigmas : of shape (n,); sigmas are the errors of y. Rows with NaN take no part

    A fit has not converged if the solver stopped early, a value is not finite, or the data do not determine
    all parameters, as those of a peak in a constant. Raises UsageError for unknown parameters, missing
    starting values, starts outside of their bounds, and errors that are not positive; ConflictError for
    different lengths.
    """
    x, y = as_doubles(x, "x"), as_doubles(y, "y")
    errors = None if sigmas is None else as_doubles(sigmas, "sigmas")
    require_same_length(x=x, y=y, sigmas=errors)
    settings = settings or Settings()
    for name in {*settings.start, *settings.fixed, *settings.bounds}:
        require(name in model.names, there_is_no("parameter", name, model.names))
    is_used = np.isfinite(x) & np.isfinite(y)
    if errors is not None:
        is_used &= ~np.isnan(errors)
        require(bool((errors[is_used] > 0).all()), "errors of y are positive", "leave out rows without error")
    rows = np.flatnonzero(is_used)
    rows = rows[np.argsort(x[rows], kind="stable")]
    free = [name for name in model.names if name not in settings.fixed]
    problem = _Problem(model, x[rows], y[rows], None if errors is None else errors[rows], free, settings)
    if len(rows) < max(len(free), 1):
        reason = f"{len(rows)} rows do not determine {len(free)} parameters"
        best = _Solution(
            dict.fromkeys(model.names, math.nan), np.full((len(free),) * 2, np.nan), math.inf, reason
        )
    else:
        best = min((problem.solve(start) for start in problem.starts()), key=lambda one: one.rank)
    values = {name: best.values[name] for name in model.names}
    fitted = _evaluated(model.function, x, list(values.values()))
    residuals = np.where(is_used, y - fitted, np.nan)
    quality = goodness(residuals[rows], None if errors is None else errors[rows], len(free))
    scale = quality.reduced_chi_squared if errors is None else 1.0
    covariance = np.zeros((len(values),) * 2)
    places = [model.names.index(name) for name in free]
    covariance[np.ix_(places, places)] = best.covariance * scale
    return Fit(values, covariance, fitted, residuals, quality, not best.reason, best.reason or "converged",
               model.function)  # fmt: skip


def _evaluated(function: Function, x: Numbers, values: list[float]) -> NDArray[np.float64]:
    """Return a function at x, also one that returns a single number."""
    with np.errstate(all="ignore"):
        return np.array(np.broadcast_to(np.asarray(function(x, *values), dtype=np.float64), x.shape))


@dataclass(frozen=True)
class _Solution:
    """What one start led to; `reason` is empty if it converged."""

    values: dict[str, float]
    covariance: NDArray[np.float64]
    cost: float
    reason: str

    @property
    def rank(self) -> tuple[float, bool]:
        """The order of solutions, the best first."""
        return (self.cost if math.isfinite(self.cost) else math.inf, bool(self.reason))


@dataclass(frozen=True)
class _Problem:
    """The finite data of a fit, sorted by x."""

    model: Model
    x: Numbers
    y: Numbers
    errors: Numbers | None
    free: list[str]
    settings: Settings

    def starts(self) -> list[Start]:
        """Return the values to begin with."""
        given = {**self.settings.start, **self.settings.fixed}
        names = self.model.names
        missing = [name for name in names if name not in given]
        if not missing or self.model.guesses is None:
            require(not missing, f"no value to begin with is known of {', '.join(missing)}", "give a start")
            return [given]
        return [{**guess, **given} for guess in self.model.guesses(self.x, self.y, given)]

    def solve(self, start: Start) -> _Solution:
        """Return where one start leads to."""
        from scipy.optimize import least_squares

        bounds = [self.settings.bounds.get(name, (None, None)) for name in self.free]
        low = np.array([-np.inf if one[0] is None else one[0] for one in bounds])
        high = np.array([np.inf if one[1] is None else one[1] for one in bounds])
        begin = np.array([start[name] for name in self.free])
        for name, value, least, most in zip(self.free, begin, low, high, strict=True):
            is_given = name in self.settings.start
            require(least < most, f"the limits of {name} are not in order: {least:g} and {most:g}")
            require(not is_given or least <= value <= most, f"{name} begins outside of its limits")
        begin = np.clip(begin, low, high)
        # Squares of residuals of order one, so that tolerances mean the same for all units of y.
        size = float(np.std(self.y)) or float(np.max(np.abs(self.y))) or 1.0
        weights = 1 / size if self.errors is None else 1 / self.errors

        def residuals(values: Numbers) -> Numbers:
            full = {**start, **dict(zip(self.free, values.tolist(), strict=True))}
            found = _evaluated(self.model.function, self.x, [full[name] for name in self.model.names])
            return np.nan_to_num((found - self.y) * weights, nan=1e150, posinf=1e150, neginf=-1e150)

        if not self.free:
            rest = residuals(begin)
            return _Solution(start, np.empty((0, 0)), float(rest @ rest), "")
        is_bounded = bool(np.isfinite(low).any() or np.isfinite(high).any())
        try:
            with np.errstate(all="ignore"):
                found = least_squares(
                    residuals, begin, bounds=(low, high), method="trf" if is_bounded else "lm", x_scale="jac",
                    ftol=1e-13, xtol=1e-13, gtol=1e-15, max_nfev=self.settings.evaluations,
                )  # fmt: skip
        except (ValueError, np.linalg.LinAlgError) as problem:
            unknown = np.full((len(self.free),) * 2, np.nan)
            return _Solution(start, unknown, math.inf, f"the solver failed: {problem}")
        values = {**start, **dict(zip(self.free, found.x.tolist(), strict=True))}
        inverse, loose = _inverse(found.jac * (1.0 if self.errors is not None else size), self.free)
        reason = ""
        if found.status <= 0:
            reason = f"no convergence after {found.nfev} evaluations"
        elif not np.isfinite(found.x).all() or found.cost > 1e200:
            reason = "the function is not finite near the solution"
        elif loose:
            reason = f"the data do not determine {', '.join(loose)}"
        return _Solution(values, inverse, float(found.cost), reason)


def _inverse(jacobian: Numbers, names: list[str]) -> tuple[NDArray[np.float64], list[str]]:
    """Return the inverse of J^T J, and the parameters that the data do not determine."""
    unknown = np.full((len(names),) * 2, np.nan)
    if not np.isfinite(jacobian).all():
        return unknown, list(names)
    lengths = np.sqrt((jacobian**2).sum(axis=0))
    flat = [name for name, length in zip(names, lengths, strict=True) if length == 0]
    if flat:
        return unknown, flat
    _, singular, vt = np.linalg.svd(jacobian / lengths, full_matrices=False)
    # Derivatives are differences with about half of the digits.
    if singular[-1] < 1e-7 * singular[0] * math.sqrt(len(jacobian)) / 10:
        involved = np.abs(vt[-1])
        return unknown, [name for name, part in zip(names, involved, strict=True) if part > 0.1]
    spread = (vt.T / singular) / lengths[:, None]
    return np.asarray(spread @ spread.T), []
