"""The short texts that select steps, rows and names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import quire
from quire.toolkit.selection import (
    matches,
    parse_names,
    parse_rows,
    parse_steps,
    resolve_rows,
    select_names,
)

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("3", [3], [2, 4]),
        ("1,4-8", [1, 4, 8], [0, 2, 3, 9]),
        ("20-", [20, 10**12], [19]),
        ("0-5", [0, 5], [6]),
        (" 1 , 2 ", [1, 2], [3]),
        (None, [0, 99], []),
    ],
)
def test_steps_are_ranges_with_both_ends(text: str | None, inside: list[int], outside: list[int]) -> None:
    selection = parse_steps(text)
    assert all(number in selection for number in inside)
    assert not any(number in selection for number in outside)


@pytest.mark.parametrize("text", ["-1", "3,-5"])
def test_numbers_from_the_end_are_no_steps(text: str) -> None:
    with pytest.raises(quire.UsageError, match="may be the last of steps, or all up to"):
        parse_steps(text)


@pytest.mark.parametrize("text", ["", "x", "1,", "8-4", "1-2-3", "-", "1.5"])
def test_invalid_selections_of_steps_are_errors(text: str) -> None:
    with pytest.raises(quire.UsageError, match="selection of steps"):
        parse_steps(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, (0, 10)),
        (":", (0, 10)),
        ("2:5", (2, 3)),
        ("-3:", (7, 3)),
        (":4", (0, 4)),
        ("7", (7, 1)),
        ("-1", (9, 1)),
        ("5:100", (5, 5)),
        ("8:-3", (8, 0)),
    ],
)
def test_rows_are_selected_as_in_python(text: str | None, expected: tuple[int, int]) -> None:
    assert resolve_rows(parse_rows(text), 10) == expected


@pytest.mark.parametrize("text", ["", "a:b", "1:2:3", "x", "8:3", "4:4", "-1:-2"])
def test_invalid_ranges_of_rows_are_errors(text: str) -> None:
    with pytest.raises(quire.UsageError, match="range of rows"):
        parse_rows(text)


def test_names_are_in_the_requested_order_and_unique() -> None:
    present = ["id", "px", "py", "x[1]"]
    assert select_names(parse_names("px,id"), present, "column") == ["px", "id"]
    assert select_names(parse_names(["p*", "px"]), present, "column") == ["px", "py"]
    assert select_names(["x[1]"], present, "column") == ["x[1]"]
    assert select_names(None, present, "column") == present


def test_a_name_or_pattern_without_a_match_is_missing() -> None:
    for name in ("z", "z*"):
        with pytest.raises(quire.MissingError, match="px"):
            select_names([name], ["px"], "column")


def test_brackets_are_no_pattern() -> None:
    assert matches("x[1]", ["x[1]*"])
    assert not matches("x1", ["x[1]*"])


@pytest.mark.parametrize("command", ["convert", "diff", "export", "plot", "sum"])
def test_missing_steps_are_an_error(run: Run, one_beam: Path, tmp_path: Path, command: str) -> None:
    target = tmp_path / {"export": "new.csv", "plot": "new.png"}.get(command, f"new{one_beam.suffix}")
    rest: dict[str, list[str | Path]] = {
        "diff": [one_beam],
        "sum": [],
        "plot": ["-x", "x", "-y", "px", "-o", target],
    }
    outcome = run(command, one_beam, *rest.get(command, [target]), "--steps", "99")
    assert outcome.code == 1
    assert "no step has one of these numbers" in outcome.errors
    assert outcome.output == ""
    assert not target.exists()


def test_files_differ_in_a_step_that_only_one_has(run: Run, one_beam: Path, make: Make) -> None:
    other = make(quire.formats()[0], "other", numbers=[1])
    outcome = run("diff", one_beam, other, "--steps", "4")
    assert outcome.code == 1
    assert "step 4 is only in" in outcome.output
