"""Where the time goes: stacked bars of the phases of the slowest rank."""

from __future__ import annotations

from collections.abc import Sequence

from quire.lab.bench.figures.axes import SMALL, Scale, Unit, linear_ticks, scale_for, tick_text, time_unit
from quire.lab.bench.figures.scene import GRAY, GRID, Path, Polygon, Scene, Text, rectangle, text_width
from quire.lab.bench.figures.style import PHASE_COLOURS, margin_for
from quire.lab.bench.statistics import quantile
from quire.lab.bench.summary import CellSummary, Group, Study, ranks_text, seconds_text

WIDTH = 860.0
BAR = 13.0
STEP = 18.0
RIGHT = 74.0
FURTHEST = 6.0
"""How many times the median bar the longest one may be; beyond, all bars are shares of their own time."""


def phase_figure(study: Study, case: str, aspect: str) -> Scene | None:
    """Independent. A bar for each method and number of ranks of an aspect; None if no phases are known."""
    cells = [cell for cell in study.of_case(case) if cell.group.aspect == aspect and cell.phases]
    if not cells:
        return None
    groups = list(dict.fromkeys(cell.group for cell in cells))
    named = [name for name in PHASE_COLOURS if any(cell.phases.get(name) for cell in cells)]
    left = margin_for(cells)
    height = 74 + sum(24 + STEP * sum(cell.group == group for cell in cells) for group in groups) + 42
    scene = Scene(WIDTH, height, f"{case}: phases of {aspect}")
    scene.add(Text((16, 20), scene.title, size=14, bold=True))
    draw_phase_legend(scene, named, 16, 32)
    totals = [sum(cell.phases.values()) for cell in cells]
    are_shares = max(totals) > FURTHEST * quantile(totals, 0.5)
    unit = Unit(0.01, "%") if are_shares else time_unit(max(totals))
    high = 100.0 if are_shares else scale_for([max(totals) / unit.factor], logarithmic=False).high
    scale = Scale(0.0, high)
    frame = (left, 62.0, WIDTH - left - RIGHT, height - 62 - 42)
    what = "share of the time" if are_shares else "time"
    draw_frame(scene, frame, scale, f"{what} of the slowest rank, mean over passes, {unit.name}")
    y = frame[1] + 6
    for group in groups:
        y = draw_group(scene, group, [cell for cell in cells if cell.group == group], frame, y, scale, unit)
    return scene


def draw_phase_legend(scene: Scene, names: Sequence[str], left: float, top: float) -> None:
    """Independent. A square and a name for each phase."""
    x = left
    for name in names:
        scene.add(Polygon(rectangle(x, top + 2, 10, 10), PHASE_COLOURS[name]))
        scene.add(Text((x + 14, top + 11), words_of(name)))
        x += text_width(name) + 32


def words_of(phase: str) -> str:
    """Independent. The name of a phase for people."""
    return phase.replace("_", " ")


def draw_frame(scene: Scene, frame: tuple[float, float, float, float], scale: Scale, label: str) -> None:
    """Independent. Upright grid lines and the abscissa."""
    left, top, width, height = frame
    for value in linear_ticks(scale.low, scale.high):
        x = left + scale.place(value) * width
        scene.add(Path([(x, top), (x, top + height)], GRID, 0.8))
        scene.add(Text((x, top + height + 15), tick_text(value), "middle", SMALL))
    scene.add(Path([(left, top), (left, top + height)], GRAY, 0.8))
    scene.add(Text((left + width / 2, top + height + 31), label, "middle"))


def draw_group(
    scene: Scene,
    group: Group,
    cells: Sequence[CellSummary],
    frame: tuple[float, float, float, float],
    y: float,
    scale: Scale,
    unit: Unit,
) -> float:
    """Independent. The bars of a number of ranks; returns where the next group begins."""
    left, _, width, _ = frame
    scene.add(Text((16, y + 12), ranks_text(group.ranks, group.readers), size=SMALL, colour=GRAY, bold=True))
    y += 18
    for cell in cells:
        scene.add(Text((left - 8, y + BAR - 2.5), cell.method, "end"))
        x = left
        total = sum(cell.phases.values())
        whole = total if unit.name == "%" else 1.0
        for name, seconds in cell.phases.items():
            wide = scale.place(seconds / whole / unit.factor) * width
            if wide > 0.05:
                title = f"{cell.method}, {words_of(name)}: {seconds_text(seconds)}"
                box = rectangle(x, y, wide, BAR)
                scene.add(Polygon(box, PHASE_COLOURS[name], "#ffffff", min(0.6, wide / 4), title=title))
            x += wide
        text = seconds_text(total).replace("us", "\N{MICRO SIGN}s")
        scene.add(Text((x + 6, y + BAR - 2.5), text, size=SMALL, colour=GRAY))
        y += STEP
    return y + 6
