"""Queries in SQL give the rows that pandas gives, with units, and refuse what would be silently wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import formats_of_uneven_steps, path_for, step_formats, table_formats

import quire
import quire.verbs.sql
from quire.errors import (
    ConflictError,
    MissingError,
    MissingFileError,
    TypeMismatchError,
    UnsupportedError,
    UsageError,
)
from quire.io.table import Table

FORMAT = step_formats()[0]
ROWS = 40
STEPS = (2, 5)


def write(path: Path, *steps: dict[str, Any], numbers: tuple[int, ...] = (), **units: str) -> Path:
    """Write tables as the steps of a file."""
    with quire.create(path, format=None) as out:
        for number, columns in zip(numbers or range(len(steps)), steps, strict=True):
            with out.step(number) as step:
                for name, values in columns.items():
                    step.put(name, values, unit=units.get(name, ""))
    return path


def columns_of(seed: int, rows: int = ROWS) -> dict[str, Any]:
    """Random columns, with equal keys and NaN."""
    random = np.random.default_rng(seed)
    x = random.normal(size=rows)
    x[::7] = np.nan
    return {"x": x, "k": random.integers(0, 4, rows).astype(np.int16), "id": np.arange(rows)}


@pytest.fixture(params=step_formats())
def beam(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two steps, in each format."""
    path = path_for(tmp_path, request.param)
    with quire.create(path, format=request.param) as out:
        for number in STEPS:
            with out.step(number) as step:
                for name, values in columns_of(number).items():
                    step.put(name, values, unit="m" if name == "x" else "")
    return path


def one(query: str, **options: Any) -> Any:
    """The table of a result."""
    with quire.sql(query, **options) as chain:
        return next(iter(chain)).table


def test_a_file_is_a_table_of_the_rows_of_all_steps(beam: Path) -> None:
    table = one(f"select * from '{beam}'")
    assert sorted(table) == ["id", "k", "step", "x"]
    found = table.read()
    np.testing.assert_array_equal(found["step"], np.repeat(STEPS, ROWS))
    for name in ("x", "k", "id"):
        given = np.concatenate([columns_of(number)[name] for number in STEPS])
        np.testing.assert_array_equal(found[name], given)
        assert table[name].type == str(given.dtype)


def test_results_that_are_columns_have_their_units(beam: Path) -> None:
    query = f"select x, x as far, max(b.x) as most, x * 2 as twice, b.k from '{beam}' b group by all"
    units = {name: column.unit for name, column in one(query).columns.items()}
    assert units == {"x": "m", "far": "m", "most": "m", "twice": "", "k": ""}
    assert one(f"select * from '{beam}'")["x"].unit == "m"
    assert one(f"with b as (select k as x from '{beam}') select x from b")["x"].unit == ""


