"""Series of files that are written as one, by a pattern of names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import AbortedError, ConflictError, UnsupportedError, UsageError
from quire.toolkit.convert import copy

if TYPE_CHECKING:
    from collections.abc import Iterable


def write(pattern: Path | str, numbers: Iterable[int] = (0, 20, 100), comm: Any = None, **more: Any) -> None:
    """A step a file."""
    with quire.create(pattern, comm, **more) as out:
        out.title = "a series"
        out.attrs["author"] = "Jo"
        for number in numbers:
            with out.step(number) as step:
                step.set("time", 0.5 * number)
                step.put("x", np.arange(3.0 + out.rank) + number, unit="m")


def write_on_ranks(comm: Any, pattern: str, more: dict[str, Any]) -> None:
    """The same on several ranks."""
    write(pattern, comm=comm, **more)


def leave_early(comm: Any, pattern: str) -> list[str]:
    """One rank leaves the series between steps."""
    found = []
    try:
        with quire.create(pattern, comm, deadline=30.0) as out:
            for number in (0, 1):
                if number == 1 and comm.rank == 1:
                    raise ValueError("no more data")
                with out.step(number) as step:
                    step.put("x", np.zeros(2))
    except (AbortedError, ValueError) as error:
        found.append(type(error).__name__)
    return found


def fail_inside(comm: Any, pattern: str) -> list[str]:
    """One rank fails while it fills a step; all continue with the next one."""
    found = []
    with quire.create(pattern, comm, deadline=30.0) as out:
        for number in (0, 1, 2):
            try:
                with out.step(number) as step:
                    if number == 1 and comm.rank == 1:
                        raise ValueError("bad numbers")
                    step.put("x", np.zeros(2))
            except (AbortedError, ValueError) as error:
                found.append(type(error).__name__)
    return found


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("run_%06T.h5", ["run_000000.h5", "run_000020.h5", "run_000100.h5"]),
        ("%T.h5", ["0.h5", "100.h5", "20.h5"]),
        ("run%Tb.openpmd", ["run0b.openpmd", "run100b.openpmd", "run20b.openpmd"]),
    ],
)
def test_each_step_is_a_file(tmp_path: Path, pattern: str, names: list[str]) -> None:
    write(tmp_path / pattern)
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    with quire.open(tmp_path / pattern) as file:
        assert file.numbers == [0, 20, 100]
        assert file.title == "a series"
        assert [step["x"][0] for step in file] == [0, 20, 100]
    with h5py.File(tmp_path / names[1]) as file:
        assert file.attrs["iterationEncoding"] == b"fileBased"
        assert file.attrs["iterationFormat"].decode() == pattern.rpartition(".")[0]
        assert file.attrs["author"] == b"Jo"


def test_a_file_is_complete_when_its_step_is_committed(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run_%T.h5") as out:
        assert list(tmp_path.iterdir()) == []
        out.step(3).put("x", [1.0]).commit()
        with quire.open(tmp_path / "run_3.h5") as file:
            assert file[0]["x"][:].tolist() == [1.0]
        assert out.counters.bytes_written > 0
        written = out.counters.bytes_written
        out.step(4).put("x", [1.0]).commit()
        assert out.counters.bytes_written > written
    assert out.counters.bytes_written > written


def test_an_attribute_after_a_step_is_in_its_file_and_those_that_follow(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run_%T.h5") as out:
        out.step(0).put("x", [1.0]).commit()
        out.attrs["late"] = 5
        out.step(1).put("x", [1.0]).commit()
    for number in range(2):
        with h5py.File(tmp_path / f"run_{number}.h5") as file:
            assert file.attrs["late"] == 5


def test_files_that_cannot_be_read_are_not_replaced(tmp_path: Path) -> None:
    write(tmp_path / "run_%T.openpmd")
    with (tmp_path / "run_0.openpmd").open("r+b") as file:
        file.write(bytes(64))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    source = tmp_path / "source.h5"
    with quire.create(source) as out:
        out.step(0).put("x", [1.0]).commit()
    ways: list[tuple[str, dict[str, Any]]] = [("run_%T.openpmd", {}), ("run_%T", {"format": "openpmd"})]
    for target, how in ways:
        if how:
            copy(source, tmp_path / target, **how)
            before |= {"run_0": (tmp_path / "run_0").read_bytes()}
        with pytest.raises(ConflictError):
            copy(source, tmp_path / target, **how)
    source.unlink()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_without_steps_there_are_no_files(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run_%T.h5"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_options_of_a_file_hold_for_the_series(tmp_path: Path) -> None:
    write(tmp_path / "run_%T.h5", chunk=2, filter="deflate", replacement="whole", species="ions")
    with h5py.File(tmp_path / "run_20.h5") as file:
        assert file["data/20/particles/ions/position/x"].compression == "gzip"
    with pytest.raises(UsageError, match="option"):
        quire.create(tmp_path / "run_%T.h5", chunks=2)
    with pytest.raises(UnsupportedError, match="attachments"), quire.create(tmp_path / "run_%T.h5") as out:
        out.attach("input", b"text")


def test_other_formats_have_files_with_such_names(tmp_path: Path) -> None:
    write(tmp_path / "run_%T.h5", format="h5part")
    assert [path.name for path in tmp_path.iterdir()] == ["run_%T.h5"]


def test_a_failed_step_leaves_the_others(tmp_path: Path) -> None:
    with quire.create(tmp_path / "run_%T.h5") as out:
        out.step(0).put("x", [1.0]).commit()
        with pytest.raises(UsageError):
            out.step(1).put("x", [1.0]).put("y", [1.0, 2.0]).commit()
        out.step(2).put("x", [1.0]).commit()
    with quire.open(tmp_path / "run_%T.h5") as file:
        assert file.numbers == [0, 2]


def test_a_failed_step_leaves_the_file_of_its_number(tmp_path: Path) -> None:
    write(tmp_path / "run_%T.h5")
    before = (tmp_path / "run_20.h5").read_bytes()
    with quire.create(tmp_path / "run_%T.h5") as out, pytest.raises(UsageError):
        out.step(20).put("x", [1.0]).put("y", [1.0, 2.0]).commit()
    assert (tmp_path / "run_20.h5").read_bytes() == before
    with quire.create(tmp_path / "run_%T.h5") as out:
        out.step(20).put("x", [7.0]).commit()
    with quire.open(tmp_path / "run_20.h5", series=False) as file:
        assert file[0]["x"][:].tolist() == [7.0]
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.mpi
@pytest.mark.parametrize("more", [{}, {"chunk": 2, "filter": "deflate"}, {"transport": "mpi_collective"}])
def test_ranks_write_the_same_bytes(tmp_path: Path, more: dict[str, Any]) -> None:
    (tmp_path / "ranks").mkdir()
    run_ranks(write_on_ranks, 3, str(tmp_path / "ranks" / "run_%T.h5"), more)
    with quire.create(tmp_path / "run_%T.h5", **(more | {"transport": "posix"})) as out:
        out.title = "a series"
        out.attrs["author"] = "Jo"
        for number in (0, 20, 100):
            with out.step(number) as step:
                step.set("time", 0.5 * number)
                step.put("x", np.concatenate([np.arange(3.0 + rank) + number for rank in range(3)]), unit="m")
    for number in (0, 20, 100):
        name = f"run_{number}.h5"
        assert (tmp_path / "ranks" / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.mpi
def test_a_rank_that_leaves_does_not_block_the_others(tmp_path: Path) -> None:
    found = run_ranks(leave_early, 3, str(tmp_path / "run_%T.h5"))
    assert found == [["AbortedError"], ["ValueError"], ["AbortedError"]]
    with quire.open(tmp_path / "run_%T.h5") as file:
        assert file.numbers == [0]


@pytest.mark.mpi
def test_a_step_that_one_rank_aborts_is_left_out(tmp_path: Path) -> None:
    found = run_ranks(fail_inside, 3, str(tmp_path / "run_%T.h5"))
    assert found == [["AbortedError"], ["ValueError"], ["AbortedError"]]
    with quire.open(tmp_path / "run_%T.h5") as file:
        assert file.numbers == [0, 2]


def test_a_copy_becomes_a_series(tmp_path: Path) -> None:
    source, target = tmp_path / "run.h5", tmp_path / "run_%04T.h5"
    write(source, format="openpmd")
    copy(source, target)
    with quire.open(source) as before, quire.open(target) as after:
        assert after.numbers == before.numbers
        for old, new in zip(before, after, strict=True):
            np.testing.assert_array_equal(new["x"][:], old["x"][:])
            assert dict(new.attrs) == dict(old.attrs)
    with pytest.raises(ConflictError, match="files of this series exist already"):
        copy(source, target)
    copy(source, target, overwrite=True, steps="20")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_command_converts_to_a_series_and_back(tmp_path: Path) -> None:
    source, target, back = tmp_path / "run.h5", tmp_path / "run_%06T.h5", tmp_path / "back.h5"
    write(source, format="openpmd")
    run = CliRunner()
    outcome = run.invoke(app, ["convert", str(source), str(target)])
    assert (outcome.exit_code, outcome.output) == (0, f"{target}: 3 steps, 9 rows\n")
    assert run.invoke(app, ["convert", str(target), str(back), "--format", "openpmd"]).exit_code == 0
    assert back.read_bytes() == source.read_bytes()
