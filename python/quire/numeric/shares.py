"""Lines of equal density that contain shares of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]

SHARE_OF_WIDTH: Final = 0.5
"""Smoothing by this share of the width that is best for a normal distribution keeps the shape of others."""

LEAST_WIDTH: Final = 1.2
"""Of the smoothing, in bins."""


def share_lines(counts: Array, shares: Sequence[float], rows: float) -> list[Array]:
    """Independent. Return lines of equal density around shares of the counts in bins of two axes.

    The counts are smoothed by a Gaussian, which is the wider the fewer rows there are. The lines of a share
    are pieces, of shape (pieces, 4): both ends of each, in bins from the first edge. They need no package
    besides NumPy.

    >>> import numpy as np
    >>> from quire.numeric.shares import share_lines
    >>> at = np.arange(60) - 29.5
    >>> [lines] = share_lines(np.exp(-(at[:, None] ** 2 + at**2) / 200), [0.5], 1e12)
    >>> bool(np.allclose(np.hypot(*(lines[:, :2] - 30).T), 11.8, atol=0.3))
    True
    """
    found = smoothed(counts, rows)
    return [pieces_at(found, level) if level > 0 else np.empty((0, 4)) for level in levels_of(found, shares)]


def smoothed(counts: Array, rows: float) -> Array:
    """Independent. Return smoothed counts with an empty bin around them."""
    values: Array = np.asarray(counts, np.float64)
    width = SHARE_OF_WIDTH * max(rows, 1.0) ** (-1 / 6)
    spreads = [max(LEAST_WIDTH, width * spread_of(values.sum(axis=1 - axis))) for axis in range(2)]
    across, up = (smoothing(count, spread) for count, spread in zip(values.shape, spreads, strict=True))
    return np.pad(across @ values @ up, 1)


def spread_of(counts: Array) -> float:
    """Independent. Return the rms width of counts, in bins."""
    whole = counts.sum()
    if not whole > 0:
        return 0.0
    places = np.arange(len(counts))
    mean = (counts @ places) / whole
    return math.sqrt(max(0.0, (counts @ (places - mean) ** 2) / whole))


def smoothing(count: int, width: float) -> Array:
    """Independent. Return the matrix that smooths so many bins by a Gaussian, with nothing outside."""
    reach = math.ceil(3 * width)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    weights /= weights.sum()
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    found: Array = np.where(apart <= reach, weights[reach + np.minimum(apart, reach)], 0.0)
    return found


def levels_of(values: Array, shares: Sequence[float]) -> list[float]:
    """Independent. Return the densities above which shares of the rows are."""
    ordered = np.sort(values, axis=None)[::-1]
    sums = np.cumsum(ordered)
    places = np.searchsorted(sums, np.asarray(shares) * sums[-1])
    return [float(ordered[min(place, len(ordered) - 1)]) for place in places]


def pieces_at(values: Array, level: float) -> Array:
    """Independent. Return the pieces of the line at a level: one or two in each cell between four bins."""
    corners = [values[:-1, :-1], values[1:, :-1], values[1:, 1:], values[:-1, 1:]]
    places = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    i, j = np.indices(corners[0].shape)
    is_crossed, points = [], []
    for side in range(4):
        first, last = corners[side], corners[(side + 1) % 4]
        crossed = (first >= level) != (last >= level)
        share = np.divide(level - first, last - first, out=np.zeros(first.shape), where=crossed)
        x, y = ((1 - share) * places[side][axis] + share * places[(side + 1) % 4][axis] for axis in range(2))
        # The middle of a bin is half a bin after its edge, and the first one is the empty one around all.
        points.append(np.stack([i + x - 0.5, j + y - 0.5], axis=-1))
        is_crossed.append(crossed)
    count = np.sum(is_crossed, axis=0)
    is_joined = (sum(corners) >= 4 * level) == (corners[0] >= level)
    pairs = {(a, b): (count == 2) & is_crossed[a] & is_crossed[b] for a in range(4) for b in range(a + 1, 4)}
    for one, is_chosen in (
        ((0, 1), is_joined),
        ((2, 3), is_joined),
        ((0, 3), ~is_joined),
        ((1, 2), ~is_joined),
    ):
        pairs[one] |= (count == 4) & is_chosen
    return np.concatenate([np.hstack([points[a][at], points[b][at]]) for (a, b), at in pairs.items()])
