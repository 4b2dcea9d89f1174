"""Blocks that a thread reads while the caller works on those before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

Block = TypeVar("Block")

FEWEST: Final = 4
"""Blocks for which a thread pays off: it takes about 0.1 ms to start."""
SMALLER: Final = 32
"""Parts of a usual block, of 8 MiB, that a thread reads ahead at least: it takes about 0.05 ms for each."""


def read_ahead(read: Callable[[int], Block], count: int) -> Iterator[Block]:
    """Independent. Yield `read(0)` to `read(count - 1)`, which are called one after another by a thread.

    Each is called when the block before is yielded, so two blocks must have memory at a time. After an error,
    and when the caller leaves the loop, no call is pending any more.
    """
    # Not needed by those who read little: the package would start later.
    from concurrent.futures import ThreadPoolExecutor

    process = os.getpid()
    with ThreadPoolExecutor(1, "quire-read-ahead") as thread:
        pending = thread.submit(read, 0)
        for number in range(count):
            # A fork has only the thread that forked.
            is_parent = os.getpid() == process
            block = pending.result() if is_parent else read(number)
            if is_parent and number + 1 < count:
                pending = thread.submit(read, number + 1)
            yield block
