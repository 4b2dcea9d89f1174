"""Options that take names of what is in a file complete them in bash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.python.cli.test_shell import complete

import quire
from quire.cli.main import GROUPS, built

OF_NAMES = re.compile(r"[Cc]olumn|EXPR|[Aa]ttribute|[Ss]teps? (of these|at this)|Format (of OUT|to write)")
"""What help says of the values of options that are names in files, or of formats."""

OF_OTHERS = {
    "--as": "what results are",
    "--count": "a new column",
    "--file": "a file",
    "--layout": "columns of panels",
    "--level": "a number",
    "--mark": "a new column",
    "--missing": "words of a text",
    "--name": "a new column",
    "--names": "new columns",
    "--old-names": "a new column",
    "--range": "numbers",
    "--root": "new columns",
    "--suffix": "new columns",
    "--value": "a new column",
    "--width": "a number",
}
"""Options whose help names such objects, and what their values are."""


WITHOUT_FILES = ("new", "plan")
"""Commands whose names are new."""


def options() -> Iterator[tuple[str, Any]]:
    """The options of all commands that have a value, with the name of the command."""
    for name in (name for names in GROUPS.values() for name in names):
        command = built(name)
        for one in getattr(command, "commands", {name: command}).values():
            for option in one.params:
                if option.param_type_name == "option" and not option.is_flag:
                    yield name, option


def test_every_option_of_names_completes_them() -> None:
    lacking, others = [], set()
    for command, option in options():
        if not OF_NAMES.search(f"{option.metavar} {option.help}") or command in WITHOUT_FILES:
            continue
        if option._custom_shell_complete is not None:
            continue
        if option.opts[0] in OF_OTHERS:
            others.add(option.opts[0])
        else:
            lacking.append(f"{command} {option.opts[0]}")
    assert lacking == []
    assert others == set(OF_OTHERS)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("show BEAM --where ", {"x", "px", "id", "turn"}),
        ("show BEAM --where abs(x)>p", {"abs(x)>px"}),
        ("show BEAM --index ", {"0", "1", "2"}),
        ("show BEAM --unit x=mm,p", {"x=mm,px="}),
        ("show BEAM --list f", {"fields"}),
        ("filter BEAM out x+p", {"x+px"}),
        ("define BEAM out r=sqrt(p", {"r=sqrt(px"}),
        ("stats BEAM std(p", {"std(px"}),
        ("query BEAM p", {"px"}),
        ("select BEAM out --drop x,p", {"x,px"}),
        ("select BEAM out --rename p", {"px="}),
        ("join BEAM out BEAM --take x,p", {"x,px"}),
        ("hist BEAM out x --common p", {"px"}),
        ("pages BEAM out merge --by tu", {"turn"}),
        ("fit BEAM out px --model gau", {"gaussian"}),
        ("plot BEAM --style points,li", {"points,line"}),
        ("convert BEAM out --transport po", {"posix"}),
        ("run BEAM / sort p", {"px"}),
        ("run BEAM / filter x>1 / so", {"sort"}),
        ("run BEAM / filter x>1 / ", {"sort", "write"}),
        ("import TEXT out --step-column t", {"turn"}),
        ("import TEXT out --units ", {"x=", "turn="}),
        ("import TEXT out --encoding la", {"latin-1"}),
    ],
)
def test_names_are_completed(
    one_beam: Path, monkeypatch: pytest.MonkeyPatch, words: str, expected: set[str]
) -> None:
    text = one_beam.with_name("data.csv")
    text.write_text("x [m],turn\n1,2\n")
    line = words.replace("BEAM", str(one_beam)).replace("TEXT", str(text))
    found = complete(monkeypatch, *line.split(" "))
    assert expected <= set(found)


def test_attachments_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for info in quire.formats():
        path = tmp_path / f"file-{info}"
        with quire.create(path, format=info) as out:
            try:
                out.attach("input.txt", b"x")
            except quire.UnsupportedError:
                continue
            with out.step(0) as step:
                step.put("x", [1.0])
        assert complete(monkeypatch, "attach", str(path), "--extract", "in") == ["input.txt"]
