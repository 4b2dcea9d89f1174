"""Least-squares fits of functions that are not linear in their parameters.

    found = fit(MODELS["gaussian"], x, y)
    found.values["mean"], found.sigmas["mean"], found.is_converged

A fit always reports whether it converged. Source of the models: specs/sdds-toolkit.md, section 7.5; the
starting values are those of `quire.numeric.models`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.near import there_is_no
from quire.numeric.arrays import Numbers, as_doubles, require, require_data, require_same_length
from quire.numeric.goodness import Goodness, goodness

Function = Callable[..., Any]
Start = dict[str, float]


@dataclass(frozen=True)
class Model:
    """A function of x and parameters, with these names in this order, and a way to guess them from data.

    `guesses` returns one set of values or more; the fit tries each. A guess gets x and y, finite and sorted
    by x, and the values that are fixed or given by the user. `normal` returns those of equivalent values that
    are the usual ones, such as a positive width.
    """

    names: tuple[str, ...]
    function: Function
    guesses: Callable[[Numbers, Numbers, Mapping[str, float]], list[Start]] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of parameters as products of those of y and x: `y`, `x`, `1/x`, `y/x`; `rad`."""
    normal: Callable[[Start], Start] | None = None
    is_analytic: bool = False
    """Whether the function is analytic in its parameters, so that complex ones give exact derivatives."""


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
    starting values and starts outside of their bounds, DataError for errors that are not positive,
    ConflictError for different lengths.
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
        require_data(
            bool((errors[is_used] > 0).all()), "errors of y are positive", "leave out rows without error"
        )
    rows = np.flatnonzero(is_used)
    rows = rows[np.argsort(x[rows], kind="stable")]
    free = [name for name in model.names if name not in settings.fixed]
    problem = _Problem(model, x[rows], y[rows], None if errors is None else errors[rows], free, settings)
    reason = ""
    if len(rows) < max(len(free), 1):
        reason = f"{len(rows)} rows do not determine {len(free)} parameters"
    elif model.guesses is not None and np.ptp(x[rows]) < LEAST_SPAN:
        reason = "all rows have the same x"
    if reason:
        best = _Solution(
            dict.fromkeys(model.names, math.nan), np.full((len(free),) * 2, np.nan), math.inf, reason
        )
    else:
        best = problem.best()
    values = {name: best.values[name] for name in model.names}
    fitted = _evaluated(model.function, x, list(values.values()))
    residuals = np.where(is_used, y - fitted, np.nan)
    quality = goodness(residuals[rows], None if errors is None else errors[rows], len(free))
    scale = quality.reduced_chi_squared if errors is None else 1.0
    covariance = np.zeros((len(values),) * 2)
    places = [model.names.index(name) for name in free]
    with np.errstate(all="ignore"):
        covariance[np.ix_(places, places)] = best.covariance * scale
    return Fit(values, covariance, fitted, residuals, quality, not best.reason, best.reason or "converged",
               model.function)  # fmt: skip


LEAST_SPAN = 1e-150
"""Of x for models of peaks and waves; its square is a number."""

THINNED = 4096
"""Rows of longer tables that decide between several starts."""

