"""Rules for equal values, and the differences of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quire.toolkit.representation import are_represented_otherwise
from quire.toolkit.selection import RowSelection, StepSelection

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Rules:
    """Rules for equal values.

    Numbers a and b are the same if |a - b| <= absolute + relative * max(|a|, |b|).

    If both tolerances are 0, the sign of zero and the sign and payload of NaN are compared as well, unless
    `representation` is false; otherwise NaN equals NaN. `columns` limits the comparison to these columns,
    `rows` to these rows; both leave out fields. Attributes, columns and fields with names or patterns in
    `ignore` are not compared.
    """

    relative: float = 0.0
    absolute: float = 0.0
    steps: StepSelection = field(default_factory=StepSelection)
    columns: Sequence[str] | None = None
    rows: RowSelection = field(default_factory=RowSelection)
    """Rows of each table; fields and elements are left out, or compared by row."""
    ignore: Sequence[str] = ()
    units: bool = True
    types: bool = False
    attributes: bool = True
    representation: bool = True
    as_stored: bool = False
    """Compare elements by table and row instead of by number."""
    by_position: bool = False
    """Match steps, tables, columns and fields by their order instead of by number and name."""
    key: str = ""
    """The column whose values match rows, which are compared in order without it."""


@dataclass(frozen=True)
class Mismatch:
    """The first difference of two values. For an element `row` is the number of the coefficient."""

    step: int
    row: tuple[int, ...]
    left: Any
    right: Any
    element: int | None = None


@dataclass
class ValueDifference:
    """The differences of one column (or field) over all steps."""

    table: str
    name: str
    compared: int = 0
    different: int = 0
    different_representation: int = 0
    """Number of these that are equal as numbers: another sign of zero, or another NaN."""
    largest_absolute: float = 0.0
    largest_relative: float = 0.0
    first: Mismatch | None = None
    elements: list[int] = field(default_factory=list)
    """The first elements that differ, if it is a variable of elements."""
    different_elements: int = 0


def comparable(left: Array, right: Array) -> tuple[Array, Array]:
    """Independent. Two arrays of numbers in a type that holds both exactly."""
    if left.dtype == right.dtype and left.dtype.kind == "f":
        return left, right
    if left.dtype.kind in "iu" and right.dtype.kind in "iu":
        common = np.promote_types(left.dtype, right.dtype)
        if common.kind in "iu":
            return left.astype(common, copy=False), right.astype(common, copy=False)
    wide = {str(array.dtype) for array in (left, right)} & {"int64", "uint64", str(np.dtype(np.longdouble))}
    kind = np.longdouble if wide else np.float64
    return left.astype(kind, copy=False), right.astype(kind, copy=False)


def distances(left: Array, right: Array) -> tuple[Array, Array]:
    """Independent. Absolute and relative distance of numbers; 0 where both are the same, inf where one is
    NaN.
    """
    left, right = comparable(left, right)
    if left.dtype.kind in "iu":
        # A difference of integers can leave their type: the larger minus the smaller fits the unsigned one.
        larger, smaller = np.maximum(left, right), np.minimum(left, right)
        absolute = (larger.astype(np.uint64) - smaller.astype(np.uint64)).astype(np.longdouble)
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            absolute = np.abs(left - right)
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        absolute = np.where(same, 0, np.where(np.isnan(absolute), np.inf, absolute))
    largest = np.maximum(np.abs(left.astype(absolute.dtype)), np.abs(right.astype(absolute.dtype)))
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(absolute == 0, 0, np.where(np.isinf(absolute), np.inf, absolute / largest))
    return absolute, relative


def is_text(values: Array) -> bool:
    """Independent. Whether an array holds strings or characters."""
    return values.dtype.kind in "OSU"


def as_texts(values: Array) -> Array:
    """Independent. Strings or characters as an object array of str."""
    if values.dtype.kind != "S":
        return values.astype(object, copy=False)
    return np.array([item.decode("utf-8", "surrogateescape") for item in values.ravel()], dtype=object)


def compare_values(left: Array, right: Array, rules: Rules) -> tuple[Array, Array, Array]:
    """Independent. Which of two equally long arrays differ by the rules, and their distances."""
    if is_text(left) or is_text(right):
        if is_text(left) != is_text(right):
            differs = np.ones(len(left), dtype=bool)
        else:
            differs = np.asarray(as_texts(left) != as_texts(right), dtype=bool)
        return differs, np.zeros(len(left)), np.zeros(len(left))
    absolute, relative = distances(left, right)
    if rules.relative == 0 and rules.absolute == 0:
        differs = absolute > 0
        if rules.representation:
            differs |= are_represented_otherwise(left, right)
        return differs, absolute, relative
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.maximum(np.abs(left.astype(absolute.dtype)), np.abs(right.astype(absolute.dtype)))
        allowed = rules.absolute + rules.relative * np.where(np.isfinite(largest), largest, 0)
    return absolute > allowed, absolute, relative


def are_identical(left: Array, right: Array) -> bool:
    """Independent. Whether two arrays of numbers have the same type and bits: the common case."""
    size = left.dtype.itemsize
    if left.dtype != right.dtype or left.dtype.kind not in "iuf" or size not in (1, 2, 4, 8):
        return False
    return np.array_equal(left.view(f"u{size}"), right.view(f"u{size}"))


def note_values(
    record: ValueDifference,
    step: int,
    left: Array,
    right: Array,
    rules: Rules,
    place: Callable[[int], tuple[int, ...]],
) -> Array | None:
    """Independent. Add a block of values to the record of their column; `place(i)` is where one is.

    Which of the values differ, if any do.
    """
    record.compared += len(left)
    if len(left) == 0 or are_identical(left, right):
        return None
    differs, absolute, relative = compare_values(left, right, rules)
    record.largest_absolute = max(record.largest_absolute, float(absolute.max()))
    record.largest_relative = max(record.largest_relative, float(relative.max()))
    count = int(differs.sum())
    if count and record.first is None:
        where = int(np.argmax(differs))
        record.first = Mismatch(step, place(where), left[where], right[where])
    record.different += count
    if not is_text(left) and not is_text(right):
        record.different_representation += int((differs & (absolute == 0)).sum())
    return differs if count else None
