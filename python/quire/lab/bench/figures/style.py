"""Colours and marks of methods: the same in all figures of a report, distinguishable also without colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.lab.bench.figures.axes import SMALL, Entry, legend_rows
from quire.lab.bench.figures.scene import MARKS, Scene, Text, mark, text_width
from quire.lab.bench.summary import CellSummary, ranks_text

# Okabe and Ito's colours, the yellow left out, then darker ones of the same kind.
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7a3e9d", "#8c510a", "#01665e",
    "#b2182b",
)  # fmt: skip
RAW_COLOURS = ("#3a3a3a", "#9a9a9a")
# Light and dark in turn: neighbours differ in gray, too.
PHASE_COLOURS = {
    "plan": "#9ecae1", "create": "#1f5f99", "metadata": "#fdc086", "data": "#41a36b", "wait": "#f4ecb0",
    "commit_sync": "#b5543a", "close": "#d4c2e6", "other": "#7f7f7f", "barrier": "#f6cfc9", "sync": "#7b241c",
}  # fmt: skip


def margin_for(cells: Sequence[CellSummary]) -> float:
    """Independent. Room on the left for the names of methods, and of the groups that they stand in."""
    names = max(text_width(cell.method) for cell in cells) + 24
    groups = max(text_width(ranks_text(cell.group.ranks, cell.group.readers), SMALL) for cell in cells)
    return max(120.0, names, 16 + 1.1 * groups + 12)  # bold letters are wider


@dataclass(frozen=True)
class Look:
    """How a method is drawn."""

    colour: str
    kind: str


def looks(methods: Sequence[str], raw: Sequence[str]) -> dict[str, Look]:
    """Independent. A look for every method; raw ones are gray."""
    found: dict[str, Look] = {}
    others = 0
    for place, name in enumerate(methods):
        kind = MARKS[place % len(MARKS)]
        if name in raw and len([one for one in found if one in raw]) < len(RAW_COLOURS):
            found[name] = Look(RAW_COLOURS[sum(one in raw for one in found)], kind)
        else:
            found[name] = Look(COLOURS[others % len(COLOURS)], kind)
            others += 1
    return found


def legend_height(names: Sequence[str], looks: Mapping[str, Look], width: float) -> float:
    """Independent. How high draw_legend() draws."""
    return 18.0 * len(legend_rows(entries_of(names, looks), width)) + 6


def entries_of(names: Sequence[str], looks: Mapping[str, Look]) -> list[Entry]:
    """Independent. Legend entries of methods."""
    return [Entry(name, looks[name].colour, looks[name].kind) for name in names]


def draw_legend(scene: Scene, entries: Sequence[Entry], left: float, top: float, width: float) -> float:
    """Independent. Marks and names, in rows; returns the height used."""
    rows = legend_rows(entries, width)
    for row, some in enumerate(rows):
        x, y = left, top + 18 * row + 10
        for entry in some:
            scene.add(mark(entry.kind, (x + 6, y - 3.5), 4.5, entry.colour), Text((x + 15, y), entry.name))
            x += text_width(entry.name) + 30
    return 18.0 * len(rows) + 6