def test_columns_of_two_files_with_different_units_give_no_unit(tmp_path: Path) -> None:
    first = write(path_for(tmp_path, FORMAT, "a"), columns_of(1), x="m")
    second = write(path_for(tmp_path, FORMAT, "b"), columns_of(2), x="mm")
    query = f"select a.x as p, b.x as q from '{first}' a join '{second}' b using (id)"
    assert [one(query)[name].unit for name in ("p", "q")] == ["m", "mm"]
    with quire.sql(query) as chain:
        (warning,) = next(iter(chain)).warnings
        assert warning == f"x is in mm in {second}, and in m in {first}: a query converts nothing"
    with quire.sql(f"select a.id from '{first}' a join '{second}' b using (id)") as chain:
        assert next(iter(chain)).warnings == []


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of columns that are read."""
    found: set[str] = set()
    batches = Table.batches

    def noted(self: Table, names: Any, *rest: Any) -> Any:
        found.update(names)
        return batches(self, names, *rest)

    monkeypatch.setattr(Table, "batches", noted)
    return found


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("select x from {0} where k > 1 order by x", {"x", "k"}),
        ("select count(*) as n from {0}", set()),
        ("select a.x, b.k as other from {0} a join {0} b using (id)", {"x", "k", "id"}),
        ("select x from (select X, k from {0})", {"x", "k"}),
        ("select b.x from {0} b where exists (select 1 from {0} c where c.id = b.k)", {"x", "k", "id"}),
        ("select first(x order by id) as x from {0}", {"x", "id"}),
    ],
)
def test_only_the_columns_of_the_query_are_read(
    beam: Path, read: set[str], query: str, columns: set[str]
) -> None:
    assert len(one(query.format(f"'{beam}'"))) > 0
    assert read == columns


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("select b.x from {0} natural join {0} as b", ROWS * 2),
        ("select p from {0} as b(p, q, r, s)", ROWS * 2),
        ("select columns('i.*') from {0}", ROWS * 2),
        ("from {0} select id", ROWS * 2),
        ("select b.id from (pivot {0} on k in (0, 1) using count(*)) as b", ROWS * 2),
        ("select id from {0} union all select k from {0}", ROWS * 4),
        ("with b as (select id from {0}) select * from b join b as c using (id)", ROWS * 4),
        ("select id, #1 as b from {0}", ROWS * 2),
        ("select id from {0} using sample 7 rows", 7),
        ("select id from {0} tablesample reservoir(7 rows)", 7),
    ],
)
def test_queries_that_use_columns_without_their_names(beam: Path, query: str, rows: int) -> None:
    assert len(one(query.format(f"'{beam}'"))) == rows


def test_positions_are_those_of_the_columns_of_the_file(beam: Path) -> None:
    whole = one(f"select * from '{beam}'").read()
    for place, name in enumerate(whole, 1):
        found = one(f"select id, #{place} as b from '{beam}'").read()
        np.testing.assert_array_equal(found["b"], whole[name])


def test_batches_of_any_size_give_the_same_rows(beam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = f"select k, id, x from '{beam}' where k >= 1 order by k, id, step"
    whole = one(query).read()
    monkeypatch.setattr(quire.verbs.sql, "BATCH_ROWS", 7)
    for name, values in one(query).read().items():
        np.testing.assert_array_equal(values, whole[name])


floats = st.one_of(st.sampled_from([0.0, -1.0, float("nan"), float("inf")]), st.floats(width=64))
words = st.sampled_from(["", "Q1", "Q10", "é", "a\tb"])


@settings(max_examples=40)
@given(st.lists(st.tuples(floats, st.integers(-2, 2), words), max_size=12))
def test_groups_are_those_of_pandas(rows: list[tuple[float, int, str]]) -> None:
    frame = pandas.DataFrame(rows, columns=["x", "k", "name"]).astype({"x": float, "k": np.int32})
    columns = {
        "x": frame["x"].to_numpy(),
        "k": frame["k"].to_numpy(),
        "name": np.array(frame["name"], object),
    }
    with TemporaryDirectory() as folder:
        path = write(path_for(Path(folder), FORMAT), columns)
        table = one(
            f"select name, k, count(*) as n, first(x order by row) as x "
            f"from (select *, row_number() over () as row from '{path}') group by name, k order by name, k"
        )
        found = table.read()
    groups = frame.groupby(["name", "k"], sort=True)
    expected = groups["x"].agg(n="size", x=lambda values: values.iloc[0]).reset_index()
    assert found["n"].tolist() == expected["n"].tolist()
    assert found["name"].tolist() == expected["name"].tolist()
    np.testing.assert_array_equal(found["x"], expected["x"].to_numpy(float))


def test_missing_values_are_nan_and_counted(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, FORMAT), columns_of(1))
    query = f"select case when id < 3 then id end as n, case when id < 3 then 'a' end as t from '{path}'"
    with quire.sql(query) as chain:
        step = next(iter(chain))
        found = step.table.read()
    assert step.warnings == [
        f"{ROWS - 3} values of n are missing: NaN",
        f"{ROWS - 3} values of t are missing: empty texts",
    ]
    np.testing.assert_array_equal(found["n"], [0.0, 1.0, 2.0] + [np.nan] * (ROWS - 3))
    assert found["t"].tolist() == ["a"] * 3 + [""] * (ROWS - 3)


def test_an_integer_beside_missing_values_is_not_rounded(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, FORMAT), {"n": np.array([2**53 + 1, 1])})
    table = one(f"select case when n > 1 then n end as n from '{path}'")
    with pytest.raises(TypeMismatchError, match=r"n.*9007199254740993 would be rounded"):
        table.read()


def test_sums_of_integers_are_integers_or_an_error(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, FORMAT), {"n": np.array([2**62, 2**62 - 1, 2**62])})
    assert one(f"select sum(n) as s from '{path}' where n < {2**62}").read()["s"].tolist() == [2**62 - 1]
    with pytest.raises(TypeMismatchError, match=r'"s".*int64'):
        one(f"select sum(n) as s from '{path}'")


def test_types_that_sql_does_not_have_are_refused_by_name(tmp_path: Path) -> None:
    path = path_for(tmp_path, FORMAT)
    long, letter = np.arange(3, dtype=np.longdouble), np.array([b"a", b"b", b"c"], "S1")
    write(path, {"long": long, "letter": letter, "x": np.arange(3.0)})
    assert one(f"select x from '{path}' where x > 0").read()["x"].tolist() == [1.0, 2.0]
    for name, kind in (("long", "float80"), ("letter", "character")):
        with pytest.raises(UnsupportedError, match=rf'"{name}".*{kind}'):
            one(f"select {name} from '{path}'")
    with pytest.raises(UnsupportedError, match="timestamp"):
        one(f"select now() as t from '{path}'")


def test_names_that_differ_by_case_are_refused_where_they_are_used(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, FORMAT), {"s": np.arange(3.0), "S": -np.arange(3.0), "x": np.arange(3.0)})
    assert one(f"select x from '{path}'").read()["x"].tolist() == [0.0, 1.0, 2.0]
    for query in (f"select S from '{path}'", f"select * from '{path}'"):
        with pytest.raises(ConflictError, match="'s' and 'S' are one name"):
            one(query)


def test_a_column_step_of_the_file_is_kept(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, FORMAT), {"step": np.array([7.5, 8.5])})
    assert one(f"select * from '{path}'").read()["step"].tolist() == [7.5, 8.5]


def test_steps_with_different_units_are_an_error(tmp_path: Path) -> None:
    format = formats_of_uneven_steps()[-1]
    path = path_for(tmp_path, format)
    with quire.create(path, format=format) as out:
        for number, unit in enumerate(("m", "mm")):
            with out.step(number) as step:
                step.put("x", np.arange(3.0), unit=unit)
    with pytest.raises(ConflictError, match="unit is 'm' in the first step, and 'mm' in step 1"):
        one(f"select x from '{path}'")


def test_one_of_several_tables_is_named_after_the_file(tmp_path: Path) -> None:
    format = table_formats()[-1]
    path = path_for(tmp_path, format)
    with quire.create(path, format=format) as out, out.step(0) as step:
        for table, sign in (("electrons", -1), ("ions", 1)):
            step.put("q", np.full(3, sign), table=table)
            step.put("id", np.arange(3), table=table)
    query = f"select a.q as a, b.q as b from '{path}#ions' a join '{path}#electrons' b using (id)"
    found = one(query).read()
    assert (found["a"].tolist(), found["b"].tolist()) == ([1, 1, 1], [-1, -1, -1])
    assert one(f"select q from '{path}'", table="ions").read()["q"].tolist() == [1, 1, 1]
    with pytest.raises(UsageError, match="several tables: electrons, ions"):
        one(f"select q from '{path}'")
    with pytest.raises(MissingError, match="muons"):
        one(f"select q from '{path}#muons'")


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("select 1", UsageError),
        ("selec", UsageError),
        ("select nosuch from 'FILE'", UsageError),
        ("select x from 'FILE'; select k from 'FILE'", UsageError),
        ("drop table x", UsageError),
        ("copy (select 1) to 'FILE'", UsageError),
        ("select * from read_csv('FILE')", UsageError),
        ("select x, x from 'FILE'", UsageError),
        ("select * from 'nosuch.h5'", MissingFileError),
    ],
)
def test_other_queries_are_refused(tmp_path: Path, query: str, problem: type[Exception]) -> None:
    path = write(path_for(tmp_path, FORMAT), columns_of(1))
    before = path.read_bytes()
    with pytest.raises(problem):
        quire.sql(query.replace("FILE", str(path)))
    assert path.read_bytes() == before


def test_an_empty_file_gives_no_rows(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, FORMAT), {"x": np.empty(0)})
    assert one(f"select x from '{path}'").read()["x"].tolist() == []
    assert one(f"select count(*) as n from '{path}'").read()["n"].tolist() == [0]


def test_a_missing_engine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'quire\[toolkit\]'"):
        quire.sql("select x from 'beam.h5'")
