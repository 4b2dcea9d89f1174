"""The statistics of the reports, all definitions in one place: any number can be computed again by hand."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
READ_FACTOR = 20.0
WRITE_FACTOR = 12.0


@dataclass(frozen=True)
class Summary:
    """What is said of some numbers. The deviation and the interval of the median need two of them."""

    count: int
    minimum: float
    first_quartile: float
    median: float
    third_quartile: float
    maximum: float
    mean: float
    deviation: float | None
    """Of the sample: its squares are divided by one less than the count."""
    low: float | None
    """The lower end of the 95 % bootstrap interval of the median."""
    high: float | None


def quantile(values: Sequence[float], share: float) -> float:
    """Independent. By linear interpolation between order statistics: at `share * (n - 1)`, counted from 0."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def median_interval(values: Sequence[float], key: str) -> tuple[float, float]:
    """Independent. The 95 % percentile bootstrap interval of the median.

    10000 resamples of the same count are drawn by NumPy's default generator, seeded by the CRC-32 of `key`;
    the interval reaches from the 2.5 % to the 97.5 % quantile of their medians.
    """
    generator = np.random.default_rng(zlib.crc32(key.encode()))
    places = generator.integers(0, len(values), (RESAMPLES, len(values)))
    medians = np.median(np.asarray(values, np.float64)[places], axis=1)
    outside = (1 - CONFIDENCE) / 2
    low, high = np.quantile(medians, [outside, 1 - outside])
    return float(low), float(high)


def summarise(values: Sequence[float], key: str) -> Summary:
    """Independent. The summary of at least one number; `key` seeds the bootstrap."""
    count = len(values)
    mean = math.fsum(values) / count
    squares = math.fsum((value - mean) ** 2 for value in values)
    low, high = median_interval(values, key) if count > 1 else (None, None)
    return Summary(
        count,
        min(values),
        quantile(values, 0.25),
        quantile(values, 0.5),
        quantile(values, 0.75),
        max(values),
        mean,
        math.sqrt(squares / (count - 1)) if count > 1 else None,
        low,
        high,
    )


def outlier_limit(values: Sequence[float], factor: float) -> float | None:
    """Independent. Above the third quartile by `factor` interquartile ranges; None if that range is 0."""
    if not values:
        return None
    first, third = quantile(values, 0.25), quantile(values, 0.75)
    return third + factor * (third - first) if third > first else None


def outliers(values: Sequence[float], factor: float) -> list[int]:
    """Independent. The places of the values above the limit."""
    limit = outlier_limit(values, factor)
    return [] if limit is None else [place for place, value in enumerate(values) if value > limit]
