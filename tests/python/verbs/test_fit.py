"""The verb `fit`: names, units and rows of results, groups, expressions, and fits that do not converge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, MissingError, TypeMismatchError, UsageError

ROWS = 40
X = np.linspace(-2.0, 3.0, ROWS)
NAMES = np.array([f"Q{row}" for row in range(ROWS)], object)


@pytest.fixture(params=step_formats())
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two steps: a noisy line, a peak, and a plane, in each format."""
    path = path_for(tmp_path, request.param)
    random = np.random.default_rng(1)
    with quire.create(path, format=request.param) as out:
        for number in (1, 4):
            with out.step(number) as step:
                step.set("scale", 2.0)
                step.put("x", X, unit="m")
                step.put("z", random.normal(size=ROWS), unit="s")
                step.put("line", number * X + 1 + 0.1 * random.normal(size=ROWS), unit="T")
                step.put("peak", 1 + number * np.exp(-0.5 * ((X - 0.5) / 0.4) ** 2), unit="T")
                step.put("error", np.full(ROWS, 0.1), unit="T")
                step.put("turn", np.arange(ROWS, dtype=np.int32))
    return path


def test_a_line_has_the_numbers_of_numpy_with_units(data: Path) -> None:
    with quire.chain(data) as chain:
        steps = list(chain.fit("line", versus="x"))
        given = [step["line"][:] for step in quire.open(data)]
    for step, line in zip(steps, given, strict=True):
        (slope, intercept), covariance = np.polyfit(X, line, 1, cov=True)
        attrs, table = step.attrs, step.table
        assert attrs["line_slope"] == pytest.approx(slope)
        assert attrs["line_intercept"] == pytest.approx(intercept)
        assert attrs["line_slope_sigma"] == pytest.approx(np.sqrt(covariance[0, 0]))
        assert attrs["line_fit_converged"] == 1
        assert (attrs["line_fit_points"], attrs["scale"]) == (ROWS, 2.0)
        residuals = line - slope * X - intercept
        assert attrs["line_fit_rms"] == pytest.approx(np.sqrt(np.mean(residuals**2)))
        assert attrs["line_fit_chi_squared"] == pytest.approx(np.sum(residuals**2) / (ROWS - 2))
        units = [attrs.info[f"line_{name}"].unit for name in ("slope", "slope_sigma", "intercept", "fit_rms")]
        assert units == ["T/m", "T/m", "T", "T"]
        assert attrs.info["line_fit_chi_squared"].unit == "T^2"
        np.testing.assert_allclose(table.read(["line_residual"])["line_residual"], residuals, atol=1e-12)
        assert table["line_fit"].unit == table["line_residual"].unit == "T"
    assert chain.failures == set()


def test_a_model_has_the_name_of_the_fit_of_histograms_as_well(data: Path) -> None:
    with quire.chain(data, steps="4") as chain:
        (step,) = chain.fit("peak", versus="x", model="gauss")
        assert step.attrs["peak_mean"] == pytest.approx(0.5)
        assert step.attrs["peak_sigma"] == pytest.approx(0.4)


def test_results_are_written_to_any_format(data: Path, tmp_path: Path) -> None:
    for format in step_formats():
        target = path_for(tmp_path, format, "fitted")
        with quire.chain(data) as chain:
            chain.fit("peak", versus="x", model="gaussian").write(target, format=format)
        with quire.open(target) as found:
            for step in found:
                assert step.attrs["peak_mean"] == pytest.approx(0.5)
                assert step.attrs["peak_sigma"] == pytest.approx(0.4)
                assert step.attrs["peak_height"] == pytest.approx(step.number)
                np.testing.assert_allclose(step["peak_fit"][:], step["peak"][:])


