"""Pictures of histograms of one or two columns by matplotlib, with fits and lines around shares of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from quire.numeric.shares import share_lines
from quire.toolkit.additions import NOTHING, Additions
from quire.toolkit.axes import Scale, axis_label, power_scale, scale_of
from quire.toolkit.markup import marked_up
from quire.toolkit.picture import (
    LINE_COLOUR,
    PlainPowers,
    add_legend,
    add_title,
    colours_of,
    finish_axis,
    note_empty,
    protected,
    side_label,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from quire.toolkit.bin_fits import BinFit
    from quire.toolkit.binning import Distribution
    from quire.toolkit.look import Look

    Array = np.ndarray[Any, Any]

COUNTS: Final = "rows per bin"
SUMS: Final = "up to the end of each bin"


def draw_distribution(
    found: Sequence[tuple[str, Distribution]],
    quantities: Sequence[Sequence[Any]],
    look: Look,
    added: Additions = NOTHING,
    fits: Sequence[BinFit | None] = (),
) -> Figure:
    """Independent. One or more 1-D distributions as steps, or a single 2-D one as a map of colours.

    `quantities` are the columns along each axis, `fits` those to each distribution.
    """
    with style():
        figure = Figure(layout="constrained")
        axes = figure.subplots()
        first = found[0][1]
        edges = [[one.axes[place].edges for _, one in found] for place in range(len(first.axes))]
        found_scales = [
            scale_of(some, ends, look.units, axis in look.log)
            for axis, some, ends in zip("xy", quantities, edges, strict=False)
        ]
        labels = [
            side_label(some, scale) or name
            for some, scale, name in zip(quantities, found_scales, first.names, strict=True)
        ]
        scales = [one or Scale() for one in found_scales]
        finish_axis(axes, "x", labels[0], look)
        if len(first.axes) == 1:
            draw_steps(axes, found, scales[0], look, added, fits)
        else:
            finish_axis(axes, "y", labels[1], look)
            draw_counts(figure, axes, first, scales, "z" in look.log)
            if added.shares:
                draw_shares(axes, first, scales, added.shares)
        if not any(one.counts.any() for _, one in found):
            note_empty(axes)
        add_title(figure, look)
        return figure


def draw_steps(
    axes: Axes,
    found: Sequence[tuple[str, Distribution]],
    across: Scale,
    look: Look,
    added: Additions,
    fits: Sequence[BinFit | None],
) -> None:
    """Independent. Histograms of one quantity, each as a line of steps, the only one filled; and fits."""
    heights = [np.cumsum(one.counts) if added.is_cumulative else one.counts for _, one in found]
    largest = float(max(one.max(initial=0) for one in heights))
    scale = Scale() if "y" in look.log else power_scale("", largest)
    colours = colours_of(len(found))
    names = [protected(name) for name, _ in found]
    drawn: list[Any] = [
        axes.stairs(
            height * scale.factor,
            one.axes[0].edges * across.factor,
            color=colour,
            linewidth=1.4,
            fill=len(found) == 1,
        )
        for (_, one), height, colour in zip(found, heights, colours, strict=False)
    ]
    for (name, one), fit, colour in zip(found, fits, colours, strict=False):
        if fit is None or not fit.is_converged:
            continue
        x, y = fit.curve(one.axes[0], is_cumulative=added.is_cumulative)
        y = np.where(y > 0.1, y, np.nan) if "y" in look.log else y
        colour = LINE_COLOUR if len(found) == 1 else colour
        text = "\n".join(filter(None, [text_of(fit, across), fit.remark]))
        drawn += axes.plot(x * across.factor, y * scale.factor, color=colour, linestyle="--")
        names.append(f"{protected(name)}: {text}" if len(found) > 1 else text)
    if len(found) == 1:
        names[0] = counts_name(found[0][1])
    axes.margins(x=0)
    finish_axis(axes, "y", counts_label(found[0][1], scale.unit, is_cumulative=added.is_cumulative), look)
    add_legend(axes, drawn, names)


def text_of(fit: BinFit, across: Scale) -> str:
    """Independent. The parameters of a fit with their errors, in the unit of the axis."""
    unit = f" {marked_up(across.unit)}" if across.unit not in ("", "1") else ""
    factor = across.factor
    return (
        f"amplitude {with_error(fit.height, fit.height_error)}, "
        f"mean {with_error(fit.mean * factor, fit.mean_error * factor)}{unit}, "
        f"sigma {with_error(fit.sigma * factor, fit.sigma_error * factor)}{unit}"
    )


def with_error(value: float, error: float) -> str:
    """Independent. A value and its error, which has two digits.

    >>> from quire.toolkit.distribution_picture import with_error
    >>> with_error(1234.5678, 0.0123), with_error(2.0, 30.0), with_error(1.0, float("nan"))
    ('1234.568 ± 0.012', '2 ± 30', '1 ± ?')
    """
    if not (math.isfinite(error) and error > 0):
        return f"{value:.6g} ± ?"
    decimals = max(0, 1 - math.floor(math.log10(error)))
    if decimals > 9 or abs(value) >= 1e9:
        return f"{value:.6g} ± {error:.2g}"
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def counts_name(found: Distribution) -> str:
    """Independent. What is in the bins."""
    return "rows" if found.weight is None else f"sum of {protected(found.weight.name)}"


def counts_label(found: Distribution, power: str, *, is_cumulative: bool = False) -> str:
    """Independent. The label of counts, or of the sums of a weight, with its unit and a power of ten."""
    if found.weight is None:
        return axis_label(f"rows {SUMS}" if is_cumulative else COUNTS, power)
    unit = " ".join(one for one in (power, found.weight.unit) if one)
    return axis_label(f"sum of {found.weight.name} {SUMS if is_cumulative else 'per bin'}", unit)


def draw_counts(
    figure: Figure, axes: Axes, drawn: Distribution, scales: Sequence[Scale], is_log: bool
) -> None:
    """Independent. Counts as colours, logarithmic if `is_log` or above 100; empty bins white. Those of sums
    are logarithmic if `is_log`.
    """
    found = drawn.counts
    x, y = (axis.edges * scale.factor for axis, scale in zip(drawn.axes, scales, strict=True))
    counts = np.ma.masked_equal(found.T, 0)
    largest = float(found.max(initial=0))
    least = 1.0 if drawn.weight is None else float(np.min(found, initial=np.inf, where=found > 0))
    is_log = largest > least and (is_log or (drawn.weight is None and largest > 100))
    norm = LogNorm(least, largest) if is_log else None
    mesh = axes.pcolormesh(x, y, counts, cmap="viridis", norm=norm, rasterized=True)
    axes.grid(visible=False)
    if found.any():
        figure.colorbar(
            mesh, ax=axes, label=counts_label(drawn, ""), format=None if norm is None else PlainPowers()
        )


def draw_shares(axes: Axes, found: Distribution, scales: Sequence[Scale], shares: Sequence[float]) -> None:
    """Independent. Lines around shares of the rows, the thinner the more rows they contain."""
    wanted = sorted(shares)
    lows = [axis.lower * scale.factor for axis, scale in zip(found.axes, scales, strict=True)]
    widths = [axis.size * scale.factor for axis, scale in zip(found.axes, scales, strict=True)]
    lines = share_lines(found.counts, [share / 100 for share in wanted], found.rows + found.outside)
    drawn = []
    for place, pieces in enumerate(lines):
        ends = pieces.reshape(-1, 2, 2) * widths + lows
        line = LineCollection(list(ends), colors=LINE_COLOUR, linewidths=1.6 / (1 + 0.4 * place))
        drawn.append(axes.add_collection(line, autolim=False))
    names = [f"{share:g} % of the {'rows' if found.weight is None else 'sum'}" for share in wanted]
    add_legend(axes, drawn, names, least=1)
