"""Times of the processor: the best of several passes, in each of which all work is done in another order."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

LEAST_SECONDS: Final = 5e-3
"""What is faster is repeated."""

Work = Callable[[], Any]


def best_times(
    work: Mapping[str, Work], passes: int, seed: int, on_pass: Callable[[int], None]
) -> dict[str, float]:
    """Independent. Return the seconds of the processor that each work takes, in its best pass."""
    calls = {name: calls_of(one) for name, one in work.items()}
    best = dict.fromkeys(work, float("inf"))
    order = list(work)
    chance = random.Random(seed)
    for number in range(passes):
        chance.shuffle(order)
        for name in order:
            best[name] = min(best[name], seconds_of(work[name], calls[name]))
        on_pass(number + 1)
    return best


def calls_of(work: Work) -> int:
    """Independent. Return how often work is repeated; it is done once before."""
    work()
    return max(1, min(1000, int(LEAST_SECONDS / max(seconds_of(work, 1), 1e-9))))


def seconds_of(work: Work, calls: int) -> float:
    """Independent. Return the seconds of one call of several."""
    gc.disable()
    try:
        begin = time.process_time()
        for _ in range(calls):
            work()
        return (time.process_time() - begin) / calls
    finally:
        gc.enable()
