"""Representation of equal numbers: the sign of zero, and the sign and payload of NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.io.types import dtype_of

Array = np.ndarray[Any, Any]

Thing = tuple[str, str]
"""A "column" or "field", and its name."""

SIGN = np.uint64(1 << 63)
QUIET = np.uint64(1 << 62)
"""The payload of a NaN that was made from text or by an operation."""


def nan_bits(values: Array) -> Array:
    """Independent. Of each NaN its sign as the highest bit, below it the payload from its highest bit on.

    The same for all types of numbers with a point; of what is not NaN it means nothing.
    """
    if values.dtype == np.longdouble:
        words = np.ascontiguousarray(values).reshape(-1, 1).view(np.uint64)
        sign, payload = words[:, 1] >> np.uint64(15), words[:, 0]
    else:
        width = values.dtype.itemsize * 8
        words = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}").astype(np.uint64)
        sign = words >> np.uint64(width - 1)
        payload = words << np.uint64(63 - np.finfo(values.dtype).nmant)
    return (sign << np.uint64(63)) | (payload & ~SIGN)


def are_represented_otherwise(left: Array, right: Array) -> Array:
    """Independent. Return where two arrays of numbers have zeros of different sign, or different NaN."""
    if left.dtype.kind != "f" and right.dtype.kind != "f":
        return np.zeros(len(left), dtype=bool)
    differs: Array = (left == 0) & (right == 0) & (np.signbit(left) != np.signbit(right))
    both = np.isnan(left) & np.isnan(right)
    if both.any():
        differs[both] = nan_bits(left[both]) != nan_bits(right[both])
    return differs


def loses_payload(values: Array, kind: str, as_text: bool) -> bool:
    """Independent. Return whether a floating-point NaN changes in this type, or as text."""
    strange = values[np.isnan(values)]
    if strange.size == 0:
        return False
    before = nan_bits(strange)
    if as_text:
        return bool(((before & ~SIGN) != QUIET).any())
    with np.errstate(invalid="ignore"):
        return bool((nan_bits(strange.astype(dtype_of(kind))) != before).any())


class PayloadLosses:
    """The columns and fields of a step in which NaN lose their payload on this rank."""

    def __init__(self, as_text: bool) -> None:
        self.as_text = as_text
        self.found: set[Thing] = set()
        self._watched: set[Thing] = set()

    @property
    def is_possible(self) -> bool:
        """Whether there is anything to look at: the same on all ranks."""
        return bool(self._watched)

    def watch(self, thing: Thing, before: str, after: str) -> None:
        """Independent. Say of what type values are, and in which one they will be written."""
        are_floating = all(dtype_of(kind).kind == "f" for kind in (before, after))
        if are_floating and (self.as_text or before != after):
            self._watched.add(thing)

    def look_at(self, thing: Thing, values: Array, after: str) -> None:
        """Independent. Remember the thing if a NaN of these values loses its payload."""
        if thing in self._watched and thing not in self.found and loses_payload(values, after, self.as_text):
            self.found.add(thing)
