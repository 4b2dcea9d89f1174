"""Stragglers: own time of every rank in every repetition, as a map over ranks and time."""

from __future__ import annotations

import itertools
import math

from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, LogNorm

from quire.lab.bench.figures.picture import GRAY, SMALL, Picture, text_width
from quire.lab.bench.statistics import quantile
from quire.lab.bench.summary import CellSummary, Study, ranks_text

WIDTH = 860.0
MOST_ROWS = 64
"""More ranks share rows, which show the slowest of each."""
MOST_FACTOR = 8.0
COLOURS = LinearSegmentedColormap.from_list("stragglers", ["#f7f7fa", "#f4a560", "#7a0428"])
COUNT, MAP, BETWEEN = 3, 240.0, 36.0
"""Maps side by side, their width, and the room between them."""


def straggler_figure(study: Study, case: str, aspect: str) -> Picture | None:
    """Independent. A map for each method on the most ranks of an aspect; None for single ranks."""
    cells = [cell for cell in study.of_case(case) if cell.group.aspect == aspect and rows_of(cell)]
    if not cells:
        return None
    most = max(cell.group.ranks + cell.group.readers for cell in cells)
    cells = [cell for cell in cells if cell.group.ranks + cell.group.readers == most]
    inner = max(40.0, min(160.0, 14.0 * max(len(rows_of(cell)) for cell in cells)))
    height = 70 + math.ceil(len(cells) / COUNT) * (inner + 62) + 8
    picture = Picture(WIDTH, height, f"{case}: ranks over time, {aspect}")
    group = cells[0].group
    title = f"{picture.title}, {ranks_text(group.ranks, group.readers)}"
    picture.text(16, 20, title, fontsize=14, fontweight="bold")
    for place, cell in enumerate(cells):
        row, column = divmod(place, COUNT)
        axes = picture.axes(48 + column * (MAP + BETWEEN), 84 + row * (inner + 62), MAP, inner)
        colours = draw_map(axes, cell)
    draw_colour_bar(picture, colours)
    return picture


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


def draw_map(axes: Axes, cell: CellSummary) -> QuadMesh:
    """Independent. The map of a method: rank 0 at the bottom, time from left to right."""
    medians = medians_of(cell)
    factors = [
        [
            max(seconds / median, 1e-9) if median > 0 else 1.0
            for seconds, median in zip(row, medians, strict=True)
        ]
        for row in rows_of(cell)
    ]
    mesh = axes.pcolormesh(
        factors, cmap=COLOURS, norm=LogNorm(1.0, MOST_FACTOR), edgecolors="#ffffff", linewidth=0.4
    )
    ranks = max(len(one.work()) for one in cell.repetitions)
    axes.set_title(cell.method, loc="left", fontsize=SMALL + 1, fontweight="bold")
    axes.set_yticks([0.5, len(factors) - 0.5], ["0", str(ranks - 1)])
    axes.set_ylabel("rank", fontsize=SMALL, labelpad=2)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_xlabel("repetitions in order of time", fontsize=SMALL)
    return mesh


def draw_colour_bar(picture: Picture, colours: QuadMesh) -> None:
    """Independent. What the colours mean."""
    text = "own time / median over the ranks of the same repetition:"
    picture.text(16, 44, text, fontsize=SMALL, color=GRAY)
    axes = picture.axes(16 + text_width(text, SMALL) + 14, 34, 168, 12)
    factors = [1, 2, 4, 8]
    bar = picture.figure.colorbar(colours, axes, orientation="horizontal", ticks=factors)
    if bar.solids is not None:
        bar.solids.set(rasterized=False, edgecolor="face")
    axes.minorticks_off()
    words = [str(factor) for factor in factors[:-1]]
    axes.set_xticks(factors, [*words, f"\N{GREATER-THAN OR EQUAL TO}{factors[-1]}"])
    axes.tick_params(length=0, pad=1)
