"""Correlations are those of SciPy; equal values have the ranks of the specification or their mean."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from quire.errors import ConflictError, TypeMismatchError, UsageError
from quire.numeric.correlation import Method, correlate, correlate_columns, significance

values = st.one_of(st.sampled_from([0.0, 1.0, 2.0, float("nan")]), st.floats(-1e3, 1e3))


@settings(max_examples=150)
@given(data=st.data(), method=st.sampled_from(["pearson", "spearman"]))
def test_coefficients_and_significances_are_those_of_scipy(data: Any, method: Method) -> None:
    rows = data.draw(st.integers(0, 15))
    x, y = (np.array(data.draw(st.lists(values, min_size=rows, max_size=rows))) for _ in range(2))
    found = correlate(x, y, method)
    kept = ~(np.isnan(x) | np.isnan(y)) if rows else np.zeros(0, bool)
    x, y = x[kept], y[kept]
    assert found.points == len(x)
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found.significance)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected: Any = (stats.pearsonr if method == "pearson" else stats.spearmanr)(x, y)
    assert found.coefficient == pytest.approx(expected.statistic, abs=1e-7)
    # Where the coefficient is nearly 1, the significance depends on its last digits.
    if abs(found.coefficient) < 1 - 1e-6:
        assert found.significance == pytest.approx(expected.pvalue, abs=1e-6)


def test_ordinal_ranks_depend_on_the_order_of_rows_alone_among_equal_values() -> None:
    x = np.arange(5.0)
    assert correlate(x, [1.0, 1, 1, 2, 3], "ordinal").coefficient == pytest.approx(1)
    assert correlate(x, [1.0, 1, 1, 2, 3], "spearman").coefficient == pytest.approx(
        stats.spearmanr(x, [1, 1, 1, 2, 3]).statistic
    )


def test_significances_at_the_limits() -> None:
    assert significance(1.0, 10) == significance(-1.0, 10) == 0
    assert significance(0.0, 10) == 1
    assert np.isnan(significance(0.5, 2))


@settings(max_examples=200)
@given(st.integers(3, 10_000), st.floats(1e-4, 0.9999))
def test_significances_are_those_of_scipy_to_its_digits(points: int, coefficient: float) -> None:
    expected = special.betainc((points - 2) / 2, 0.5, (1 - coefficient) * (1 + coefficient))
    assert significance(coefficient, points) == pytest.approx(expected, rel=1e-9, abs=1e-290)
    assert significance(-coefficient, points) == significance(coefficient, points)


def test_significances_near_one_keep_their_digits() -> None:
    # For one degree of freedom it is 1 - 2/pi asin(r).
    assert 1 - significance(1e-9, 3) == pytest.approx(2 / np.pi * 1e-9, rel=1e-6)
    assert significance(1e-3, 10**7) == pytest.approx(2 * stats.norm.sf(1e-3 * np.sqrt(1e7)), rel=1e-4)


def test_large_and_small_values_neither_overflow_nor_vanish() -> None:
    x = np.arange(5.0)
    for scale in (1e300, 1e-300):
        assert correlate(x * scale, x**2).coefficient == pytest.approx(np.corrcoef(x, x**2)[0, 1])


def test_pairs_are_all_or_those_with_some_columns() -> None:
    columns = {name: np.random.default_rng(place).random(9) for place, name in enumerate("abc")}
    assert list(correlate_columns(columns)) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(correlate_columns(columns, ["c"])) == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("x", "y", "method", "error"),
    [
        ([1.0, 2], [1.0], "pearson", ConflictError),
        ([1.0, 2], [1.0, 2], "kendall", UsageError),
        (np.arange(3, dtype=np.longdouble), np.arange(3.0), "pearson", TypeMismatchError),
    ],
)
def test_what_cannot_be_correlated_is_refused(x: Any, y: Any, method: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        correlate(x, y, method)
