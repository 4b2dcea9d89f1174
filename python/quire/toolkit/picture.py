"""Plots of columns, attributes and histograms by matplotlib, without a display."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import matplotlib as mpl
import numpy as np
from cycler import cycler

from quire.errors import UsageError
from quire.toolkit.axes import Scale, axis_label, joint_label, power_scale, scale_of
from quire.toolkit.curves import drawable
from quire.toolkit.replacing import replacement

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatterSciNotation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from quire.toolkit.binning import Distribution
    from quire.toolkit.curves import Curve, Curves
    from quire.toolkit.field_values import FieldAxis

    Array = np.ndarray[Any, Any]

SUFFIXES = (".png", ".pdf", ".svg")
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

COUNTS = "rows per bin"
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
    return plt.rc_context(cast(Any, STYLE))


def check_output(path: str | Path) -> Path:
    """Independent. The path of a picture whose suffix says a format we draw. Raises UsageError."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise UsageError(f"'{path}' is not the name of an image; the suffixes are {', '.join(SUFFIXES)}")
    return target


@dataclass(frozen=True)
class Look:
    """How curves are drawn.

    `points` draws points instead of lines, `log` names logarithmic axes (`x`, `y`, `xy`), `units` has units
    by name of a quantity, `right` the quantities on a second axis.
    """

    title: str = ""
    points: bool = False
    log: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    right: Sequence[str] = ()


def draw_curves(found: Curves, look: Look, x_label: str = "", y_label: str = "") -> Figure:
    """Independent. Curves in one diagram; without curves an empty one, with the given labels.

    Axes are scaled so that numbers are short, with the prefix in the unit.
    """
    with style():
        figure, axes = plt.subplots(layout="constrained")
        left = [one for one in found.curves if one.name not in look.right]
        right = [one for one in found.curves if one.name in look.right]
        colours = colours_of(len(found.curves))
        across = scale_of(found.across, [one.x for one in found.curves], look.units, "x" in look.log)
        finish_axis(axes, "x", side_label(found.across, across) or x_label, look)
        lines = draw_side(axes, found, left, colours, across, look, y_label)
        if right:
            beside = axes.twinx()
            beside.grid(visible=False)
            beside.spines.right.set_visible(True)
            lines += draw_side(beside, found, right, colours[len(left) :], across, look, y_label)
        if not any(len(curve.x) for curve in found.curves):
            note_empty(axes)
        add_title(figure, look)
        add_legend(axes, lines, [curve.label for curve in (*left, *right)])
        return figure


def colours_of(count: int) -> list[Any]:
    """Independent. A colour for each curve, those of a scale if there are more curves than colours."""
    if count <= len(COLOURS):
        return list(COLOURS)
    return list(plt.get_cmap("viridis")(np.linspace(0.0, 0.92, count)))


def side_label(quantities: Sequence[Any], scale: Scale | None) -> str:
    """Independent. The label of an axis; empty without quantities."""
    return joint_label(quantities, None if scale is None else scale.unit) if quantities else ""


def draw_side(
    axes: Axes,
    found: Curves,
    curves: Sequence[Curve],
    colours: Sequence[Any],
    across: Scale | None,
    look: Look,
    label: str,
) -> list[Any]:
    """Independent. Curves that share a vertical axis; returns what the legend shows of each."""
    names = {one.name for one in curves}
    quantities = [item for item in found.up if item.name in names]
    scale = scale_of(quantities, [one.y for one in curves], look.units, "y" in look.log)
    factor_x, factor_y = (1.0 if one is None else one.factor for one in (across, scale))
    drawn = []
    for curve, colour in zip(curves, colours, strict=False):
        x, y = curve.x * factor_x, curve.y * factor_y
        if curve.colour is not None:
            drawn.append(draw_coloured(axes, x, y, curve.colour, found.colours, look))
        elif look.points or is_unordered(x):
            drawn += draw_points(axes, x, y, colour)
        else:
            drawn += axes.plot(x, y, color=colour, marker="o" if len(x) <= 40 else "", markersize=3.5)
    finish_axis(axes, "y", side_label(quantities, scale) or label, look)
    low, high = axes.get_ylim()
    if high - low < ROUNDING * abs(high):  # a constant: no picture of the last digits
        axes.set_ylim(low - 0.05 * abs(low), high + 0.05 * abs(high))
    return drawn