TINY_STEP = 1e-100
"""The imaginary part of a parameter, far below the rounding of real parts."""


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
            require(
                not missing,
                f"no value to begin with is known of {', '.join(missing)}",
                f"give start {','.join(f'{name}=1' for name in missing)}",
            )
            return [given]
        with np.errstate(all="ignore"):
            return [{**guess, **given} for guess in self.model.guesses(self.x, self.y, given)]

    def best(self) -> _Solution:
        """Return where the best of the starts leads to, with the usual ones of equivalent parameters."""
        starts = self.starts()
        if len(starts) > 1 and len(self.x) > THINNED:
            # At random, since rows at even distances can all be zeros of a wave.
            rows = np.sort(np.random.default_rng(0).choice(len(self.x), THINNED, replace=False))
            errors = None if self.errors is None else self.errors[rows]
            thinned = replace(self, x=self.x[rows], y=self.y[rows], errors=errors)
            starts = [min(map(thinned.solve, starts), key=lambda one: one.rank).values]
        found = min(map(self.solve, starts), key=lambda one: one.rank)
        if self.model.normal is None or found.reason or self.settings.bounds:
            return found
        usual = self.model.normal(found.values)
        changed = {name for name, value in usual.items() if value != found.values[name]}
        return self.solve(usual) if changed and changed <= set(self.free) else found

    def solve(self, start: Start) -> _Solution:
        """Return where one start leads to (SciPy, `least_squares`)."""
        from scipy.optimize import least_squares

        begin, low, high = self._limits(start)
        if not self.free:
            rest = self._residuals(start, begin)
            return _Solution(start, np.empty((0, 0)), float(rest @ rest), "")
        is_bounded = bool(np.isfinite(low).any() or np.isfinite(high).any())
        try:
            with np.errstate(all="ignore"):
                found = least_squares(
                    partial(self._residuals, start),
                    begin,
                    jac=partial(self._derivatives, start) if self.model.is_analytic else "2-point",
                    bounds=(low, high),
                    method="trf" if is_bounded else "lm",
                    x_scale="jac",
                    ftol=1e-13,
                    xtol=1e-13,
                    gtol=1e-15,
                    max_nfev=self.settings.evaluations,
                )
        except (ValueError, np.linalg.LinAlgError) as problem:
            unknown = np.full((len(self.free),) * 2, np.nan)
            return _Solution(start, unknown, math.inf, f"the solver failed: {problem}")
        values = {**start, **dict(zip(self.free, found.x.tolist(), strict=True))}
        jacobian = found.jac * (1.0 if self.errors is not None else self.size)
        inverse, loose = _inverse(jacobian, self.free, self.model.is_analytic)
        loose = loose or self._without_effect(found.jac)
        reason = ""
        if found.status <= 0:
            reason = f"no convergence after {found.nfev} evaluations"
        elif not np.isfinite(found.x).all() or found.cost > 1e200:
            reason = "the function is not finite near the solution"
        elif loose:
            reason = f"the data do not determine {', '.join(loose)}"
        return _Solution(values, inverse, float(found.cost), reason)

    @cached_property
    def size(self) -> float:
        """The unit of residuals without errors, so that tolerances mean the same for all units of y."""
        spread = float(np.std(self.y)) if np.ptp(self.y) else 0.0
        return spread or float(np.max(np.abs(self.y))) or 1.0

    @property
    def weights(self) -> Any:
        """The factors of residuals."""
        return 1 / self.size if self.errors is None else 1 / self.errors

    def _limits(self, start: Start) -> tuple[Numbers, Numbers, Numbers]:
        """Return the values to begin with and their limits. Raises UsageError for a start outside."""
        bounds = [self.settings.bounds.get(name, (None, None)) for name in self.free]
        low = np.array([-np.inf if one[0] is None else one[0] for one in bounds])
        high = np.array([np.inf if one[1] is None else one[1] for one in bounds])
        begin = np.array([start[name] for name in self.free])
        for name, value, least, most in zip(self.free, begin, low, high, strict=True):
            is_given = name in self.settings.start
            require(least < most, f"the limits of {name} are not in order: {least:g} and {most:g}")
            require(not is_given or least <= value <= most, f"{name} begins outside of its limits")
        return np.clip(begin, low, high), low, high

    def _residuals(self, start: Start, values: Numbers) -> Numbers:
        """Return the weighted residuals for values of the free parameters."""
        full = {**start, **dict(zip(self.free, values.tolist(), strict=True))}
        found = _evaluated(self.model.function, self.x, [full[name] for name in self.model.names])
        return _tamed((found - self.y) * self.weights)

    def _derivatives(self, start: Start, values: Numbers) -> Numbers:
        """Return the derivatives of the weighted residuals, by an imaginary part of each parameter.

        W. Squire, G. Trapp, SIAM Rev. 40 (1998) 110.
        """
        full: dict[str, Any] = {**start, **dict(zip(self.free, values.tolist(), strict=True))}
        columns = []
        for name in self.free:
            moved = {**full, name: complex(full[name], TINY_STEP)}
            found = self.model.function(self.x, *(moved[one] for one in self.model.names))
            columns.append(np.broadcast_to(np.imag(found) / TINY_STEP, self.x.shape) * self.weights)
        return _tamed(np.stack(columns, axis=1))

    def _without_effect(self, jacobian: Numbers) -> list[str]:
        """Return parameters of the shape that could be anything, as the place of a peak without height."""
        span = float(self.x[-1] - self.x[0])
        scales = {"x": span, "1/x": 1 / span if span else 0.0, "rad": 1.0}
        effects = _lengths(jacobian) / math.sqrt(len(self.x))
        if self.errors is not None:
            effects = effects / (self.size * np.sqrt(np.mean(self.weights**2)))
        rounding = 8 * np.finfo(np.float64).eps * float(np.max(np.abs(self.y))) / self.size
        least = max(NO_EFFECT, rounding)
        return [
            name
            for name, effect in zip(self.free, effects, strict=True)
            if (unit := self.model.units.get(name)) in scales and effect * scales[unit] < least
        ]


def _tamed(values: Numbers) -> Numbers:
    """Return values with a large number in place of NaN and infinity, which the solver cannot take."""
    return np.asarray(np.nan_to_num(values, nan=1e150, posinf=1e150, neginf=-1e150))


def _lengths(jacobian: Numbers) -> Numbers:
    """Return the lengths of columns, also of those whose squares overflow or vanish."""
    largest = np.abs(jacobian).max(axis=0)
    units = np.where(largest > 0, largest, 1.0)
    with np.errstate(over="ignore"):
        return np.asarray(largest * np.sqrt(((jacobian / units) ** 2).sum(axis=0)))


NO_EFFECT = 1e-10
"""Relative to the spread of y, what a parameter of the shape changes at least."""


def _inverse(jacobian: Numbers, names: list[str], is_exact: bool) -> tuple[NDArray[np.float64], list[str]]:
    """Return the inverse of J^T J, and the parameters that the data do not determine."""
    unknown = np.full((len(names),) * 2, np.nan)
    if not np.isfinite(jacobian).all():
        return unknown, list(names)
    lengths = _lengths(jacobian)
    flat = [name for name, length in zip(names, lengths, strict=True) if length == 0]
    if flat:
        return unknown, flat
    _, singular, vt = np.linalg.svd(jacobian / lengths, full_matrices=False)
    # Differences have about half of the digits.
    if singular[-1] <= (1e-10 if is_exact else 1e-8) * singular[0]:
        involved = np.abs(vt[-1])
        return unknown, [name for name, part in zip(names, involved, strict=True) if part > 0.1]
    with np.errstate(all="ignore"):
        spread = (vt.T / singular) / lengths[:, None]
        return np.asarray(spread @ spread.T), []
