"""Scenes as PNG or PDF, drawn by matplotlib (the extra `plot`)."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any, Literal

from quire.lab.bench.figures.scene import Circle, Path, Scene, Shape, Text

DOTS_PER_INCH = 200
POINTS_PER_INCH = 72
FONTS = ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"]
ALIGNMENTS: dict[str, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}


def save_raster(scene: Scene, path: FilePath) -> None:
    """Independent. Write the picture; the suffix of the path chooses its form."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"font.sans-serif": FONTS, "font.family": "sans-serif"}):
        figure = Figure(figsize=(scene.width / POINTS_PER_INCH, scene.height / POINTS_PER_INCH))
        FigureCanvasAgg(figure)
        axes: Any = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, scene.width)
        axes.set_ylim(scene.height, 0)
        axes.set_axis_off()
        for depth, shape in enumerate(scene.shapes):
            axes.add_artist(artist(shape, depth, axes))
        figure.savefig(path, dpi=DOTS_PER_INCH, facecolor="white")


def artist(shape: Shape, depth: int, axes: Any) -> Any:
    """Independent. What draws a shape, above those of smaller depth."""
    from matplotlib import lines, patches, text

    if isinstance(shape, Path):
        across, up = zip(*shape.points, strict=True)
        line = lines.Line2D(across, up, color=shape.colour, linewidth=shape.width, zorder=depth)
        if shape.dashes:
            line.set_dashes([one / shape.width for one in shape.dashes])
        return line
    if isinstance(shape, Text):
        return text.Text(
            *shape.at,
            shape.text.replace("$", r"\$"),
            fontsize=shape.size,
            color=shape.colour,
            fontweight="bold" if shape.bold else "normal",
            horizontalalignment="right" if shape.turned else ALIGNMENTS[shape.anchor],
            rotation=90 if shape.turned else 0,
            verticalalignment="center" if shape.turned else "baseline",
            zorder=depth,
        )
    style = {
        "facecolor": shape.fill or "none",
        "edgecolor": shape.border,
        "linewidth": shape.width,
        "alpha": shape.opacity,
        "zorder": depth,
    }
    if isinstance(shape, Circle):
        return patches.Circle(shape.centre, shape.radius, **style)
    return patches.Polygon(shape.points, closed=True, **style)
