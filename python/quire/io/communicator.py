"""Communicators of mpi4py, which is not imported: they are passed to the core as Fortran handles."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any, Final, TypeVar

import numpy as np

from quire import _core
from quire.errors import TypeMismatchError, UnsupportedError, UsageError
from quire.io.habits import NO_MODE, is_mode

LONGEST_DEADLINE: Final = 1e12
"""In seconds. Longer deadlines, also infinity, have the same effect."""

Value = TypeVar("Value")


class Alone:
    """A communicator of this process alone, without MPI. It has the calls of mpi4py that Quire makes.

    >>> with quire.open("beam.h5", quire.SELF) as file:  # this process alone, also under mpiexec
    ...     file.numbers
    [0, 5, 10, 15, 20]
    """

    rank = 0
    size = 1

    def bcast(self, value: Value, root: int = 0) -> Value:
        """Independent. Return the value."""
        return value

    def allgather(self, value: Value) -> list[Value]:
        """Independent. Return the value of the only rank."""
        return [value]

    def allreduce(self, value: Value) -> Value:
        """Independent. Return the value."""
        return value

    def __repr__(self) -> str:
        return "quire.SELF"


SELF: Final = Alone()
"""Passed as `comm` by a rank that works on a file alone."""


def core_comm(comm: Any, deadline: int | None = None) -> _core.Comm:
    """Collective over `comm`. Return the core's communicator for one of mpi4py, SELF, or None.

    None is a process of a program without other ranks. `deadline` is in milliseconds, for this call and later
    waits.
    """
    if comm is None:
        if "mpi4py.MPI" in sys.modules:
            load_mpi_part()
        try:
            return _core.Comm.only_process()
        except UsageError as error:
            raise UsageError(
                error.message,
                advice="pass comm=MPI.COMM_WORLD if all ranks make this call together, "
                "comm=quire.SELF if this rank works alone",
            ) from None
    if isinstance(comm, Alone):
        return _core.Comm.alone()
    handle = getattr(comm, "py2f", None)
    if not callable(handle):
        raise TypeMismatchError(
            f"a {type(comm).__name__} is not a communicator",
            advice=NO_MODE if is_mode(comm) else "give a communicator of mpi4py, or quire.SELF",
        )
    load_mpi_part()
    core = _core.Comm.from_handle(handle(), deadline)
    if (core.rank, core.size) != (comm.Get_rank(), comm.Get_size()):
        raise UnsupportedError(
            f"mpi4py sees rank {comm.Get_rank()} of {comm.Get_size()}, "
            f"the library rank {core.rank} of {core.size}",
            advice="build mpi4py from source with the MPI that Quire was built with",
        )
    return core


def load_mpi_part() -> None:
    """Independent. Load the package `quire_mpi`, if it is installed and this build has no MPI."""
    if not _core.has_mpi():
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module("quire_mpi")


def milliseconds(deadline: float | None) -> int | None:
    """Independent. Return a deadline in seconds as milliseconds."""
    if deadline is None:
        return None
    if not isinstance(deadline, int | float | np.integer | np.floating):
        raise TypeMismatchError(f"a deadline must be a number of seconds, not a {type(deadline).__name__}")
    if not deadline > 0:
        raise UsageError(f"a deadline cannot be {deadline} seconds", advice="give a positive number")
    return max(1, round(min(float(deadline), LONGEST_DEADLINE) * 1000))
