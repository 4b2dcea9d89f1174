"""Count, limits, mean and rms of the columns of tables, shared by ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import quire
from quire._core import even_slice
from quire.beam.blocks import block_count, filled, fixed_blocks
from quire.beam.moments import Moments, add_all, merge_moments, moments_of
from quire.errors import TypeMismatchError
from quire.io.communicator import core_comm
from quire.io.refusal import agreed
from quire.toolkit.agreement import ranks_of
from quire.toolkit.selection import (
    AskedRows,
    StepSelection,
    raise_unreadable,
    require_found,
    select_names,
    select_steps,
)
from quire.toolkit.wanted_units import WantedUnits

if TYPE_CHECKING:
    from quire import Step, Table
    from quire.beam.quantities import Quantity

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class StatisticsRequest:
    """Which columns of which table, which rows, and the column of their weights. None is all or none."""

    columns: Sequence[str] | None = None
    table: str = ""
    where: str | None = None
    weight: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of columns by name, instead of those of the file."""
    rows: slice = field(default_factory=lambda: slice(None))


@dataclass(frozen=True)
class ColumnStatistics:
    """Numbers of a column. `sigma` is the rms deviation from the mean, in population form; `rms` that from 0.

    Values that are not finite are left out and counted in `others`.
    """

    name: str
    unit: str
    count: int
    others: int
    weight: float
    minimum: float
    maximum: float
    mean: float
    sigma: float

    def in_unit(self, units: WantedUnits) -> ColumnStatistics:
        """Independent. Return the numbers in the wanted unit."""
        numbers = self.minimum, self.maximum, self.mean, self.sigma
        minimum, maximum, mean, sigma = (float(units.convert(self, one)) for one in numbers)
        unit = units.of(self).unit
        return replace(self, unit=unit, minimum=minimum, maximum=maximum, mean=mean, sigma=sigma)

    @property
    def rms(self) -> float:
        """The root of the mean square."""
        return math.hypot(self.mean, self.sigma)


@dataclass(frozen=True)
class StepStatistics:
    """The columns of one step."""

    number: int
    table: str
    rows: int
    columns: Sequence[ColumnStatistics]

    @property
    def chosen(self) -> int | None:
        """How many rows are selected, of which the numbers are; None if there is no column."""
        return next((one.count + one.others for one in self.columns), None)

    @property
    def quantities(self) -> list[Quantity]:
        """The same numbers by names such as `mean_x`."""
        from quire.beam.quantities import Quantity

        return [
            Quantity(f"{what}_{one.name}", float(getattr(one, what)), one.unit if place else "", text)
            for one in self.columns
            for place, (what, text) in enumerate(STATISTICS.items())
        ]


STATISTICS: Final = {
    "count": "number of values",
    "minimum": "least value",
    "maximum": "greatest value",
    "mean": "mean",
    "sigma": "rms deviation from the mean",
    "rms": "root of the mean square",
}
"""The numbers of a column."""

Part = list[tuple[Moments | None, int]]
"""For each column its moments and the number of values that are not finite."""


def statistics_of(step: Step, request: StatisticsRequest, comm: Any = None) -> StepStatistics:
    """Collective. Return the statistics of the columns of a step, the same for any number of ranks.

    Raises MissingError for missing tables and columns, TypeMismatchError for columns of text.
    """
    ranks = ranks_of(comm)
    table, names = ranks.agreed(lambda: chosen_columns(step, request))
    if not names:
        return StepStatistics(step.number, table.name, len(table), [])
    used = list(dict.fromkeys([*names, *([request.weight] if request.weight else [])]))
    origin = np.array(ranks.gather(lambda: first_values(table, names, request))[0])
    first, count = even_slice(block_count(table), ranks.rank, ranks.size)

    def blocks() -> Iterator[tuple[int, Part | None]]:
        last = first + count
        found = fixed_blocks(table, used, request.where, first, last, request.rows)
        parts = ((number, part_of(values, names, request.weight, origin)) for number, _, values in found)
        return filled(first, last, parts)

    total = add_all(ranks.gather, blocks, merge_parts) or [(None, 0)] * len(names)
    found = [
        summary(name, table[name].unit, moments, others, float(start)).in_unit(WantedUnits(request.units))
        for name, (moments, others), start in zip(names, total, origin, strict=True)
    ]
    return StepStatistics(step.number, table.name, len(table), found)


