"""The table of the 40 reductions: names, units, and what each can be computed across.

Source of the definitions: specs/sdds-toolkit.md, section 5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from quire.errors import UsageError
from quire.near import there_is_no
from quire.numeric import moments, pulses
from quire.numeric.arrays import Numbers
from quire.numeric.moments import Sample

Unit = Literal["y", "x", "y*x", "y/x", "none"]
Direction = Literal["rows", "steps", "columns", "windows"]


@dataclass(frozen=True)
class Options:
    """How values are reduced: y becomes factor * (y + offset) before.

    position : the result is x at the row of an extreme, the first or the last
    percent : the level of a percentile, or the central percentage of a range
    bin_size : of the histogram of a mode
    """

    position: bool = False
    offset: float = 0.0
    factor: float = 1.0
    percent: float | None = None
    bin_size: float | None = None


@dataclass(frozen=True)
class Reduction:
    """A reduction of values y, some with weights, some against another column x.

    name : its name here
    mode : its name in the option `-process` of old scripts
    unit : its unit, as a product of those of y and x
    directions : what it can be computed across
    """

    name: str
    mode: str
    unit: Unit
    compute: Callable[[Sample], Any] | None = None
    """For all leading dimensions at once if `is_wide`, else of one dimension."""
    find: Callable[[Numbers], Numbers] | None = None
    """The place of the row whose value is the result, if it is that of a row."""
    is_magnitude: bool = False
    """Whether the result is the magnitude of the value of the row."""
    is_wide: bool = True
    takes_weights: bool = False
    needs_x: bool = False
    needs_percent: bool = False

    @property
    def directions(self) -> frozenset[Direction]:
        """What it can be computed across: across columns only what needs no x, in windows no pulses."""
        names: set[Direction] = {"rows", "steps"}
        if not self.needs_x:
            names.add("columns")
        if self.is_wide:
            names.add("windows")
        return frozenset(names)

    @property
    def has_position(self) -> bool:
        """Whether it can report x at the row instead."""
        return self.find is not None

    def unit_of(self, options: Options) -> Unit:
        """Independent. Return the unit of its result, which is that of x for a position."""
        return "x" if options.position else self.unit


_LIST = [
    Reduction("mean", "average", "y", moments.mean, takes_weights=True),
    Reduction("rms", "rms", "y", moments.rms, takes_weights=True),
    Reduction("sum", "sum", "y", moments.total, takes_weights=True),
    Reduction("std", "standarddeviation", "y", moments.deviation, takes_weights=True),
    Reduction("mad", "mad", "y", moments.mean_absolute_deviation, takes_weights=True),
    Reduction("sigma", "sigma", "y", moments.mean_error, takes_weights=True),
    Reduction("min", "minimum", "y", find=moments.minimum_row),
    Reduction("max", "maximum", "y", find=moments.maximum_row),
    Reduction("spread", "spread", "y", moments.spread),
    Reduction("smallest", "smallest", "y", find=moments.smallest_row, is_magnitude=True),
    Reduction("largest", "largest", "y", find=moments.largest_row, is_magnitude=True),
    Reduction("signed_smallest", "signedsmallest", "y", find=moments.smallest_row),
    Reduction("signed_largest", "signedlargest", "y", find=moments.largest_row),
    Reduction("median", "median", "y", moments.median),
    Reduction("percentile", "percentile", "y", moments.percentile, needs_percent=True),
    Reduction("quartile_range", "qrange", "y", moments.between(25, 75)),
    Reduction("decile_range", "drange", "y", moments.between(10, 90)),
    Reduction("percentile_range", "prange", "y", moments.central_range, needs_percent=True),
    Reduction("mode", "mode", "y", pulses.mode, is_wide=False),
    Reduction("first", "first", "y", find=moments.first_row),
    Reduction("last", "last", "y", find=moments.last_row),
    Reduction("count", "count", "none", moments.count),
    Reduction("product", "product", "none", moments.product, takes_weights=True),
    Reduction("slope", "slope", "y/x", moments.slope, needs_x=True),
    Reduction("intercept", "intercept", "y", moments.intercept, needs_x=True),
    Reduction("line_deviation", "lfsd", "y", moments.line_deviation, needs_x=True),
    Reduction("integral", "integral", "y*x", moments.integral, needs_x=True),
    Reduction("gill_miller", "gmintegral", "y*x", pulses.gill_miller_integral, is_wide=False, needs_x=True),
    Reduction("correlation", "correlation", "none", moments.correlation, needs_x=True),
    Reduction("base_level", "baselevel", "y", pulses.base_level, is_wide=False),
    Reduction("top_level", "toplevel", "y", pulses.top_level, is_wide=False),
    Reduction("amplitude", "amplitude", "y", pulses.amplitude, is_wide=False),
    Reduction("rise_time", "risetime", "x", pulses.rise_time, is_wide=False, needs_x=True),
    Reduction("fall_time", "falltime", "x", pulses.fall_time, is_wide=False, needs_x=True),
    Reduction("fwhm", "fwhm", "x", pulses.width(0.5, from_base=False), is_wide=False, needs_x=True),
    Reduction("fwtm", "fwtm", "x", pulses.width(0.1, from_base=False), is_wide=False, needs_x=True),
    Reduction("fwha", "fwha", "x", pulses.width(0.5, from_base=True), is_wide=False, needs_x=True),
    Reduction("fwta", "fwta", "x", pulses.width(0.1, from_base=True), is_wide=False, needs_x=True),
    Reduction("center", "center", "x", pulses.center, is_wide=False, needs_x=True),
    Reduction("zero_crossing", "zerocrossing", "x", pulses.zero_crossing, is_wide=False, needs_x=True),
]
REDUCTIONS = {one.name: one for one in _LIST}


def reduction(name: str) -> Reduction:
    """Independent. Return a reduction by its name here or by its mode. Raises UsageError for unknown
    names.
    """
    if name in REDUCTIONS:
        return REDUCTIONS[name]
    for one in _LIST:
        if one.mode == name:
            return one
    raise UsageError(there_is_no("reduction", name, list(REDUCTIONS)), object=name)
