"""A scene: simple shapes in points from the upper left corner, of which any painter makes a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

FONT = 11.0
INK = "#1a1a1a"
GRAY = "#6b6b6b"
GRID = "#e2e2e2"
WIDE = set("mwMW%@")
NARROW = set("iljftrI.,:;'|!()[] /")

Anchor = Literal["start", "middle", "end"]
XY = tuple[float, float]


@dataclass(frozen=True)
class Path:
    """A line through points."""

    points: Sequence[XY]
    colour: str = INK
    width: float = 1.0
    dashes: Sequence[float] = ()


@dataclass(frozen=True)
class Polygon:
    """A filled shape, its border drawn if it has a width. `title` is what a pointer over it shows."""

    points: Sequence[XY]
    fill: str | None = INK
    border: str = "none"
    width: float = 0.0
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Circle:
    """A disc or ring; see Polygon."""

    centre: XY
    radius: float
    fill: str | None = INK
    border: str = "none"
    width: float = 0.0
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Text:
    """A line of text; `at` is on its base line. `turned` reads upwards."""

    at: XY
    text: str
    anchor: Anchor = "start"
    size: float = FONT
    colour: str = INK
    bold: bool = False
    turned: bool = False


Shape = Path | Polygon | Circle | Text


@dataclass
class Scene:
    """What a picture shows; `title` says it in words."""

    width: float
    height: float
    title: str = ""
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        """Independent. Draw above what is there."""
        self.shapes += shapes


def rectangle(x: float, y: float, width: float, height: float) -> list[XY]:
    """Independent. The corners of a rectangle."""
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def text_width(text: str, size: float = FONT) -> float:
    """Independent. About how wide a text is: letters are wide, narrow or of the usual width."""
    return size * sum(share_of_letter(letter) for letter in text)


def share_of_letter(letter: str) -> float:
    """Independent. About how wide a letter is, as a share of the size."""
    if letter in WIDE:
        return 0.9
    if letter in NARROW:
        return 0.36
    return 0.7 if letter.isupper() else 0.6


MARKS = ("circle", "square", "triangle", "diamond", "wedge", "pentagon", "hexagon", "star", "cross", "plus")


def mark(
    kind: str,
    centre: XY,
    radius: float,
    colour: str,
    *,
    hollow: bool = False,
    opacity: float = 1.0,
    title: str = "",
    edge: str = "",
) -> Shape:
    """Independent. A mark of one of MARKS; a hollow one is a ring. `edge` surrounds a filled one."""
    fill = "#ffffff" if hollow else colour
    border, width = (colour, 1.2) if hollow else (edge or "none", 1.0 if edge else 0.0)
    if kind == "circle":
        return Circle(centre, radius, fill, border, width, opacity, title)
    return Polygon(corners_of(kind, centre, radius), fill, border, width, opacity, title)


def corners_of(kind: str, centre: XY, radius: float) -> list[XY]:
    """Independent. The corners of a mark of about the area of a disc."""
    if kind in ("cross", "plus"):
        return corners_of_bars(centre, radius, 45.0 if kind == "cross" else 0.0)
    if kind in ("arrow up", "arrow down"):
        return corners_of_arrow(centre, radius, -1 if kind == "arrow up" else 1)
    count, turn, grow = {
        "square": (4, 45.0, 1.25),
        "triangle": (3, 90.0, 1.4),
        "diamond": (4, 0.0, 1.35),
        "wedge": (3, -90.0, 1.4),
        "pentagon": (5, 90.0, 1.15),
        "hexagon": (6, 0.0, 1.1),
        "star": (10, 90.0, 1.45),
    }[kind]
    found = []
    for corner in range(count):
        angle = math.radians(turn + corner * 360 / count)
        long = radius * grow * (0.45 if kind == "star" and corner % 2 else 1.0)
        found.append((centre[0] + long * math.cos(angle), centre[1] - long * math.sin(angle)))
    return found


def corners_of_arrow(centre: XY, radius: float, down: int) -> list[XY]:
    """Independent. An arrow with its shaft; no method has such a mark."""
    half, thin, long, neck = 0.95 * radius, 0.28 * radius, 1.5 * radius, 0.1 * radius
    right = [(thin, -long), (thin, neck), (half, neck)]
    outline = [*right, (0.0, long), *((-x, y) for x, y in reversed(right))]
    return [(centre[0] + x, centre[1] + down * y) for x, y in outline]


def corners_of_bars(centre: XY, radius: float, turn: float) -> list[XY]:
    """Independent. The corners of two bars across each other, turned by so many degrees."""
    long, half = 1.35 * radius, 0.45 * radius
    arm = [(half, half), (half, long), (-half, long)]
    found = []
    for quarter in range(4):
        angle = math.radians(turn + 90 * quarter)
        cosine, sine = math.cos(angle), math.sin(angle)
        found += [(centre[0] + x * cosine - y * sine, centre[1] + x * sine + y * cosine) for x, y in arm]
    return found
