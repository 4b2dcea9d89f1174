"""Options of the reader in every command that reads a data file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app

HEAD = "SDDS1\n&column name=x, type=double, &end\n&data mode=ascii, &end\n"
OPTION = ["--read-option", "no_row_counts=true"]
# Without the option the first row is read as the number of rows, which is too large.
UNCOUNTED = HEAD + "9\n1.5\n2.5\n"
COMMANDS = [
    ["info", "FILE"],
    ["show", "FILE"],
    ["get", "FILE", "x"],
    ["check", "FILE"],
    ["sum", "FILE"],
    ["export", "FILE", "TARGET.csv"],
    ["plan", "FILE", "--ranks", "2"],
    ["convert", "FILE", "TARGET.h5"],
    ["recover", "FILE", "-o", "TARGET.sdds"],
    ["plot", "FILE", "--histogram", "x", "-o", "TARGET.png"],
]


def words_for(command: list[str], folder: Path) -> list[str]:
    """The words of a command, with an old text file and a target next to it."""
    file = folder / "old.stat"
    file.write_text(UNCOUNTED)
    return [word.replace("FILE", str(file)).replace("TARGET", str(folder / "target")) for word in command]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_reads_with_options(tmp_path: Path, command: list[str]) -> None:
    if command[0] == "plot":
        pytest.importorskip("matplotlib")
    words = words_for(command, tmp_path)
    assert CliRunner().invoke(app, words).exit_code in (1, 3)
    result = CliRunner().invoke(app, [*words, *OPTION])
    assert result.exit_code == 0, result.stderr


def test_rows_are_those_of_the_file(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [*words_for(["get", "FILE", "x"], tmp_path), *OPTION])
    assert result.stdout.split() == ["9.0", "1.5", "2.5"]


def test_convert_prints_the_warnings_of_the_file_once(tmp_path: Path) -> None:
    words = words_for(["convert", "FILE", "TARGET.h5"], tmp_path)
    result = CliRunner().invoke(app, [*words, *OPTION])
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("warning: read as with no_row_counts=1 in the header") == 1


@pytest.mark.parametrize("stray", [1, 2, 3])
def test_strict_refuses_stray_bytes_after_binary_pages(tmp_path: Path, stray: int) -> None:
    path = tmp_path / "stray.sdds"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(3.0))
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"\n" * stray)
    result = CliRunner().invoke(app, ["check", str(path)])
    assert (result.exit_code, f"{stray} stray bytes at byte {size}" in result.stderr) == (0, True)
    strict = ["--read-option", "strict=true"]
    result = CliRunner().invoke(app, ["check", str(path), *strict])
    assert result.exit_code == 1
    assert f"damaged at byte {size}, 1 whole step (0) before it" in result.stdout
    assert CliRunner().invoke(app, ["sum", str(path), *strict]).exit_code == 3
    with quire.open(path, strict=True) as file, pytest.raises(quire.BadFileError, match="stray") as caught:
        list(file)
    assert caught.value.offset == size


def test_diff_passes_options_to_the_format_that_has_them(tmp_path: Path) -> None:
    converted = words_for(["convert", "FILE", "TARGET.h5"], tmp_path)
    assert CliRunner().invoke(app, [*converted, *OPTION]).exit_code == 0
    both = ["diff", converted[1], converted[2]]
    assert CliRunner().invoke(app, both).exit_code in (1, 3)
    result = CliRunner().invoke(app, [*both, *OPTION])
    assert result.exit_code == 0, result.stdout + result.stderr
    wrong = CliRunner().invoke(app, [*both, *OPTION, "--read-option", "nothing=1"])
    assert wrong.exit_code == 2
    assert "nothing" in wrong.stderr
