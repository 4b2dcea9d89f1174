"""`replacement="whole"`: what a path holds stays until the new file is complete."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, stream_formats
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import format_infos
from quire.toolkit.recover import recover
from quire.toolkit.replacing import replacement


def write(
    path: str | Path, format_name: str, value: float, comm: Any = None, fail_on: int | None = None
) -> None:
    with (
        quire.create(path, comm, format_name, deadline=30, replacement="whole") as out,
        out.step(0) as step,
    ):
        step.put("x", np.full(3, value))
        if comm is not None and comm.rank == fail_on:
            raise RuntimeError("no more")


def values(path: str | Path) -> list[float]:
    with quire.open(path) as file:
        return list(file[0]["x"][:])


def test_the_old_one_stays_until_the_new_one_is_complete(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    write(path, format_name, 1.0)
    out = quire.create(path, format=format_name, replacement="whole")
    with out.step(0) as step:
        step.put("x", np.full(3, 2.0))
    assert values(path) == [1.0] * 3
    out.close()
    assert values(path) == [2.0] * 3
    assert [entry.name for entry in tmp_path.iterdir()] == [Path(path).name]


def test_files_of_several_steps_show_each_as_soon_as_it_is_committed(path: Path, format_name: str) -> None:
    write(path, format_name, 1.0)
    with quire.create(path, format=format_name) as out:
        assert [entry.name for entry in path.parent.iterdir()] == [path.name]
        with out.step(0) as step:
            step.put("x", np.full(3, 2.0))
        assert values(path) == [2.0] * 3


@pytest.mark.parametrize("name", [info.name for info in format_infos() if info.one_step and info.tables])
def test_a_table_that_is_there_stays_until_the_next_is_committed(tmp_path: Path, name: str) -> None:
    path = path_for(tmp_path, name)
    with quire.create(path, format=name) as out, out.step(0) as step:
        step.put("x", np.full(3, 1.0))
    with quire.create(path, format=name) as out:
        step = out.step(0).put("x", np.full(3, 2.0))
        assert values(path) == [1.0] * 3
        step.commit()
        assert values(path) == [2.0] * 3


@pytest.mark.parametrize("name", [info.name for info in format_infos() if info.one_step])
def test_an_existing_file_needs_no_additional_collectives(tmp_path: Path, name: str) -> None:
    path = path_for(tmp_path, name)
    counts = []
    for _ in range(2):
        with quire.create(path, format=name) as out:
            with out.step(0) as step:
                if name in stream_formats():
                    step.stream(0).write(b"text")
                elif name in [info.name for info in format_infos() if info.tables]:
                    step.put("x", np.zeros(3))
            counts.append(out.counters.collectives)
        counts.append(out.counters.collectives)
        assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert counts[:2] == counts[2:]


@pytest.mark.parametrize("name", stream_formats())
def test_streams_that_are_there_stay_until_the_new_ones_are_complete(tmp_path: Path, name: str) -> None:
    def write_text(text: bytes, **options: Any) -> quire.Writer:
        out = quire.create(path, format=name, **options)
        with out.step(0) as step:
            step.stream(0).write(text)
        return out

    def text() -> bytes:
        with quire.open(path) as file:
            return bytes(file[0].streams[0].read())

    path = path_for(tmp_path, name)
    write_text(b"first").close()
    with quire.create(path, format=name) as out:
        step = out.step(0)
        step.stream(0).write(b"second")
        assert text() == b"first"
        step.commit()
        assert text() == b"second"
    with quire.create(path, format=name) as out:
        out.step(0).abort("not wanted")
    assert text() == b"second"
    out = write_text(b"fourth", replacement="direct")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    out.close()
    assert text() == b"fourth"


def test_a_new_one_that_is_given_up_goes(path: Path, format_name: str) -> None:
    write(path, format_name, 1.0)
    out = quire.create(path, format=format_name, replacement="whole")
    with pytest.raises(quire.ConflictError, match="another writer"):
        quire.finish_replacement(path)
    with pytest.raises(quire.ConflictError, match="another writer"):
        quire.create(path, format=format_name, replacement="whole")
    out.step(0).put("x", np.zeros(3)).commit()
    out.abort("not wanted")
    assert values(path) == [1.0] * 3
    assert not quire.finish_replacement(path)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("given_up", [False, True])
def test_who_lost_its_place_does_not_put_the_file_of_another_there(
    path: Path, format_name: str, given_up: bool
) -> None:
    """Of two that begin at the same time one may take away what the other has just made."""
    write(path, format_name, 1.0)
    out = quire.create(path, format=format_name, replacement="whole")
    out.step(0).put("x", np.zeros(3)).commit()
    staging = path.with_name(path.name + ".quire-partial")
    shutil.rmtree(staging)
    staging.mkdir()
    (staging / path.name).write_bytes(b"half of another")
    if given_up:
        out.abort("not wanted")
    else:
        with pytest.raises(quire.ConflictError, match="at the same time") as caught:
            out.close()
        assert caught.value.file == str(path)
    assert (staging / path.name).read_bytes() == b"half of another"
    assert values(path) == [1.0] * 3


def test_what_a_killed_writer_left_is_dropped_or_finished(path: Path, format_name: str) -> None:
    write(path, format_name, 1.0)
    staging = path.with_name(path.name + ".quire-partial")
    staging.mkdir()
    write(staging / path.name, format_name, 2.0)
    assert quire.repair(path)
    assert values(path) == [1.0] * 3
    assert not staging.exists()

    ready = path.with_name(path.name + ".quire-ready")
    ready.mkdir()
    write(ready / path.name, format_name, 2.0)
    path.unlink()
    assert values(path) == [2.0] * 3
    recover(path)
    assert values(path) == [2.0] * 3
    assert not ready.exists()


def test_a_link_keeps_its_place(path: Path, format_name: str) -> None:
    real = path.with_name("real" + path.suffix)
    write(real, format_name, 1.0)
    path.symlink_to(real.name)
    write(path, format_name, 2.0)
    assert path.is_symlink()
    assert values(real) == [2.0] * 3


@pytest.mark.parametrize("newer", ["create", "copy"])
def test_newer_data_outlive_an_interrupted_replacement(path: Path, format_name: str, newer: str) -> None:
    """A later finish of the replacement must not restore older data."""
    ready = path.with_name(path.name + ".quire-ready")
    ready.mkdir()
    write(ready / path.name, format_name, 1.0)
    source = path.with_name("source" + path.suffix)
    write(source, format_name, 2.0)
    if newer == "copy":
        quire.copy(source, path, overwrite=True)
    else:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.put("x", np.full(3, 2.0))
    source.unlink()
    assert values(path) == [2.0] * 3
    assert not quire.finish_replacement(path)
    recover(path)
    assert values(path) == [2.0] * 3
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_what_is_appended_outlives_an_interrupted_replacement(path: Path, format_name: str) -> None:
    write(path, format_name, 1.0)
    ready = path.with_name(path.name + ".quire-ready")
    ready.mkdir()
    write(ready / path.name, format_name, 2.0)
    with quire.append(path) as out, out.step(1) as step:
        step.put("x", np.full(3, 3.0))
    assert not quire.finish_replacement(path)
    with quire.open(path) as file:
        assert [step["x"][0] for step in file] == [2.0, 3.0]


def write_twice(comm: Any, path: str, format_name: str, fail_on: int) -> bool:
    write(path, format_name, 1.0, comm)
    try:
        write(path, format_name, 2.0, comm, fail_on)
    except (RuntimeError, quire.AbortedError):
        return True
    return False


@pytest.mark.mpi
@pytest.mark.parametrize("fail_on", [0, 2])
def test_an_exception_on_one_rank_keeps_the_old_one(tmp_path: Path, format_name: str, fail_on: int) -> None:
    path = path_for(tmp_path, format_name)
    assert run_ranks(write_twice, 3, str(path), format_name, fail_on) == [True] * 3
    assert values(path) == [1.0] * 9
    assert [entry.name for entry in tmp_path.iterdir()] == [Path(path).name]


def leave_after_the_commit(comm: Any, path: str, format_name: str, leaver: int, options: Any) -> list[Any]:
    try:
        with quire.create(path, comm, format_name, deadline=30, **options) as out:
            with out.step(0) as step:
                step.put("x", np.full(3, 2.0))
            if comm.rank == leaver:
                raise RuntimeError("the beam was lost")
    except RuntimeError:
        return ["left"]
    except quire.AbortedError as error:
        return [error.rank, error.file, "the beam was lost" in error.message]
    return ["closed"]


@pytest.mark.mpi
@pytest.mark.parametrize("leaver", [0, 2])
@pytest.mark.parametrize("options", [{}, {"compression": "gzip"}])
def test_committed_steps_that_go_with_a_rank_are_an_error_of_all_ranks(
    tmp_path: Path, format_name: str, leaver: int, options: dict[str, str]
) -> None:
    path = path_for(tmp_path, format_name)
    write(path, format_name, 1.0)
    whole = {"replacement": "whole", **options}
    raised = run_ranks(leave_after_the_commit, 3, str(path), format_name, leaver, whole)
    error = [leaver, str(path), True]
    assert raised == [["left"] if rank == leaver else error for rank in range(3)]
    assert values(path) == [1.0] * 3
    assert [entry.name for entry in tmp_path.iterdir()] == [Path(path).name]

    raised = run_ranks(leave_after_the_commit, 3, str(path), format_name, leaver, options)
    assert raised == [["left"] if rank == leaver else ["closed"] for rank in range(3)]
    assert values(path) == [2.0] * 9


@pytest.mark.parametrize("options", [{}, {"compression": "gzip"}])
def test_an_exception_after_the_commit_keeps_the_old_one_of_a_whole_file_only(
    path: Path, format_name: str, options: dict[str, str]
) -> None:
    def leave(**options: Any) -> None:
        with quire.create(path, format=format_name, **options) as out:
            with out.step(0) as step:
                step.put("x", np.full(3, 2.0))
            raise RuntimeError("the beam was lost")

    write(path, format_name, 1.0)
    with pytest.raises(RuntimeError, match="the beam was lost"):
        leave(replacement="whole", **options)
    assert values(path) == [1.0] * 3
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    with pytest.raises(RuntimeError, match="the beam was lost"):
        leave(**options)
    assert values(path) == [2.0] * 3


def test_an_incomplete_directory_is_removed_and_the_cause_is_raised(tmp_path: Path) -> None:
    def fail() -> None:
        with replacement(tmp_path / "case") as beside:
            beside.mkdir()
            (beside / "part").write_text("half")
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="the disk is full"):
        fail()
    assert list(tmp_path.iterdir()) == []
