"""Work that threads share: functions of NumPy that let other threads run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

MOST_THREADS: Final = 8


def thread_count() -> int:
    """Independent. Return how many threads can run at once: one for each core, a few at most."""
    return min(len(os.sched_getaffinity(0)), MOST_THREADS)


def in_threads(work: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Independent. Yield the results of calls in their order; each core carries out one at a time.

    The next call is taken from the iterable when a thread is free for it.
    """
    from concurrent.futures import Future, ThreadPoolExecutor

    count = thread_count()
    if count == 1:
        yield from (call() for call in work)
        return
    with ThreadPoolExecutor(count, thread_name_prefix="quire-work") as pool:
        waiting: list[Future[T]] = []
        for call in work:
            waiting.append(pool.submit(call))
            if len(waiting) > count:
                yield waiting.pop(0).result()
        for one in waiting:
            yield one.result()
