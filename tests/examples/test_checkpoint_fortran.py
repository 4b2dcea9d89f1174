"""The checkpoints in Fortran have the bytes of those in C++, and are read on fewer ranks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.python.support.mpi import BUILD, mpi_program, mpiexec

PROGRAM = BUILD / "examples" / "checkpoint" / "fortran" / "checkpoint_fortran"

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not PROGRAM.exists(), reason="there is no compiler of Fortran with mpi_f08"),
]


def run(ranks: int, *command: str | Path) -> str:
    started = [mpiexec(), "-n", str(ranks), *command]
    done = subprocess.run(started, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("ranks", [1, 3])
def test_fortran_and_cpp_write_the_same_checkpoints(tmp_path: Path, ranks: int) -> None:
    cpp = tmp_path / "cpp"
    fortran = tmp_path / "fortran"
    fortran.mkdir()
    sizes = ["--elements", "60", "--checkpoints", "3"]
    run(ranks, mpi_program("examples", "checkpoint", "checkpoint"), "--directory", cpp, *sizes)
    output = run(ranks, PROGRAM, fortran / "run_", ".chk", "60", "3", str((ranks + 1) // 2))
    assert "3 checkpoints, 60 elements, 0 of them wrong" in output
    names = [f"run_{number}.chk" for number in range(3)]
    assert [(fortran / name).read_bytes() for name in names] == [(cpp / name).read_bytes() for name in names]
