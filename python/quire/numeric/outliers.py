"""Outliers of a column: which rows they are, and what replaces them.

Source of the definitions: specs/sdds-toolkit.md, section 7.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.numeric.arrays import Numbers, as_vector, require, require_same_length
from quire.numeric.histograms import Wanted, histogram

Replacement = Literal["last", "next", "interpolated"]


@dataclass(frozen=True)
class OutlierCriteria:
    """What makes a row an outlier: any of the criteria that are given. Without one: two standard deviations.

    deviations : more than so many standard deviations (divisor n-1) from the mean
    absolute : a magnitude above this
    absolute_deviation : a distance from the mean above this
    minimum, maximum : below, above
    chance : the probability that one of n values of a Gaussian is so far from the mean is below this
    lower_percentile, upper_percentile : below, above these elements floor((n-1) p/100) of the sorted values
    unpopular_bins : outside of the fullest of so many bins between minimum and maximum
    passes : how often criteria are applied, each time to the rows that remain
    """

    deviations: float | None = None
    absolute: float | None = None
    absolute_deviation: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    chance: float | None = None
    lower_percentile: float | None = None
    upper_percentile: float | None = None
    unpopular_bins: int | None = None
    passes: int = 1

    @property
    def is_empty(self) -> bool:
        """Whether no criterion is given."""
        return self == OutlierCriteria(passes=self.passes)


def is_outlier(
    values: ArrayLike, criteria: OutlierCriteria | None = None, known: ArrayLike | None = None
) -> NDArray[np.bool_]:
    """Independent. Return which rows are outliers.

    `known` marks rows that are outliers already, and take no part. NaN takes no part either, and is no
    outlier. Raises UsageError for criteria that make no sense, ConflictError for different lengths.
    """
    values = as_vector(values)
    criteria = criteria or OutlierCriteria()
    if criteria.is_empty:
        criteria = OutlierCriteria(deviations=2.0, passes=criteria.passes)
    require(criteria.passes >= 1, f"the number of passes is 1 or more, not {criteria.passes}")
    for percent in (criteria.lower_percentile, criteria.upper_percentile):
        require(percent is None or 0 <= percent <= 100, f"a percentile is from 0 to 100, not {percent}")
    marked = np.zeros(len(values), bool) if known is None else np.array(known, dtype=bool)
    require_same_length(values=values, known=marked)
    for _ in range(criteria.passes):
        rows = np.flatnonzero(~marked & ~np.isnan(values))
        if not len(rows):
            break
        with np.errstate(all="ignore"):
            found = rows[_outside(values[rows], criteria)]
        if not len(found):
            break
        marked[found] = True
    return marked


def _outside(values: Numbers, criteria: OutlierCriteria) -> NDArray[np.bool_]:
    """Return which values violate one criterion or more."""
    found = np.zeros(len(values), bool)
    distance = np.abs(values - values.mean())
    sigma = values.std(ddof=1) if len(values) > 1 else math.nan
    if criteria.deviations is not None:
        found |= distance > criteria.deviations * sigma
    if criteria.absolute is not None:
        found |= np.abs(values) > criteria.absolute
    if criteria.absolute_deviation is not None:
        found |= distance > criteria.absolute_deviation
    if criteria.minimum is not None:
        found |= values < criteria.minimum
    if criteria.maximum is not None:
        found |= values > criteria.maximum
    if criteria.chance is not None:
        from scipy.special import erfc

        # 1 - (1 - p)^n, without the loss of digits of small p.
        single = erfc((distance / sigma / math.sqrt(2)).astype(np.float64))
        found |= -np.expm1(len(values) * np.log1p(-single)) < criteria.chance
    if criteria.lower_percentile is not None or criteria.upper_percentile is not None:
        ordered = np.sort(values)
        low, high = criteria.lower_percentile or 0.0, criteria.upper_percentile
        found |= values < ordered[int((len(values) - 1) * low / 100)]
        if high is not None:
            found |= values > ordered[int((len(values) - 1) * high / 100)]
    if criteria.unpopular_bins is not None and np.isfinite(values).any():
        counted = histogram(values, Wanted(count=criteria.unpopular_bins))
        found |= counted.bins.place(values) != int(counted.frequency.argmax()) + 1
    return found


def replaced(
    values: ArrayLike, marked: ArrayLike, by: Replacement | float, x: ArrayLike | None = None
) -> Numbers:
    """Independent. Return values whose marked rows have another value: the last good one before, the next
    good one, the line between both (over x, or over rows), or a number.

    Where there is no good row on a side that is needed, the result is NaN.
    """
    values = as_vector(values).copy()
    rows = np.array(marked, dtype=bool)
    places = np.arange(len(values), dtype=np.float64) if x is None else as_vector(x, "x")
    require_same_length(values=values, marked=rows, x=places)
    if not isinstance(by, str):
        values[rows] = by
        return values
    require(
        by in ("last", "next", "interpolated"),
        f"outliers are replaced by last, next or interpolated, not {by}",
    )
    index = np.arange(len(values))
    before = np.maximum.accumulate(np.where(rows, -1, index))[rows]
    after = np.minimum.accumulate(np.where(rows, len(values), index)[::-1])[::-1][rows]
    padded = np.concatenate([values, [np.nan]])  # the row after the last, and -1, are missing
    after_place = np.where(after == len(values), -1, after)
    if by == "last":
        values[rows] = padded[before]
    elif by == "next":
        values[rows] = padded[after_place]
    else:
        with np.errstate(all="ignore"):
            at = np.concatenate([places, [np.nan]])
            share = (places[rows] - at[before]) / (at[after_place] - at[before])
            values[rows] = padded[before] + share * (padded[after_place] - padded[before])
    return values
