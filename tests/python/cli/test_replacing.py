"""Files that the output of a command must not replace."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import quire
from quire.toolkit.replacing import replacement

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

FORMAT = quire.formats()[0]
WAYS = {
    "convert": ["convert", "BEAM", "TARGET", "--format", FORMAT, "--overwrite"],
    "compressed": [
        "convert", "BEAM", "TARGET", "--format", FORMAT, "--option", "compression=gzip", "--overwrite",
    ],
    "export": ["export", "BEAM", "TARGET", "--overwrite"],
    "recover": ["recover", "BEAM", "TARGET", "--overwrite"],
    "plot": ["plot", "BEAM", "-x", "x", "-y", "px", "-o", "TARGET", "--overwrite"],
    "attach": ["attach", "BEAM", "TARGET"],
}  # fmt: skip
REPLACING = [name for name in WAYS if name != "attach"]


def words_of(name: str, beam: Path, target: str) -> list[str]:
    """The words of a command line, with the names of its files."""
    names = {"BEAM": str(beam), "TARGET": target}
    return [names.get(word, word) for word in WAYS[name]]


@pytest.mark.parametrize("name", ["recover", "plot"])
def test_no_device_is_replaced(run: Run, one_beam: Path, name: str) -> None:
    pipe = one_beam.with_name("pipe.png")
    os.mkfifo(pipe)
    outcome = run(*words_of(name, one_beam, str(pipe)))
    assert outcome.code == 1
    assert f"{pipe}: the target is a device or a pipe" in outcome.errors
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", REPLACING)
def test_no_directory_is_replaced(run: Run, one_beam: Path, name: str) -> None:
    folder = one_beam.with_name("folder.png")
    folder.mkdir()
    (folder / "precious").write_text("work")
    outcome = run(*words_of(name, one_beam, str(folder)))
    if name in ("convert", "compressed"):  # files are written into it
        assert outcome.code == 0
    else:
        assert outcome.code == 1
        assert f"{folder}: the target is a directory" in outcome.errors
    assert (folder / "precious").read_text() == "work"


@pytest.mark.parametrize("name", WAYS)
def test_an_empty_name_is_not_the_current_directory(
    run: Run, one_beam: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = one_beam.with_name("here")
    folder.mkdir()
    (folder / "precious").write_text("work")
    monkeypatch.chdir(folder)
    assert run(*words_of(name, one_beam, "")).code != 0
    assert (folder / "precious").read_text() == "work"
    assert list(folder.iterdir()) == [folder / "precious"]


def test_an_empty_source_name_is_an_error(run: Run, tmp_path: Path) -> None:
    for words in (["info"], ["import"], ["export"], ["convert"]):
        outcome = run(*words, "", *([tmp_path / f"out{i}" for i in range(words != ["info"])]))
        assert outcome.code == 2
        assert "empty" in outcome.errors or "suffix" in outcome.errors


def test_invalid_targets_are_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "precious").write_text("work")
    with pytest.raises(quire.UsageError, match="empty"), replacement(""):
        pass
    for this in (".", tmp_path, Path()):
        with pytest.raises(quire.ConflictError, match="a directory"), replacement(this):
            pass
    assert (tmp_path / "precious").read_text() == "work"


@pytest.mark.parametrize("option", [{"compression": "gzip"}, {"replacement": "whole"}])
def test_a_writer_replaces_no_device_either(tmp_path: Path, option: dict[str, str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(quire.ConflictError, match="a device or a pipe"):
        quire.create(pipe, format=FORMAT, **cast(Any, option))
    assert pipe.is_fifo()


def test_files_of_killed_processes_are_named(run: Run, one_beam: Path) -> None:
    target = one_beam.with_name("copy.h5")
    gone = subprocess.Popen(["true"])
    gone.wait()
    ours = target.with_name(f".quire-{os.getpid()}-{target.name}")
    left = target.with_name(f".quire-{gone.pid}-{target.name}")
    for path in (ours, left, target.with_name(f".quire-x-{target.name}"), target.with_name(".quire-1-other")):
        path.touch()
    for words in (["convert", one_beam, target, "--format", FORMAT], ["check", target]):
        outcome = run(*words)
        assert outcome.code == 0
        assert outcome.errors.count("may have been left by a process that was killed") == 1
        assert f"warning: {words[-1] if words[0] == 'check' else ''}" in outcome.errors
        assert str(left) in outcome.errors
    assert left.exists()


def test_files_that_could_not_be_removed_are_named(run: Run, one_beam: Path) -> None:
    left = one_beam.with_name(f"{one_beam.name}.quire-left.1")
    left.mkdir()
    outcome = run("check", one_beam)
    assert outcome.code == 0
    assert outcome.errors.count(f"{left} belongs to an older file and could not be removed") == 1
