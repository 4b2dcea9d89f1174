"""Plots of columns, attributes and histograms by matplotlib, without a display."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import matplotlib as mpl
import numpy as np
from cycler import cycler

from quire.errors import MissingError, UsageError
from quire.toolkit.replacing import replacement
from quire.toolkit.selection import select_names, tables_with

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm
from matplotlib.lines import Line2D

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from quire import Step, Table
    from quire.io.matches import Matches
    from quire.toolkit.binning import Distribution

    Array = np.ndarray[Any, Any]

SUFFIXES = (".png", ".pdf", ".svg")
MOST_POINTS = 200_000
MOST_LABELS = 12
LARGEST_DRAWN = 1e300
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


@dataclass(frozen=True)
class Curve:
    """Points to be joined, in the order given."""

    label: str
    x: Array
    y: Array


@dataclass
class Curves:
    """Some curves, and the columns or attributes along each axis."""

    curves: list[Curve] = field(default_factory=list)
    across: list[Any] = field(default_factory=list)
    up: list[Any] = field(default_factory=list)


def check_output(path: str | Path) -> Path:
    """Independent. The path of a picture whose suffix says a format we draw. Raises UsageError."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise UsageError(f"'{path}' is not the name of an image; the suffixes are {', '.join(SUFFIXES)}")
    return target


def unit_text(unit: str) -> str:
    """Independent. A unit as the field writes it (`m$be$nc`, `1/m$a2$n`) for a label of matplotlib.

    `$a` raises, `$b` lowers, `$n` returns to the line, `$s` and `$r` switch between Greek and Roman.
    """
    text, raised = "", ""
    i = 0
    while i < len(unit):
        code = unit[i : i + 2]
        if code in ("$a", "$b"):
            text += raised + ("^{" if code == "$a" else "_{")
            raised = "}"
        elif code == "$n":
            text += raised
            raised = ""
        elif len(code) == 2 and code[0] == "$":
            pass
        else:
            text += "\\" + unit[i] if unit[i] in "%#&_$" else unit[i]
            i += 1
            continue
        i += 2
    return "$\\mathrm{" + (text + raised).replace(" ", "\\ ") + "}$" if "$" in unit else unit


def axis_label(name: str, unit: str, symbol: str = "") -> str:
    """Independent. `name [unit]`, plain where the file gives no unit."""
    shown = symbol if symbol and "$" not in symbol else name
    shown = shown.replace("$", "\\$")
    return f"{shown} [{unit_text(unit)}]" if unit else shown


def joint_label(quantities: Sequence[Any]) -> str:
    """Independent. One label for all quantities on an axis: names joined, the unit if all share it."""
    names = list(dict.fromkeys(item.name for item in quantities))
    units = {item.unit for item in quantities}
    if len(names) == 1 and len(units) == 1:
        return axis_label(names[0], quantities[0].unit, quantities[0].symbol)
    if len(units) == 1:
        return axis_label(", ".join(names), next(iter(units)))
    pairs = dict.fromkeys(axis_label(item.name, item.unit) for item in quantities)
    return ", ".join(pairs)


