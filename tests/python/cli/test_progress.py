"""Commands that take minutes report their progress where there is no terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import quire
from quire.cli.progress import progress
from quire.toolkit.activity import doing, listening


def test_long_commands_print_a_line_for_each_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("examining", "launches", is_long=True) as bar:
        bar.expect(40)
        for _ in range(40):
            bar.advance(1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "examining: 1 of 40 launches"
    assert lines[-1] == "examining: 40 of 40 launches"
    assert len(lines) == 11


def test_other_commands_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("copying") as bar:
        bar.expect(40)
        bar.advance(40)
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("done", "total", "shown"), [(0, 0, "sorting"), (30, 40, "30 rows"), (40, 0, "40 rows")]
)
def test_a_terminal_shows_what_is_done_before_rows_are_written(
    monkeypatch: pytest.MonkeyPatch, done: int, total: int, shown: str
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("writing") as bar:
        bar.expect(40)
        doing("sorting", done, total)
    last = terminal.getvalue().rpartition("sorting")
    assert last[1] == "sorting"
    assert shown in last[1] + last[2]
    assert "0 rows" not in last[2].replace("30 rows", "").replace("40 rows", "")
    assert "writing" not in last[2]


@pytest.mark.parametrize("memory", [None, 1])
def test_a_sort_says_what_it_does_before_its_first_row(one_beam: Path, memory: int | None) -> None:
    seen: list[str] = []
    target = one_beam.with_name("sorted" + one_beam.suffix)
    with quire.chain(one_beam) as chain, listening(lambda what, *count: seen.append(what)):
        chain.limited(memory).sort("x").write(target)
    assert "sorting" in seen if memory is None else {"reading", "computing", "collecting"} <= set(seen)


def test_rows_that_are_read_for_a_sort_are_counted(one_beam: Path) -> None:
    counts: list[tuple[int, int]] = []

    def count(what: str, done: int, total: int, unit: str) -> None:
        counts.extend([(done, total)] if (what, unit) == ("reading", "rows") else [])

    with quire.chain(one_beam) as chain, listening(count):
        rows = len(chain.limited(1).sort("x").read(["x"])["x"])
        assert rows == sum(len(step.table) for step in chain)
    assert sum(done for done, total in counts if done == total) == rows
