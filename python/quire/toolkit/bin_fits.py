"""Gaussians that fit the counts in bins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire.numeric.fits import Settings, fit
from quire.numeric.histograms import Bins
from quire.numeric.models import MODELS

Array = np.ndarray[Any, Any]

LEAST_BINS: Final = 4
"""Bins with rows that determine a Gaussian and its chi squared."""

CURVE_POINTS: Final = 240
"""Curves of fits to few bins have so many points."""


@dataclass(frozen=True)
class BinFit:
    """A Gaussian with its errors, or why there is none."""

    message: str
    is_tried: bool = False
    is_converged: bool = False
    height: float = math.nan
    mean: float = math.nan
    sigma: float = math.nan
    height_error: float = math.nan
    mean_error: float = math.nan
    sigma_error: float = math.nan
    chi_squared: float | None = None
    """None for sums of weights, which have no known errors."""
    degrees: int = 0

    @property
    def remark(self) -> str:
        """Why a fit that converged means nothing; empty if it does mean something."""
        if not self.is_converged or self.sigma_error <= abs(self.sigma):
            return ""
        return "the error of sigma is larger than sigma, so the fit means nothing"

    def at(self, x: Array) -> Array:
        """Independent. Return the counts of a bin around each place."""
        found: Array = self.height * np.exp(-0.5 * ((x - self.mean) / self.sigma) ** 2)
        return found

    def curve(self, axis: Bins, *, is_cumulative: bool) -> tuple[Array, Array]:
        """Independent. Return the curve over bins, or that of the sums up to the end of each bin."""
        edges = axis.edges
        if is_cumulative:
            return edges, np.concatenate([[0.0], np.cumsum(self.at((edges[1:] + edges[:-1]) / 2))])
        x = np.linspace(axis.lower, axis.upper, axis.count * math.ceil(CURVE_POINTS / axis.count) + 1)
        return x, self.at(x)


def gaussian(axis: Bins, counts: Array, *, is_weighted: bool) -> BinFit:
    """Independent. Return the Gaussian that fits counts best, with its errors and chi squared.

    The error of a count is its root, and that of an empty bin 1. Sums of weights have no known errors, so
    their chi squared is not known either.
    """
    filled = int(np.count_nonzero(counts))
    if filled < LEAST_BINS:
        return BinFit(f"it needs {LEAST_BINS} bins with rows, and finds {filled}")
    errors = None if is_weighted else np.sqrt(np.maximum(counts, 1))
    # Values around 0 with a size of 1: those of a femtosecond have squares of 1e-30.
    shift, size = 0.5 * (axis.lower + axis.upper), 0.5 * (axis.upper - axis.lower)
    settings = Settings(fixed={"baseline": 0.0})
    try:
        found = fit(MODELS["gaussian"], (axis.centers - shift) / size, counts, errors, settings)
    except ModuleNotFoundError as problem:
        return BinFit(f"it needs the package {problem.name}")
    values, sigmas, quality = found.values, found.sigmas, found.goodness
    degrees = quality.points - quality.parameters
    return BinFit(
        found.message,
        is_tried=True,
        is_converged=found.is_converged,
        height=values["height"],
        mean=shift + size * values["mean"],
        sigma=size * values["sigma"],
        height_error=sigmas["height"],
        mean_error=size * sigmas["mean"],
        sigma_error=size * sigmas["sigma"],
        chi_squared=None if is_weighted else quality.reduced_chi_squared * degrees,
        degrees=degrees,
    )
