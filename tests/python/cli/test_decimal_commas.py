"""Text with decimal commas is read by --decimal, and refused with the command that reads it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import quire
from quire.io.formats import format_infos
from quire.toolkit.text_import import TextLayout, import_text

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Start

COMMAS = "s;betax;name\n0,5;1,25;a,b\n-1;,5e1;c.d\n"
SUFFIX = format_infos()[0].suffixes[0]


def columns_of(path: Path) -> dict[str, list[object]]:
    """The values of the columns."""
    with quire.open(path) as file:
        return {name: list(file[0][name][:]) for name in file[0].table}


@pytest.mark.parametrize("text", [COMMAS, COMMAS.replace(";", "\t"), COMMAS.replace(";", "  ")])
def test_numbers_are_read_and_texts_are_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    import_text(tmp_path / "a.csv", tmp_path / f"a{SUFFIX}", TextLayout(decimal=","))
    found = columns_of(tmp_path / f"a{SUFFIX}")
    assert found == {"s": [0.5, -1.0], "betax": [1.25, 5.0], "name": ["a,b", "c.d"]}


def test_a_number_with_a_point_among_decimal_commas_stays_text(tmp_path: Path) -> None:
    """It may have a point between thousands."""
    (tmp_path / "a.csv").write_text("x;y\n1.234;0,5\n2;1\n")
    import_text(tmp_path / "a.csv", tmp_path / f"a{SUFFIX}", TextLayout(decimal=","))
    assert columns_of(tmp_path / f"a{SUFFIX}") == {"x": ["1.234", "2"], "y": [0.5, 1.0]}


def test_rows_without_a_header_are_not_divided_at_decimal_commas(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,5;1,25\n1,5;3,5\n")
    import_text(tmp_path / "a.csv", tmp_path / f"a{SUFFIX}", TextLayout(decimal=","))
    assert columns_of(tmp_path / f"a{SUFFIX}") == {"c1": [0.5, 1.5], "c2": [1.25, 3.5]}


def test_decimal_commas_are_refused_with_the_options_that_read_them(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "a.csv", tmp_path / f"a{SUFFIX}"
    source.write_text(COMMAS)
    outcome = run("import", source, target)
    assert outcome.code == 1
    assert "the numbers of column 's' have decimal commas, as in 0,5; read them by --decimal ," in (
        outcome.errors
    )
    assert not target.exists()
    assert run("import", source, target, "--decimal", ",").code == 0
    outcome = run("import", source, target, "--types", "s=string,betax=string", "--overwrite")
    assert outcome.code == 0
    assert columns_of(target)["s"] == ["0,5", "-1"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--decimal", ";"], "the decimal sign is a point or a comma, not ';'"),
        (["--decimal", ",", "--delimiter", "comma"], "need another delimiter"),
        (["--decimal", ",", "--types", "name=int32"], 'line 2: "a,b" is not int32'),
    ],
)
def test_wrong_uses_name_the_reason(run: Run, tmp_path: Path, options: list[str], words: str) -> None:
    (tmp_path / "a.csv").write_text(COMMAS)
    outcome = run("import", tmp_path / "a.csv", tmp_path / f"a{SUFFIX}", *options)
    assert outcome.code in (1, 2)
    assert words in outcome.errors


@pytest.mark.parametrize("words", ["info T", "convert T out.h5", "stats T", "diff T T", "get T s", "check T"])
def test_a_table_of_text_is_refused_with_the_command_that_imports_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("the run.csv").write_text(COMMAS)
    outcome = run(*(word.replace("T", "the run.csv") for word in words.split()))
    assert outcome.code == 3
    assert outcome.errors.startswith("quire: the run.csv: this is a table of text, which no format knows")
    command = shlex.split(outcome.errors.partition("import it by: quire ")[2])
    assert command == ["import", "the run.csv", f"the run{SUFFIX}", "--decimal", ","]
    assert run(*command).code == 0


def test_a_table_on_standard_input_is_named_as_such(start: Start) -> None:
    done = start("info", "-", stdin=b"x,y\n1,2\n3,4\n")
    assert done.returncode == 3
    assert done.stderr.startswith(b"quire: standard input: this is a table of text")
    assert f"quire import - data{SUFFIX}\n".encode() in done.stderr
