"""Text whose data end at a blank line before the end of the file: the rest is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import ConflictError

PAGE = "1\n5\n"
FIRST = "SDDS1\n&array name=a, type=double, &end\n&data mode=ascii, &end\n" + PAGE
WORDS = "the data end at a blank line"


@pytest.fixture
def early(tmp_path: Path) -> Path:
    """Three pages with a blank line after the first."""
    path = tmp_path / "early.sdds"
    path.write_text(FIRST + "\n" + PAGE + PAGE)
    return path


@pytest.mark.parametrize("walk", ["size", "numbers", "iterate", "check"])
def test_the_early_end_is_reported_once(early: Path, walk: str) -> None:
    with quire.open(early) as file:
        assert file.warnings == []
        for _ in range(2):
            if walk == "size":
                assert len(file) == 1
            elif walk == "numbers":
                assert file.numbers == [0]
            elif walk == "iterate":
                assert len([step.number for step in file]) == 1
            else:
                assert sum(WORDS in text for text in file.check().warnings) == 1
            assert [WORDS in text for text in file.warnings] == [True]


def warnings_of_walks(comm: Any, path: str) -> list[list[str]]:
    found = []
    for walk in (len, list, lambda file: file.numbers, lambda file: file.check()):
        with quire.open(path, comm, deadline=30) as file:
            walk(file)
            found.append(list(file.warnings))
    return found


@pytest.mark.mpi
def test_every_rank_has_the_warning_of_the_early_end(early: Path) -> None:
    for found in run_ranks(warnings_of_walks, 2, str(early)):
        assert [[WORDS in text for text in one] for one in found] == [[True]] * 4


def test_every_command_reports_the_early_end(early: Path, tmp_path: Path) -> None:
    for words in (
        ["convert", str(early), str(tmp_path / "copy.sdds")],
        ["check", str(early)],
        ["recover", str(early), "-o", str(tmp_path / "kept.sdds")],
    ):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.stderr
        assert result.stderr.count(WORDS) == 1, words
        assert "no errors were found" not in result.stdout
    result = CliRunner().invoke(app, ["info", "--json", str(early)])
    assert WORDS in json.dumps(json.loads(result.stdout))


def test_the_rest_after_the_early_end_is_dropped_only_on_request(early: Path) -> None:
    before = early.read_bytes()
    with pytest.raises(ConflictError, match=WORDS):
        quire.append(early)
    assert early.read_bytes() == before
    quire.append(early, after=quire.After(0, "drop")).close()
    assert early.read_text() == FIRST
