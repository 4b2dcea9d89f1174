"""Random expressions over random columns, compared with an independent evaluation by NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire.io.expression import Expression

ROWS = 5000  # more than a block
Columns = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """An expression, its value in NumPy, and the precedence of its text."""

    text: str
    value: Callable[[Columns], Any]


def columns(seed: int) -> Columns:
    """Columns that contain all values that are hard to compare."""
    random = np.random.default_rng(seed)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2.0**53, 1e300, -2.5])
    some = random.integers(0, 4, ROWS) == 0
    real = np.where(some, random.choice(special, ROWS), random.normal(0, 2, ROWS).round(1))
    return {
        "x": real,
        "y": np.where(random.integers(0, 3, ROWS) == 0, real, random.normal(0, 2, ROWS).round(1)),
        "q": random.normal(0, 2, ROWS).round(1).astype(np.float32),
        "i": random.integers(-20, 20, ROWS),
        "h": random.integers(-20, 20, ROWS).astype(np.int16),
        "b": random.choice(np.array([2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 0, 7]), ROWS),
        "s": random.choice(np.array(["Q1", "Q2", "D1", "", "q[1]", "S*"], dtype=object), ROWS),
    }


def leaf(text: str) -> Case:
    return Case(text, lambda c: c[text].astype(np.float64) if c[text].dtype == np.float32 else c[text])


def constant(text: str, value: Any) -> Case:
    return Case(text, lambda c: value)


reals = st.one_of(
    st.sampled_from([leaf("x"), leaf("y"), leaf("q")]),
    st.floats(-5, 5, allow_subnormal=False).map(lambda v: constant(f"({v!r})", np.float64(v))),
)
integers = st.one_of(
    st.sampled_from(
        [leaf("i"), Case("h", lambda c: c["h"].astype(np.int64)), Case("row", lambda c: np.arange(ROWS))]
    ),
    st.integers(-9, 9).map(lambda v: constant(f"({v})", np.int64(v))),
)
texts = st.one_of(
    st.just(leaf("s")), st.sampled_from(["Q1", "", "S*", "zz"]).map(lambda v: constant(f"'{v}'", v))
)


def joined(sign: str, left: Case, right: Case, action: Callable[[Any, Any], Any]) -> Case:
    return Case(f"({left.text} {sign} {right.text})", lambda c: action(left.value(c), right.value(c)))


def called(name: str, arguments: list[Case], action: Callable[..., Any]) -> Case:
    inner = ", ".join(one.text for one in arguments)
    return Case(f"{name}({inner})", lambda c: action(*(one.value(c) for one in arguments)))


def as_real(value: Any) -> Any:
    return np.asarray(value, dtype=np.float64)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: as_real(a) + as_real(b),
    "-": lambda a, b: as_real(a) - as_real(b),
    "*": lambda a, b: as_real(a) * as_real(b),
    "/": lambda a, b: as_real(a) / as_real(b),
    "%": lambda a, b: np.mod(as_real(a), as_real(b)),
}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sqrt": np.sqrt,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
    "sign": np.sign,
}


def more_reals(inner: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    any_number = st.one_of(inner, integers)
    return st.one_of(
        st.builds(
            lambda s, a, b: joined(s, a, b, ARITHMETIC[s]), st.sampled_from([*ARITHMETIC]), inner, any_number
        ),
        st.builds(lambda f, a: called(f, [a], FUNCTIONS[f]), st.sampled_from([*FUNCTIONS]), inner),
        st.builds(lambda a, b: called("min", [a, b], np.minimum), inner, any_number),
        st.builds(lambda a, b: called("max", [a, b], np.maximum), inner, any_number),
        inner.map(lambda a: Case(f"(-{a.text})", lambda c: -as_real(a.value(c)))),
        inner.map(lambda a: Case(f"({a.text} ** 2)", lambda c: as_real(a.value(c)) ** 2)),
    )


def more_integers(inner: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    return st.one_of(
        st.builds(lambda a, b: joined("+", a, b, np.add), inner, inner),
        st.builds(lambda a, b: joined("*", a, b, np.multiply), inner, inner),
        st.builds(
            lambda a, n: joined("%", a, constant(f"({n})", n), np.mod), inner, st.sampled_from([-3, 2, 7])
        ),
        st.builds(lambda a: called("abs", [a], np.abs), inner),
    )


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    # Not-a-numbers satisfy no comparison, not even this one.
    "!=": lambda a, b: np.less(a, b) | np.greater(a, b),
}


def as_truth(value: Any) -> Any:
    return np.broadcast_to(np.asarray(value, dtype=bool), (ROWS,))


def compare(sign: str, left: Case, right: Case) -> Case:
    return joined(sign, left, right, lambda a, b: as_truth(COMPARISONS[sign](a, b)))


def text_equal(sign: str, left: Case, right: Case) -> Case:
    action = np.equal if sign == "==" else np.not_equal
    return joined(
        sign, left, right, lambda a, b: as_truth(action(np.asarray(a, object), np.asarray(b, object)))
    )


def like(pattern: str) -> Case:
    def matching(c: Columns) -> Any:
        return np.array([fnmatchcase(text, pattern) for text in c["s"]])

    return Case(f"s like '{pattern}'", matching)


real_trees = st.recursive(reals, more_reals, max_leaves=5)
integer_trees = st.recursive(integers, more_integers, max_leaves=3)
simple_conditions = st.one_of(
    st.builds(compare, st.sampled_from([*COMPARISONS]), real_trees, real_trees),
    st.builds(compare, st.sampled_from([*COMPARISONS]), integer_trees, integer_trees),
    st.builds(text_equal, st.sampled_from(["==", "!="]), texts, texts),
    st.sampled_from(["Q*", "?1", "*", "q[[]1]", "[DQ]?", "S[*]", "[!Q]*"]).map(like),
    real_trees.map(lambda a: called("isnan", [a], lambda v: as_truth(np.isnan(v)))),
    real_trees.map(lambda a: called("isfinite", [a], lambda v: as_truth(np.isfinite(v)))),
    st.builds(
        lambda a, low, high: Case(
            f"{a.text} between {low.text} and {high.text}",
            lambda c: as_truth(a.value(c) >= low.value(c)) & as_truth(a.value(c) <= high.value(c)),
        ),
        real_trees, real_trees, reals,
    ),
    st.lists(st.integers(-20, 20), min_size=1, max_size=15).map(
        lambda some: Case(f"i in ({', '.join(map(str, some))})", lambda c: np.isin(c["i"], some))
    ),
)  # fmt: skip


def more_conditions(inner: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    return st.one_of(
        st.builds(
            lambda s, a, b: joined(s, a, b, np.logical_and), st.sampled_from(["and", "&&"]), inner, inner
        ),
        st.builds(
            lambda s, a, b: joined(s, a, b, np.logical_or), st.sampled_from(["or", "||"]), inner, inner
        ),
        st.builds(
            lambda s, a: Case(f"({s} {a.text})", lambda c: np.logical_not(a.value(c))),
            st.sampled_from(["not", "!"]),
            inner,
        ),
    )


conditions = st.recursive(simple_conditions, more_conditions, max_leaves=4)
seeds = st.integers(0, 3)


@settings(max_examples=300)
@given(conditions, seeds)
def test_conditions_select_the_same_rows_as_numpy(case: Case, seed: int) -> None:
    data = columns(seed)
    with np.errstate(all="ignore"):
        expected = np.flatnonzero(as_truth(case.value(data)))
    bound = bind(case.text, data)
    assert bound.select(data, 0, ROWS).tolist() == expected.tolist(), case.text
    assert bound.count(data, 0, ROWS) == len(expected)


@settings(max_examples=300)
@given(st.one_of(real_trees, integer_trees), seeds)
def test_values_are_those_of_numpy(case: Case, seed: int) -> None:
    data = columns(seed)
    with np.errstate(all="ignore"):
        expected = np.broadcast_to(np.asarray(case.value(data)), (ROWS,))
    found = bind(case.text, data).evaluate(data, 0, ROWS)
    np.testing.assert_array_equal(found, expected.astype(found.dtype), err_msg=case.text)


# Python compares integers of any size, and integers with fractions, exactly.
EXACT: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@settings(max_examples=200)
@given(st.sampled_from([*COMPARISONS]), st.integers(-(2**63), 2**64 - 1), seeds)
def test_large_integers_compare_exactly(sign: str, limit: int, seed: int) -> None:
    data = columns(seed)
    expected = [row for row, value in enumerate(data["b"].tolist()) if EXACT[sign](value, limit)]
    assert bind(f"b {sign} {limit}", data).select(data).tolist() == expected


@settings(max_examples=200)
@given(st.sampled_from([*COMPARISONS]), st.floats(allow_nan=False, allow_infinity=False), seeds)
def test_integers_compare_exactly_with_fractions(sign: str, limit: float, seed: int) -> None:
    data = columns(seed)
    expected = [row for row, value in enumerate(data["b"].tolist()) if EXACT[sign](value, limit)]
    assert bind(f"b {sign} ({limit!r})", data).select(data).tolist() == expected
    assert (
        quire.expression(f"b {sign} t")(b=data["b"], t=np.full(ROWS, limit)).nonzero()[0].tolist() == expected
    )


@settings(max_examples=300)
@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_a_quire_error(text: str) -> None:
    kind = "usage"
    try:
        Expression(text).compile([])
    except quire.Error as problem:
        kind = problem.kind
    assert kind in ("usage", "missing", "type")


def bind(text: str, data: Columns) -> Any:
    from quire import _core
    from quire.io.types import type_of

    return Expression(text).compile([_core.Quantity(name, type_of(data[name].dtype)) for name in data])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x between 0 and 2 or y between 8 and 9", [0, 1, 3, 5]),
        ("!(x between 2 and 4)", [0, 4, 5]),
        ("n not like 'Q*'", [2, 3, 4]),
        ("where(y > 4, 1, 0)", [3, 4, 5]),
    ],
)
def test_cases_of_the_old_tools(text: str, expected: list[int]) -> None:
    data = {
        "x": np.arange(1.0, 7.0),
        "y": np.array([2.0, 4, 1, 8, 5, 9]),
        "n": np.array(["Q1", "Q2", "D1", "D2", "S1", "Q3"], object),
    }
    assert bind(text, data).select(data).tolist() == expected