def test_parameters_are_rows_on_request(data: Path) -> None:
    with quire.chain(data, steps="4") as chain:
        made = chain.fit("line", "peak", versus="x", order=2, parameters=True, covariance=True)
        frame = made.to_pandas()
        line = chain.read(["line"])["line"]
    assert frame["column"].tolist() == ["line"] * 3 + ["peak"] * 3
    assert frame["name"].tolist() == ["intercept", "slope", "curvature"] * 2
    assert frame["unit"].tolist() == ["T", "T/m", "T/m^2"] * 2
    values, covariance = np.polyfit(X, line, 2, cov=True)
    np.testing.assert_allclose(frame["value"][:3], values[::-1])
    np.testing.assert_allclose(frame["sigma"][:3], np.sqrt(np.diag(covariance))[::-1])
    names = ["covariance_intercept", "covariance_slope", "covariance_curvature"]
    np.testing.assert_allclose(frame[names][:3], covariance[::-1, ::-1], atol=1e-12)


def test_covariances_are_attributes_on_request(data: Path) -> None:
    with quire.chain(data, steps="4") as chain:
        step = next(iter(chain.fit("line", versus="x", covariance=True)))
        line = chain.read(["line"])["line"]
    _, covariance = np.polyfit(X, line, 1, cov=True)
    found = step.attrs.info["line_intercept_slope_covariance"]
    assert (found.value, found.unit) == (pytest.approx(covariance[0, 1]), "T^2/m")


def test_a_curve_has_even_places(data: Path) -> None:
    with quire.chain(data, steps="4") as chain:
        made = chain.fit("line", "peak", versus="x", order=1, curve=11)
        columns, table = made.read(), next(iter(made)).table
        slope, intercept = np.polyfit(X, chain.read(["line"])["line"], 1)
    assert list(columns) == ["x", "line_fit", "peak_fit"]
    np.testing.assert_allclose(columns["x"], np.linspace(-2, 3, 11))
    np.testing.assert_allclose(columns["line_fit"], slope * columns["x"] + intercept)
    assert (table["x"].unit, table["line_fit"].unit) == ("m", "T")