def is_unordered(x: Array) -> bool:
    """Independent. Whether x jumps to and fro, as that of particles does: a line would fill the picture."""
    signs = np.sign(np.diff(x))
    signs = signs[signs != 0]
    return len(x) > FEW_POINTS and bool(np.count_nonzero(np.diff(signs)) > len(x) / 4)


def draw_points(axes: Axes, x: Array, y: Array, colour: Any) -> list[Line2D]:
    """Independent. Points that get smaller, and at last translucent, the more there are."""
    return axes.plot(
        x,
        y,
        ".",
        color=colour,
        markersize=size_of_points(len(x)),
        markeredgewidth=0.0,
        alpha=1.0 if len(x) < MANY_POINTS else 0.3,
        rasterized=len(x) > MOST_VECTORS,
    )


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


def add_title(figure: Figure, look: Look) -> None:
    """Independent. The title, above everything else."""
    if look.title:
        figure.suptitle(legible(look.title).replace("$", "\\$"), fontsize=11)


class PlainPowers(LogFormatterSciNotation):
    """Numbers of a logarithmic axis; those of usual size without a power of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = super().__call__(x, pos)
        return f"{x:g}" if text and 1e-3 <= abs(x) < 1e4 else text


def finish_axis(axes: Axes, name: Literal["x", "y"], label: str, look: Look) -> None:
    """Independent. Label and scale of an axis, and numbers that stay short."""
    axes.set(**{f"{name}label": legible(label)})
    if name in look.log:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(PlainPowers())
        axis.set_minor_formatter(PlainPowers(minor_thresholds=(2, 0.5)))
    else:
        axes.ticklabel_format(axis=name, style="sci", scilimits=(-3, 4), useMathText=True)


def legible(text: str) -> str:
    """Independent. A text that can be drawn: bytes that are no UTF-8 are Latin-1, as in many old files."""
    shown = (chr(ord(one) - 0xDC00) if "\udc80" <= one <= "\udcff" else one for one in text)
    return "".join(shown).encode("utf-8", "replace").decode()


def add_legend(axes: Axes, lines: Sequence[Any], labels: Sequence[str]) -> None:
    """Independent. A legend of several curves above the axes, where it covers nothing; of many curves the
    first and a count of the others.
    """
    if len(labels) < 2:
        return
    handles = list(lines)
    names = [legible(label).replace("$", "\\$") for label in labels]
    if len(labels) > MOST_LABELS:
        rest = len(labels) - MOST_LABELS + 1
        handles = [*handles[: MOST_LABELS - 1], Line2D([], [], linestyle="")]
        names = [*names[: MOST_LABELS - 1], f"and {rest} more"]
    # Labels share the width, and lines are of equal length.
    most = max(1, min(LABELS_PER_LINE, LINE_CHARACTERS // max(len(name) + 6 for name in names)))
    per_line = math.ceil(len(names) / math.ceil(len(names) / most))
    legend = axes.legend(
        handles, names, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=per_line, borderaxespad=0.2
    )
    for handle in legend.legend_handles:
        if isinstance(handle, Line2D) and handle.get_marker() == ".":
            handle.set(markersize=9.0, alpha=1.0)


def draw_distribution(
    found: Sequence[tuple[str, Distribution]], quantities: Sequence[Sequence[Any]], look: Look
) -> Figure:
    """Independent. One or more 1-D distributions as steps, or a single 2-D one as a map of colours.

    `quantities` are the columns along each axis.
    """
    with style():
        figure, axes = plt.subplots(layout="constrained")
        first = found[0][1]
        edges = [[one.axes[place].edges for _, one in found] for place in range(len(first.axes))]
        scales = [
            scale_of(some, ends, look.units, axis in look.log)
            for axis, some, ends in zip("xy", quantities, edges, strict=False)
        ]
        factors = [1.0 if one is None else one.factor for one in scales]
        labels = [
            side_label(some, scale) or name
            for some, scale, name in zip(quantities, scales, first.names, strict=True)
        ]
        finish_axis(axes, "x", labels[0], look)
        if len(first.axes) == 1:
            draw_steps(axes, found, factors[0], look)
        else:
            finish_axis(axes, "y", labels[1], look)
            x, y = (axis.edges * factor for axis, factor in zip(first.axes, factors, strict=True))
            draw_counts(figure, axes, x, y, first.counts)
        if not any(one.counts.any() for _, one in found):
            note_empty(axes)
        add_title(figure, look)
        return figure


def draw_steps(axes: Axes, found: Sequence[tuple[str, Distribution]], factor: float, look: Look) -> None:
    """Independent. Histograms of one quantity, each as a line of steps, the only one filled."""
    largest = float(max(one.counts.max(initial=0) for _, one in found))
    scale = Scale() if "y" in look.log else power_scale("", largest)
    drawn = [
        axes.stairs(
            one.counts * scale.factor,
            one.axes[0].edges * factor,
            color=colour,
            linewidth=1.4,
            fill=len(found) == 1,
        )
        for (_, one), colour in zip(found, colours_of(len(found)), strict=False)
    ]
    axes.margins(x=0)
    finish_axis(axes, "y", axis_label(COUNTS, scale.unit), look)
    add_legend(axes, drawn, [name for name, _ in found])


def draw_counts(figure: Figure, axes: Axes, x: Array, y: Array, found: Array) -> None:
    """Independent. Counts as colours, logarithmic where they span more than two decades; empty bins white."""
    counts = np.ma.masked_equal(found.T, 0)
    largest = int(found.max(initial=0))
    norm = LogNorm(1, largest) if largest > 100 else None
    mesh = axes.pcolormesh(x, y, counts, cmap="viridis", norm=norm, rasterized=True)
    axes.grid(visible=False)
    if largest:
        figure.colorbar(mesh, ax=axes, label=COUNTS, format=None if norm is None else PlainPowers())


def draw_plane(across: FieldAxis, up: FieldAxis, values: Array, quantity: Any, look: Look) -> Figure:
    """Independent. A plane of a field as colours; `values` has an axis for `up`, then one for `across`.

    Axes of the same unit and similar size have the same scale, so that round things are round.
    """
    with style():
        figure, axes = plt.subplots(layout="compressed")
        scales = [scale_of([one], [one.positions], look.units) or Scale() for one in (across, up)]
        x, y = (one.edges * scale.factor for one, scale in zip((across, up), scales, strict=True))
        scale = scale_of([quantity], [values], look.units, "z" in look.log) or Scale()
        shown, colours = colours_of_plane(drawable(values) * scale.factor, "z" in look.log)
        mesh = axes.pcolormesh(x, y, shown, rasterized=True, **colours)
        axes.grid(visible=False)
        if scales[0].unit == scales[1].unit and 1 / 3 < abs(np.ptp(x) / np.ptp(y)) < 3:
            axes.set_aspect("equal")
        is_log = isinstance(mesh.norm, LogNorm)
        figure.colorbar(
            mesh,
            ax=axes,
            label=legible(side_label([quantity], scale)),
            format=PlainPowers() if is_log else None,
        )
        finish_axis(axes, "x", side_label([across], scales[0]), look)
        finish_axis(axes, "y", side_label([up], scales[1]), look)
        add_title(figure, look)
        return figure


def colours_of_plane(values: Array, is_log: bool) -> tuple[Array, dict[str, Any]]:
    """Independent. The values of a plane that are drawn, and their colours, whose middle is 0 if they have
    both signs.
    """
    shown = np.ma.masked_invalid(values)
    if is_log:
        shown = np.ma.masked_less_equal(shown, 0.0)
    if is_log and shown.count():
        return shown, {"cmap": "viridis", "norm": LogNorm()}
    if shown.min() < 0 < shown.max():
        largest = float(np.abs(shown).max())
        return shown, {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}
    return shown, {"cmap": "viridis"}


def save(figure: Figure, path: str | Path) -> None:
    """Independent. Write the picture in the format of its suffix and release it; the same input, the same
    bytes. It takes its place when it is whole.
    """
    target = check_output(path)
    dates: dict[str, Mapping[str, None]] = {
        ".pdf": {"CreationDate": None},
        ".svg": {"Date": None},
        ".png": {},
    }
    try:
        with style(), replacement(target) as beside:
            figure.savefig(beside, metadata=dates[target.suffix.lower()])
    finally:
        plt.close(figure)
