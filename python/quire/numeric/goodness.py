"""How well a fit describes its data."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from quire.numeric.arrays import Numbers


@dataclass(frozen=True)
class Goodness:
    """Numbers about the residuals r = y - fit of N rows and a fit of M parameters.

    rms : sqrt(sum r^2 / N)
    reduced_chi_squared : sum (r / sigma)^2 / (N - M), with sigma = 1 if no errors were given; NaN unless N >
        M
    significance : the probability of this chi squared or a larger one if the fit is right; NaN without errors
    """

    rms: float
    reduced_chi_squared: float
    significance: float
    points: int
    parameters: int


def goodness(residuals: Numbers, sigmas: Numbers | None, parameters: int) -> Goodness:
    """Independent. Return the numbers of a fit. specs/sdds-toolkit.md, section 7.5."""
    points = len(residuals)
    free = points - parameters
    if not points:
        return Goodness(math.nan, math.nan, math.nan, 0, parameters)
    with np.errstate(all="ignore"):
        rms = float(np.sqrt(np.mean(residuals**2)))
        chi = float(np.sum((residuals / (1.0 if sigmas is None else sigmas)) ** 2))
    if free < 1:
        return Goodness(rms, math.nan, math.nan, points, parameters)
    significance = math.nan
    if sigmas is not None and math.isfinite(chi):
        from scipy.special import gammaincc

        significance = float(gammaincc(free / 2, chi / 2))
    return Goodness(rms, chi / free, significance, points, parameters)
