"""Aggregates and windows over random tables, in blocks of several sizes, compared with NumPy and pandas."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire import _core
from quire.io import row_source
from quire.io.expression import BoundExpression, Expression
from quire.io.row_source import Arrays
from quire.io.types import type_of

Columns = dict[str, Any]

AGGREGATES: dict[str, Callable[[Columns], Any]] = {
    "min(x)": lambda c: np.min(c["x"]),
    "max(x)": lambda c: np.max(c["x"]),
    "sum(x)": lambda c: np.sum(c["x"]),
    "mean(x)": lambda c: np.mean(c["x"]),
    "std(x)": lambda c: np.std(c["x"], ddof=1) if len(c["x"]) > 1 else np.nan,
    "rms(x)": lambda c: np.sqrt(np.mean(c["x"] ** 2)),
    "median(x)": lambda c: np.nan if np.isnan(c["x"]).any() else np.sort(c["x"])[len(c["x"]) // 2],
    "count(x)": lambda c: pd.Series(c["x"]).count(),
    "count(s)": lambda c: len(c["s"]),
    "first(x)": lambda c: c["x"][0],
    "last(x)": lambda c: c["x"][-1],
    "first(s)": lambda c: c["s"][0],
    "last(s)": lambda c: c["s"][-1],
    "at_max(s, x)": lambda c: c["s"][np.argmax(c["x"])],
    "at_min(i, x)": lambda c: c["i"][np.argmin(c["x"])],
    "max(i)": lambda c: np.max(c["i"]),
    "sum(i)": lambda c: np.sum(c["i"]),
    "mean(i)": lambda c: np.mean(c["i"]),
    "median(i)": lambda c: np.sort(c["i"])[len(c["i"]) // 2],
    "any(x > 1)": lambda c: (c["x"] > 1).any(),
    "all(x > 1)": lambda c: (c["x"] > 1).all(),
    "sum(x > 1)": lambda c: (c["x"] > 1).sum(),
    "sum(row)": lambda c: np.arange(len(c["x"])).sum(),
    "max(x * 2 + i)": lambda c: np.max(c["x"] * 2 + c["i"]),
    "mean(diff(i))": lambda c: np.mean(np.diff(c["i"], prepend=np.nan)),
    "sum((i - mean(i))**2)": lambda c: np.sum((c["i"] - np.mean(c["i"])) ** 2),
    "max(q)": lambda c: np.float64(np.max(c["q"])),
    "sum(e)": lambda c: np.sum(c["e"]),
}

WINDOWS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "lag(x)": lambda d: d.x.shift(1),
    "lag(x, 0)": lambda d: d.x,
    "lag(x, 3)": lambda d: d.x.shift(3),
    "lead(x)": lambda d: d.x.shift(-1),
    "lead(x, 4)": lambda d: d.x.shift(-4),
    "lag(x, 2, 7)": lambda d: d.x.shift(2, fill_value=7.0),
    "lag(i)": lambda d: d.i.astype(float).shift(1),
    "lag(i, 2, -1)": lambda d: d.i.shift(2, fill_value=-1),
    "lead(i, 1, 0.5)": lambda d: d.i.astype(float).shift(-1, fill_value=0.5),
    "lag(s)": lambda d: d.s.shift(1, fill_value=""),
    "lead(s, 2, 'none')": lambda d: d.s.shift(-2, fill_value="none"),
    "diff(x)": lambda d: d.x.diff(),
    "diff(i, 2)": lambda d: d.i.diff(2).astype(float),
    "cumsum(x)": lambda d: np.cumsum(d.x.to_numpy()),
    "cumsum(i)": lambda d: d.i.cumsum(),
    "cumprod(i)": lambda d: d.i.cumprod(),
    "cummax(x)": lambda d: np.maximum.accumulate(d.x.to_numpy()),
    "cummin(i)": lambda d: d.i.cummin(),
    "cumsum(x > 0)": lambda d: (d.x > 0).cumsum(),
    "lag(cumsum(i), 2, 0)": lambda d: d.i.cumsum().shift(2, fill_value=0),
    "cumsum(lag(i, 1, 0))": lambda d: d.i.shift(1, fill_value=0).cumsum(),
    "lag(x) + lead(x)": lambda d: d.x.shift(1) + d.x.shift(-1),
    "x / max(i)": lambda d: d.x.to_numpy() / np.float64(d.i.max()),
    "cumsum(row)": lambda d: np.cumsum(np.arange(len(d))),
    "x > lag(x)": lambda d: (d.x > d.x.shift(1)).astype(np.int32),
    "row == rows - 1": lambda d: (np.arange(len(d)) == len(d) - 1).astype(np.int32),
}


def columns(seed: int, rows: int) -> Columns:
    random = np.random.default_rng(seed)
    special = random.choice(np.array([np.nan, np.inf, -np.inf, 0.0]), rows)
    x = np.where(random.integers(0, 12, rows) == 0, special, random.normal(0, 2, rows).round(1))
    return {
        "x": x if seed % 2 else random.normal(0, 2, rows).round(1),
        "i": random.integers(-9, 9, rows),
        "q": random.normal(0, 2, rows).astype(np.float32),
        "e": random.normal(0, 2, rows).astype(np.longdouble),
        "s": random.choice(np.array(["Q1", "Q2", "", "D"], dtype=object), rows),
    }


def bound_to(text: str, found: Columns) -> BoundExpression:
    rows = len(found["x"])
    quantities = [_core.Quantity(name, type_of(array.dtype)) for name, array in found.items()]
    return Expression(text).compile(quantities, (), {"rows": rows}, Arrays(found, rows))


def in_blocks(bound: BoundExpression, found: Columns, first: int, size: int) -> Any:
    """Evaluate rows from `first` on in blocks of a size."""
    parts = []
    for start in range(first, len(found["x"]), size):
        count = min(size, len(found["x"]) - start)
        block = {name: found[name][start : start + count] for name in bound.columns}
        parts.append(bound.evaluate(block, start, count))
    return np.concatenate(parts) if parts else np.empty(0)


tables = st.builds(columns, st.integers(0, 2**20), st.integers(1, 14))


@pytest.mark.parametrize("text", AGGREGATES)
@settings(max_examples=25)
@given(found=tables, size=st.integers(1, 15))
def test_aggregates_are_those_of_numpy(text: str, found: Columns, size: int) -> None:
    bound = bound_to(text, found)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty differences
        expected = AGGREGATES[text](found)
    with mock.patch.object(row_source, "BLOCK_ROWS", size):
        value = bound.value
    if isinstance(expected, str):
        assert value == expected
    else:
        np.testing.assert_allclose(np.longdouble(value), np.longdouble(expected), 1e-12, 1e-12)
    assert bound.is_constant
    assert bound.columns == []


@pytest.mark.parametrize("text", WINDOWS)
@settings(max_examples=25)
@given(found=tables, size=st.integers(1, 15), first=st.integers(0, 13), inner=st.integers(1, 15))
def test_windows_are_those_of_pandas(text: str, found: Columns, size: int, first: int, inner: int) -> None:
    with np.errstate(all="ignore"):
        expected = np.asarray(WINDOWS[text](pd.DataFrame(found)))[first:]
    bound = bound_to(text, found)
    with mock.patch.object(row_source, "BLOCK_ROWS", inner):
        for _ in range(2):  # a second pass, as of a filter, begins again
            value = in_blocks(bound, found, first, size)
            assert value.tolist() == expected.tolist() or np.array_equal(value, expected, equal_nan=True)
            if len(value):
                assert value.dtype.kind == expected.dtype.kind


def test_values_have_the_same_bits_in_any_blocks() -> None:
    found = columns(2, 5000)
    for text in ("cumsum(x)", "cumsum(x - mean(x))", "x / std(x)", "lag(cumsum(x), 7)"):
        whole = in_blocks(bound_to(text, found), found, 0, 5000)
        for size, first in ((1, 4900), (999, 0), (313, 1234)):
            part = in_blocks(bound_to(text, found), found, first, size)
            assert part.tobytes() == whole[first:].tobytes(), text


def test_without_rows_counts_are_0_and_other_numbers_are_nan() -> None:
    found = columns(0, 0)
    for text, expected in {
        "sum(x)": 0.0,
        "sum(i)": 0,
        "count(x)": 0,
        "any(x > 0)": 0,
        "all(x > 0)": 1,
    }.items():
        assert bound_to(text, found).value == expected
    for name in ("min", "max", "mean", "std", "rms", "median", "first", "last"):
        assert np.isnan(bound_to(f"{name}(x)", found).value)
    assert np.isnan(bound_to("mean(i)", found).value)
    assert np.isnan(bound_to("at_max(x, i)", found).value)
    for text in ("max(i)", "first(s)", "median(i)", "at_max(s, x)"):
        with pytest.raises(quire.DataError, match="has no value, since the table has no rows"):
            _ = bound_to(text, found).value
        assert len(bound_to(f"{text} == {text}", found).evaluate({}, 0, 0)) == 0


def test_integers_beyond_int64_are_an_error() -> None:
    many = np.array([2**62, 2**62, -(2**62), 1, 3])
    assert quire.expression("sum(i)")(i=many[1:]) == 4
    assert quire.expression("cumsum(i)")(i=many[1:]).tolist() == np.cumsum(many[1:]).tolist()
    assert quire.expression("mean(i)")(i=many) == (2**62 + 4) / 5
    for text in ("sum(i * 1)", "cumsum(i)", "cumprod(i)"):
        with pytest.raises(quire.TypeMismatchError, match="beyond int64"):
            quire.expression(text)(i=many[:2])
    big = np.array([2**63, 1], np.uint64)
    assert quire.expression("max(u)")(u=big) == 2**63
    assert quire.expression("lag(u, 1, 0)")(u=big).tolist() == [0, 2**63]
    with pytest.raises(quire.TypeMismatchError, match="beyond int64"):
        quire.expression("cumsum(u)")(u=big)


@pytest.mark.parametrize(
    ("text", "type", "unit"),
    [
        ("max(x)", "float64", "m"), ("max(q)", "float64", ""), ("count(x)", "int64", ""),
        ("x / max(x)", "float64", ""), ("x * count(x)", "float64", "m"), ("sum(x) * x", "float64", "m^2"),
        ("mean(x / x) * t", "float64", "s"), ("at_max(t, x)", "float64", "s"), ("cumsum(x)", "float64", "m"),
        ("cumprod(x)", "float64", ""), ("lag(x) / t", "float64", "m/s"), ("any(x > 0)", "int32", ""),
        ("first(s)", "string", ""), ("max(i)", "int64", ""), ("lag(i)", "float64", ""),
        ("diff(e)", "float80", ""), ("mean(i)", "float64", ""), ("std(x)", "float64", "m"),
    ],
)  # fmt: skip
def test_types_and_units_follow_from_the_argument(text: str, type: str, unit: str) -> None:
    known = {"x": ("float64", "m"), "t": ("float64", "s"), "i": ("int64", "")}
    known |= {"q": ("float32", ""), "e": ("float80", ""), "s": ("string", "")}
    quantities = [_core.Quantity(name, *one) for name, one in known.items()]
    bound = Expression(text).compile(quantities, (), {}, Arrays({}, 0))
    assert (bound.type, bound.unit) == (type, unit)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean(s)", "mean(s): these are texts, where mean needs numbers"),
        ("cumsum(s)", "cumsum(s): these are texts, where numbers are needed"),
        ("any(x)", "any(x): any needs a condition"),
        ("lag(x, -1)", "the number of rows must be a constant, and an integer from 0 on"),
        ("lag(x, x)", "the number of rows must be a constant"),
        ("lag(x, 1.5)", "the number of rows must be a constant"),
        ("lag(x, 1, 'no')", "text and number cannot be mixed"),
        ("lag(x, 1, x)", "must be the same for all rows"),
        ("max(x) + max(t)", "the units differ: m and s"),
        ("sum(nothing)", "; there are: x, t, s\n    sum(nothing)\n        ^^^^^^^"),
    ],
)
def test_wrong_calls_are_errors(text: str, message: str) -> None:
    quantities = [_core.Quantity("x", "float64", "m"), _core.Quantity("t", "float64", "s")]
    with pytest.raises(quire.Error) as caught:
        Expression(text).compile([*quantities, _core.Quantity("s", "string")], (), {}, Arrays({}, 0))
    assert message in caught.value.message


def test_calls_without_a_table_are_missing_errors() -> None:
    with pytest.raises(quire.MissingError, match=r"there is no table with the rows that max\(x\) needs"):
        Expression("max(x)").compile([_core.Quantity("x", "float64")])
