"""Lists of rows by value: conditions have the answers of the scan, and read little."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.query.indexed import (
    columns,
    conditions,
    forged,
    listable,
    lists_preferred,
    rows_of,
    small_blocks,
    write,
)
from tests.python.support.files import path_for, step_formats

import quire
from quire.io.sidecar import LIST, Sidecar
from quire.io.value_list import BIN, GROUP, GROUP_BINS, digest, list_of
from quire.toolkit.definitions import DerivedStep, parse_definitions
from quire.toolkit.query import Query, run_query

ROWS = 200_000


def answers(path: Path, condition: str, part: slice) -> Any:
    """What a table answers to a condition: rows, values and counts, of all rows and of some; or the error."""
    with quire.open(path) as file:
        table = file[0].table
        try:
            found = [table.where(condition, rows) for rows in (slice(None), part)]
            return [(one.numbers().tolist(), one.count(), one.read("x")["x"].tobytes()) for one in found]
        except quire.Error as problem:
            return problem.message


def check_answers(folder: Path, data: st.DataObject) -> None:
    """Compare answers with lists, and those by what is expected to be cheaper, with those of the scan."""
    values = data.draw(columns())
    path = path_for(folder, step_formats()[0], "listed")
    write(path, values)
    quire.remove_index(path)
    texts = data.draw(st.lists(conditions(values), min_size=4, max_size=4))
    ends = sorted(data.draw(st.tuples(*[st.integers(0, len(values["x"]))] * 2)))
    scanned = [answers(path, text, slice(*ends)) for text in texts]
    with small_blocks(), warnings.catch_warnings():
        warnings.simplefilter("error")
        quire.build_index(path, columns=listable(values))
        for text, expected in zip(texts, scanned, strict=True):
            assert answers(path, text, slice(*ends)) == expected, text
            with lists_preferred():
                assert answers(path, text, slice(*ends)) == expected, text
        assert quire.index_faults(path) == []


@settings(max_examples=60)
@given(st.data())
def test_answers_are_those_of_the_scan(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    check_answers(tmp_path_factory.getbasetemp(), data)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@settings(max_examples=25_000)
@given(st.data())
def test_answers_to_many_conditions(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    check_answers(tmp_path_factory.getbasetemp(), data)


@pytest.fixture
def scattered(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A file of rows in random order, with lists of two columns."""
    random = np.random.default_rng(1)
    values: dict[str, Any] = {
        "x": random.normal(size=ROWS),
        "y": random.normal(size=ROWS).astype("f4"),
        "n": random.integers(0, 5, ROWS),
        "z": random.normal(size=ROWS),
    }
    values["x"][::1000] = np.nan
    path = path_for(tmp_path, step_formats()[0])
    write(path, values)
    quire.build_index(path, columns=["x", "y", "n"])
    return path, values


@pytest.mark.parametrize(
    "condition",
    ["(n + k) <= 2.5", "x < 1 and n + k > 0", "x == 7 and -k - 2 < 0", "x < 1 and 5 % (k - k) == 1",
     "x < -1 and max(k * 2) > 0", "x < -1 and sum(k) > 0", "x < 1 and int(x / 0) > 0"],
)  # fmt: skip
def test_rows_that_need_not_be_read_raise_their_errors(tmp_path: Path, condition: str) -> None:
    x = np.arange(4.0 * 4096)
    k = np.full(len(x), (1 << 63) - 1)
    path = path_for(tmp_path, step_formats()[0])
    write(path, {"x": x, "n": x.astype(np.int64), "k": np.where(x < 9000, 1, k)})
    expected = rows_of(path, condition)
    assert isinstance(expected, str)
    quire.build_index(path)
    assert rows_of(path, condition) == expected
    quire.build_index(path, columns=["x", "k"])
    with lists_preferred():
        assert rows_of(path, condition) == expected


@pytest.mark.parametrize(("definition", "is_pruned"), [("more=2 * k", False), ("more=k / 2", True)])
def test_definitions_that_may_fail_are_computed_in_all_rows(
    tmp_path: Path, definition: str, is_pruned: bool
) -> None:
    x = np.arange(4.0 * 4096)
    path = path_for(tmp_path, step_formats()[0])
    write(path, {"x": x, "k": np.full(len(x), 1 << 62)})
    quire.build_index(path)
    with quire.open(path) as file:
        table = DerivedStep(file, file[0], parse_definitions([definition])).tables[file[0].table.name]
        found = table.candidates(quire.expression("x < 5"), (0, len(x)))
        assert found == [(0, 4096 if is_pruned else len(x))]


