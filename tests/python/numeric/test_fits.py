"""Fits find the parameters and errors that SciPy and NumPy find, and report what data do not determine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_lsq_spline
from scipy.optimize import curve_fit
from scipy.stats import chi2

from quire.errors import ConflictError, DataError, TypeMismatchError, UsageError
from quire.numeric.fits import Model, Settings, fit
from quire.numeric.models import MODELS
from quire.numeric.polynomials import Basis, fit_polynomial, fit_polynomial_2d, orders_up_to, revised
from quire.numeric.splines import fit_spline

X = np.linspace(-5.0, 5.0, 121)
USUAL = {
    "gaussian": (1.0, 3.0, 0.7, 0.5),
    "lorentzian": (1.0, 3.0, 0.7, 0.5),
    "exponential": (1.0, 2.0, -0.8),
    "sine": (1.0, 2.0, 0.37, 0.6),
    "sloped_sine": (1.0, 2.0, 0.37, 0.6, 0.5),
    "damped_sine": (1.0, 2.0, 0.37, 0.6, -0.2),
}
scales = st.sampled_from([1e-12, 1e-6, 1.0, 1e6, 1e12])


def scaled(name: str, values: tuple[float, ...], x_scale: float, y_scale: float) -> list[float]:
    """Return parameters for x and y in other units."""
    factors = {"x": x_scale, "y": y_scale, "1/x": 1 / x_scale, "y/x": y_scale / x_scale, "rad": 1.0}
    units = MODELS[name].units
    return [value * factors[units[one]] for one, value in zip(MODELS[name].names, values, strict=True)]


@pytest.mark.parametrize("name", sorted(USUAL))
@settings(max_examples=25)
@given(seed=st.integers(0, 1000), with_errors=st.booleans(), sign=st.sampled_from([1.0, -1.0]))
def test_models_have_the_parameters_and_errors_of_scipy(
    name: str, seed: int, with_errors: bool, sign: float
) -> None:
    model, random = MODELS[name], np.random.default_rng(seed)
    true = [value * sign if model.units[one] == "y" else value
            for one, value in zip(model.names, USUAL[name], strict=True)]  # fmt: skip
    y = model.function(X, *true) + 0.05 * random.standard_normal(len(X))
    errors = 0.02 + 0.05 * random.random(len(X)) if with_errors else None
    expected, covariance = curve_fit(
        model.function, X, y, true, errors, absolute_sigma=with_errors, ftol=1e-13, xtol=1e-13
    )
    found = fit(model, X, y, errors)
    if "sine" in name and sign < 0:  # the usual wave has a positive factor, and another phase
        expected[1], expected[3] = -expected[1], expected[3] + math.pi * (-1 if expected[3] > 0 else 1)
        covariance[1] *= -1
        covariance[:, 1] *= -1
    assert found.is_converged
    assert list(found.values.values()) == pytest.approx(expected, rel=1e-5, abs=1e-6)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(found(X), found.fitted)
    np.testing.assert_allclose(found.fitted + found.residuals, y)


@pytest.mark.parametrize("name", sorted(USUAL))
@settings(max_examples=15)
@given(x_scale=scales, y_scale=scales)
def test_units_of_x_and_y_do_not_matter(name: str, x_scale: float, y_scale: float) -> None:
    true = scaled(name, USUAL[name], x_scale, y_scale)
    x = X * x_scale
    found = fit(MODELS[name], x, MODELS[name].function(x, *true))
    assert found.is_converged
    assert list(found.values.values()) == pytest.approx(true, rel=1e-8, abs=0)


@pytest.mark.parametrize("name", sorted(USUAL))
@pytest.mark.parametrize("value", [0.0, 3.0, -1e-9])
def test_a_constant_determines_no_shape(name: str, value: float) -> None:
    found = fit(MODELS[name], X, np.full_like(X, value))
    assert not found.is_converged
    assert "do not determine" in found.message


@settings(max_examples=4)
@given(frequency=st.floats(0.02, 400), phase=st.floats(-3, 3))
def test_a_sine_needs_no_guess_of_its_frequency(frequency: float, phase: float) -> None:
    x = np.linspace(0, 100, 100_001)
    found = fit(MODELS["sine"], x, np.sin(2 * np.pi * frequency * x + phase))
    assert found.values["frequency"] == pytest.approx(frequency, rel=1e-9)
    assert found.values["factor"] == pytest.approx(1)
    assert math.cos(found.values["phase"] - phase) == pytest.approx(1)


def test_rows_with_nan_take_no_part_and_have_no_residual() -> None:
    y = MODELS["gaussian"].function(X, *USUAL["gaussian"])
    y[::7] = np.nan
    found = fit(MODELS["gaussian"], X, y)
    assert list(found.values.values()) == pytest.approx(USUAL["gaussian"])
    assert np.isnan(found.residuals).sum() == np.isnan(y).sum()
    assert np.isfinite(found.fitted).all()
    assert found.goodness.points == np.isfinite(y).sum()


def test_fixed_and_bounded_parameters_stay_where_they_must() -> None:
    y = MODELS["gaussian"].function(X, *USUAL["gaussian"])
    found = fit(MODELS["gaussian"], X, y, settings=Settings(fixed={"baseline": 0.5}))
    expected, covariance = curve_fit(
        lambda x, *rest: MODELS["gaussian"].function(x, 0.5, *rest),
        X,
        y,
        USUAL["gaussian"][1:],
        ftol=1e-13,
        xtol=1e-13,
    )
    assert found.values["baseline"] == 0.5
    assert list(found.values.values())[1:] == pytest.approx(expected, rel=1e-5)
    assert found.sigmas["baseline"] == 0
    np.testing.assert_allclose(found.covariance[1:, 1:], covariance, rtol=1e-3, atol=1e-9)
    bounded = fit(MODELS["gaussian"], X, y, settings=Settings(bounds={"mean": (None, 0.6)}))
    assert bounded.values["mean"] == pytest.approx(0.6)


@pytest.mark.parametrize("name", sorted(USUAL))
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows_do_not_determine_a_model(name: str, rows: int) -> None:
    found = fit(MODELS[name], X[:rows], X[:rows])
    assert not found.is_converged
    assert np.isnan(list(found.sigmas.values())).all()


@settings(max_examples=50)
@given(y=st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=30), data=st.data())
def test_any_data_gives_a_fit_or_a_reason(y: list[float], data: Any) -> None:
    name = data.draw(st.sampled_from(sorted(USUAL)))
    x = data.draw(st.lists(st.floats(-1e3, 1e3), min_size=len(y), max_size=len(y)))
    found = fit(MODELS[name], x, y, settings=Settings(evaluations=200))
    assert found.is_converged == (found.message == "converged")
    if found.is_converged:
        assert np.isfinite([*found.values.values(), *found.fitted]).all()
        # A least-squares fit with a constant is never worse than the mean.
        assert np.sum(found.residuals**2) <= np.sum((np.array(y) - np.mean(y)) ** 2) * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fit(MODELS["sine"], X, X[1:]), ConflictError, "x 121, y 120"),
        (lambda: fit(MODELS["sine"], X, X, 0 * X), DataError, "positive"),
        (lambda: fit(MODELS["sine"], X, X, settings=Settings(start={"a": 1})), UsageError, "parameter 'a'"),
        (
            lambda: fit(
                MODELS["sine"], X, X, settings=Settings({"phase": 3.0}, bounds={"phase": (0.0, 1.0)})
            ),
            UsageError,
            "outside of its limits",
        ),
        (lambda: fit(Model(("a",), lambda x, a: a * x), X, X), UsageError, "give start a=1"),
        (lambda: fit(MODELS["sine"], X.astype(np.longdouble), X), TypeMismatchError, "float64"),
    ],
)
def test_what_cannot_be_fitted_is_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


values = st.floats(-100, 100).map(lambda value: round(value, 3))


@settings(max_examples=60)
@given(data=st.data(), order=st.integers(0, 3), with_errors=st.booleans())
def test_polynomials_have_the_coefficients_and_errors_of_numpy(
    data: Any, order: int, with_errors: bool
) -> None:
    rows = data.draw(st.integers(order + 2, 15))
    x = np.array(data.draw(st.lists(values, min_size=rows, max_size=rows, unique=True)))
    y = np.array(data.draw(st.lists(values, min_size=rows, max_size=rows)))
    errors = None
    if with_errors:
        errors = np.array(data.draw(st.lists(st.floats(0.1, 10), min_size=rows, max_size=rows)))
    assume(np.linalg.cond(np.vander(x, order + 1)) < 1e6)
    found = fit_polynomial(x, y, Basis(tuple(range(order + 1))), errors)
    expected, covariance = np.polyfit(
        x,
        y,
        order,
        w=None if errors is None else 1 / errors,
        cov="unscaled" if with_errors else True,
    )
    size = np.abs(y).max() + 1
    np.testing.assert_allclose(found(x), np.polyval(expected, x), atol=1e-8 * size)
    np.testing.assert_allclose(found.sigmas, np.sqrt(np.diag(covariance))[::-1], rtol=1e-5, atol=1e-7 * size)
    if errors is not None:
        chi = np.sum(((y - found.fitted) / errors) ** 2)
        assert found.goodness.significance == pytest.approx(chi2.sf(chi, rows - order - 1), abs=1e-12)


def test_chebyshev_polynomials_are_the_same_functions() -> None:
    x = np.linspace(1e6, 1e6 + 3, 50)
    y = np.sin(x)
    found = fit_polynomial(x, y, Basis(tuple(range(8))).spanning(x))
    expected = np.polynomial.Chebyshev.fit(x, y, 7)
    assert found.coefficients == pytest.approx(expected.coef, abs=1e-9)
    np.testing.assert_allclose(found(x), expected(x), atol=1e-9)


def test_the_data_decide_whether_coefficients_are_determined() -> None:
    assert not fit_polynomial([1.0, 1.0], [1.0, 2.0]).is_valid
    assert not fit_polynomial([], []).is_valid
    exact = fit_polynomial([1.0, 2.0], [1.0, 3.0])
    assert exact.is_valid
    assert exact.coefficients == pytest.approx([-1, 2])
    assert np.isnan(exact.sigmas).all()


def test_orders_that_do_not_help_are_left_out() -> None:
    random = np.random.default_rng(1)
    x = np.linspace(-1, 1, 60)
    y = 1 + 3 * x**2 + 0.01 * random.standard_normal(60)
    found = revised(x, y, Basis((0, 1, 2, 3, 4)))
    assert {0, 2} <= set(found.basis.orders) < {0, 1, 2, 3, 4}
    whole = fit_polynomial(x, y, Basis((0, 1, 2, 3, 4)))
    assert found.goodness.reduced_chi_squared < whole.goodness.reduced_chi_squared


@settings(max_examples=25)
@given(seed=st.integers(0, 100), order=st.integers(0, 3))
def test_two_variables_have_the_coefficients_of_a_linear_solution(seed: int, order: int) -> None:
    random = np.random.default_rng(seed)
    x1, x2, y = random.standard_normal((3, 40))
    orders = orders_up_to(order)
    assert len(orders) == (order + 1) * (order + 2) // 2
    found = fit_polynomial_2d(x1, x2, y, orders)
    matrix = np.stack([x1**i * x2**j for i, j in orders], axis=1)
    np.testing.assert_allclose(found.coefficients, np.linalg.lstsq(matrix, y, rcond=None)[0], atol=1e-10)


@settings(max_examples=30)
@given(seed=st.integers(0, 100), order=st.integers(1, 4), knots=st.integers(2, 8))
def test_splines_have_the_values_of_scipy(seed: int, order: int, knots: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.random((2, 80))
    errors = 0.1 + random.random(80)
    found = fit_spline(x, y, knots, order, errors)
    if found.problem:
        assert np.isnan(found.fitted).all()
        return
    rows = np.argsort(x)
    inner = np.linspace(x.min(), x.max(), knots)
    places = np.concatenate([[inner[0]] * order, inner, [inner[-1]] * order])
    expected = make_lsq_spline(x[rows], y[rows], places, order, 1 / errors[rows])
    np.testing.assert_allclose(found(x), expected(x), atol=1e-9)
    assert np.isnan(found([-1.0, 2.0])).all()


@pytest.mark.parametrize(
    "x", [[], [1.0], [1.0] * 20, np.r_[np.zeros(10), np.ones(10)]], ids=["none", "one", "equal", "two"]
)
def test_a_spline_that_the_data_do_not_determine_says_so(x: Any) -> None:
    found = fit_spline(x, np.arange(len(x), dtype=float), 6)
    assert "do not determine" in found.problem
    assert np.isnan(found.fitted).all()
    assert np.isnan(found([0.5])).all()
