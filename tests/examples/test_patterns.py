"""The patterns in Python and C++, run as programs: all write the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import BUILD, ROOT, mpi_program, mpiexec

import quire

PYTHON = [sys.executable, str(ROOT / "examples" / "patterns" / "patterns.py")]
PATTERNS = ["by_rows", "by_columns", "by_pattern", "by_chunks"]
FOLDER = BUILD / "examples" / "patterns"
OTHERS = ["own_data_sets", "several_files"]
ARRAY = np.add.outer(np.arange(12), 0.01 * np.arange(16))


def run(command: list[str], output: Path) -> None:
    done = subprocess.run(
        [*command, "--output", str(output)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes that one process writes: contiguous, and in chunks."""
    written = {}
    for example in ("by_rows", "by_chunks"):
        output = tmp_path_factory.mktemp("alone") / "array.h5"
        run([*PYTHON, example], output)
        written[example] = output.read_bytes()
    return {example: written.get(example, written["by_rows"]) for example in PATTERNS}


def test_chunks_are_those_of_the_file(tmp_path: Path, references: dict[str, bytes]) -> None:
    for example, chunk in (("by_rows", None), ("by_chunks", (1, 3, 4))):
        (tmp_path / example).write_bytes(references[example])
        with h5py.File(tmp_path / example) as file:
            array = file["Step#0/Block/array/0"]
            assert array.chunks == chunk
            np.testing.assert_array_equal(array[0], ARRAY)


@pytest.mark.parametrize("example", PATTERNS)
def test_patterns_write_the_same_file(tmp_path: Path, example: str, references: dict[str, bytes]) -> None:
    output = tmp_path / "array.h5"
    run([*PYTHON, example, "--option", "alignment=4096"], output)
    assert output.read_bytes() == references[example]


@pytest.mark.mpi
@pytest.mark.parametrize("example", ["by_columns", "by_chunks"])
def test_patterns_write_the_same_file_on_ranks(
    tmp_path: Path, example: str, references: dict[str, bytes]
) -> None:
    output = tmp_path / "array.h5"
    run([mpiexec(), "-n", "4", *PYTHON, example], output)
    assert output.read_bytes() == references[example]


@pytest.mark.mpi
@pytest.mark.parametrize("example", [*PATTERNS, *OTHERS])
def test_programs_run_on_ranks(tmp_path: Path, example: str, references: dict[str, bytes]) -> None:
    program = mpi_program("examples", "patterns", example)
    output = tmp_path / "array.h5"
    run([mpiexec(), "-n", "4", program, "--option", "alignment=4096"], output)
    if example in PATTERNS:
        assert output.read_bytes() == references[example]
    else:
        several = ["array.0.h5", "array.1.h5"] if example == "several_files" else ["array.h5"]
        assert sorted(file.name for file in tmp_path.iterdir()) == several


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("example", OTHERS)
def test_files_and_data_sets_of_their_own(tmp_path: Path, example: str, ranks: int) -> None:
    run([mpiexec(), "-n", str(ranks), *PYTHON, example], tmp_path / "array.h5")
    files = list(tmp_path.iterdir())
    assert len(files) == (min(ranks, 2) if example == "several_files" else 1)
    with quire.open(files[0]) as file:
        assert len(file[0].fields) == (ranks if example == "own_data_sets" else 1)


@pytest.mark.mpi
@pytest.mark.parametrize("example", OTHERS)
def test_both_languages_write_the_same_files(tmp_path: Path, example: str) -> None:
    languages = {"cpp": [mpi_program("examples", "patterns", example)], "python": [*PYTHON, example]}
    for language, command in languages.items():
        (tmp_path / language).mkdir()
        run([mpiexec(), "-n", "4", *command], tmp_path / language / "array.h5")
    files = sorted((tmp_path / "cpp").iterdir())
    assert files
    for file in files:
        assert (tmp_path / "python" / file.name).read_bytes() == file.read_bytes()


def write_by(program: Path, ranks: int, example: str, output: Path) -> bytes:
    """Return the bytes that a program in C or Fortran writes."""
    command = [mpiexec(), "-n", str(ranks), str(program), example, str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("example", PATTERNS)
def test_patterns_in_c_write_the_same_file(
    tmp_path: Path, example: str, ranks: int, references: dict[str, bytes]
) -> None:
    output = tmp_path / "array.h5"
    program = Path(mpi_program("examples", "patterns", "patterns_c"))
    assert write_by(program, ranks, example, output) == references[example]
    with h5py.File(output) as file:
        np.testing.assert_array_equal(file["Step#0/Block/array/0"][0], ARRAY)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("example", PATTERNS)
def test_patterns_in_fortran_write_the_file_of_those_in_c(tmp_path: Path, example: str, ranks: int) -> None:
    program = FOLDER / "patterns_fortran"
    if not program.exists():
        pytest.skip("there is no compiler of Fortran with mpi_f08")
    in_c = write_by(FOLDER / "patterns_c", ranks, example, tmp_path / "c.h5")
    assert write_by(program, ranks, example, tmp_path / "fortran.h5") == in_c


@pytest.mark.mpi
@pytest.mark.parametrize("language", ["c", "fortran"])
def test_ranks_without_columns_write_nothing(
    tmp_path: Path, language: str, references: dict[str, bytes]
) -> None:
    program = FOLDER / f"patterns_{language}"
    if not program.exists():
        pytest.skip("there is no compiler of Fortran with mpi_f08")
    assert write_by(program, 18, "by_columns", tmp_path / "array.h5") == references["by_columns"]


@pytest.mark.mpi
@pytest.mark.parametrize("arguments", [(), ("by_rows",), ("by_rank", "array.h5")])
def test_patterns_in_c_refuse_other_arguments(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    command = [mpiexec(), "-n", "2", mpi_program("examples", "patterns", "patterns_c"), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0
    assert "usage: patterns_c" in done.stderr
    assert list(tmp_path.iterdir()) == []
