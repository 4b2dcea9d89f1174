"""Plots of columns, attributes and histograms by matplotlib, without a display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import matplotlib as mpl
import numpy as np
from cycler import cycler

from quire.errors import UsageError
from quire.toolkit.axes import Scale, joint_label, scale_of
from quire.toolkit.curves import drawable
from quire.toolkit.replacing import replacement

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm
from matplotlib.lines import Line2D

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from quire.toolkit.binning import Distribution
    from quire.toolkit.curves import Curve, Curves
    from quire.toolkit.field_values import FieldAxis

    Array = np.ndarray[Any, Any]

SUFFIXES = (".png", ".pdf", ".svg")
MOST_LABELS = 12
STYLE: Mapping[str, Any] = {
    "figure.figsize": (7.2, 4.6),
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "font.size": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(
        color=["#1f5fa8", "#d1495b", "#2e8b57", "#e08e1b", "#7b4fa3", "#3aa6b9", "#8c6d46", "#5b6770"]
    ),
    "grid.color": "#d7dbe0",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "legend.frameon": True,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "white",
    "legend.fancybox": False,
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
        across = scale_of(found.across, [one.x for one in found.curves], look.units)
        lines = draw_side(figure, axes, found, left, across, look)
        finish_axes(axes, side_label(found.across, across) or x_label, look)
        sides = [(axes, left)]
        if right:
            beside = axes.twinx()
            beside.set_prop_cycle(axes_colours(len(left)))
            beside.grid(visible=False)
            beside.spines.right.set_visible(True)
            lines += draw_side(figure, beside, found, right, across, look)
            finish_scale(beside, "y", look)
            sides.append((beside, right))
        for one, curves in sides:
            quantities = of_curves(found, curves)
            scale = scale_of(quantities, [curve.y for curve in curves], look.units)
            one.set_ylabel(legible(side_label(quantities, scale) or y_label))
        if not any(len(curve.x) for curve in found.curves):
            note_empty(axes)
        labels = [curve.label for curve in (*left, *right)]
        add_legend(axes, lines, labels, 5.0 if look.points else 1.0)
        return figure


def axes_colours(used: int) -> Any:
    """Independent. The colours of curves after the first `used` ones."""
    colours = STYLE["axes.prop_cycle"].by_key()["color"]
    return cycler(color=colours[used % len(colours) :] + colours[: used % len(colours)])


def of_curves(found: Curves, curves: Sequence[Curve]) -> list[Any]:
    """Independent. The quantities of these curves."""
    names = {one.name for one in curves}
    return [item for item in found.up if item.name in names]


def side_label(quantities: Sequence[Any], scale: Scale | None) -> str:
    """Independent. The label of an axis; empty without quantities."""
    return joint_label(quantities, None if scale is None else scale.unit) if quantities else ""


def draw_side(
    figure: Figure, axes: Axes, found: Curves, curves: Sequence[Curve], across: Scale | None, look: Look
) -> list[Any]:
    """Independent. Curves that share a vertical axis; returns what the legend shows for each."""
    scale = scale_of(of_curves(found, curves), [one.y for one in curves], look.units)
    colours = scale_of(found.colours, [one.colour for one in curves if one.colour is not None], look.units)
    factor_x, factor_y, factor_colour = (
        1.0 if one is None else one.factor for one in (across, scale, colours)
    )
    drawn: list[Any] = []
    for curve in curves:
        x, y, count = curve.x * factor_x, curve.y * factor_y, len(curve.x)
        size = 4.0 if count < 2000 else 1.2
        if curve.colour is not None:
            colour = curve.colour * factor_colour
            drawn.append(axes.scatter(x, y, size, colour, cmap="viridis", rasterized=count > 5000))
        elif look.points:
            drawn += axes.plot(x, y, ".", markersize=size, label=curve.label, rasterized=count > 5000)
        else:
            drawn += axes.plot(x, y, marker="o" if count <= 40 else "", markersize=3.5, label=curve.label)
    if found.colours and drawn:
        figure.colorbar(drawn[0], ax=axes, label=legible(side_label(found.colours, colours)))
    return drawn


def note_empty(axes: Axes) -> None:
    """Independent. Say in the picture that there is nothing to see."""
    axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center", color="#5b6770")


def finish_axes(axes: Axes, x_label: str, look: Look) -> None:
    """Independent. Label of x, title, scales, and tick numbers that stay short."""
    if x_label:
        axes.set_xlabel(legible(x_label))
    if look.title:
        axes.set_title(legible(look.title).replace("$", "\\$"), fontsize=10)
    for axis in ("x", "y"):
        finish_scale(axes, axis, look)


def finish_scale(axes: Axes, axis: Literal["x", "y"], look: Look) -> None:
    """Independent. The scale of one axis, and tick numbers that stay short."""
    if axis in look.log:
        axes.set(**{f"{axis}scale": "log"})
    else:
        axes.ticklabel_format(axis=axis, style="sci", scilimits=(-3, 4), useMathText=True)


def legible(text: str) -> str:
    """Independent. A text that can be drawn: bytes that are no UTF-8 are Latin-1, as in many old files."""
    shown = (chr(ord(one) - 0xDC00) if "\udc80" <= one <= "\udcff" else one for one in text)
    return "".join(shown).encode("utf-8", "replace").decode()


def add_legend(axes: Axes, lines: Sequence[Any], labels: Sequence[str], scale: float) -> None:
    """Independent. A legend where it says something; of many curves the first and a count of the others."""
    if len(labels) < 2:
        return
    handles = list(lines)
    names = [legible(label).replace("$", "\\$") for label in labels]
    if len(labels) > MOST_LABELS:
        rest = len(labels) - MOST_LABELS + 1
        handles = handles[: MOST_LABELS - 1]
        names = [*names[: MOST_LABELS - 1], f"and {rest} more"]
        handles = [*handles, Line2D([], [], linestyle="")]
    axes.legend(handles, names, markerscale=scale)


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
        scales = [scale_of(some, edges[place], look.units) for place, some in enumerate(quantities)]
        factors = [1.0 if one is None else one.factor for one in scales]
        names = [
            side_label(some, scale) or name
            for some, scale, name in zip(quantities, scales, first.names, strict=True)
        ]
        if len(first.axes) == 1:
            for name, one in found:
                axes.stairs(
                    one.counts,
                    one.axes[0].edges * factors[0],
                    label=legible(name),
                    linewidth=1.4,
                    fill=len(found) == 1,
                )
            axes.margins(x=0)
            axes.set_ylabel("rows per bin")
            if len(found) > 1:
                axes.legend()
        else:
            x, y = (axis.edges * factor for axis, factor in zip(first.axes, factors, strict=True))
            draw_map(figure, axes, x, y, first.counts)
            axes.set_ylabel(legible(names[1]))
        finish_axes(axes, names[0], look)
        if not any(one.counts.any() for _, one in found):
            note_empty(axes)
        return figure


def draw_map(figure: Figure, axes: Axes, x: Array, y: Array, found: Array) -> None:
    """Independent. Counts as colours, logarithmic where they span more than two decades; empty bins white."""
    counts = np.ma.masked_equal(found.T, 0)
    largest = int(found.max(initial=0))
    norm = LogNorm(1, largest) if largest > 100 else None
    mesh = axes.pcolormesh(x, y, counts, cmap="viridis", norm=norm, rasterized=True)
    axes.grid(visible=False)
    if largest:
        figure.colorbar(mesh, ax=axes, label="rows per bin")


def draw_plane(across: FieldAxis, up: FieldAxis, values: Array, quantity: Any, look: Look) -> Figure:
    """Independent. A plane of a field as colours; `values` has an axis for `up`, then one for `across`."""
    with style():
        figure, axes = plt.subplots(layout="constrained")
        scales = [scale_of([one], [one.positions], look.units) or Scale() for one in (across, up)]
        x, y = (one.edges * scale.factor for one, scale in zip((across, up), scales, strict=True))
        scale = scale_of([quantity], [values], look.units) or Scale()
        shown = np.ma.masked_invalid(drawable(values) * scale.factor)
        is_signed = bool(shown.min() < 0 < shown.max())
        largest = float(np.abs(shown).max()) if shown.count() else 1.0
        limits = (-largest, largest) if is_signed else (None, None)
        if "z" in look.log:
            shown = np.ma.masked_less_equal(shown, 0.0)
        norm = LogNorm() if "z" in look.log and shown.count() else None
        mesh = axes.pcolormesh(
            x, y, shown, cmap="RdBu_r" if is_signed else "viridis", norm=norm, rasterized=True,
            vmin=None if norm else limits[0], vmax=None if norm else limits[1],
        )  # fmt: skip
        axes.grid(visible=False)
        figure.colorbar(mesh, ax=axes, label=legible(side_label([quantity], scale)))
        axes.set_ylabel(legible(side_label([up], scales[1])))
        finish_axes(axes, side_label([across], scales[0]), look)
        return figure


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
