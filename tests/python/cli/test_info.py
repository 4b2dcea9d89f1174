"""quire info."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quire.cli.info import brief, value_text
from quire.cli.output import ranges

if TYPE_CHECKING:
    from tests.python.cli.conftest import Cut, Run, Start, Values


def test_the_json_is_complete(run: Run, beam: Path, values: Values) -> None:
    outcome = run("info", "--json", beam)
    assert outcome.code == 0
    (file,) = json.loads(outcome.output)["files"]
    assert file["path"] == str(beam)
    assert file["damage"] is None
    assert [(a["name"], a["value"]) for a in file["attributes"]] == [("code", "tracker")]
    assert [step["number"] for step in file["steps"]] == [1, 4, 9]
    step = file["steps"][1]
    attributes = {a["name"]: (a["value"], a["unit"]) for a in step["attributes"]}
    assert attributes["s"] == (2.0, "m")
    assert attributes["turn"] == (4, "")
    (table,) = step["tables"]
    assert table["rows"] == len(values(4)["x"])
    columns = {c["name"]: (c["type"], c["unit"]) for c in table["columns"]}
    assert columns == {"x": ("float64", "m"), "px": ("float64", "m$be$nc"), "id": ("int32", "")}


def test_the_default_output_is_a_short_text(run: Run, beam: Path, format: str) -> None:
    outcome = run("info", beam)
    assert outcome.code == 0
    assert format in outcome.output
    assert "3 (1, 4, 9)" in outcome.output
    assert "300 in all" in outcome.output
    assert "m$be$nc" in outcome.output
    # One structure for all three steps.
    assert outcome.output.count("float64  m$be$nc") == 1
    assert outcome.errors == ""


def test_shortened_values_have_a_mark() -> None:
    """A list or text that is shortened has a mark; --all shows the whole."""
    values, text = list(range(40)), "long " * 40
    assert value_text(values, 24).endswith(", 23, \N{HORIZONTAL ELLIPSIS}]")
    assert value_text(values, None).endswith(", 38, 39]")
    assert brief(text, 24).endswith("\N{HORIZONTAL ELLIPSIS}")
    assert brief(text, None) == text


def test_every_step_is_listed_with_an_option(run: Run, beam: Path) -> None:
    lines = run("info", "--list", beam).output.splitlines()
    assert [line.split() for line in lines if line.split()[:1] == ["2"]] == [["2", "9", "100"]]


def test_several_files_are_printed_one_after_another(run: Run, beam: Path) -> None:
    assert len(json.loads(run("info", "--json", beam, beam).output)["files"]) == 2


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_whole_steps_of_a_damaged_file_are_reported(
    run: Run, beam: Path, cut: Cut, options: list[str]
) -> None:
    outcome = run("info", *options, cut(beam, 100))
    assert outcome.code == 3
    assert "Traceback" not in outcome.errors + outcome.output


def test_other_files_are_bad_files(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader,\n")
    outcome = run("info", path)
    assert outcome.code == 3
    assert len(outcome.errors.splitlines()) == 1
    assert "letter.txt" in outcome.errors


def test_a_missing_file_is_an_input_error(run: Run, tmp_path: Path) -> None:
    outcome = run("info", tmp_path / "nothing")
    assert outcome.code == 4
    assert len(outcome.errors.splitlines()) == 1


def test_standard_input(start: Start, beam: Path) -> None:
    done = start("info", "-", "--json", stdin=beam.read_bytes())
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["files"][0]["steps"]) == 3


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([7], "7"),
        ([1, 2], "1, 2"),
        ([1, 4, 5, 6, 20], "1, 4 to 6, 20"),
        (list(range(0, 101, 10)), "0 to 100 by 10"),
        ([n * n for n in range(20)], "0, 1, 4, 9, 16, \N{HORIZONTAL ELLIPSIS}, 324, 361"),
    ],
)
def test_long_lists_of_steps_are_short(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text
