"""With --strict commands that copy refuse missing values, and write nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.python.cli.conftest import Run

from quire.io.table import Table


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("filter IN OUT y>0", "1 of 3 values of y are NaN, which 'y>0' compares"),
        ("define IN OUT r=sqrt(1.5-x)", "2 of 3 values of r are NaN"),
        ("define IN OUT before=lag(x,1)", "1 of 3 values of before are NaN"),
        ("define IN OUT --as attribute most=max(y)", "the attribute most is NaN"),
        ("concat IN IN OUT --join-rows --where y>0", "2 of 6 values of y are NaN, which 'y>0' compares"),
        ("stats IN max(y) -o OUT", "1 of 1 values of y_max are NaN"),
        ("run --strict IN / filter y>0 / write OUT", "1 of 3 values of y are NaN, which 'y>0' compares"),
        ("run --strict IN / define r=2*y / write OUT", "1 of 3 values of r are NaN"),
    ],
)
def test_missing_values_are_an_error(run: Run, tmp_path: Path, words: str, said: str) -> None:
    source, target = tmp_path / "in.h5", tmp_path / "out.h5"
    assert run("new", source, "x=1,2,3", "y=4,nan,6").code == 0
    given = [{"IN": str(source), "OUT": str(target)}.get(word, word) for word in words.split()]
    usual = [word for word in given if word != "--strict"]
    assert run(*usual).code == 0
    assert target.exists()
    target.unlink()
    strict = run(*given, *([] if "--strict" in given else ["--strict"]))
    assert strict.code == 1
    assert said in strict.errors
    assert not target.exists()


@pytest.mark.parametrize(
    "words",
    ["filter IN OUT x>1", "define IN OUT r=2*x", "concat IN IN OUT --join-rows", "stats IN max(x) -o OUT"],
)
def test_where_nothing_is_missing_the_option_changes_nothing(run: Run, tmp_path: Path, words: str) -> None:
    source, target = tmp_path / "in.h5", tmp_path / "out.h5"
    assert run("new", source, "x=1,2,3", "y=4,nan,6").code == 0
    given = [{"IN": str(source), "OUT": str(target)}.get(word, word) for word in words.split()]
    assert run(*given).code == 0
    usual = target.read_bytes()
    target.unlink()
    assert run(*given, "--strict").code == 0
    assert target.read_bytes() == usual


def test_statistics_of_columns_have_no_strict_form(run: Run, tmp_path: Path) -> None:
    assert run("new", tmp_path / "in.h5", "x=1,2,3").code == 0
    done = run("stats", tmp_path / "in.h5", "--strict")
    assert done.code == 2
    assert "--strict needs reductions" in done.errors


def test_missing_values_are_counted_in_the_pass_that_copies(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "in.h5", tmp_path / "out.h5"
    assert run("new", source, "x=1,2,3", "y=4,nan,6").code == 0
    passes: list[list[str]] = []
    usual = Table.blocks

    def counted(table: Table, names: list[str], *others: Any, **more: Any) -> Any:
        passes.append(list(names))
        return usual(table, names, *others, **more)

    monkeypatch.setattr(Table, "blocks", counted)
    for words in (["filter", source, target, "x > 1"], ["define", source, target, "r=2*x"]):
        found = []
        for more in ([], ["--strict"]):
            passes.clear()
            assert run(*words, "--overwrite", *more).code == 0
            found.append([*passes])
        assert found[0] == found[1]
        assert found[0]


def test_rows_that_are_not_asked_for_are_not_missing(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "in.h5", tmp_path / "out.h5"
    assert run("new", source, "x=1,2,3", "y=nan,5,6").code == 0
    assert run("filter", source, target, "y > 5", "--rows", "1:", "--strict").code == 0
