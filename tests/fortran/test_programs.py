"""Programs in Fortran: the bytes that they write, and how they end."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.python.support.files import step_formats
from tests.python.support.mpi import BUILD, mpiexec

import quire
from quire.io.formats import format_info, format_infos

PROGRAMS = BUILD / "tests" / "fortran"
HAS_FORTRAN = (PROGRAMS / "stop_serial_test").exists()

pytestmark = pytest.mark.skipif(not HAS_FORTRAN, reason="there is no compiler of Fortran")


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def write_in_python(path: Path, name: str) -> None:
    """Write what written.f90 writes."""
    x = 0.1 * np.arange(1, 11)
    j, k, m = np.arange(1, 5), np.arange(1, 4), np.arange(1, 3)
    phi = np.add.outer(np.add.outer(100.0 * m, 10.0 * k), j)
    with quire.create(path, format=name) as out:
        out.title = "From Fortran"
        out.contents = "particles"
        out.set("seed", np.int64(42))
        if format_info(name).holds_attachments:
            out.attach("input.nml", b"&run turns = 20 /")
        for number in (0, 10):
            with out.step(number) as step:
                step.set("time", 0.5 * number, unit="s")
                step.set("code", "written")
                step.put("x", x, quire.Texts("m", symbol="X", description="position"))
                step.put("w", (2 * x).astype(np.float32))
                step.put("id", np.arange(1, 11, dtype=np.int32))
                step.put_field("phi", phi, unit="V")


@pytest.mark.mpi
@pytest.mark.parametrize("name", step_formats())
@pytest.mark.parametrize("ranks", [1, 3])
def test_fortran_and_python_write_the_same_bytes(tmp_path: Path, name: str, ranks: int) -> None:
    mine = tmp_path / "python"
    write_in_python(mine, name)
    theirs = tmp_path / "fortran"
    done = run(mpiexec(), "-n", str(ranks), PROGRAMS / "written", theirs, name, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert theirs.read_bytes() == mine.read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize("name", [info.name for info in format_infos() if info.holds_streams])
@pytest.mark.parametrize("ranks", [1, 3])
def test_fortran_and_python_write_the_same_streams(
    tmp_path: Path, name: str, ranks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Files may contain their own path.
    mine, theirs = (tmp_path / language for language in ("python", "fortran"))
    mine.mkdir()
    theirs.mkdir()
    monkeypatch.chdir(mine)
    with quire.create("run", format=name) as out, out.step(0) as step:
        for rank in range(ranks):
            stream = step.stream(rank=rank, chunk_size=4096)
            stream.write(b"head")
            stream.write(np.array([rank, 0.5]))
    done = run(mpiexec(), "-n", str(ranks), PROGRAMS / "written_streams", "run", name, folder=theirs)
    assert done.returncode == 0, done.stderr
    assert (theirs / "run").read_bytes() == (mine / "run").read_bytes()


@pytest.mark.mpi
def test_the_first_index_of_fortran_is_the_last_axis_here(tmp_path: Path) -> None:
    path = tmp_path / "order"
    assert (
        run(mpiexec(), "-n", "2", PROGRAMS / "written", path, step_formats()[0], folder=tmp_path).returncode
        == 0
    )
    with quire.open(path) as run_:
        phi = run_[0].fields["phi"]
        assert phi.shape == (2, 3, 4)
        values = phi[:]
    assert values[1, 0, 3] == 4 + 10 * 1 + 100 * 2


def test_an_error_without_stat_ends_the_program(tmp_path: Path) -> None:
    done = run(PROGRAMS / "stop_serial_test", folder=tmp_path)
    assert done.returncode != 0
    assert re.search(r"ERROR STOP .*absent\.h5", done.stderr)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_an_error_without_stat_ends_all_ranks(tmp_path: Path, ranks: int) -> None:
    runs = [run(mpiexec(), "-n", str(ranks), PROGRAMS / "stop_test", folder=tmp_path) for _ in range(4)]
    assert all(done.returncode != 0 for done in runs)
    # The launcher of MPICH 4.0 sometimes loses what a rank printed before it aborted.
    assert any("absent.h5" in done.stderr for done in runs)
    assert any("MPI_Abort" in done.stderr + done.stdout for done in runs)
