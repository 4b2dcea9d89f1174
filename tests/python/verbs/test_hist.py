"""Histograms against NumPy, for random tables: without rows, with NaN, with limits and weights."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats
from tests.python.verbs.test_against_pandas import chain_of

import quire
from quire.errors import ConflictError, DataError, MissingError, TypeMismatchError, UsageError
from quire.io.bin_counts import BinCounts
from quire.numeric.histograms import Bins, Wanted, counted, finite_limits

values = st.lists(
    st.one_of(st.integers(-8, 8).map(float), st.sampled_from([math.nan, math.inf, -math.inf, 0.25])),
    max_size=30,
).map(np.array)
counts = st.sampled_from([1, 2, 4, 8, 16])  # widths are exact, and so are the bins of NumPy


def columns(*arrays: Any) -> dict[str, Any]:
    """Return columns of equal length, called x, y, w."""
    rows = min(map(len, arrays))
    return dict(zip("xyw", (np.asarray(one[:rows], np.float64) for one in arrays), strict=False))


@settings(max_examples=25)
@given(values, counts)
def test_bins_between_the_limits_of_the_values_are_those_of_numpy(x: Any, count: int) -> None:
    finite = x[np.isfinite(x)]
    assume(len(set(finite.tolist())) != 1)
    with chain_of(columns(x)) as chain:
        step = next(iter(chain.hist("x", bins=count)))
        found = chain.hist("x", bins=count).read()
    assert step.attrs["x_outside"] == len(x) - len(finite)
    assert bool(step.warnings) == (len(finite) < len(x) and len(x) > 0)
    if not len(finite):
        assert len(found["x_frequency"]) == 0
        return
    width = (finite.max() - finite.min()) / count
    places = np.floor((finite - finite.min()) / width).clip(max=count - 1)
    assert found["x_frequency"].tolist() == np.bincount(places.astype(int), minlength=count).tolist()
    if float(width * count).is_integer():
        expected, edges = np.histogram(finite, count)
        assert found["x_frequency"].tolist() == expected.tolist()
        np.testing.assert_allclose(found["x"], (edges[1:] + edges[:-1]) / 2, atol=1e-12)


@settings(max_examples=25)
@given(values, st.lists(st.integers(-3, 3), min_size=30, max_size=30), counts)
def test_weights_are_summed_within_limits_and_the_upper_one_is_outside(x: Any, w: Any, count: int) -> None:
    given = columns(x, x, w)
    with chain_of(given) as chain:
        found = chain.hist("x", bins=count, limits=(-4.0, 4.0), weight="w")
        frequency, outside = found.read()["x_frequency"], next(iter(found)).attrs["x_outside"]
    inside = (given["x"] >= -4) & (given["x"] < 4)
    expected, _ = np.histogram(given["x"][inside], count, (-4, 4), weights=given["w"][inside])
    assert frequency.tolist() == expected.tolist()
    assert outside == np.sum(~inside)


@settings(max_examples=25)
@given(values, values, counts, counts)
def test_joint_histograms_are_those_of_numpy(x: Any, y: Any, across: int, up: int) -> None:
    given = columns(x, y)
    with chain_of(given) as chain:
        table = chain.hist("x", "y", joint=True, bins=[across, up], limits=[(-4.0, 4.0), (0.0, 8.0)])
        found, outside = table.read(), next(iter(table)).attrs["outside"]
    inside = (given["x"] >= -4) & (given["x"] < 4) & (given["y"] >= 0) & (given["y"] < 8)
    expected, x_edges, y_edges = np.histogram2d(
        given["x"][inside], given["y"][inside], (across, up), ((-4, 4), (0, 8))
    )
    np.testing.assert_array_equal(found["frequency"].reshape(across, up), expected)
    np.testing.assert_array_equal(found["x"].reshape(across, up)[:, 0], (x_edges[1:] + x_edges[:-1]) / 2)
    np.testing.assert_array_equal(found["y"].reshape(across, up)[0], (y_edges[1:] + y_edges[:-1]) / 2)
    assert outside == np.sum(~inside)


def test_pairs_of_opposite_infinities_are_in_no_cell() -> None:
    with chain_of(columns([0.0, np.inf, 1e308], [0.0, -np.inf, 1e308])) as chain:
        step = next(iter(chain.hist("x", "y", joint=True, bins=1, limits=(-1.0, 1.0))))
    assert step.attrs["outside"] == 2
    assert step.warnings == ["step 0: 1 of 3 values of x or y are NaN or infinite, and in no bin"]


@settings(max_examples=15)
@given(values, counts)
def test_norms_are_one(x: Any, count: int) -> None:
    assume(np.any((x >= -4) & (x < 4)))
    with chain_of(columns(x)) as chain:
        made = {
            norm: chain.hist("x", bins=count, limits=(-4, 4), norm=norm, cdf=True).read()
            for norm in ("sum", "area", "peak")
        }
    assert made["sum"]["x_frequency"].sum() == pytest.approx(1)
    assert made["area"]["x_frequency"].sum() * 8 / count == pytest.approx(1)
    assert made["peak"]["x_frequency"].max() == 1
    for one in made.values():
        np.testing.assert_allclose(one["x_cdf"], np.cumsum(made["sum"]["x_frequency"]), rtol=1e-12)


@pytest.mark.parametrize("format", step_formats())
def test_histograms_have_units_in_every_format(format: str, tmp_path: Path) -> None:
    source, target = path_for(tmp_path, format), path_for(tmp_path, format, "out")
    with quire.create(source, format=format) as out:
        for number in (2, 5):
            with out.step(number) as step:
                step.set("s", 1.5 * number, unit="m")
                step.put("x", np.linspace(-1, 1, 11), unit="m")
                step.put("q", np.ones(11, np.float32), unit="C")
    with quire.chain(source) as chain:
        chain.hist("x", bins=4, weight="q").write(target, format=format)
        density = next(iter(chain.hist("x", "q", joint=True, bins=4, norm="area"))).table["frequency"]
    assert density.unit == "1/(m C)"
    with quire.open(target) as found:
        assert [step.number for step in found] == [2, 5]
        last = found[-1]
        assert last["x_frequency"][:].tolist() == [3, 2, 3, 3]
        assert (last["x"].unit, last["x_frequency"].unit) == ("m", "C")
        assert (last.attrs["s"], last.attrs["x_bins"], last.attrs["x_outside"]) == (7.5, 4, 0)
        assert last.attrs.info["x_bin_size"].unit == "m"


def test_several_columns_have_bins_of_their_own_or_common_ones() -> None:
    given = columns(np.arange(4.0), np.array([0.0, 0, 0, 8]))
    with chain_of(given) as chain:
        own = chain.hist("*", bins=[2, 4]).read
        with pytest.raises(DataError, match="different numbers of bins: x 2, y 4"):
            own()
        found = chain.hist("x", "y", bins=2).read()
        assert list(found) == ["x", "x_frequency", "y", "y_frequency"]
        assert (found["x"].tolist(), found["y"].tolist()) == ([0.75, 2.25], [2, 6])
        with pytest.raises(ConflictError, match=r"x \[m\], y \[\]"):
            chain.hist("x", "y", common="v").read()
        common = chain.select(["y"]).define("z=y/2")
        found = common.hist("y", "z", common="v", width=2, limits=(0.0, None)).read()
        assert list(found) == ["v", "y_frequency", "z_frequency"]
        assert found["v"].tolist() == [1, 3, 5, 7, 9]
        assert (found["y_frequency"].tolist(), found["z_frequency"].tolist()) == (
            [3, 0, 0, 0, 1],
            [3, 0, 1, 0, 0],
        )


def test_a_column_without_values_is_nan_and_is_reported() -> None:
    with chain_of(columns(np.arange(4.0), np.full(4, np.nan))) as chain:
        step = next(iter(chain.hist("x", "y", bins=2)))
        found = chain.hist("x", "y", bins=2).read()
        assert np.isnan([found["y"], found["y_frequency"]]).all()
        assert found["x_frequency"].tolist() == [2, 2]
        assert "step 0: 4 of 4 values of y are NaN or infinite, and in no bin" in step.warnings
        assert "step 0: 2 of 2 values of y, y_frequency are NaN" in step.warnings


def test_a_range_without_values_is_reported() -> None:
    with chain_of(columns(np.arange(4.0), [9.0, np.nan, 9.0, 9.0])) as chain:
        step = next(iter(chain.hist("x", "y", bins=2, limits=(-1.0, 2.0))))
        assert "step 0: no value of y is in a bin: all are outside of the range" in step.warnings
        assert not any("no value of x" in one for one in step.warnings)
        joint = next(iter(chain.hist("x", "y", bins=2, limits=(-1.0, 2.0), joint=True)))
        assert "step 0: no value of x or y is in a bin: all are outside of the range" in joint.warnings
        none = next(iter(chain.filter("x > 9").hist("x", limits=(0.0, 1.0))))
        assert none.warnings == []


def test_sides_are_empty_and_an_average_is_that_of_the_weight() -> None:
    with chain_of(columns(np.array([0.0, 0, 2]), np.array([0.0, 0, 1]), np.array([1.0, 2, 7]))) as chain:
        sides = chain.hist("x", bins=2, sides=True).read()
        assert (sides["x"].tolist(), sides["x_frequency"].tolist()) == ([-0.5, 0.5, 1.5, 2.5], [0, 2, 1, 0])
        cells = chain.hist("x", "y", joint=True, bins=2, weight="w", average=True).read()["frequency"]
        np.testing.assert_array_equal(cells, [1.5, np.nan, np.nan, 7])


def test_a_weight_that_is_missing_is_not_counted_as_zero() -> None:
    with chain_of(columns(np.array([0.0, 1]), np.zeros(2), np.array([1.0, np.nan]))) as chain:
        found = chain.hist("x", bins=2, weight="w").read()["x_frequency"]
    np.testing.assert_array_equal(found, [1, np.nan])


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (["q"], {}, MissingError, "no column 'q'"),
        (["name"], {}, TypeMismatchError, "contains texts"),
        ([], {}, UsageError, "needs a column"),
        (["x"], {"bins": 0}, UsageError, "1 bin or more"),
        (["x"], {"width": -1.0}, UsageError, "bin size is positive"),
        (["x"], {"width": 1e-12}, UsageError, "more than 100000000 bins"),
        (["x"], {"limits": (1.0, 1.0)}, UsageError, "is not above"),
        (["x"], {"limits": (2.0, -1.0)}, UsageError, "is not above"),
        (["x"], {"limits": (math.nan, 1.0)}, UsageError, "limits are finite"),
        (["x"], {"norm": "one"}, UsageError, "normalized by none, sum, area, peak"),
        (["x"], {"weight": "name"}, TypeMismatchError, "contains texts"),
        (["x"], {"joint": True}, UsageError, "has two columns, not 1"),
        (["x", "k"], {"joint": True, "cdf": True}, UsageError, "no --cdf"),
        (["x", "k"], {"joint": True, "average": True}, UsageError, "that of a weight"),
        (["x", "k"], {"bins": [1, 2, 3]}, UsageError, "3 numbers of bins for 2 columns"),
    ],
)
def test_mistakes_name_what_is_wrong(arguments: Any, options: Any, error: Any, message: str) -> None:
    table = {"x": np.arange(1000.0), "k": np.arange(1000), "name": np.full(1000, "a", object)}
    with chain_of(table) as chain, pytest.raises(error, match=message):
        chain.hist(*arguments, **options).read()


@settings(max_examples=60)
@given(
    values,
    st.integers(0, 2**32),
    st.sampled_from([None, (-1.0, 1.0), (-100.0, None), (None, 1e3)]),
    st.booleans(),
    st.sampled_from([np.float64, np.longdouble]),
)
def test_the_core_counts_as_numpy_does(x: Any, seed: int, limits: Any, is_weighted: bool, kind: Any) -> None:
    column = np.array(x, kind)
    other = np.random.default_rng(seed).normal(size=len(column))
    weights = other if is_weighted else None
    low, high = limits or (None, None)
    bins = Wanted(7, low, high).bins(finite_limits(column))
    for axes in ([(bins, column)], [(bins, column), (Bins(-1, 0.25, 8, 1.0), other)]):
        counts = BinCounts([one for one, _ in axes], is_weighted)
        counts.add([values for _, values in axes], weights)
        found, expected = counts.cells(), counted(axes, weights)
        assert (counts.rows, counts.lost) == (len(column), np.sum(~np.isfinite(column)))
        assert found.outside == expected.outside
        np.testing.assert_array_equal(found.rows, expected.rows)
        np.testing.assert_array_equal(found.sums, expected.sums)
