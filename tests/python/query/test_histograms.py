"""Histograms of rows that satisfy a condition are those of NumPy, with an index, on ranks, in any memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats
from tests.python.support.mpi import run_ranks

import quire
from quire.beam import blocks
from quire.io import histograms
from quire.io.sidecar import BLOCK_ROWS

ROWS = 6 * BLOCK_ROWS + 11


def columns() -> dict[str, Any]:
    """An ordered column, and others with values that are no numbers."""
    random = np.random.default_rng(5)
    y = random.normal(size=ROWS)
    y[BLOCK_ROWS : 2 * BLOCK_ROWS] = np.nan
    return {
        "x": np.arange(ROWS) / ROWS,
        "y": y,
        "f": random.normal(size=ROWS).astype(np.float32),
        "n": random.integers(-100, 100, ROWS),
        "w": random.uniform(size=ROWS),
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of one step."""
    found = path_for(tmp_path, step_formats()[0])
    with quire.create(found) as out, out.step(0) as step:
        for name, values in columns().items():
            step.put(name, values)
    return found


@pytest.fixture(params=[False, True])
def table(path: Path, request: pytest.FixtureRequest) -> Any:
    """Its table, without and with an index."""
    if request.param:
        quire.build_index(path)
    with quire.open(path) as file:
        yield file[0].table


@pytest.mark.parametrize("kept_bytes", [0, 1 << 26])
def test_one_column(table: Any, monkeypatch: pytest.MonkeyPatch, kept_bytes: int) -> None:
    monkeypatch.setattr(histograms, "KEPT_BYTES", kept_bytes)
    values = columns()
    some = (values["x"] < 0.1) | (values["x"] > 0.9)
    matches = table.where("x < 0.1 or x > 0.9")
    for name in ("y", "f", "n"):
        finite = values[name][some & np.isfinite(values[name])].astype(float)
        found = matches.histogram(name, bins=8, limits=(-2.0, 2.0))
        inside = finite[(finite >= -2) & (finite < 2)]
        assert found.frequency.tolist() == np.histogram(inside, 8, (-2, 2))[0].tolist()
        assert found.outside == some.sum() - len(inside)
        open_ended = matches.histogram(name)
        assert (open_ended.bins.lower, open_ended.bins.last) == (finite.min(), finite.max())
        assert open_ended.frequency.sum() == len(finite)


def test_limits_of_all_rows_are_those_of_the_values(table: Any) -> None:
    values = columns()
    for name in ("y", "f", "n"):
        bins = table.histogram(name, bins=3).bins
        assert (bins.lower, bins.last) == (np.nanmin(values[name]), np.nanmax(values[name]))


def test_two_columns_and_weights(table: Any) -> None:
    values = columns()
    some = values["x"] >= 0.5
    found = table.where("x >= 0.5").histogram_2d(
        "f", "n", bins=(4, 5), limits=[(-4.0, 4.0), (-100.0, 100.0)], weight="w"
    )
    expected, _, _ = np.histogram2d(
        values["f"][some], values["n"][some], (4, 5), [(-4, 4), (-100, 100)], weights=values["w"][some]
    )
    np.testing.assert_allclose(found.frequency, expected)
    assert found.outside == np.sum(np.abs(values["f"][some]) >= 4)


def test_infinite_values_are_in_no_bin(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.array([1.0, np.inf, 3.0, -np.inf, np.nan]))
    for _ in range(2):
        with quire.open(path) as file:
            found = file[0].table.histogram("x", bins=2)
        assert (found.bins.lower, found.bins.last) == (1.0, 3.0)
        assert (found.frequency.tolist(), found.outside) == ([1, 1], 3)
        quire.build_index(path)


def test_mistakes_are_reported(table: Any) -> None:
    matches = table.where("x > 0.5")
    with pytest.raises(quire.MissingError):
        matches.histogram("q")
    with pytest.raises(quire.UsageError, match="1 bin or more"):
        matches.histogram("x", bins=0)
    with pytest.raises(quire.UsageError, match="are pairs"):
        matches.histogram_2d("x", "y", limits=[(0.0, 1.0)])
    with pytest.raises(quire.UsageError, match="cells are more than"):
        matches.histogram_2d("x", "y", bins=20_000)


def test_texts_have_no_bins(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    with quire.create(path) as out, out.step(0) as step:
        step.put("name", ["a", "b"])
    with quire.open(path) as file, pytest.raises(quire.TypeMismatchError, match="cannot be binned"):
        file[0].table.histogram("name")


CONDITION = "x > mean(x) - 0.3 and x < 0.9"


def histogram_on_ranks(comm: Any, path: str) -> list[Any]:
    """What a rank gets, and the bytes that it reads."""
    with (
        mock.patch.object(blocks, "BLOCK_ROWS", 512),
        mock.patch.object(histograms, "LEAF_BLOCKS", 4),
        quire.chain(path, comm=comm) as chain,
    ):
        kept = chain.filter(CONDITION)
        found = [
            kept.hist("y", "n", bins=7, weight="w").read(),
            kept.hist("f", "n", joint=True, weight="w").read(),
        ]
        read = chain.counters.bytes_read
    return [read, [{name: values.tolist() for name, values in one.items()} for one in found]]


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_share_the_rows_and_get_the_same_bits(path: Path, ranks: int) -> None:
    [(whole, expected)] = run_ranks(histogram_on_ranks, 1, str(path))
    found = run_ranks(histogram_on_ranks, ranks, str(path))
    assert all(one == expected for _, one in found)
    assert max(read for read, _ in found) < 0.75 * whole
