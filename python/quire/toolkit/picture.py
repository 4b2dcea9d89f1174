"""Plots of columns, attributes and histograms by matplotlib, without a display."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import matplotlib as mpl
import numpy as np
from cycler import cycler

from quire.toolkit.axes import Scale, joint_label, scale_of
from quire.toolkit.curves import drawable
from quire.toolkit.look import check_output
from quire.toolkit.markup import drawn_length, marked_up
from quire.toolkit.panels import make_panels, panels_of
from quire.toolkit.replacing import replacement

mpl.use("Agg")

from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatterSciNotation, MaxNLocator, ScalarFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from quire.toolkit.curves import Curve, Curves
    from quire.toolkit.field_values import FieldAxis
    from quire.toolkit.look import Look

    Array = np.ndarray[Any, Any]

MOST_LABELS = 12
LABELS_PER_LINE = 6

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b6770")
"""Colours that remain different without red or without green: Okabe and Ito, Color Universal Design (2008),
without yellow, and with grey for black.
"""
LINE_CHARACTERS = 80
"""What fits beside each other into the width of a picture."""

FEW_POINTS, MOST_VECTORS, MANY_POINTS = 100, 5_000, 20_000
"""Numbers of points: up to the first they are large; above the second they are pixels also in PDF and SVG;
from the third they are translucent.
"""

ROUNDING = 1e-9
"""A relative difference that is one of rounding."""

FEW_MARKERS = 40
"""A curve of so many points shows them."""

LINE_COLOUR = "#2b2f33"
"""Of contour lines above colours."""

STYLE: Mapping[str, Any] = {
    "figure.figsize": (7.2, 4.6),
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "font.size": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=COLOURS),
    "grid.color": "#d7dbe0",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "figure.constrained_layout.h_pad": 0.07,
    "figure.constrained_layout.w_pad": 0.07,
    "axes.xmargin": 0.02,
    "legend.fontsize": 9,
    "svg.hashsalt": "quire",
    # A curve that jumps to and fro has more crossings than the painter of PNG files can hold at once.
    "agg.path.chunksize": 10_000,
}


def style() -> AbstractContextManager[None]:
    """Independent. While the block runs, pictures look the same whatever the user's own settings are."""
    return mpl.rc_context(cast(Any, STYLE))


def draw_curves(found: Curves, look: Look, x_label: str = "", y_label: str = "") -> Figure:
    """Independent. Curves in one diagram or several; without curves an empty one, with the given labels.

    Axes are scaled so that numbers are short, with the prefix in the unit.
    """
    with style():
        parts = panels_of(found, look.panels)
        figure, panels, strips = make_panels(len(parts), look.layout, look.share, look.magnets is not None)
        across = scale_of(found.across, [one.x for one in found.curves], look.units, "x" in look.log)
        label = look.labels.get("x") or side_label(found.across, across) or x_label
        for axes, (title, some) in zip(panels, parts, strict=True):
            whole = found if "y" in look.share else some
            draw_panel(axes, title, some, whole, across, look, y_label)
            finish_axis(axes, "x", label if has_numbers(axes, "x") else "", look)
            if not has_numbers(axes, "y"):
                axes.set_ylabel("")
            is_scaled = across is not None and across.factor != 1
            if not is_scaled and "x" not in look.log and is_whole(found.across):
                axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        for axes in strips:
            draw_magnets(axes, found, across, look)
            finish_axis(axes, "x", label, look)
        set_limits(panels[0], "x", found.across, across, look)
        add_title(figure, look, found.thinning)
        return figure


def is_whole(quantities: Sequence[Any]) -> bool:
    """Independent. Whether quantities have whole numbers, such as the numbers of steps."""
    return all("int" in getattr(one, "type", "") for one in quantities)


def has_numbers(axes: Axes, axis: Literal["x", "y"]) -> bool:
    """Independent. Whether the numbers of an axis are drawn, and not those of another panel."""
    side = {"x": "labelbottom", "y": "labelleft"}[axis]
    return bool(getattr(axes, f"{axis}axis").get_tick_params()[side])


def draw_panel(
    axes: Axes, title: str, found: Curves, whole: Curves, across: Scale | None, look: Look, y_label: str
) -> None:
    """Independent. The curves of one panel; scales of vertical axes are those of `whole`."""
    left = [one for one in found.curves if one.name not in look.right]
    right = [one for one in found.curves if one.name in look.right]
    colours = colours_of(len(found.curves), look.palette)
    lines = draw_side(axes, found, whole, left, colours, across, look, y_label)
    if right:
        beside = axes.twinx()
        beside.grid(visible=False)
        beside.spines.right.set_visible(True)
        lines += draw_side(beside, found, whole, right, colours[len(left) :], across, look, y_label)
    if not any(len(curve.x) for curve in found.curves):
        note_empty(axes)
    if look.is_equal:
        sharing = (axes.get_shared_x_axes(), axes.get_shared_y_axes())
        shares_both = all(len(shared.get_siblings(axes)) > 1 for shared in sharing)
        axes.set_aspect("equal", adjustable="box" if shares_both else "datalim")
    labels = [legend_text(curve, found.up) for curve in (*left, *right)]
    if look.has_legend and len(labels) > 1:
        add_legend(axes, lines, labels, title)
    elif title:
        axes.set_title(protected(title), fontsize=9)


