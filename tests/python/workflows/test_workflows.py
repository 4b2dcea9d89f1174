"""Each workflow as a chain of verbs and by the old programs: equal numbers, which are right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.python.workflows.workflows import WORKFLOWS, Workflow

import quire
from quire.legacy.install import install

TIME_LIMIT = 120


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `quire` and the old programs."""
    folder = tmp_path_factory.mktemp("programs")
    install(folder, shadow=True)
    quire_program = folder / "quire"
    quire_program.write_text(f'#!/bin/sh\nexec {sys.executable} -m quire "$@"\n')
    quire_program.chmod(0o755)
    return folder


def printed(script: str, folder: Path, programs: Path) -> str:
    """Return what a script of the shell prints; nothing may be reported."""
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(quire.__file__).parents[1]),
    }
    environment.pop("RPN_DEFNS", None)
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def numbers(text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the numbers in the lines of a text, without those that report a file, such as its steps."""
    rows = [[float(word) for word in line.split()] for line in text.splitlines() if "step" not in line]
    return np.squeeze(np.array(rows))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one.name)
def test_both_spellings_print_the_same_right_numbers(
    workflow: Workflow, programs: Path, tmp_path: Path
) -> None:
    printed(workflow.prepare, tmp_path, programs)
    by_verbs = numbers(printed(workflow.verbs, tmp_path, programs))
    for written in tmp_path.iterdir():
        if f"write {written.name}" in workflow.verbs:
            written.unlink()
    by_programs = numbers(printed(workflow.old, tmp_path, programs))
    np.testing.assert_allclose(by_programs, by_verbs, rtol=1e-13, atol=workflow.tolerance * 1e-3)
    if callable(workflow.truth):
        assert workflow.truth(by_verbs)
    else:
        np.testing.assert_allclose(by_verbs, np.squeeze(workflow.truth), rtol=1e-9, atol=workflow.tolerance)
