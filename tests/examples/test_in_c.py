"""The example programs in C write the files of those in C++."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.python.support.files import step_formats
from tests.python.support.mpi import mpi_program, mpiexec

import quire
from quire.io.formats import format_info

pytestmark = pytest.mark.mpi

SUFFIXES = [format_info(name).suffixes[0] for name in step_formats()]


def run(ranks: int, program: str, *arguments: str) -> str:
    """Return what an example prints."""
    command = [mpiexec(), "-n", str(ranks), mpi_program("examples", *program.split("/")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def fodo(path: Path, cells: int, *, ranks: int) -> bytes:
    arguments = ["--particles", "999", "--cells", str(cells), "--every", "3", "--output", str(path)]
    run(ranks, "fodo/fodo", *arguments)
    return path.read_bytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_fodo_writes_the_same_file(tmp_path: Path, suffix: str) -> None:
    wanted = fodo(tmp_path / f"beam{suffix}", 7, ranks=2)
    path = tmp_path / f"in_c{suffix}"
    run(3, "fodo/fodo_c", str(path), "999", "7", "3")
    assert path.read_bytes() == wanted
    run(2, "fodo/fodo_c", str(path), "999", "7", "3", "async")
    assert path.read_bytes() == wanted


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_fodo_continues_a_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"beam{suffix}"
    run(2, "fodo/fodo_c", str(path), "999", "6", "3")
    run(3, "fodo/fodo_c", str(path), "999", "9", "3", "restart")
    fodo(tmp_path / f"whole{suffix}", 9, ranks=1)
    with quire.open(path) as file, quire.open(tmp_path / f"whole{suffix}") as whole:
        assert [step.number for step in file] == [0, 3, 6, 9]
        assert (file[-1]["x"][:] == whole[-1]["x"][:]).all()


@pytest.mark.parametrize("layout", ["hdf5", "xml"])
def test_checkpoints_are_the_same_files(tmp_path: Path, layout: str) -> None:
    for folder in ("cpp", "c"):
        (tmp_path / folder).mkdir()
    option = f"layout={layout}"
    run(3, "checkpoint/checkpoint", "--directory", str(tmp_path / "cpp"), "--option", option)
    printed = run(3, "checkpoint/checkpoint_c", str(tmp_path / "c"), "2", option)
    assert "300 of 300 elements are right" in printed
    assert printed.count("as before") == 2
    for number in range(3):
        name = f"run_{number}.chk"
        assert (tmp_path / "c" / name).read_bytes() == (tmp_path / "cpp" / name).read_bytes()
