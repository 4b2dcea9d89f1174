"""Verbs that compute give the numbers of NumPy and pandas, for random tables: empty, with NaN, of one row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import quire

finite = st.floats(-1e6, 1e6)
numbers = hnp.arrays(np.float64, st.integers(0, 12), elements=finite)
several = hnp.arrays(np.float64, st.integers(2, 12), elements=finite)
with_nan = hnp.arrays(np.float64, st.integers(0, 12), elements=st.one_of(st.just(np.nan), finite))


def chain_of(**columns: Any) -> quire.Chain:
    """New rows with these columns in metres, and the number of the row in seconds."""
    count = len(next(iter(columns.values())))
    named = {f"{name}[m]": values for name, values in columns.items()}
    return quire.new(columns={"t[s]": np.arange(count) * 0.5} | named)


@settings(max_examples=40)
@given(several)
def test_derivatives_are_central_differences(y: Any) -> None:
    found = chain_of(y=y).deriv("y", versus="t").read()["y_derivative"]
    np.testing.assert_allclose(found, np.gradient(y, 0.5), atol=1e-6)


@settings(max_examples=40)
@given(several)
def test_integrals_are_sums_of_trapezia(y: Any) -> None:
    found = chain_of(y=y).integ("y", versus="t").read()["y_integral"]
    expected = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2 * 0.5)])
    np.testing.assert_allclose(found, expected, atol=1e-6)


@settings(max_examples=40)
@given(numbers, st.sampled_from([1, 3, 5]))
def test_smoothing_is_a_rolling_mean_with_shorter_windows_at_the_ends(y: Any, points: int) -> None:
    found = chain_of(y=y).smooth("y", points=points).read()["y"]
    expected = pandas.Series(y).rolling(points, center=True, min_periods=1).mean()
    np.testing.assert_allclose(found, expected, atol=1e-6)


@settings(max_examples=40)
@given(several, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_interpolation_is_that_of_numpy(y: Any, shares: list[float]) -> None:
    places = np.sort(shares) * (len(y) - 1) * 0.5
    found = chain_of(y=y).interp("y", versus="t", at=places).read()["y"]
    np.testing.assert_allclose(found, np.interp(places, np.arange(len(y)) * 0.5, y), atol=1e-6)


@settings(max_examples=40)
@given(with_nan, st.integers(0, 2**31))
def test_correlations_are_those_of_pandas(y: Any, seed: int) -> None:
    z = np.random.default_rng(seed).normal(size=len(y))
    found = chain_of(y=y, z=z).correlate(["y", "z"]).read()
    kept = ~np.isnan(y)
    if kept.sum() > 2 and np.ptp(y[kept]) > 1e-3:
        frame = pandas.DataFrame({"y": y, "z": z})
        np.testing.assert_allclose(found["coefficient"], frame["y"].corr(frame["z"]), atol=1e-6)


@settings(max_examples=40)
@given(with_nan)
def test_definitions_and_casts_are_those_of_numpy(y: Any) -> None:
    chain = chain_of(y=y).define("r=sqrt(y**2)", "n=row", "total=cumsum(t)")
    found = chain.select(cast={"n": "int32"}, unit={"y": "mm"}).read()
    np.testing.assert_allclose(found["r"], np.sqrt(y**2))
    np.testing.assert_array_equal(found["n"], np.arange(len(y), dtype=np.int32))
    np.testing.assert_allclose(found["total"], np.cumsum(np.arange(len(y)) * 0.5))
    np.testing.assert_allclose(found["y"], y * 1000)
    assert found["n"].dtype == np.int32


@settings(max_examples=40)
@given(numbers)
def test_peaks_and_zeros_are_where_neighbours_say(y: Any) -> None:
    peaks = chain_of(y=y).peaks("y").read()["t"]
    inner = np.flatnonzero((y[1:-1] > y[:-2]) & (y[1:-1] > y[2:])) + 1 if len(y) > 2 else np.empty(0, int)
    np.testing.assert_array_equal(peaks, inner * 0.5)
    nonzero = y[y != 0]
    if len(nonzero) == len(y):
        zeros = chain_of(y=y).zeros("y", versus="t").read()["t"]
        assert len(zeros) == np.count_nonzero(np.diff(np.sign(y)))
        inside = np.flatnonzero(np.diff(np.sign(y))) * 0.5
        assert ((zeros >= inside) & (zeros <= inside + 0.5)).all()


@settings(max_examples=30)
@given(hnp.arrays(np.float64, st.integers(6, 12), elements=st.floats(-1e3, 1e3)), st.integers(0, 2))
def test_polynomial_fits_are_those_of_numpy(y: Any, order: int) -> None:
    t = np.arange(len(y)) * 0.5
    found = chain_of(y=y).fit("y", versus="t", order=order).read()["y_fit"]
    np.testing.assert_allclose(found, np.polynomial.Polynomial.fit(t, y, order)(t), atol=1e-6)


@settings(max_examples=30)
@given(hnp.arrays(np.float64, (3, 3), elements=st.floats(-10, 10)))
def test_products_and_pseudo_inverses_are_those_of_numpy(matrix: Any) -> None:
    columns = {f"c{place}": matrix[:, place] for place in range(3)}
    chain = quire.new(columns=columns)
    product = chain.multiply(quire.new(columns=columns)).read()
    np.testing.assert_allclose(np.stack([*product.values()], 1), matrix @ matrix, atol=1e-9)
    singular = np.linalg.svd(matrix, compute_uv=False)
    if singular[-1] > 1e-3:
        found = chain.pseudo_invert().read()
        inverse = np.stack([found[f"row{row}"] for row in range(3)], 1)
        np.testing.assert_allclose(inverse @ matrix, np.eye(3), atol=1e-6)


@settings(max_examples=30)
@given(several)
def test_amplitudes_are_those_of_the_transform_of_numpy(y: Any) -> None:
    found = chain_of(y=y).fft("y", versus="t", results=["amplitude"]).read()
    expected = np.abs(np.fft.rfft(y)) / len(y) * 2
    expected[0] /= 2
    if len(y) % 2 == 0:
        expected[-1] /= 2
    np.testing.assert_allclose(found["frequency"], np.fft.rfftfreq(len(y), 0.5))
    np.testing.assert_allclose(found["y_amplitude"], expected, atol=1e-6)


@settings(max_examples=30)
@given(with_nan)
def test_outliers_are_beyond_the_deviations_of_numpy(y: Any) -> None:
    kept = chain_of(y=y).outliers("y", deviations=1.5).read()["y"]
    values = y[~np.isnan(y)]
    if len(values) > 1 and np.ptp(values) > 1e-3:
        limit = 1.5 * values.std(ddof=1)
        expected = values[np.abs(values - values.mean()) <= limit]
        np.testing.assert_allclose(np.sort(kept[~np.isnan(kept)]), np.sort(expected))


@settings(max_examples=30)
@given(numbers)
def test_rows_become_steps_and_rows_again(y: Any) -> None:
    if len(y):
        found = chain_of(y=y).expand().collapse().read()
        np.testing.assert_array_equal(found["y"], y)
