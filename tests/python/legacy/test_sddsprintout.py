"""sddsprintout and sddsquery: what they print."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import quire
from quire.legacy.running import main

Printed = Callable[..., list[str]]


@pytest.fixture
def printed(capfd: pytest.CaptureFixture[str]) -> Printed:
    def run(program: str, *words: str | Path) -> list[str]:
        assert main(program, [str(word) for word in words]) == 0
        return capfd.readouterr().out.splitlines()

    return run


def test_the_usual_printout(source: Path, printed: Printed) -> None:
    lines = printed("sddsprintout", source)
    assert lines[0] == f"Printout for SDDS file {source}"
    assert lines[1] == "p (m) =  3.000000e+00  label = page 0"
    assert [one.split() for one in lines[3:5]] == [["x", "y", "n", "k"], ["m", "T"]]
    assert set(lines[5]) == {"-"}
    assert lines[6] == " 1.000000e+00  2.000000e+00               Q1          1"
    assert len(lines) == 13


def test_formats_labels_and_factors(source: Path, printed: Printed) -> None:
    lines = printed(
        "sddsprintout",
        source,
        "-notitle",
        "-col=x,format=%6.2f,label=position,factor=10",
        "-col=(n,k),noUnits",
    )
    assert lines[0].split() == ["position", "n", "k"]
    assert lines[3].split() == ["10.00", "Q1", "1"]
    lines = printed("sddsprintout", source, "-notitle", "-par=p,label=momentum,format=%g,ends", "-par=label")
    assert lines == ["momentum (m) = 3", "label = page 0"]
    lines = printed("sddsprintout", source, "-notitle", "-col", "-width=30", "-nolabels")
    assert [len(one.split()) for one in lines if one] == [2] * 6 + [2] * 6


def test_pages_and_a_file_to_print_to(several: Path, printed: Printed) -> None:
    target = several.with_name("printed.txt")
    assert printed("sddsprintout", several, target, "-par=p", "-from=2", "-to=2", "-notitle") == []
    assert target.read_text() == "p (m) =  4.000000e+00\n"


def test_a_file_beside_its_live_writer_is_not_printed_to(
    source: Path, several: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    x = np.arange(4.0)
    live = several.with_name("live.sdds")
    with quire.create(live) as out:
        with out.step(0) as step:
            step.put("x", x)
        for target in (live, several):
            code = main("sddsprintout", [str(source), str(target), "-col=x"])
            assert code == (1 if target == live else 0)
        assert "another writer has the file open" in capfd.readouterr().err
        with out.step(1) as step:
            step.put("x", x + 1)
    with quire.open(live) as file:
        assert [step["x"][:].tolist() for step in file] == [x.tolist(), (x + 1).tolist()]
    assert several.read_text().startswith("Printout")


def test_a_file_is_not_printed_to_itself(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = source.read_bytes()
    link = source.with_name("link.sdds")
    link.symlink_to(source)
    for target in (source, link):
        assert main("sddsprintout", [str(source), str(target)]) == 1
        assert "the target is the source itself" in capfd.readouterr().err
    assert source.read_bytes() == content


def test_a_printout_that_fails_leaves_the_older_one(several: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = several.with_name("printed.txt")
    target.write_text("older")
    assert main("sddsprintout", [str(several), str(target), "-col=q"]) == 1
    assert "no column 'q'" in capfd.readouterr().err
    assert target.read_text() == "older"
    assert not list(several.parent.glob(".quire-*"))


def test_a_backup_does_not_take_the_place_of_a_live_file(
    source: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    backup = Path(f"{source}~")
    with quire.create(backup, format="sdds") as out:
        with out.step(0) as step:
            step.put("x", np.arange(4.0))
        assert main("sddssort", [str(source), "-col=x"]) == 1
        assert "another writer has the file open" in capfd.readouterr().err
    with quire.open(backup) as file:
        assert file[0]["x"][:].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert main("sddssort", [str(source), "-col=x"]) == 0


def test_spreadsheets_have_all_digits(tmp_path: Path, printed: Printed) -> None:
    words = ["a,b", 'a "quoted" text', ""]
    values = [0.1 + 0.2, np.nan, -1e-300]
    data = quire.sdds.DataSet().column("x", [values], unit="m").column("n", [words])
    quire.sdds.save(data, tmp_path / "in.sdds")
    head, units, *rows = csv.reader(printed("sddsprintout", tmp_path / "in.sdds", "-col", "-spread=csv"))
    assert (head, units) == (["x", "n"], ["m", ""])
    np.testing.assert_array_equal([float(one[0]) for one in rows], values)
    assert [one[1] for one in rows] == words


@pytest.mark.parametrize(
    ("word", "rule"), [("-latex", r"1.0 & Q1 \\"), ("-markdown", "| 1.0 | Q1 |"), ("-html", "<td>Q1</td>")]
)
def test_marked_up_tables(source: Path, printed: Printed, word: str, rule: str) -> None:
    assert any(rule in one for one in printed("sddsprintout", source, word, "-col=x,n"))


def test_missing_columns_are_errors(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main("sddsprintout", [str(source), "-col=q"]) == 1
    assert "no column 'q'" in capfd.readouterr().err
    assert main("sddsprintout", [str(source), "-col=x", "-paginate"]) == 1
    assert "-paginate: it is not translated" in capfd.readouterr().err


@given(arrays(np.float64, 3, elements=st.floats(allow_nan=True)))
def test_spreadsheets_read_back_to_the_same_numbers(
    tmp_path_factory: pytest.TempPathFactory, values: Any
) -> None:
    folder = tmp_path_factory.mktemp("sheets")
    quire.sdds.save(quire.sdds.DataSet().column("x", [values]), folder / "in.sdds")
    assert main("sddsprintout", [str(folder / "in.sdds"), str(folder / "out"), "-spread", "-col=x"]) == 0
    np.testing.assert_array_equal(np.loadtxt((folder / "out").read_text().splitlines()[1:]), values)


def test_lists_of_names(source: Path, printed: Printed) -> None:
    assert printed("sddsquery", source, "-columnlist") == ["x", "y", "n", "k"]
    assert printed("sddsquery", source, "-col", "-append") == ["x (m)", "y (T)", "n", "k"]
    assert printed("sddsquery", source, "-col", "-append=bare", "-delim= ") == ["x m y T n k"]
    assert printed("sddsquery", source, "-par") == ["p", "label"]
    assert printed("sddsquery", source, "-arr") == []


def test_the_report_and_its_file(source: Path, printed: Printed) -> None:
    lines = printed("sddsquery", source)
    assert "data is binary" in lines
    assert ["y", "T", "B", "NULL", "double", "NULL"] in [one.split() for one in lines]
    target = source.with_name("query.sdds")
    assert printed("sddsquery", source, f"-sddsOutput={target}") == []
    found = quire.sdds.load(target)
    assert found.parameters["Class"].pages == ["column", "parameter"]
    assert found.columns["Name"].pages[0].tolist() == ["x", "y", "n", "k"]
    assert found.columns["Type"].pages[0].tolist() == ["double", "double", "string", "long"]


def test_a_header_without_pages_is_reported(tmp_path: Path, printed: Printed) -> None:
    data = quire.sdds.DataSet().column("x", [], unit="m", type="double")
    quire.sdds.save(data, tmp_path / "in.sdds")
    assert printed("sddsquery", tmp_path / "in.sdds", "-col", "-append") == ["x (m)"]


def test_explained_commands_of_printing_programs(source: Path, printed: Printed) -> None:
    for words, command in (
        (["sddsquery", source, "-col", "-append"], f"quire show {source} --list columns --units"),
        (
            ["sddsprintout", source, "-col=x,format=%.3e"],
            f"quire show {source} --columns x --rows : --format x=%.3e",
        ),
        (["sddsprintout", source, "-spread=csv", "-col=x"], f"quire show {source} --columns x --csv"),
        (["sdds2stream", source, "-par=p,label"], f"quire get {source} p label --steps 0-"),
        (["sdds2stream", source, "-par=p", "-page=2"], f"quire get {source} p --index 1"),
    ):
        assert printed(*words, "--explain") == [command]


@pytest.mark.parametrize(
    "program", ["sddsprintout", "sddsquery", "sdds2stream", "sddsconvert", "sddsprocess"]
)
def test_missing_and_foreign_files_are_one_line_of_error(
    tmp_path: Path, program: str, capfd: pytest.CaptureFixture[str]
) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"no data\n")
    words = {
        "sdds2stream": ["-npages"],
        "sddsconvert": [str(tmp_path / "out")],
        "sddsprocess": [str(tmp_path / "out")],
    }
    for path in (foreign, tmp_path / "missing"):
        assert main(program, [str(path), *words.get(program, [])]) == 1
        errors = capfd.readouterr().err
        assert errors.startswith(f"{program}: ")
        assert errors.count("\n") == 1
        assert path.name in errors


def test_a_title_with_a_comma_is_not_cut(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main("sddsprintout", [str(source), "-title=Run 1, late"]) == 1
    assert r"'-title=\,'" in capfd.readouterr().err
    assert main("sddsprintout", [str(source), r"-title=Run 1\, late"]) == 0
    assert capfd.readouterr().out.startswith("Run 1, late\n")
