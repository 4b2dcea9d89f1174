"""Whether the command line was started by mpiexec, and its communicator then."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any

RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
SIZE_VARIABLES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
STARTERS = ("mpiexec.mpich", "mpiexec", "mpirun")
"""What starts ranks, unless QUIRE_MPIEXEC names it."""
SECONDS_FOR_OTHERS = 10.0
"""How long a rank that fails waits for the others to fail, too, before it ends them."""


def launched_rank() -> int | None:
    """Independent. The rank that the starter of MPI programs gave this process; None without one."""
    for variable in RANK_VARIABLES:
        value = os.environ.get(variable, "")
        if value.isdigit():
            return int(value)
    return None


def is_first_rank() -> bool:
    """Independent. Whether this process speaks for all: rank 0, or the only one."""
    return launched_rank() in (None, 0)


def speak_as_one() -> None:
    """Independent. Let only the first rank speak while a command line is read: all say the same of it.

    The others never write to standard output; errors of their own they tell later.
    """
    if not is_first_rank():
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def speak_for_oneself() -> None:
    """Independent. Let every rank tell errors of its own from now on."""
    is_silent = getattr(sys.stderr, "name", None) == os.devnull
    if not is_first_rank() and is_silent and sys.__stderr__ is not None:
        sys.stderr = sys.__stderr__


def communicator() -> Any:
    """Collective. mpi4py's COMM_WORLD when started by mpiexec, otherwise None; MPI starts only then.

    Raises UsageError when mpiexec started several ranks that would not know of each other.
    """
    if launched_rank() is None:
        return None
    from quire.errors import UsageError

    try:
        from mpi4py import MPI
    except ImportError as problem:
        raise UsageError(f"started by mpiexec, but mpi4py cannot be used: {problem}") from None
    announced = next(iter(launched_sizes()), None)
    world = MPI.COMM_WORLD
    if announced is not None and announced != world.size:
        raise UsageError(
            f"mpiexec started {announced} ranks, but mpi4py sees {world.size}: it was built for another MPI"
        )
    return world


def launched_sizes() -> list[int]:
    """Independent. How many ranks the starter says that there are; some tell the rank only."""
    texts = [os.environ.get(name, "") for name in SIZE_VARIABLES]
    return [int(text) for text in texts if text.isdigit()]


def refuse_ranks(what: str) -> None:
    """Independent. Raises UsageError under several ranks, for what one process does."""
    if not is_first_rank() or any(size > 1 for size in launched_sizes()):
        from quire.errors import UsageError

        raise UsageError(f"{what} is the work of one process: start it without mpiexec")


def start_ranks(ranks: int, option: str = "--ranks") -> None:
    """Independent. Start this command line again on several ranks, in the place of this process.

    The option that asks for them is left out then. Raises UsageError without a starter, or under one.
    """
    from quire.errors import UsageError

    if launched_rank() is not None:
        raise UsageError(f"{option} starts the ranks by itself: leave out mpiexec, or the option")
    if ranks < 1:
        raise UsageError(f"there are no {ranks} ranks")
    starter = os.environ.get("QUIRE_MPIEXEC") or next(filter(shutil.which, STARTERS), None)
    if starter is None:
        raise UsageError("there is no mpiexec to start ranks by", advice="set QUIRE_MPIEXEC to its name")
    arguments = without_option(sys.argv[1:], option)
    os.execvp(starter, [starter, "-n", str(ranks), sys.executable, "-m", "quire.cli", *arguments])


def without_option(arguments: list[str], option: str) -> list[str]:
    """Independent. Arguments of a command line without an option and its value."""
    kept = []
    words = iter(arguments)
    for word in words:
        if word == option:
            next(words, None)
        elif not word.startswith(f"{option}="):
            kept.append(word)
    return kept


def agreed_code(code: int, is_cause: bool) -> int:
    """Collective. The exit code of the first rank that failed by itself, not because another one had failed.

    Every rank calls this when it fails; where some never do, those that wait end them after a while.
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
    """Independent. End all ranks when this one fails with an error that the others cannot know of."""
    module = sys.modules.get("mpi4py.MPI")
    if module is not None and module.COMM_WORLD.size > 1:
        module.COMM_WORLD.Abort(int(code))
