"""Derivatives, integrals, interpolation and smoothing of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from quire.errors import ConflictError, Placing, UsageError
from quire.io.types import Array
from quire.numeric import smoothing
from quire.numeric.arrays import direction
from quire.numeric.calculus import (
    Derivative,
    derivative,
    even_spacing,
    gill_miller,
    savitzky_golay_derivative,
    trapezoid,
)
from quire.numeric.interpolation import Method, Outside, Outsiders, interpolate, monotonic_rows
from quire.verbs.numbers import (
    about,
    computed,
    expression_unit,
    names_besides,
    number_names,
    numbers_of,
    with_texts_of,
)
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import NewColumn, StepLike

S = TypeVar("S", bound=StepChain)


def sigma_names(names: Sequence[str], pattern: str) -> dict[str, str]:
    """Independent. Return the columns of errors: a star in `pattern` is the name of a column."""
    return {name: pattern.replace("*", name) for name in names} if pattern else {}


def deriv(
    chain: S,
    *columns: Names,
    versus: str,
    interval: int = 2,
    sigma: str = "",
    points: int = 0,
    order: int = 2,
) -> S:
    """Independent. Make a table of derivatives `NAME_derivative` over the column `versus`. Attributes stay.

    Each is the difference of the rows `interval` rows apart, divided by that of `versus`; `versus` is in the
    middle of both. At the ends the interval is cut to the rows that exist, so that with the default of 2 the
    first and the last derivative are those of one step. Other columns are left out.

    Parameters
    ----------
    sigma : column of independent errors, in which a star is the name: they give `NAME_derivative_sigma`
    points, order : instead of differences, the derivative of the polynomial of this order through so many
        rows around each row (Savitzky and Golay), which must be evenly spaced

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     found = chain.sort("z").define("z2=z**2").deriv("z2", versus="z").read()
    >>> bool(np.allclose(found["z2_derivative"], 2 * found["z"]))
    True
    """
    wanted = listed(*columns)

    def derived(step: StepLike, table: Any) -> StepLike:
        names = names_besides(table, wanted, versus)
        sigmas = sigma_names(names, sigma)
        found = numbers_of(table, [versus, *names, *sigmas.values()])
        if points and len(table) > 1:
            with about(step):
                even_spacing(found[versus], versus)
        made: list[NewColumn] = []
        for name in names:
            with about(step, name):
                one = derivative_of(found[name], found[versus], found.get(sigmas.get(name, "")))
            if not made:
                made.append(with_texts_of(table[versus], one.x))
            unit = expression_unit("y/x", y=table[name].unit, x=table[versus].unit)
            made.append(NewColumn(f"{name}_derivative", one.values, unit))
            if one.sigmas is not None:
                made.append(NewColumn(f"{name}_derivative_sigma", one.sigmas, unit))
        return computed(step, table, made, len(table))

    def derivative_of(y: Array, x: Array, sigmas: Array | None) -> Derivative:
        if not points:
            return derivative(y, x, interval, sigmas)
        if points < 0 or points % 2 == 0:
            raise UsageError(f"a window (--points) has an odd number of rows, not {points}")
        if sigmas is not None:
            raise UsageError("errors (--sigma) belong to differences, not to polynomials (--points)")
        if not len(y):
            return Derivative(x, y)
        return savitzky_golay_derivative(y, x, points // 2, points // 2, order)

    return chain.each(derived)


def integ(
    chain: S,
    *columns: Names,
    versus: str,
    method: Literal["trapezoid", "gill_miller"] = "trapezoid",
    sigma: str = "",
) -> S:
    """Independent. Add integrals `NAME_integral` over the column `versus`, from the first row to each row.

    Parameters
    ----------
    method : `trapezoid`, or `gill_miller`: cubics through four rows (The Computer Journal 15 (1972) 80),
        which add the estimate of their error, `NAME_integral_error`
    sigma : column of independent errors, in which a star is the name: they give `NAME_integral_sigma`

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     found = chain.hist("z", norm="area", sides=True).integ("z_frequency", versus="z").read()
    >>> round(float(found["z_frequency_integral"][-1]), 9)
    1.0
    """
    if method not in ("trapezoid", "gill_miller"):
        raise UsageError(f"integrals are found by trapezoid or gill_miller, not by '{method}'")
    if sigma and method == "gill_miller":
        raise UsageError("errors of the values (--sigma) belong to --method trapezoid")
    wanted = listed(*columns)

    def integrated(step: StepLike, table: Any) -> StepLike:
        names = names_besides(table, wanted, versus)
        sigmas = sigma_names(names, sigma)
        found = numbers_of(table, [versus, *names, *sigmas.values()])
        if method == "gill_miller":
            with about(step):
                direction(found[versus], versus)
        made: list[NewColumn] = []
        for name in names:
            with about(step, name):
                if method == "gill_miller":
                    one, end = gill_miller(found[name], found[versus]), "error"
                else:
                    one, end = trapezoid(found[name], found[versus], found.get(sigmas.get(name, ""))), "sigma"
            unit = expression_unit("y*x", y=table[name].unit, x=table[versus].unit)
            made.append(NewColumn(f"{name}_integral", one.values, unit))
            if one.errors is not None:
                made.append(NewColumn(f"{name}_integral_{end}", one.errors, unit))
        return computed(step, table, made, len(table), others=list(table))

    return chain.each(integrated)


@dataclass(frozen=True)
class Interpolation:
    """What `interp` makes of a table: columns at other places of the column `versus`."""

    columns: Sequence[str]
    versus: str
    at: ArrayLike | StepChain | None = None
    count: int | None = None
    spacing: float | None = None
    limits: tuple[float | None, float | None] = (None, None)
    order: int = 1
    method: Method = "lagrange"
    outside: Outside | tuple[Outside, Outside] = "nan"
    monotonic: bool = False

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.at, self.count, self.spacing)) != 1:
            raise UsageError(
                "give either places (--at), their number (--count), or their spacing (--spacing)"
            )
        if self.count is not None and self.count < 2:
            raise UsageError(f"there are 2 places or more (--count), not {self.count}")
        if self.spacing is not None and not (self.spacing > 0 and np.isfinite(self.spacing)):
            raise UsageError(f"the spacing of places is positive (--spacing), not {self.spacing}")

    @property
    def outsiders(self) -> Outsiders:
        """What is done with places below and above the rows."""
        below, above = (self.outside, self.outside) if isinstance(self.outside, str) else self.outside
        return Outsiders(below, above)

    def places(self, table: Any, x: Array) -> Array:
        """Independent. Return the places: given ones, or evenly spaced ones between the limits."""
        if isinstance(self.at, StepChain):
            return self.of_other(table, self.at)
        if self.at is not None:
            return np.asarray(self.at, np.float64).reshape(-1)
        inside = x[np.isfinite(x)]
        low, high = (
            end if given is None else given
            for end, given in zip(
                (inside.min(initial=np.inf), inside.max(initial=-np.inf)), self.limits, strict=True
            )
        )
        if not low <= high:
            return np.empty(0)
        if self.count is not None:
            return np.linspace(low, high, self.count)
        steps = (high - low) / float(self.spacing or 1)
        return np.asarray(low + np.arange(int(steps * (1 + 1e-12)) + 1) * float(self.spacing or 1))

    def of_other(self, table: Any, other: StepChain) -> Array:
        """Independent. Return the places in all steps of another file. Raises ConflictError for another
        unit.
        """
        found = []
        for step in other:
            mate = other.table_of(step)
            with Placing(other.path):
                found.append(numbers_of(mate, [self.versus])[self.versus])
            if mate[self.versus].unit != table[self.versus].unit:
                raise ConflictError(
                    f"the unit is '{table[self.versus].unit}' in the first file "
                    f"and '{mate[self.versus].unit}' in the other",
                    object=self.versus,
                    advice="convert it by select --unit",
                )
        return np.concatenate(found) if found else np.empty(0)

    def applied(self, step: StepLike, table: Any) -> StepLike:
        """Independent. Return a step with the columns at the places."""
        names = names_besides(table, self.columns, self.versus)
        found = numbers_of(table, [self.versus, *names])
        x = found[self.versus]
        with about(step):
            places = self.places(table, x)
            rows = monotonic_rows(x) if self.monotonic else np.arange(len(x))
            direction(x[rows], self.versus)
        made = [with_texts_of(table[self.versus], places)]
        for name in names:
            with about(step, name):
                # Without rows there is no value anywhere, which is no mistake of the order.
                values = (
                    interpolate(x[rows], found[name][rows], places, self.order, self.method, self.outsiders)
                    if len(rows)
                    else np.full(len(places), np.nan)
                )
            made.append(with_texts_of(table[name], values))
        return computed(step, table, made, len(places))


class InterpolationKeywords(TypedDict, total=False):
    """The keyword arguments of `interp`."""

    at: ArrayLike | StepChain | None
    count: int | None
    spacing: float | None
    limits: tuple[float | None, float | None]
    order: int
    method: Method
    outside: Outside | tuple[Outside, Outside]
    monotonic: bool


def interp(chain: S, *columns: Names, versus: str, **how: Unpack[InterpolationKeywords]) -> S:
    """Independent. Make a table of columns at other places of the column `versus`. Attributes stay.

    Parameters
    ----------
    columns : names or patterns; without any all columns of numbers
    versus : a column that is strictly monotonic, in either direction; DataError otherwise
    at : the places, or a chain with a column of the same name
    count, spacing, limits : or so many, or so distant places between the limits, by default those of `versus`
    order : of the polynomial through the order + 1 rows around a place, default 1, or of the spline
    method : `lagrange`, or `spline` through all rows
    outside : of the range: `nan`, `saturate` (the value at the end), `extrapolate`, `wrap` or `error`; two of
        them are those below and above
    monotonic : leave out rows that do not continue the order of `versus`

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     chain.hist("z", bins=4).interp(versus="z", at=[0.0]).read()["z_frequency"].round(1).tolist()
    [952.3]
    """
    return chain.each(Interpolation(listed(*columns) or ("*",), versus, **how).applied)


@dataclass(frozen=True)
class Smoothing:
    """How `smooth` changes columns."""

    columns: Sequence[str]
    method: str = "mean"
    points: int | None = None
    order: int = 2
    sigma: float = 1.0
    threshold: float = 0.0
    passes: int = 1
    suffix: str = ""

    def __post_init__(self) -> None:
        if self.method not in self.filters:
            raise UsageError(f"columns are smoothed by {', '.join(self.filters)}, not by '{self.method}'")
        if self.points is not None and (self.points < 1 or self.points % 2 == 0):
            raise UsageError(f"a window (--points) has an odd number of rows, not {self.points}")

    @property
    def filters(self) -> dict[str, Callable[[Array], Array]]:
        """The methods by name."""
        three, five = self.points or 3, self.points or 5
        passes = self.passes
        return {
            "mean": lambda y: smoothing.moving_mean(y, three, passes),
            "median": lambda y: smoothing.median(y, three, passes),
            "gaussian": lambda y: smoothing.gaussian(y, self.sigma, passes),
            "polynomial": lambda y: smoothing.savitzky_golay(
                y, five // 2, five // 2, self.order, passes=passes
            ),
            "despike": lambda y: smoothing.despike(y, five - 1, self.threshold, passes=passes),
        }

    def applied(self, step: StepLike, table: Any) -> StepLike:
        """Independent. Return a step with smoothed columns."""
        names = number_names(self.columns, table)
        found = numbers_of(table, names)
        made = []
        for name in names:
            with about(step, name):
                values = self.filters[self.method](found[name])
            made.append(with_texts_of(table[name], values, f"{name}{self.suffix}"))
        others = list(table) if self.suffix else [name for name in table if name not in names]
        return computed(step, table, made, len(table), others=others)


class SmoothingKeywords(TypedDict, total=False):
    """The keyword arguments of `smooth`."""

    method: str
    points: int | None
    order: int
    sigma: float
    threshold: float
    passes: int
    suffix: str


def smooth(chain: S, *columns: Names, **how: Unpack[SmoothingKeywords]) -> S:
    """Independent. Smooth columns over neighbouring rows. Windows shrink at the ends.

    Parameters
    ----------
    method : `mean` or `median` of a window, `gaussian` weights, a local `polynomial` (Savitzky and Golay), or
        `despike`: the row that is farthest from the mean of the others in its window becomes that mean
    points : rows of a window, an odd number; default 3, of polynomial and despike 5
    order : of the polynomial, default 2
    sigma : of the Gaussian, in rows; default 1
    threshold : the least distance of a spike from the mean
    passes : number of repetitions
    suffix : of the names of new columns; without it the columns are replaced

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     chain.hist("z", bins=4).smooth("z_frequency").read()["z_frequency"].round(1).tolist()
    [633.0, 652.0, 597.0, 367.0]
    """
    wanted = listed(*columns)
    if not wanted:
        raise UsageError("smooth needs a column")
    return chain.each(Smoothing(wanted, **how).applied)
