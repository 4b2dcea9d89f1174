"""Run a function of a test module on several ranks, with a time limit, and return each rank's result.

    def writes(comm: Comm, path: str) -> int: ...

    def test_it(tmp_path: Path) -> None:
        assert run_ranks(writes, 3, str(tmp_path / "file")) == [0, 0, 0]

The function is at the top level of its module; its arguments and its result are JSON. The ranks stay for
later tests of as many, and their world has the requested size. A rank that raises makes the test fail with
its traceback; ranks that hang are killed at the time limit. In both cases the next test gets new ranks.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.python.support.world import World

ROOT = Path(__file__).resolve().parents[3]
PRESET = os.environ.get("QUIRE_PRESET", "mpich")
BUILD = Path(os.environ.get("QUIRE_BUILD", ROOT / "build" / PRESET))
TIME_LIMIT = 60.0
UNMARKED = "this build has no MPI, and only tests marked as mpi are left out of it"


def mpiexec() -> str:
    """Return the launcher of MPI programs."""
    assert PRESET != "serial", UNMARKED
    starter = os.environ.get("QUIRE_MPIEXEC") or shutil.which("mpiexec.mpich")
    assert starter, "no starter of MPI programs is found"
    assert importlib.util.find_spec("mpi4py") is not None, "mpi4py is not installed"
    return starter


def mpi_program(*parts: str) -> str:
    """Return the path of an MPI program of the build."""
    assert PRESET != "serial", UNMARKED
    program = BUILD.joinpath(*parts)
    assert program.exists(), f"{program} is not built"
    return str(program)


def run_ranks(
    function: Callable[..., Any], ranks: int, *arguments: Any, time_limit: float = TIME_LIMIT
) -> list[Any]:
    """Return the results of the function, one per rank."""
    module = inspect.getsourcefile(function)
    assert module is not None, "the function needs a file"
    assert "." not in function.__qualname__, "the function must be at the top level"
    return WORLDS.with_ranks(ranks).call(module, function.__name__, arguments, time_limit)


class Worlds:
    """The worlds of this process, at most one for each number of ranks."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.kept: dict[int, World] = {}

    def with_ranks(self, ranks: int) -> World:
        """Return a world with so many ranks, which is started if there is none."""
        world = self.kept.get(ranks)
        if world is not None and not world.is_fresh():
            self.end(ranks)
            world = None
        if world is None:
            paths = [str(ROOT), str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
            world = World(ranks, [mpiexec(), "-n", str(ranks), sys.executable], environment)
            self.kept[ranks] = world
        return world

    def end(self, ranks: int) -> None:
        """End a world, if it is there."""
        if ranks in self.kept:
            self.kept.pop(ranks).end()

    def end_all(self) -> None:
        """End all worlds of this process; a forked one has none."""
        for ranks in list(self.kept) if os.getpid() == self.owner else []:
            self.end(ranks)


WORLDS = Worlds()
