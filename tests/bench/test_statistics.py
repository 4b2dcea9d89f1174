"""The statistics agree with their definitions, also in degenerate cases."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.bench.studies import run_trial, study_of, trial

from quire.lab.bench.figures.stragglers import medians_of, rows_of
from quire.lab.bench.statistics import outlier_limit, outliers, quantile, summarise
from quire.lab.bench.summary import CellSummary

TIMES = [1, 1.1, 1.2, 1.0, 1.1, 1.05, 1.15, 1.2, 1.1, 1.0, 1.1, 40]


@pytest.mark.parametrize("factor", [12, 20])
def test_only_the_last_is_an_outlier(factor: float) -> None:
    """The list of the requirements: the last of twelve times is flagged, no other."""
    assert outliers(TIMES, factor) == [11]
    assert outliers(TIMES[:-1], factor) == []


def test_equal_times_have_no_outliers() -> None:
    """If the interquartile range is 0, nothing is an outlier."""
    assert outlier_limit([1.0] * 11 + [40.0], 12) is None
    assert outliers([1.0] * 11 + [40.0], 12) == []
    assert outliers([], 12) == []


def test_quartiles_interpolate_between_order_statistics() -> None:
    """At a share q of n numbers the quantile is at q (n - 1), counted from 0."""
    assert [quantile([4, 1, 3, 2], share) for share in (0, 0.25, 0.5, 0.75, 1)] == [1, 1.75, 2.5, 3.25, 4]
    assert quantile([7], 0.25) == 7


def test_single_time_has_no_spread() -> None:
    """One number has neither a deviation nor an interval."""
    one = summarise([3.0], "a")
    assert (one.median, one.mean, one.deviation, one.low, one.high) == (3.0, 3.0, None, None, None)


def test_intervals_are_seeded() -> None:
    """The same numbers of the same cell have the same interval, around their median."""
    numbers = [random.Random(5).lognormvariate(0, 0.3) for _ in range(12)]
    first, again, other = (summarise(numbers, key) for key in ("a", "a", "b"))
    assert (first.low, first.high) == (again.low, again.high)
    assert first.low is not None
    assert first.high is not None
    assert min(numbers) <= first.low <= first.median <= first.high <= max(numbers)
    assert other.median == first.median


def test_intervals_cover_the_median() -> None:
    """About 95 % of the intervals of many samples of a known distribution contain its median."""
    source = random.Random(11)
    covered = 0
    for trial_number in range(200):
        one = summarise([source.lognormvariate(0, 0.5) for _ in range(10)], str(trial_number))
        assert one.low is not None
        assert one.high is not None
        covered += one.low <= 1.0 <= one.high
    assert 175 <= covered <= 200


def test_slow_rank_is_the_maximum_not_the_median(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One slow rank of five determines the time and the phases, and does not change the median over ranks."""
    monkeypatch.setenv("FAKE_DRIVER_RANK", "3")
    run_trial(tmp_path, trial(ranks=[5], operations=["write"]))
    for cell in study_of(tmp_path).cells:
        assert cell.median_rank is not None
        assert cell.slowest_rank is not None
        assert cell.returned is not None
        assert cell.median_rank < 0.2
        assert 1.0 <= cell.slowest_rank <= cell.returned.every.median <= cell.slowest_rank + 1e-3
        assert sum(cell.phases.values()) > 1.0
        assert all(row_is_dark == (rank == 3) for rank, row_is_dark in enumerate(dark_rows(cell)))


def dark_rows(cell: CellSummary) -> list[bool]:
    """Return which rows of the map of ranks are far above the median in every repetition."""
    return [
        all(seconds > 4 * median for seconds, median in zip(row, medians_of(cell), strict=True))
        for row in rows_of(cell)
    ]


def test_identical_methods_have_a_ratio_of_one(tmp_path: Path) -> None:
    """The interval of the paired ratio of two identical methods covers 1."""
    methods = [{"name": name, "engine": "mpiio"} for name in ("this", "that")]
    run_trial(tmp_path, trial(method=methods, passes=12, ranks=[2], operations=["write"]))
    pairs = {(cell.method, ratio.other): ratio.summary for cell, ratio in study_of(tmp_path).pairs}
    for pair in [("this", "that"), ("that", "this")]:
        one = pairs[pair]
        assert one.low is not None
        assert one.high is not None
        assert one.low <= 1 <= one.high
