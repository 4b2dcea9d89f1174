"""Counts must be exactly those of NumPy on the whole column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import quire
from quire.beam import blocks
from quire.io.bin_counts import BinCounts
from quire.numeric.histograms import Bins
from quire.toolkit import binning
from quire.toolkit.binning import (
    BinnedTables,
    Distribution,
    complete_limits,
    parse_bins,
    parse_range,
    widened,
)

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Values


def distribution(tables: Any, names: Any, bins: Any, limits: Any = None) -> Distribution:
    """Count the rows of tables, between their limits unless others are given."""
    binned = BinnedTables(tables, names)
    return binned.distribution(bins, complete_limits([binned], names, limits or [None] * len(names), bins))


@pytest.mark.parametrize("kept_bytes", [0, 1 << 20])
def test_blocks_do_not_change_the_counts(
    make: Make, values: Values, format: str, monkeypatch: pytest.MonkeyPatch, kept_bytes: int
) -> None:
    monkeypatch.setattr(binning, "KEPT_BYTES", kept_bytes)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 7)
    with quire.open(make(format)) as file:
        found = distribution([step.table for step in file], ["x", "px"], (4, 5))
        x = np.concatenate([values(step.number)["x"] for step in file])
        px = np.concatenate([values(step.number)["px"] for step in file])
    expected, x_edges, px_edges = np.histogram2d(x, px, bins=(4, 5))
    assert_array_equal(found.counts, expected)
    assert_array_equal(found.axes[0].edges, x_edges)
    assert_array_equal(found.axes[1].edges, px_edges)
    assert found.outside == 0
    assert found.rows == len(x)


def test_values_outside_the_range_are_reported(beam: Path, values: Values) -> None:
    with quire.open(beam) as file:
        found = distribution([file[0].table], ["x"], (10,), [(0.0, 1e-3)])
        x = values(file[0].number)["x"]
    expected, _ = np.histogram(x, bins=10, range=(0.0, 1e-3))
    assert_array_equal(found.counts, expected)
    assert found.outside == len(x) - expected.sum()


def test_no_rows_give_empty_bins(make: Make, format: str) -> None:
    with quire.open(make(format, rows=0)) as file:
        found = distribution([step.table for step in file], ["x"], (10,))
    assert found.rows == found.outside == 0
    assert found.axes[0].lower < found.axes[0].upper


@pytest.mark.parametrize("pair", [(1.0, 1.0), (0.0, 0.0), (-3e-9, -3e-9), (1e300, 1e300), (np.inf, -np.inf)])
def test_bins_always_have_a_width(pair: tuple[float, float]) -> None:
    low, high = widened(*pair)
    assert low < high
    assert np.all(np.diff(Bins.between(low, high, 100).edges) > 0)


@pytest.mark.parametrize("bins", [1, 2, 9, 100])
@pytest.mark.parametrize("value", [3.0, 0.0, -3e-9, 1e300])
def test_a_single_value_is_in_the_middle_of_its_bin(value: float, bins: int) -> None:
    axis = Bins.between(*widened(value, value, bins), bins)
    [place] = axis.place(np.array([value]))
    assert abs(axis.centers[place - 1] - value) < 1e-9 * axis.size


def test_the_bin_of_a_constant_column_is_around_its_value(tmp_path: Path) -> None:
    path = tmp_path / "constant.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.full(7, 2.5))
        step.put("y", np.zeros(7))
    with quire.open(path) as file:
        found = distribution([file[0].table], ["x", "y"], (100, 40))
    [(i, j)] = np.argwhere(found.counts)
    assert found.counts[i, j] == 7
    assert (found.axes[0].centers[i], found.axes[1].centers[j]) == pytest.approx((2.5, 0.0))


def test_numbers_of_bins() -> None:
    assert parse_bins("100", 1) == (100,)
    assert parse_bins("100", 2) == (100, 100)
    assert parse_bins("20x30", 2) == (20, 30)
    for text in ("0", "x", "2x3x4", "-5", "99999999x99999999"):
        with pytest.raises(quire.UsageError):
            parse_bins(text, 2)


def test_ranges() -> None:
    assert parse_range("-1e-3:1e-3") == (-1e-3, 1e-3)
    for text in ("1", "2:1", "a:b", "nan:1", "0:inf", "-1.7e308:1.7e308"):
        with pytest.raises(quire.UsageError):
            parse_range(text)


@pytest.mark.parametrize("bins", [4, 100])
@pytest.mark.parametrize("axes", [1, 2])
def test_rows_without_a_number_are_counted_for_any_number_of_bins(bins: int, axes: int) -> None:
    values = np.array([0.0, 1.0, np.nan, 0.5, np.inf, -np.inf, 7.0] + [0.25] * 60)
    counts = BinCounts([Bins.between(0.0, 1.0, bins)] * axes, False)
    for _ in range(2):
        counts.add([values[:2]] * axes)
        counts.add([values] * axes)
    assert counts.lost == 6
    assert counts.rows == 2 * (len(values) + 2)