def legend_text(curve: Curve, quantities: Sequence[Any]) -> str:
    """Independent. The label of a curve, with the symbol of its quantity instead of the name."""
    named = (item for item in quantities if item.name == curve.name and not curve.is_labelled)
    symbol = next((item.symbol for item in named), "")
    if symbol and (curve.label == curve.name or curve.label.startswith(f"{curve.name}, ")):
        return marked_up(symbol) + protected(curve.label.removeprefix(curve.name))
    return protected(curve.label)


def protected(text: str) -> str:
    """Independent. A text without mark-up for matplotlib."""
    return legible(text).replace("$", "\\$")


def draw_magnets(axes: Axes, found: Curves, across: Scale | None, look: Look) -> None:
    """Independent. The elements of the line along the horizontal axis."""
    unit = found.across[0].unit if found.across else ""
    if look.magnets is not None:
        factor = 1.0 if across is None else across.factor
        look.magnets.draw(axes, look.magnets.factor_to(unit) * factor)


def colours_of(count: int, palette: str = "") -> list[Any]:
    """Independent. A colour for each curve: those of a palette of matplotlib, also if there are more curves
    than colours.
    """
    if count <= len(COLOURS) and not palette:
        return list(COLOURS)
    return list(mpl.colormaps[palette or "viridis"](np.linspace(0.0, 0.92, count)))


def side_label(quantities: Sequence[Any], scale: Scale | None) -> str:
    """Independent. The label of an axis; empty without quantities."""
    return joint_label(quantities, None if scale is None else scale.unit) if quantities else ""


def draw_side(
    axes: Axes,
    found: Curves,
    whole: Curves,
    curves: Sequence[Curve],
    colours: Sequence[Any],
    across: Scale | None,
    look: Look,
    label: str,
) -> list[Any]:
    """Independent. Curves that share a vertical axis; returns what the legend shows of each."""
    names = {one.name for one in curves}
    alike = [one for one in whole.curves if one.name in names]
    quantities = [item for item in whole.up if item.name in names]
    scale = scale_of(quantities, [one.y for one in alike], look.units, "y" in look.log)
    factor_x, factor_y = (1.0 if one is None else one.factor for one in (across, scale))
    drawn = []
    for curve, colour in zip(curves, colours, strict=False):
        x, y = curve.x * factor_x, curve.y * factor_y
        if curve.colour is not None:
            drawn.append(draw_coloured(axes, x, y, curve.colour, found.colours, look))
        else:
            drawn.append(draw_curve(axes, x, y, colour, curve.style or look.style))
        if curve.error is not None:
            error = curve.error * factor_y
            axes.errorbar(x, y, error, fmt="none", ecolor=colour, elinewidth=0.9, capsize=2.0)
    finish_axis(axes, "y", look.labels.get("y") or side_label(quantities, scale) or label, look)
    low, high = axes.get_ylim()
    if high - low < ROUNDING * abs(high):  # a constant: no picture of the last digits
        axes.set_ylim(low - 0.05 * abs(low), high + 0.05 * abs(high))
    if not names <= set(look.right):
        set_limits(axes, "y", quantities, scale, look)
        for axis, place in look.marks:
            line = axes.axvline if axis == "x" else axes.axhline
            factor = range_factor(
                found.across if axis == "x" else quantities, across if axis == "x" else scale, look
            )
            line(place * factor, color="#5b6770", linewidth=0.9, linestyle="--")
    return drawn


def range_factor(quantities: Sequence[Any], scale: Scale | None, look: Look) -> float:
    """Independent. The factor to the numbers of an axis from those of the file, or from the wanted unit."""
    is_wanted = any(item.name in look.units for item in quantities)
    return 1.0 if scale is None or is_wanted else scale.factor


def set_limits(
    axes: Axes, axis: Literal["x", "y"], quantities: Sequence[Any], scale: Scale | None, look: Look
) -> None:
    """Independent. The limits of an axis: those that are given, or else with 0 if that is wanted."""
    factor = range_factor(quantities, scale, look)
    if axis in look.limits:
        axes.set(**{f"{axis}lim": tuple(one * factor for one in look.limits[axis])})
    elif axis in look.zero:
        low, high = getattr(axes, f"get_{axis}lim")()
        axes.set(**{f"{axis}lim": (min(low, 0.0), max(high, 0.0))})