def thinned(table: Table | Matches, names: Sequence[str]) -> dict[str, Array]:
    """Independent. Columns as numbers, at most MOST_POINTS rows: every k-th one of a longer table."""
    stride = -(-len(table) // MOST_POINTS)
    if stride <= 1:
        return {name: as_numbers(name, values) for name, values in table.read(names).items()}
    parts: dict[str, list[Array]] = {name: [] for name in names}
    done = 0
    for _, block in table.blocks(names):
        for name in names:
            parts[name].append(as_numbers(name, block[name][(-done) % stride :: stride]).copy())
        done += len(block[names[0]])
    return {name: np.concatenate(parts[name]) for name in names}


def as_numbers(name: str, values: Array) -> Array:
    """Independent. Values that have a place on an axis. Raises UsageError for text."""
    if values.dtype.kind not in "iuf":
        raise UsageError(f"'{name}' contains text, which cannot be drawn")
    return drawable(values)


def drawable(values: Any) -> Array:
    """Independent. Numbers as float64, gaps where they are too large for the arithmetic of a picture."""
    numbers = np.array(values, dtype=np.float64)
    numbers[np.abs(numbers) > LARGEST_DRAWN] = np.nan
    return numbers


def column_curves(
    steps: Iterable[Step],
    label: Callable[[Step], str],
    x: str,
    ys: Sequence[str],
    table: str = "",
    where: str | None = None,
) -> Curves:
    """Independent. For each step a curve of every y against x, of rows for which `where` holds; names of ys
    may be patterns.

    Steps without such columns are left out. Raises MissingError if steps there are, but none has them.
    """
    found = Curves()
    for step, source in tables_with(steps, [x, *ys], table, where):
        names = select_names(ys, list(source.columns), "column")
        values = thinned(source, list(dict.fromkeys([x, *names])))
        for y in names:
            name = label(step) if len(names) == 1 else join(label(step), y)
            found.curves.append(Curve(name, values[x], values[y]))
            found.up.append(source[y])
        found.across.append(source[x])
    return found


def attribute_curves(label: str, steps: Iterable[Step], x: str | None, ys: Sequence[str]) -> Curves:
    """Independent. A curve for each attribute over the steps, against attribute x or the step number.

    Steps that lack one of them are left out. Raises MissingError if no step has them.
    """
    found: dict[str, tuple[list[float], list[float]]] = {y: ([], []) for y in ys}
    quantities: dict[str, Any] = {}
    seen: dict[str, None] = {}
    for step in steps:
        seen.update(dict.fromkeys(step.attrs))
        if x is not None and x not in step.attrs:
            continue
        place = float(step.number) if x is None else scalar(x, step.attrs[x])
        if x is not None:
            quantities.setdefault(x, step.attrs.info[x])
        for y in ys:
            if y in step.attrs:
                quantities.setdefault(y, step.attrs.info[y])
                found[y][0].append(place)
                found[y][1].append(scalar(y, step.attrs[y]))
    for name in [*([x] if x is not None else []), *ys]:
        if name not in quantities:
            listed = ", ".join(seen) or "none"
            raise MissingError(f"no step has an attribute '{name}'; there are: {listed}")
    return Curves(
        [
            Curve(label if len(ys) == 1 else join(label, y), drawable(found[y][0]), drawable(found[y][1]))
            for y in ys
        ],
        [quantities[x]] if x is not None else [],
        [quantities[y] for y in ys],
    )


def join(label: str, name: str) -> str:
    """Independent. The label of one of several curves."""
    return f"{name}, {label}" if label else name


def scalar(name: str, value: Any) -> float:
    """Independent. The single number of an attribute. Raises UsageError for text and longer arrays."""
    values = np.asarray(value)
    if values.size != 1 or values.dtype.kind not in "iuf":
        raise UsageError(f"attribute '{name}' is not a single number")
    return float(values.reshape(-1)[0])


def draw_curves(
    curves: Sequence[Curve], x_label: str, y_label: str, title: str = "", points: bool = False
) -> Figure:
    """Independent. Curves in one diagram, with `points` as dots; without curves an empty diagram."""
    with style():
        figure, axes = plt.subplots(layout="constrained")
        for curve in curves:
            count = len(curve.x)
            if points:
                size = 4.0 if count < 2000 else 1.2
                axes.plot(curve.x, curve.y, ".", markersize=size, label=curve.label, rasterized=count > 5000)
            else:
                marker = "o" if count <= 40 else ""
                axes.plot(curve.x, curve.y, marker=marker, markersize=3.5, label=curve.label)
        if not any(len(curve.x) for curve in curves):
            note_empty(axes)
        finish_axes(axes, x_label, y_label, title)
        add_legend(axes, [curve.label for curve in curves], 5.0 if points else 1.0)
        return figure


def note_empty(axes: Axes) -> None:
    """Independent. Say in the picture that there is nothing to see."""
    axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center", color="#5b6770")


def finish_axes(axes: Axes, x_label: str, y_label: str, title: str) -> None:
    """Independent. Labels, title and tick numbers that stay short."""
    axes.set_xlabel(legible(x_label))
    axes.set_ylabel(legible(y_label))
    if title:
        axes.set_title(legible(title).replace("$", "\\$"), fontsize=10)
    axes.ticklabel_format(style="sci", scilimits=(-3, 4), useMathText=True)


def legible(text: str) -> str:
    """Independent. A text that can be drawn: bytes that are no UTF-8 are Latin-1, as in many old files."""
    shown = (chr(ord(one) - 0xDC00) if "\udc80" <= one <= "\udcff" else one for one in text)
    return "".join(shown).encode("utf-8", "replace").decode()


def add_legend(axes: Axes, labels: Sequence[str], scale: float) -> None:
    """Independent. A legend where it says something; of many curves the first and a count of the others."""
    if len(labels) < 2:
        return
    handles = axes.get_lines()[: len(labels)]
    names = [legible(label).replace("$", "\\$") for label in labels]
    if len(labels) > MOST_LABELS:
        rest = len(labels) - MOST_LABELS + 1
        handles = handles[: MOST_LABELS - 1]
        names = [*names[: MOST_LABELS - 1], f"and {rest} more"]
        handles = [*handles, Line2D([], [], linestyle="")]
    axes.legend(handles, names, markerscale=scale)


def draw_distribution(
    found: Sequence[tuple[str, Distribution]], labels: Sequence[str], title: str = ""
) -> Figure:
    """Independent. One or more 1-D distributions as steps, or a single 2-D one as a map of colours."""
    with style():
        figure, axes = plt.subplots(layout="constrained")
        first = found[0][1]
        if len(first.axes) == 1:
            for name, one in found:
                axes.stairs(
                    one.counts, one.axes[0].edges, label=legible(name), linewidth=1.4, fill=len(found) == 1
                )
            axes.margins(x=0)
            finish_axes(axes, labels[0], "rows per bin", title)
            if len(found) > 1:
                axes.legend()
        else:
            draw_map(figure, axes, first)
            finish_axes(axes, labels[0], labels[1], title)
        if not any(one.counts.any() for _, one in found):
            note_empty(axes)
        return figure


def draw_map(figure: Figure, axes: Axes, found: Distribution) -> None:
    """Independent. Counts as colours, logarithmic where they span more than two decades; empty bins white."""
    counts = np.ma.masked_equal(found.counts.T, 0)
    largest = int(found.counts.max(initial=0))
    norm = LogNorm(1, largest) if largest > 100 else None
    x, y = found.axes
    mesh = axes.pcolormesh(x.edges, y.edges, counts, cmap="viridis", norm=norm, rasterized=True)
    axes.grid(visible=False)
    if largest:
        figure.colorbar(mesh, ax=axes, label="rows per bin")


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
