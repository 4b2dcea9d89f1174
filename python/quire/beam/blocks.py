"""Rows of a table in blocks of a fixed number of rows, which depend neither on ranks nor on memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from quire.io.matches import Matches
    from quire.io.table import Table

Array = np.ndarray[Any, Any]

BLOCK_ROWS: Final = 1 << 14
"""Rows of a block. The rounding of sums depends on it, so it is the same everywhere."""

READ_BLOCKS: Final = 16
"""Blocks that are read together."""

Block = tuple[int, Array, Mapping[str, Array]]
Part = TypeVar("Part")


def block_count(table: Table) -> int:
    """Independent. Return the number of blocks of a table."""
    return -(-len(table) // BLOCK_ROWS)


def fixed_blocks(
    table: Table,
    names: Sequence[str],
    where: str | Callable[[slice], Matches] | None,
    first: int,
    last: int,
    wanted: slice = slice(None),
) -> Iterator[Block]:
    """Independent. Yield number, row numbers and values of the blocks from `first` to `last`, excluded.

    Rows are those of `read_blocks`; blocks without any are left out. The arrays are reused.
    """
    for place, values in read_blocks(table, names, where, first, last, wanted):
        count = len(values[names[0]])
        numbers = place if isinstance(place, np.ndarray) else np.arange(place, place + count)
        for number in range(numbers[0] // BLOCK_ROWS, numbers[-1] // BLOCK_ROWS + 1):
            limits = np.searchsorted(numbers, [number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS])
            part = slice(*limits)
            if part.start < part.stop:
                yield int(number), numbers[part], {name: one[part] for name, one in values.items()}


def read_blocks(
    table: Table,
    names: Sequence[str],
    where: str | Callable[[slice], Matches] | None,
    first: int,
    last: int,
    wanted: slice = slice(None),
) -> Iterator[tuple[Any, Mapping[str, Array]]]:
    """Independent. Yield the first row, or the numbers of rows, and values of blocks as they are read, of the
    rows in the blocks from `first` to `last`, excluded.

    Only rows of `wanted` that satisfy `where`, or that it returns of a slice, are selected. The arrays are
    reused.
    """
    start, stop, _ = wanted.indices(len(table))
    begin, end = max(first * BLOCK_ROWS, start), min(last * BLOCK_ROWS, stop)
    rows = slice(begin, max(begin, end))
    size = BLOCK_ROWS * READ_BLOCKS
    if where is None:
        return table.blocks(names, size, rows)
    matches = where(rows) if callable(where) else table.where(where, rows)
    return matches.blocks(names, size)


def filled(first: int, last: int, parts: Iterable[tuple[int, Part]]) -> Iterator[tuple[int, Part | None]]:
    """Independent. Yield the numbered parts from `first` to `last`, excluded, with None for those that are
    missing.
    """
    due = first
    for number, part in parts:
        yield from ((empty, None) for empty in range(due, number))
        yield number, part
        due = number + 1
    yield from ((empty, None) for empty in range(due, last))
