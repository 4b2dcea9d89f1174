"""Sequences, and samples of distributions.

    halton(1000, radix=2)                              # numbers between 0 and 1, quasi-random
    truncated_gaussian(uniform_numbers(1000, seed=7), sigma=1e-3, limit=2)

A distribution is a function of numbers between 0 and 1, random or quasi-random ones. Source of the
definitions: specs/sdds-toolkit.md, section 7.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quire.errors import UsageError
from quire.numeric.arrays import Doubles, Numbers, as_doubles, require, require_data, require_same_length


@dataclass(frozen=True)
class Progression:
    """An arithmetic sequence: two of end, number and delta, where `number` counts rows.

    begin : the first value; without it the sequence continues the one before by its own delta
    interval : for how many rows each value is held

    Values are whole if begin, end and the step from one to the next are of type int.
    """

    begin: float | None = None
    end: float | None = None
    number: int | None = None
    delta: float | None = None
    interval: int = 1

    def values(self, last: float | None = None) -> Numbers:
        """Independent. Return the values, after a sequence that ended with `last`."""
        given = [one is not None for one in (self.end, self.number, self.delta)]
        require(sum(given) == 2, "a sequence needs two of end, number and delta")
        require(self.interval >= 1, f"values are held for 1 row or more, not {self.interval}")
        require(self.number is None or self.number >= 0, f"a sequence has 0 rows or more, not {self.number}")
        begin = self._begin(last)
        if isinstance(self.end, float) or isinstance(self.delta, float):
            begin = float(begin)
        if self.number is not None:
            count = math.ceil(self.number / self.interval)
            delta = self.delta
            if delta is None:
                # Continued, the steps are counted from the last value of the sequence before.
                steps = count - 1 if self.begin is not None else count
                delta = quotient((self.end or 0) - begin, steps) if steps > 0 else 0
                begin = begin if self.begin is not None else begin + delta
            values = progression(begin, delta, count)
            if self.end is not None and count:
                values[-1] = self.end if count > 1 or self.begin is None else begin
            return np.repeat(values, self.interval)[: self.number]
        delta, end = self.delta or 0, self.end or 0
        require(
            delta != 0 and (end - begin) * delta >= 0,
            f"steps of {delta:g} from {begin:g} never reach {end:g}",
        )
        count = math.floor((end - begin) / delta * (1 + 1e-12) + 1e-9) + 1
        return np.repeat(progression(begin, delta, count), self.interval)

    def _begin(self, last: float | None) -> float:
        """Return the first value, or for a number of rows that end somewhere the last one before."""
        if self.begin is not None:
            return self.begin
        if last is None:
            raise UsageError("the first sequence needs its begin")
        return last if self.delta is None else last + self.delta


def quotient(value: float, steps: int) -> float:
    """Independent. Return a quotient, a whole number of type int if it is one of such a number."""
    return value // steps if isinstance(value, int) and value % steps == 0 else value / steps


def progression(begin: float, delta: float, count: int) -> Numbers:
    """Independent. Return `count` values from `begin` at equal distances: int64 if both numbers are of type
    int and all values fit, else float64.
    """
    last = begin + delta * max(count - 1, 0)
    whole = isinstance(last, int) and max(abs(begin), abs(delta), abs(last)) < 1 << 63
    numbers = np.arange(count, dtype=np.int64)
    return begin + delta * numbers if whole else float(begin) + float(delta) * numbers


def sequence(*parts: Progression) -> Numbers:
    """Independent. Return arithmetic sequences one after another, integers if all are whole.

    Raises UsageError for those that never end.
    """
    values: list[Numbers] = []
    for part in parts:
        last = next((one[-1].item() for one in reversed(values) if len(one)), None)
        values.append(part.values(last))
    return np.concatenate(values) if values else np.empty(0)


def uniform_numbers(count: int, seed: int | Sequence[int]) -> Doubles:
    """Independent. Return random numbers inside of 0 and 1, never at the ends. The same seed gives the same
    numbers.

    A seed may be several numbers, such as one of the run and one of the column. PCG64 of NumPy.
    """
    bits = np.random.Generator(np.random.PCG64(seed)).integers(0, 1 << 52, count, dtype=np.int64)
    return np.asarray((bits + 0.5) / float(1 << 52), dtype=np.float64)


def halton(count: int, radix: int = 2, offset: int = 0) -> Doubles:
    """Independent. Return numbers offset + 1 ... offset + count of the Halton sequence of a radix (van der
    Corput): the digits of the number, mirrored at the point. Columns of one sample need different primes.
    """
    require(radix >= 2, f"the radix is 2 or more, not {radix}")
    require(offset >= 0 and count >= 0, "the offset and the number of values are 0 or more")
    numbers = np.arange(offset + 1, offset + count + 1, dtype=np.int64)
    result = np.zeros(count)
    scale = 1.0
    while numbers.any():
        scale /= radix
        result += scale * (numbers % radix)
        numbers //= radix
    return result


def shuffled(numbers: ArrayLike, seed: int | Sequence[int], group: int = 0) -> Doubles:
    """Independent. Return numbers in random order. Columns of one group have the same order, of others
    another one.
    """
    numbers = as_doubles(numbers, "numbers")
    seeds = [seed] if isinstance(seed, int) else list(seed)
    order = np.random.Generator(np.random.PCG64([*seeds, group])).permutation(len(numbers))
    return numbers[order]


def uniform(numbers: ArrayLike, low: float = 0.0, high: float = 1.0) -> Doubles:
    """Independent. Return the uniform distribution between two limits."""
    require(low <= high, f"the limits are not in order: {low:g} and {high:g}")
    return low + (high - low) * _checked(numbers)


def gaussian(numbers: ArrayLike, mean: float = 0.0, sigma: float = 1.0) -> Doubles:
    """Independent. Return the normal distribution."""
    from scipy.special import ndtri

    require(sigma >= 0, f"sigma is 0 or more, not {sigma}")
    return np.asarray(mean + sigma * ndtri(_checked(numbers)))


def truncated_gaussian(
    numbers: ArrayLike, mean: float = 0.0, sigma: float = 1.0, limit: float = 3.0
) -> Doubles:
    """Independent. Return the normal distribution inside of `limit` standard deviations on both sides."""
    from scipy.special import ndtr, ndtri

    require(sigma >= 0 and limit > 0, "sigma is 0 or more, and the limit positive")
    low = ndtr(-limit)
    found = ndtri(low + (1 - 2 * low) * _checked(numbers))
    return np.asarray(mean + sigma * np.clip(found, -limit, limit))


def poisson(numbers: ArrayLike, mean: float) -> Doubles:
    """Independent. Return the Poisson distribution, whole numbers as float64."""
    from scipy.stats import poisson as distribution

    require(mean >= 0 and math.isfinite(mean), f"the mean is 0 or more, not {mean}")
    return np.asarray(distribution.ppf(_checked(numbers), mean), dtype=np.float64)


def tabulated(numbers: ArrayLike, x: ArrayLike, density: ArrayLike) -> Doubles:
    """Independent. Return the distribution with a density that is tabulated at ascending x.

    Between two rows the density is a line, so that its running integral (trapezoids) is inverted without
    error. Raises DataError for negative densities, and for those without area.
    """
    places, values = as_doubles(x, "x"), as_doubles(density, "density")
    require_same_length(x=places, density=values)
    require_data(len(places) > 1, "a tabulated density needs two rows or more")
    require_data(bool((np.diff(places) > 0).all()), "x does not ascend", "sort by it")
    require_data(bool((values >= 0).all()), "a density is 0 or more everywhere")
    widths = np.diff(places)
    areas = widths * (values[1:] + values[:-1]) / 2
    parts = np.flatnonzero(areas > 0)
    total = float(areas.sum())
    require_data(len(parts) > 0 and math.isfinite(total), "a density has an area, and is finite")
    ends = np.cumsum(areas[parts])
    wanted = _checked(numbers) * ends[-1]
    place = np.minimum(np.searchsorted(ends, wanted, side="right"), len(parts) - 1)
    part = parts[place]
    area = np.clip(wanted - (ends[place] - areas[part]), 0.0, areas[part])
    first, slope = values[part], (values[part + 1] - values[part]) / widths[part]
    root = np.sqrt(np.maximum(first**2 + 2 * slope * area, 0.0))
    with np.errstate(invalid="ignore"):
        step = np.where(area > 0, 2 * area / (first + root), 0.0)
    return np.asarray(places[part] + np.minimum(step, widths[part]))


def cumulative(numbers: ArrayLike, x: ArrayLike, distribution: ArrayLike) -> Doubles:
    """Independent. Return the distribution whose cumulative function is tabulated at ascending x; it is
    scaled to end with 1. Raises DataError if it or x decreases, or if it does not grow.
    """
    places, values = as_doubles(x, "x"), as_doubles(distribution, "distribution")
    require_same_length(x=places, distribution=values)
    require_data(len(places) > 1, "a tabulated distribution needs two rows or more")
    require_data(bool((np.diff(places) > 0).all()), "x does not ascend", "sort by it")
    require_data(bool((np.diff(values) >= 0).all()), "a cumulative distribution decreases")
    require_data(
        math.isfinite(values[-1]) and values[-1] > values[0], "a cumulative distribution does not grow"
    )
    # Only the ends of level parts: numbers never fall into places without density.
    is_end = np.concatenate([[True], np.diff(values) > 0]) | np.concatenate([np.diff(values) > 0, [True]])
    places, values = places[is_end], (values[is_end] - values[0]) / (values[-1] - values[0])
    return np.asarray(np.interp(_checked(numbers), values, places))


def _checked(numbers: ArrayLike) -> Doubles:
    """Return numbers that are probabilities."""
    array = as_doubles(numbers, "numbers")
    require(bool(((array >= 0) & (array <= 1)).all()), "numbers of a distribution are from 0 to 1")
    return array
