"""Histograms: the rows of each step become bins of one column, of several, or of two together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict, TypeVar, Unpack

import numpy as np

from quire.beam.moments import Ranks
from quire.errors import ConflictError, DataError, UsageError
from quire.io.attributes import Attribute
from quire.io.bin_counts import BinCounts
from quire.io.histograms import BinnedRows, ColumnBins, Cut, bins_of, joined
from quire.io.types import Array
from quire.numeric.histograms import (
    DEFAULT_BINS_2D,
    Bins,
    Histogram,
    Histogram2D,
    Limits,
    Norm,
    Wanted,
    require_room,
)
from quire.toolkit.agreement import ranks_of
from quire.verbs.numbers import computed, expression_unit, floats_of, number_names, with_texts_of
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import NewColumn, StepLike, new_attribute

S = TypeVar("S", bound=StepChain)

Pair = tuple[float | None, float | None]
"""A lower and an upper limit; None is that of the values."""


@dataclass(frozen=True)
class Binning:
    """What `hist` makes of a table."""

    columns: Sequence[str]
    bins: int | Sequence[int] | None = None
    width: float | Sequence[float] | None = None
    limits: Pair | Sequence[Pair] | None = None
    weight: str = ""
    norm: Norm = "none"
    cdf: bool = False
    sides: bool = False
    common: str = ""
    joint: bool = False
    average: bool = False

    def __post_init__(self) -> None:
        if self.joint and (self.cdf or self.sides or self.common):
            raise UsageError("a joint histogram (--joint) has no --cdf, --sides or --common")
        if self.average and not (self.joint and self.weight):
            raise UsageError(
                "an average (--average) is that of a weight (--weight) in a joint histogram (--joint)"
            )
        if not self.columns:
            raise UsageError("hist needs a column")
        if self.bins is not None and self.width is not None:
            raise UsageError("give either the number of bins (--bins) or their width (--width)")

    def wanted(self, axes: int) -> list[Wanted]:
        """Independent. Return the bins that are asked for, of each axis."""
        bins = each(self.bins, axes, "numbers of bins")
        widths = each(self.width, axes, "widths of bins")
        pair = self.limits
        is_single = pair is not None and len(pair) == 2 and not isinstance(pair[0], Sequence)
        limits: list[Any] = [pair] * axes if is_single else each(pair, axes, "limits")
        return [
            Wanted(count, lower, upper, size)
            for count, (lower, upper), size in zip(
                bins, (ends or (None, None) for ends in limits), widths, strict=True
            )
        ]

    def applied(self, step: StepLike, table: Any, ranks: Ranks) -> StepLike:
        """Collective. Return a step with the histograms of a table, whose rows the ranks share."""
        names = number_names(self.columns, table)
        weight = number_names([self.weight], table)[0] if self.weight else ""
        cut = getattr(table, "cut", None) or Cut(table)  # a table of matching rows has one
        rows = BinnedRows(cut, names, weight, ranks, floats_of)
        made = self.of_pairs if self.joint else self.of_columns
        return made(step, table, names, rows)

    def of_columns(self, step: StepLike, table: Any, names: Sequence[str], rows: BinnedRows) -> StepLike:
        """Collective. Return a step with a histogram of each column."""
        if self.common:
            require_one_unit(table, names)
            axes = common_bins_of(rows, names, self.wanted(1)[0])
        else:
            axes = bins_of(rows, names, self.wanted(len(names)))
        counts = dict(zip(names, rows.counts([[axis] for axis in axes]), strict=True))
        found = {}
        for axis in axes:
            cells = counts[axis.name].cells()
            one = Histogram(axis.bins, cells.sums, cells.outside)
            one = one.with_sides() if self.sides and one.bins.count else one
            found[axis.name] = one.normalized(self.norm)
        length = common_length(found)
        columns: list[NewColumn] = []
        attributes = dict(step.attrs.info)
        for name, one in found.items():
            axis_name = self.common or name
            if axis_name not in (column.name for column in columns):
                columns.append(with_texts_of(table[name], padded(one.bins.centers, length), axis_name))
                attributes.update(of_bins(axis_name, one.bins, table[name].unit))
            unit = self.unit(table, [name])
            columns.append(NewColumn(f"{name}_frequency", padded(one.frequency, length), unit))
            if self.cdf:
                columns.append(NewColumn(f"{name}_cdf", padded(one.cdf, length)))
            attributes[f"{name}_outside"] = new_attribute(f"{name}_outside", one.outside)
        return computed(step, table, columns, length, attributes.values(), lost_rows(step, counts))

    def of_pairs(self, step: StepLike, table: Any, names: Sequence[str], rows: BinnedRows) -> StepLike:
        """Collective. Return a step with the joint histogram of two columns, the second one fastest."""
        if len(names) != 2:
            raise UsageError(f"a joint histogram has two columns, not {len(names)}: {', '.join(names)}")
        axes = bins_of(rows, names, self.wanted(2), DEFAULT_BINS_2D)
        x, y = (axis.bins for axis in axes)
        require_room(x, y)
        counts = rows.counts([axes])[0]
        cells = counts.cells()
        with np.errstate(all="ignore"):
            frequency = np.asarray(cells.sums / cells.rows) if self.average else cells.sums
        found = Histogram2D(x, y, frequency, cells.outside).normalized(self.norm)
        grid = np.meshgrid(x.centers, y.centers, indexing="ij")
        columns = [
            with_texts_of(table[name], centers.reshape(-1)) for name, centers in zip(names, grid, strict=True)
        ]
        columns.append(NewColumn("frequency", found.frequency.reshape(-1), self.unit(table, names)))
        attributes = dict(step.attrs.info)
        for axis in axes:
            attributes.update(of_bins(axis.name, axis.bins, table[axis.name].unit))
        attributes["outside"] = new_attribute("outside", found.outside)
        lost = lost_rows(step, {" or ".join(names): counts})
        return computed(step, table, columns, len(columns[0].read()), attributes.values(), lost)

    def unit(self, table: Any, names: Sequence[str]) -> str:
        """Independent. Return the unit of frequencies: that of the weight, or of a density."""
        if self.norm == "area":
            unit = ""
            for name in names:
                unit = expression_unit("y*x", y=unit, x=table[name].unit)
            return expression_unit("1/x", x=unit)
        return table[self.weight].unit if self.weight and self.norm == "none" else ""


def each(given: Any, axes: int, what: str) -> list[Any]:
    """Independent. Return a value for each axis, of one for all or one for each. Raises UsageError."""
    if given is None or not isinstance(given, Sequence):
        return [given] * axes
    if len(given) not in (1, axes):
        raise UsageError(f"there are {len(given)} {what} for {axes} columns")
    return list(given) * (axes if len(given) == 1 else 1)


def of_bins(name: str, bins: Bins, unit: str) -> dict[str, Attribute]:
    """Independent. Return the attributes that describe the bins of a column."""
    return {
        f"{name}_bins": new_attribute(f"{name}_bins", bins.count),
        f"{name}_bin_size": new_attribute(f"{name}_bin_size", bins.size, unit=unit),
    }


def common_length(found: dict[str, Histogram]) -> int:
    """Independent. Return the number of bins of all histograms that have values. Raises DataError if they
    differ.
    """
    counts = {name: one.bins.count for name, one in found.items() if one.bins.count}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise DataError(
            f"the columns have different numbers of bins: {listed}",
            advice="give their number by --bins, or those of one column to all by --common",
        )
    return next(iter(counts.values()), 0)


def padded(values: Array, rows: int) -> Array:
    """Independent. Return the values of a histogram, NaN if it has no bins."""
    return values if len(values) == rows else np.full(rows, np.nan)


def require_one_unit(table: Any, names: Sequence[str]) -> None:
    """Independent. Raise ConflictError unless all columns have the same unit."""
    units = {table[name].unit for name in names}
    if len(units) > 1:
        listed = ", ".join(f"{name} [{table[name].unit}]" for name in names)
        raise ConflictError(
            f"columns with different units have no common bins: {listed}",
            advice="convert them by select --unit",
        )


def lost_rows(step: StepLike, counts: Mapping[str, BinCounts]) -> list[str]:
    """Independent. Return a warning for columns with values that no limits could include, and for those of
    which none is between the limits.
    """
    found = [
        f"step {step.number}: {one.lost} of {one.rows} values of {name} are NaN or infinite, and in no bin"
        for name, one in counts.items()
        if one.lost
    ]
    return found + [
        f"step {step.number}: no value of {name} is in a bin: all are outside of the range"
        for name, one in counts.items()
        if one.rows > one.lost and not one.cells().rows.any()
    ]


def common_bins_of(rows: BinnedRows, names: Sequence[str], wanted: Wanted) -> list[ColumnBins]:
    """Collective. Return the same bins for all columns, from the least value of all to the greatest."""
    found: Limits | None = None
    for limits in rows.limits(names).values() if wanted.is_open else ():
        found = joined(found, limits)
    bins = wanted.bins(found)
    return [ColumnBins(name, bins) for name in names]


class Keywords(TypedDict, total=False):
    """The keyword arguments of `hist`."""

    bins: int | Sequence[int] | None
    width: float | Sequence[float] | None
    limits: Pair | Sequence[Pair] | None
    weight: str
    norm: Norm
    cdf: bool
    sides: bool
    common: str
    joint: bool
    average: bool


def hist(chain: S, *columns: Names, **how: Unpack[Keywords]) -> S:
    """Independent. Make a row of each bin of a histogram. Attributes stay.

    A bin contains its lower limit, and not its upper one; where no upper limit is given, the last bin has
    the maximum as well. For each column there are the middles of its bins and `NAME_frequency`. A joint
    histogram has a row for each cell of two columns, the second one fastest, and the column `frequency`. The
    attributes `NAME_bins`, `NAME_bin_size` and `NAME_outside`, the number of rows in no bin, are added.

    Parameters
    ----------
    columns : names or patterns
    bins : number of bins, for all columns or for each; default 20, of joint histograms 21
    width : of bins instead; without a lower limit the bins are centred on the values
    limits : lower and upper limit, for all columns or for each; None is the least or greatest value
    weight : column that is summed in place of 1 for each row
    norm : what becomes 1: the `sum`, the `area` under the histogram, or the `peak`
    cdf : add `NAME_cdf`, the share of the rows up to the end of each bin
    sides : add an empty bin at each end
    common : the same bins for all columns, with their middles in a column of this name
    joint : one histogram of two columns
    average : frequencies of a joint histogram are the means of the weight

    A step without values has no bins, unless limits are given; a column without values next to others is NaN.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     chain.hist("x", bins=4).read()["x_frequency"].tolist()
    [52.0, 796.0, 1051.0, 101.0]
    """
    return chain.each(partial(Binning(listed(*columns), **how).applied, ranks=ranks_of(chain._file.comm)))
