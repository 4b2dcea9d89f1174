"""The archive of the part for MPI is complete, versions of packages agree, and both parts work together."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

import build_dist

ROOT = Path(__file__).parents[2]

WRITE_AND_READ = """
import sys
from mpi4py import MPI
import quire
comm = MPI.COMM_WORLD
with quire.create(sys.argv[1], comm, transport="mpi_collective") as file, file.step(0) as step:
    step["x"] = [10.0 * comm.rank, 10.0 * comm.rank + 1]
with quire.open(sys.argv[1], comm) as file:
    assert list(file.step(0)["x"]) == [10.0 * rank + i for rank in range(comm.size) for i in range(2)]
try:
    quire.open(sys.argv[1])
except quire.UsageError as error:
    assert "2 ranks" in str(error)
else:
    raise AssertionError("a communicator is missing")
print("rank", comm.rank, "of", comm.size)
"""


def version() -> str:
    found = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("python/mpi/pyproject.toml", 3),
        ("python/mpi/quire_mpi/__init__.py", 1),
        ("packaging/conda/recipe.yaml", 1),
        ("packaging/spack/package.py", 1),
        ("debian/changelog", 1),
    ],
)
def test_packages_have_the_version_of_the_library(path: str, places: int) -> None:
    assert (ROOT / path).read_text().count(version()) == places


def test_the_part_for_mpi_has_the_license_of_the_library() -> None:
    part = tomllib.loads((ROOT / "python/mpi/pyproject.toml").read_text())["project"]
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for key in ("license", "authors", "requires-python"):
        assert part[key] == whole[key]


def test_the_archive_of_the_part_for_mpi_has_all_that_it_compiles(tmp_path: Path) -> None:
    archive = build_dist.build_sdist(build_dist.assemble_extension(tmp_path), tmp_path)
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    rules = (ROOT / "python/mpi/CMakeLists.txt").read_text()
    sources = {f"core/{name}" for name in re.findall(r"\$\{core\}/(src/\S+\.cpp)", rules)}
    assert len(sources) == 10
    assert sources <= held
    headers = {
        f"core/{path.relative_to(ROOT)}" for top in ("src", "include") for path in (ROOT / top).rglob("*.hpp")
    }
    assert {*headers, "part.cpp", "quire_mpi/__init__.py", "CMakeLists.txt", "LICENSE"} <= held


@pytest.mark.nightly
@pytest.mark.timeout(3000)
def test_the_wheel_and_the_part_for_mpi_work_together(tmp_path: Path) -> None:
    """The environment of the tests has the build requirements, and mpi4py of the same MPI."""
    starter = shutil.which("mpiexec.mpich")
    compiler = shutil.which("mpicc.mpich")
    if starter is None or compiler is None:
        pytest.skip("MPICH is not installed")
    wheel = build_dist.build_wheel(tmp_path)
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], check=True)
    python = str(environment / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*install, "--force-reinstall", str(wheel)], check=True, cwd=tmp_path)
    subprocess.run(
        [
            *install,
            "--config-settings",
            f"cmake.define.MPI_C_COMPILER={compiler}",
            str(ROOT / "python" / "mpi"),
        ],
        check=True,
        cwd=tmp_path,
    )
    (tmp_path / "ranks.py").write_text(WRITE_AND_READ)
    command = [starter, "-n", "2", python, "ranks.py", "two.h5"]
    done = subprocess.run(
        command, cwd=tmp_path, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}
    )
    assert sorted(done.stdout.splitlines()) == ["rank 0 of 2", "rank 1 of 2"]
