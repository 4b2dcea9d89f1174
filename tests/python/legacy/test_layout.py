"""sddssort, sddsbreak, sddscollapse, sddsexpand, sddscombine, sddsxref: cases and NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.python.legacy.support import K, N, X, made, run, write_table

import quire
from quire.legacy.running import main

LIGHT = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


def columns(data: quire.sdds.DataSet, *names: str) -> list[Any]:
    return [[np.asarray(page).tolist() for page in data.columns[name].pages] for name in names]


def test_rows_are_sorted(source: Path) -> None:
    data = made("sddssort", source, "-col=k,decreasing", "-col=y")
    assert columns(data, "k", "y") == [[[3, 3, 2, 2, 1, 1]], [[5, 9, 1, 8, 2, 4]]]
    data = made("sddssort", source, "-col=k", "-unique=count")
    assert columns(data, "k", "n", "IdenticalCount") == [[[1, 2, 3]], [["Q1", "D1", "S1"]], [[2, 2, 2]]]
    assert data.columns["IdenticalCount"].type == "int64"


def test_texts_are_sorted_by_their_numbers_and_pages_by_parameters(tmp_path: Path) -> None:
    data = quire.sdds.DataSet().parameter("p", [2.0, 1.0]).column("n", [["Q10", "Q2"], ["a", "b"]])
    quire.sdds.save(data, tmp_path / "in.sdds")
    assert columns(made("sddssort", tmp_path / "in.sdds", "-col=n"), "n")[0][0] == ["Q10", "Q2"]
    assert columns(made("sddssort", tmp_path / "in.sdds", "-col=n", "-numeric"), "n")[0][0] == ["Q2", "Q10"]
    assert made("sddssort", tmp_path / "in.sdds", "-par=p").parameters["p"].pages == [1, 2]


@LIGHT
@given(st.lists(st.tuples(st.integers(-2, 2), st.floats(-9, 9)), max_size=12))
def test_any_rows_are_sorted_as_python_does(tmp_path: Path, rows: list[tuple[int, float]]) -> None:
    data = quire.sdds.DataSet().column("k", [np.array([one for one, _ in rows], np.int32)])
    data.column("x", [np.array([one for _, one in rows], np.float64)])
    quire.sdds.save(data, tmp_path / "in.sdds")
    found = made("sddssort", tmp_path / "in.sdds", "-col=k,dec,abs", "-col=x")
    assert columns(found, "k", "x") == [
        [[one[place] for one in sorted(rows, key=lambda one: (-abs(one[0]), one[1]))]] for place in (0, 1)
    ]


def test_the_toolkit_groups_by_break_process_and_collapse(source: Path) -> None:
    broken = source.with_name("broken.sdds")
    reduced = source.with_name("reduced.sdds")
    run("sddsbreak", source, broken, "-changeOf=k")
    run("sddsprocess", broken, reduced, "-proc=y,ave,yAve", "-proc=k,first,k1")
    data = made("sddscollapse", reduced)
    assert columns(data, "yAve", "k1", "PageNumber") == [[[3, 4.5, 7]], [[1, 2, 3]], [[1, 2, 3]]]
    assert (data.columns["yAve"].unit, data.columns["PageNumber"].type) == ("T", "int32")
    assert list(data.columns) == ["p", "label", "yAve", "k1", "PageNumber"]


@pytest.mark.parametrize(
    ("word", "sizes"),
    [
        ("-changeOf=k", [2, 2, 2]),
        ("-changeOf=n", [1] * 6),
        ("-changeOf=x,amount=2", [2, 2, 2]),
        ("-changeOf=x,amount=2,base=0", [1, 2, 2, 1]),
        ("-increaseOf=y", [1, 2, 2, 1]),
        ("-decreaseOf=y", [2, 2, 2]),
        ("-increaseOf=y,amount=3", [3, 2, 1]),
        ("-increaseOf=x,amount=1,cumulative", [2, 2, 2]),
        ("-gapIn=y", [6]),
        ("-gapIn=y,factor=1.5", [3, 3]),
        ("-gapIn=y,amount=3.5", [3, 2, 1]),
        ("-matchTo=n,Q*", [1, 4, 1]),
        ("-matchTo=n,Q*,after", [1, 1, 4]),
        ("-rowLimit=4", [4, 2]),
        ("-rowLimit=3,overlap=1", [3, 3, 2]),
        ("-pagesPerPage=4", [2, 1, 1, 2]),
    ],
)
def test_pages_are_broken(source: Path, word: str, sizes: list[int]) -> None:
    data = made("sddsbreak", source, word)
    assert [len(page) for page in data.columns["x"].pages] == sizes
    assert data.parameters["p"].pages == [3] * len(sizes)
    if "overlap" not in word:
        assert np.concatenate(data.columns["x"].pages).tolist() == X.tolist()


def test_rows_become_pages_and_back(several: Path) -> None:
    data = made("sddsexpand", several)
    assert data.parameters["x"].pages == [*X, *X, *X]
    assert data.parameters["n"].pages == N * 3
    assert (data.parameters["y"].unit, data.parameters["p"].pages[6]) == ("T", 4)
    back = made("sddscollapse", several.with_name("made.sdds").rename(several.with_name("rows.sdds")))
    assert columns(back, "k")[0][0] == K * 3


def test_files_become_pages_or_one_page(
    source: Path, several: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = source.with_name("combined.sdds")
    run("sddscombine", source, several, target)
    data = quire.sdds.load(target)
    assert data.parameters["p"].pages == [3, 3, 4, 5]
    assert data.parameters["Filename"].pages == ["T.sdds"] + ["several.sdds"] * 3
    assert data.parameters["NumberCombined"].pages == [2] * 4
    assert main("sddscombine", [str(source), str(several), str(target), "-merge"]) == 1
    assert "-overWrite" in capfd.readouterr().err
    run("sddscombine", source, several, target, "-merge", "-over")
    data = quire.sdds.load(target)
    assert np.concatenate(data.columns["x"].pages).tolist() == [*X] * 4
    assert list(data.parameters) == ["p", "label", "NumberCombined"]
    run("sddscombine", source, several, target, "-merge=p", "-over", "-sparse=2", "-retain=col,x")
    data = quire.sdds.load(target)
    assert [len(page) for page in data.columns["x"].pages] == [6, 3, 3]
    assert list(data.columns) == ["x"]


def test_what_a_file_lacks_is_missing_and_not_zero(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    other, target = source.with_name("other.sdds"), source.with_name("combined.sdds")
    quire.sdds.save(
        quire.sdds.DataSet().column("x", [[7.0]], unit="m").column("z", [[1]], type="long"), other
    )
    run("sddscombine", source, other, target)
    data = quire.sdds.load(target)
    assert np.isnan(data.columns["k"].pages[1]).tolist() == [True]
    assert data.columns["n"].pages[1].tolist() == [""]
    assert np.isnan(data.columns["z"].pages[0]).all()
    assert np.isnan(data.parameters["p"].pages[1])
    assert f"{source} lacks the column z: NaN" in capfd.readouterr().err
    quire.sdds.save(quire.sdds.DataSet().column("x", [[7.0]], unit="mm"), other)
    assert main("sddscombine", [str(source), str(other), str(target), "-over"]) == 1
    assert "'m' in one file and 'mm' in another" in capfd.readouterr().err


def test_a_column_and_a_parameter_of_one_name_are_lacking_apart(
    source: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other, target = source.with_name("other.sdds"), source.with_name("combined.sdds")
    quire.sdds.save(quire.sdds.DataSet().column("p", [[7]], type="long").column("q", [[8.0]]), other)
    run("sddscombine", source, other, target)
    lines = [line for line in capfd.readouterr().err.splitlines() if " p" in line]
    assert lines == [
        f"warning: {source} lacks the columns p, q: NaN, or empty texts",
        f"warning: {other} lacks the parameters p, label: NaN, or empty texts",
    ]
    run("sddscombine", source, source, other, target, "-over")
    assert "2 of 3 files lack the columns p, q" in capfd.readouterr().err
    data = quire.sdds.DataSet().parameter("count", [3], type="long", display="%ld").column("q", [[8.0]])
    quire.sdds.save(data, other)
    run("sddscombine", source, other, target, "-over")
    assert "lost" not in capfd.readouterr().err


@pytest.fixture
def keys(source: Path) -> Path:
    """A second file with values for three elements."""
    data = quire.sdds.DataSet().parameter("q", [5.0], unit="A").parameter("p", [9.0])
    data.column("n", [["Q1", "S1", "Q2"]]).column("v", [[10, 20, 30]], type="long", unit="V")
    data.column("x", [[1.0, 5.0, 2.0]]).column("pattern", [["Q*", "D?", "S1"]])
    path = source.with_name("keys.sdds")
    quire.sdds.save(data, path)
    return path


@pytest.mark.parametrize(
    ("words", "names", "values"),
    [
        (["-match=n", "-take=v"], ["Q1", "Q2", "S1"], [10, 30, 20]),
        (["-match=n", "-take=v", "-fillIn"], N, [10, 30, 0, 0, 20, 0]),
        (["-equate=x", "-take=v"], ["Q1", "Q2", "S1"], [10, 30, 20]),
        (["-wild=n=pattern", "-take=v"], ["Q1", "D1", "S1"], [10, 20, 30]),
        (["-wild=n=pattern", "-take=v", "-reuse"], N, [10, 10, 20, 20, 30, 10]),
        (["-take=v"], N[:3], [10, 20, 30]),
    ],
)
def test_columns_of_partners_are_taken(
    source: Path, keys: Path, words: list[str], names: list[str], values: list[int]
) -> None:
    target = source.with_name("made.sdds")
    run("sddsxref", source, keys, target, *words)
    data = quire.sdds.load(target)
    assert columns(data, "n", "v") == [[names], [values]]
    assert (data.columns["v"].unit, data.columns["v"].type) == ("V", "int32")
    assert list(data.parameters) == ["p", "label"]


def test_elements_are_transferred_renamed_and_replaced(source: Path, keys: Path) -> None:
    target = source.with_name("made.sdds")
    run("sddsxref", source, keys, target, "-leave=*", "-transfer=par,q,p")
    data = quire.sdds.load(target)
    assert (data.parameters["q"].pages, data.parameters["q"].unit, data.parameters["p"].pages) == (
        [5],
        "A",
        [3],
    )
    assert columns(data, "x") == [[X.tolist()]]
    run("sddsxref", source, keys, target, "-match=n", "-take=v", "-rename=col,v=volts", "-replace=col,x")
    data = quire.sdds.load(target)
    assert columns(data, "volts", "x", "y") == [[[10, 30, 20]], [[1, 2, 5]], [[2, 4, 5]]]
    run("sddsxref", source, keys, target, "-match=n", "-take=x")
    assert columns(quire.sdds.load(target), "x") == [[[1, 2, 5]]]
    run("sddsxref", source, keys, "-match=n", "-take=v")
    assert columns(quire.sdds.load(source), "v") == [[[10, 30, 20]]]
    assert source.with_name("T.sdds~").exists()


def test_pages_are_joined_in_their_order_or_with_the_first(
    several: Path, keys: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = several.with_name("made.sdds")
    assert main("sddsxref", [str(several), str(keys), str(target), "-match=n", "-take=v"]) == 1
    assert "-reuse=page" in capfd.readouterr().err
    assert not target.exists()
    run("sddsxref", several, keys, target, "-match=n", "-take=v", "-reuse=page", "-reuse=rows")
    assert columns(quire.sdds.load(target), "v") == [[[10, 30, 20]] * 3]
    assert "3 rows have no partner" in capfd.readouterr().err


@LIGHT
@given(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8), st.booleans())
def test_any_keys_are_joined_with_the_first_unused_partner(
    tmp_path: Path, left: list[int], right: list[int], reuses: bool
) -> None:
    for name, values in (("a", left), ("b", right)):
        data = quire.sdds.DataSet().column("k", [np.array(values, np.int32)])
        data.column(f"row{name}", [np.arange(len(values), dtype=np.int32)])
        quire.sdds.save(data, tmp_path / f"{name}.sdds")
    words = ["-reuse=rows"] if reuses else []
    run("sddsxref", tmp_path / "a.sdds", tmp_path / "b.sdds", tmp_path / "c.sdds", "-equate=k", *words)
    used: set[int] = set()
    expected = []
    for row, value in enumerate(left):
        for partner, other in enumerate(right):
            if other == value and (reuses or partner not in used):
                used.add(partner)
                expected.append((row, partner))
                break
    (rows,), (partners,) = columns(quire.sdds.load(tmp_path / "c.sdds"), "rowa", "rowb")
    assert list(zip(rows, partners, strict=True)) == expected


@pytest.mark.parametrize(
    ("program", "words", "message"),
    [
        ("sddssort", [], "-column=NAME or -parameter=NAME is needed"),
        ("sddssort", ["-col=q"], "no column 'q'"),
        ("sddssort", ["-col=x", "-nonDom"], "-nonDom: it is not translated"),
        ("sddsbreak", [], "is needed"),
        ("sddsbreak", ["-gapIn=n"], "numbers are needed"),
        ("sddsbreak", ["-rowLimit=0"], "one row or more"),
        ("sddsbreak", ["-change=q"], "no column 'q'"),
        ("sddsxref", [], "two files are needed"),
        ("sddscollapse", ["-what"], "unknown option -what"),
    ],
)
def test_errors(
    source: Path, program: str, words: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    files = [str(source)] if program == "sddsxref" else [str(source), str(source.with_name("out.sdds"))]
    assert main(program, [*files, *words]) == 1
    assert message in capfd.readouterr().err
    assert not source.with_name("out.sdds").exists()


def test_tables_without_rows_and_pages_stay_what_they_are(tmp_path: Path) -> None:
    empty = (
        quire.sdds.DataSet().parameter("p", [1.0]).column("x", [np.empty(0)]).column("n", [[]], type="string")
    )
    path = tmp_path / "empty.sdds"
    quire.sdds.save(empty, path)
    for program, words in (
        ("sddssort", ["-col=x"]),
        ("sddsbreak", ["-gapIn=x"]),
        ("sddsbreak", ["-rowLimit=2"]),
    ):
        data = made(program, path, *words)
        assert columns(data, "x", "n") == [[[]], [[]]]
        assert data.parameters["p"].pages == [1]
    run("sddsxref", path, path, tmp_path / "out.sdds", "-match=n", "-take=n")
    assert columns(quire.sdds.load(tmp_path / "out.sdds"), "x") == [[[]]]
    run("sddscombine", path, write_table(tmp_path / "T.sdds"), tmp_path / "both.sdds", "-merge")
    assert columns(quire.sdds.load(tmp_path / "both.sdds"), "x") == [[X.tolist()]]
