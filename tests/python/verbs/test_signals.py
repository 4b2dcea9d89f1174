"""Verbs for signals: results, units and names in every format, steps without rows, NaN, and mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats
from tests.python.verbs.test_against_pandas import chain_of

import quire
from quire.errors import ConflictError, DataError, MissingError, TypeMismatchError, UsageError

ROWS = 64
TIME = 0.5 * np.arange(ROWS)
SINE = 1 + 2 * np.sin(2 * np.pi * 0.25 * TIME)


@pytest.fixture(params=step_formats())
def wave(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two steps of a signal of a voltage over time, in each format."""
    path = path_for(tmp_path, request.param)
    with quire.create(path, format=request.param) as out:
        for number in (3, 7):
            with out.step(number) as step:
                step.set("charge", 2.5, unit="nC")
                step.put("t", TIME, unit="s")
                step.put("v", number * SINE, unit="V")
                step.put("turn", np.arange(ROWS, dtype=np.int32))
    return path


def units_of(chain: Any) -> dict[str, str]:
    """Return the units of the columns of the first step."""
    return {name: column.unit for name, column in next(iter(chain)).table.columns.items()}


@pytest.mark.parametrize(
    ("change", "units", "rows"),
    [
        (
            lambda chain: chain.fft("v", versus="t", results=["amplitude", "phase", "density", "power"]),
            {
                "frequency": "1/s",
                "v_amplitude": "V",
                "v_phase": "deg",
                "v_density": "V^2 s",
                "v_power": "V^2",
            },
            33,
        ),
        (
            lambda chain: chain.tunes("v", versus="t", count=2),
            {"v_frequency": "1/s", "v_amplitude": "V", "v_phase": "rad", "v_significance": ""},
            2,
        ),
        (lambda chain: chain.smooth("v"), {"t": "s", "v": "V", "turn": ""}, ROWS),
        (
            lambda chain: chain.smooth("v", suffix="_mean"),
            {"t": "s", "v": "V", "turn": "", "v_mean": "V"},
            ROWS,
        ),
        (lambda chain: chain.interp("v", versus="t", count=5), {"t": "s", "v": "V"}, 5),
        (lambda chain: chain.deriv("v", versus="t"), {"t": "s", "v_derivative": "V/s"}, ROWS),
        (
            lambda chain: chain.integ("v", versus="t", method="gill_miller"),
            {"t": "s", "v": "V", "turn": "", "v_integral": "V s", "v_integral_error": "V s"},
            ROWS,
        ),
        (lambda chain: chain.peaks("v"), {"t": "s", "v": "V", "turn": ""}, 8),
        (
            lambda chain: chain.zeros("v", versus="t", level=1.0),
            {"t": "s", "v": "V", "turn": "", "v_slope": "V/s"},
            15,
        ),
        (lambda chain: chain.outliers("v", maximum=0.0), {"t": "s", "v": "V", "turn": ""}, 24),
        (
            lambda chain: chain.outliers("v", mark="odd"),
            {"t": "s", "v": "V", "turn": "", "odd": ""},
            ROWS,
        ),
    ],
)
def test_each_verb_writes_every_format_with_units(
    wave: Path, tmp_path: Path, change: Any, units: dict[str, str], rows: int
) -> None:
    format = quire.open(wave).format
    target = path_for(tmp_path, format, "out")
    with quire.chain(wave) as chain:
        assert units_of(change(chain)) == units
        change(chain).write(target, format=format, lossy=True)
    with quire.open(target) as found:
        assert [(step.number, len(step.table)) for step in found] == [(3, rows), (7, rows)]
        assert {name: column.unit for name, column in found[-1].table.columns.items()} == units
        assert found[-1].attrs["charge"] == 2.5


def test_verbs_follow_each_other(wave: Path) -> None:
    with quire.chain(wave) as chain:
        spectra = chain.fft("v", versus="t", results=["amplitude"]).filter("frequency > 0")
        lines = spectra.peaks("v_amplitude", threshold=1.0)
        assert lines.read()["frequency"].tolist() == [0.25, 0.25]
        np.testing.assert_allclose(lines.read()["v_amplitude"], [6, 14])
        tune = chain.tunes("v", versus="t").merge().read()
        np.testing.assert_allclose(tune["v_frequency"], 0.25, rtol=1e-12)
        np.testing.assert_allclose(tune["v_phase"], -np.pi / 2, rtol=1e-9)
        there = chain.integ("v", versus="t").deriv("v_integral", versus="t").read()["v_integral_derivative"]
        v = chain.read()["v"]
        np.testing.assert_allclose(there[1 : ROWS - 1], (v[2:ROWS] + 2 * v[1 : ROWS - 1] + v[: ROWS - 2]) / 4)


