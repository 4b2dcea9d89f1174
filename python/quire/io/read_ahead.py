"""Blocks that a thread reads while the caller works on those before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakSet

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Block = TypeVar("Block")

FEWEST: Final = 4
"""Blocks for which a thread pays off: it takes about 0.1 ms to start."""
SMALLER: Final = 32
"""Parts of a usual block, of 8 MiB, that a thread reads ahead at least: it takes about 0.05 ms for each."""

_pending: Final[WeakSet[Future[Any]]] = WeakSet()
"""Reads that a fork waits for: a child cannot use a file that was in use when its process was forked."""


def read_ahead(read: Callable[[int], Block], count: int) -> Iterator[Block]:
    """Independent. Yield `read(0)` to `read(count - 1)`, which are called one after another, by a thread if
    one can be started.

    Each is called when the block before is yielded, so two blocks must have memory at a time. After an error,
    and when the caller leaves the loop, no call is pending any more.
    """
    process = os.getpid()
    worker = _new_worker()
    pending: Future[Block] | None = None
    try:
        for number in range(count):
            # A fork has only the thread that forked.
            is_parent = os.getpid() == process
            block = pending.result() if pending is not None and is_parent else read(number)
            has_next = is_parent and number + 1 < count
            pending = _submitted(worker, read, number + 1) if has_next else None
            yield block
    finally:
        # An error of the read has this frame, so that the frame cannot keep the error.
        pending = None
        if worker is not None:
            # Of a generator that the thread itself deletes, as collector of garbage, it cannot be waited for.
            with suppress(RuntimeError):
                worker.shutdown()


def _new_worker() -> Executor | None:
    """Return what runs a thread; None in a program that ends."""
    try:
        # Not needed by those who read little: the package would start later.
        from concurrent.futures import ThreadPoolExecutor
    except RuntimeError:
        return None
    _wait_at_forks()
    return ThreadPoolExecutor(1, "quire-read-ahead")


def _submitted(worker: Executor | None, read: Callable[[int], Block], number: int) -> Future[Block] | None:
    """Return a call by the thread; None if it cannot be started, as in a program that ends."""
    if worker is None:
        return None
    try:
        found = worker.submit(read, number)
    except RuntimeError:
        return None
    _pending.add(found)
    return found


@cache
def _wait_at_forks() -> None:
    from concurrent.futures import wait

    os.register_at_fork(before=lambda: wait(list(_pending)))
