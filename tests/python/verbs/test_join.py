"""The verb `join`: row by row, which steps are joined, and the attributes of the other file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, DataError

NUMBERS = (1, 4, 9)


def file_of(path: Path, format: str, rows: tuple[int, ...], **attributes: Any) -> Path:
    """Steps of so many rows; an attribute of each is a value, or a function of the number of the step."""
    with quire.create(path, format=format) as out:
        for number, count in zip(NUMBERS, rows, strict=False):
            with out.step(number) as step:
                for name, value in attributes.items():
                    step.set(name, value(number) if callable(value) else value, unit="m")
                step.put(f"{path.stem}_y", number + np.arange(count) / 4, unit="T")
    return path


@pytest.fixture(params=step_formats())
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Two files of three steps with attributes of their own and one in common, in each format."""
    format = request.param
    mine, other = (path_for(tmp_path, format, name) for name in ("mine", "other"))
    file_of(mine, format, (4, 4, 4), s=lambda number: number * 1.0, both=1.0)
    file_of(other, format, (4, 4, 4), charge=lambda number: number * 10.0, both=2.0)
    return mine, other


def test_row_by_row_a_row_gets_the_row_of_its_number(pair: tuple[Path, Path], tmp_path: Path) -> None:
    target = path_for(tmp_path, step_formats()[0], "joined")
    with quire.chain(pair[0]) as chain, quire.chain(pair[1]) as mate:
        chain.join(mate).write(target)
    with quire.open(target) as found:
        assert [step.number for step in found] == list(NUMBERS)
        for step in found:
            expected = step.number + np.arange(4) / 4
            np.testing.assert_array_equal(step["mine_y"][:], expected)
            np.testing.assert_array_equal(step["other_y"][:], expected)
            assert step["other_y"].unit == "T"


def test_attributes_are_those_of_both_steps_and_of_equal_names_the_first(pair: tuple[Path, Path]) -> None:
    with quire.chain(pair[0]) as chain, quire.chain(pair[1]) as mate:
        for step in chain.join(mate):
            assert dict(step.attrs) == {"s": step.number, "both": 1, "charge": 10 * step.number}
            assert step.attrs.info["charge"].unit == "m"
        for how in ("semi", "anti"):
            assert [dict(step.attrs) for step in chain.join(mate, how=how)] == [
                {"s": number, "both": 1} for number in NUMBERS
            ]


def test_the_only_step_of_the_other_file_is_joined_with_all(pair: tuple[Path, Path]) -> None:
    with quire.chain(pair[0]) as chain, quire.chain(pair[1], steps=4) as mate:
        for step in chain.join(mate):
            np.testing.assert_array_equal(step.table.read(["other_y"])["other_y"], 4 + np.arange(4) / 4)
            assert step.attrs["charge"] == 40
        with pytest.raises(ConflictError, match="has 2 steps, and this one more; choose steps"):
            chain.join(quire.chain(pair[1], steps="1,4")).read()
        with pytest.raises(DataError, match="the other file has no step"):
            chain.join(mate.filter("other_y > 0").through(lambda steps: iter(()))).read()


def test_rows_beyond_those_of_the_other_table_have_no_partner() -> None:
    long, short = quire.new("x=1,2,3", "n=4,5,6"), quire.new("k=7,8", "name=a,b")
    with pytest.raises(ConflictError, match="equally many rows: 3 and 2"):
        long.join(short).read()
    (step,) = long.join(short, how="left")
    found = step.table.read()
    np.testing.assert_array_equal(found["k"], [7, 8, np.nan])
    assert found["name"].tolist() == ["a", "b", ""]
    assert step.warnings == ["1 of 3 rows have no partner: their values are missing"]
    assert long.join(short, how="semi").read()["x"].tolist() == [1, 2]
    assert long.join(short, how="anti").read()["x"].tolist() == [3]
    assert short.join(long, how="left").read()["n"].tolist() == [4, 5]


def test_columns_of_the_other_file_are_chosen_or_renamed() -> None:
    mine, other = quire.new("x=1,2", "y=3,4"), quire.new("x=5,6", "z=7,8")
    with pytest.raises(ConflictError, match=r"x.*both files have this column"):
        mine.join(other).read()
    assert list(mine.join(other, take="z").read()) == ["x", "y", "z"]
    found = mine.join(other, suffix="_2").read()
    assert {name: values.tolist() for name, values in found.items()} == {
        "x": [1, 2],
        "y": [3, 4],
        "x_2": [5, 6],
        "z": [7, 8],
    }


@settings(max_examples=40)
@given(st.integers(0, 6), st.integers(0, 6), st.sampled_from(["left", "semi", "anti"]))
def test_row_by_row_is_a_join_by_the_number_of_the_row(rows: int, others: int, how: str) -> None:
    mine = quire.new(columns={"x": np.arange(rows) * 1.5})
    mate = quire.new(columns={"y": np.arange(others) * 2.5})
    by_key = mine.define("k=row").join(mate.define("k=row"), "k", how=how).select(drop="k")
    found, wanted = mine.join(mate, how=how).read(), by_key.read()
    assert list(found) == list(wanted)
    for name, values in found.items():
        np.testing.assert_array_equal(values, wanted[name])
