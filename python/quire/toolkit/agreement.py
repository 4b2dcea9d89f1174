"""Decisions that all ranks take together before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from quire.errors import UsageError

if TYPE_CHECKING:
    from quire import File


def require_reading_alone(file: File) -> None:
    """Independent. Raise UsageError where ranks must read together: here each has blocks of its own."""
    if file.reads_together and file.size > 1:
        raise UsageError(
            "each rank reads blocks of its own here, and cannot read together with the others",
            file=file.path,
            advice="take independent transfers for reading",
        )


def agreed_count(comm: Any, count: Callable[[], int]) -> tuple[int, int]:
    """Collective. What this rank counts, and the sum over all; an error of any rank is raised on all."""
    if comm is None or comm.size == 1:
        mine = count()
        return mine, mine
    mine = 0
    problem: Exception | None = None
    try:
        mine = count()
    except Exception as raised:
        problem = raised
    if comm.allreduce(int(problem is not None)):
        raise next(one for one in comm.allgather(problem) if one is not None)
    return mine, comm.allreduce(mine)
