"""The simulation in Fortran writes the bytes of the one in C++, and restarts from its files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.python.support.files import step_formats
from tests.python.support.mpi import BUILD, mpi_program, mpiexec

PROGRAM = BUILD / "examples" / "fodo" / "fortran" / "fodo_fortran"
SIZES = ["--particles", "999", "--cells", "7", "--every", "3"]

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not PROGRAM.exists(), reason="there is no compiler of Fortran with mpi_f08"),
]


def run(ranks: int, *command: str | Path) -> None:
    started = [mpiexec(), "-n", str(ranks), *command]
    done = subprocess.run(started, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", step_formats())
def test_fortran_and_cpp_write_the_same_bytes(tmp_path: Path, name: str) -> None:
    cpp = tmp_path / "cpp"
    fortran = tmp_path / "fortran"
    run(2, mpi_program("examples", "fodo", "fodo"), *SIZES, "--format", name, "--output", cpp)
    run(3, PROGRAM, fortran, *SIZES, "--format", name)
    assert fortran.read_bytes() == cpp.read_bytes()


@pytest.mark.parametrize("name", step_formats())
def test_steps_in_the_background_have_the_same_bytes(tmp_path: Path, name: str) -> None:
    cpp = tmp_path / "cpp"
    fortran = tmp_path / "fortran"
    run(3, mpi_program("examples", "fodo", "fodo"), *SIZES, "--async", "--format", name, "--output", cpp)
    run(2, PROGRAM, fortran, "--async", *SIZES, "--format", name)
    assert fortran.read_bytes() == cpp.read_bytes()


@pytest.mark.parametrize("name", step_formats())
def test_a_restart_in_fortran_continues_a_run_in_cpp(tmp_path: Path, name: str) -> None:
    whole, cpp, fortran = (tmp_path / one for one in ("whole", "cpp", "fortran"))
    simulate: list[str | Path] = [mpi_program("examples", "fodo", "fodo"), *SIZES, "--format", name]
    again: list[str | Path] = ["--restart-from", whole, "--restart-step", "3"]
    run(2, *simulate, "--output", whole)
    run(2, *simulate, *again, "--output", cpp)
    run(3, PROGRAM, fortran, *SIZES, "--format", name, *again)
    assert fortran.read_bytes() == cpp.read_bytes()
