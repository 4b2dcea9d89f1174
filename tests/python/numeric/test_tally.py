"""Reductions in one pass are those of the whole columns, and equal values have equal numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.numeric.group_numbers import GroupNumbers, TooManyGroupsError
from quire.numeric.reductions import reduce
from quire.numeric.rows import Rows
from quire.numeric.tally import NEEDS, NumberedGroups, OneGroup, Tally

WORDS = np.array(["", "a", "é", "\udc80"], object)
FLOATS = np.array([0.0, -0.0, 1.5, np.nan, np.inf, -np.inf, 1e300])
FEW = st.lists(st.integers(0, 3), min_size=1, max_size=60)


def parts(rows: int, size: int) -> list[slice]:
    """Slices of a column, block by block."""
    return [slice(start, start + size) for start in range(0, rows, size)]


@settings(max_examples=60)
@given(FEW, st.integers(1, 20), st.sampled_from([np.float64, np.longdouble]), st.integers(0, 2**32))
def test_tallies_of_blocks_are_reductions_of_groups(
    numbers: list[int], size: int, kind: Any, seed: int
) -> None:
    group = np.unique(numbers, return_inverse=True)[1]
    values = (np.random.default_rng(seed).normal(1e6, 1, len(group))).astype(kind)
    values[seed % len(group)] = np.nan if seed % 3 == 0 else 7
    tally, one = Tally(list(NEEDS)), Tally(list(NEEDS))
    for rows in parts(len(group), size):
        tally.add(NumberedGroups(group[rows], int(group[: rows.stop].max()) + 1), values[rows])
        one.add(OneGroup(len(group[rows])), values[rows])
    for what in NEEDS:
        rows_used = Rows(skip_nan=what == "count")
        expected = [reduce(what, values[group == place], rows=rows_used) for place in range(len(tally.rows))]
        np.testing.assert_allclose(tally.result(what), expected, rtol=1e-12, err_msg=what)
        np.testing.assert_allclose(
            one.result(what), [reduce(what, values, rows=rows_used)], rtol=1e-12, err_msg=what
        )
        if what not in ("count", "first", "last"):
            assert one.result(what).dtype == kind


def test_one_block_has_the_bits_of_the_whole_column() -> None:
    values = np.random.default_rng(1).normal(3, 1, 1000)
    tally = Tally(list(NEEDS))
    tally.add(OneGroup(1000), values)
    assert {what: tally.result(what)[0] for what in NEEDS} == {what: reduce(what, values) for what in NEEDS}


@settings(max_examples=60)
@given(st.integers(1, 40), st.integers(1, 7), st.integers(0, 2**32), st.booleans())
def test_equal_combinations_have_equal_numbers(rows: int, size: int, seed: int, far: bool) -> None:
    random = np.random.default_rng(seed)
    near = random.integers(-3, 3, rows)
    columns: Sequence[Any] = [
        near * 10**12 if far else near.astype(np.int8),
        np.uint64(2**64 - 1) - random.integers(0, 3, rows).astype(np.uint64),
        FLOATS[random.integers(0, len(FLOATS), rows)],
        WORDS[random.integers(0, len(WORDS), rows)],
        np.array([b"a", b"\xff"], "S1")[random.integers(0, 2, rows)],
        FLOATS.astype(np.longdouble)[random.integers(0, 3, rows)] / 3,
    ]
    chosen = [columns[place] for place in random.permutation(len(columns))[: 1 + seed % 3]]
    groups = GroupNumbers(len(chosen))
    found = np.concatenate([groups.of([one[rows] for one in chosen]) for rows in parts(rows, size)])
    values = groups.values([one.dtype for one in chosen])
    for one, known in zip(chosen, values, strict=True):
        assert known.dtype == one.dtype
        np.testing.assert_array_equal(known[found], one)
    different = {
        tuple("nan" if word != word else word for word in row)
        for row in zip(*(one.tolist() for one in chosen), strict=True)
    }
    assert len(groups) == len(different)


def test_near_integers_may_be_followed_by_far_ones() -> None:
    groups = GroupNumbers(1)
    found = [groups.of([np.array(values)]).tolist() for values in ([5, 3], [3, 10**15, 4], [5, 4])]
    assert found == [[1, 0], [0, 3, 2], [1, 2]]
    assert groups.values([np.dtype(np.int64)])[0].tolist() == [3, 5, 4, 10**15]


def test_too_many_groups_are_not_numbered() -> None:
    with pytest.raises(TooManyGroupsError):
        GroupNumbers(1).of([np.arange(70_000) * 3])
