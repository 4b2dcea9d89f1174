"""Sums along the tree of blocks: bits that depend on nothing but the data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.beam.moments import FIELDS, Moments, Tree, add_all, grouped_moments, merge_moments, moments_of

Array = np.ndarray[Any, Any]


def block(number: int, rows: int = 20, offset: float = 0.0) -> tuple[Array, Array]:
    """Values of three variables, and weights."""
    random = np.random.default_rng(number)
    return offset + random.normal(size=(3, rows)), random.uniform(0.5, 2.0, rows)


def merged(parts: list[range]) -> Moments:
    """The moments of blocks of which each part is the share of a rank. Every seventh block has no rows."""
    shares = iter(parts)

    def blocks() -> Iterator[tuple[int, Moments | None]]:
        for number in next(shares):
            yield number, moments_of(*block(number), np.zeros(3)) if number % 7 else None

    total = add_all(lambda make: [make() for _ in parts], blocks, merge_moments)
    assert total is not None
    return total


@given(st.integers(2, 40), st.lists(st.integers(0, 40), max_size=4))
def test_the_shares_of_ranks_do_not_change_a_bit(count: int, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, count) for cut in cuts), count]
    parts = [range(count)[a:b] for a, b in pairwise(edges)]
    alone, shared = merged([range(count)]), merged(parts)
    for field in FIELDS:
        assert np.array_equal(getattr(alone, field), getattr(shared, field)), field


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e9])
def test_moments_far_from_zero_are_those_of_exact_arithmetic(offset: float) -> None:
    blocks = [block(number, 1000, offset) for number in range(5)]
    origin = blocks[0][0].mean(axis=1)
    total = moments_of(*blocks[0], origin)
    for values, weight in blocks[1:]:
        total = merge_moments(total, moments_of(values, weight, origin))
    x, y = (np.concatenate([values[i] for values, _ in blocks]) for i in (0, 1))
    w = np.concatenate([weight for _, weight in blocks])
    # Differences from one of the values are exact, and fsum rounds once.
    dx, dy = (x - x[0]), (y - y[0])
    whole = math.fsum(w)
    mean_x, mean_y = math.fsum(w * dx) / whole, math.fsum(w * dy) / whole
    exact = math.fsum((w * (dx - mean_x)) * (dy - mean_y)) / whole
    assert abs(total.covariance()[0, 0, 1] - exact) < 2e-15
    exact = math.fsum((w * (dx - mean_x)) * (dx - mean_x)) / whole
    assert total.covariance()[0, 0, 0] == pytest.approx(exact, rel=4e-15)
    assert origin[0] + total.mean[0, 0] == pytest.approx(x[0] + mean_x, rel=1e-15)
    assert (total.least[0, 0], total.greatest[0, 0]) == (x.min(), x.max())
    assert total.count[0] == 5000


def test_groups_have_the_moments_of_their_rows() -> None:
    values, weight = block(3, 200)
    group = np.random.default_rng(1).integers(-1, 4, 200)
    group[group == 2] = 1  # no row is in group 2
    found = grouped_moments(values, weight, np.zeros(3), group, 5)
    for number in (0, 1, 3):
        rows = group == number
        one = moments_of(np.ascontiguousarray(values[:, rows]), weight[rows], np.zeros(3))
        for field in FIELDS:
            values_of_group, wanted = getattr(found, field)[number], getattr(one, field)[0]
            np.testing.assert_allclose(values_of_group, wanted, rtol=1e-13, atol=1e-13, err_msg=field)
    assert found.count.tolist()[2] == found.count.tolist()[4] == 0


@pytest.mark.parametrize("is_grouped", [False, True])
@pytest.mark.parametrize("common", [1.0, 2.5])
def test_a_weight_of_all_rows_is_that_of_each(common: float, is_grouped: bool) -> None:
    values, _ = block(5, 300)
    group = np.arange(300) % 3

    def moments(weight: Array) -> Moments:
        if is_grouped:
            return grouped_moments(values, weight, np.zeros(3), group, 3)
        return moments_of(values, weight, np.zeros(3))

    one = moments(np.full(300, common))
    # The last weight differs by a rounding, so that each row is multiplied by its own.
    other = moments(np.append(np.full(299, common), np.nextafter(common, 9.0)))
    for field in FIELDS:
        expected = getattr(other, field)
        np.testing.assert_allclose(getattr(one, field), expected, rtol=1e-12, atol=1e-12, err_msg=field)


def test_a_group_without_rows_takes_the_moments_of_the_other() -> None:
    values, weight = block(3, 50)
    a = grouped_moments(values, weight, np.zeros(3), np.zeros(50, int), 2)
    b = grouped_moments(values, weight, np.zeros(3), np.ones(50, int), 2)
    both = merge_moments(a, b)
    for field in FIELDS:
        assert np.array_equal(getattr(both, field)[0], getattr(a, field)[0]), field
        assert np.array_equal(getattr(both, field)[1], getattr(b, field)[1]), field


def test_a_tree_without_blocks_has_no_sum() -> None:
    tree: Tree[int] = Tree(lambda a, b: a + b)
    assert tree.total() is None
    tree.add(0, 0, None)
    tree.add(0, 1, None)
    assert tree.total() is None
    tree.add(0, 2, 5)
    assert tree.total() == 5
