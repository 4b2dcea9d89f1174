"""The verb `correlate`: pairs, matrices, groups, and columns that have no correlation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, DataError, MissingError, TypeMismatchError, UsageError

ROWS = 30


@pytest.fixture(params=step_formats())
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two steps of three columns, in each format."""
    path = path_for(tmp_path, request.param)
    random = np.random.default_rng(1)
    with quire.create(path, format=request.param) as out:
        for number in (1, 4):
            with out.step(number) as step:
                step.set("s", 0.5 * number, unit="m")
                x = random.normal(size=ROWS)
                step.put("x", x, unit="m")
                step.put("y", x + random.normal(size=ROWS), unit="T")
                step.put("turn", np.arange(ROWS, dtype=np.int32))
    return path


def test_each_pair_is_a_row(data: Path) -> None:
    with quire.chain(data) as chain:
        given = [step.table.read(["x", "y", "turn"]) for step in chain]
        for step, columns in zip(chain.correlate(["x", "y", "turn"]), given, strict=True):
            found = step.table.read()
            assert step.attrs["s"] == 0.5 * step.number
            assert found["first"].tolist() == ["x", "x", "y"]
            assert found["second"].tolist() == ["y", "turn", "turn"]
            assert found["points"].tolist() == [ROWS] * 3
            for place, (a, b) in enumerate(zip(found["first"], found["second"], strict=True)):
                expected = stats.pearsonr(columns[a], columns[b])
                assert found["coefficient"][place] == pytest.approx(expected.statistic)
                assert found["significance"][place] == pytest.approx(expected.pvalue)


def test_a_matrix_is_that_of_numpy(data: Path) -> None:
    with quire.chain(data, steps="1") as chain:
        found = chain.correlate(["x", "y", "turn"], matrix=True).read()
        given = chain.read(["x", "y", "turn"])
    assert found.pop("name").tolist() == ["x", "y", "turn"]
    np.testing.assert_allclose(np.stack(list(found.values())), np.corrcoef(np.stack(list(given.values()))))


def test_pairs_with_some_columns_of_each_group(data: Path) -> None:
    with quire.chain(data, steps="1") as chain:
        made = chain.group("half=bin(turn, 2)").correlate(["x"], with_only=["y"], method="spearman")
        steps = list(made)
        x, y = chain.read(["x"])["x"].reshape(2, -1), chain.read(["y"])["y"].reshape(2, -1)
    for step, a, b in zip(steps, x, y, strict=True):
        assert step.table.read()["coefficient"].tolist() == [pytest.approx(stats.spearmanr(a, b).statistic)]
        assert "half" in step.attrs


def test_what_has_no_correlation_is_nan_and_counted(data: Path) -> None:
    with quire.chain(data, steps="1") as chain:
        step = next(iter(chain.define("flat=0*turn").correlate(["x", "flat", "turn"])))
        assert np.isnan(step.table.read()["coefficient"]).tolist() == [True, False, True]
        assert any(
            "2 of 3 correlations do not exist and are NaN: of less than two rows" in one
            for one in step.warnings
        )
        empty = next(iter(chain.filter("x > 100").correlate()))
        assert empty.table.read()["points"].tolist() == [0, 0, 0]
        matrix = chain.define("flat=0*turn").correlate(["x", "flat"], matrix=True).read()
        assert np.isnan(matrix["flat"]).all()


def test_texts_missing_names_and_single_columns_are_refused(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(3.0))
        step.put("word", ["a", "b", "c"])
        step.put("name", np.arange(3.0))
    with quire.chain(path) as chain:
        assert chain.correlate().read()["second"].tolist() == ["name"]
        for names, error in ((["x", "word"], TypeMismatchError), (["q"], MissingError), (["x"], DataError)):
            with pytest.raises(error):
                list(chain.correlate(names))
        with pytest.raises(ConflictError, match="name"):
            list(chain.correlate(matrix=True))
        with pytest.raises(UsageError, match="all pairs"):
            chain.correlate(matrix=True, with_only=["x"])
