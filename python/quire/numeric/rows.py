"""Which rows of a column are reduced.

Source of the definitions: specs/sdds-toolkit.md, section 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire.numeric.arrays import Numbers


@dataclass(frozen=True)
class Rows:
    """Which rows are reduced: first of the ends, then the limits.

    head, tail : the first or last rows; negative: all but these
    head_fraction, tail_fraction : the same as fractions of the rows, cut to whole rows
    lower, upper : closed limits of x
    bottom, top : closed limits of y, as it is stored
    skip_nan : whether rows are left out in which y, or what else is used, is NaN; otherwise the result is NaN
    """

    head: int | None = None
    tail: int | None = None
    head_fraction: float | None = None
    tail_fraction: float | None = None
    lower: float | None = None
    upper: float | None = None
    bottom: float | None = None
    top: float | None = None
    skip_nan: bool = False

    def select(self, y: Numbers, x: Any, weights: Numbers | None) -> slice | Numbers:
        """Independent. Return the rows of one-dimensional arrays, as a slice or as row numbers."""
        inside, is_kept = self.kept(y, x, weights)
        return inside if is_kept.all() else inside.start + np.flatnonzero(is_kept)

    def kept(self, y: Numbers, x: Any, weights: Numbers | None) -> tuple[slice, Numbers]:
        """Independent. Return the slice of the last dimension that the ends leave, and for each value in it
        whether it is reduced.
        """
        rows = y.shape[-1]
        start, stop = 0, rows
        for head in (self.head, _rows_of(self.head_fraction, rows)):
            if head is not None:
                start, stop = (
                    (start, min(stop, start + head)) if head >= 0 else (min(start - head, stop), stop)
                )
        rows = stop - start
        for tail in (self.tail, _rows_of(self.tail_fraction, rows)):
            if tail is not None:
                start, stop = (
                    (max(start, stop - tail), stop) if tail >= 0 else (start, max(start, stop + tail))
                )
        inside = slice(start, stop)
        limits = [(x, self.lower, self.upper), (y, self.bottom, self.top)]
        is_kept = np.ones((*y.shape[:-1], stop - start), bool)
        for values, low, high in limits:
            if low is not None:
                is_kept &= values[..., inside] >= low
            if high is not None:
                is_kept &= values[..., inside] <= high
        if self.skip_nan:
            for values in (y, x, weights):
                if values is not None and values.dtype.kind == "f":
                    is_kept &= ~np.isnan(values[..., inside])
        return inside, is_kept


def _rows_of(fraction: float | None, rows: int) -> int | None:
    """Return a fraction of the rows, cut to a whole number."""
    return None if fraction is None else int(fraction * rows)


ALL_ROWS = Rows()