def table_of(step: Step, request: StatisticsRequest) -> Table:
    """Independent. Return the table of the name that is asked for, by default the first."""
    return step.tables[request.table] if request.table else step.table


def chosen_columns(step: Step, request: StatisticsRequest) -> tuple[Table, list[str]]:
    """Independent. Return the table and the names of its columns of numbers."""
    table = table_of(step, request)
    numbers = [name for name, column in table.columns.items() if column.dtype.kind in "iuf"]
    names = numbers if request.columns is None else select_names(request.columns, list(table), "column")
    for name in [*names, *([request.weight] if request.weight else [])]:
        if table[name].dtype.kind not in "iuf":
            raise TypeMismatchError("the column contains text, which has no statistics", object=name)
    WantedUnits(request.units).require_fitting(table[name] for name in names)
    return table, names


def first_values(table: Table, names: Sequence[str], request: StatisticsRequest) -> list[float]:
    """Independent. Return a value of each column near which the others are: deviations are summed."""
    for _, _, values in fixed_blocks(table, names, request.where, 0, block_count(table), request.rows):
        means = []
        for name in names:
            numbers = values[name].astype(np.float64, copy=False)
            finite = numbers[np.isfinite(numbers)]
            means.append(float(np.median(finite)) if len(finite) else 0.0)
        return means
    return [0.0] * len(names)


def part_of(values: Any, names: Sequence[str], weight: str | None, origin: Array) -> Part:
    """Independent. Return the moments of each column of a block."""
    found: Part = []
    weights = None if weight is None else np.abs(values[weight].astype(np.float64))
    for name, start in zip(names, origin, strict=True):
        numbers = values[name].astype(np.float64, copy=False)
        kept = np.isfinite(numbers)
        others = int(len(kept) - np.count_nonzero(kept))
        numbers = numbers[kept]
        given = np.ones(len(numbers)) if weights is None else weights[kept]
        found.append((moments_of(numbers[None], given, np.array([start])) if len(numbers) else None, others))
    return found


def merge_parts(a: Part, b: Part) -> Part:
    """Independent. Return the sums of two blocks, column by column."""
    return [
        (merge_moments(left, right) if left is not None and right is not None else left or right, m + n)
        for (left, m), (right, n) in zip(a, b, strict=True)
    ]


def summary(name: str, unit: str, moments: Moments | None, others: int, origin: float) -> ColumnStatistics:
    """Independent. Return the numbers of a column."""
    if moments is None:
        return ColumnStatistics(name, unit, 0, others, 0.0, math.nan, math.nan, math.nan, math.nan)
    variance = float(moments.covariance()[0, 0, 0])
    return ColumnStatistics(
        name,
        unit,
        int(moments.count[0]),
        others,
        float(moments.weight[0]),
        float(moments.least[0, 0]),
        float(moments.greatest[0, 0]),
        float(origin + moments.mean[0, 0]),
        math.sqrt(variance) if variance >= 0 else math.nan,
    )


def statistics(
    path: str | Path,
    request: StatisticsRequest | None = None,
    *,
    comm: Any = None,
    steps: StepSelection | None = None,
    observe: Callable[[Any], None] | None = None,
    **options: Any,
) -> Iterator[StepStatistics]:
    """Collective. Yield the statistics of each selected step of a file, in bounded memory.

    `comm` is an mpi4py communicator whose ranks share the rows of each step. Raises errors of opening and
    reading, and those of `statistics_of`.
    """
    asked = request or StatisticsRequest()
    agreed(core_comm(comm), "statistics of", lambda: (asked, steps))
    count = 0
    rows = AskedRows(asked.rows)
    with quire.open(path, comm=comm, **options) as file:
        for _, step in select_steps(file, steps):
            count += 1
            if rows.note([table_of(step, asked)]):
                yield statistics_of(step, asked, comm)
        raise_unreadable(file, steps)
        require_found(count, steps, path)
        rows.require(path)
        if not count and asked.columns is not None and file.declared is not None:
            chosen_columns(file.declared, asked)
        if observe is not None:
            observe(file)
