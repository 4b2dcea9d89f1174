"""The order of values: that of a stable sort."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from quire.numeric.threads import in_threads, thread_count

Order = NDArray[np.intp]

FEW = 1 << 12
"""Values that are sorted in no time."""

LARGE = 1 << 20
"""Values from which on threads share the work."""

SAMPLE: Final = 1000
"""Values that divide others into parts of about equal size."""


def stable_order(values: NDArray[Any]) -> Order:
    """Independent. Return the places of numbers in ascending order. Equal ones keep theirs, NaN are last.

    Integers of a small range are sorted by their digits. Others are sorted without regard to places, which
    NumPy does several times faster, and then equal ones by their places.
    """
    if len(values) <= FEW or values.dtype.itemsize > 8:
        return np.argsort(values, kind="stable")
    if values.dtype.kind in "iu":
        low, high = values.min(), values.max()
        if int(high) - int(low) < 1 << 16:
            return np.argsort((values - low).astype(np.uint16), kind="stable")
    order, ordered = _sorted(values)
    numbers = len(ordered)
    if values.dtype.kind == "f":
        numbers = int(np.searchsorted(ordered, np.nan))
        order[numbers:].sort()
    is_equal = ordered[1:numbers] == ordered[: max(numbers - 1, 0)]
    equal = int(np.count_nonzero(is_equal))
    if 4 * equal > len(values):
        return np.argsort(values, kind="stable")
    if equal:
        in_run = np.append(is_equal, False)
        in_run[1:] |= is_equal
        places = np.flatnonzero(in_run)
        run = np.cumsum(np.append(True, ~is_equal))[places]
        order[places] = order[places][np.lexsort((order[places], run))]
    return order


def _sorted(values: NDArray[Any]) -> tuple[Order, NDArray[Any]]:
    """Return the places of values in ascending order, and the values; threads sort intervals of them."""
    parts = thread_count() if len(values) >= LARGE else 1
    sample = np.sort(values[:: len(values) // SAMPLE + 1])
    limits = [None, *(sample[len(sample) * part // parts] for part in range(1, parts)), None]
    work = (partial(_sorted_part, values, limits[part], limits[part + 1]) for part in range(parts))
    found = list(in_threads(work)) if parts > 1 else [call() for call in work]
    if parts == 1:
        return found[0]
    return np.concatenate([order for order, _ in found]), np.concatenate([part for _, part in found])


def _sorted_part(values: NDArray[Any], low: Any, high: Any) -> tuple[Order, NDArray[Any]]:
    """Return the same of the values from `low` on and below `high`; NaN are at the end of all."""
    if low is None and high is None:
        order = np.argsort(values)
        return order, values.take(order)
    inside = np.ones(len(values), bool) if high is None else values < high
    if low is not None:
        inside &= ~(values < low)
    places = np.flatnonzero(inside)
    part = values.take(places)
    order = np.argsort(part)
    return places.take(order), part.take(order)
