"""sddsconvert: modes, elements, pages, units, damage."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.python.legacy.support import X, made, write_table

import quire
from quire.legacy.running import main

PROGRAM = "sddsconvert"


def test_modes(source: Path) -> None:
    made(PROGRAM, source, "-ascii")
    text = source.with_name("made.sdds")
    assert b"mode=ascii" in text.read_bytes()
    copy = text.rename(source.with_name("text.sdds"))
    data = made(PROGRAM, copy, "-binary", "-major=column")
    assert b"mode=binary" in text.read_bytes()
    assert b"column_major_order=1" in text.read_bytes()
    assert data.columns["x"].pages[0].tolist() == X.tolist()


def test_elements_are_renamed_and_chosen(source: Path) -> None:
    data = made(
        PROGRAM, source, "-rename=col,x=s,q=r", "-rename=par,p=momentum", "-edit=col,[kn],ei/_new/",
        "-delete=par,label,nothing", "-desc=title,contents",
    )  # fmt: skip
    assert list(data.columns) == ["s", "y", "n_new", "k_new"]
    assert list(data.parameters) == ["momentum"]
    assert (data.title, data.contents) == ("title", "contents")
    assert (data.columns["s"].unit, data.columns["s"].pages[0].tolist()) == ("m", X.tolist())
    assert list(made(PROGRAM, source, "-retain=col,y,x").columns) == ["x", "y"]
    assert list(made(PROGRAM, source, "-delete=col,*", "-retain=col,k").columns) == ["k"]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["-from=2"], [4, 5]),
        (["-to=2"], [3, 4]),
        (["-keep=1,3"], [3, 5]),
        (["-remove=2"], [3, 5]),
        (["-from=2", "-remove=3"], [4]),
    ],
)
def test_pages_are_chosen(several: Path, words: list[str], kept: list[int]) -> None:
    assert made(PROGRAM, several, *words).parameters["p"].pages == kept


def test_units_and_rows(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = made(PROGRAM, source, "-convertUnits=col,x,mm,m,1e3", "-row=2")
    assert (data.columns["x"].pages[0].tolist(), data.columns["x"].unit) == ([1000, 2000], "mm")
    assert capfd.readouterr().err == ""
    data = made(PROGRAM, source, "-convertUnits=col,x,metre")
    assert (data.columns["x"].pages[0].tolist(), data.columns["x"].unit) == (X.tolist(), "metre")
    assert "the values stay" in capfd.readouterr().err


def test_whole_pages_of_a_damaged_file_are_kept(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write_table(tmp_path / "cut.sdds", 3)
    path.write_bytes(path.read_bytes()[:-20])
    assert main(PROGRAM, [str(path), str(tmp_path / "out.sdds")]) == 1
    assert not (tmp_path / "out.sdds").exists()
    assert "cut.sdds" in capfd.readouterr().err
    assert made(PROGRAM, path, "-recover").parameters["p"].pages == [3, 4]
    assert "damaged: " in capfd.readouterr().err
    assert main(PROGRAM, [str(path), str(tmp_path / "out.sdds"), "-recover=clip"]) == 1


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("-rename=col,x", "is not OLD=NEW"),
        ("-rename=col,x=y", "two elements would have this name"),
        ("-convertUnits=col,x,mm,T,1e3", "not 'T'"),
        ("-convertUnits=col,n,mm,,1e3", "texts have no unit"),
        ("-from=a", "no integer"),
        ("-linesPerRow", "is missing"),
    ],
)
def test_errors(source: Path, word: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(PROGRAM, [str(source), str(source.with_name("out.sdds")), word]) == 1
    assert message in capfd.readouterr().err
    assert not source.with_name("out.sdds").exists()


def test_a_full_device_is_an_error(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(PROGRAM, [str(source), "/dev/full"]) == 1
    assert "/dev/full" in capfd.readouterr().err
    assert quire.sdds.load(source).columns["x"].pages[0].tolist() == X.tolist()