@pytest.mark.parametrize(
    "condition",
    ["x > 3", "x > 2.5 and y < -2", "x > 3 or y > 3", "not (x < 3)", "x > 3.8 and abs(z) < 1",
     "n == 2 and x > 3", "x > 3 and 2 > 1", "x in (0.5, 0.25)", "x > 2 and x < 2.01",
     "y >= 0.1 and y <= 0.1003", "x > 0 and x < -1"],
)  # fmt: skip
def test_few_rows_are_found_by_lists(scattered: tuple[Path, dict[str, Any]], condition: str) -> None:
    path, values = scattered
    expected = np.flatnonzero(quire.expression(condition)(values)).tolist()
    with quire.open(path) as file:
        matches = file[0].table.where(condition)
        assert matches.numbers().tolist() == expected
        assert matches.report.columns
        assert matches.report.bytes_read < 0.2 * ROWS * 8
        assert matches.count() == len(expected)
        assert matches.read("z")["z"].tolist() == values["z"][expected].tolist()


def test_many_rows_are_read(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    with quire.open(path) as file:
        matches = file[0].table.where("x > -1")
        assert matches.numbers().tolist() == np.flatnonzero(values["x"] > -1).tolist()
        assert matches.report.columns == []
        assert matches.report.rows_read == ROWS
        assert matches.count() == np.count_nonzero(values["x"] > -1)
        assert matches.report.rows_read < 1000  # bins have their numbers of rows


@pytest.mark.parametrize("condition", ["x > 3 and row > 10", "x > 3 and lag(x) < 0", "x > y", "x + 0 > 3"])
def test_what_lists_do_not_have_is_read(scattered: tuple[Path, dict[str, Any]], condition: str) -> None:
    path, _ = scattered
    with quire.open(path) as file:
        matches = file[0].table.where(condition)
        found = matches.numbers()
        assert matches.report.columns == []
    quire.remove_index(path)
    with quire.open(path) as file:
        assert file[0].table.where(condition).numbers().tolist() == found.tolist()


def test_aggregates_are_those_of_all_rows(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    with quire.open(path) as file:
        matches = file[0].table.where("x > 3.8 and z > mean(z)")
        expected = np.flatnonzero((values["x"] > 3.8) & (values["z"] > values["z"].mean()))
        assert matches.numbers().tolist() == expected.tolist()
        assert matches.report.columns == ["x"]


@pytest.mark.parametrize(
    ("condition", "is_true"), [("max(x) > 0", True), ("2 > 1", True), ("max(x) < 0", False)]
)
def test_conditions_of_no_row_are_for_each_row_once(tmp_path: Path, condition: str, is_true: bool) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, {"x": np.arange(100.0)})
    with small_blocks():
        quire.build_index(path, columns=["x"])
    with small_blocks(), quire.open(path) as file:
        for rows in (slice(0, 100), slice(20, 90)):
            matches = file[0].table.where(condition, rows)
            expected = list(range(100))[rows] if is_true else []
            assert matches.numbers().tolist() == expected
            assert matches.count() == len(expected)
            assert matches.read("x")["x"].tolist() == expected


def test_estimates_are_near_what_is_read(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, _ = scattered
    with quire.open(path) as file:
        for answer in run_query(file, Query("x > 2.5")):
            assert answer.plan.lists == ["x"]
            assert abs(answer.plan.rows_expected - answer.count) < 512
            assert answer.plan.bytes_read <= 2 * answer.plan.bytes_expected
            assert answer.plan.bytes_read < answer.plan.bytes / 10


def test_each_step_has_lists(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    x = np.random.default_rng(1).normal(size=ROWS)
    write(path, {"x": x, "y": -x}, {"x": -x, "y": x})
    info = quire.build_index(path, columns=["y"])
    assert list(info.lists) == ["y"]
    assert 0.6 * x.nbytes < info.lists["y"] < info.bytes
    assert info == quire.index_info(path)
    with quire.open(path) as file:
        for step, expected in ((0, x < -3), (1, x > 3)):
            assert file[step].table.where("y > 3").numbers().tolist() == np.flatnonzero(expected).tolist()
            assert len(file[step].table.lists("y")) == 1
            assert not file[step].table.lists("x")


def test_columns_that_cannot_have_lists_are_refused(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, {"x": np.zeros(3), "g": np.zeros(3, "g"), "t": np.array(["a", "b", "c"], object)})
    with pytest.raises(quire.MissingError, match="column"):
        quire.build_index(path, columns=["xx"])
    for name in ("g", "t"):
        with pytest.raises(quire.TypeMismatchError, match="numbers of up to 8 bytes"):
            quire.build_index(path, columns=[name])
    assert not Path(str(path) + ".qix").exists()


def test_damaged_lists_change_no_answer(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    place = Path(str(path) + ".qix")
    content = place.read_bytes()
    expected = np.flatnonzero(values["x"] > 2).tolist()
    warned = 0
    for position in range(0, len(content), len(content) // 100):
        changed = bytearray(content)
        changed[position] ^= 1 << position % 7
        place.write_bytes(bytes(changed))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert rows_of(path, "x > 2") == expected
        assert len(caught) <= 1
        warned += len(caught)
        with suppress(quire.BadFileError):
            assert quire.index_faults(path) or caught == []
    assert warned > 1


@pytest.mark.parametrize(
    ("part", "field", "where"),
    [("groups", "before", 1), ("groups", "before", 0), ("groups", "upper", 2), ("bins", "rows", -1),
     ("bins", "rows", 0), ("bins", "upper", 1)],
)  # fmt: skip
def test_lists_that_contradict_themselves_change_no_answer(
    scattered: tuple[Path, dict[str, Any]], part: str, field: str, where: int
) -> None:
    path, values = scattered
    with forged(Path(str(path) + ".qix")) as (content, records):
        one = np.flatnonzero(records["kind"] == LIST)[0]
        place, bins = int(records["offset"][one]), int(records["form"][one])
        count = -(-bins // GROUP_BINS)
        groups = np.frombuffer(content, GROUP, count, place).copy()
        stored = np.frombuffer(content, BIN, bins, place + groups.nbytes).copy()
        changed = groups if part == "groups" else stored
        changed[field][where] += 700 if field in ("before", "rows") else 1 << 60
        for group in range(count):
            some = stored[group * GROUP_BINS : (group + 1) * GROUP_BINS]
            groups["digest"][group] = np.void(digest(some.tobytes()))
        content[place : place + groups.nbytes + stored.nbytes] = groups.tobytes() + stored.tobytes()
        records["digest"][one] = np.void(digest(groups.tobytes()))
    with pytest.raises(quire.BadFileError, match="wrong numbers of rows"):
        quire.index_faults(path)
    for limit in (-3.5, 2.5, 9.0):
        with quire.open(path) as file, warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            assert file[0].table.where(f"x < {limit}").count() == np.count_nonzero(values["x"] < limit)


def test_conditions_of_rows_are_bound_once(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    with quire.open(path) as file:
        table = file[0].table
        for condition in ("x > 3.5", "x > max(x) - 1", "x > lag(x)", "row > 5"):
            is_kept = table.where(condition).bound is table.where(condition).bound
            assert is_kept == (condition == "x > 3.5")
        for limit in range(100):
            table.where(f"x > {limit}")
        assert len(table.kept_conditions) <= 32
        for _ in range(2):
            found = table.where("x > 3.5")
            assert found.numbers().tolist() == np.flatnonzero(values["x"] > 3.5).tolist()
            assert found.report.columns == ["x"]
        quire.remove_index(path)
        assert len(table.where("x > 3.5")) == np.count_nonzero(values["x"] > 3.5)
        with pytest.raises(quire.TypeMismatchError):
            table.where([1])  # type: ignore[arg-type]


def test_truncated_lists_change_no_answer(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    place = Path(str(path) + ".qix")
    content = place.read_bytes()
    expected = np.flatnonzero(values["x"] > 2).tolist()
    for length in range(0, len(content), len(content) // 20):
        place.write_bytes(content[:length])
        with pytest.warns(quire.IndexWarning, match=r"truncated|damaged|no index"):
            assert rows_of(path, "x > 2") == expected


def test_lists_of_a_file_that_was_changed_are_not_used(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    largest = values["x"][np.nanargmax(values["x"])]
    content = path.read_bytes()
    path.write_bytes(content.replace(largest.tobytes(), np.float64(-9).tobytes(), 1))
    values["x"][values["x"] == largest] = -9
    with pytest.warns(quire.IndexWarning, match="the file was changed after it"):
        assert rows_of(path, "x > 3") == np.flatnonzero(values["x"] > 3).tolist()


def test_lists_of_another_file_are_not_used(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    other = path.with_stem("other")
    write(other, {name: column[::-1] for name, column in values.items()})
    Path(str(path) + ".qix").rename(str(other) + ".qix")
    with pytest.warns(quire.IndexWarning, match="changed"):
        assert rows_of(other, "x > 3") == np.flatnonzero(values["x"][::-1] > 3).tolist()


def test_lists_of_other_values_are_faults(scattered: tuple[Path, dict[str, Any]]) -> None:
    path, values = scattered
    lists = Sidecar(str(path) + ".qix").lists((0, "", "x"), "float64", ROWS)
    assert [one.is_list_of(values["x"]) for one in lists] == [True]
    values["x"][17] = 2.5
    assert [one.is_list_of(values["x"]) for one in lists] == [False]


def test_lists_do_not_depend_on_when_they_are_made() -> None:
    values = np.random.default_rng(1).normal(size=5000)
    one, other = list_of(values, "float64"), list_of(values.copy(), "float64")
    assert (one.groups, one.bins, one.content.tobytes()) == (
        other.groups,
        other.bins,
        other.content.tobytes(),
    )
