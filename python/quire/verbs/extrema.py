"""Peaks and zeros of columns, and rows that are outliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import numpy as np

from quire.errors import UsageError
from quire.numeric import extrema
from quire.numeric.extrema import PeakCriteria
from quire.numeric.outliers import OutlierCriteria, is_outlier, replaced
from quire.verbs.numbers import (
    about,
    computed,
    expression_unit,
    names_besides,
    number_names,
    numbers_of,
    with_texts_of,
)
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import NewColumn, StepLike, taken, with_other_rows

S = TypeVar("S", bound=StepChain)


def single_column(table: Any, name: str) -> str:
    """Independent. Return a column of numbers. Raises UsageError for a pattern of several."""
    names = number_names([name], table)
    if len(names) > 1:
        raise UsageError(f"'{name}' names several columns: {', '.join(names)}")
    return names[0]


class PeakKeywords(TypedDict, total=False):
    """The keyword arguments of `peaks`."""

    threshold: float | None
    points: int
    exclusion_zone: float
    change: float
    curvature: float | None


def peaks(chain: S, column: str, *, versus: str = "", **criteria: Unpack[PeakKeywords]) -> S:
    """Independent. Keep the rows in which a column exceeds those before and after. Attributes stay.

    Rows at the ends and plateaus never count, nor do rows next to NaN.

    Parameters
    ----------
    versus : the column for the curvature; without it rows have the distance 1
    threshold : the least value
    points : 3, 5 or 7 rows that rise up to the peak and fall after it
    exclusion_zone : fraction of the rows; of peaks that are nearer only the highest remains
    change : the least descent on both sides, as a fraction of the peak
    curvature : the least magnitude of the second derivative

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     chain.hist("z", bins=9).peaks("z_frequency").read()["z"].round(5).tolist()
    [0.00035]
    """
    wanted = PeakCriteria(**criteria)

    def kept(step: StepLike, table: Any) -> StepLike:
        name = single_column(table, column)
        found = numbers_of(table, [name, *([versus] if versus else ())])
        with about(step, name):
            rows = extrema.peaks(found[name], found.get(versus), wanted)
        return with_other_rows(step, taken(table, rows))

    return chain.each(kept)


def zeros(chain: S, column: str, *, versus: str, level: float = 0.0) -> S:
    """Independent. Make a row of each place where a column changes its sign, or is 0. Attributes stay.

    The place is found by linear interpolation; other columns of numbers have their values there, and
    `NAME_slope` is the slope of the column. Several zeros in a row count once, in their middle. NaN has no
    sign.

    Parameters
    ----------
    versus : the column of places
    level : find where the column has this value instead

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     level = chain.hist("z", bins=9).zeros("z_frequency", versus="z", level=100.0)
    ...     level.read()["z"].round(4).tolist()
    [-0.0019, 0.0019]
    """
    if not np.isfinite(level):
        raise UsageError(f"a level is a finite number, not {level}")

    def found_in(step: StepLike, table: Any) -> StepLike:
        name = single_column(table, column)
        others = names_besides(table, ["*"], versus)
        found = numbers_of(table, [versus, *others])
        with about(step, name):
            one = extrema.zeros(found[name], found[versus], -level)
        made = [
            with_texts_of(table[other], one.of(found[other]) if other != versus else one.x)
            for other in table
            if other in found
        ]
        unit = expression_unit("y/x", y=table[name].unit, x=table[versus].unit)
        made.append(NewColumn(f"{name}_slope", one.slopes, unit))
        return computed(step, table, made, len(one.x))

    return chain.each(found_in)


class OutlierKeywords(TypedDict, total=False):
    """The keyword arguments of `outliers`."""

    deviations: float | None
    absolute: float | None
    absolute_deviation: float | None
    minimum: float | None
    maximum: float | None
    chance: float | None
    lower_percentile: float | None
    upper_percentile: float | None
    unpopular_bins: int | None
    passes: int
    invert: bool
    mark: str
    replace: Literal["last", "next", "interpolated"] | float | None
    versus: str


@dataclass(frozen=True)
class Action:
    """What `outliers` does with rows."""

    invert: bool = False
    mark: str = ""
    replace: Literal["last", "next", "interpolated"] | float | None = None
    versus: str = ""

    def __post_init__(self) -> None:
        if sum([self.invert, bool(self.mark), self.replace is not None]) > 1:
            raise UsageError(
                "outliers are kept (--invert), marked (--mark) or replaced (--replace): choose one"
            )
        if self.versus and self.replace != "interpolated":
            raise UsageError("a column of places (--versus) belongs to --replace interpolated")


def outliers(chain: S, *columns: Names, **how: Unpack[OutlierKeywords]) -> S:
    """Independent. Leave out the rows in which a column is an outlier, with a warning that says how many.

    Each column is judged alone, and one is enough. NaN takes no part, and is no outlier. Without a criterion
    outliers are more than 2 standard deviations from the mean.

    Parameters
    ----------
    deviations : standard deviations (divisor n-1) from the mean
    absolute, absolute_deviation : the greatest magnitude, the greatest distance from the mean
    minimum, maximum : the least and the greatest value
    chance : the least probability that one of n values of a Gaussian is so far from the mean
    lower_percentile, upper_percentile : limits by the sorted values
    unpopular_bins : keep the fullest of so many bins alone
    passes : apply the criteria so often, each time to the rows that remain
    invert : keep the outliers instead
    mark : leave all rows, and add a column of this name, which is 1 for outliers; where there is such a
        column, its outliers stay, and take no part
    replace : leave all rows, and replace outliers by the `last` or `next` other value of the column, by an
        `interpolated` one, or by a number; where no other value exists, by NaN
    versus : column over which values are interpolated, instead of rows

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     len(next(iter(chain.outliers("x", "y", deviations=3.0))).table)
    1989
    """
    wanted = listed(*columns)
    if not wanted:
        raise UsageError("outliers needs a column")
    of_action: Any = {key: value for key, value in how.items() if key in Action.__dataclass_fields__}
    of_criteria: Any = {key: value for key, value in how.items() if key not in of_action}
    action, criteria = Action(**of_action), OutlierCriteria(**of_criteria)

    def judged(step: StepLike, table: Any) -> StepLike:
        names = number_names(wanted, table)
        known = [action.mark] if action.mark in table.columns else []
        found = numbers_of(table, [*names, *known, *([action.versus] if action.versus else ())])
        before = found[action.mark] != 0 if known else None
        each = {}
        for name in names:
            with about(step, name):
                each[name] = is_outlier(found[name], criteria, before)
        marked = np.any([*each.values()], axis=0)
        if action.mark:
            column = NewColumn(action.mark, marked.astype(np.int16))
            others = [name for name in table if name != action.mark]
            return computed(step, table, [column], len(table), others=others)
        if action.replace is not None:
            made = [
                with_texts_of(
                    table[name], replaced(found[name], each[name], action.replace, found.get(action.versus))
                )
                for name in names
            ]
            others = [name for name in table if name not in names]
            return computed(step, table, made, len(table), others=others)
        kept = with_other_rows(step, taken(table, np.flatnonzero(marked if action.invert else ~marked)))
        left = len(table) - len(kept.table)
        if left and not action.invert:
            kept.warnings.append(
                f"step {step.number}: {left} of {len(table)} rows are outliers, and left out"
            )
        return kept

    return chain.each(judged)
