"""What is known of columns before they are drawn: limits, means and covariances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire.beam.moments import Moments, merge_moments, moments_of
from quire.errors import TypeMismatchError
from quire.io.html import LARGEST_DRAWN
from quire.units import Scale
from quire.viewer.following import FollowedTable

Array = np.ndarray[Any, Any]

PART_ROWS: Final = 1 << 14
"""Rows that are worked on together, so that they stay in the cache."""

SAMPLED_BLOCKS: Final = 16
"""Blocks of a sample, evenly spread over the table."""

SAMPLED_ROWS: Final = 1 << 16
"""Rows of such a block."""


@dataclass(frozen=True)
class Rows:
    """Columns of the rows of a table that satisfy a condition, or of a sample of them."""

    table: Any
    names: tuple[str, ...]
    where: str | None = None
    is_sample: bool = False
    scales: tuple[Scale, ...] = ()
    """The conversion of each column; none if all stay as they are."""

    @property
    def is_large(self) -> bool:
        """Whether a sample is much faster to read than all rows. That of followed rows could have none."""
        return (
            not isinstance(self.table, FollowedTable) and len(self.table) > 4 * SAMPLED_BLOCKS * SAMPLED_ROWS
        )

    def estimated(self, count: int) -> int:
        """Independent. Return a number of these rows, or if they are a sample, that of all rows."""
        sampled = SAMPLED_BLOCKS * SAMPLED_ROWS
        return count * max(len(self.table), sampled) // sampled if self.is_sample else count

    def require_drawable(self) -> None:
        """Independent. Raises MissingError for unknown columns, TypeMismatchError for columns of text, and
        errors of a wrong condition.
        """
        if self.where is not None:
            self.table.where(self.where)
        for name in self.names:
            if self.table[name].type in ("string", "character"):
                raise TypeMismatchError(
                    f"column '{name}' contains text, which has no place on an axis",
                    advice="choose a column of numbers",
                )

    def parts(self) -> Iterator[list[Array]]:
        """Independent. Yield the columns as float64, part by part."""
        for block in self._blocks():
            values = [np.asarray(block[name], np.float64) for name in self.names]
            if self.scales:
                values = [one(column) for one, column in zip(self.scales, values, strict=True)]
            for first in range(0, len(values[0]), PART_ROWS):
                yield [one[first : first + PART_ROWS] for one in values]

    def _blocks(self) -> Iterator[Any]:
        for rows in self._ranges():
            if self.where is None:
                found = self.table.blocks(self.names, None, rows)
            else:
                found = self.table.where(self.where, rows).blocks(self.names)
            yield from (block for _, block in found)

    def _ranges(self) -> Iterator[tuple[int, int]]:
        length = len(self.table)
        if not self.is_sample:
            yield 0, length
            return
        for first in np.linspace(0, max(length - SAMPLED_ROWS, 0), SAMPLED_BLOCKS).astype(int).tolist():
            yield first, min(SAMPLED_ROWS, length - first)


@dataclass(frozen=True)
class Survey:
    """The number of rows, and the moments of those whose values can be drawn."""

    rows: int
    origin: Array
    moments: Moments | None

    @property
    def count(self) -> int:
        """The number of rows that can be drawn: none of their values is NaN, infinite or too large."""
        return 0 if self.moments is None else int(self.moments.count[0])

    @property
    def limits(self) -> list[tuple[float, float]]:
        """The least and the greatest value of each column; the reverse of an infinite range without rows."""
        if self.moments is None:
            return [(np.inf, -np.inf)] * len(self.origin)
        return list(zip(self.moments.least[0].tolist(), self.moments.greatest[0].tolist(), strict=True))

    @property
    def means(self) -> list[float]:
        """The mean of each column."""
        if self.moments is None:
            return [np.nan] * len(self.origin)
        return [float(one) for one in self.origin + self.moments.mean[0]]

    @property
    def covariances(self) -> list[list[float]]:
        """The covariances in population form."""
        if self.moments is None:
            return [[np.nan] * len(self.origin)] * len(self.origin)
        found: list[list[float]] = self.moments.covariance()[0].tolist()
        return found


def survey(rows: Rows, axes: int) -> Survey:
    """Independent. Survey the first columns, which are those of the axes; another one is that of weights."""
    total, moments = 0, None
    origin = np.zeros(axes)
    for values in rows.parts():
        total += len(values[0])
        stacked, weights = drawable(values, axes)
        if not stacked.shape[1]:
            continue
        if moments is None:
            origin = np.median(stacked, axis=1)
        with np.errstate(all="ignore"):
            part = moments_of(stacked, weights, origin)
            moments = part if moments is None else merge_moments(moments, part)
    return Survey(total, origin, moments)


def drawable(values: Sequence[Array], axes: int) -> tuple[Array, Array]:
    """Independent. Return the values on the axes and the weights of the rows that can be drawn."""
    stacked = np.stack(values[:axes])
    weights = np.abs(values[axes]) if len(values) > axes else np.ones(stacked.shape[1])
    # NaN compares as false.
    kept = np.logical_and.reduce(np.abs(stacked) <= LARGEST_DRAWN) & (weights <= LARGEST_DRAWN)
    return (stacked, weights) if kept.all() else (np.ascontiguousarray(stacked[:, kept]), weights[kept])
