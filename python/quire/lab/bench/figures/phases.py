"""Where the time goes: stacked bars of the phases of the slowest rank."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from quire.lab.bench.figures.picture import FONT, GRAY, SMALL, Picture
from quire.lab.bench.figures.scales import Scale, Unit, scale_for, time_unit
from quire.lab.bench.figures.style import PHASE_COLOURS, Legend, Look, margin_for
from quire.lab.bench.statistics import quantile
from quire.lab.bench.summary import CellSummary, Group, Study, ranks_text, seconds_text

WIDTH = 860.0
TOP = 62.0
BAR = 13.0
STEP = 18.0
RIGHT = 74.0
FURTHEST = 6.0
"""How many times the median bar the longest one may be; beyond, all bars are shares of their own time."""


def phase_figure(study: Study, case: str, aspect: str) -> Picture | None:
    """Independent. A bar for each method and number of ranks of an aspect; None if no phases are known."""
    cells = [cell for cell in study.of_case(case) if cell.group.aspect == aspect and cell.phases]
    if not cells:
        return None
    groups = list(dict.fromkeys(cell.group for cell in cells))
    named = [name for name in PHASE_COLOURS if any(cell.phases.get(name) for cell in cells)]
    left = margin_for(cells)
    inner = sum(24 + STEP * sum(cell.group == group for cell in cells) for group in groups) + 12
    picture = Picture(WIDTH, TOP + inner + 42, f"{case}: phases of {aspect}")
    picture.text(16, 20, picture.title, fontsize=14, fontweight="bold")
    squares = {words_of(name): Look(PHASE_COLOURS[name], "s") for name in named}
    Legend(squares, WIDTH - 32).draw(picture, 16, 30)
    totals = [sum(cell.phases.values()) for cell in cells]
    are_shares = max(totals) > FURTHEST * quantile(totals, 0.5)
    unit = Unit(0.01, "%") if are_shares else time_unit(max(totals))
    high = 100.0 if are_shares else scale_for([max(totals) / unit.factor], logarithmic=False).high
    axes = picture.axes(left, TOP, WIDTH - left - RIGHT, inner)
    Scale(0.0, high).apply(axes, "x")
    axes.set_ylim(inner, 0)
    axes.set_yticks([])
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    what = "share of the time" if are_shares else "time"
    axes.set_xlabel(f"{what} of the slowest rank, mean over passes, {unit.name}", fontsize=FONT)
    y = 6.0
    for group in groups:
        some = [cell for cell in cells if cell.group == group]
        draw_group(picture, axes, group, some, y, unit)
        y += 24 + STEP * len(some)
    return picture


def words_of(phase: str) -> str:
    """Independent. The name of a phase for people."""
    return phase.replace("_", " ")


def draw_group(
    picture: Picture, axes: Axes, group: Group, cells: Sequence[CellSummary], y: float, unit: Unit
) -> None:
    """Independent. The bars of a number of ranks, from here downwards."""
    ranks = ranks_text(group.ranks, group.readers)
    picture.text(16, TOP + y + 12, ranks, fontsize=SMALL, color=GRAY, fontweight="bold")
    for place, cell in enumerate(cells):
        middle = y + 18 + place * STEP + BAR / 2
        total = sum(cell.phases.values())
        by = total * unit.factor if unit.name == "%" else unit.factor
        axes.annotate(
            cell.method,
            (0, middle),
            (-10, 0),
            textcoords="offset points",
            fontsize=FONT,
            horizontalalignment="right",
            verticalalignment="center_baseline",
        )
        end = 0.0
        for name, colour in PHASE_COLOURS.items():
            seconds = cell.phases.get(name, 0.0)
            if seconds > 0 and by > 0:
                wide = seconds / by
                (bar,) = axes.barh(
                    middle, wide, BAR, left=end, color=colour, edgecolor="#ffffff", linewidth=0.4
                )
                picture.tip(bar, f"{cell.method}, {words_of(name)}: {seconds_text(seconds)}")
                end += wide
        text = seconds_text(total).replace("us", "\N{MICRO SIGN}s")
        axes.annotate(
            text,
            (end, middle),
            (6, 0),
            textcoords="offset points",
            fontsize=SMALL,
            color=GRAY,
            verticalalignment="center_baseline",
        )
