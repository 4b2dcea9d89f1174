"""Gaussians that fit the counts in bins."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from quire.numeric.fits import Settings, fit
from quire.numeric.histograms import Bins
from quire.numeric.models import MODELS

Array = np.ndarray[Any, Any]

LEAST_BINS: Final = 4
"""Bins with rows that determine a Gaussian and its chi squared."""


def gaussian(axis: Bins, counts: Array, *, is_weighted: bool) -> dict[str, Any]:
    """Independent. Return the Gaussian that fits counts best, with its errors and chi squared, for the page.

    The error of a count is its root, and that of an empty bin 1. Sums of weights have no known errors, so
    their chi squared is not known either.
    """
    filled = int(np.count_nonzero(counts))
    if filled < LEAST_BINS:
        message = f"{filled} bins with rows do not determine a Gaussian"
        return {"isConverged": False, "isTried": False, "message": message}
    errors = None if is_weighted else np.sqrt(np.maximum(counts, 1))
    # Values around 0 with a size of 1: those of a femtosecond have squares of 1e-30.
    shift, size = 0.5 * (axis.lower + axis.upper), 0.5 * (axis.upper - axis.lower)
    settings = Settings(fixed={"baseline": 0.0})
    try:
        found = fit(MODELS["gaussian"], (axis.centers - shift) / size, counts, errors, settings)
    except ModuleNotFoundError as problem:
        return {"isConverged": False, "isTried": False, "message": f"it needs the package {problem.name}"}
    values, sigmas, quality = found.values, found.sigmas, found.goodness
    degrees = quality.points - quality.parameters
    return {
        "isConverged": found.is_converged,
        "isTried": True,
        "message": found.message,
        "height": values["height"],
        "mean": shift + size * values["mean"],
        "sigma": size * values["sigma"],
        "meanError": size * sigmas["mean"],
        "sigmaError": size * sigmas["sigma"],
        "chiSquared": None if is_weighted else quality.reduced_chi_squared * degrees,
        "degrees": degrees,
    }
