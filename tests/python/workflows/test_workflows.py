"""Each workflow as a chain of verbs and by the old programs: equal numbers, which are right."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.support.files import holds_texts, path_for, step_formats
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


def printed(script: str, folder: Path, programs: Path, *, loses_labels: bool = False) -> str:
    """Return what a script of the shell prints. Nothing may be reported, but labels that formats lack."""
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
    reported = done.stderr.splitlines()
    if loses_labels:
        reported = [line for line in reported if not (line.startswith("lost: ") and "display format" in line)]
    assert (done.returncode, reported) == (0, [])
    return done.stdout


def numbers(text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the numbers in the lines of a text, without those that report a file, such as its steps."""
    rows = [[float(word) for word in line.split()] for line in text.splitlines() if "step" not in line]
    return np.squeeze(np.array(rows))


def require_truth(workflow: Workflow, found: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    """Compare numbers with those that the input determines."""
    if callable(workflow.truth):
        assert workflow.truth(found)
    else:
        np.testing.assert_allclose(found, np.squeeze(workflow.truth), rtol=1e-9, atol=workflow.tolerance)


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
    require_truth(workflow, by_verbs)


def other_formats() -> Iterator[Any]:
    """Workflows and the other formats that hold what they write, first those of one format."""
    for format in step_formats()[1:]:
        for workflow in WORKFLOWS:
            if not workflow.has_texts or holds_texts(format):
                yield workflow, format


@pytest.mark.parametrize(
    ("workflow", "format"),
    first_daily(other_formats(), 4),
    ids=lambda one: one.name if isinstance(one, Workflow) else one,
)
def test_chains_of_verbs_print_the_same_numbers_of_files_of_other_formats(
    workflow: Workflow, format: str, programs: Path, tmp_path: Path
) -> None:
    suffix = path_for(tmp_path, format).suffix
    prepare, verbs = (text.replace(".sdds", suffix) for text in (workflow.prepare, workflow.verbs))
    printed(prepare, tmp_path, programs, loses_labels=True)
    require_truth(workflow, numbers(printed(verbs, tmp_path, programs, loses_labels=True)))
