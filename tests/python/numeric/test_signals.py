"""Spectra, smoothing, calculus, interpolation and extrema against NumPy and SciPy, for random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.errors import DataError, TypeMismatchError
from quire.numeric import smoothing
from quire.numeric.calculus import derivative, gill_miller, savitzky_golay_derivative, trapezoid
from quire.numeric.extrema import PeakCriteria, peaks, zeros
from quire.numeric.interpolation import Outsiders, interpolate, monotonic_rows
from quire.numeric.outliers import OutlierCriteria, is_outlier, replaced
from quire.numeric.spectra import Preparation, spectrum, window
from quire.numeric.tunes import lines

Array = np.ndarray[Any, Any]
brief = settings(max_examples=40)

small = st.integers(-40, 40).map(lambda n: n / 8)
few = st.lists(small, min_size=0, max_size=25).map(lambda found: np.array(found, np.float64))
some = st.lists(small, min_size=6, max_size=25).map(lambda found: np.array(found, np.float64))
with_nan = st.lists(st.one_of(small, st.just(math.nan)), max_size=25).map(
    lambda found: np.array(found, np.float64)
)
steps = st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), min_size=25, max_size=25)


def places(distances: list[float], rows: int) -> Array:
    """Return increasing, unevenly spaced places."""
    return np.cumsum(distances[:rows]) - 5


@brief
@given(few, st.sampled_from(["as_is", "pad"]), st.booleans())
def test_the_density_is_that_of_scipy(y: Array, length: Any, remove_mean: bool) -> None:
    if len(y) < 2:
        return
    padded = 1 << (len(y) - 1).bit_length() if length == "pad" else len(y)
    found = spectrum(y, spacing=0.25, preparation=Preparation(length=length, remove_mean=remove_mean))
    frequency, density = scipy.signal.periodogram(
        y, 4.0, nfft=padded, detrend="constant" if remove_mean else False
    )
    np.testing.assert_allclose(found.frequency, frequency)
    np.testing.assert_allclose(found.density, density, rtol=1e-9, atol=1e-12)
    power = np.mean((y - y.mean() if remove_mean else y) ** 2)
    assert found.integrated()[-1] == pytest.approx(power, abs=1e-12)
    assert found.integrated(from_top=True)[0] == pytest.approx(power, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("hann", "hann"),
        ("hamming", "hamming"),
        ("parzen", "bartlett"),
        ("flat_top", "flattop"),
        ("gaussian", ("gaussian", 39 / 8)),
    ],
)
def test_windows_are_the_symmetric_ones_of_scipy(name: Any, shape: Any) -> None:
    expected = scipy.signal.get_window(shape, 40, fftbins=False)
    np.testing.assert_allclose(window(name, 40), expected, atol=1e-8)


@pytest.mark.parametrize("name", ["hann", "hamming", "parzen", "welch", "flat_top", "gaussian"])
def test_a_corrected_window_keeps_the_power_of_a_line(name: Any) -> None:
    y = 3 * np.sin(2 * np.pi * 0.125 * np.arange(4096))
    found = spectrum(y, preparation=Preparation(window=name, correct=True))
    assert found.integrated()[-1] == pytest.approx(4.5, rel=1e-3)


def test_phases_are_referred_to_time_zero() -> None:
    time = 3.5 + 0.5 * np.arange(64)
    found = spectrum(2 * np.cos(2 * np.pi * 0.25 * time + 0.3), time)
    line = int(np.argmax(found.amplitude))
    assert found.frequency[line] == 0.25
    assert found.phase[line] == pytest.approx(np.degrees(0.3))
    assert complex(found.real[line], found.imaginary[line]) == pytest.approx(2 * np.exp(0.3j))


def test_times_are_evenly_spaced_numbers() -> None:
    with pytest.raises(DataError, match="not evenly spaced"):
        spectrum(np.zeros(3), [0, 1, 3])
    with pytest.raises(DataError, match="decrease"):
        spectrum(np.zeros(3), [2, 1, 0])
    with pytest.raises(TypeMismatchError, match="computes in float64"):
        spectrum(np.zeros(3, np.longdouble))
    assert len(spectrum(np.zeros(23), preparation=Preparation(length="truncate")).frequency) == 11


@brief
@given(
    st.floats(0.02, 0.48), st.floats(0.1, 10), st.floats(-3, 3), st.floats(-100, 100), st.integers(200, 300)
)
def test_the_frequency_of_a_line_has_all_digits(
    f: float, a: float, phase: float, mean: float, rows: int
) -> None:
    found = lines(mean + a * np.cos(2 * np.pi * f * np.arange(rows) + phase), spacing=0.5)
    assert found.frequency[0] == pytest.approx(2 * f, abs=1e-11)
    assert found.amplitude[0] == pytest.approx(a, rel=1e-8)
    assert found.phase[0] == pytest.approx(phase, abs=1e-8)
    assert found.significance[0] == pytest.approx(1)


def test_several_lines_and_the_side_of_a_pair_are_found() -> None:
    turns = np.arange(512)
    signal = sum(
        a * np.cos(2 * np.pi * f * turns + p)
        for f, a, p in ((0.28, 2, 0.3), (0.31, 0.5, -1), (0.285, 0.1, 0))
    )
    found = lines(signal, count=5)
    np.testing.assert_allclose(found.frequency, [0.28, 0.31, 0.285, np.nan, np.nan], atol=1e-12)
    np.testing.assert_allclose(found.amplitude[:3], [2, 0.5, 0.1], rtol=1e-9)
    assert np.isnan(lines(signal, count=5, least=0.05).frequency[2])
    angle = 2 * np.pi * 0.72 * turns + 0.2
    assert lines(np.cos(angle), -3 * np.sin(angle)).frequency[0] == pytest.approx(0.72, abs=1e-10)
    for nothing in (np.ones(9), np.zeros(3), np.full(9, np.nan), np.empty(0)):
        assert np.isnan(lines(nothing).frequency).all()


@brief
@given(with_nan, st.sampled_from([1, 3, 5, 7]))
def test_means_are_those_of_shrinking_windows(y: Array, points: int) -> None:
    rolling = pandas.Series(y).rolling(points, center=True, min_periods=1)
    window_has_nan = pandas.Series(np.isnan(y)).rolling(points, center=True, min_periods=1).max()
    expected = np.where(window_has_nan == 1, np.nan, rolling.mean())
    np.testing.assert_allclose(smoothing.moving_mean(y, points), expected, atol=1e-12)


@brief
@given(with_nan, st.sampled_from([1, 3, 5, 7]))
def test_medians_are_rows_of_their_windows(y: Array, points: int) -> None:
    found = smoothing.median(y, points)
    for row in range(len(y)):
        inside = y[max(row - points // 2, 0) : row + points // 2 + 1]
        expected = np.nan if np.isnan(inside).any() else np.sort(inside)[len(inside) // 2]
        np.testing.assert_equal(found[row], expected)


@brief
@given(some, st.sampled_from([(2, 2, 2, 0), (1, 3, 2, 0), (2, 2, 3, 1), (1, 1, 1, 0), (2, 2, 2, 3)]))
def test_local_polynomials_are_those_of_scipy(y: Array, how: tuple[int, int, int, int]) -> None:
    left, right, order, deriv = how
    found = smoothing.savitzky_golay(y, left, right, order, deriv)
    if left == right:
        expected = scipy.signal.savgol_filter(y, left + right + 1, order, deriv)
        np.testing.assert_allclose(found, expected, atol=1e-9)
    x = np.arange(len(y), dtype=np.float64)
    parabola = x**2 - 3 * x
    if deriv == 0 and order == 2:
        np.testing.assert_allclose(
            smoothing.savitzky_golay(parabola, left, right, order), parabola, atol=1e-9
        )


@brief
@given(few, st.floats(0.3, 3))
def test_gaussian_means_are_those_of_scipy_where_the_window_is_whole(y: Array, sigma: float) -> None:
    found = smoothing.gaussian(y, sigma)
    ones = scipy.ndimage.gaussian_filter1d(np.ones(len(y)), sigma, mode="constant")
    expected = scipy.ndimage.gaussian_filter1d(y, sigma, mode="constant") / ones
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_spike_becomes_the_mean_of_its_neighbours() -> None:
    y = np.array([1.0, 1, 1, 9, 1, 3, 1, 1, 1])
    assert smoothing.despike(y, threshold=5.0).tolist() == [1, 1, 1, 1.5, 1, 3, 1, 1, 1]
    assert smoothing.despike(y, threshold=9.0).tolist() == y.tolist()
    assert smoothing.despike(y, threshold=5.0, average_of=2)[3] == 1


@brief
@given(few, steps, st.sampled_from([1, 2, 3, 4]))
def test_differences_of_a_line_are_its_slope(y: Array, distances: list[float], interval: int) -> None:
    x = places(distances, len(y))
    line = derivative(3 * x + 1, x, interval, np.full(len(y), 0.5))
    if len(y) < 2:
        assert np.isnan(line.values).all()
        return
    np.testing.assert_allclose(line.values, 3)
    found = derivative(y, x)
    np.testing.assert_allclose(found.values[1:-1], (y[2:] - y[:-2]) / (x[2:] - x[:-2]))
    np.testing.assert_allclose(
        found.values[[0, -1]], [(y[1] - y[0]) / (x[1] - x[0]), (y[-1] - y[-2]) / (x[-1] - x[-2])]
    )
    assert found.x[0] == (x[0] + x[1]) / 2
    assert line.sigmas is not None
    assert line.sigmas[0] == pytest.approx(np.sqrt(0.5) / (x[min((interval + 1) // 2, len(x) - 1)] - x[0]))


@brief
@given(some)
def test_polynomial_derivatives_are_those_of_scipy(y: Array) -> None:
    x = 2 + 0.5 * np.arange(len(y))
    found = savitzky_golay_derivative(y, x, 2, 2, 2)
    np.testing.assert_allclose(found.values, scipy.signal.savgol_filter(y, 5, 2, 1, 0.5), atol=1e-9)


@brief
@given(few, steps)
def test_trapezoids_are_those_of_scipy_and_their_errors_those_of_the_sum(
    y: Array, distances: list[float]
) -> None:
    x = places(distances, len(y))
    sigmas = np.abs(y) / 4
    found = trapezoid(y, x, sigmas)
    if not len(y):
        assert len(found.values) == 0
        return
    np.testing.assert_allclose(found.values, scipy.integrate.cumulative_trapezoid(y, x, initial=0), atol=1e-9)
    weights = np.array([trapezoid(unit, x).values for unit in np.eye(len(y))])
    assert found.errors is not None
    np.testing.assert_allclose(
        found.errors, np.sqrt(((weights * sigmas[:, None]) ** 2).sum(axis=0)), atol=1e-9
    )


@brief
@given(st.lists(st.integers(-4, 4), min_size=5, max_size=5), steps, st.integers(5, 12), st.booleans())
def test_gill_and_miller_integrate_polynomials_of_order_four(
    coefficients: list[int], distances: list[float], rows: int, is_reversed: bool
) -> None:
    x = places(distances, rows)[:: -1 if is_reversed else 1]
    polynomial = np.polynomial.Polynomial(coefficients)
    whole = polynomial.integ()
    np.testing.assert_allclose(
        gill_miller(polynomial(x), x).values, whole(x) - whole(x[0]), rtol=1e-7, atol=1e-6
    )
    cubic = np.polynomial.Polynomial(coefficients[:4])
    four = gill_miller(cubic(x[:4]), x[:4])
    np.testing.assert_allclose(four.values, cubic.integ()(x[:4]) - cubic.integ()(x[0]), rtol=1e-7, atol=1e-6)


def test_the_error_of_gill_and_miller_has_the_size_of_their_correction() -> None:
    x = np.sort(np.random.default_rng(3).uniform(0, 3, 40))
    found = gill_miller(np.exp(-x) * np.sin(5 * x), x)
    whole = scipy.integrate.quad(lambda t: np.exp(-t) * np.sin(5 * t), x[0], x[-1])[0]
    assert found.errors is not None
    assert abs(found.final - whole) < found.errors[-1] < 1e-2
    assert (
        abs(found.final - whole) < abs(scipy.integrate.trapezoid(np.exp(-x) * np.sin(5 * x), x) - whole) / 5
    )


@brief
@given(some, steps, st.lists(st.floats(-8, 30), min_size=1, max_size=9), st.booleans())
def test_straight_lines_between_rows_are_those_of_numpy(
    y: Array, distances: list[float], at: list[float], is_reversed: bool
) -> None:
    x = places(distances, len(y))
    turn = slice(None, None, -1 if is_reversed else 1)
    found = interpolate(x[turn], y[turn], at)
    np.testing.assert_allclose(found, np.interp(at, x, y), atol=1e-9)
    outside = interpolate(x[turn], y[turn], at, outsiders=Outsiders("nan", "nan"))
    np.testing.assert_allclose(outside, np.interp(at, x, y, np.nan, np.nan), atol=1e-9)


@brief
@given(some, steps, st.floats(0, 1), st.sampled_from([1, 2, 3, 5]))
def test_higher_orders_are_polynomials_through_the_nearest_rows(
    y: Array, distances: list[float], share: float, order: int
) -> None:
    x = places(distances, len(y))
    at = x[0] + share * (x[-1] - x[0])
    found = interpolate(x, y, [at], order)[0]
    candidates = [
        scipy.interpolate.barycentric_interpolate(x[k : k + order + 1], y[k : k + order + 1], at)
        for k in range(len(x) - order)
        if x[k] <= at <= x[k + order]
    ]
    assert min(abs(found - one) for one in candidates) < 1e-6
    spline = scipy.interpolate.make_interp_spline(x, y, order)(at)
    assert interpolate(x, y, [at], order, "spline")[0] == pytest.approx(float(spline), abs=1e-9)


def test_places_outside_and_disorder() -> None:
    x, y = np.array([0.0, 1, 2]), np.array([0.0, 1, 4])
    assert interpolate(x, y, [3, -1], outsiders=Outsiders("extrapolate", "extrapolate")).tolist() == [7, -1]
    assert interpolate(x, y, [2.5, -0.5], outsiders=Outsiders("wrap", "wrap")).tolist() == [0.5, 2.5]
    with pytest.raises(DataError, match=r"3 is outside of the range 0 to 2"):
        interpolate(x, y, [3], outsiders=Outsiders("error", "error"))
    with pytest.raises(DataError, match="not strictly monotonic: row 2 has 1 after 1"):
        interpolate([0, 1, 1], y, [0])
    assert monotonic_rows([0, 0, 1, np.nan, 0.5, 1, 2]).tolist() == [0, 2, 6]
    assert monotonic_rows([3, 3, 2, 4, 1]).tolist() == [0, 2, 4]


@brief
@given(few)
def test_peaks_are_those_of_scipy_without_plateaus(y: Array) -> None:
    found = peaks(y)
    expected, more = scipy.signal.find_peaks(y, plateau_size=1)
    assert found.tolist() == expected[more["plateau_sizes"] == 1].tolist()
    assert peaks(y, criteria=PeakCriteria(threshold=1.0)).tolist() == [row for row in found if y[row] >= 1]


def test_criteria_of_peaks() -> None:
    y = np.array([0.0, 1, 5, 1, 4, 0, 2, 3, 4, 3, 2])
    assert peaks(y).tolist() == [2, 4, 8]
    assert peaks(y, criteria=PeakCriteria(points=5)).tolist() == [8]
    assert peaks(y, criteria=PeakCriteria(exclusion_zone=0.3)).tolist() == [2, 8]
    assert peaks(y, criteria=PeakCriteria(change=0.8)).tolist() == [2]
    assert peaks(y, criteria=PeakCriteria(curvature=3.0)).tolist() == [2, 4]
    assert peaks([0, 1, np.nan]).tolist() == []


@brief
@given(few, steps)
def test_zeros_are_on_the_line_between_two_rows(y: Array, distances: list[float]) -> None:
    x = places(distances, len(y))
    found = zeros(y, x)
    signs = [value > 0 for value in y if value != 0]
    is_zero = np.concatenate([[False], y == 0])
    touching = int(np.sum(is_zero[1:] & ~is_zero[:-1]))
    crossings = int(np.sum(y[:-1] * y[1:] < 0))
    assert len(found.x) == crossings + touching
    assert len(found.x) >= int(np.sum(np.diff(signs)))
    np.testing.assert_allclose(np.interp(found.x, x, y) if len(y) else [], 0, atol=1e-9)
    np.testing.assert_allclose(found.of(y), 0, atol=1e-9)
    assert np.all(np.diff(found.x) > 0)


def test_the_place_of_zeros_in_a_row_is_their_middle() -> None:
    found = zeros([-1, 0, 0, 1, 3, -1], [0, 1, 2, 3, 4, 5])
    assert found.x.tolist() == [1.5, 4.75]
    assert found.slopes.tolist() == [2 / 3, -4]
    assert found.of([0, 10, 20, 30, 40, 50]).tolist() == [15, 47.5]


@brief
@given(few, st.sampled_from([1.0, 1.5, 2.0, 3.0]), st.sampled_from([1, 2, 5]))
def test_outliers_by_deviations_are_those_of_repeated_clipping(y: Array, limit: float, passes: int) -> None:
    found = is_outlier(y, OutlierCriteria(deviations=limit, passes=passes))
    rest = np.arange(len(y))
    for _ in range(passes):
        if len(rest) > 1:
            inside = y[rest]
            rest = rest[~(np.abs(inside - inside.mean()) > limit * inside.std(ddof=1))]
    assert np.flatnonzero(~found).tolist() == rest.tolist()


@brief
@given(with_nan, st.sampled_from([0, 10, 25]), st.sampled_from([75, 90, 100]))
def test_outliers_by_percentiles_are_outside_of_elements(y: Array, low: float, high: float) -> None:
    found = is_outlier(y, OutlierCriteria(lower_percentile=low, upper_percentile=high))
    known = y[~np.isnan(y)]
    if len(known):
        ends = np.percentile(known, [low, high], method="lower")
        assert found.tolist() == [bool(one < ends[0] or one > ends[1]) for one in y]


def test_criteria_of_outliers() -> None:
    y = np.array([0.0, 1, 2, 1, 0, 50, 1, np.nan])
    assert np.flatnonzero(is_outlier(y)).tolist() == [5]
    assert np.flatnonzero(is_outlier(y, OutlierCriteria(maximum=1.5, minimum=0.5))).tolist() == [0, 2, 4, 5]
    assert np.flatnonzero(is_outlier(y, OutlierCriteria(absolute=10))).tolist() == [5]
    assert np.flatnonzero(is_outlier(y, OutlierCriteria(absolute_deviation=20))).tolist() == [5]
    assert np.flatnonzero(is_outlier(y, OutlierCriteria(unpopular_bins=10))).tolist() == [5]
    single = 2 * scipy.stats.norm.sf(np.abs(y[5] - np.nanmean(y)) / np.nanstd(y, ddof=1))
    chance = 1 - (1 - single) ** 7
    assert np.flatnonzero(is_outlier(y, OutlierCriteria(chance=chance * 1.001))).tolist() == [5]
    assert not is_outlier(y, OutlierCriteria(chance=chance * 0.999)).any()


def test_outliers_are_replaced_by_their_neighbours_or_by_nan() -> None:
    y, marked = np.array([9.0, 1, 9, 9, 4, 9]), np.array([True, False, True, True, False, True])
    np.testing.assert_array_equal(replaced(y, marked, "last"), [np.nan, 1, 1, 1, 4, 4])
    np.testing.assert_array_equal(replaced(y, marked, "next"), [1, 1, 4, 4, 4, np.nan])
    np.testing.assert_array_equal(replaced(y, marked, "interpolated"), [np.nan, 1, 2, 3, 4, np.nan])
    x = np.array([0.0, 1, 3, 4, 7, 8])
    np.testing.assert_array_equal(replaced(y, marked, "interpolated", x), [np.nan, 1, 2, 2.5, 4, np.nan])
    np.testing.assert_array_equal(replaced(y, marked, 0.5), [0.5, 1, 0.5, 0.5, 4, 0.5])