def test_values_at_places_of_another_file_and_outside(wave: Path) -> None:
    with quire.chain(wave, steps="3") as chain:
        places = chain.rows(slice(0, 3)).select(["t"])
        step = next(iter(chain.interp("turn", versus="t", at=[-1.0, 0.75, 99.0])))
        found = chain.interp("turn", versus="t", at=places).read()
        with pytest.raises(ConflictError, match="the unit is 's' in the first file and 'ms' in the other"):
            chain.interp(versus="t", at=places.select(unit={"t": "ms"})).read()
        even = chain.interp("turn", versus="t", spacing=0.25, limits=(1.0, 2.0)).read()
        kept = chain.interp("turn", versus="t", at=[-1.0, 99.0], outside="saturate").read()["turn"]
        sides = chain.interp("turn", versus="t", at=[-1.0, 99.0], outside=("extrapolate", "nan")).read()
    np.testing.assert_array_equal(step.table["turn"].read(), [np.nan, 1.5, np.nan])
    assert step.warnings == ["step 3: 2 of 3 values of turn are NaN"]
    assert (found["t"].tolist(), found["turn"].tolist()) == ([0, 0.5, 1], [0, 1, 2])
    assert even["turn"].tolist() == [2, 2.5, 3, 3.5, 4]
    assert kept.tolist() == [0, 63]
    np.testing.assert_array_equal(sides["turn"], [-2, np.nan])


def test_errors_of_values_are_those_of_differences_and_sums() -> None:
    table = {"x": np.arange(4.0), "y": np.arange(4.0), "dy": np.full(4, 3.0)}
    with chain_of(table) as chain:
        slope = chain.deriv("y", versus="x", sigma="d*").read()
        area = chain.integ("y", versus="x", sigma="d*").read()
    np.testing.assert_allclose(slope["y_derivative_sigma"], np.array([2, 1, 1, 2]) * np.sqrt(18) / 2)
    np.testing.assert_allclose(area["y_integral_sigma"], 3 * np.sqrt([0, 0.5, 1.5, 2.5]))


def test_outliers_are_left_out_kept_marked_or_replaced() -> None:
    table = {
        "x": np.array([0.0, 1, 9, 3, np.nan]),
        "y": np.array([0.0, 0, 0, 50, 0]),
        "name": np.full(5, "a", object),
    }
    with chain_of(table) as chain:
        limits: Any = {"maximum": 8.0}
        kept = chain.outliers("x", "y", **limits)
        assert next(iter(kept)).warnings == ["step 0: 2 of 5 rows are outliers, and left out"]
        np.testing.assert_array_equal(kept.read()["x"], [0, 1, np.nan])
        assert chain.outliers("x", "y", invert=True, **limits).read()["x"].tolist() == [9, 3]
        marked = chain.outliers("x", mark="odd", **limits)
        assert marked.read()["odd"].tolist() == [0, 0, 1, 0, 0]
        assert marked.outliers("y", mark="odd", **limits).read()["odd"].tolist() == [0, 0, 1, 1, 0]
        filled = chain.outliers("x", "y", replace="interpolated", **limits).read()
        np.testing.assert_array_equal(filled["x"], [0, 1, 2, 3, np.nan])
        assert filled["y"].tolist() == [0, 0, 0, 0, 0]
        assert list(filled) == ["x", "y", "name"]
        assert chain.outliers("y", replace=-1.0, **limits).read()["y"].tolist() == [0, 0, 0, -1, 0]


def test_steps_without_rows_give_steps_without_results() -> None:
    empty = {"x": np.empty(0), "y": np.empty(0)}
    with chain_of(empty) as chain:
        for change, rows in (
            (chain.fft("y", versus="x"), 0),
            (chain.smooth("y"), 0),
            (chain.smooth("y", method="polynomial"), 0),
            (chain.interp(versus="x", count=3), 0),
            (chain.deriv("y", versus="x"), 0),
            (chain.deriv("y", versus="x", points=3), 0),
            (chain.integ("y", versus="x"), 0),
            (chain.integ("y", versus="x", method="gill_miller"), 0),
            (chain.peaks("y"), 0),
            (chain.zeros("y", versus="x"), 0),
            (chain.outliers("y"), 0),
        ):
            assert [len(values) for values in change.read().values()] == [rows] * len(change.read())
        assert np.isnan(chain.interp("y", versus="x", at=[0.0]).read()["y"]).all()
        assert np.isnan(chain.tunes("y").read()["y_frequency"]).all()


def test_one_row_is_no_error_where_it_has_a_result() -> None:
    with chain_of({"x": np.array([2.0]), "y": np.array([5.0])}) as chain:
        assert chain.fft("y").read()["y_amplitude"].tolist() == [5]
        assert chain.smooth("y", points=7).read()["y"].tolist() == [5]
        assert chain.integ("y", versus="x").read()["y_integral"].tolist() == [0]
        assert np.isnan(chain.deriv("y", versus="x").read()["y_derivative"]).all()
        assert chain.outliers("y").read()["y"].tolist() == [5]
        with pytest.raises(DataError, match="step 0, y: order 1 needs 2 rows"):
            chain.interp("y", versus="x", at=[2.0]).read()