def draw_curve(axes: Axes, x: Array, y: Array, colour: Any, style: str) -> Any:
    """Independent. A curve in one of STYLES; returns what the legend shows."""
    if style == "points" or (not style and is_unordered(x)):
        return draw_points(axes, x, y, colour)
    if style == "impulses":
        return axes.vlines(x, 0.0, y, color=colour, linewidth=1.2)
    if style == "bars":
        steps = np.diff(np.unique(x[np.isfinite(x)]))
        width = 0.8 * float(steps.min()) if len(steps) else 0.8
        return axes.bar(x, y, width, color=colour, alpha=0.75)
    marker = "o" if style == "both" or (not style and len(x) <= FEW_MARKERS) else ""
    (line,) = axes.plot(
        x,
        y,
        color=colour,
        marker=marker,
        markersize=3.5,
        drawstyle="steps-mid" if style == "steps" else "default",
    )
    return line


def is_unordered(x: Array) -> bool:
    """Independent. Whether x jumps to and fro, as that of particles does: a line would fill the picture."""
    signs = np.sign(np.diff(x))
    signs = signs[signs != 0]
    return len(x) > FEW_POINTS and bool(np.count_nonzero(np.diff(signs)) > len(x) / 4)


def draw_points(axes: Axes, x: Array, y: Array, colour: Any) -> Line2D:
    """Independent. Points that get smaller, and at last translucent, the more there are."""
    (points,) = axes.plot(
        x,
        y,
        ".",
        color=colour,
        markersize=size_of_points(len(x)),
        markeredgewidth=0.0,
        alpha=1.0 if len(x) < MANY_POINTS else 0.3,
        rasterized=len(x) > MOST_VECTORS,
    )
    return points


def draw_coloured(
    axes: Axes, x: Array, y: Array, values: Array, quantities: Sequence[Any], look: Look
) -> Any:
    """Independent. Points whose colours are values, with a bar of the colours."""
    scale = scale_of(quantities, [values], look.units) or Scale()
    size = size_of_points(len(x)) ** 2 / 2
    drawn = axes.scatter(
        x, y, size, values * scale.factor, cmap="viridis", linewidths=0, rasterized=len(x) > MOST_VECTORS
    )
    figure = cast("Figure", axes.figure)
    figure.colorbar(drawn, ax=axes, label=legible(side_label(quantities, scale)))
    return drawn


def size_of_points(count: int) -> float:
    """Independent. The diameter of one of many points."""
    return (
        9.0 if count <= FEW_POINTS else 5.0 if count <= MOST_VECTORS else 3.0 if count < MANY_POINTS else 1.5
    )


def note_empty(axes: Axes) -> None:
    """Independent. Say in the picture that there is nothing to see."""
    axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center", color="#5b6770")


def add_title(figure: Figure, look: Look, note: str = "") -> None:
    """Independent. The title and a note, above everything else."""
    lines = [one for one in (look.title, look.subtitle, note) if one]
    if lines:
        figure.suptitle(protected("\n".join(lines)), fontsize=11)


