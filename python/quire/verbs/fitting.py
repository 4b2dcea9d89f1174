"""What the verb `fit` fits: one column of a table, by a model or an expression, with units of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import MissingError, UsageError
from quire.io.expression import Expression
from quire.io.types import Array
from quire.near import there_is_no
from quire.numeric.fits import Fit, Model, Settings
from quire.numeric.fits import fit as fit_model
from quire.numeric.goodness import Goodness
from quire.numeric.models import MODELS
from quire.numeric.polynomials import (
    Basis,
    LinearFit,
    fit_polynomial,
    fit_polynomial_2d,
    orders_up_to,
    revised,
)
from quire.numeric.splines import fit_spline
from quire.verbs.numbers import doubles, expression_unit
from quire.verbs.pages import single_values

if TYPE_CHECKING:
    from quire.verbs.steplike import StepLike, TableLike

POLYNOMIAL, CHEBYSHEV, SPLINE = "polynomial", "chebyshev", "spline"
NAMED = (POLYNOMIAL, CHEBYSHEV, SPLINE, *MODELS)
"""The models with names; any other text is an expression."""

SHORT_NAMES = {"gauss": "gaussian"}
"""Other names of models, as those of the fits of histograms."""

ORDER_NAMES = {0: "intercept", 1: "slope", 2: "curvature"}
"""Coefficients of the lowest orders of a polynomial."""

KNOTS = 10
UNDETERMINED = "the data do not determine the coefficients"


@dataclass(frozen=True)
class Parameter:
    """A number of a fit with its error. `sigma` is None for a model without errors; `product` is the unit as
    a product of those of y, x and x2, such as `y/x**2`, or `rad`.
    """

    name: str
    value: float
    sigma: float | None
    product: str = ""


@dataclass(frozen=True)
class Fitted:
    """A fit of one column. If it did not converge, `problem` has the reason, and its numbers are NaN.

    `curve` returns the fitted function of the only variable at other places; None for fits of several.
    """

    data: Data
    parameters: Sequence[Parameter]
    covariance: Array | None
    values: Array
    residuals: Array
    goodness: Goodness
    problem: str = ""
    curve: Callable[[Array], Array] | None = None

    def unit(self, *parameters: Parameter) -> str:
        """Independent. Return the unit of a parameter, or of the product of some."""
        products = [one.product for one in parameters if one.product]
        if products == ["rad"]:
            return "rad"
        return self.data.unit(" * ".join(f"({one})" for one in products if one != "rad"))

    def cleared(self) -> Fitted:
        """Independent. Return the fit; NaN in place of all numbers if it did not converge."""
        if not self.problem:
            return self
        nothing = float("nan")
        return replace(
            self,
            parameters=[
                replace(one, value=nothing, sigma=None if one.sigma is None else nothing)
                for one in self.parameters
            ],
            covariance=None if self.covariance is None else np.full_like(self.covariance, nothing),
            values=np.full_like(self.values, nothing),
            residuals=np.full_like(self.residuals, nothing),
            goodness=replace(self.goodness, rms=nothing, reduced_chi_squared=nothing, significance=nothing),
            curve=None if self.curve is None else partial(np.full_like, fill_value=nothing),
        )


@dataclass(frozen=True)
class Fitting:
    """How columns are fitted.

    model : polynomial, chebyshev, spline, a name of `quire.numeric.models`, or an expression of columns,
        attributes and parameters; `gauss` is `gaussian`
    versus : the column of the variable; two for a polynomial of two variables
    sigma : the column with the errors of the fitted one, whose name replaces a `*`
    order : of a polynomial (default 1: a line) or a spline (3)
    orders : of the terms of a polynomial instead, such as (0, 2)
    revise : leave out orders as long as the reduced chi squared falls
    knots : breakpoints of a spline
    start, fixed, bounds : of parameters of models and expressions, by name
    """

    model: str = POLYNOMIAL
    versus: Sequence[str] = ()
    sigma: str = ""
    order: int | None = None
    orders: Sequence[int] = ()
    revise: bool = False
    knots: int = KNOTS
    start: Mapping[str, float] = field(default_factory=dict)
    fixed: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", SHORT_NAMES.get(self.model, self.model))
        if self.model.isidentifier() and self.model not in NAMED:
            raise UsageError(there_is_no("model", self.model, NAMED))
        is_polynomial, takes_order = self.model in (POLYNOMIAL, CHEBYSHEV), self.model in NAMED[:3]
        misplaced = {
            "order": self.order is not None and not takes_order,
            "orders": bool(self.orders) and not is_polynomial,
            "revise": self.revise and not is_polynomial,
            "knots": self.knots != KNOTS and self.model != SPLINE,
            "start": bool(self.start) and takes_order,
            "fixed": bool(self.fixed) and takes_order,
            "bounds": bool(self.bounds) and takes_order,
        }
        for name in (name for name, is_wrong in misplaced.items() if is_wrong):
            raise UsageError(f"a fit by {self.model} has no {name}")
        if self.orders and self.order is not None:
            raise UsageError(
                "a polynomial is given by its order (--order), or by the orders of its terms (--orders)"
            )
        if self.order is not None and self.order < 0:
            raise UsageError(f"an order (--order) is 0 or more, not {self.order}")
        most = 2 if self.model == POLYNOMIAL else 1
        if len(self.versus) > most or (self.model in NAMED and not self.versus):
            wanted = "one column or two" if most == 2 else "one column"
            raise UsageError(f"a fit by {self.model} needs {wanted} as variable", advice='give versus="NAME"')
        if len(self.versus) == 2 and (self.orders or self.revise):
            raise UsageError("a polynomial of two variables has an order alone, no --orders or --revise")

    def result(self, step: StepLike, table: TableLike, column: str) -> Fitted:
        """Independent. Return the fit of one column of a step."""
        data = Data.of(step, table, column, self)
        if self.model not in NAMED:
            return of_expression(data, self)
        if self.model == SPLINE:
            return of_spline(data, self)
        if self.model in MODELS:
            model = MODELS[self.model]
            found = fit_model(model, data.x, data.y, data.sigmas, self.settings)
            return of_model(data, found, model.units, found)
        if len(self.versus) == 2:
            return of_two_variables(data, self)
        return of_polynomial(data, self)

    @property
    def settings(self) -> Settings:
        """How parameters are found."""
        return Settings(self.start, self.fixed, self.bounds)


@dataclass(frozen=True)
class Data:
    """The columns of one fit as float64, their units, and where they are from."""

    step: StepLike
    table: TableLike
    column: str
    versus: Sequence[str]
    arrays: Mapping[str, Array]
    sigma: str = ""

    @classmethod
    def of(cls, step: StepLike, table: TableLike, column: str, how: Fitting) -> Data:
        """Independent. Read the columns of a fit."""
        sigma = how.sigma.replace("*", column)
        names = [name for name in (column, *how.versus, sigma) if name]
        return cls(step, table, column, how.versus, doubles(table, names), sigma)

    @property
    def x(self) -> Array:
        """The variable."""
        return self.arrays[self.versus[0]]

    @property
    def y(self) -> Array:
        """The column that is fitted."""
        return self.arrays[self.column]

    @property
    def sigmas(self) -> Array | None:
        """The errors of the column, if they are known."""
        return self.arrays[self.sigma] if self.sigma else None

    def unit(self, product: str) -> str:
        """Independent. Return the unit of a product of y, x and x2, such as `y/x**2`."""
        if not product:
            return ""
        names = dict(zip(("y", "x", "x2"), (self.column, *self.versus), strict=False))
        return expression_unit(product, **{name: self.table[column].unit for name, column in names.items()})


def of_polynomial(data: Data, how: Fitting) -> Fitted:
    """Independent. Return the fit of a polynomial of one variable."""
    orders = tuple(how.orders) or tuple(range((1 if how.order is None else how.order) + 1))
    is_chebyshev = how.model == CHEBYSHEV
    basis = Basis(orders).spanning(data.x) if is_chebyshev else Basis(orders)
    found = (revised if how.revise else fit_polynomial)(data.x, data.y, basis, data.sigmas)
    parameters = []
    for place, order in enumerate(found.basis.orders):
        name = f"coefficient_{order}" if is_chebyshev else ORDER_NAMES.get(order, f"coefficient_{order}")
        product = "y" if is_chebyshev else power_product(order)
        parameters.append(linear_parameter(found, place, name, product))
    if is_chebyshev:
        parameters.append(Parameter("offset", found.basis.offset, None, "x"))
        parameters.append(Parameter("factor", found.basis.factor, None, "x"))
    return of_linear(data, found, parameters, found)


def of_two_variables(data: Data, how: Fitting) -> Fitted:
    """Independent. Return the fit of a polynomial of two variables."""
    orders = orders_up_to(1 if how.order is None else how.order)
    x1, x2 = (data.arrays[name] for name in data.versus)
    found = fit_polynomial_2d(x1, x2, data.y, orders, data.sigmas)
    parameters = [
        linear_parameter(found, place, f"coefficient_{i}_{j}", power_product(i, j))
        for place, (i, j) in enumerate(orders)
    ]
    return of_linear(data, found, parameters, None)


def power_product(first: int, second: int = 0) -> str:
    """Independent. Return the product of units of the coefficient of x**first * x2**second."""
    powers = [f"{name}**{order}" for name, order in (("x", first), ("x2", second)) if order]
    return f"y/({' * '.join(powers)})" if powers else "y"


def linear_parameter(found: LinearFit, place: int, name: str, product: str) -> Parameter:
    """Independent. Return a coefficient of a linear fit."""
    return Parameter(name, float(found.coefficients[place]), float(found.sigmas[place]), product)


def of_linear(
    data: Data, found: LinearFit, parameters: Sequence[Parameter], curve: Callable[[Array], Array] | None
) -> Fitted:
    """Independent. Return a linear fit with the names and units of its parameters."""
    rows = "1 row" if found.goodness.points == 1 else f"{found.goodness.points} rows"
    problem = "" if found.is_valid else f"{UNDETERMINED} ({rows})"
    return Fitted(
        data,
        parameters,
        found.covariance,
        found.fitted,
        found.residuals,
        found.goodness,
        problem,
        curve,
    ).cleared()


def of_spline(data: Data, how: Fitting) -> Fitted:
    """Independent. Return the fit of a spline, which has coefficients without errors."""
    found = fit_spline(data.x, data.y, how.knots, 3 if how.order is None else how.order, data.sigmas)
    parameters = [
        Parameter(f"coefficient_{place}", value, None, "y")
        for place, value in enumerate(found.coefficients.tolist())
    ]
    return Fitted(
        data, parameters, None, found.fitted, found.residuals, found.goodness, found.problem, found
    ).cleared()


def of_model(
    data: Data, found: Fit, products: Mapping[str, str], curve: Callable[[Array], Array] | None
) -> Fitted:
    """Independent. Return the fit of a model with the units of its parameters."""
    sigmas = found.sigmas
    return Fitted(
        data,
        [
            Parameter(name, value, sigmas[name], products.get(name, ""))
            for name, value in found.values.items()
        ],
        found.covariance,
        found.fitted,
        found.residuals,
        found.goodness,
        "" if found.is_converged else found.message,
        curve,
    ).cleared()


def of_expression(data: Data, how: Fitting) -> Fitted:
    """Independent. Return the fit of an expression of columns, attributes and parameters.

    A parameter is any name that is given a value to begin with, or that nothing else has. Rows in which a
    column of the expression is NaN take no part.
    """
    expression = Expression(how.model)
    parameters = parameters_of(expression, data, how)
    if not parameters:
        raise UsageError(f"'{how.model}' has no parameter to fit", advice="give its parameters a start")
    columns = [name for name in expression.names if name in data.table.columns and name not in parameters]
    arrays = doubles(data.table, columns)
    y = data.y
    for one in arrays.values():
        y = np.where(np.isnan(one), np.nan, y)
    constants = constants_of(expression, data.step, [*columns, *parameters])

    def function(rows: Array, *values: float) -> Any:
        made = expression(arrays, **constants, **dict(zip(parameters, values, strict=True)))
        return np.broadcast_to(made, y.shape)[rows.astype(np.int64)]

    model = Model(tuple(parameters), function)
    found = fit_model(model, np.arange(len(y), dtype=np.float64), y, data.sigmas, how.settings)
    made = of_model(data, found, {}, None)
    if len(columns) != 1 or list(data.versus) not in ([], columns) or made.problem:
        return made

    def curve(places: Array) -> Array:
        values = expression({columns[0]: places}, **constants, **found.values)
        return np.array(np.broadcast_to(np.asarray(values, np.float64), places.shape))

    return replace(made, curve=curve)


def constants_of(expression: Expression, step: StepLike, others: Sequence[str]) -> dict[str, Any]:
    """Independent. Return the attributes that an expression uses, and the number of the step."""
    known = {"step": step.number, **{name: one.value for name, one in single_values(step).items()}}
    return {name: known[name] for name in expression.names if name in known and name not in others}


def parameters_of(expression: Expression, data: Data, how: Fitting) -> list[str]:
    """Independent. Return the names in an expression that are parameters of the fit."""
    given = {**how.start, **how.fixed, **how.bounds}
    known = {*data.table.columns, *single_values(data.step), "step"}
    return [name for name in expression.names if name in given or not (name in known or is_constant(name))]


def is_constant(name: str) -> bool:
    """Independent. Return whether a name is that of a constant, such as `pi`, or of the row."""
    try:
        Expression(name).compile([])
    except MissingError:
        return False
    return True
