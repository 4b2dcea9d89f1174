"""The parallel program of docs/python.md runs on several ranks."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from tests.python.support.mpi import ROOT, run_ranks

import quire


def blocks(page: str, language: str) -> list[str]:
    """Return the examples of one kind."""
    text = (ROOT / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_program(comm: Any, program: str) -> None:
    runpy.run_path(program)


@pytest.mark.mpi
def test_the_parallel_program_runs(elsewhere: Path) -> None:
    (program,) = (block for block in blocks("python.md", "python") if "parallel." in block)
    path = elsewhere / "program.py"
    path.write_text(program)
    run_ranks(run_program, 3, str(path))
    (written,) = elsewhere.glob("parallel.*")
    with quire.open(written) as file:
        assert file[0]["x"][:].tolist() == [1.0, 2.0, 2.0]


def test_every_public_function_says_how_it_is_called() -> None:
    for name in quire.__all__:
        thing = getattr(quire, name)
        if not callable(thing) or isinstance(thing, type):
            continue
        assert (thing.__doc__ or "").startswith(("Collective.", "Independent.")), name
