"""The example programs in Python write the files of those in C++, and continue them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.python.support.files import step_formats
from tests.python.support.mpi import ROOT, mpi_program, mpiexec

EXAMPLES = ROOT / "examples"
FODO = [sys.executable, str(EXAMPLES / "fodo" / "python" / "fodo.py")]
CHECKPOINT = [sys.executable, str(EXAMPLES / "checkpoint" / "python" / "checkpoint.py")]
SIZES = ["--particles", "999", "--cells", "7", "--every", "3"]


def run(*command: str | Path, ranks: int = 0, code: int = 0) -> str:
    """Return what a program prints, on so many ranks or, with 0, without a starter."""
    started = [mpiexec(), "-n", str(ranks)] if ranks else []
    done = subprocess.run([*started, *command], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def written_by_cpp(path: Path, format_name: str) -> bytes:
    """Return the bytes that the program in C++ writes."""
    program = mpi_program("examples", "fodo", "fodo")
    run(program, *SIZES, "--format", format_name, "--output", path, ranks=2)
    return path.read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize("name", step_formats())
def test_python_and_cpp_write_the_same_bytes(tmp_path: Path, name: str) -> None:
    wanted = written_by_cpp(tmp_path / "cpp", name)
    for ranks, more in ((0, []), (3, ["--async"])):
        path = tmp_path / f"python_{ranks}"
        run(*FODO, path, *SIZES, "--format", name, *more, ranks=ranks)
        assert path.read_bytes() == wanted


@pytest.mark.mpi
@pytest.mark.parametrize("name", step_formats())
def test_a_restart_in_python_continues_a_run_in_cpp(tmp_path: Path, name: str) -> None:
    whole, cpp, python = (tmp_path / one for one in ("whole", "cpp", "python"))
    written_by_cpp(whole, name)
    again: list[str | Path] = ["--restart-from", whole, "--restart-step", "3"]
    program = mpi_program("examples", "fodo", "fodo")
    run(program, *SIZES, "--format", name, *again, "--output", cpp, ranks=2)
    run(*FODO, python, *SIZES, "--format", name, *again, ranks=3)
    assert python.read_bytes() == cpp.read_bytes()


@pytest.mark.parametrize("name", step_formats())
def test_a_file_is_continued(tmp_path: Path, name: str) -> None:
    whole, path = tmp_path / "whole", tmp_path / "part"
    run(*FODO, whole, *SIZES, "--format", name)
    run(*FODO, path, "--particles", "999", "--cells", "6", "--every", "3", "--format", name)
    run(*FODO, path, "--cells", "7", "--every", "3", "--format", name, "--restart-from", path)
    run(sys.executable, "-m", "quire", "diff", whole, path)


def test_an_error_is_one_line(tmp_path: Path) -> None:
    said = run(*FODO, tmp_path / "out.h5", "--restart-from", tmp_path / "absent.h5", code=2)
    assert said.startswith("fodo: ")
    assert "absent.h5" in said
    assert len(said.splitlines()) == 1


@pytest.mark.mpi
@pytest.mark.parametrize("layout", ["hdf5", "xml"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_checkpoints_are_the_same_files(tmp_path: Path, layout: str, ranks: int) -> None:
    option = ["--option", f"layout={layout}", "--readers", str((ranks + 1) // 2)]
    program = mpi_program("examples", "checkpoint", "checkpoint")
    run(program, "--directory", tmp_path / "cpp", *option, ranks=ranks)
    printed = run(*CHECKPOINT, tmp_path / "python", *option, ranks=ranks)
    assert printed.count("as before") == 2
    assert "every coefficient is the one that was written" in printed
    for number in range(3):
        name = f"run_{number}.chk"
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "cpp" / name).read_bytes()


@pytest.mark.parametrize("layout", ["directory", "streams"])
def test_other_checkpoints_are_read_as_they_were_written(tmp_path: Path, layout: str) -> None:
    printed = run(*CHECKPOINT, tmp_path, "--option", f"layout={layout}")
    assert "every coefficient is the one that was written" in printed
