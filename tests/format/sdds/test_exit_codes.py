"""Exit codes of commands that fail on one of several ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

from quire.cli.main import app

ROWS = 40


def convert(comm: Any, source: str, target: str) -> int:
    """Convert on all ranks. Return the exit code of this rank."""
    return CliRunner().invoke(app, ["convert", source, target]).exit_code


@pytest.mark.mpi
def test_all_ranks_exit_with_the_code_of_the_first_error(tmp_path: Path) -> None:
    head = "SDDS1\n&column name=x, type=double, &end\n&data mode=ascii, &end\n"
    # Each rank reads its own rows, so only one of them reads the bad value.
    for bad in (1, ROWS - 1):
        rows = ["zz" if row == bad else f"{row}.5" for row in range(ROWS)]
        source = tmp_path / f"{bad}.sdds"
        source.write_text(f"{head}{ROWS}\n" + "\n".join(rows) + "\n")
        target = tmp_path / f"{bad}.h5"
        assert run_ranks(convert, 3, str(source), str(target)) == [3, 3, 3]
        assert not target.exists()
