"""Pictures drawn by matplotlib without a display, as SVG, PNG or PDF."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath

FONT = 11.0
SMALL = 10.0
INK = "#1a1a1a"
GRAY = "#6b6b6b"
GRID = "#e2e2e2"
DOTS_PER_INCH = 200
POINTS_PER_INCH = 72
STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"],
    "font.size": FONT,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": GRAY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": GRAY,
    "ytick.color": GRAY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.bottom": False,
    "svg.fonttype": "none",
}


@dataclass
class Picture:
    """A figure whose parts are placed in points from the upper left corner; `title` says it in words."""

    width: float
    height: float
    title: str
    figure: Figure = field(init=False)
    tips: dict[str, str] = field(default_factory=dict)
    """What a pointer over an artist shows, by the group of the artist."""

    def __post_init__(self) -> None:
        """Make the figure, with its title."""
        with mpl.rc_context(STYLE):
            self.figure = Figure(figsize=(self.width / POINTS_PER_INCH, self.height / POINTS_PER_INCH))
        FigureCanvasAgg(self.figure)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Independent. Axes that fill a rectangle."""
        share = (left / self.width, 1 - (top + height) / self.height)
        with mpl.rc_context(STYLE):
            return self.figure.add_axes((*share, width / self.width, height / self.height))

    def text(self, x: float, y: float, text: str, **style: Any) -> None:
        """Independent. A line of text whose base line begins here."""
        with mpl.rc_context(STYLE):
            self.figure.text(x / self.width, 1 - y / self.height, text, **style)

    def tip(self, artist: Artist, text: str) -> None:
        """Independent. What a pointer over an artist shows, in an SVG."""
        group = f"tip{len(self.tips)}"
        artist.set_gid(group)
        self.tips[group] = text

    def tipped(self, text: str) -> list[Artist]:
        """Independent. The artists whose tips hold a text."""
        return [one for one in self.figure.findobj() if text in self.tips.get(str(one.get_gid()), "")]

    def save(self, path: Path, form: str) -> None:
        """Independent. Write the picture as svg, png or pdf."""
        if form == "svg":
            path.write_text(self.svg(), encoding="utf-8")
            return
        with mpl.rc_context(STYLE):
            self.figure.savefig(path, format=form, dpi=DOTS_PER_INCH, facecolor="white")

    def svg(self) -> str:
        """Independent. The picture as one element `svg`, which may be a part of a page.

        It is the same whenever it is drawn.
        """
        out = io.StringIO()
        with mpl.rc_context({**STYLE, "svg.hashsalt": self.title}):
            self.figure.savefig(out, format="svg", facecolor="white", metadata={"Date": None})
        text = out.getvalue()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        # Groups are numbered alike in every picture; only those with a tip are needed.
        text = re.sub(r'<g id="(?!tip)[^"]*">', "<g>", text)
        for group, tip in self.tips.items():
            text = text.replace(f'<g id="{group}">', f"<g><title>{escape(tip)}</title>", 1)
        return text.replace(
            "<svg ", f'<svg role="img" aria-label="{escape(self.title, {chr(34): "&quot;"})}" ', 1
        )


@cache
def text_width(text: str, size: float = FONT) -> float:
    """Independent. How wide a text is, in points. Labels recur, and outlines take most of the time."""
    if not text.strip():
        return 0.0
    with mpl.rc_context(STYLE):
        return float(TextPath((0, 0), text, size=size).get_extents().width)
