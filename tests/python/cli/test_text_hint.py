"""Every command that opens a file points at `quire import` for a table of text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.python.cli.conftest import Run, suffix_of

import quire

RAGGED = "x,y\n1,2\n3\n4,5\n"
"""A table with a row of fewer cells, which the import names."""

LINES = [
    "info TEXT",
    "show TEXT",
    "get TEXT x",
    "check TEXT",
    "stats TEXT",
    "query TEXT x>1",
    "plot TEXT -x x -y y OUT.png",
    "diff TEXT BEAM",
    "diff BEAM TEXT",
    "convert TEXT OUT",
    "concat BEAM TEXT OUT",
    "sort TEXT OUT x",
    "join TEXT OUT BEAM",
    "join BEAM OUT TEXT",
    "track BEAM OUT --ids-of TEXT",
    "interp BEAM OUT x --versus id --file TEXT",
    "run TEXT / sort x",
    "run BEAM / concat TEXT",
    "split TEXT out{part}.h5 --rows 1",
    "export text TEXT OUT.csv",
    "index TEXT",
    "attach TEXT",
    "recover TEXT OUT",
    "repack TEXT OUT",
    "sum TEXT",
    "thin TEXT OUT --every 2",
    "explain x+1 TEXT",
    "view TEXT",
]


@pytest.mark.parametrize("line", LINES)
def test_a_ragged_table_of_text_gets_a_hint_at_import(
    line: str, run: Run, one_beam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(one_beam.parent)
    Path("rows.csv").write_text(RAGGED)
    suffix = suffix_of(quire.formats()[0])
    words = line.replace("TEXT", "rows.csv").replace("BEAM", one_beam.name).replace("OUT.", "out.")
    outcome = run(*words.replace("OUT", f"out{suffix}").split())
    hint = f"import it by: quire import rows.csv rows{suffix}"
    assert outcome.errors == f"quire: rows.csv: this is a table of text, which no format knows; {hint}\n"
    assert outcome.code == 3


def test_the_import_names_the_line_of_a_ragged_table(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(RAGGED)
    outcome = run("import", tmp_path / "rows.csv", tmp_path / f"out{suffix_of(quire.formats()[0])}")
    assert "rows.csv: line 3 has 1 cell instead of 2" in outcome.errors


@pytest.mark.parametrize(
    "text",
    [
        "Some words\nand 1 number\n",
        "no,number\nat,all\n",
        "1\n2\n",
        "a,b\n1\n2\n3\n4,5\n",
        '{\n "a": 1,\n "b": 2\n}\n',
    ],
)
def test_other_texts_get_no_hint(text: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(text)
    outcome = run("info", tmp_path / "notes.txt")
    assert outcome.code == 3
    assert "notes.txt: the file's first bytes belong to no known format" in outcome.errors
    assert "quire import" not in outcome.errors