class PlainPowers(LogFormatterSciNotation):
    """Numbers of a logarithmic axis; those of usual size without a power of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = super().__call__(x, pos)
        return f"{x:g}" if text and 1e-3 <= abs(x) < 1e4 else text


class PlainNumbers(ScalarFormatter):
    """Numbers of an axis, with a power of ten beside it. The power alone is set as a formula: the parser of
    formulas takes milliseconds for each number.
    """

    def get_offset(self) -> str:
        self.set_useMathText(True)
        try:
            return super().get_offset()
        finally:
            self.set_useMathText(False)


def finish_axis(axes: Axes, name: Literal["x", "y"], label: str, look: Look) -> None:
    """Independent. Label and scale of an axis, and numbers that stay short."""
    axes.set(**{f"{name}label": legible(label)})
    if name in look.log:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(PlainPowers())
        axis.set_minor_formatter(PlainPowers(minor_thresholds=(2, 0.5)))
    else:
        getattr(axes, f"{name}axis").set_major_formatter(PlainNumbers(useMathText=False))
        axes.ticklabel_format(axis=name, style="sci", scilimits=(-3, 4))


def legible(text: str) -> str:
    """Independent. A text that can be drawn: bytes that are no UTF-8 are Latin-1, as in many old files."""
    shown = (chr(ord(one) - 0xDC00) if "\udc80" <= one <= "\udcff" else one for one in text)
    return "".join(shown).encode("utf-8", "replace").decode()


def add_legend(
    axes: Axes, lines: Sequence[Any], labels: Sequence[str], title: str = "", least: int = 2
) -> None:
    """Independent. A legend of several curves above the axes, where it covers nothing; of many curves the
    first and a count of the others. There is none for fewer than `least`.
    """
    if len(labels) < least:
        return
    handles = list(lines)
    names = list(labels)
    if len(labels) > MOST_LABELS:
        rest = len(labels) - MOST_LABELS + 1
        handles = [*handles[: MOST_LABELS - 1], Line2D([], [], linestyle="")]
        names = [*names[: MOST_LABELS - 1], f"and {rest} more"]
    # Labels share the width, and lines are of equal length.
    most = max(1, min(LABELS_PER_LINE, LINE_CHARACTERS // max(drawn_length(name) + 6 for name in names)))
    per_line = math.ceil(len(names) / math.ceil(len(names) / most))
    legend = axes.legend(
        handles,
        names,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=per_line,
        borderaxespad=0.2,
        title=protected(title) or None,
        title_fontsize=9,
    )
    for handle in legend.legend_handles:
        if isinstance(handle, Line2D) and handle.get_marker() == ".":
            handle.set(markersize=9.0, alpha=1.0)


def draw_plane(
    across: FieldAxis, up: FieldAxis, values: Array, quantity: Any, look: Look, levels: Sequence[float] = ()
) -> Figure:
    """Independent. A plane as colours, with contour lines at levels, or these alone in their colours for the
    style `lines`; `values` has an axis for `up`, then one for `across`.

    Axes of the same unit and similar size have the same scale, so that round things are round.
    """
    with style():
        figure = Figure(layout="compressed")
        axes = figure.subplots()
        scales = [scale_of([one], [one.positions], look.units) or Scale() for one in (across, up)]
        x, y = (one.edges * scale.factor for one, scale in zip((across, up), scales, strict=True))
        scale = scale_of([quantity], [values], look.units, "z" in look.log) or Scale()
        shown, colours = colours_of_plane(drawable(values) * scale.factor, "z" in look.log, look.palette)
        if look.style != "lines":
            drawn: Any = axes.pcolormesh(x, y, shown, rasterized=True, **colours)
        if len(levels):
            nodes = [one.positions * part.factor for one, part in zip((across, up), scales, strict=True)]
            lines = colours if look.style == "lines" else {"colors": LINE_COLOUR}
            heights = np.unique(np.asarray(levels, np.float64) * scale.factor)
            finite = np.ma.masked_invalid(drawable(values) * scale.factor)
            contours = axes.contour(
                *nodes, finite, heights, linewidths=1.0, negative_linestyles="solid", **lines
            )
            axes.clabel(contours, fontsize=7)
            drawn = contours if look.style == "lines" else drawn
        if look.style == "lines":
            axes.set(xlim=x[[0, -1]], ylim=y[[0, -1]])
        axes.grid(visible=False)
        if look.is_equal or (scales[0].unit == scales[1].unit and 1 / 3 < abs(np.ptp(x) / np.ptp(y)) < 3):
            axes.set_aspect("equal")
        is_log = isinstance(drawn.norm, LogNorm)
        figure.colorbar(
            drawn,
            ax=axes,
            label=legible(side_label([quantity], scale)),
            format=PlainPowers() if is_log else None,
        )
        finish_axis(axes, "x", look.labels.get("x") or side_label([across], scales[0]), look)
        finish_axis(axes, "y", look.labels.get("y") or side_label([up], scales[1]), look)
        add_title(figure, look)
        return figure


def colours_of_plane(values: Array, is_log: bool, palette: str = "") -> tuple[Array, dict[str, Any]]:
    """Independent. The values of a plane that are drawn, and their colours, whose middle is 0 if they have
    both signs.
    """
    usual = palette or "viridis"
    shown = np.ma.masked_invalid(values)
    if is_log:
        shown = np.ma.masked_less_equal(shown, 0.0)
    if is_log and shown.count():
        return shown, {"cmap": usual, "norm": LogNorm()}
    if shown.min() < 0 < shown.max():
        largest = float(np.abs(shown).max())
        return shown, {"cmap": palette or "RdBu_r", "vmin": -largest, "vmax": largest}
    return shown, {"cmap": usual}


def save(figure: Figure, path: str | Path) -> None:
    """Independent. Write the picture in the format of its suffix; the same input, the same bytes. It takes
    its place when it is whole.
    """
    target = check_output(path)
    dates: dict[str, Mapping[str, None]] = {
        ".pdf": {"CreationDate": None},
        ".svg": {"Date": None},
    }
    with style(), replacement(target) as beside:
        figure.savefig(beside, metadata=dates.get(target.suffix.lower()))
