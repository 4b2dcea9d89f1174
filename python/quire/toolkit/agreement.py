"""Collective decisions before anything is written, and collective reads."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from quire.errors import UsageError

if TYPE_CHECKING:
    from quire import File, Step

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def reads_with_others(file: File) -> bool:
    """Independent. Return whether reading values of a file is collective, and there are several ranks."""
    return file.reads_together and file.size > 1


def require_shared_reads(file: File, step: Step) -> None:
    """Independent. Raise UsageError if reading is collective, but each rank reads different objects."""
    if reads_with_others(file) and (step.expansions or len(step.streams) > 0):
        raise UsageError(
            "each rank reads elements or streams of its own here, and cannot read together with the others",
            file=file.path,
            advice="take independent transfers for reading",
        )


class Together:
    """Consecutive reads of all ranks, and the work of each rank on the values.

    With collective reads a failed rank continues to read, since the others wait for it, and raises at the
    end; otherwise it raises at once.
    """

    def __init__(self, goes_on: bool) -> None:
        self._goes_on = goes_on
        self._problem: Exception | None = None

    def __enter__(self) -> Together:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if raised is None and self._problem is not None:
            raise self._problem

    def do(
        self, action: Callable[Parameters, object], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> None:
        """Collective if reading is. Call a function that reads."""
        try:
            action(*args, **kwargs)
        except Exception as problem:
            if not self._goes_on:
                raise
            self._problem = self._problem or problem


def gathered(comm: Any, make: Callable[[], Result]) -> list[Result]:
    """Collective. Gather the results of all ranks. An error of any rank is raised on all."""
    if comm is None or comm.size == 1:
        return [make()]
    try:
        mine: Result | Exception = make()
    except Exception as problem:
        mine = problem
    parts: list[Result | Exception] = comm.allgather(mine)
    made = [part for part in parts if not isinstance(part, Exception)]
    if len(made) < len(parts):
        raise next(part for part in parts if isinstance(part, Exception))
    return made


def agreed_count(comm: Any, count: Callable[[], int]) -> tuple[int, int]:
    """Collective. Return the count of this rank and the sum over all. An error of any rank is raised on
    all.
    """
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
