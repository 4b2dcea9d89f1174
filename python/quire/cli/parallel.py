"""Detection of mpiexec, the communicator, and errors of several ranks."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any

RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
SIZE_VARIABLES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
STARTERS = ("mpiexec.mpich", "mpiexec", "mpirun")
"""Programs that start ranks, unless QUIRE_MPIEXEC is set."""
SECONDS_FOR_OTHERS = 10.0
"""Time that a failed rank waits for the other ranks to fail as well, before it aborts them."""


def launched_rank() -> int | None:
    """Independent. Return the rank that mpiexec gave this process; None without mpiexec."""
    for variable in RANK_VARIABLES:
        value = os.environ.get(variable, "")
        if value.isdigit():
            return int(value)
    return None


def is_first_rank() -> bool:
    """Independent. Return whether this process is rank 0, or the only one; it prints for all."""
    return launched_rank() in (None, 0)


def mute_other_ranks() -> None:
    """Independent. Let only the first rank print while the command line is parsed, since all fail alike.

    The others never write to standard output. They can print errors after `unmute`.
    """
    if not is_first_rank():
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def unmute() -> None:
    """Independent. Let every rank print its errors from now on."""
    is_silent = getattr(sys.stderr, "name", None) == os.devnull
    if not is_first_rank() and is_silent and sys.__stderr__ is not None:
        sys.stderr = sys.__stderr__


def communicator() -> Any:
    """Collective. Return COMM_WORLD of mpi4py if started by mpiexec; else None, without starting MPI.

    Raises UsageError if mpiexec started several ranks that mpi4py does not connect.
    """
    if launched_rank() is None:
        return None
    from quire.errors import UsageError

    try:
        from mpi4py import MPI
    except ImportError as problem:
        raise UsageError(f"started by mpiexec, but mpi4py cannot be used: {problem}") from None
    started = next(iter(launched_sizes()), None)
    world = MPI.COMM_WORLD
    if started is not None and started != world.size:
        raise UsageError(
            f"mpiexec started {started} ranks, but mpi4py sees {world.size}: it was built for another MPI"
        )
    return world


def launched_sizes() -> list[int]:
    """Independent. Return the number of ranks if mpiexec sets it in the environment; some set only the
    rank.
    """
    texts = [os.environ.get(name, "") for name in SIZE_VARIABLES]
    return [int(text) for text in texts if text.isdigit()]


def refuse_ranks(what: str) -> None:
    """Independent. Raises UsageError if there are several ranks, for commands of one process."""
    if not is_first_rank() or any(size > 1 for size in launched_sizes()):
        from quire.errors import UsageError

        raise UsageError(f"{what} runs in one process: start it without mpiexec")


def start_ranks(ranks: int, option: str = "--ranks") -> None:
    """Independent. Replace this process by mpiexec with the same command line on several ranks.

    The option is removed from the command line. Raises UsageError if there is no mpiexec, or if started by
    it.
    """
    from quire.errors import UsageError

    if launched_rank() is not None:
        raise UsageError(f"{option} starts ranks itself: leave out mpiexec or the option")
    if ranks < 1:
        raise UsageError(f"{ranks} is not a number of ranks")
    starter = os.environ.get("QUIRE_MPIEXEC") or next(filter(shutil.which, STARTERS), None)
    if starter is None:
        raise UsageError("mpiexec was not found", advice="set QUIRE_MPIEXEC to its name")
    arguments = without_option(sys.argv[1:], option)
    os.execvp(starter, [starter, "-n", str(ranks), sys.executable, "-m", "quire", *arguments])


def without_option(arguments: list[str], option: str) -> list[str]:
    """Independent. Return the arguments of a command line without an option and its value."""
    kept = []
    words = iter(arguments)
    for word in words:
        if word == option:
            next(words, None)
        elif not word.startswith(f"{option}="):
            kept.append(word)
    return kept


def agreed_code(code: int, is_cause: bool) -> int:
    """Collective. Return the exit code of the first rank that failed by itself, not because of another rank.

    Every rank that fails calls this. If some ranks do not call it in time, the others abort them.
    """
    module = sys.modules.get("mpi4py.MPI")
    if module is None or module.COMM_WORLD.size == 1:
        return code
    import numpy as np

    codes = np.full(module.COMM_WORLD.size, -1, np.intc)
    request = module.COMM_WORLD.Iallgather(np.array([code if is_cause else -1], np.intc), codes)
    last = time.monotonic() + SECONDS_FOR_OTHERS
    while not request.Test():
        if time.monotonic() > last:
            abort_all(code)
        time.sleep(0.001)
    return next((int(other) for other in codes if other >= 0), code)


def abort_all(code: int) -> None:
    """Independent. Abort all ranks, for an error that only this rank has."""
    module = sys.modules.get("mpi4py.MPI")
    if module is not None and module.COMM_WORLD.size > 1:
        module.COMM_WORLD.Abort(int(code))
