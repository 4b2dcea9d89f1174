"""What calls over the rows of a table need: the rows, and the expressions of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from quire.io.types import Array, dtype_of

BLOCK_ROWS: Final = 1 << 16
"""Rows of a block. The rounding of sums depends on it, so it is the same everywhere."""


@dataclass(frozen=True)
class Sharing:
    """Ranks that share rows: this one, their number, and how the results of all are gathered."""

    rank: int
    size: int
    gather: Callable[[Callable[[], Any]], list[Any]]


ALONE: Final = Sharing(0, 1, lambda make: [make()])
"""A rank that reads all rows."""


class RowSource(Protocol):
    """A table, or arrays in memory."""

    def __len__(self) -> int:
        """Independent. Return the number of rows."""

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None
    ) -> Iterator[tuple[int, Mapping[str, Array]]]:
        """Independent. Yield the first row and the values by column, block by block."""


class Argument(Protocol):
    """A bound expression: an argument of a call."""

    columns: list[str]

    @property
    def type(self) -> str:
        """The type of the values."""

    @property
    def unit(self) -> str:
        """The unit of the values; empty if unknown or dimensionless."""

    @property
    def is_pure(self) -> bool:
        """Whether the values are pure numbers."""

    @property
    def is_condition(self) -> bool:
        """Whether the values are conditions or integers."""

    @property
    def is_constant(self) -> bool:
        """Whether the value is the same for all rows."""

    @property
    def may_fail(self) -> bool:
        """Whether a row can raise an error."""

    @property
    def value(self) -> Any:
        """The value of a constant."""

    def evaluate(
        self,
        block: Mapping[str, Array],
        first_row: int = 0,
        rows: int | None = None,
        out: Array | None = None,
    ) -> Array:
        """Independent. Evaluate the expression for a block of rows."""

    def passes(self, source: RowSource) -> list[list[str]]:
        """Independent. Return the columns of each pass over all rows of a table that aggregates need."""

    def compute_aggregates(self, ranks: Sharing) -> None:
        """Collective. Compute the aggregates on ranks that share the rows."""


class Arrays:
    """Arrays in memory as rows."""

    def __init__(self, arrays: Mapping[str, Array], rows: int) -> None:
        self._arrays = arrays
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None
    ) -> Iterator[tuple[int, Mapping[str, Array]]]:
        """Independent. Yield the first row and the values by column, block by block."""
        first, last, _ = (slice(None) if rows is None else rows).indices(self._rows)
        size = rows_per_block or max(1, last - first)
        for start in range(first, last, size):
            end = min(start + size, last)
            yield start, {name: self._arrays[name][start:end] for name in names}


def computed_type(argument: Argument) -> str:
    """Independent. Return the type in which the values of an argument are computed."""
    kind = dtype_of(argument.type).kind
    if kind in "OS":
        return "string"
    if argument.type in ("uint64", "float80"):
        return argument.type
    return "int64" if kind in "iu" else "float64"


def is_text(argument: Argument) -> bool:
    """Independent. Return whether the values are texts."""
    return computed_type(argument) == "string"


def unit_of(argument: Argument) -> str:
    """Independent. Return the unit as the text of a column; "1" for pure numbers."""
    return "1" if argument.is_pure else argument.unit


def computed(argument: Argument, block: Mapping[str, Array], first: int, count: int) -> Array:
    """Independent. Return the values of an argument for a block of rows, in the type of `computed_type`."""
    return argument.evaluate(block, first, count, np.empty(count, dtype_of(computed_type(argument))))


def row_blocks(
    source: RowSource, arguments: Sequence[Argument], first: int, last: int
) -> Iterator[tuple[int, Mapping[str, Array], int]]:
    """Independent. Yield the columns of arguments for rows from `first` to `last`, excluded: the first row,
    the values and the number of rows of each block.
    """
    columns = list(dict.fromkeys(name for one in arguments for name in one.columns))
    if columns:
        for start, block in source.blocks(columns, BLOCK_ROWS, slice(first, max(first, last))):
            yield start, block, len(block[columns[0]])
        return
    for start in range(first, last, BLOCK_ROWS):
        yield start, {}, min(BLOCK_ROWS, last - start)
