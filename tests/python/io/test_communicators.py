"""The communicator of a file: given back when the file is closed, and named with it when it fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats, write_table
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import transports

pytestmark = pytest.mark.mpi


def keep_closed_files(comm: Any, folder: str) -> dict[str, int]:
    """Return how many duplicates of a communicator are left while closed files are kept, by transport."""
    from mpi4py import MPI

    alive = 0

    def copied(original: Any, keyval: int, value: Any) -> Any:
        nonlocal alive
        alive += 1
        return value

    def deleted(original: Any, keyval: int, value: Any) -> None:
        nonlocal alive
        alive -= 1

    mark = MPI.Comm.Create_keyval(copied, deleted)
    marked = comm.Dup()
    marked.Set_attr(mark, "mark")
    left = {}
    kept: list[Any] = []
    for transport in transports():
        path = path_for(Path(folder), step_formats()[0], transport)
        with quire.create(path, marked, transport=transport, deadline=30) as out, out.step(0) as step:
            step.put("x", np.arange(3.0))
        with quire.append(path, marked, transport=transport, deadline=30) as more, more.step(1) as second:
            second.put("x", np.arange(3.0))
        with quire.open(path, marked, transport=transport, deadline=30) as file:
            column = file[1]["x"]
            assert column[:].tolist() == [0, 1, 2] * comm.size
            assert alive > 0
        kept += [out, step, more, second, file, column]
        left[transport] = alive
    for closed in (kept[4], kept[-2]):
        assert (closed.rank, closed.size, closed.counters.collectives > 0) == (comm.rank, comm.size, True)
        for call in (lambda file: file[0], lambda file: file.step(0), len, lambda file: file.salvage(0)):
            with pytest.raises(quire.UsageError, match="the file is closed") as caught:
                call(closed)
            assert caught.value.file == closed.path
    for late in (kept[5].read, lambda: kept[0].attach("a", b"a"), lambda: kept[0].step(5), kept[1].commit):
        with pytest.raises(quire.UsageError) as caught:
            late()
        assert str(path_for(Path(folder), step_formats()[0], transports()[0])) == caught.value.file
    return left


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_closed_file_that_is_kept_keeps_no_communicator(tmp_path: Path, ranks: int) -> None:
    for left in run_ranks(keep_closed_files, ranks, str(tmp_path)):
        assert left == dict.fromkeys(transports(), 0)


def come_late(comm: Any, path: str) -> list[str]:
    """Return the files that errors name where rank 1 comes only after the deadline."""
    named = []
    for call in (quire.open, quire.create, quire.repair):
        if comm.rank == 0:
            with pytest.raises(quire.DeadlineError, match="duplicate the communicator") as caught:
                call(path, comm, deadline=0.05)
            named.append(caught.value.file)
        else:
            time.sleep(0.3)
            with pytest.raises(quire.DeadlineError):
                call(path, comm, deadline=0.1)
        comm.Barrier()
    return named


def test_a_communicator_that_is_not_made_in_time_names_the_file(tmp_path: Path) -> None:
    path = str(path_for(tmp_path, step_formats()[0]))
    assert run_ranks(come_late, 2, path)[0] == [path] * 3


def leave_by_an_exception(comm: Any, path: str) -> str:
    """Return what this rank raises where rank 1 alone looks for a column that is not there."""
    try:
        with quire.open(path, comm, transport="mpi_collective", deadline=20) as file:
            table = file[0].table
            names = ["nope", "x"] if comm.rank == 1 else ["x", "x"]
            for name in names:
                table[name].read_all()
    except quire.Error as error:
        return f"{type(error).__name__}: {error}"
    return ""


def test_a_rank_that_leaves_a_file_frees_those_that_read_together(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write_table(path, step_formats()[0], {"x": np.arange(3.0)})
    right, wrong = run_ranks(leave_by_an_exception, 2, str(path), time_limit=30)
    assert wrong.startswith("MissingError"), wrong
    assert right.startswith("AbortedError"), right
    assert "closes the file" in right
    assert "[rank 1]" in right


def leave_the_communicator_out(comm: Any, folder: str) -> dict[str, str]:
    """Return what calls without a communicator raise, and the values that this rank wrote alone."""
    path = path_for(Path(folder), step_formats()[0], f"of_rank_{comm.rank}")
    write_table(path, step_formats()[0], {"x": np.array([comm.rank])})
    raised = {}
    calls: dict[str, Callable[[], object]] = {
        "open": lambda: quire.open(path),
        "create": lambda: quire.create(path),
        "append": lambda: quire.append(path),
        "repair": lambda: quire.repair(path),
        "copy": lambda: quire.copy(path, Path(folder, f"copy_of_{comm.rank}.h5")),
    }
    for name, call in calls.items():
        try:
            call()
        except quire.UsageError as error:
            raised[name] = str(error)
    with quire.open(path, quire.SELF) as file:
        assert (file.rank, file.size) == (0, 1)
        raised["alone"] = str(file[0]["x"].read_all().tolist())
    return raised


def test_a_program_of_several_ranks_names_its_communicators(tmp_path: Path) -> None:
    for rank, raised in enumerate(run_ranks(leave_the_communicator_out, 2, str(tmp_path))):
        assert float(raised.pop("alone").strip("[]")) == rank
        assert set(raised) == {"open", "create", "append", "repair", "copy"}
        for message in raised.values():
            assert "no communicator was given, and the program has 2 ranks" in message
            assert "comm=quire.SELF" in message
