"""`stats` across the columns of each row, and in windows of rows: the numbers of NumPy and pandas, for random
tables, whatever blocks they are read in.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, Error, MissingError, TypeMismatchError, UsageError
from quire.toolkit.examples import EXAMPLES

elements = st.one_of(st.just(np.nan), st.floats(-1e3, 1e3))
matrices = hnp.arrays(np.float64, st.tuples(st.integers(0, 12), st.integers(1, 5)), elements=elements)
columns = hnp.arrays(np.float64, st.integers(0, 30), elements=elements)

LIKE_PANDAS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda some: some.mean(),
    "sum": lambda some: some.sum(),
    "std": lambda some: some.std(),
    "min": lambda some: some.min(),
    "max": lambda some: some.max(),
    "spread": lambda some: some.max() - some.min(),
    "sigma": lambda some: some.std() / np.sqrt(some.count()),
}
"""Rolling reductions of pandas, which of windows with NaN are NaN."""


def named(matrix: Any) -> dict[str, Any]:
    """The columns of a matrix."""
    return {f"c{place}": matrix[:, place] for place in range(matrix.shape[1])}


def upper_median(rows: Any) -> Any:
    """The upper median of each row, NaN of those with NaN."""
    middles = np.sort(rows, axis=1)[:, rows.shape[1] // 2]
    return np.where(np.isnan(rows).any(axis=1), np.nan, middles)


@settings(max_examples=60)
@given(matrices)
def test_reductions_across_columns_are_those_of_numpy(matrix: Any) -> None:
    chain = quire.new(columns=named(matrix)).stats(
        "m=mean(c*)", "s=std(c*)", "rms(c*)", "n=count(c*)", "low=min(c*)", "median(c*)",
        "t=sum(c*, skip_nan)", across_columns=True,
    )  # fmt: skip
    found = chain.read()
    assert list(found) == [*named(matrix), "m", "s", "rms", "n", "low", "median", "t"]
    for name, values in named(matrix).items():
        np.testing.assert_array_equal(found[name], values)
    deviations = matrix.std(axis=1, ddof=1) if matrix.shape[1] > 1 else np.full(len(matrix), np.nan)
    np.testing.assert_allclose(found["m"], matrix.mean(axis=1), atol=1e-9)
    np.testing.assert_allclose(found["s"], deviations, atol=1e-9)
    np.testing.assert_allclose(found["rms"], np.sqrt((matrix**2).mean(axis=1)), atol=1e-9)
    np.testing.assert_array_equal(found["low"], matrix.min(axis=1))
    np.testing.assert_array_equal(found["median"], upper_median(matrix))
    np.testing.assert_array_equal(found["n"], (~np.isnan(matrix)).sum(axis=1))
    assert found["n"].dtype == np.int64
    sums = pandas.DataFrame(matrix).sum(axis=1, skipna=True, min_count=1)
    np.testing.assert_allclose(found["t"], sums, atol=1e-9)


@settings(max_examples=60)
@given(columns, st.integers(1, 8))
def test_windows_are_the_rolling_reductions_of_pandas(y: Any, points: int) -> None:
    chain = quire.new(columns={"y": y})
    found = chain.stats(*(f"{what}(y)" for what in LIKE_PANDAS), "count(y)", window=points).read()
    for what, of in LIKE_PANDAS.items():
        whole = [of(pandas.Series(y[at : at + points])) for at in range(len(y) - points + 1)]
        is_missing = [np.isnan(y[at : at + points]).any() for at in range(len(y) - points + 1)]
        expected = np.where(is_missing, np.nan, np.array(whole, float))
        np.testing.assert_allclose(found[f"y_{what}"], expected, atol=1e-9, err_msg=what)
    counts = pandas.Series(y).rolling(points, min_periods=0).count()[points - 1 :]
    np.testing.assert_array_equal(found["y_count"], counts)


@settings(max_examples=60)
@given(columns, st.integers(1, 8))
def test_blocks_are_groups_of_rows_without_a_remainder(y: Any, points: int) -> None:
    rows = len(y) // points
    blocks = y[: rows * points].reshape(rows, points)
    chain = quire.new(columns={"y": y, "t": np.arange(len(y), dtype=float)})
    found = chain.stats("mean(y)", "first(t)", "last(t)", window=points, blocks=True).read()
    np.testing.assert_allclose(found["y_mean"], blocks.mean(axis=1), atol=1e-9)
    np.testing.assert_array_equal(found["t_first"], np.arange(rows) * points)
    np.testing.assert_array_equal(found["t_last"], np.arange(rows) * points + points - 1)
    if rows and rows * points == len(y):
        grouped = quire.new(columns={"y": y}).group(f"every({points})").stats("mean(y)").read(["y_mean"])
        np.testing.assert_allclose(found["y_mean"], grouped["y_mean"], atol=1e-9)


@settings(max_examples=60)
@given(columns, st.integers(2, 9), st.integers(1, 7), st.booleans(), st.data())
def test_results_have_the_same_bits_in_blocks_of_any_size(
    y: Any, points: int, size: int, blocks: bool, data: st.DataObject
) -> None:
    what = ["mean(y)", "std(y, skip_nan)", "y_slope=slope(y, versus=z)", "product(y)"]
    made = quire.new(columns={"y": y, "z": np.cos(np.arange(len(y)))})
    for chain in (
        made.stats(*what, window=points, blocks=blocks),
        made.stats("m=mean(*)", "s=std(*, skip_nan)", across_columns=True),
    ):
        table = next(iter(chain)).table
        whole = table.read()
        first = data.draw(st.integers(0, len(table)))
        part = slice(first, data.draw(st.integers(first, len(table))))
        for rows in (slice(None), part):
            parts = list(table.blocks(list(whole), size, rows))
            for name, values in whole.items():
                got = np.concatenate([np.empty(0, values.dtype), *(block[name] for _, block in parts)])
                assert got.tobytes() == values[rows].tobytes(), name
            starts = np.cumsum([rows.start or 0, *(len(block["y" if "y" in block else "y_mean"])
                                                   for _, block in parts)])  # fmt: skip
            assert [start for start, _ in parts] == starts[:-1].tolist()


def test_sums_of_long_windows_have_the_same_bits_wherever_a_block_begins() -> None:
    y = np.random.default_rng(5).normal(size=1000)
    table = next(iter(quire.new(columns={"y": y}).stats("sum(y)", window=300))).table
    whole = table.read()["y_sum"]
    for first in (0, 1, 350, 699):
        (part,) = [block["y_sum"] for _, block in table.blocks(["y_sum"], None, (first, 1))]
        assert part.tobytes() == whole[first : first + 1].tobytes()


@pytest.fixture(params=step_formats())
def monitors(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Three steps of readings of beam position monitors in each format, the second one of a single row."""
    path = path_for(tmp_path, request.param)
    random = np.random.default_rng(3)
    with quire.create(path, format=request.param) as out:
        for number, rows in ((1, 20), (4, 1), (9, 7)):
            with out.step(number) as step:
                step.set("s", number * 0.5, unit="m")
                step.put("t", np.arange(rows) * 0.25, unit="s")
                for name in ("bpm1", "bpm2", "bpm3"):
                    step.put(name, random.normal(size=rows), unit="mm")
                step.put("n", np.arange(rows, dtype=np.int32))
    return path


