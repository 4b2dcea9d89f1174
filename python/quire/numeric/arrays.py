"""What the numeric functions accept: checked arrays of floating-point numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.errors import ConflictError, DataError, TypeMismatchError, UsageError

Numbers = NDArray[Any]
"""Floating-point numbers: float64, or long double where the input was."""

Doubles = NDArray[np.float64]


def as_numbers(values: ArrayLike, name: str = "values") -> Numbers:
    """Independent. Return an array of any shape as float64; long double stays long double.

    Raises TypeMismatchError for texts, objects and complex numbers.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeMismatchError(f"{name} must be real numbers, not {array.dtype}", object=name)
    return array.astype(np.result_type(array.dtype, np.float64), copy=False)


def as_vector(values: ArrayLike, name: str = "values") -> Numbers:
    """Independent. Return a one-dimensional array as `as_numbers` does. Raises UsageError for other
    shapes.
    """
    array = as_numbers(values, name)
    if array.ndim != 1:
        raise UsageError(f"{name} must have one dimension, not {array.ndim}", object=name)
    return array


def as_doubles(values: ArrayLike, name: str = "values") -> NDArray[np.float64]:
    """Independent. Return a one-dimensional array of float64, for algorithms that know nothing wider.

    Raises TypeMismatchError for long double as well, so that no digits are lost unnoticed.
    """
    array = as_vector(values, name)
    if array.dtype != np.float64:
        raise TypeMismatchError(
            f"{name} is {array.dtype}, and this function computes in float64",
            object=name,
            advice="convert it to float64 before",
        )
    return array


def require_same_length(**arrays: Numbers | None) -> None:
    """Independent. Raise ConflictError unless all given arrays have the length of the first one."""
    given = {name: array for name, array in arrays.items() if array is not None}
    lengths = {name: array.shape[-1] for name, array in given.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ConflictError(f"columns differ in length: {listed}")


def require(condition: bool, message: str, advice: str = "") -> None:
    """Independent. Raise UsageError with this message unless the condition holds."""
    if not condition:
        raise UsageError(message, advice=advice)


def require_data(condition: bool, message: str, advice: str = "") -> None:
    """Independent. Raise DataError with this message unless the condition, which depends on data, holds."""
    if not condition:
        raise DataError(message, advice=advice)


def direction(x: Numbers, name: str = "x") -> int:
    """Independent. Return 1 for strictly increasing values, -1 for strictly decreasing ones.

    Raises DataError with the first row that breaks the order, also for NaN.
    """
    sign = -1 if len(x) > 1 and x[-1] < x[0] else 1
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero(~(sign * np.diff(x) > 0))
    if len(wrong):
        row = int(wrong[0]) + 1
        raise DataError(
            f"{name} is not strictly monotonic: row {row} has {x[row]:.17g} after {x[row - 1]:.17g}",
            object=name,
            advice="sort by it, and remove rows with equal or missing values",
        )
    return sign
