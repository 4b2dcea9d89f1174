"""The verb `pages`: steps that are divided, and joined by equal attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, MissingError, UsageError

RUNS = (1.0, 1.0, 2.0, 1.0)
"""The value of the attribute `run` of successive steps."""


def write(path: Path, format: str) -> Path:
    """Steps with a run number that comes again, and a place."""
    with quire.create(path, format=format) as out:
        for number, (count, run) in enumerate(zip((3, 2, 4, 1), RUNS, strict=True)):
            with out.step(2 * number) as step:
                step.set("run", run)
                step.set("s", 0.5 * number, unit="m")
                step.put("x", number * 10 + np.arange(count, dtype=float), unit="m")
    return path


@pytest.fixture(params=step_formats())
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Four steps, in each format."""
    return write(path_for(tmp_path, request.param), request.param)


def rows_of(step: Any, name: str = "x") -> list[float]:
    """The rows of a column."""
    found: list[float] = step.table.read([name])[name].tolist()
    return found


def test_runs_of_equal_attributes_become_a_step_each(runs: Path, tmp_path: Path) -> None:
    with quire.chain(runs) as chain:
        steps = list(chain.merge(by="run"))
        assert [step.number for step in steps] == [0, 1, 2]
        assert [step.attrs["run"] for step in steps] == [1, 2, 1]
        assert [rows_of(step) for step in steps] == (rows := [[0, 1, 2, 10, 11], [20, 21, 22, 23], [30]])
        assert rows_of(steps[0], "s") == [0, 0, 0, 0.5, 0.5]
        assert steps[0].table["s"].unit == "m"
        assert "s" not in steps[0].attrs
        assert steps[1].attrs["s"] == 1
        target = path_for(tmp_path, step_formats()[0], "merged")
        chain.merge(by="run").select("x").write(target)
        with pytest.raises(MissingError, match="lost"):
            list(chain.merge(by="lost"))
    with quire.open(target) as found:
        assert [step["x"][:].tolist() for step in found] == rows


def test_all_steps_become_one(runs: Path) -> None:
    with quire.chain(runs) as chain:
        (step,) = chain.merge()
        assert rows_of(step) == [0, 1, 2, 10, 11, 20, 21, 22, 23, 30]
        assert rows_of(step, "run") == [1] * 5 + [2] * 4 + [1]


def test_steps_are_divided_into_rows_of_a_size(runs: Path) -> None:
    with quire.chain(runs) as chain:
        steps = list(chain.split(2))
        assert [rows_of(step) for step in steps] == [[0, 1], [2], [10, 11], [20, 21], [22, 23], [30]]
        assert [step.number for step in steps] == list(range(6))
        assert [step.attrs["s"] for step in steps] == [0, 0, 0.5, 1, 1, 1.5]
        again = list(chain.split(2).merge(by="s"))
        assert [rows_of(step) for step in again] == [rows_of(step) for step in chain]
        with pytest.raises(UsageError, match="cannot have 0 rows"):
            chain.split(0)


@settings(max_examples=40)
@given(st.integers(0, 20), st.integers(1, 7))
def test_parts_of_a_step_are_its_rows_in_their_order(rows: int, size: int) -> None:
    x = np.cos(np.arange(rows))
    steps = list(quire.new(columns={"x": x}).split(size))
    assert [len(step.table) for step in steps] == [size] * (rows // size) + [rows % size] * (rows % size > 0)
    assert [value for step in steps for value in rows_of(step)] == x.tolist()


def test_steps_of_different_columns_units_and_types_are_not_joined() -> None:
    first = quire.new("x[m]=1,2")
    for other, message in (
        (quire.new("x[mm]=1,2"), "the unit is 'm' in step 0 and 'mm' in step 1"),
        (quire.new("x[m]=1.5,2"), "the type is 'int64' in step 0 and 'float64' in step 1"),
        (quire.new("x[m]=1,2", "y=1,2"), "differ in columns: y"),
    ):
        with pytest.raises(ConflictError, match=message):
            list(first.concat(other).merge())


def test_the_number_of_the_row_and_steps_are_counted_from_0(runs: Path) -> None:
    with quire.chain(runs) as chain:
        assert [step.number for step in chain.renumber()] == [0, 1, 2, 3]
        found = chain.collapse().read()
        assert found["step"].tolist() == [0, 2, 4, 6]
        assert found["run"].tolist() == list(RUNS)
