"""Rows that a request asks for: Python slices, pairs and ranges, normalised against a length."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.io.arguments import number_of

Rows = slice | tuple[int, int] | range | Sequence[int] | np.ndarray[Any, Any]
"""A slice, a pair (first, count), a range; a list or array of rows; an array with a truth value for each."""


MOST_ROWS = 2**63 - 1
"""That a table can have."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The `count` positions start, start + step, ..., all inside the length. Step may be negative."""

    start: int
    step: int
    count: int

    @property
    def first(self) -> int:
        """The lowest position."""
        return self.start if self.step > 0 or not self.count else self.start + (self.count - 1) * self.step

    @property
    def span(self) -> int:
        """How many positions lie between the lowest and the highest, both included."""
        return (self.count - 1) * abs(self.step) + 1 if self.count else 0

    @property
    def is_contiguous(self) -> bool:
        """True if the positions rise by one."""
        return self.step == 1

    def within_span(self) -> slice:
        """The slice that picks the positions, in their order, from the contiguous span."""
        if not self.count:
            return slice(0, 0)
        if self.step > 0:
            return slice(0, None, self.step)
        return slice(self.span - 1, None, self.step)


def select(rows: Rows | None, length: int) -> Selection:
    """Independent. Which positions of `length` are meant.

    A slice or range cuts at the ends as in Python; a pair (first, count) must lie inside, else a usage error.
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
    """Independent. The rows of a list or array, each as its position; None for what is no list.

    Negative ones count from the end; missing errors outside. Truth values choose where they are true.
    """
    if not isinstance(rows, list | np.ndarray):
        return None
    array = np.asarray(rows)
    if array.ndim != 1:
        raise UsageError(f"a list of rows has one dimension, not {array.ndim}")
    if array.dtype == np.bool_:
        if len(array) != length:
            raise UsageError(f"{len(array)} truth values do not choose from {length} rows")
        return np.flatnonzero(array).astype(np.uint64)
    if not array.size:
        return np.empty(0, np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeMismatchError(
            f"rows are not found by {array.dtype}", advice="give integers or truth values"
        )
    wrong = array >= length if array.dtype.kind == "u" else (array < -length) | (array >= length)
    if wrong.any():
        raise MissingError(f"there is no row {array[int(np.argmax(wrong))]}: there are {length}")
    if array.dtype.kind == "u":
        return array.astype(np.uint64)
    wide = array.astype(np.int64)
    return np.where(wide < 0, wide + length, wide).astype(np.uint64)


def rows_of_table(count: Any) -> int:
    """Independent. How many rows a table has. Type errors for no integer, usage errors for no such number."""
    rows = number_of("row", count)
    if not 0 <= rows <= MOST_ROWS:
        raise UsageError(f"a table cannot have {rows} rows")
    return rows


def chosen(rows: Rows, total: int | None) -> Selection | np.ndarray[Any, np.dtype[np.uint64]]:
    """Independent. Rows that are written: a selection whose step rises, or a list.

    Where nobody says how many rows there are in all, nothing counts from the end.
    """
    if total is None and _counts_from_end(rows):
        raise UsageError(
            "the rows count from an end that nobody has said",
            advice="say total=, the rows of all ranks together",
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
    """Independent. An index, counted from the end if negative, as a position; missing errors outside."""
    try:
        wanted = operator.index(index)
    except TypeError:
        raise TypeMismatchError(
            f"{what} is not found by a {type(index).__name__}", advice="give an integer or a slice"
        ) from None
    if not -length <= wanted < length:
        raise MissingError(f"there is no {what} {wanted}: there are {length}")
    return wanted + length if wanted < 0 else wanted
