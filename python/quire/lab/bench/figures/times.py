"""The figure of the studies: all points with means and outliers, below them mean and minimum over ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quire.lab.bench.cells import COLD_CACHES, is_read
from quire.lab.bench.figures.axes import SMALL, Panel, Scale, Unit, scale_for, time_unit
from quire.lab.bench.figures.scene import GRAY, Path, Scene, Shape, Text, mark, text_width
from quire.lab.bench.figures.style import Look, draw_legend, entries_of, legend_height
from quire.lab.bench.summary import CellSummary, Group, Point, Study, Timing, rate_text, seconds_text

WIDTH = 860.0
LEFT, RIGHT, BETWEEN = 64.0, 16.0, 64.0
UPPER, LOWER = 250.0, 190.0
HEADROOM = 38.0
"""Room above the points for outliers, which are marked at the edge."""
SPREAD = 0.74
"""The share of the room of a category over which methods are spread."""


@dataclass(frozen=True)
class Aspect:
    """A column of the figure: one operation, returned or durable, over numbers of ranks."""

    title: str
    kind: str
    cells: Sequence[CellSummary]

    @property
    def words(self) -> str:
        """Independent. The title if titles are side by side: `read (warm)`."""
        operation, comma, rest = self.title.partition(", ")
        return f"{operation} ({rest})" if comma else operation

    @property
    def groups(self) -> list[Group]:
        """Independent. One for each number of ranks, in order."""
        return sorted({cell.group for cell in self.cells}, key=lambda group: group.sort_key)

    @property
    def categories(self) -> list[str]:
        """Independent. The numbers of ranks in words."""
        return [
            f"{group.ranks}"
            if group.ranks == group.readers
            else f"{group.ranks} \N{RIGHTWARDS ARROW} {group.readers}"
            for group in self.groups
        ]

    def timings(self) -> Iterator[tuple[CellSummary, Timing]]:
        """Independent. The cells that have points."""
        for cell in self.cells:
            timing = cell.timing(self.kind)
            if timing is not None:
                yield cell, timing


@dataclass(frozen=True)
class Quantity:
    """What the ordinate shows: seconds, or megabytes of payload in a second."""

    name: str
    unit: Unit

    def of(self, cell: CellSummary, seconds: float) -> float:
        """Independent. The value of a time. A mean rate is that of the mean time: one slow pass must show."""
        value = cell.rate(seconds) if self.name == "rate" else seconds
        return value / self.unit.factor

    @property
    def is_rate(self) -> bool:
        """Independent. Whether more is better."""
        return self.name == "rate"

    @property
    def label(self) -> str:
        """Independent. With its unit."""
        return f"payload, {self.unit.name}" if self.name == "rate" else f"time, {self.unit.name}"

    def text(self, value: float) -> str:
        """Independent. A value with its unit."""
        if self.name == "rate":
            return f"{rate_text(value)} {self.unit.name}"
        return seconds_text(value * self.unit.factor).replace("us", "\N{MICRO SIGN}s")


def quantity_for(study: Study, aspects: Sequence[Aspect]) -> Quantity:
    """Independent. What a study shows, in the unit that suits these points."""
    if study.quantity == "rate":
        return Quantity("rate", Unit(1.0, "MB/s"))
    most = max((t.kept.maximum for aspect in aspects for _, t in aspect.timings()), default=1.0)
    return Quantity("time", time_unit(most))


def columns_of_case(study: Study, case: str) -> Iterator[list[Aspect]]:
    """Independent. The figures of a case: reads on the left, writes on the right, then what is left."""
    found: dict[str, list[CellSummary]] = {}
    for cell in study.of_case(case):
        found.setdefault(cell.group.aspect, []).append(cell)
    reads = [
        Aspect(name, "returned", cells) for name, cells in found.items() if is_read(cells[0].group.operation)
    ]
    others = {name: cells for name, cells in found.items() if not is_read(cells[0].group.operation)}
    writes = [Aspect(name, "returned", cells) for name, cells in others.items()]
    durable = [
        Aspect(f"{name}, until durable", "durable", cells)
        for name, cells in others.items()
        if any(cell.durable for cell in cells)
    ]
    both = min(len(reads), len(writes))
    yield from ([read, write] for read, write in zip(reads, writes, strict=False))
    rest = [*reads[both:], *writes[both:], *durable]
    yield from (rest[place : place + 2] for place in range(0, len(rest), 2))


def time_figure(study: Study, case: str, aspects: Sequence[Aspect], looks: Mapping[str, Look]) -> Scene:
    """Independent. Scatter above, lines below, a column for each aspect."""
    names = [name for name in study.methods if any(cell.method == name for a in aspects for cell in a.cells)]
    inner = WIDTH - LEFT - RIGHT
    legend = legend_height(names, looks, inner)
    top = 30 + legend + 22
    height = top + UPPER + 62 + LOWER + 64
    scene = Scene(WIDTH, height, f"{case}: {' and '.join(aspect.words for aspect in aspects)}")
    scene.add(Text((LEFT, 20), scene.title, size=14, bold=True))
    draw_legend(scene, entries_of(names, looks), LEFT, 32, inner)
    quantity = quantity_for(study, aspects)
    count = max(2, len(aspects))
    width = (inner - BETWEEN * (count - 1)) / count
    if len(aspects) == 1:
        width = inner * 0.62
    for place, aspect in enumerate(aspects):
        left = LEFT + place * (width + BETWEEN)
        ordinate = quantity.label if place == 0 else ""
        scatter(scene, aspect, quantity, looks, names, (left, top, width), ordinate)
        lines(scene, aspect, quantity, looks, names, (left, top + UPPER + 62, width), ordinate)
    note = "   |   ".join(notes_of(aspects, quantity))
    scene.add(Text((LEFT, height - 10), note, size=SMALL, colour=GRAY))
    best = "largest" if quantity.name == "rate" else "minimum"
    keys = Text((WIDTH - RIGHT, height - 10), f"solid: mean   |   dashed: {best}", "end", SMALL, GRAY)
    scene.add(keys)
    return scene


def notes_of(aspects: Sequence[Aspect], quantity: Quantity) -> Iterator[str]:
    """Independent. What the marks mean that there are."""
    yield "large: mean"
    timings = [(cell, timing) for aspect in aspects for cell, timing in aspect.timings()]
    if any(timing.outliers for _, timing in timings):
        yield f"arrows at the {'lower' if quantity.is_rate else 'upper'} edge: outliers"
    if any(is_hollow(cell, point) for cell, timing in timings for point in timing.points):
        yield "hollow: asked to be cold, but was not"


def is_hollow(cell: CellSummary, point: Point) -> bool:
    """Independent. Whether a point should have been cold and was not."""
    cold = point.repetition.line.get("cache", {}).get("cold")
    return cell.group.cache in COLD_CACHES and cold is not True


def scatter(
    scene: Scene,
    aspect: Aspect,
    quantity: Quantity,
    looks: Mapping[str, Look],
    names: Sequence[str],
    place: tuple[float, float, float],
    ordinate: str,
) -> None:
    """Independent. All points of an aspect, methods side by side for each number of ranks."""
    left, top, width = place
    values = [
        quantity.of(cell, point.seconds) for cell, timing in aspect.timings() for point in timing.kept_points
    ]
    has_outliers = any(timing.outliers for _, timing in aspect.timings())
    room = HEADROOM / UPPER if has_outliers else 0.0
    # Slow passes are high times, and low rates.
    scale = lowered(scale_for(values), room) if quantity.is_rate else raised(scale_for(values), room)
    panel = Panel(scene, left, top, width, UPPER, scale, aspect.categories)
    panel.draw(aspect.words, ordinate, "ranks", bands=True)
    groups = aspect.groups
    edges: list[tuple[float, str, str]] = []
    for cell, timing in aspect.timings():
        look = looks[cell.method]
        offset = (names.index(cell.method) + 0.5) / len(names) - 0.5
        x = panel.x(groups.index(cell.group), offset * SPREAD)
        for point in timing.kept_points:
            scene.add(dot(panel, cell, point, quantity, look, x))
        mean = quantity.of(cell, timing.kept.mean)
        title = f"{cell.method}: mean {quantity.text(mean)}"
        scene.add(mark(look.kind, (x, panel.y(mean)), 5.6, look.colour, title=title, edge="#ffffff"))
        edges += [(x, look.colour, outlier_text(cell, point, quantity)) for point in timing.outliers]
    mark_edges(scene, edges, panel, is_low=quantity.is_rate)


def raised(scale: Scale, share: float) -> Scale:
    """Independent. The same scale with free room of this share above."""
    if scale.logarithmic:
        return Scale(scale.low, scale.low * (scale.high / scale.low) ** (1 / (1 - share)), True)
    return Scale(scale.low, scale.low + (scale.high - scale.low) / (1 - share))


def lowered(scale: Scale, share: float) -> Scale:
    """Independent. The same scale with free room of this share below."""
    if scale.logarithmic:
        return Scale(scale.high * (scale.low / scale.high) ** (1 / (1 - share)), scale.high, True)
    return Scale(scale.high - (scale.high - scale.low) / (1 - share), scale.high)


def dot(panel: Panel, cell: CellSummary, point: Point, quantity: Quantity, look: Look, x: float) -> Shape:
    """Independent. The mark of a point; a ring if it should have been cold and was not."""
    hollow = is_hollow(cell, point)
    value = quantity.of(cell, point.seconds)
    title = f"{cell.method}: {quantity.text(value)}, pass {point.repetition.number}, {point.repetition.day}"
    return mark(
        look.kind, (x, panel.y(value)), 2.7, look.colour, hollow=hollow, opacity=0.5, title=title
    )  # fmt: skip


def outlier_text(cell: CellSummary, point: Point, quantity: Quantity) -> str:
    """Independent. The value of an outlier."""
    return quantity.text(quantity.of(cell, point.seconds))


def mark_edges(scene: Scene, edges: Sequence[tuple[float, str, str]], panel: Panel, *, is_low: bool) -> None:
    """Independent. Outliers as arrows at the edge with their values, in two rows where they are close."""
    ends = [panel.left, panel.left]
    right = panel.left + panel.width
    for x, colour, text in sorted(edges):
        y = panel.bottom - 7 if is_low else panel.top + 7
        kind = "arrow down" if is_low else "arrow up"
        scene.add(mark(kind, (x, y), 4.4, colour, title=f"outlier {text}"))
        wide = text_width(text, SMALL)
        start = min(max(x - wide / 2, panel.left + 2), right - wide - 2)
        row = 0 if start >= ends[0] else 1
        start = max(start, ends[row]) if start < ends[row] and ends[row] + wide < right else start
        ends[row] = start + wide + 5
        height = y - 8 - 11 * row if is_low else y + 14 + 11 * row
        scene.add(Text((start, height), text, size=SMALL, colour=colour))


def lines(
    scene: Scene,
    aspect: Aspect,
    quantity: Quantity,
    looks: Mapping[str, Look],
    names: Sequence[str],
    place: tuple[float, float, float],
    ordinate: str,
) -> None:
    """Independent. Mean (solid) and minimum (dashed; of rates the largest) over ranks, outliers removed.

    On one number of ranks there are no lines, and methods are side by side.
    """
    left, top, width = place
    groups = aspect.groups
    found: dict[str, list[tuple[int, float, float]]] = {}
    for cell, timing in aspect.timings():
        mean, best = quantity.of(cell, timing.kept.mean), quantity.of(cell, timing.kept.minimum)
        found.setdefault(cell.method, []).append((groups.index(cell.group), mean, best))
    values = [value for rows in found.values() for _, *pair in rows for value in pair]
    panel = Panel(scene, left, top, width, LOWER, scale_for(values), aspect.categories)
    panel.draw("", ordinate, "ranks")
    for method, rows in found.items():
        look = looks[method]
        rows.sort()
        beside = 0.0 if len(groups) > 1 else SPREAD * ((names.index(method) + 0.5) / len(names) - 0.5)
        means = [(panel.x(at, beside), panel.y(mean)) for at, mean, _ in rows]
        bests = [(panel.x(at, beside), panel.y(best)) for at, _, best in rows]
        if len(rows) > 1:
            scene.add(Path(bests, look.colour, 1.3, (4, 3)), Path(means, look.colour, 1.8))
        for (_, mean, best), solid, dashed in zip(rows, means, bests, strict=True):
            title = f"{method}: best {quantity.text(best)}"
            scene.add(mark(look.kind, dashed, 2.6, look.colour, hollow=True, title=title))
            title = f"{method}: mean {quantity.text(mean)}"
            scene.add(mark(look.kind, solid, 4.0, look.colour, title=title, edge="#ffffff"))