def test_missing_values_are_counted() -> None:
    table = {"x": np.arange(6.0), "y": np.array([1.0, 2, np.nan, 2, 1, 0])}
    with chain_of(table) as chain:
        for change, count in (
            (chain.smooth("y"), 3),
            (chain.deriv("y", versus="x"), 2),
            (chain.integ("y", versus="x"), 4),
            (chain.fft("y", results=["amplitude"]), 4),
        ):
            (warning,) = next(iter(change)).warnings
            assert warning.startswith(f"step 0: {count} of ")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda chain: chain.fft("q"), MissingError, "no column 'q'"),
        (lambda chain: chain.fft("name"), TypeMismatchError, "contains texts"),
        (lambda chain: chain.fft(), UsageError, "needs a column"),
        (lambda chain: chain.fft("y", results=["amplitud"]), UsageError, "no result 'amplitud'"),
        (lambda chain: chain.fft("y", versus="x"), DataError, "step 0: x is not evenly spaced"),
        (lambda chain: chain.fft("y", versus="x", spacing=1.0), UsageError, "either the column of times"),
        (lambda chain: chain.fft("y", window="box"), UsageError, "windows are none, hann"),
        (lambda chain: chain.fft("y", spacing=0.0), UsageError, "spacing of times is positive"),
        (lambda chain: chain.tunes("y", count=0), UsageError, "1 or more"),
        (lambda chain: chain.tunes("y", pair="p*"), MissingError, "no column 'py'"),
        (lambda chain: chain.tunes("y", versus="x"), DataError, "step 0: x is not evenly spaced"),
        (lambda chain: chain.smooth("y", method="box"), UsageError, "smoothed by mean, median"),
        (lambda chain: chain.smooth("y", points=4), UsageError, "odd number of rows, not 4"),
        (lambda chain: chain.smooth("y", method="polynomial", points=9), DataError, "step 0, y: the window"),
        (lambda chain: chain.smooth("y", suffix="_x", passes=-1), UsageError, "0 or more"),
        (lambda chain: chain.interp(versus="x"), UsageError, r"either places \(--at\), their number"),
        (lambda chain: chain.interp(versus="q", at=[1.0]), MissingError, "no column 'q'"),
        (lambda chain: chain.interp("x", versus="x", at=[1.0]), DataError, "no column besides 'x'"),
        (lambda chain: chain.interp(versus="y", at=[1.0]), DataError, "step 0: y is not strictly monotonic"),
        (lambda chain: chain.interp(versus="x", count=1), UsageError, "2 places or more"),
        (lambda chain: chain.interp(versus="x", spacing=0.0), UsageError, "spacing of places is positive"),
        (
            lambda chain: chain.interp(versus="x", at=[-1.0], outside="error"),
            DataError,
            "-1 is outside of the range 0 to 7",
        ),
        (lambda chain: chain.deriv("y", versus="x", interval=0), UsageError, "at least 1 row"),
        (lambda chain: chain.deriv("y", versus="x", points=5), DataError, "step 0: x is not evenly spaced"),
        (lambda chain: chain.deriv("y", versus="x", sigma="s*"), MissingError, "no column 'sy'"),
        (
            lambda chain: chain.integ("y", versus="x", method="simpson"),
            UsageError,
            "trapezoid or gill_miller",
        ),
        (
            lambda chain: chain.integ("x", versus="y", method="gill_miller"),
            DataError,
            "not strictly monotonic",
        ),
        (lambda chain: chain.integ("y", versus="x").integ("y", versus="x"), ConflictError, "y_integral"),
        (lambda chain: chain.peaks("*"), UsageError, "names several columns: x, y"),
        (lambda chain: chain.peaks("y", points=4), UsageError, "3, 5 or 7 points"),
        (lambda chain: chain.zeros("y", versus="x", level=float("nan")), UsageError, "finite number"),
        (lambda chain: chain.zeros("name", versus="x"), TypeMismatchError, "contains texts"),
        (lambda chain: chain.outliers(), UsageError, "needs a column"),
        (lambda chain: chain.outliers("y", passes=0), UsageError, "1 or more"),
        (lambda chain: chain.outliers("y", mark="m", invert=True), UsageError, "choose one"),
        (lambda chain: chain.outliers("y", mark="m", versus="x"), UsageError, "belongs to --replace inter"),
        (lambda chain: chain.outliers("y", replace="mean"), UsageError, "replaced by last, next"),
    ],
)
def test_mistakes_name_what_is_wrong(change: Any, error: Any, message: str) -> None:
    table = {
        "x": np.array([0.0, 1, 2, 4, 5, 7]),
        "y": np.array([0.0, 1, 0, 1, 0, 1]),
        "name": np.full(6, "a", object),
    }
    with chain_of(table) as chain, pytest.raises(error, match=message):
        change(chain).read()
