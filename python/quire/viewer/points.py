"""Points in space: a random sample of the rows of each file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import UsageError
from quire.io.html import LARGEST_DRAWN
from quire.toolkit.binning import widened
from quire.viewer.answers import Frame
from quire.viewer.common_units import CommonUnits
from quire.viewer.describe import quantity
from quire.viewer.jobs import Job
from quire.viewer.opening import Failures, open_table
from quire.viewer.planes import planes_asked
from quire.viewer.surveys import Rows

if TYPE_CHECKING:
    from quire.units import Scale
    from quire.viewer.asked import Asked
    from quire.viewer.library import Library

Array = np.ndarray[Any, Any]

MOST_POINTS: Final = 1 << 20
USUAL_POINTS: Final = 200_000
"""Points of all files together, if nothing else is asked."""

RUN_ROWS: Final = 64
"""Neighbouring rows that a sample of a large table has together, so that few pages are read."""

LEFT_OUT: Final = 0.01
"""The share of the points below the least colour, and above the greatest one."""

AXES: Final = ("x", "y", "z")
CHANCE: Final = "hash(row, 0)"
"""A random number for each row. It is the same in each step, so that rows stay in the sample."""


@dataclass
class Sample:
    """The rows with the least random numbers of all that are added, at most so many."""

    most: int
    count: int = 0
    """Rows that were added."""
    chances: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    limit: int = np.iinfo(np.int64).max
    """Random numbers above it are not of the sample."""

    def add(self, columns: Sequence[Array], chances: Array) -> None:
        """Independent. Add rows by their values and random numbers."""
        self.count += len(chances)
        kept = chances <= self.limit
        self.chances.append(chances[kept])
        self.values.append(np.array([one[kept] for one in columns], np.float64))
        if sum(map(len, self.chances)) > 2 * self.most:
            self.reduce()

    def reduce(self) -> None:
        """Independent. Keep no more rows than wanted, in their order."""
        chances, values = np.concatenate(self.chances), np.concatenate(self.values, axis=1)
        if len(chances) > self.most:
            kept = np.sort(np.argpartition(chances, self.most - 1)[: self.most])
            chances, values = chances[kept], values[:, kept]
            self.limit = int(chances.max())
        self.chances, self.values = [chances], [values]


@dataclass(frozen=True)
class Cloud:
    """The sample of a step of a file: a row of values for each term."""

    file: int
    step: int
    table_rows: int
    rows: int
    """Rows that satisfy the condition."""
    values: Array
    scales: Sequence[Scale]
    described: Sequence[dict[str, Any]]

    def drawable(self) -> Array:
        """Independent. Return the values in common units of the points that have a place."""
        values = np.array([scale(one) for scale, one in zip(self.scales, self.values, strict=True)])
        # NaN compares as false.
        return values[:, (np.abs(values) <= LARGEST_DRAWN).all(axis=0)]


def points(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield a sample of the rows of each file, as points between 0 and 1 along common axes.

    The points of a file are float32 of shape (points, 3), or (points, 4) with the quantity that is their
    colour. Raises errors of reading and of what is asked.
    """
    terms = [asked.text(name) for name in AXES]
    if not all(terms):
        raise UsageError("points in space need columns along three axes")
    if colour := asked.text("colour"):
        terms.append(colour)
    places = sorted(asked.sources())
    most = max(asked.integer("count", 1, MOST_POINTS, USUAL_POINTS) // len(places), 1)
    failures, common = Failures(), CommonUnits()
    clouds = failures.each(places, lambda place: cloud(library, asked, job, place, terms, most, common))
    drawn = [one.drawable() for one in clouds]
    limits = [limits_of([values[place] for values in drawn]) for place in range(len(AXES))]
    described = [common.described(one) for one in clouds[0].described]
    planes = planes_asked(library, asked, (clouds[0].file, clouds[0].step), described[: len(AXES)])
    limits = [planes.limits(one["name"], of) for one, of in zip(described, limits, strict=False)]
    if colour:
        limits.append(middle_of([values[len(AXES)] for values in drawn]))
    axes = [{**one, "low": low, "high": high} for one, (low, high) in zip(described, limits, strict=True)]
    space = axes[: len(AXES)]
    content = {
        "axes": space,
        "colour": axes[len(AXES)] if colour else None,
        "panels": [
            {
                "file": one.file,
                "step": one.step,
                "tableRows": one.table_rows,
                "rows": one.rows,
                "points": one.values.shape[1],
                "drawable": values.shape[1],
            }
            for one, values in zip(clouds, drawn, strict=True)
        ],
        "field": planes.content(space),
        "failed": failures.content,
    }
    yield Frame("points", content, [*(shares(values, limits) for values in drawn), *planes.arrays(space)])


def cloud(
    library: Library,
    asked: Asked,
    job: Job,
    place: tuple[int, int],
    terms: Sequence[str],
    most: int,
    common: CommonUnits,
) -> Cloud:
    """Independent. Return the sample of a file, whose units become common if it is the first."""
    with ExitStack() as stack:
        found = open_table(stack, library, asked, job, place, terms)
        rows = Rows(found.table, tuple(terms), found.where)
        rows.require_drawable()
        described = [quantity(found.table[term]) for term in terms]
        scales = common.scales(described, library.source(found.file).label)
        names = list(dict.fromkeys(terms))
        if found.where is None and found.followed is None and rows.is_large and len(found.table) > most:
            count, block = len(found.table), runs(found.table, names, most)
        else:
            with_chance = open_table(stack, library, asked, job, place, [*terms, CHANCE])
            sample = sampled(with_chance.table, names, found.where, most)
            count, block = sample.count, sample.values[0]
        values = block[[names.index(term) for term in terms]]
        return Cloud(found.file, found.step, len(found.table), count, values, scales, described)


def sampled(table: Any, names: Sequence[str], where: str | None, most: int) -> Sample:
    """Independent. Return a sample of the rows that satisfy a condition; all of them are read."""
    sample = Sample(most)
    blocks = table.rows(where).blocks([*names, CHANCE])
    sample.add([np.empty(0)] * len(names), np.empty(0, np.int64))
    for _, block in blocks:
        sample.add([block[name] for name in names], block[CHANCE])
    sample.reduce()
    return sample


def runs(table: Any, names: Sequence[str], most: int) -> Array:
    """Independent. Return runs of neighbouring rows, one at a random place in each of many equal parts.

    They are other rows in a table of another length.
    """
    count = most // RUN_ROWS or 1
    ends = np.linspace(0, len(table) - RUN_ROWS, count + 1)
    firsts = ends[:-1] + np.diff(ends) * np.random.default_rng(0).random(count)
    found = [
        [np.array(block[name], np.float64) for name in names]
        for first in firsts.astype(np.int64).tolist()
        for _, block in table.blocks(names, None, (first, RUN_ROWS))
    ]
    return np.concatenate(found, axis=1)


def limits_of(values: Sequence[Array]) -> tuple[float, float]:
    """Independent. Return the limits of an axis over the points of all files."""
    some = [one for one in values if one.size]
    if not some:
        return 0.0, 1.0
    return widened(min(float(one.min()) for one in some), max(float(one.max()) for one in some))


def middle_of(values: Sequence[Array]) -> tuple[float, float]:
    """Independent. Return limits with nearly all values; with single ones most would have one colour."""
    found = np.concatenate(values)
    return widened(*np.quantile(found, (LEFT_OUT, 1 - LEFT_OUT))) if found.size else (0.0, 1.0)


def shares(values: Array, limits: Sequence[tuple[float, float]]) -> Array:
    """Independent. Return points of float32 whose values are from 0 at the low limit to 1 at the high one."""
    low, high = np.array(limits).T
    found: Array = ((values.T - low) / (high - low)).astype(np.float32)
    return found
