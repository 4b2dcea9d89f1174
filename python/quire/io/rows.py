"""Selections of rows: slices, pairs and ranges, normalised for a length."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.io.arguments import number_of

Rows = slice | tuple[int, int] | range | Sequence[int] | np.ndarray[Any, Any]
"""A slice, a pair (first, count), a range; a list or array of rows; an array with a Boolean for each row."""


MOST_ROWS = 2**63 - 1
"""The largest number of rows of a table."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The `count` positions start, start + step, ..., all inside the length. `step` may be negative."""

    start: int
    step: int
    count: int

    @property
    def first(self) -> int:
        """The lowest position."""
        return self.start if self.step > 0 or not self.count else self.start + (self.count - 1) * self.step

    @property
    def span(self) -> int:
        """The number of positions from the lowest to the highest, both included."""
        return (self.count - 1) * abs(self.step) + 1 if self.count else 0

    @property
    def is_contiguous(self) -> bool:
        """Whether the positions increase by one."""
        return self.step == 1

    def within_span(self) -> slice:
        """The slice that selects the positions, in their order, from the contiguous span."""
        if not self.count:
            return slice(0, 0)
        if self.step > 0:
            return slice(0, None, self.step)
        return slice(self.span - 1, None, self.step)


def select(rows: Rows | None, length: int) -> Selection:
    """Independent. Return the selected positions of `length`.

    Slices and ranges are clipped as in Python. Raises a usage error if a pair (first, count) is not inside.
    """
    if rows is None:
        return Selection(0, 1, length)
    if isinstance(rows, tuple):
        if len(rows) != 2:
            raise UsageError(f"a pair (first, count) has 2 numbers, not {len(rows)}")
        first, count = (number_of("row", value) for value in rows)
        if first < 0 or count < 0 or first + count > length:
            raise UsageError(f"rows {first} to {first + count} are not inside the {length} there are")
        return Selection(first, 1, count)
    if isinstance(rows, range):
        if rows and (min(rows) < 0 or max(rows) >= length):
            raise UsageError(f"{rows} is not inside the {length} rows there are")
        return Selection(rows.start, rows.step, len(rows)) if rows else Selection(0, 1, 0)
    if not isinstance(rows, slice):
        raise TypeMismatchError(
            f"rows cannot be given by a {type(rows).__name__}", advice="give a slice or a pair (first, count)"
        )
    if rows.step == 0:
        raise UsageError("the step of a slice cannot be zero")
    positions = range(*rows.indices(length))
    return Selection(positions.start, positions.step, len(positions)) if positions else Selection(0, 1, 0)


def listed(rows: Any, length: int) -> np.ndarray[Any, np.dtype[np.uint64]] | None:
    """Independent. Return the rows of a list or array as positions; None for anything else.

    Negative rows count from the end. Raises missing errors for rows outside. Booleans select where they are
    true.
    """
    if not isinstance(rows, list | np.ndarray):
        return None
    array = np.asarray(rows)
    if array.ndim != 1:
        raise UsageError(f"a list of rows has one dimension, not {array.ndim}")
    if array.dtype == np.bool_:
        if len(array) != length:
            raise UsageError(f"{len(array)} Booleans cannot select from {length} rows")
        return np.flatnonzero(array).astype(np.uint64)
    if not array.size:
        return np.empty(0, np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeMismatchError(
            f"rows cannot be selected by {array.dtype}", advice="give integers or Booleans"
        )
    wrong = array >= length if array.dtype.kind == "u" else (array < -length) | (array >= length)
    if wrong.any():
        raise MissingError(f"there is no row {array[int(np.argmax(wrong))]}: there are {length}")
    if array.dtype.kind == "u":
        return array.astype(np.uint64)
    wide = array.astype(np.int64)
    return np.where(wide < 0, wide + length, wide).astype(np.uint64)


def rows_of_table(count: Any) -> int:
    """Independent. Return the number of rows of a table. Raises type errors and usage errors."""
    rows = number_of("row", count)
    if not 0 <= rows <= MOST_ROWS:
        raise UsageError(f"a table cannot have {rows} rows")
    return rows


def chosen(rows: Rows, total: int | None) -> Selection | np.ndarray[Any, np.dtype[np.uint64]]:
    """Independent. Return the rows to write: a selection with a positive step, or a list.

    Without the number of all rows, rows cannot count from the end.
    """
    if total is None and _counts_from_end(rows):
        raise UsageError(
            "rows cannot count from the end without the number of all rows",
            advice="give total=, the number of rows of all ranks",
        )
    array = np.asarray(rows) if isinstance(rows, list | np.ndarray) else None
    length = MOST_ROWS if total is None else total
    if total is None and array is not None and array.dtype == np.bool_:
        length = array.size
    found = listed(rows, length)
    if found is not None:
        return found
    selection = select(rows, length)
    if selection.step > 0:
        return selection
    end = selection.start + selection.count * selection.step
    return np.arange(selection.start, end, selection.step, dtype=np.int64).astype(np.uint64)


def _counts_from_end(rows: Rows) -> bool:
    if isinstance(rows, slice):
        return rows.stop is None or min(rows.start or 0, rows.stop, rows.step or 1) < 0
    if isinstance(rows, list | np.ndarray):
        array = np.asarray(rows)
        return array.dtype.kind == "i" and bool((array < 0).any())
    return False


def position(index: Any, length: int, what: str) -> int:
    """Independent. Return an index as a position. Negative ones count from the end; missing errors
    outside.
    """
    try:
        wanted = operator.index(index)
    except TypeError:
        raise TypeMismatchError(
            f"the {what} cannot be selected by a {type(index).__name__}", advice="give an integer or a slice"
        ) from None
    if not -length <= wanted < length:
        raise MissingError(f"there is no {what} {wanted}: there are {length}")
    return wanted + length if wanted < 0 else wanted
