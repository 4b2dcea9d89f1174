"""Programs for visualization are started with a sidecar of a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quire.toolkit.examples import EXAMPLES, write_example

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

BEAM, TWISS = EXAMPLES["beam"].name, EXAMPLES["twiss"].name
SIDECAR = f"{BEAM}.xmf"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file, and no program on PATH."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    write_example("beam", BEAM)
    return tmp_path


def install(folder: Path, name: str, code: int = 0) -> Path:
    """Install a program that writes its arguments to a file, and return the path of that."""
    program, said = folder / "bin" / name, folder / "said"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {said}\nexit {code}\n")
    program.chmod(0o755)
    return said


@pytest.mark.parametrize(("program", "words"), [("paraview", [SIDECAR]), ("visit", ["-o", SIDECAR])])
def test_a_program_is_started_with_a_new_sidecar(
    run: Run, folder: Path, program: str, words: list[str]
) -> None:
    said = install(folder, program)
    outcome = run("open-in", program, BEAM)
    assert (outcome.code, outcome.output) == (0, f"{SIDECAR}: 5 steps of {BEAM}\n")
    assert said.read_text().split() == words
    assert Path(SIDECAR).read_bytes().startswith(b"<?xml")
    assert "if it asks" in outcome.errors


def test_all_files_of_vtkhdf_are_opened(run: Run, folder: Path) -> None:
    said = install(folder, "paraview")
    assert run("open-in", "paraview", BEAM, "--vtkhdf").code == 0
    first = said.read_text().split()
    assert sorted(first) == sorted(path.name for path in folder.glob("*.vtkhdf"))
    assert run("open-in", "paraview", BEAM, "--vtkhdf").output == ""
    assert sorted(said.read_text().split()) == sorted(first)


def test_a_current_sidecar_is_used_and_an_old_one_is_kept(run: Run) -> None:
    assert run("open-in", "paraview", BEAM, "--no-start").code == 0
    Path(SIDECAR).write_text("mine")
    again = run("open-in", "paraview", BEAM, "--no-start")
    assert again.output == f"paraview {SIDECAR}\n"
    assert f"{SIDECAR} is used as it is" in again.errors
    changed = os.stat(SIDECAR).st_mtime_ns + 10**9
    os.utime(BEAM, ns=(changed, changed))
    outcome = run("open-in", "paraview", BEAM, "--no-start")
    assert outcome.code == 1
    assert "is older than the file; --overwrite writes it again" in outcome.errors
    assert Path(SIDECAR).read_text() == "mine"
    assert run("open-in", "paraview", BEAM, "--no-start", "--overwrite").code == 0
    assert Path(SIDECAR).read_bytes().startswith(b"<?xml")


def test_options_are_not_ignored_for_a_sidecar_that_is_there(run: Run) -> None:
    words = ["open-in", "paraview", BEAM, "--no-start"]
    assert run(*words).code == 0
    outcome = run(*words, "--steps", "5")
    assert outcome.code == 1
    assert "may differ" in outcome.errors
    outcome = run(*words, "--steps", "5", "--overwrite")
    assert outcome.output == f"{SIDECAR}: 1 step of {BEAM}\nparaview {SIDECAR}\n"


def test_a_program_that_is_missing_is_reported_with_what_to_open(run: Run) -> None:
    outcome = run("open-in", "paraview", BEAM)
    assert outcome.code == 1
    assert "paraview is not found on PATH; install it" in outcome.errors
    assert f"open {SIDECAR}" in outcome.errors
    assert "'XDMF Reader'" in outcome.errors
    assert outcome.output.endswith(f"paraview {SIDECAR}\n")


def test_a_program_that_fails_is_reported(run: Run, folder: Path) -> None:
    install(folder, "paraview", 3)
    outcome = run("open-in", "paraview", BEAM)
    assert outcome.code == 4
    assert "ended with exit code 3" in outcome.errors


def test_what_cannot_be_opened_is_refused(run: Run) -> None:
    outcome = run("open-in", "excel", BEAM)
    assert outcome.code == 2
    assert "quire open-in paraview or visit FILE" in outcome.errors
    outcome = run("open-in", "visit", BEAM, "--vtkhdf")
    assert outcome.code == 2
    assert "no reader for VTKHDF" in outcome.errors
    write_example("twiss", TWISS)
    outcome = run("open-in", "paraview", TWISS)
    assert outcome.code == 1
    assert "neither positions nor fields" in outcome.errors
    assert run("open-in", "paraview", "none.h5").code == 4


def test_tables_that_are_stored_row_by_row_need_a_copy(run: Run) -> None:
    rows = f"rows{Path(TWISS).suffix}"
    assert run("convert", BEAM, rows).code == 0
    outcome = run("open-in", "paraview", rows, "--no-start")
    assert "write it by columns: quire convert" in outcome.errors
    assert "--vtkhdf copies values" in outcome.errors
    assert run("open-in", "paraview", rows, "--vtkhdf", "--no-start").output.count(".vtkhdf: ") == 2
