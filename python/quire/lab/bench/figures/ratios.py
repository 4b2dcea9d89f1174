"""Methods beside the raw baselines of the same pass: median ratios and their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quire.lab.bench.figures.axes import SMALL, Scale, log_ticks, tick_text
from quire.lab.bench.figures.scene import GRAY, GRID, INK, Path, Scene, Text, mark
from quire.lab.bench.figures.style import Look, margin_for
from quire.lab.bench.summary import CellSummary, Ratio, Study, ranks_text, short

WIDTH = 860.0
STEP = 17.0
NUMBERS = 118.0
TOP = 62.0
FURTHEST = 3.0
"""How many times the largest median the ends of intervals are drawn; longer ones end in a gap."""


def ratio_figure(study: Study, case: str, aspect: str, looks: Mapping[str, Look]) -> Scene | None:
    """Independent. A line for each method and number of ranks, a panel for each baseline."""
    cells = [cell for cell in study.of_case(case) if cell.group.aspect == aspect and cell.ratios]
    if not cells:
        return None
    groups = list(dict.fromkeys(cell.group for cell in cells))
    baselines = [name for name in study.baselines if any(name in cell.ratios for cell in cells)]
    left = margin_for(cells)
    height = TOP + sum(26 + STEP * sum(cell.group == group for cell in cells) for group in groups) + 44
    scene = Scene(WIDTH, height, f"{case}: {aspect}, times relative to raw ones of the same pass")
    scene.add(Text((16, 20), scene.title, size=14, bold=True))
    room = (WIDTH - left - 8) / len(baselines)
    for place, baseline in enumerate(baselines):
        ratios = [cell.ratios[baseline] for cell in cells if baseline in cell.ratios]
        panel = (left + place * room, room - NUMBERS)
        scale = scale_of(ratios)
        draw_frame(scene, panel, height - 44, scale, baseline)
        y = TOP + 4
        for group in groups:
            if place == 0:
                words = ranks_text(group.ranks, group.readers)
                scene.add(Text((16, y + 12), words, size=SMALL, colour=GRAY, bold=True))
            y += 19
            for cell in cells:
                if cell.group == group:
                    if place == 0:
                        scene.add(Text((left - 10, y + STEP / 2 + 3.8), cell.method, "end"))
                    draw_ratio(scene, cell, baseline, looks[cell.method], (*panel, y), scale)
                    y += STEP
            y += 7
    return scene


def draw_frame(scene: Scene, panel: tuple[float, float], bottom: float, scale: Scale, baseline: str) -> None:
    """Independent. Grid, the line at 1, and the labels of a panel."""
    left, width = panel
    for value in log_ticks(scale.low, scale.high):
        x = left + scale.place(value) * width
        scene.add(Path([(x, TOP), (x, bottom)], GRID, 0.8))
        scene.add(Text((x, bottom + 15), tick_text(value), "middle", SMALL))
    one = left + scale.place(1.0) * width
    scene.add(Path([(one, TOP), (one, bottom)], INK, 1.0))
    scene.add(Text((left + width / 2, TOP - 10), f"time / time of {baseline}", "middle", bold=True))
    scene.add(
        Text((left + width / 2, bottom + 32), "median, 95 % interval; below 1: faster", "middle", SMALL)
    )


def scale_of(ratios: Sequence[Ratio]) -> Scale:
    """Independent. A logarithmic scale around 1, all medians and, not too far from these, the intervals."""
    medians = [1.0, *(ratio.summary.median for ratio in ratios)]
    least, most = min(medians) / FURTHEST, max(medians) * FURTHEST
    ends = [end for ratio in ratios for end in (ratio.summary.low, ratio.summary.high) if end is not None]
    values = [*medians, *(min(most, max(least, end)) for end in ends)]
    room = max(1.08, (max(values) / min(values)) ** 0.05)
    return Scale(min(values) / room, max(values) * room, True)


def draw_ratio(
    scene: Scene,
    cell: CellSummary,
    baseline: str,
    look: Look,
    place: tuple[float, float, float],
    scale: Scale,
) -> None:
    """Independent. A mark at the median, a line for the interval, the numbers on the right."""
    if baseline not in cell.ratios:
        return
    left, width, y = place
    middle = y + STEP / 2
    one = cell.ratios[baseline].summary
    text = short(one.median)
    if one.low is not None and one.high is not None:
        shares = [min(1.0, max(0.0, scale.place(value))) for value in (one.low, one.high)]
        ends = [(left + share * width, middle) for share in shares]
        scene.add(Path(ends, look.colour, 2.2))
        text += f"  [{short(one.low)}, {short(one.high)}]"
    at = (left + scale.place(one.median) * width, middle)
    scene.add(mark(look.kind, at, 4.4, look.colour, title=f"{cell.method}: {text}", edge="#ffffff"))
    scene.add(Text((left + width + 8, middle + 3.6), text, size=SMALL))
