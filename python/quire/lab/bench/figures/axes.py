"""Axes: scales with round ticks, and panels with a frame, a grid and labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from quire.lab.bench.figures.scene import (
    FONT,
    GRAY,
    GRID,
    INK,
    Path,
    Polygon,
    Scene,
    Text,
    rectangle,
    text_width,
)

SMALL = 10.0
MINOR = 3.5
"""How long marks without numbers are."""
LOGARITHMIC_FROM = 12.0
"""Largest over smallest value from which on an axis is logarithmic."""


@dataclass(frozen=True)
class Unit:
    """Of an axis: values are divided by the factor."""

    factor: float
    name: str


@dataclass(frozen=True)
class Scale:
    """From values to shares of an axis."""

    low: float
    high: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Independent. 0 at the lower end, 1 at the upper; beyond for values outside."""
        if self.logarithmic:
            smallest = self.low * 1e-9
            return math.log(max(value, smallest) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Independent. Round values, from 3 to about 8; none below 0, where there is only room for marks."""
        if self.logarithmic:
            return log_ticks(self.low, self.high)
        return linear_ticks(max(0.0, self.low), self.high)

    def between_ticks(self) -> list[float]:
        """Independent. Where a logarithmic axis has marks without numbers: at digits of powers of ten."""
        if not self.logarithmic:
            return []
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        named = self.ticks()
        found = [digit * 10.0**power for power in powers for digit in range(1, 10)]
        return [value for value in found if self.low <= value <= self.high and not is_among(value, named)]


def is_among(value: float, others: Sequence[float]) -> bool:
    """Independent. Whether a number is one of these, but for rounding."""
    return any(math.isclose(value, other) for other in others)


def scale_for(values: Sequence[float], logarithmic: bool | None = None) -> Scale:
    """Independent. A scale with some room around values; logarithmic if they differ much, else from 0."""
    positive = [value for value in values if value > 0]
    low, high = (min(positive), max(positive)) if positive else (0.0, 1.0)
    if logarithmic is None:
        logarithmic = bool(positive) and high / low > LOGARITHMIC_FROM
    if not logarithmic or not positive:
        return Scale(0.0, high * 1.12 or 1.0)
    room = max(high / low, 2.0) ** 0.07
    return Scale(low / room, high * room, True)


def linear_ticks(low: float, high: float) -> list[float]:
    """Independent. Multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Independent. Powers of ten, and 2 and 5 times them where there is room."""
    decades = math.log10(high / low)
    factors = (1, 2, 5) if decades < 2.5 else (1,)
    if decades < 0.5:
        factors = (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)  # type: ignore[assignment]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [value for power in powers for factor in factors if low <= (value := factor * 10.0**power) <= high]


def tick_text(value: float) -> str:
    """Independent. A tick as short as it can be."""
    if value == 0:
        return "0"
    return (
        f"{value:.6g}"
        if 1e-4 <= abs(value) < 1e6
        else f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    )


def time_unit(largest: float) -> Unit:
    """Independent. Seconds, milliseconds or microseconds."""
    if largest >= 1:
        return Unit(1.0, "s")
    return Unit(1e-3, "ms") if largest >= 1e-3 else Unit(1e-6, "\N{MICRO SIGN}s")


@dataclass(frozen=True)
class Panel:
    """A frame with an upright scale, and equal compartments for categories along the abscissa."""

    scene: Scene
    left: float
    top: float
    width: float
    height: float
    scale: Scale
    categories: Sequence[str]

    @property
    def bottom(self) -> float:
        """Independent. The ordinate of the lower edge."""
        return self.top + self.height

    @property
    def compartment(self) -> float:
        """Independent. How wide the room of a category is."""
        return self.width / len(self.categories)

    def x(self, category: int, offset: float = 0.0) -> float:
        """Independent. The middle of a category; the offset is a share of its room."""
        return self.left + (category + 0.5 + offset) * self.compartment

    def y(self, value: float) -> float:
        """Independent. The height of a value, held inside the frame."""
        share = min(1.0, max(0.0, self.scale.place(value)))
        return self.bottom - share * self.height

    def draw(self, title: str, ordinate: str, abscissa: str, *, bands: bool = False) -> None:
        """Independent. Grid, frame, ticks and labels. Bands separate neighbouring categories."""
        scene = self.scene
        scene.add(Polygon(rectangle(self.left, self.top, self.width, self.height), "#ffffff"))
        if bands:
            for place in range(1, len(self.categories), 2):
                box = rectangle(self.left + place * self.compartment, self.top, self.compartment, self.height)
                scene.add(Polygon(box, "#f5f6f8"))
        for value in self.scale.ticks():
            height = self.y(value)
            scene.add(Path([(self.left, height), (self.left + self.width, height)], GRID, 0.8))
            scene.add(Text((self.left - 6, height + 3.6), tick_text(value), "end", SMALL, INK))
        for value in self.scale.between_ticks():
            height = self.y(value)
            scene.add(Path([(self.left, height), (self.left + MINOR, height)], GRAY, 0.8))
        for place, name in enumerate(self.categories):
            scene.add(Text((self.x(place), self.bottom + 15), name, "middle", SMALL, INK))
        scene.add(
            Polygon(rectangle(self.left, self.top, self.width, self.height), None, GRAY, 0.8),
            Text((self.left + self.width / 2, self.bottom + 31), abscissa, "middle", FONT),
        )
        if title:
            scene.add(Text((self.left, self.top - 8), title, "start", 12, bold=True))
        if ordinate:
            scene.add(Text((self.left - 44, self.top + self.height / 2), ordinate, "middle", turned=True))


@dataclass(frozen=True)
class Entry:
    """A line of a legend."""

    name: str
    colour: str
    kind: str


def legend_rows(entries: Sequence[Entry], width: float) -> list[list[Entry]]:
    """Independent. The entries in rows of at most this width."""
    rows: list[list[Entry]] = [[]]
    used = 0.0
    for entry in entries:
        needed = text_width(entry.name) + 30
        if rows[-1] and used + needed > width:
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += needed
    return rows
