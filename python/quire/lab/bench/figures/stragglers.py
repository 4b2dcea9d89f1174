"""Stragglers: own time of every rank in every repetition, as a map over ranks and time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from quire.lab.bench.figures.axes import SMALL
from quire.lab.bench.figures.scene import GRAY, Polygon, Scene, Text, rectangle, text_width
from quire.lab.bench.statistics import quantile
from quire.lab.bench.summary import CellSummary, Study, ranks_text, seconds_text

WIDTH = 860.0
MOST_ROWS = 64
"""More ranks share rows, which show the slowest of each."""
MOST_FACTOR = 8.0
LOW_COLOUR, MIDDLE_COLOUR, HIGH_COLOUR = (247, 247, 250), (244, 165, 96), (122, 4, 40)


def straggler_figure(study: Study, case: str, aspect: str) -> Scene | None:
    """Independent. A map for each method on the most ranks of an aspect; None for single ranks."""
    cells = [cell for cell in study.of_case(case) if cell.group.aspect == aspect and rows_of(cell)]
    if not cells:
        return None
    most = max(cell.group.ranks + cell.group.readers for cell in cells)
    cells = [cell for cell in cells if cell.group.ranks + cell.group.readers == most]
    count = 3
    width, between = 240.0, 36.0
    rows = math.ceil(len(cells) / count)
    inner = max(40.0, min(160.0, 14.0 * max(len(rows_of(cell)) for cell in cells)))
    height = 70 + rows * (inner + 62) + 8
    scene = Scene(WIDTH, height, f"{case}: ranks over time, {aspect}")
    group = cells[0].group
    scene.add(Text((16, 20), f"{scene.title}, {ranks_text(group.ranks, group.readers)}", size=14, bold=True))
    draw_colour_bar(scene, 16, 34)
    for place, cell in enumerate(cells):
        left = 48 + (place % count) * (width + between)
        draw_map(scene, cell, left, 84 + (place // count) * (inner + 62), width, inner)
    return scene


def rows_of(cell: CellSummary) -> list[list[float]]:
    """Independent. Own times of ranks (rows) in repetitions (columns); nothing for a single rank.

    Where there are more ranks than rows, a row has the longest time of its ranks.
    """
    columns = [work for one in cell.repetitions if len(work := one.work()) > 1]
    if not columns:
        return []
    count = min(len(column) for column in columns)
    rows = min(count, MOST_ROWS)
    bounds = [count * row // rows for row in range(rows + 1)]
    return [[max(c[a:b]) for c in columns] for a, b in itertools.pairwise(bounds)]


def medians_of(cell: CellSummary) -> list[float]:
    """Independent. The median over ranks of each repetition: what their colours are relative to."""
    return [quantile(work, 0.5) for one in cell.repetitions if len(work := one.work()) > 1]


def draw_map(scene: Scene, cell: CellSummary, left: float, top: float, width: float, height: float) -> None:
    """Independent. The map of a method: rank 0 at the bottom, time from left to right."""
    rows, medians = rows_of(cell), medians_of(cell)
    wide, high = width / len(medians), height / len(rows)
    for row, times in enumerate(rows):
        for column, seconds in enumerate(times):
            factor = seconds / medians[column] if medians[column] > 0 else 1.0
            box = rectangle(left + column * wide, top + height - (row + 1) * high, wide, high)
            title = f"{cell.method}: row {row}, {seconds_text(seconds)}, {factor:.2f} of the median"
            scene.add(Polygon(box, colour_of(factor), "#ffffff", 0.4, title=title))
    ranks = max(len(one.work()) for one in cell.repetitions)
    scene.add(
        Polygon(rectangle(left, top, width, height), None, GRAY, 0.8),
        Text((left, top - 6), cell.method, size=SMALL + 1, bold=True),
        Text((left - 6, top + height - 1), "0", "end", SMALL),
        Text((left - 6, top + 9), str(ranks - 1), "end", SMALL),
        Text((left - 18, top + height / 2), "rank", "middle", SMALL, turned=True),
        Text((left + width / 2, top + height + 15), "repetitions in order of time", "middle", SMALL),
    )


def draw_colour_bar(scene: Scene, left: float, top: float) -> None:
    """Independent. What the colours mean."""
    text = "own time / median over the ranks of the same repetition:"
    scene.add(Text((left, top + 10), text, size=SMALL, colour=GRAY))
    x, steps, width = left + text_width(text, SMALL) + 14, 48, 168.0
    for step in range(steps):
        factor = MOST_FACTOR ** (step / (steps - 1))
        box = rectangle(x + step * width / steps, top, width / steps + 0.3, 12)
        scene.add(Polygon(box, colour_of(factor)))
    for factor in (1, 2, 4, 8):
        at = x + width * math.log(factor) / math.log(MOST_FACTOR)
        sign = "\N{GREATER-THAN OR EQUAL TO}" if factor == MOST_FACTOR else ""
        scene.add(Text((at, top + 23), f"{sign}{factor}", "middle", SMALL, GRAY))


def colour_of(factor: float) -> str:
    """Independent. From pale (the median or less) over orange to dark red (8 times it), by ratio."""
    share = min(1.0, max(0.0, math.log(max(factor, 1e-9)) / math.log(MOST_FACTOR)))
    first, second = (LOW_COLOUR, MIDDLE_COLOUR) if share < 0.5 else (MIDDLE_COLOUR, HIGH_COLOUR)
    part = 2 * share if share < 0.5 else 2 * share - 1
    mixed: Sequence[int] = [round(a + part * (b - a)) for a, b in zip(first, second, strict=True)]
    return "#" + "".join(f"{one:02x}" for one in mixed)
