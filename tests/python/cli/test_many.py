"""Files with many steps, columns and attributes: bounded memory, and time in proportion to their number."""

from __future__ import annotations

import contextlib
import json
import os
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quire
from quire.cli import output
from quire.cli.main import app
from quire.errors import MissingError

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

STEPS = 1000
COLUMNS = 100_000
BYTES_FOR_STEPS = 350 * STEPS
"""The memory for all steps together: some hundred bytes per step."""


@pytest.fixture(scope="module")
def many_steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with many steps of one value each."""
    path = tmp_path_factory.mktemp("many") / "steps"
    with quire.create(path, format=quire.formats()[0]) as out:
        for number in range(STEPS):
            with out.step(2 * number) as step:
                step.set("s", 0.5 * number)
                step.put("x", np.array([1.0]))
    return path


def peak_of(*arguments: str | Path) -> int:
    """The peak memory of a command in Python objects; its output is discarded."""
    words = [str(argument) for argument in arguments]
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        tracemalloc.start()
        with contextlib.suppress(SystemExit):
            app(words, standalone_mode=False)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    "command", [["info"], ["info", "--json"], ["sum"], ["sum", "--json"], ["diff"], ["convert"]]
)
def test_memory_does_not_grow_with_the_number_of_steps(
    many_steps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Sequence[str]
) -> None:
    monkeypatch.setattr(output, "HELD_CHARACTERS", 1000, raising=False)
    few = tmp_path / "few"
    with quire.create(few, format=quire.formats()[0]) as out, out.step(0) as step:
        step.put("x", np.array([1.0]))
    copied: list[str | Path] = [tmp_path / "copy", "--format", quire.formats()[0], "--overwrite"]

    def peak(source: Path) -> int:
        more: dict[str, list[str | Path]] = {"diff": [source], "convert": copied}
        return peak_of(*command, source, *more.get(command[0], []))

    least, most = peak(few), peak(many_steps)
    assert most - least < BYTES_FOR_STEPS


def test_a_printed_list_of_steps_is_limited(
    run: Run, many_steps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("info", "sum"):
        monkeypatch.setattr(f"quire.cli.{module}.MOST_STEPS", 5)
    assert output.MOST_STEPS > 5
    listed = run("info", "--list", many_steps).output
    assert f"and {STEPS - 5} more (--all shows them)" in listed
    assert "  5 " not in listed.partition("index")[2].partition("\N{HORIZONTAL ELLIPSIS}")[0]
    assert run("info", "--list", "--all", many_steps).output.count("\n") > STEPS
    details = run("sum", "--details", many_steps).output
    assert f"and {STEPS - 5} more steps (--json has all)" in details
    (everything,) = json.loads(run("sum", "--json", many_steps).output)["files"]
    assert len(everything["steps"]) == STEPS
    assert details.startswith(everything["sum"])


def test_steps_are_found_by_number_among_many(many_steps: Path) -> None:
    with quire.open(many_steps) as file:
        for number in range(0, 2 * STEPS, 1000):
            assert file.step(number).number == number
        with pytest.raises(MissingError, match="1000, 1002, 998"):
            file.step(1001)
        assert list(file.each_number()) == file.numbers == list(range(0, 2 * STEPS, 2))


@pytest.mark.nightly
def test_many_columns_need_no_quadratic_time(run: Run, tmp_path: Path) -> None:
    """In quadratic time this took minutes, longer than the limit of a test."""
    path, copy = tmp_path / "columns", tmp_path / "copy"
    value = np.array([1.0])
    with quire.create(path, format=quire.formats()[0]) as out, out.step(0) as step:
        for number in range(COLUMNS):
            step.put(f"column{number}", value)
    assert run("convert", path, copy, "--format", quire.formats()[0]).code == 0
    assert run("diff", path, copy).code == 0
