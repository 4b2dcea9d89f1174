"""Verbs give the rows that pandas gives, for random tables: empty, with NaN, texts, equal values, one row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.tables import Columns, write
from tests.python.support.tables import tables as any_tables

import quire
from quire.errors import ConflictError

MOST_ROWS = 12


def tables() -> st.SearchStrategy[Columns]:
    """A table with numbers, whole numbers of few values, and texts."""
    return any_tables(MOST_ROWS, ("x", "k", "name"))


@contextmanager
def chain_of(*steps: Columns) -> Iterator[quire.Chain]:
    """Write a file of these steps, and open it for verbs."""
    with TemporaryDirectory() as folder, quire.chain(write(Path(folder), "given", *steps)) as chain:
        yield chain


def frame(columns: Columns) -> pandas.DataFrame:
    """The table for pandas; texts stay objects."""
    return pandas.DataFrame(
        {name: pandas.Series(values, dtype=values.dtype) for name, values in columns.items()}
    )


def require_equal(found: Columns, expected: Any) -> None:
    """Compare columns with those of pandas; NaN are equal."""
    assert list(found) == list(expected.columns)
    for name, values in found.items():
        wanted = expected[name].to_numpy()
        if values.dtype == object:
            assert values.tolist() == ["" if word is np.nan else word for word in wanted.tolist()]
        else:
            np.testing.assert_array_equal(values, wanted)


@settings(max_examples=60)
@given(tables())
def test_sorting_is_stable_with_nan_last(table: Columns) -> None:
    with chain_of(table) as chain:
        require_equal(chain.sort("k,x:desc").read(), expected := frame(table).sort_values(
            ["k", "x"], ascending=[True, False], kind="stable", na_position="last"
        ))  # fmt: skip
        assert len(expected) == len(table["x"])
        by_name = sorted(range(len(table["name"])), key=lambda row: table["name"][row])
        assert chain.sort("name").read(["k"])["k"].tolist() == table["k"][by_name].tolist()


@settings(max_examples=40)
@given(tables())
def test_the_first_of_equal_rows_is_kept(table: Columns) -> None:
    with chain_of(table) as chain:
        found = chain.unique("k", count="n").read()
    groups = frame(table).sort_values("k", kind="stable").groupby("k", sort=True)
    assert found["n"].tolist() == groups.size().tolist()
    assert found["name"].tolist() == groups["name"].first().tolist()


@settings(max_examples=60)
@given(tables(), tables(), st.sampled_from(["inner", "left"]))
def test_joining_by_two_keys(table: Columns, other: Columns, how: Any) -> None:
    other = {"k": other["k"], "name": other["name"], "y": other["x"]}
    with chain_of(table) as chain, chain_of(other) as mate:
        found = chain.join(mate, "k,name", how=how).read()
    expected = frame(table).assign(row=range(len(table["k"]))).merge(
        frame(other).assign(partner=range(len(other["k"]))), on=["k", "name"], how=how
    )  # fmt: skip
    expected = expected.sort_values(["row", "partner"], kind="stable").drop(columns=["row", "partner"])
    require_equal(found, expected[list(found)])


@settings(max_examples=40)
@given(tables(), tables())
def test_rows_with_and_without_partner_are_all_rows(table: Columns, other: Columns) -> None:
    with chain_of(table) as chain, chain_of(other) as mate:
        has = chain.join(mate, "name", how="semi").read(["k"])["k"].tolist()
        lacks = chain.join(mate, "name", how="anti").read(["k"])["k"].tolist()
    known = set(other["name"])
    assert has == [k for k, name in zip(table["k"], table["name"], strict=True) if name in known]
    assert lacks == [k for k, name in zip(table["k"], table["name"], strict=True) if name not in known]


@settings(max_examples=40)
@given(tables(), st.lists(st.integers(-50, 50), max_size=8))
def test_the_nearest_row_is_the_partner(table: Columns, places: list[int]) -> None:
    other = {"k": np.array(places, np.int64), "y": np.arange(len(places), dtype=np.float64)}
    with chain_of(table) as chain, chain_of(other) as mate:
        found = chain.join(mate, nearest="k", tolerance=3, how="left").read(["y"])["y"]
    for k, y in zip(table["k"], found, strict=True):
        distances = [abs(int(k) - place) for place in places]
        if distances and min(distances) <= 3:
            assert distances[int(y)] == min(distances)
        else:
            assert np.isnan(y)


@settings(max_examples=40)
@given(tables())
def test_each_group_has_its_rows(table: Columns) -> None:
    with chain_of(table) as chain:
        found = chain.group("k").stats("count(x)", "first=first(name)", "sum=sum(x)")
        columns = found.read() if len(table["k"]) else {}
    groups = frame(table).groupby("k", sort=True)
    if columns:
        assert columns["k"].tolist() == list(groups.groups)
        assert columns["x_count"].tolist() == groups["x"].count().tolist()
        assert columns["first"].tolist() == [group["name"].iloc[0] for _, group in groups]
        with np.errstate(over="ignore", invalid="ignore"):
            sums = [np.sum(group["x"].to_numpy()) for _, group in groups]
        np.testing.assert_allclose(columns["sum"], sums, rtol=1e-12)


@settings(max_examples=40)
@given(tables())
def test_melting_and_pivoting_are_inverse(table: Columns) -> None:
    rows = len(table["k"])
    given = {"id": np.arange(rows), "a": table["x"], "b": -table["x"], "name": table["name"]}
    with chain_of(given) as chain:
        long = chain.melt(["a", "b"], name="which", value="v")
        require_equal(
            long.select(["id", "which", "v"]).read(),
            frame(given).melt(["id"], ["a", "b"], "which", "v").sort_values(["id", "which"], kind="stable"),
        )
        if rows:
            wide = long.pivot("which", "v", rows_by=["id"]).read()
            np.testing.assert_array_equal(wide["a"], given["a"])
            np.testing.assert_array_equal(wide["b"], given["b"])


@settings(max_examples=30)
@given(tables())
def test_transposing_twice_changes_no_number(table: Columns) -> None:
    rows = len(table["k"])
    given = {"label": np.array([f"r{row}" for row in range(rows)], object), "x": table["x"], "k": table["k"]}
    with chain_of(given) as chain:
        back = chain.transpose(names="label").transpose(old_names="label").read()
    if rows:
        assert back["label"].tolist() == given["label"].tolist()
        np.testing.assert_array_equal(back["x"], given["x"])
        np.testing.assert_array_equal(back["k"], given["k"])


@settings(max_examples=30)
@given(tables(), tables())
def test_merging_steps_keeps_what_differs_as_a_column(table: Columns, other: Columns) -> None:
    with chain_of(table, other) as chain:
        found = chain.merge().read()
    expected = pandas.concat([frame(table).assign(turn=0), frame(other).assign(turn=10)])
    require_equal(found, expected)


def test_different_units_are_not_mixed() -> None:
    table = {"x": np.zeros(2)}
    with chain_of(table) as chain, chain_of(table) as mate:
        other = mate.select(unit={"x": "mm"})
        with pytest.raises(ConflictError, match="the unit is 'm' in the first file and 'mm' in the other"):
            chain.join(other, "x").read()
        with pytest.raises(ConflictError, match="different units"):
            chain.define("y[s]=1.0*x/x").melt(["x", "y"]).read()


@settings(max_examples=60)
@given(tables(), st.slices(MOST_ROWS + 3).filter(lambda one: one.step != 0))
def test_ranges_of_rows_are_those_of_numpy(table: Columns, which: slice) -> None:
    with chain_of(table) as chain:
        expected = frame(table)[which].assign(row=lambda rows: np.arange(len(rows)) / max(len(rows), 1))
        found = chain.rows(which).define("row=row/rows + 0*k")
        require_equal(found.read(), expected)
        assert found.read(["k"])["k"].tolist() == expected["k"].tolist()


def test_of_a_range_of_rows_no_others_are_read() -> None:
    rows = {"x": np.arange(100.0), "k": np.zeros(100, np.int32), "name": np.full(100, "", object)}
    with chain_of(rows) as chain:
        kept = next(iter(chain.rows("40:50"))).table
        blocks = [block["x"].tolist() for _, block in kept.blocks(["x"], 4)]
        assert blocks == [[40, 41, 42, 43], [44, 45, 46, 47], [48, 49]]
