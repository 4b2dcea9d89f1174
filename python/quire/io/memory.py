"""Memory for results: one aligned block for all columns of a request, reused after it is freed.

Page faults of new memory cost more than the read itself. Blocks of at least 1 MiB are therefore allocated
from a pool, which keeps up to 320 MiB of freed blocks. QUIRE_POOL in the environment sets the number of MiB;
0 disables the pool. The pool is not used for `out=`.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from quire import _core
from quire.errors import MemoryBudgetError, UsageError
from quire.io.types import Array

SMALLEST_BLOCK: Final = 1 << 20
DEFAULT_CAPACITY_MIB: Final = 320
PAGE: Final = 4096
ALIGNMENT: Final = 64
APART: Final = 5 * ALIGNMENT
GROWTH: Final = 4
"""Of arrays of unknown length: what is not written yet takes no memory."""


def _capacity() -> int:
    text = os.environ.get("QUIRE_POOL", str(DEFAULT_CAPACITY_MIB))
    if not text.isdecimal():
        raise UsageError(f'QUIRE_POOL is "{text}"', advice="give a number of MiB; 0 disables the pool")
    return int(text) << 20


_pool: Final = _core.BlockPool(_capacity())


def release_pool() -> None:
    """Independent. Return the memory of the pool to the system."""
    _pool.clear()


def pool_bytes() -> int:
    """Independent. Return the number of bytes in the pool."""
    return _pool.kept_bytes


def _no_room(size: int, have: str, name: str) -> MemoryBudgetError:
    return MemoryBudgetError(
        f"the values take {size} bytes, {have}",
        object=name,
        advice="read a part of them, or into an existing array (out); quire check reports whether the "
        "file is damaged and declares more than it contains",
    )


def machine_memory() -> int:
    """Independent. Return the bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def require_room(size: int, name: str) -> None:
    """Independent. Raise a MemoryBudgetError for a result that is larger than the memory of this machine.

    A damaged file may declare wrong shapes, and a system may overcommit memory.
    """
    if size < SMALLEST_BLOCK:
        return  # the check would slow down small reads
    have = machine_memory()
    if size > have > 0:
        raise _no_room(size, f"and this machine has {have}", name)


def empty(shape: int | tuple[int, ...], dtype: np.dtype[Any], name: str) -> Array:
    """Independent. Return an uninitialised array for the values of `name`. Raises MemoryBudgetError."""
    size = math.prod(shape if isinstance(shape, tuple) else (shape,)) * dtype.itemsize
    require_room(size, name)
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError) as error:
        raise _no_room(size, "and the system has no room for them now", name) from error


def allocate(
    dtypes: Sequence[np.dtype[Any]], count: int, offsets: Sequence[int] | None = None
) -> list[Array]:
    """Independent. Return an uninitialised array of `count` elements for each type, in one block if it is
    large.

    `offsets` are the offsets of the columns in the file. Memory then has the same offsets within pages, as
    far as the alignment of numbers allows, since copies by the system are fastest then. Columns with the same
    offset are interleaved in the file; their arrays are placed so that they do not compete for the same cache
    lines. Arrays of objects contain None.
    """
    sizes = [0 if dtype.hasobject else dtype.itemsize * count for dtype in dtypes]
    if sum(sizes) < SMALLEST_BLOCK:
        return [np.empty(count, dtype) for dtype in dtypes]
    shared = Counter(offsets or ())
    places, end = [], 0
    for index, size in enumerate(sizes):
        phase = 0 if offsets is None else offsets[index] % PAGE // ALIGNMENT * ALIGNMENT
        if offsets is not None and shared[offsets[index]] > 1:
            phase = (phase + index * APART) % PAGE
        unit = ALIGNMENT if offsets is None else PAGE
        place = -(-end // unit) * unit + phase
        places.append(place)
        end = place + size if size else end
    block = _pool.take(end)
    return [
        np.empty(count, dtype) if dtype.hasobject else block[place : place + size].view(dtype)
        for dtype, place, size in zip(dtypes, places, sizes, strict=True)
    ]


class Growing:
    """An array of unknown length, in memory as `allocate` returns it. Its parts need no memory of their own
    until the last one is known.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._memory = np.empty(0, dtype)
        self._count = 0

    def append(self, values: Array) -> None:
        """Independent. Add values at the end."""
        end = self._count + len(values)
        if end > len(self._memory):
            (larger,) = allocate([self._memory.dtype], max(end, GROWTH * self._count))
            larger[: self._count] = self.values
            self._memory = larger
        self._memory[self._count : end] = values
        self._count = end

    @property
    def values(self) -> Array:
        """The values: a view, which may be of memory that later ones are not in."""
        return self._memory[: self._count]
