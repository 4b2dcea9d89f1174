"""Colours and marks of methods: the same in all figures of a report, distinguishable also without colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.path import Path

from quire.lab.bench.figures.picture import FONT, SMALL, Picture, text_width
from quire.lab.bench.summary import CellSummary, ranks_text

# Okabe and Ito's colours, the yellow left out, then darker ones of the same kind.
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7a3e9d", "#8c510a", "#01665e",
    "#b2182b",
)  # fmt: skip
RAW_COLOURS = ("#3a3a3a", "#9a9a9a")
# Light and dark in turn: neighbours differ in gray, too.
PHASE_COLOURS = {
    "compute": "#e4e4e4", "plan": "#9ecae1", "create": "#1f5f99", "metadata": "#fdc086", "data": "#41a36b",
    "copy": "#c9a0dc", "wait": "#f4ecb0", "commit_sync": "#b5543a", "close": "#d4c2e6", "other": "#7f7f7f",
    "barrier": "#f6cfc9", "sync": "#7b241c",
}  # fmt: skip
# Markers of matplotlib.
MARKS = ("o", "s", "^", "D", "v", "p", "h", "*", "X", "P")
# An arrow with its shaft, which no method has.
_DOWNWARDS = [
    (0.28, 1.5),
    (0.28, -0.1),
    (0.95, -0.1),
    (0.0, -1.5),
    (-0.95, -0.1),
    (-0.28, -0.1),
    (-0.28, 1.5),
]
ARROW_DOWN = Path([*_DOWNWARDS, _DOWNWARDS[0]], closed=True)
ARROW_UP = Path([(x, -y) for x, y in (*_DOWNWARDS, _DOWNWARDS[0])], closed=True)
ROW = 18.0
"""The height of a row of a legend."""


@dataclass(frozen=True)
class Look:
    """How a method is drawn."""

    colour: str
    kind: str


def looks(methods: Sequence[str], raw: Sequence[str]) -> dict[str, Look]:
    """Independent. A look for every method; raw ones are gray."""
    found: dict[str, Look] = {}
    grays, colours = iter(RAW_COLOURS), 0
    for place, name in enumerate(methods):
        colour = next(grays, None) if name in raw else None
        if colour is None:
            colour, colours = COLOURS[colours % len(COLOURS)], colours + 1
        found[name] = Look(colour, MARKS[place % len(MARKS)])
    return found


def mark(axes: Axes, place: tuple[float, float], look: Look, size: float, **style: Any) -> Line2D:
    """Independent. A mark of a method; `hollow` ones are rings."""
    filled = "#ffffff" if style.pop("hollow", False) else look.colour
    usual = {
        "linestyle": "none",
        "marker": look.kind,
        "markersize": size,
        "markerfacecolor": filled,
        "markeredgecolor": look.colour,
        "markeredgewidth": 1.0,
        "clip_on": False,
    }
    (line,) = axes.plot([place[0]], [place[1]], **{**usual, **style})
    return line


def margin_for(cells: Sequence[CellSummary]) -> float:
    """Independent. Room on the left for the names of methods, and of the groups that they stand in."""
    names = max(text_width(cell.method) for cell in cells) + 24
    groups = max(text_width(ranks_text(cell.group.ranks, cell.group.readers), SMALL) for cell in cells)
    return max(120.0, names, 16 + 1.1 * groups + 12)  # bold letters are wider


@dataclass(frozen=True)
class Legend:
    """Names with marks or squares, in rows of a width."""

    entries: Mapping[str, Look]
    width: float

    @property
    def columns(self) -> int:
        """Independent. How many names a row has."""
        widest = max(text_width(name) for name in self.entries) + 30
        return max(1, min(len(self.entries), int(self.width / widest)))

    @property
    def height(self) -> float:
        """Independent. How high all rows are."""
        return ROW * -(-len(self.entries) // self.columns) + 6

    def draw(self, picture: Picture, left: float, top: float) -> None:
        """Independent. Draw the rows, with their upper left corner here."""
        axes = picture.axes(left, top, self.width, self.height)
        axes.set_axis_off()
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        for place, (name, look) in enumerate(self.entries.items()):
            row, column = divmod(place, self.columns)
            x, y = column * self.width / self.columns, ROW * row + 8
            mark(axes, (x + 6, y), look, 8)
            axes.text(x + 16, y, name, fontsize=FONT, verticalalignment="center_baseline")