def test_each_group_is_fitted_by_itself(data: Path) -> None:
    with quire.chain(data) as chain:
        frame = chain.group("half=bin(turn, 2)").fit("line", versus="x").collapse().to_pandas()
        line = chain.read(["line"])["line"].reshape(4, ROWS // 2)
    expected = [np.polyfit(x, y, 1)[0] for x, y in zip([*X.reshape(2, -1)] * 2, line, strict=True)]
    np.testing.assert_allclose(frame["line_slope"], expected)


def test_errors_of_the_column_are_used(data: Path) -> None:
    with quire.chain(data, steps="1") as chain:
        step = next(iter(chain.fit("line", versus="x", sigma="error")))
        line = chain.read(["line"])["line"]
    _, covariance = np.polyfit(X, line, 1, w=np.full(ROWS, 10.0), cov="unscaled")
    assert step.attrs["line_slope_sigma"] == pytest.approx(np.sqrt(covariance[0, 0]))
    assert step.attrs.info["line_fit_chi_squared"].unit == ""
    assert 0 <= step.attrs["line_fit_significance"] <= 1


def test_two_variables(data: Path) -> None:
    with quire.chain(data, steps="1") as chain:
        made = chain.define("plane[T]=2*turn + 3*z*x - 1").fit(
            "plane", versus=["x", "z"], order=2, parameters=True
        )
        frame = made.to_pandas().set_index("name")
    assert frame["value"]["coefficient_1_1"] == pytest.approx(3)
    assert frame["unit"]["coefficient_1_1"] == "T/m/s"
    assert frame["unit"]["coefficient_0_2"] == "T/s^2"


def test_an_expression_has_columns_attributes_and_parameters(data: Path) -> None:
    with quire.chain(data) as chain:
        model = "base + height*exp(-((x - place) / width)**2 / scale)"
        how: dict[str, Any] = {"start": {"base": 0.5, "height": 1.0, "place": 0.0, "width": 1.0}}
        for step in chain.fit("peak", model=model, versus="x", **how):
            assert step.attrs["peak_place"] == pytest.approx(0.5)
            assert abs(step.attrs["peak_width"]) == pytest.approx(0.4)
            assert step.attrs["peak_height"] == pytest.approx(step.number)
        curve = chain.fit("peak", model=model, versus="x", curve=3, **how).read()["peak_fit"]
        several = chain.define('sum=2*x - 3*as_unit(z, "m") + as_unit(row, "m")').fit(
            "sum", model="a*x + b*z + row", start={"a": 1, "b": 1}
        )
        for step in several:
            assert (step.attrs["sum_a"], step.attrs["sum_b"]) == (pytest.approx(2), pytest.approx(-3))
    assert curve[0] == pytest.approx(1, abs=1e-6)


def test_rows_with_nan_keep_their_place(data: Path) -> None:
    with quire.chain(data, steps="4") as chain:
        holed = chain.define("y=where(turn == 5, nan, 2*x)", "u=where(turn == 7, nan, x)")
        line = holed.fit("y", versus="u").read(["y_fit", "y_residual"])
        model = holed.fit("y", model="a*u", start={"a": 1})
        fitted = model.read(["y_fit"])["y_fit"]
        step = next(iter(model))
        assert step.attrs["y_fit_points"] == ROWS - 2
        assert step.warnings == [f"step 4: 2 of {ROWS} rows are not finite, and are left out of the fit of y"]
    assert np.flatnonzero(np.isnan(line["y_residual"])).tolist() == [5, 7]
    assert np.flatnonzero(np.isnan(line["y_fit"])).tolist() == [7]
    np.testing.assert_allclose(np.delete(fitted, 7), np.delete(2 * X, 7))


def test_a_fit_that_does_not_converge_is_nan_and_has_a_reason(data: Path, tmp_path: Path) -> None:
    with quire.chain(data, steps="4") as chain:
        flat = chain.define("flat=0*turn + 3").fit("flat", "line", versus="x", model="gaussian")
        report = flat.write(path_for(tmp_path, step_formats()[0], "out"))
        step = next(iter(flat))
        assert report.steps == 1
        assert step.attrs["flat_fit_converged"] == 0
        assert np.isnan([step.attrs["flat_mean"], step.attrs["flat_fit_rms"]]).all()
        assert np.isnan(step.table.read(["flat_fit"])["flat_fit"]).all()
        assert step.attrs["flat_fit_points"] == ROWS
        assert any(
            "flat in step 4 did not converge: the data do not determine" in one for one in flat.failures
        )
        with pytest.raises(ConflictError, match="did not converge"):
            list(chain.define("flat=0*turn + 3").fit("flat", versus="x", model="gaussian").strict())


def test_steps_without_rows_do_not_converge(data: Path) -> None:
    with quire.chain(data) as chain:
        made = chain.filter("x > 100")
        for model in ("polynomial", "sine", "spline", "chebyshev"):
            steps = list(made.fit("line", versus="x", model=model))
            assert [step.attrs["line_fit_converged"] for step in steps] == [0, 0]
        empty = made.fit("line", versus="x", curve=5).read()
        assert np.isnan(empty["x"]).all()
        assert len(list(made.fit("line", model="a*x", start={"a": 1.0}))) == 2


@pytest.mark.parametrize(
    ("columns", "how", "error", "message"),
    [
        (["q"], {"versus": "x"}, MissingError, "no column 'q'"),
        (["line"], {"versus": "q"}, MissingError, "no column 'q'"),
        (["line"], {}, UsageError, "as variable"),
        (["line"], {"versus": ["x", "z"], "model": "sine"}, UsageError, "one column as variable"),
        (["line"], {"versus": "x", "model": "sine", "order": 2}, UsageError, "no order"),
        (["line"], {"versus": "x", "order": -1}, UsageError, "0 or more"),
        (["line"], {"versus": "x", "orders": (0, 0)}, UsageError, "different numbers"),
        (["line"], {"versus": "x", "start": {"a": 1}}, UsageError, "no start"),
        (["line"], {"model": "a*x"}, UsageError, "give start a=1"),
        (["line"], {"model": "x*2"}, UsageError, "no parameter"),
        (["line"], {"model": "gausian", "versus": "x"}, UsageError, "'gausian'"),
        (["line", "peak"], {"versus": "x", "name": "y"}, UsageError, r"write \*"),
        (["line"], {"versus": "x", "curve": 1}, UsageError, "2 rows or more"),
        (["line"], {"versus": ["x", "z"], "curve": 5}, UsageError, "one variable"),
        (["peak"], {"versus": "x", "model": "spline", "knots": 1}, UsageError, "2 breakpoints"),
        ([], {"versus": "x"}, UsageError, "needs a column"),
    ],
)
def test_requests_that_make_no_sense_are_refused(
    data: Path, columns: list[str], how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with quire.chain(data) as chain, pytest.raises(error, match=message):
        list(chain.fit(*columns, **how))


def test_texts_long_double_and_existing_names_are_refused(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", X)
        step.put("name", NAMES)
        step.put("wide", X.astype(np.longdouble))
        step.put("large", np.full(ROWS, 2**60 + 1))
        step.put("y_fit", X)
        step.put("y", X)
    with quire.chain(path) as chain:
        for column, message in (("name", "texts"), ("wide", "float80"), ("large", "rounded")):
            with pytest.raises(TypeMismatchError, match=message):
                list(chain.fit(column, versus="x"))
        with pytest.raises(ConflictError, match="there is such a column"):
            list(chain.fit("y", versus="x"))
        found = next(iter(chain.fit("y", versus="x", name="best")))
        assert found.attrs["best_slope"] == pytest.approx(1)
        assert list(found.table)[-2:] == ["best_fit", "best_residual"]


def test_the_straight_line_of_the_specification(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(1.0, 11))
        step.put("y", np.array([0.0, 1, 0, 2, 0, 3, 0, 4, 0, 5]))
    with quire.chain(path) as chain:
        attrs = next(iter(chain.fit("y", versus="x"))).attrs
        assert len(chain.fit("y", versus="x").collapse().to_pandas()) == 1
    assert attrs["y_slope"] == pytest.approx(1 / 3, rel=1e-14)
    assert attrs["y_slope_sigma"] == pytest.approx(0.18802535827259, rel=1e-13)
    assert attrs["y_intercept_sigma"] == pytest.approx(1.1666666666667, rel=1e-13)
    assert attrs["y_fit_rms"] == pytest.approx(1.527525231651947, rel=1e-14)


def test_a_column_without_unit_counts_as_a_number() -> None:
    step = next(iter(quire.new("x[m]=1,2,3", "y=1,2,4").fit("y", versus="x", order=2)))
    units = [step.attrs.info[f"y_{name}"].unit for name in ("intercept", "slope", "curvature")]
    assert units == ["", "1/m", "1/m^2"]


MODELS: dict[str, tuple[Any, dict[str, tuple[str, float]]]] = {
    "gaussian": (
        lambda x, a, b, c, d: a + b * np.exp(-0.5 * ((x - c) / d) ** 2),
        {"baseline": ("T", 0.5), "height": ("T", 3), "mean": ("m", 0.3), "sigma": ("m", 0.6)},
    ),
    "lorentzian": (
        lambda x, a, b, c, d: a + b * d**2 / (d**2 + (x - c) ** 2),
        {"baseline": ("T", -1), "height": ("T", 2), "center": ("m", 0.8), "gamma": ("m", 0.4)},
    ),
    "exponential": (
        lambda x, a, b, c: a + b * np.exp(c * x),
        {"constant": ("T", 1), "factor": ("T", 2), "rate": ("1/m", -0.7)},
    ),
    "sine": (
        lambda x, a, b, c, d: a + b * np.sin(2 * np.pi * c * x + d),
        {"constant": ("T", 1), "factor": ("T", 2), "frequency": ("1/m", 0.9), "phase": ("rad", 0.4)},
    ),
    "sloped_sine": (
        lambda x, a, b, c, d, e: a + b * np.sin(2 * np.pi * c * x + d) + e * x,
        {"constant": ("T", 1), "factor": ("T", 2), "frequency": ("1/m", 0.9), "phase": ("rad", 0.4),
         "slope": ("T/m", 0.5)},
    ),
    "damped_sine": (
        lambda x, a, b, c, d, e: a + b * np.exp(e * x) * np.sin(2 * np.pi * c * x + d),
        {"constant": ("T", 1), "factor": ("T", 2), "frequency": ("1/m", 0.9), "phase": ("rad", 0.4),
         "rate": ("1/m", -0.3)},
    ),
}  # fmt: skip
"""Models with the units and values of their parameters."""


@pytest.mark.parametrize("model", MODELS)
def test_each_model_finds_the_parameters_of_its_curve_with_their_units(model: str) -> None:
    curve, parameters = MODELS[model]
    y = curve(X, *(value for _, value in parameters.values()))
    made = quire.new(columns={"x[m]": X, "y[T]": y, "upside_down[T]": -y})
    chain = made.fit("y", versus="x", model=model)
    (step,) = chain
    assert chain.failures == set()
    for name, (unit, value) in parameters.items():
        assert step.attrs[f"y_{name}"] == pytest.approx(value, abs=1e-6), name
        assert step.attrs.info[f"y_{name}"].unit == step.attrs.info[f"y_{name}_sigma"].unit == unit
    np.testing.assert_allclose(step.table.read(["y_fit"])["y_fit"], y, atol=1e-6)
    assert step.attrs["y_fit_rms"] < 1e-6
    (dip,) = made.fit("upside_down", versus="x", model=model)
    np.testing.assert_allclose(dip.table.read(["upside_down_fit"])["upside_down_fit"], -y, atol=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_errors_of_models_are_those_of_the_curvature_of_chi_squared(model: str) -> None:
    curve, parameters = MODELS[model]
    values = [value for _, value in parameters.values()]
    y = curve(X, *values) + 0.01 * np.random.default_rng(2).normal(size=ROWS)
    (step,) = quire.new(columns={"x[m]": X, "y[T]": y}).fit("y", versus="x", model=model)
    best, covariance = scipy.optimize.curve_fit(curve, X, y, values)
    for place, name in enumerate(parameters):
        assert step.attrs[f"y_{name}"] == pytest.approx(best[place], abs=1e-5), name
        sigma = np.sqrt(covariance[place, place])
        assert step.attrs[f"y_{name}_sigma"] == pytest.approx(sigma, rel=1e-2), name


def test_chebyshev_polynomials_and_splines_are_those_of_numpy_and_scipy() -> None:
    y = np.sin(2 * X) + 0.1 * X
    made = quire.new(columns={"x[m]": X, "y[T]": y})
    found = made.fit("y", versus="x", model="chebyshev", order=6).read(["y_fit"])["y_fit"]
    np.testing.assert_allclose(found, np.polynomial.Chebyshev.fit(X, y, 6)(X), atol=1e-9)
    found = made.fit("y", versus="x", orders=(0, 1, 3)).read(["y_fit"])["y_fit"]
    columns = np.stack([X**order for order in (0, 1, 3)], axis=1)
    np.testing.assert_allclose(found, columns @ np.linalg.lstsq(columns, y, rcond=None)[0], atol=1e-9)
    found = made.fit("y", versus="x", model="spline", knots=6).read(["y_fit"])["y_fit"]
    inner = np.linspace(X[0], X[-1], 6)[1:-1]
    knots = np.concatenate([[X[0]] * 4, inner, [X[-1]] * 4])
    np.testing.assert_allclose(found, scipy.interpolate.make_lsq_spline(X, y, knots)(X), atol=1e-9)
