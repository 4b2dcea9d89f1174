"""Rows are selected as NumPy does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire import MissingError, TypeMismatchError, UsageError
from quire.io.rows import listed, position, select

small = st.integers(-12, 12)
bounds = st.none() | small


@given(st.integers(0, 9), bounds, bounds, st.none() | small.filter(bool))
def test_slices_are_those_of_numpy(
    length: int, start: int | None, stop: int | None, step: int | None
) -> None:
    values = np.arange(length)
    selection = select(slice(start, stop, step), length)
    span = values[selection.first : selection.first + selection.span]
    assert len(span) == selection.span
    assert span[selection.within_span()].tolist() == values[slice(start, stop, step)].tolist()
    assert selection.count == len(values[slice(start, stop, step)])


@given(st.integers(1, 9), st.integers(0, 12), st.integers(0, 12))
def test_pairs_must_lie_inside(length: int, first: int, count: int) -> None:
    if first + count <= length:
        assert select((first, count), length).span == count
    else:
        with pytest.raises(UsageError, match="not inside"):
            select((first, count), length)


def test_ranges_must_lie_inside() -> None:
    assert select(range(8, 0, -3), 9).within_span() == slice(6, None, -3)
    assert select(range(5, 5), 3).count == 0
    with pytest.raises(UsageError):
        select(range(2, 9), 5)


@given(st.integers(0, 5), small)
def test_positions_count_from_both_ends(length: int, index: int) -> None:
    values = list(range(length))
    if -length <= index < length:
        assert position(index, length, "row") == values[index]
    else:
        with pytest.raises(MissingError, match=f"no row {index}"):
            position(index, length, "row")


def test_other_things_are_no_rows() -> None:
    with pytest.raises(TypeMismatchError, match="float"):
        position(1.0, 3, "row")
    with pytest.raises(TypeMismatchError, match="list"):
        select([0, 1], 3)
    with pytest.raises(ValueError, match="zero"):
        select(slice(None, None, 0), 3)


@pytest.mark.parametrize("narrow", ["int8", "uint8", "int64", "uint64"])
def test_lists_of_narrow_integers_reach_long_tables(narrow: str) -> None:
    last = -1 if narrow.startswith("i") else 2
    found = listed(np.array([0, 100, last], narrow), 1000)
    assert found is not None
    assert found.dtype == np.dtype(np.uint64)
    assert found.tolist() == [0, 100, last % 1000]