def test_each_format_has_results_of_columns_with_their_unit(monitors: Path) -> None:
    target = monitors.with_name(f"out{monitors.suffix}")
    with quire.chain(monitors) as chain:
        given_rows = [step.table.read() for step in chain]
        made = chain.stats("m=mean(bpm*)", "who=max(bpm*, position)", "k=count(bpm*)", across_columns=True)
        steps = list(made)
        assert [step.warnings for step in steps] == [[], [], []]
        largest = [step.table.read(["who"])["who"].tolist() for step in steps]
        made.select(drop="who").write(target)
    with quire.open(target) as found:
        assert [step.number for step in found] == [1, 4, 9]
        for step, rows, who in zip(found, given_rows, largest, strict=True):
            stacked = np.stack([rows[f"bpm{place}"] for place in (1, 2, 3)], axis=1)
            np.testing.assert_array_equal(step["m"][:], stacked.mean(axis=1))
            np.testing.assert_array_equal(step["bpm2"][:], rows["bpm2"])
            assert (step["m"].unit, step["k"].unit, step.attrs["s"]) == ("mm", "", step.number * 0.5)
            assert step["k"][:].tolist() == [3] * len(stacked)
            assert who == [f"bpm{place + 1}" for place in stacked.argmax(axis=1)]


def test_each_format_has_windows_of_each_step(monitors: Path) -> None:
    target = monitors.with_name(f"out{monitors.suffix}")
    with quire.chain(monitors) as chain:
        given_rows = [step.table.read() for step in chain]
        what = ["mean(bpm1)", "t=mean(t)", "slope(bpm2, versus=t)", "n=max(n)"]
        made = chain.stats(*what, window=5)
        too_short = ["steps of less than 5 rows have no window, and no row"]
        assert [step.warnings for step in made] == [[], too_short, []]
        made.write(target)
    with quire.open(target) as found:
        assert [len(step.table) for step in found] == [16, 0, 3]
        assert [step.attrs["s"] for step in found] == [0.5, 2, 4.5]
        for step, rows in zip(found, given_rows, strict=True):
            units = {name: step[name].unit for name in step.table}
            assert units == {"bpm1_mean": "mm", "t": "s", "bpm2_slope": "mm/s", "n": ""}
            for row in range(len(step.table)):
                window = slice(row, row + 5)
                line = np.polyfit(rows["t"][window], rows["bpm2"][window], 1)
                assert step["bpm1_mean"][row] == rows["bpm1"][window].mean()
                assert step["bpm2_slope"][row] == pytest.approx(line[0])
                assert step["n"][row] == row + 4


