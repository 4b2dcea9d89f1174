"""Collective decisions, of which errors on any rank are raised on all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from quire.beam.moments import Ranks
from quire.io.row_source import Sharing

if TYPE_CHECKING:
    from quire.io.expression import BoundExpression

Result = TypeVar("Result")


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


def ranks_of(comm: Any) -> Ranks:
    """Independent. Return the ranks of a communicator of mpi4py, or one rank for None."""
    return Ranks() if comm is None else Ranks(comm.rank, comm.size, partial(gathered, comm))


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


def share_aggregates(comm: Any, bound: BoundExpression) -> None:
    """Collective. Compute the aggregates of an expression, such as `max(x)`: each rank reads a part of the
    rows. An error of any rank is raised on all.
    """
    if comm is not None and comm.size > 1:
        bound.compute_aggregates(Sharing(comm.rank, comm.size, partial(gathered, comm)))
