"""Reductions of a column by independent formulas: of NumPy and SciPy, and of shapes whose numbers are known.

Source of the definitions: specs/sdds-toolkit.md, sections 5.3 and 9.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from quire.errors import ConflictError, UsageError
from quire.numeric.reduction_table import REDUCTIONS, Options
from quire.numeric.reductions import reduce, reduce_along, reduce_windows
from quire.numeric.rows import Rows

brief = settings(max_examples=60)
finite = st.floats(-1e3, 1e3)
some = hnp.arrays(np.float64, st.integers(1, 20), elements=finite)
longer = hnp.arrays(np.float64, st.integers(5, 20), elements=finite)
with_nan = st.one_of(st.just(math.nan), st.integers(-4, 4).map(float))
seeds = st.integers(0, 2**31)


def uneven(rows: int, seed: int) -> Any:
    """Increasing, unevenly spaced places."""
    return np.cumsum(np.random.default_rng(seed).uniform(0.2, 2, rows)) - 7


@brief
@given(some)
def test_the_smallest_and_the_largest_are_magnitudes_or_signed_values(y: Any) -> None:
    smallest, largest = min(y, key=abs), max(y, key=abs)  # of equal ones the first
    assert reduce("smallest", y) == abs(smallest)
    assert reduce("largest", y) == abs(largest)
    assert reduce("signed_smallest", y) == smallest
    assert reduce("signed_largest", y) == largest
    place = reduce("signed_largest", y, versus=np.arange(len(y)) * 2.0, options=Options(position=True))
    assert place == 2 * np.abs(y).argmax()


@brief
@given(some, seeds)
def test_the_product_multiplies_weights_with_each_factor(y: Any, seed: int) -> None:
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    assert reduce("product", y / 100) == pytest.approx(math.prod(y / 100), rel=1e-12)
    found = reduce("product", y / 100, weights)
    assert found == pytest.approx(math.prod(weights) * math.prod(y / 100), rel=1e-12)


@brief
@given(longer, seeds)
def test_lines_are_those_of_scipy(y: Any, seed: int) -> None:
    x = uneven(len(y), seed)
    line = scipy.stats.linregress(x, y)
    residuals = y - line.intercept - line.slope * x
    scale = 1 + np.abs(y).max()
    assert reduce("intercept", y, versus=x) == pytest.approx(line.intercept, abs=1e-9 * scale)
    assert reduce("slope", y, versus=x) == pytest.approx(line.slope, abs=1e-9 * scale)
    deviation = math.sqrt((residuals**2).sum() / (len(y) - 2))
    assert reduce("line_deviation", y, versus=x) == pytest.approx(deviation, abs=1e-7 * scale)
    assert math.isnan(reduce("line_deviation", y[:2], versus=x[:2]))
    assert math.isnan(reduce("intercept", y, versus=np.ones(len(y))))


@brief
@given(longer, seeds)
def test_correlations_are_those_of_scipy(y: Any, seed: int) -> None:
    assume(np.ptp(y) > 1e-3)
    x = uneven(len(y), seed)
    assert reduce("correlation", y, versus=x) == pytest.approx(scipy.stats.pearsonr(x, y)[0], abs=1e-9)
    assert reduce("correlation", 3 - 2 * x, versus=x) == pytest.approx(-1, rel=1e-12)
    assert math.isnan(reduce("correlation", np.ones(len(x)), versus=x))


@brief
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5), st.integers(5, 12), seeds)
def test_the_integral_of_gill_and_miller_is_exact_for_polynomials_of_degree_4(
    coefficients: list[float], rows: int, seed: int
) -> None:
    x = uneven(rows, seed) / 4
    curve = np.polynomial.Polynomial(coefficients)
    primitive = curve.integ()
    scale = max(np.abs(primitive(x)).max(), np.abs(curve(x)).max(), 1)
    expected = primitive(x[-1]) - primitive(x[0])
    assert reduce("gill_miller", curve(x), versus=x) == pytest.approx(expected, abs=1e-9 * scale)
    assert reduce("gill_miller", curve(x)[::-1], versus=x[::-1]) == pytest.approx(-expected, abs=1e-9 * scale)


def test_the_integral_of_gill_and_miller_needs_four_rows_in_order() -> None:
    assert math.isnan(reduce("gill_miller", [1, 2, 3], versus=[1, 2, 3]))
    assert math.isnan(reduce("gill_miller", [1, 2, 3, 4, 5], versus=[1, 3, 2, 4, 5]))
    x = np.linspace(0, np.pi, 60)
    assert reduce("gill_miller", np.sin(x), versus=x) == pytest.approx(2, abs=1e-7)
    assert abs(reduce("integral", np.sin(x), versus=x) - 2) > 1e-4


T = np.arange(1001) / 100
RISE, FALL = (2.0, 4.0), (7.0, 8.0)


def trapezoid_pulse(base: float) -> Any:
    """A pulse of height 2 over a base, with linear flanks."""
    return np.interp(T, [*RISE, *FALL], [base, base + 2, base + 2, base])


HALF_BIN = 0.01
"""Levels are the middles of bins: 1/100 of half the range, which is 1."""


@pytest.mark.parametrize("base", [0.0, 1.0, -5.0])
def test_the_levels_of_a_trapezoid_are_the_middles_of_the_outer_bins(base: float) -> None:
    y = trapezoid_pulse(base)
    assert reduce("base_level", y) == pytest.approx(base + HALF_BIN, abs=1e-12)
    assert reduce("top_level", y) == pytest.approx(base + 2 - HALF_BIN, abs=1e-12)
    assert reduce("amplitude", y) == pytest.approx(2 - 2 * HALF_BIN, abs=1e-12)
    assert reduce("amplitude", -y) == pytest.approx(2 - 2 * HALF_BIN, abs=1e-12)


@pytest.mark.parametrize("base", [0.0, 1.0, -5.0])
def test_the_times_and_widths_of_a_trapezoid_are_those_of_its_flanks(base: float) -> None:
    y = trapezoid_pulse(base)
    rise, fall = RISE[1] - RISE[0], FALL[1] - FALL[0]
    share = 0.8 * (2 - 2 * HALF_BIN) / 2  # of the height, between 10 % and 90 % of the amplitude
    found = {name: reduce(name, y, versus=T) for name in ("rise_time", "fall_time", "fwha", "fwta", "center")}
    assert found["rise_time"] == pytest.approx(share * rise, abs=1e-9)
    assert found["fall_time"] == pytest.approx(share * fall, abs=1e-9)

    def sides(height: float) -> tuple[float, float]:
        return RISE[0] + height / 2 * rise, FALL[1] - height / 2 * fall

    left, right = sides(1.0)
    assert found["fwha"] == pytest.approx(right - left, abs=1e-9)
    assert found["center"] == pytest.approx((left + right) / 2, abs=1e-9)
    left, right = sides(HALF_BIN + 0.1 * (2 - 2 * HALF_BIN))
    assert found["fwta"] == pytest.approx(right - left, abs=1e-9)
    for name, level in (("fwhm", 0.5 * (base + 2)), ("fwtm", 0.1 * (base + 2))):
        left, right = sides(level - base)
        width = right - left if base < level < base + 2 else math.nan
        assert reduce(name, y, versus=T) == pytest.approx(width, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(("mean", "sigma", "height"), [(0.0, 1.0, 1.0), (3.0, 0.25, 40.0)])
def test_the_widths_of_a_gaussian_are_multiples_of_its_sigma(
    mean: float, sigma: float, height: float
) -> None:
    x = mean + np.linspace(-8, 8, 4001) * sigma
    y = height * np.exp(-(((x - mean) / sigma) ** 2) / 2)

    def width(level: float) -> float:
        return 2 * sigma * math.sqrt(2 * math.log(height / level))

    assert reduce("fwhm", y, versus=x) == pytest.approx(2.3548200450309493 * sigma, rel=1e-5)
    assert reduce("fwtm", y, versus=x) == pytest.approx(4.291932052527156 * sigma, rel=1e-5)
    assert reduce("center", y, versus=x) == pytest.approx(mean, abs=1e-9)
    counts, edges = np.histogram(y[y <= y.min() + np.ptp(y) / 2], 50, (y.min(), y.min() + np.ptp(y) / 2))
    base = edges[counts.argmax()] + np.diff(edges)[0] / 2
    top = height  # the bins of a curve around its peak have more values the higher they are
    counts, edges = np.histogram(y[y >= y.min() + np.ptp(y) / 2], 50, (y.min() + np.ptp(y) / 2, y.max()))
    if counts.max() - counts.sum() / 50 > 2 * math.sqrt(counts.max()):
        top = edges[counts.argmax()] + np.diff(edges)[0] / 2
    assert reduce("base_level", y) == pytest.approx(base, rel=1e-9)
    assert reduce("top_level", y) == pytest.approx(top, rel=1e-9)
    for name, share in (("fwha", 0.5), ("fwta", 0.1)):
        assert reduce(name, y, versus=x) == pytest.approx(width(base + share * (top - base)), rel=1e-5)


def test_levels_without_a_fullest_bin_are_the_limits() -> None:
    ramp = np.linspace(3, 7, 1000)
    assert (reduce("base_level", ramp), reduce("top_level", ramp)) == (3, 7)
    assert reduce("rise_time", ramp, versus=np.arange(1000.0)) == pytest.approx(0.8 * 999)
    assert math.isnan(reduce("fall_time", ramp, versus=np.arange(1000.0)))
    assert math.isnan(reduce("fwhm", ramp, versus=np.arange(1000.0)))


def test_the_first_zero_is_between_the_rows_of_the_change_of_sign() -> None:
    x = np.linspace(0.5, 8, 2000)
    assert reduce("zero_crossing", np.cos(x), versus=x) == pytest.approx(np.pi / 2, abs=1e-6)
    assert reduce("zero_crossing", [4, 1, -3, 5], versus=[0, 2, 6, 7]) == 3
    assert reduce("zero_crossing", [4, 0, 3], versus=[0, 2, 6]) == 2
    assert math.isnan(reduce("zero_crossing", [4, 1, 3], versus=[0, 2, 6]))


OPTIONS = {"percent": 30.0}
LINES = [
    Rows(),
    Rows(skip_nan=True),
    Rows(head=2),
    Rows(tail=-1, top=2.0),
    Rows(bottom=-1.0, skip_nan=True),
    Rows(head_fraction=0.5, tail=1),
    Rows(head=0),
]
"""What each line may leave out."""


def options_of(name: str) -> Options:
    """The options that a reduction needs."""
    return Options(percent=30.0) if REDUCTIONS[name].needs_percent else Options()


@pytest.mark.parametrize("name", REDUCTIONS)
@settings(max_examples=12)
@given(hnp.arrays(np.float64, (3, 7), elements=with_nan), st.sampled_from(LINES), seeds)
def test_reductions_along_an_axis_are_those_of_each_line(name: str, y: Any, rows: Rows, seed: int) -> None:
    x = uneven(7, seed) if REDUCTIONS[name].needs_x else None
    weights = np.arange(1.0, 8) if REDUCTIONS[name].takes_weights and seed % 2 else None
    given_options: dict[str, Any] = {
        "weights": weights,
        "versus": x,
        "rows": rows,
        "options": options_of(name),
    }
    expected = [reduce(name, line, **given_options) for line in y]
    for values, axis in ((y, 1), (y.T, 0)):
        found = reduce_along(name, values, axis, **given_options)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [name for name, one in REDUCTIONS.items() if "windows" in one.directions])
@settings(max_examples=12)
@given(
    hnp.arrays(np.float64, st.integers(0, 12), elements=with_nan),
    st.integers(1, 6),
    st.sampled_from(LINES),
    st.booleans(),
    seeds,
)
def test_reductions_of_windows_are_those_of_their_rows(
    name: str, y: Any, points: int, rows: Rows, overlap: bool, seed: int
) -> None:
    x = uneven(len(y), seed)
    weights = np.cos(x) + 2 if REDUCTIONS[name].takes_weights and seed % 2 else None
    starts = range(0, len(y) - points + 1, 1 if overlap else points)
    expected = [
        reduce(
            name,
            y[start : start + points],
            None if weights is None else weights[start : start + points],
            x[start : start + points],
            rows,
            options_of(name),
        )
        for start in starts
    ]
    found = reduce_windows(name, y, points, weights, x, overlap, rows, options_of(name))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_windows_of_texts_and_their_errors() -> None:
    names = np.array(["a", "b", "c"], object)
    assert reduce_windows("last", names, 2).tolist() == ["b", "c"]
    position = Options(position=True)
    found = reduce_windows("max", [1, math.nan, 3, 2], 2, versus=[*names, "d"], options=position)
    assert found.tolist() == ["", "", "c"]
    numbers = reduce_windows("max", [1, math.nan, 3, 2], 2, versus=np.arange(4), options=position)
    np.testing.assert_array_equal(numbers, [math.nan, math.nan, 2])
    for points, problem in ((0, "1 row or more"), (2, "not computed in windows")):
        with pytest.raises(UsageError, match=problem):
            reduce_windows("fwhm" if points else "mean", [1, 2, 3], points, versus=[1, 2, 3])
    with pytest.raises(ConflictError, match="differ in length"):
        reduce_windows("mean", [1, 2, 3], 2, weights=[1, 2])
