"""Commands that take minutes report their progress where there is no terminal."""

from __future__ import annotations

import pytest

from quire.cli.progress import progress


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
