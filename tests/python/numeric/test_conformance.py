"""The numeric conformance cases of specs/sdds-toolkit.md, section 11, to the last digit that it has."""

from __future__ import annotations

import numpy as np
import pytest

from quire.numeric.calculus import derivative
from quire.numeric.correlation import correlate
from quire.numeric.polynomials import fit_polynomial
from quire.numeric.reduction_table import Options, reduction
from quire.numeric.reductions import reduce
from quire.numeric.smoothing import moving_mean
from quire.numeric.spectra import Preparation, spectrum

X = np.arange(1.0, 7)
Y = np.array([2.0, 4, 1, 8, 5, 9])
ZIGZAG_X = np.arange(1.0, 11)
ZIGZAG = np.array([0.0, 1, 0, 2, 0, 3, 0, 4, 0, 5])


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("median", Options(), 5),
        ("percentile", Options(percent=50), 4),
        ("qrange", Options(), 3),
        ("drange", Options(), 7),
        ("prange", Options(percent=50), 3),
        ("spread", Options(), 8),
    ],
)
def test_order_statistics_are_elements(name: str, options: Options, expected: float) -> None:
    assert reduce(name, Y, options=options) == expected


def test_moments_and_lines_have_the_digits_of_the_specification() -> None:
    assert reduce("standarddeviation", Y) == pytest.approx(3.188521078284832, rel=1e-15, abs=0)
    assert reduce("mode", Y) == pytest.approx(0.96, rel=1e-14, abs=0)
    assert reduce("integral", Y, versus=X) == 23.5
    assert reduce("slope", Y, versus=X) == pytest.approx(1.285714285714286, rel=4e-16, abs=0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("std", 3.151503258623675),
        ("mean", 5.904761904761905),
        ("rms", 6.568322247184371),
        ("sigma", 1.286595817724409),
    ],
)
def test_weighted_moments_have_the_digits_of_the_specification(name: str, expected: float) -> None:
    assert reduce(name, Y, X) == pytest.approx(expected, rel=4e-16, abs=0)


def test_units_are_products_of_those_of_the_columns() -> None:
    assert reduction("integral").unit == "y*x"
    assert reduction("slope").unit == "y/x"
    assert reduction("max").unit_of(Options(position=True)) == "x"


def test_correlation_has_the_digits_of_the_specification() -> None:
    found = correlate(X, Y)
    assert found.coefficient == pytest.approx(0.7543783209066020, rel=1e-15, abs=0)
    # The incomplete beta function of the reference has 12 digits.
    assert found.significance == pytest.approx(0.08308583477623674, rel=1e-12, abs=0)


def test_rank_correlation_has_the_digits_of_the_specification() -> None:
    found = correlate(ZIGZAG_X, ZIGZAG, "ordinal")
    assert found.coefficient == pytest.approx(0.6363636363636364, rel=1e-15, abs=0)
    assert found.significance == pytest.approx(0.04791172612972, rel=1e-11, abs=0)


def test_a_sine_reads_its_amplitude_and_its_density_contains_its_power() -> None:
    time = 0.5 * np.arange(64)
    sine = 1 + 2 * np.sin(2 * np.pi * 0.25 * time)
    found = spectrum(sine, time)
    at = found.frequency.tolist().index(0.25)
    assert found.amplitude[at] == pytest.approx(2, rel=1e-14, abs=0)
    assert found.amplitude[0] == pytest.approx(1, rel=1e-14, abs=0)
    assert spectrum(sine, time, preparation=Preparation(remove_mean=True)).integrated()[-1] == pytest.approx(
        2
    )


def test_a_straight_line_has_the_errors_of_the_specification() -> None:
    found = fit_polynomial(ZIGZAG_X, ZIGZAG)
    assert found.coefficients[1] == pytest.approx(1 / 3, rel=1e-14, abs=0)
    assert found.sigmas[1] == pytest.approx(0.18802535827259, rel=1e-13, abs=0)
    assert found.sigmas[0] == pytest.approx(1.1666666666667, rel=1e-13, abs=0)
    assert found.goodness.rms == pytest.approx(1.527525231651947, rel=1e-14, abs=0)


def test_windows_of_a_smooth_shrink_at_the_ends() -> None:
    expected = [0.5, 1 / 3, 1, 2 / 3, 5 / 3, 1, 7 / 3, 4 / 3, 3, 2.5]
    assert moving_mean(ZIGZAG).tolist() == pytest.approx(expected, rel=1e-15, abs=0)


def test_derivatives_at_the_ends_are_in_the_middle_of_their_step() -> None:
    found = derivative(ZIGZAG, ZIGZAG_X)
    assert found.x.tolist() == [1.5, *np.arange(2.0, 10), 9.5]
    assert found.values.tolist() == [1, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0.5, 5]
