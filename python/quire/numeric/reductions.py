"""The 40 reductions of a column to a number, across rows, steps, columns, and in windows.

    reduce("mean", y, weights=w)
    reduce("slope", y, versus=x, rows=Rows(lower=0, upper=2))
    reduce_windows("median", y, points=9)

Source of the definitions: specs/sdds-toolkit.md, sections 5.3 and 9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from quire.numeric.arrays import Numbers, as_numbers, require, require_same_length
from quire.numeric.moments import Sample
from quire.numeric.reduction_table import Options, Reduction, reduction
from quire.numeric.rows import ALL_ROWS, Rows

PLAIN = Options()
OF_TEXTS = frozenset({"first", "last", "count"})
"""What texts have, too."""

_FREE_OF_NAN = {"first", "last", "count"}
"""What a NaN among the values does not make NaN."""

BLOCK = 1 << 22
"""Values of windows that are in memory at a time."""


def reduce(
    name: str,
    values: ArrayLike,
    weights: ArrayLike | None = None,
    versus: ArrayLike | None = None,
    rows: Rows = ALL_ROWS,
    options: Options = PLAIN,
) -> Any:
    """Independent. Return one number of a column of n values, NaN where none is defined.

    values, weights, versus : of shape (n,). `first`, `last` and `count` take texts, and positions texts of
        `versus`; without rows their text is empty.

    Numbers are float64, or long double if the values are. NaN among the rows makes the result NaN, except for
    first, last and count. Raises UsageError for weights, positions or percentages that the reduction does not
    know, or lacks, ConflictError for different lengths, TypeMismatchError for texts where numbers are needed.
    """
    found = reduction(name)
    y, w, x = _checked(found, values, weights, versus, rows, options)
    require(y.ndim == 1, f"reduce takes one dimension, not {y.ndim}", "use reduce_along")
    kept = rows.select(y, x, w)
    y, x, w = y[kept], None if x is None else x[kept], None if w is None else w[kept]
    return _reduced(found, y, w, x, options)[()]


def reduce_along(
    name: str,
    values: ArrayLike,
    axis: int,
    weights: ArrayLike | None = None,
    versus: ArrayLike | None = None,
    rows: Rows = ALL_ROWS,
    options: Options = PLAIN,
) -> Numbers:
    """Independent. Return the reduction of an array along one axis, an array without that axis.

    Axis 0 of stacked steps (steps, rows) reduces across steps, axis 1 of stacked columns (rows, columns)
    across columns. weights, versus : of the shape of values, or of the length of the axis. Limits and
    `skip_nan` may leave each line other rows. Errors as those of `reduce`.
    """
    found = reduction(name)
    y = np.moveaxis(as_numbers(values), axis, -1)
    w, x = _aligned(weights, y, axis, "weights"), _aligned(versus, y, axis, "versus")
    _check(found, w, x, rows, options)
    return _of_lines(found, y, w, x, rows, options)


def reduce_windows(
    name: str,
    values: ArrayLike,
    points: int,
    weights: ArrayLike | None = None,
    versus: ArrayLike | None = None,
    overlap: bool = True,
    rows: Rows = ALL_ROWS,
    options: Options = PLAIN,
) -> Numbers:
    """Independent. Return the reduction of every `points` successive rows: n - points + 1 values, or n //
    points without overlap; none if the column is shorter. Each is the same number wherever its window is.
    Arguments and errors as those of `reduce`, also for texts.
    """
    found = reduction(name)
    require_windows(name, points)
    y, w, x = _checked(found, values, weights, versus, rows, options)
    stride = 1 if overlap else points
    if len(y) < points:
        return np.asarray(_of_no_rows(found, y[:0].reshape(0, 0), None if x is None else x[:0], options))
    windows = [None if one is None else sliding_window_view(one, points)[::stride] for one in (y, w, x)]
    count, step = (len(y) - points) // stride + 1, max(BLOCK // points, 1)
    parts = []
    for start in range(0, count, step):
        block = [None if one is None else one[start : start + step] for one in windows]
        parts.append(_of_lines(found, block[0], block[1], block[2], rows, options))
    return np.concatenate(parts)


def require_windows(name: str, points: int) -> None:
    """Independent. Raise UsageError unless windows of so many rows can be reduced."""
    require(points >= 1, f"a window has 1 row or more, not {points}")
    require("windows" in reduction(name).directions, f"{name} is not computed in windows")


def _checked(
    found: Reduction, values: ArrayLike, weights: Any, versus: Any, rows: Rows, options: Options
) -> tuple[Any, Numbers | None, Any]:
    """Return values, weights and abscissa of rows, as numbers where these are needed."""
    given = np.asarray(values)
    is_text = given.dtype.kind in "SUTO" and found.name in OF_TEXTS
    y = given if is_text else as_numbers(given)
    x = None if versus is None else np.asarray(versus)
    w = None if weights is None else as_numbers(weights, "weights")
    _check(found, w, x, rows, options)
    if x is not None and not options.position:
        x = as_numbers(x, "versus")
    require_same_length(values=y, weights=w, versus=x)
    return y, w, x


def _of_lines(found: Reduction, y: Any, w: Numbers | None, x: Any, rows: Rows, options: Options) -> Numbers:
    """Return the reduction of the last dimension, of which each line may leave other values."""
    if rows == ALL_ROWS and found.is_wide:
        return np.asarray(_reduced(found, y, w, x, options))
    lines = y.reshape(-1, y.shape[-1])
    w, x = (None if one is None else np.broadcast_to(one, y.shape).reshape(lines.shape) for one in (w, x))
    if not len(lines):
        return np.asarray(_of_no_rows(found, lines, x, options)).reshape(y.shape[:-1])
    inside, is_kept = rows.kept(lines, x, w)
    if found.name == "count":
        return np.asarray(is_kept.sum(axis=-1, dtype=np.float64).reshape(y.shape[:-1]))
    parts = []
    for places in _alike(is_kept):
        chosen = np.ix_(places, inside.start + np.flatnonzero(is_kept[places[0]]))
        some = [None if one is None else one[chosen] for one in (lines, w, x)]
        if found.is_wide:
            parts.append((places, _reduced(found, some[0], some[1], some[2], options)))
            continue
        for row, place in enumerate(places):
            line = [None if one is None else one[row] for one in some]
            parts.append((place.reshape(1), _reduced(found, line[0], line[1], line[2], options).reshape(1)))
    found_values = np.concatenate([values for _, values in parts])
    made = np.empty_like(found_values)
    made[np.concatenate([places for places, _ in parts])] = found_values
    return made.reshape(y.shape[:-1])


def _alike(is_kept: Numbers) -> list[Numbers]:
    """Return the places of the lines, those together that keep the same values: first those that keep all."""
    is_whole = is_kept.all(axis=-1)
    others = np.flatnonzero(~is_whole)
    packed, groups = np.unique(np.packbits(is_kept[others], axis=-1), axis=0, return_inverse=True)
    order = others[np.argsort(groups.reshape(-1), kind="stable")]
    ends = np.cumsum(np.bincount(groups.reshape(-1), minlength=len(packed)))
    return [some for some in (np.flatnonzero(is_whole), *np.split(order, ends[:-1])) if len(some)]


def _aligned(values: ArrayLike | None, y: Numbers, axis: int, name: str) -> Numbers | None:
    """Return weights or abscissa with the reduced axis last: those of all lines, or of each."""
    if values is None:
        return None
    array = as_numbers(values, name)
    array = np.moveaxis(array, axis, -1) if array.ndim > 1 else array
    require_same_length(**{"values": y, name: array})
    return array


def _check(found: Reduction, weights: Any, x: Any, rows: Rows, options: Options) -> None:
    """Raise UsageError for what a reduction does not know, or lacks."""
    name = found.name
    require(weights is None or found.takes_weights, f"{name} takes no weights")
    require(
        not options.position or found.has_position, f"{name} has no position: it is not the value of a row"
    )
    needs_x = found.needs_x or options.position or rows.lower is not None or rows.upper is not None
    require(not needs_x or x is not None, f"{name} needs another column here", "name it as versus")
    percent = options.percent
    require(not found.needs_percent or percent is not None, f"{name} needs a percentage")
    require(percent is None or 0 <= percent <= 100, f"a percentage is from 0 to 100, not {percent}")
    size = options.bin_size
    require(size is None or size > 0, f"a bin size is positive, not {size}")


def _reduced(found: Reduction, y: Any, w: Numbers | None, x: Any, options: Options) -> Any:
    """Return the reduction of the last dimension of checked and selected values, as an array."""
    if y.shape[-1] == 0:
        return _of_no_rows(found, y, x, options)
    is_text = y.dtype.kind not in "f"
    if not is_text and (options.offset != 0 or options.factor != 1):
        y = options.factor * (y + options.offset)
    with np.errstate(all="ignore"):
        is_missing = np.zeros(y.shape[:-1], bool)
        if found.name not in _FREE_OF_NAN:
            for used in (y, w, x if found.needs_x else None):
                if used is not None:
                    is_missing = is_missing | np.isnan(used).any(axis=-1)
        if found.find is not None:
            row = np.asarray(found.find(y))
            source = x if options.position else y
            result = np.take_along_axis(np.broadcast_to(source, y.shape), row[..., None], -1)[..., 0]
            if found.is_magnitude and not options.position:
                result = np.abs(result)
        elif found.is_wide and found.compute is not None:
            result = found.compute(Sample(y, w, x, options.percent, options.bin_size))
        elif found.compute is not None and not is_missing:
            result = np.asarray(found.compute(Sample(y, w, x, options.percent, options.bin_size)))
        else:
            result = np.asarray(np.nan)
    if not is_missing.any():
        return result
    return np.where(is_missing, "" if result.dtype.kind in "SUTO" else np.nan, result)


def _of_no_rows(found: Reduction, y: Any, x: Any, options: Options) -> Any:
    """Return the reduction of nothing: 0 rows, an empty text, NaN."""
    if found.name == "count":
        return np.zeros(y.shape[:-1])
    source = x if options.position else y
    is_text = found.find is not None and source.dtype.kind in "SUTO"
    return np.full(y.shape[:-1], "" if is_text else np.nan)
