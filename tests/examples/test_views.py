"""The views, run as programs: all write the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import ROOT, mpi_program, mpiexec

PROGRAM = [sys.executable, str(ROOT / "examples" / "patterns" / "views.py")]
VIEWS = ["by_range", "by_stride", "by_list"]


def run(command: list[str], output: Path) -> bytes:
    done = subprocess.run(
        [*command, "--output", str(output)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes that one process writes, which has all rows."""
    return run([*PROGRAM, "by_range"], tmp_path_factory.mktemp("alone") / "particles.h5")


@pytest.mark.parametrize("view", VIEWS)
def test_views_write_the_same_file(tmp_path: Path, view: str, reference: bytes) -> None:
    output = tmp_path / "particles.h5"
    assert run([*PROGRAM, view], output) == reference
    with h5py.File(output) as file:
        numbers = np.arange(1000)
        np.testing.assert_array_equal(file["Step#0/id"], numbers)
        np.testing.assert_array_equal(file["Step#0/x"], 0.001 * numbers)


@pytest.mark.mpi
@pytest.mark.parametrize("view", VIEWS)
def test_views_write_the_same_file_on_ranks(tmp_path: Path, view: str, reference: bytes) -> None:
    assert run([mpiexec(), "-n", "3", *PROGRAM, view], tmp_path / "particles.h5") == reference


def c_program() -> list[str]:
    return [mpi_program("examples", "patterns", "views")]


def run_in_c(command: list[str], view: str, output: Path) -> bytes:
    done = subprocess.run(
        [*command, view, str(output)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize("view", VIEWS)
def test_views_in_c_write_the_same_file_on_any_ranks(tmp_path: Path, view: str, reference: bytes) -> None:
    alone = run_in_c([mpiexec(), "-n", "1", *c_program()], "by_range", tmp_path / "alone.h5")
    assert alone == reference
    output = tmp_path / "particles.h5"
    assert run_in_c([mpiexec(), "-n", "3", *c_program()], view, output) == reference


@pytest.mark.mpi
def test_views_in_c_print_their_usage(tmp_path: Path) -> None:
    command = [mpiexec(), "-n", "1", *c_program(), "by_chance", str(tmp_path / "particles.h5")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "by_stride" in done.stderr
