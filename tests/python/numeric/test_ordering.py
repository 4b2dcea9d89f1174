"""Orders and pairs of many rows are those of a stable sort and of each row by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.numeric import ordering, pairs, threads
from quire.numeric.ordering import stable_order
from quire.numeric.pairs import Pairs, codes_of, equal_near_pairs, equal_pairs, pairs_of_codes

RANDOM = np.random.default_rng(1)
ROWS = 3000


def with_oddities(values: Any) -> Any:
    """Values with NaN, both zeros and infinities, many of them equal."""
    made = values.copy()
    made[::7], made[::11], made[::13], made[3] = np.nan, -0.0, 0.0, np.inf
    return made


COLUMNS = {
    "all different": RANDOM.standard_normal(ROWS),
    "few equal": np.round(RANDOM.standard_normal(ROWS), 3),
    "many equal": np.round(RANDOM.standard_normal(ROWS)),
    "one value": np.full(ROWS, 2.5),
    "only NaN": np.full(ROWS, np.nan),
    "with NaN": with_oddities(RANDOM.standard_normal(ROWS)),
    "float32": with_oddities(RANDOM.standard_normal(ROWS)).astype(np.float32),
    "float80": with_oddities(RANDOM.standard_normal(ROWS)).astype(np.longdouble),
    "int8": RANDOM.integers(-128, 128, ROWS).astype(np.int8),
    "near int64": RANDOM.integers(-9, 9, ROWS) - 2**62,
    "near uint64": np.uint64(2**64 - 1) - RANDOM.integers(0, 99, ROWS).astype(np.uint64),
    "far int64": RANDOM.integers(-(2**63), 2**63 - 1, ROWS),
    "equal far int64": RANDOM.integers(-(2**63), 2**63 - 1, 99)[RANDOM.integers(0, 99, ROWS)],
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("cores", [1, 2, 5])
def test_orders_are_those_of_a_stable_sort(name: str, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "FEW", 0)
    monkeypatch.setattr(ordering, "LARGE", 0)
    monkeypatch.setattr(ordering, "thread_count", lambda: cores)
    monkeypatch.setattr(threads, "thread_count", lambda: cores)
    for values in (COLUMNS[name], COLUMNS[name][::-1], np.sort(COLUMNS[name]), COLUMNS[name][:1]):
        np.testing.assert_array_equal(stable_order(values), np.argsort(values, kind="stable"))


def test_orders_of_nothing_are_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "FEW", 0)
    assert stable_order(np.empty(0)).tolist() == []


KEYS = st.sampled_from([np.int8, np.int64, np.uint64, np.float64, np.longdouble])


@settings(max_examples=80)
@given(st.integers(0, 9), st.integers(0, 9), KEYS, st.integers(0, 2**32), st.booleans())
def test_pairs_are_those_of_each_row(mine: int, other: int, kind: Any, seed: int, far: bool) -> None:
    random = np.random.default_rng(seed)
    left, right = ((random.integers(0, 6, rows) * (20 if far else 1)).astype(kind) for rows in (mine, other))
    if kind == np.uint64:
        left, right = np.uint64(2**64 - 1) - left, np.uint64(2**64 - 1) - right
    if np.dtype(kind).kind == "f" and mine and other:
        left[0] = right[0] = np.nan
    expected = []
    for row, key in enumerate(left):
        partners = [place for place, one in enumerate(right) if one == key]
        expected += [(row, place) for place in partners or [-1]]
    found = equal_pairs([left], [right])
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected
    near = equal_near_pairs(left, right)
    assert (near is not None) <= (np.dtype(kind).kind in "iu")
    for made in (near, pairs_of_codes(*codes_of([left], [right]))):
        if isinstance(made, Pairs):
            assert (made.left.tolist(), made.right.tolist()) == (found.left.tolist(), found.right.tolist())


def test_near_keys_need_no_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(pairs, "codes_of", refuse)
    monkeypatch.setattr(pairs, "stable_order", refuse)
    keys = np.array([5, 3, 4, 100])
    assert equal_pairs([np.array([4, 2, 100, 101, 3])], [keys[:3]]).right.tolist() == [2, -1, -1, -1, 1]


def test_results_of_threads_are_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores in (1, 3):
        monkeypatch.setattr(threads, "thread_count", lambda cores=cores: cores)
        calls = [lambda number=number: number * number for number in range(10)]
        assert list(threads.in_threads(calls)) == [number * number for number in range(10)]
        with pytest.raises(ZeroDivisionError):
            list(threads.in_threads([lambda: 1 // 0]))
