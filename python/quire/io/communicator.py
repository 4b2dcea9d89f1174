"""Communicators of mpi4py, which is not imported: they are passed to the core as Fortran handles."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from quire import _core
from quire.errors import TypeMismatchError, UnsupportedError, UsageError

LONGEST_DEADLINE: Final = 1e12
"""In seconds. Longer deadlines, also infinity, have the same effect."""


def core_comm(comm: Any, deadline: int | None = None) -> _core.Comm:
    """Collective over `comm`. Return the core's communicator for one of mpi4py; None is this process alone.

    `deadline` is in milliseconds, for this call and later waits.
    """
    if comm is None:
        return _core.Comm.alone()
    handle = getattr(comm, "py2f", None)
    if not callable(handle):
        raise TypeMismatchError(
            f"a {type(comm).__name__} is not a communicator", advice="give a communicator of mpi4py, or None"
        )
    core = _core.Comm.from_handle(handle(), deadline)
    if (core.rank, core.size) != (comm.Get_rank(), comm.Get_size()):
        raise UnsupportedError(
            f"mpi4py sees rank {comm.Get_rank()} of {comm.Get_size()}, "
            f"the library rank {core.rank} of {core.size}",
            advice="build mpi4py from source with the MPI that Quire was built with",
        )
    return core


def milliseconds(deadline: float | None) -> int | None:
    """Independent. Return a deadline in seconds as milliseconds."""
    if deadline is None:
        return None
    if not isinstance(deadline, int | float | np.integer | np.floating):
        raise TypeMismatchError(f"a deadline must be a number of seconds, not a {type(deadline).__name__}")
    if not deadline > 0:
        raise UsageError(f"a deadline cannot be {deadline} seconds", advice="give a positive number")
    return max(1, round(min(float(deadline), LONGEST_DEADLINE) * 1000))
