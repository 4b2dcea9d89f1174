"""Pairs of rows of two tables: with equal keys, or with the nearest values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from quire.numeric.ordering import stable_order

Rows = NDArray[np.intp]

NEAR: Final = 4
"""Places for each key, at most, in a table of all integers between the least key and the greatest."""


@dataclass(frozen=True)
class Pairs:
    """Rows that belong together, in the order of the left rows. Without partner `right` is -1."""

    left: Rows
    right: Rows

    @classmethod
    def of_each(cls, right: Rows) -> Pairs:
        """Independent. Return the pairs where each left row has one partner, or none."""
        return cls(np.arange(len(right)), right)


def codes_of(left: Sequence[NDArray[Any]], right: Sequence[NDArray[Any]]) -> tuple[Rows, Rows]:
    """Independent. Return numbers that are equal for equal keys of both sides. NaN equals nothing."""
    count = len(left[0])
    total = np.zeros(count + len(right[0]), np.int64)
    missing = np.zeros(len(total), bool)
    for mine, other in zip(left, right, strict=True):
        values = np.concatenate([mine, other])
        if values.dtype.kind == "f":
            missing |= np.isnan(values)
        if values.dtype == object:
            places: dict[Any, int] = {}
            numbers = np.array([places.setdefault(value, len(places)) for value in values], np.int64)
        else:
            numbers = np.unique(values, return_inverse=True)[1].reshape(-1)
        total = np.unique(total * (int(numbers.max(initial=0)) + 1) + numbers, return_inverse=True)[1]
    total = total.reshape(-1)
    total[missing] = -1
    return total[:count], np.where(missing, -2, total)[count:]


def near_codes(left: NDArray[Any], right: NDArray[Any]) -> tuple[Rows, Rows, int] | None:
    """Independent. Return the differences of integers to the least right one, and a number above all right
    ones; None unless the right ones are near each other. Left ones beyond them are -1.
    """
    if left.dtype.kind not in "iu" or not len(right):
        return None
    low, high = int(right.min()), int(right.max())
    places = high + 1 - low
    if places > NEAR * len(right):
        return None
    mine, other = (
        (keys.astype(np.int64) - np.asarray(low, keys.dtype).astype(np.int64)) for keys in (left, right)
    )
    if len(left) and (int(left.min()) < low or int(left.max()) > high):
        mine[(left < low) | (left > high)] = -1
    return mine, other, places


def equal_near_pairs(left: NDArray[Any], right: NDArray[Any]) -> Pairs | None:
    """Independent. Return what `equal_pairs` does for integers that are near each other; None for others."""
    codes = near_codes(left, right)
    if codes is None:
        return None
    mine, other, places = codes
    row_of = np.full(places + 1, -1, np.intp)  # the last place is that of -1
    row_of[other] = np.arange(len(other))
    if int(np.count_nonzero(row_of >= 0)) == len(other):
        return Pairs.of_each(row_of.take(mine))
    return pairs_of_codes(mine, other)


def equal_pairs(left: Sequence[NDArray[Any]], right: Sequence[NDArray[Any]]) -> Pairs:
    """Independent. Return all pairs of rows with equal keys, by the left rows, then the right ones."""
    near = equal_near_pairs(left[0], right[0]) if len(left) == 1 else None
    return near or pairs_of_codes(*codes_of(left, right))


def pairs_of_codes(mine: Rows, other: Rows) -> Pairs:
    """Independent. Return all pairs of rows with equal numbers, by the left rows, then the right ones."""
    order = stable_order(other)
    ordered = other.take(order)
    first = np.searchsorted(ordered, mine, "left")
    counts = np.searchsorted(ordered, mine, "right") - first
    found = np.maximum(counts, 1)
    rows = np.repeat(np.arange(len(mine)), found)
    offset = np.arange(len(rows)) - np.repeat(np.cumsum(found) - found, found)
    place = np.minimum(np.repeat(first, found) + offset, max(len(order) - 1, 0))
    partner = order[place] if len(order) else np.zeros(len(rows), np.int64)
    return Pairs(rows, np.where(np.repeat(counts, found) > 0, partner, -1))


def nearest_pairs(left: NDArray[Any], right: NDArray[Any], tolerance: float) -> Pairs:
    """Independent. Return for each left row the right one with the nearest value, the first of equal ones.

    left, right : floating-point numbers
    """
    order = stable_order(right)
    values = right[order]
    usable = int(np.sum(~np.isnan(values)))
    if not usable:
        return Pairs.of_each(np.full(len(left), -1))
    after = np.searchsorted(values[:usable], left).clip(0, usable - 1)
    before = (after - 1).clip(0)
    with np.errstate(invalid="ignore"):  # of infinities
        is_before = np.abs(left - values[before]) <= np.abs(values[after] - left)
        place = np.where(is_before, np.searchsorted(values[:usable], values[before]), after)
        distance = np.abs(values[place] - left)
    return Pairs.of_each(np.where(distance <= tolerance, order[place], -1))
