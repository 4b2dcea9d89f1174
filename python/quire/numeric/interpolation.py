"""Interpolation of tabulated functions of one variable.

Source of the definitions: specs/sdds-toolkit.md, sections 7.4 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quire.errors import DataError
from quire.numeric.arrays import (
    Numbers,
    as_doubles,
    as_numbers,
    direction,
    require,
    require_data,
    require_same_length,
)

Outside = Literal["saturate", "extrapolate", "nan", "error", "wrap"]
Method = Literal["lagrange", "spline"]


@dataclass(frozen=True)
class Outsiders:
    """What is done with places below and above the range of x.

    saturate : the value at the end
    extrapolate : the polynomial at the end, continued
    nan : NaN
    error : DataError
    wrap : x is periodic, with the length of its range
    """

    below: Outside = "saturate"
    above: Outside = "saturate"


def monotonic_rows(x: ArrayLike) -> NDArray[np.intp]:
    """Independent. Return the rows that remain if every row is left out that does not continue the direction
    of the first two different values: strictly monotonic rows for `interpolate`. NaN is left out.
    """
    x = as_doubles(x, "x")
    rows = np.flatnonzero(~np.isnan(x))
    values = x[rows]
    changes = np.flatnonzero(values != values[0]) if len(values) else rows
    sign = -1.0 if len(changes) and values[changes[0]] < values[0] else 1.0
    highest = np.maximum.accumulate(sign * values)
    is_kept = np.concatenate([[True], highest[1:] > highest[:-1]]) if len(values) else np.zeros(0, bool)
    return np.asarray(rows[is_kept])


def interpolate(
    x: ArrayLike,
    y: ArrayLike,
    at: ArrayLike,
    order: int = 1,
    method: Method = "lagrange",
    outsiders: Outsiders | None = None,
) -> Numbers:
    """Independent. Return y at other places.

    x : of shape (n,), strictly monotonic, in either direction; DataError otherwise
    y : of shape (n,), or (n, k) for k columns
    at : of shape (m,); NaN there gives NaN
    order : of the polynomial through the order + 1 rows around a place (Lagrange), or of the spline through
        all rows

    Returns shape (m,) or (m, k). Raises DataError for fewer than order + 1 rows, and for places outside
    where the range says `error`.
    """
    x, at = as_doubles(x, "x"), as_doubles(at, "at")
    y = as_numbers(y, "y")
    if y.shape[:1] != x.shape:
        require_same_length(x=x, y=y.T)
    require(order >= 0, f"the order of an interpolation is 0 or more, not {order}")
    require_data(
        len(x) > order,
        f"order {order} needs {order + 1} rows, and there are {len(x)}",
        "choose a lower order",
    )
    if direction(x) < 0:
        x, y = x[::-1], y[::-1]
    places, is_missing = _placed(x, at, outsiders or Outsiders())
    with np.errstate(all="ignore"):
        if method == "spline":
            from scipy.interpolate import make_interp_spline

            require(order >= 1, "a spline has order 1 or more")
            require_data(
                bool(np.isfinite(y).all()), "a spline needs finite values", "leave out rows with NaN"
            )
            result = np.asarray(make_interp_spline(x, y, order)(places))
        else:
            require(method == "lagrange", f"methods are lagrange and spline, not {method}")
            result = _lagrange(x, y, places, order)
    result[is_missing] = np.nan
    return result


def _placed(x: Numbers, at: Numbers, outsiders: Outsiders) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the places moved into the range as it is wanted, and which of them have no value."""
    places, is_missing = at.copy(), np.isnan(at)
    for side, is_outside, end in (
        (outsiders.below, at < x[0], x[0]),
        (outsiders.above, at > x[-1], x[-1]),
    ):
        if not is_outside.any():
            continue
        if side == "saturate":
            places[is_outside] = end
        elif side == "wrap":
            length = x[-1] - x[0]
            require_data(length > 0, "a range of one row has no period")
            places[is_outside] = x[0] + np.mod(at[is_outside] - x[0], length)
        elif side == "nan":
            is_missing = is_missing | is_outside
        elif side == "error":
            first = float(at[is_outside][0])
            raise DataError(
                f"{first:.9g} is outside of the range {x[0]:.9g} to {x[-1]:.9g}",
                advice="choose what is done with places below and above the range",
            )
        else:
            require(side == "extrapolate", f"places outside are not treated by '{side}'")
    places[is_missing] = x[0]
    return places, is_missing


def _lagrange(x: Numbers, y: Numbers, at: Numbers, order: int) -> Numbers:
    """Return the polynomials through order + 1 rows around each place, by Neville's scheme.

    An even number of rows lies around the interval of the place, an odd number around the nearest row.
    """
    interval = np.clip(np.searchsorted(x, at, side="right") - 1, 0, max(len(x) - 2, 0))
    if order % 2:
        first = interval - order // 2
    else:
        after = np.minimum(interval + 1, len(x) - 1)
        nearest = np.where(np.abs(at - x[after]) < np.abs(at - x[interval]), after, interval)
        first = nearest - order // 2
    first = np.clip(first, 0, len(x) - 1 - order)
    shape = (-1,) + (1,) * (y.ndim - 1)
    nodes = [x[first + k] for k in range(order + 1)]
    levels = [y[first + k] for k in range(order + 1)]
    for depth in range(1, order + 1):
        for k in range(order + 1 - depth):
            share = ((at - nodes[k]) / (nodes[k + depth] - nodes[k])).reshape(shape)
            levels[k] = levels[k] + share * (levels[k + 1] - levels[k])
    # Rows themselves keep their values, also next to NaN and infinity.
    row = np.clip(np.searchsorted(x, at), 0, len(x) - 1)
    return np.where((x[row] == at).reshape(shape), y[row], levels[0])
