"""The figure of the studies: all points with means and outliers, below them mean and minimum over ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from quire.lab.bench.cells import COLD_CACHES, is_read
from quire.lab.bench.figures.picture import GRAY, SMALL, Picture, text_width
from quire.lab.bench.figures.scales import Scale, Unit, scale_for, time_unit
from quire.lab.bench.figures.style import ARROW_DOWN, ARROW_UP, Legend, Look, mark
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
        return f"payload, {self.unit.name}" if self.is_rate else f"time, {self.unit.name}"

    def text(self, value: float) -> str:
        """Independent. A value with its unit."""
        if self.is_rate:
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


def time_figure(study: Study, case: str, aspects: Sequence[Aspect], looks: Mapping[str, Look]) -> Picture:
    """Independent. Scatter above, lines below, a column for each aspect."""
    names = [name for name in study.methods if any(cell.method == name for a in aspects for cell in a.cells)]
    inner = WIDTH - LEFT - RIGHT
    legend = Legend({name: looks[name] for name in names}, inner)
    top = 30 + legend.height + 22
    height = top + UPPER + 62 + LOWER + 64
    picture = Picture(WIDTH, height, f"{case}: {' and '.join(aspect.words for aspect in aspects)}")
    picture.text(LEFT, 20, picture.title, fontsize=14, fontweight="bold")
    legend.draw(picture, LEFT, 32)
    quantity = quantity_for(study, aspects)
    count = max(2, len(aspects))
    width = (inner - BETWEEN * (count - 1)) / count
    if len(aspects) == 1:
        width = inner * 0.62
    for place, aspect in enumerate(aspects):
        left = LEFT + place * (width + BETWEEN)
        column = Column(picture, aspect, quantity, looks, names, left, width)
        column.scatter(top)
        column.lines(top + UPPER + 62)
    note = "   |   ".join(notes_of(aspects, quantity))
    picture.text(LEFT, height - 10, note, fontsize=SMALL, color=GRAY)
    best = "largest" if quantity.is_rate else "minimum"
    keys = f"solid: mean   |   dashed: {best}"
    picture.text(WIDTH - RIGHT, height - 10, keys, fontsize=SMALL, color=GRAY, horizontalalignment="right")
    return picture


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


@dataclass(frozen=True)
class Column:
    """The panels of an aspect, one below the other."""

    picture: Picture
    aspect: Aspect
    quantity: Quantity
    looks: Mapping[str, Look]
    names: Sequence[str]
    left: float
    width: float

    def panel(self, top: float, height: float, scale: Scale) -> Axes:
        """Independent. Axes with a category for each number of ranks."""
        axes = self.picture.axes(self.left, top, self.width, height)
        count = len(self.aspect.categories)
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_xticks(range(count), self.aspect.categories)
        axes.set_xlabel("ranks")
        scale.apply(axes, "y")
        if self.left == LEFT:
            axes.set_ylabel(self.quantity.label)
        return axes

    def beside(self, method: str) -> float:
        """Independent. Where a method is in the room of a category."""
        return SPREAD * ((self.names.index(method) + 0.5) / len(self.names) - 0.5)

    def scatter(self, top: float) -> None:
        """Independent. All points, methods side by side for each number of ranks."""
        timings = list(self.aspect.timings())
        values = [
            self.quantity.of(cell, one.seconds) for cell, timing in timings for one in timing.kept_points
        ]
        room = HEADROOM / UPPER if any(timing.outliers for _, timing in timings) else 0.0
        # Slow passes are high times, and low rates.
        scale = scale_for(values)
        scale = scale.lowered(room) if self.quantity.is_rate else scale.raised(room)
        axes = self.panel(top, UPPER, scale)
        axes.set_title(self.aspect.words, loc="left", fontsize=12, fontweight="bold")
        groups = self.aspect.groups
        for odd in range(1, len(groups), 2):
            axes.axvspan(odd - 0.5, odd + 0.5, color="#f5f6f8", zorder=0)
        edges: list[tuple[float, str, str]] = []
        for cell, timing in timings:
            look = self.looks[cell.method]
            x = groups.index(cell.group) + self.beside(cell.method)
            for point in timing.kept_points:
                self.dot(axes, scale, cell, point, x)
            mean = self.quantity.of(cell, timing.kept.mean)
            place = (x, scale.held(mean))
            large = mark(axes, place, look, 11, markeredgecolor="#ffffff", zorder=4)
            self.picture.tip(large, f"{cell.method}: mean {self.quantity.text(mean)}")
            texts = [self.quantity.text(self.quantity.of(cell, point.seconds)) for point in timing.outliers]
            edges += [(x, look.colour, text) for text in texts]
        self.mark_edges(axes, scale, edges, top)

    def dot(self, axes: Axes, scale: Scale, cell: CellSummary, point: Point, x: float) -> None:
        """Independent. The mark of a point; a ring if it should have been cold and was not."""
        value = self.quantity.of(cell, point.seconds)
        hollow = is_hollow(cell, point)
        edge = {} if hollow else {"markeredgewidth": 0.0}
        place = (x, scale.held(value))
        small = mark(axes, place, self.looks[cell.method], 5.4, hollow=hollow, alpha=0.5, **edge)
        repetition = point.repetition
        what = f"{self.quantity.text(value)}, pass {repetition.number}, {repetition.day}"
        self.picture.tip(small, f"{cell.method}: {what}")

    def mark_edges(
        self, axes: Axes, scale: Scale, edges: Sequence[tuple[float, str, str]], top: float
    ) -> None:
        """Independent. Outliers as arrows at the edge with their values, in two rows where they are close."""
        is_low = self.quantity.is_rate
        ends = [self.left, self.left]
        right = self.left + self.width
        y = top + UPPER - 8 if is_low else top + 8
        height = 1 - (y - top) / UPPER
        for x, colour, text in sorted(edges):
            look = Look(colour, "")
            marker = ARROW_DOWN if is_low else ARROW_UP
            place = axes.get_xaxis_transform()
            arrow = mark(axes, (x, height), look, 12, marker=marker, transform=place, markeredgewidth=0.0)
            self.picture.tip(arrow, f"outlier {text}")
            at = self.left + (x + 0.5) / len(self.aspect.categories) * self.width
            wide = text_width(text, SMALL)
            start = min(max(at - wide / 2, self.left + 2), right - wide - 2)
            row = 0 if start >= ends[0] else 1
            start = max(start, ends[row]) if start < ends[row] and ends[row] + wide < right else start
            ends[row] = start + wide + 5
            line = y - 10 - 11 * row if is_low else y + 16 + 11 * row
            self.picture.text(start, line, text, fontsize=SMALL, color=colour)

    def lines(self, top: float) -> None:
        """Independent. Mean (solid) and minimum (dashed; of rates the largest) over ranks, outliers removed.

        On one number of ranks there are no lines, and methods are side by side.
        """
        groups = self.aspect.groups
        found: dict[str, list[tuple[int, float, float]]] = {}
        for cell, timing in self.aspect.timings():
            of = self.quantity.of
            pair = (of(cell, timing.kept.mean), of(cell, timing.kept.minimum))
            found.setdefault(cell.method, []).append((groups.index(cell.group), *pair))
        values = [value for rows in found.values() for _, *pair in rows for value in pair]
        scale = scale_for(values)
        axes = self.panel(top, LOWER, scale)
        for method, rows in found.items():
            rows.sort()
            look = self.looks[method]
            beside = 0.0 if len(groups) > 1 else self.beside(method)
            across = [at + beside for at, _, _ in rows]
            if len(rows) > 1:
                axes.plot(across, [best for _, _, best in rows], "--", color=look.colour, linewidth=1.3)
                axes.plot(across, [mean for _, mean, _ in rows], color=look.colour, linewidth=1.8)
            for x, (_, mean, best) in zip(across, rows, strict=True):
                small = mark(axes, (x, best), look, 5.2, hollow=True)
                self.picture.tip(small, f"{method}: best {self.quantity.text(best)}")
                large = mark(axes, (x, mean), look, 8, markeredgecolor="#ffffff")
                self.picture.tip(large, f"{method}: mean {self.quantity.text(mean)}")
