"""Sequences end where they must; samples have the distributions of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quire.errors import ConflictError, DataError, UsageError
from quire.numeric.distributions import (
    Progression,
    cumulative,
    gaussian,
    halton,
    poisson,
    sequence,
    shuffled,
    tabulated,
    truncated_gaussian,
    uniform,
    uniform_numbers,
)

U = uniform_numbers(2000, 7)


@settings(max_examples=80)
@given(
    begin=st.floats(-1e3, 1e3),
    end=st.floats(-1e3, 1e3),
    number=st.integers(2, 50),
)
def test_a_number_of_rows_has_both_ends(begin: float, end: float, number: int) -> None:
    found = sequence(Progression(begin, end, number))
    np.testing.assert_allclose(found, np.linspace(begin, end, number), atol=1e-9)
    assert (found[0], found[-1], len(found)) == (begin, end, number)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([Progression(0, 1, delta=0.25)], [0, 0.25, 0.5, 0.75, 1]),
        ([Progression(0, 0.3, delta=0.1)], [0, 0.1, 0.2, 0.3]),
        ([Progression(0, 0.35, delta=0.1)], [0, 0.1, 0.2, 0.3]),
        ([Progression(3, number=3, delta=-1)], [3, 2, 1]),
        ([Progression(1, number=5, delta=1, interval=2)], [1, 1, 2, 2, 3]),
        ([Progression(0, 2, 3), Progression(end=3, delta=0.5)], [0, 1, 2, 2.5, 3]),
        ([Progression(0, 2, 3), Progression(end=10, number=2)], [0, 1, 2, 6, 10]),
        ([Progression(5, 5, 1)], [5]),
        ([Progression(5, number=0, delta=1)], []),
    ],
)
def test_sequences(parts: list[Progression], expected: list[float]) -> None:
    assert sequence(*parts).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    "part",
    [
        Progression(0, 1),
        Progression(0, 1, 3, 0.5),
        Progression(0, 1, delta=-1),
        Progression(0, 1, delta=0),
        Progression(end=1, number=2),
        Progression(0, 1, -1),
        Progression(0, 1, 3, interval=0),
    ],
)
def test_sequences_that_never_end_or_begin_are_refused(part: Progression) -> None:
    with pytest.raises(UsageError):
        sequence(part)


@settings(max_examples=20)
@given(count=st.integers(0, 300), place=st.integers(0, 4), offset=st.integers(0, 50))
def test_halton_numbers_are_those_of_scipy(count: int, place: int, offset: int) -> None:
    expected = stats.qmc.Halton(5, scramble=False).random(count + offset + 1)[offset + 1 :, place]
    np.testing.assert_allclose(halton(count, (2, 3, 5, 7, 11)[place], offset), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (uniform(U, -1, 3), stats.uniform(-1, 4).ppf(U)),
        (gaussian(U, 1, 2), stats.norm(1, 2).ppf(U)),
        (truncated_gaussian(U, 1, 2, 1.5), stats.truncnorm(-1.5, 1.5, 1, 2).ppf(U)),
        (poisson(U, 3.5), stats.poisson(3.5).ppf(U)),
    ],
    ids=["uniform", "gaussian", "truncated", "poisson"],
)
def test_samples_have_the_quantiles_of_scipy(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=60)
@given(
    x=st.lists(st.integers(-100, 100), min_size=2, max_size=8, unique=True).map(sorted),
    data=st.data(),
)
def test_a_tabulated_density_has_its_integral(x: list[int], data: Any) -> None:
    heights = st.one_of(st.just(0.0), st.floats(0.01, 10))
    density = np.array(data.draw(st.lists(heights, min_size=len(x), max_size=len(x))))
    if not density.any():
        with pytest.raises(DataError, match="area"):
            tabulated(U, x, density)
        return
    numbers = np.linspace(0, 1, 101)
    found = tabulated(numbers, x, density)
    assert (np.diff(found) >= 0).all()
    grid = np.unique(np.concatenate([np.array(x, float), found]))
    line = np.interp(grid, x, density)
    areas = np.concatenate([[0.0], np.cumsum(np.diff(grid) * (line[1:] + line[:-1]) / 2)])
    np.testing.assert_allclose(np.interp(found, grid, areas) / areas[-1], numbers, atol=1e-9)


@settings(max_examples=60)
@given(x=st.lists(st.integers(-100, 100), min_size=2, max_size=8, unique=True).map(sorted), data=st.data())
def test_a_tabulated_cumulative_function_is_inverted(x: list[int], data: Any) -> None:
    steps = data.draw(st.lists(st.one_of(st.just(0.0), st.floats(0.01, 5)), min_size=len(x), max_size=len(x)))
    values = np.cumsum(steps)
    if values[-1] <= values[0]:
        with pytest.raises(DataError, match="does not grow"):
            cumulative(U, x, values)
        return
    found = cumulative(U, x, values)
    np.testing.assert_allclose(
        np.interp(found, x, values), values[0] + U * (values[-1] - values[0]), atol=1e-9
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tabulated(U, [0, 1, 1], [1, 1, 1]), DataError),
        (lambda: tabulated(U, [0, 1, 2], [1, -1, 1]), DataError),
        (lambda: tabulated(U, [0, 1], [1, np.nan]), DataError),
        (lambda: tabulated(U, [0, 1], [1, 1, 1]), ConflictError),
        (lambda: tabulated(U, [0], [1]), DataError),
        (lambda: cumulative(U, [0, 1, 2], [0, 1, 0.5]), DataError),
        (lambda: gaussian(U, sigma=-1), UsageError),
        (lambda: truncated_gaussian(U, limit=0), UsageError),
        (lambda: poisson(U, -1), UsageError),
        (lambda: uniform(U, 1, 0), UsageError),
        (lambda: gaussian([2.0]), UsageError),
        (lambda: halton(3, 1), UsageError),
    ],
)
def test_distributions_that_make_no_sense_are_refused(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_seeds_repeat_numbers_inside_of_the_limits() -> None:
    assert uniform_numbers(100, 7).tolist() == uniform_numbers(100, 7).tolist() == U[:100].tolist()
    assert uniform_numbers(100, [7, 1]).tolist() != uniform_numbers(100, [7, 2]).tolist()
    assert 0 < U.min() < U.max() < 1
    assert stats.kstest(U, "uniform").pvalue > 0.01


def test_a_group_is_shuffled_alike() -> None:
    numbers = halton(50)
    first, same, other = (shuffled(numbers, 7, group) for group in (0, 0, 1))
    assert first.tolist() == same.tolist() != other.tolist()
    assert sorted(first) == sorted(other) == sorted(numbers)