def test_windows_have_attributes_but_no_fields_of_the_step(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    EXAMPLES["beam"].write(path)
    with quire.chain(path, steps="5") as chain:
        (windows,) = chain.stats("mean(x)", window=500, blocks=True)
        (rows,) = chain.stats("m=mean(x, y)", across_columns=True)
    assert "rho" in rows.fields
    assert (list(windows.fields), len(windows.table)) == ([], 4)
    assert "rms_x" in windows.attrs


def test_windows_are_those_of_each_group(monitors: Path) -> None:
    with quire.chain(monitors, steps=1) as chain:
        halves = list(chain.group("half=bin(n, 2)").stats("first(n)", window=4))
        assert [step.table.read()["n_first"].tolist() for step in halves] == [
            list(range(7)),
            list(range(10, 17)),
        ]
        assert [sorted(step.attrs) for step in halves] == [["half", "s"]] * 2
        across = list(chain.group("half=bin(n, 2)").stats("m=mean(bpm*)", across_columns=True))
        assert [len(step.table) for step in across] == [10, 10]


def test_verbs_after_it_know_the_results_and_the_rows(monitors: Path) -> None:
    with quire.chain(monitors, steps=1) as chain:
        made = chain.filter("n >= 2").stats("t=first(t)", window=3).define("last=row == rows - 1")
        assert made.read()["last"].tolist() == [False] * 15 + [True]
        found = (
            chain.stats("m=mean(bpm*)", across_columns=True).filter("m > bpm1").define("d=m - bpm1").read()
        )
        assert len(found["d"]) > 0
        assert (found["d"] > 0).all()


def test_only_the_columns_of_the_results_are_read(monitors: Path, columns_read: set[str]) -> None:
    with quire.chain(monitors) as chain:
        chain.stats("mean(bpm1)", "first(n)", window=2).read(["bpm1_mean"])
        assert columns_read == {"bpm1"}
        columns_read.clear()
        chain.stats("m=mean(bpm1, bpm3)", "l=max(n, t)", across_columns=True).read(["m"])
        assert columns_read == {"bpm1", "bpm3"}


def test_texts_have_a_first_and_a_last_in_windows() -> None:
    chain = quire.new("name=a,b,c,d", "x=4,1,3,2")
    what = ["first(name)", "last(name)", "who=max(x, versus=name, position)", "count(name)"]
    found = chain.stats(*what, window=3).read()
    assert found["name_first"].tolist() == ["a", "b"]
    assert found["name_last"].tolist() == ["c", "d"]
    assert found["who"].tolist() == ["a", "c"]
    assert found["name_count"].tolist() == [3, 3]


def test_long_double_stays_and_integers_are_not_rounded() -> None:
    values = np.array([1, 2, 4], np.longdouble) / 3
    made = quire.new(columns={"y": values, "z": np.array([2.0, 0, 1])})
    across = made.stats("max(y, z)", across_columns=True).read()["max"]
    moving = made.stats("sum(y)", window=2).read()["y_sum"]
    assert across.dtype == moving.dtype == np.longdouble
    assert across.tolist() == [2, values[1], values[2]]
    assert moving.tolist() == (values[1:] + values[:-1]).tolist()
    large = quire.new(columns={"n": np.array([2**53 + 1, 5]), "x": np.array([1.0, 2])})
    for chain in (large.stats("max(n, x)", across_columns=True), large.stats("max(n)", window=1)):
        with pytest.raises(TypeMismatchError, match="9007199254740993 would be rounded"):
            chain.read()


def test_columns_of_different_units_give_a_result_without_one_and_a_warning() -> None:
    made = quire.new("x[m]=1,2", "y[mm]=3,4", "z=5,6")
    chain = made.stats("m=mean(x, y)", "count(x, y)", "max(x, z, position)", across_columns=True)
    (step,) = chain
    assert step.table["m"].unit == ""
    assert step.warnings == ["m has no unit: its columns have 'm', 'mm'"]


def test_strict_refuses_results_that_are_missing() -> None:
    made = quire.new(columns={"x": np.array([1, np.nan, 3, 4, 5]), "y": np.ones(5)}).strict()
    for chain, message in (
        (made.stats("m=mean(x, y)", across_columns=True), "1 of 5 values of m are NaN"),
        (made.stats("mean(x)", window=2), "2 of 4 values of x_mean are NaN"),
    ):
        with pytest.raises(ConflictError, match=message):
            chain.read()
    assert made.stats("m=mean(x, y, skip_nan)", across_columns=True).read()["m"].tolist() == [1, 1, 2, 2.5, 3]


ACROSS = {"across_columns": True}


@pytest.mark.parametrize(
    ("what", "how", "error", "message"),
    [
        (["slope(x, y)"], ACROSS, UsageError, "slope is not computed across columns"),
        (["mean(x, y, weight=z)"], ACROSS, UsageError, "weight is a column"),
        (["mean(x, y, lower=1)"], ACROSS, UsageError, "lower is a column or a limit"),
        (["mean(x, y, position)"], ACROSS, UsageError, "mean has no position"),
        (["x"], ACROSS, UsageError, "'x' is no reduction of columns"),
        (["mean(x, q)"], ACROSS, MissingError, "q"),
        (["mean(x, name)"], ACROSS, TypeMismatchError, "texts"),
        (["x=mean(x, y)"], ACROSS, ConflictError, "there is such a column"),
        (["max(x, y)", "max(y)"], ACROSS, ConflictError, "there is such a column"),
        (["mean(x, y, head=a)"], ACROSS, UsageError, "head=a is no number"),
        (["percentile(x, y)"], ACROSS, UsageError, "percent=y is no number"),
        (["mean(x)"], ACROSS | {"window": 2}, UsageError, "either across columns or in windows"),
        (["mean(x)"], ACROSS | {"species": "proton"}, UsageError, "species belongs to quantities"),
        (["mean(x)"], {"window": 0}, UsageError, "1 row or more"),
        (["mean(x)"], {"blocks": True}, UsageError, "blocks are windows"),
        (["fwhm(x, versus=y)"], {"window": 2}, UsageError, "fwhm is not computed in windows"),
        (["mean(name)"], {"window": 2}, TypeMismatchError, "mean is of numbers"),
        (["emittance_nx"], {"window": 2}, UsageError, "'emittance_nx' is no column"),
        (["a=mean(x)", "a=max(x)"], {"window": 2}, ConflictError, "two results have this name"),
    ],
)
def test_what_cannot_be_reduced_is_an_error(
    what: list[str], how: dict[str, Any], error: type[Error], message: str
) -> None:
    chain = quire.new("x=1,2,3", "y=2,3,4", "z=1,1,1", "name=a,b,c")
    with pytest.raises(error, match=message):
        chain.stats(*what, **how).read()


def test_percentages_and_ends_are_of_the_columns_of_a_row() -> None:
    chain = quire.new("a=1,9", "b=5,8", "c=3,7", "d=4,6")
    found = chain.stats(
        "percentile(a, b, c, d, 34)", "head=mean(a, b, c, d, head=2)", "few=mean(*, top=4)", "d4=mode(*)",
        across_columns=True,
    ).read()  # fmt: skip
    assert found["percentile"].tolist() == [3, 7]
    assert found["head"].tolist() == [3, 8.5]
    np.testing.assert_array_equal(found["few"], [(1 + 3 + 4) / 3, np.nan])
