"""Fit columns by polynomials, splines, models and expressions, each step or group by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from quire.errors import ConflictError, UsageError
from quire.io.attributes import Attribute
from quire.io.texts import Texts
from quire.verbs.fitting import Fitted, Fitting, Parameter
from quire.verbs.numbers import expression_unit, number_names
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import (
    MadeTable,
    NewColumn,
    StepLike,
    TableLike,
    as_floats,
    made_from,
    new_attribute,
    read_columns,
    texts_of,
)

S = TypeVar("S", bound=StepChain)


def fit(
    chain: S,
    *columns: Names,
    versus: Names = (),
    name: str = "",
    parameters: bool = False,
    curve: int = 0,
    covariance: bool = False,
    **how: Any,
) -> S:
    """Independent. Fit columns of each step, or of each group, by least squares.

    Parameters
    ----------
    columns : the columns that are fitted, or patterns
    versus : the column of the variable, or two for a polynomial of two variables
    name : what results are called in place of the column, whose name replaces a `*`
    parameters : make a row of each parameter (column, name, value, sigma, unit) in place of the rows
    curve : make so many rows of the fitted curve in place of the rows of the step
    covariance : add the covariances of the parameters
    how : fields of `quire.verbs.fitting.Fitting`: model, sigma, order, orders, revise, knots, start, fixed,
        bounds

    The columns NAME_fit and NAME_residual are added, and the attributes NAME_PARAMETER with
    NAME_PARAMETER_sigma, NAME_fit_rms, NAME_fit_chi_squared (reduced), NAME_fit_points and NAME_fit_converged
    (0 or 1). What did not converge is NaN, and `Chain.failures` has the reason.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     step = next(iter(chain.fit("px", versus="x")))
    >>> round(step.attrs["px_slope"], 2), step.attrs.info["px_slope"].unit
    (1.19, 'm$be$nc/m')
    """
    fitting = Fitting(versus=listed(versus), **how)
    wanted = listed(*columns)
    if not wanted:
        raise UsageError("fit needs a column")
    if curve and parameters:
        raise UsageError("the result is a curve (--curve), or rows of parameters (--parameters)")
    if curve == 1 or curve < 0:
        raise UsageError(f"a curve (--curve) has 2 rows or more, not {curve}")

    def fitted(step: StepLike, table: Any) -> StepLike:
        found = results(step, table, wanted, fitting, name)
        for label, one in found.items():
            if one.problem:
                chain.failures.add(
                    f"the fit of {label} in step {step.number} did not converge: {one.problem}"
                )
        attributes = dict(step.attrs.info)
        for label, one in found.items():
            attributes |= quality_of(label, one, table[one.data.column].unit, bool(fitting.sigma))
            if not parameters:
                attributes |= attributes_of(label, one, covariance)
        made = made_from(
            step, [table_of(table, found, fitting, parameters, curve, covariance)], attributes.values()
        )
        made.warnings += [
            f"step {step.number}: {missing} of {len(table)} rows are not finite, and are left out of the fit "
            f"of {label}"
            for label, one in found.items()
            if not one.problem and (missing := len(table) - one.goodness.points)
        ]
        return made

    return chain.each(fitted)


def results(
    step: StepLike, table: TableLike, columns: Sequence[str], fitting: Fitting, name: str
) -> dict[str, Fitted]:
    """Independent. Return the fits of all columns by the names of their results."""
    others = {*fitting.versus, fitting.sigma} - {*columns}
    wanted = [one for one in number_names(columns, table) if one not in others]
    if len(wanted) > 1 and name and "*" not in name:
        raise UsageError(f"several columns are fitted; write * in the name '{name}'")
    return {name.replace("*", one) or one: fitting.result(step, table, one) for one in wanted}


def attributes_of(label: str, found: Fitted, covariance: bool) -> dict[str, Attribute]:
    """Independent. Return the parameters of a fit as attributes."""
    made = []
    for one in found.parameters:
        made.append(new_attribute(f"{label}_{one.name}", one.value, unit=found.unit(one)))
        if one.sigma is not None:
            made.append(new_attribute(f"{label}_{one.name}_sigma", one.sigma, unit=found.unit(one)))
    if covariance:
        for place, one in enumerate(found.parameters):
            for other, value in zip(found.parameters[place + 1 :], covariances(found, one)[place + 1 :],
                                    strict=True):  # fmt: skip
                name = f"{label}_{one.name}_{other.name}_covariance"
                made.append(new_attribute(name, value, unit=found.unit(one, other)))
    return {one.name: one for one in made}


def covariances(found: Fitted, parameter: Parameter) -> list[float]:
    """Independent. Return the covariances of a parameter with all of a fit; NaN without errors."""
    if found.covariance is None or parameter.sigma is None:
        return [float("nan")] * len(found.parameters)
    row = found.covariance[list(found.parameters).index(parameter)].tolist()
    return [*row, *[float("nan")] * (len(found.parameters) - len(row))]


def quality_of(label: str, found: Fitted, unit: str, has_errors: bool) -> dict[str, Attribute]:
    """Independent. Return how well a fit describes its column, as attributes."""
    quality = found.goodness
    chi_unit = "" if has_errors else expression_unit("y**2", y=unit)
    made = [
        new_attribute(f"{label}_fit_rms", quality.rms, unit=unit),
        new_attribute(f"{label}_fit_chi_squared", quality.reduced_chi_squared, unit=chi_unit),
    ]
    if has_errors:
        made.append(new_attribute(f"{label}_fit_significance", quality.significance))
    made.append(new_attribute(f"{label}_fit_points", quality.points))
    made.append(new_attribute(f"{label}_fit_converged", int(not found.problem)))
    return {one.name: one for one in made}


def table_of(
    table: Any, found: Mapping[str, Fitted], fitting: Fitting, rows: bool, curve: int, covariance: bool
) -> MadeTable:
    """Independent. Return the table of the result: the rows with the fit, its parameters, or its curve."""
    if rows:
        return parameter_rows(found, table.name, covariance)
    if curve:
        return curve_rows(table, found, fitting, curve)
    columns = [
        NewColumn.like(table[name], lambda name=name: read_columns(table, [name])[name])  # type: ignore[misc]
        for name in table
    ]
    for label, one in found.items():
        unit = table[one.data.column].unit
        columns.append(NewColumn(f"{label}_fit", one.values, Texts(unit, description=f"fit of {label}")))
        columns.append(
            NewColumn(f"{label}_residual", one.residuals, Texts(unit, description=f"{label} minus its fit"))
        )
    names = [one.name for one in columns]
    for name in names:
        if names.count(name) > 1:
            raise ConflictError("there is such a column", object=name, advice="choose another name by --name")
    return MadeTable(columns, len(table), table.name)


def parameter_rows(found: Mapping[str, Fitted], name: str, covariance: bool) -> MadeTable:
    """Independent. Return a table with a row of each parameter."""
    lines = [(label, fitted, one) for label, fitted in found.items() for one in fitted.parameters]

    def texts(values: Iterator[str]) -> Any:
        made = np.empty(len(lines), object)
        made[:] = list(values)
        return made

    sigmas = [np.nan if one.sigma is None else one.sigma for _, _, one in lines]
    columns = [
        NewColumn("column", texts(label for label, _, _ in lines), type="string"),
        NewColumn("name", texts(one.name for _, _, one in lines), type="string"),
        NewColumn("value", np.array([one.value for _, _, one in lines], np.float64)),
        NewColumn("sigma", np.array(sigmas, np.float64)),
        NewColumn("unit", texts(fitted.unit(one) for _, fitted, one in lines), type="string"),
    ]
    if covariance:
        names = dict.fromkeys(one.name for _, _, one in lines)
        for other in names:
            values = [
                dict(zip([p.name for p in fitted.parameters], covariances(fitted, one), strict=True)).get(
                    other, np.nan
                )
                for _, fitted, one in lines
            ]
            columns.append(NewColumn(f"covariance_{other}", np.array(values, np.float64)))
    return MadeTable(columns, len(lines), name)


def curve_rows(table: Any, found: Mapping[str, Fitted], fitting: Fitting, count: int) -> MadeTable:
    """Independent. Return a table with places of the variable at even distances, and the fits there."""
    curves = {label: (one, one.curve) for label, one in found.items() if one.curve is not None}
    if len(curves) < len(found) or len(fitting.versus) != 1:
        raise UsageError("a curve needs a fit of one variable", advice="give it by --versus")
    (variable,) = fitting.versus
    values = read_columns(table, [variable])[variable]
    values = as_floats(values, variable)
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if len(finite) else (np.nan, np.nan)
    places = np.linspace(low, high, count)
    columns = [NewColumn(variable, places, texts_of(table[variable]))]
    for label, (one, curve) in curves.items():
        texts = Texts(table[one.data.column].unit, description=f"fit of {label}")
        columns.append(NewColumn(f"{label}_fit", curve(places), texts))
    return MadeTable(columns, count, table.name)
