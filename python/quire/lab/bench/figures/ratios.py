"""Methods beside the raw baselines of the same pass: median ratios and their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from quire.lab.bench.figures.picture import FONT, GRAY, INK, SMALL, Picture
from quire.lab.bench.figures.scales import Scale
from quire.lab.bench.figures.style import Look, margin_for, mark
from quire.lab.bench.summary import CellSummary, Ratio, Study, ranks_text, short

WIDTH = 860.0
STEP = 17.0
NUMBERS = 118.0
TOP = 62.0
FURTHEST = 3.0
"""How many times the largest median the ends of intervals are drawn; longer ones end in a gap."""


def ratio_figure(study: Study, case: str, aspect: str, looks: Mapping[str, Look]) -> Picture | None:
    """Independent. A line for each method and number of ranks, a panel for each baseline."""
    cells = [cell for cell in study.of_case(case) if cell.group.aspect == aspect and cell.ratios]
    if not cells:
        return None
    groups = list(dict.fromkeys(cell.group for cell in cells))
    baselines = [name for name in study.baselines if any(name in cell.ratios for cell in cells)]
    left = margin_for(cells)
    inner = sum(26 + STEP * sum(cell.group == group for cell in cells) for group in groups) + 4
    title = f"{case}: {aspect}, times relative to raw ones of the same pass"
    picture = Picture(WIDTH, TOP + inner + 44, title)
    picture.text(16, 20, title, fontsize=14, fontweight="bold")
    room = (WIDTH - left - 8) / len(baselines)
    panels = [
        panel(picture, (left + place * room, inner, room - NUMBERS), cells, baseline)
        for place, baseline in enumerate(baselines)
    ]
    y = 4.0
    for group in groups:
        ranks = ranks_text(group.ranks, group.readers)
        picture.text(16, TOP + y + 12, ranks, fontsize=SMALL, color=GRAY, fontweight="bold")
        y += 19
        for cell in [cell for cell in cells if cell.group == group]:
            middle = y + STEP / 2
            picture.text(left - 10, TOP + middle + 3.8, cell.method, horizontalalignment="right")
            for baseline, (axes, scale) in zip(baselines, panels, strict=True):
                draw_ratio(picture, axes, scale, cell, baseline, looks[cell.method], middle)
            y += STEP
        y += 7
    return picture


def panel(
    picture: Picture, place: tuple[float, float, float], cells: Sequence[CellSummary], baseline: str
) -> tuple[Axes, Scale]:
    """Independent. Axes of a baseline, with the line at 1."""
    left, height, width = place
    scale = scale_of([cell.ratios[baseline] for cell in cells if baseline in cell.ratios])
    axes = picture.axes(left, TOP, width, height)
    scale.apply(axes, "x")
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.axvline(1.0, color=INK, linewidth=1.0)
    axes.set_title(f"time / time of {baseline}", fontsize=FONT, fontweight="bold")
    axes.set_xlabel("median, 95 % interval; below 1: faster", fontsize=SMALL)
    return axes, scale


def scale_of(ratios: Sequence[Ratio]) -> Scale:
    """Independent. A logarithmic scale around 1, all medians and, not too far from these, the intervals."""
    medians = [1.0, *(ratio.summary.median for ratio in ratios)]
    least, most = min(medians) / FURTHEST, max(medians) * FURTHEST
    ends = [end for ratio in ratios for end in (ratio.summary.low, ratio.summary.high) if end is not None]
    values = [*medians, *(min(most, max(least, end)) for end in ends)]
    room = max(1.08, (max(values) / min(values)) ** 0.05)
    return Scale(min(values) / room, max(values) * room, True)


def draw_ratio(
    picture: Picture, axes: Axes, scale: Scale, cell: CellSummary, baseline: str, look: Look, y: float
) -> None:
    """Independent. A mark at the median, a line for the interval, the numbers on the right."""
    if baseline not in cell.ratios:
        return
    one = cell.ratios[baseline].summary
    text = short(one.median)
    if one.low is not None and one.high is not None:
        ends = [scale.held(one.low), scale.held(one.high)]
        axes.plot(ends, [y, y], color=look.colour, linewidth=2.2, solid_capstyle="butt")
        text += f"  [{short(one.low)}, {short(one.high)}]"
    median = mark(axes, (one.median, y), look, 9, markeredgecolor="#ffffff")
    picture.tip(median, f"{cell.method}: {text}")
    axes.annotate(
        text,
        (1, y),
        (8, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        fontsize=SMALL,
        verticalalignment="center_baseline",
    )
