"""Scales of axes: linear from 0, or logarithmic where values differ much, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter, NullLocator

from quire.lab.bench.figures.picture import GRAY

LOGARITHMIC_FROM = 12.0
"""Largest over smallest value from which on an axis is logarithmic."""


@dataclass(frozen=True)
class Unit:
    """Of an axis: values are divided by the factor."""

    factor: float
    name: str


@dataclass(frozen=True)
class Scale:
    """The range of an axis."""

    low: float
    high: float
    logarithmic: bool = False

    def raised(self, share: float) -> Scale:
        """Independent. The same scale with free room of this share above."""
        if self.logarithmic:
            return Scale(self.low, self.low * (self.high / self.low) ** (1 / (1 - share)), True)
        return Scale(self.low, self.low + (self.high - self.low) / (1 - share))

    def lowered(self, share: float) -> Scale:
        """Independent. The same scale with free room of this share below."""
        if self.logarithmic:
            return Scale(self.high * (self.low / self.high) ** (1 / (1 - share)), self.high, True)
        return Scale(self.high - (self.high - self.low) / (1 - share), self.high)

    def held(self, value: float) -> float:
        """Independent. The value, or the end of the range that it is beyond."""
        return min(self.high, max(self.low, value))

    def ticks(self) -> list[float]:
        """Independent. Round values; none below 0, where there is only room for marks."""
        lowest = self.low if self.logarithmic else max(0.0, self.low)
        return [
            float(value) for value in self._locator().tick_values(lowest, self.high) if self._holds(value)
        ]

    def apply(self, axes: Axes, which: Literal["x", "y"]) -> None:
        """Independent. Give an axis this range, with grid lines at its ticks."""
        axis = axes.yaxis if which == "y" else axes.xaxis
        (axes.set_yscale if which == "y" else axes.set_xscale)("log" if self.logarithmic else "linear")
        (axes.set_ylim if which == "y" else axes.set_xlim)(self.low, self.high)
        axis.set_ticks(self.ticks())
        axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
        # Over many powers of ten only these have numbers, and other digits have marks.
        axis.set_minor_locator(LogLocator(10, range(1, 10)) if self.logarithmic else NullLocator())
        axis.set_minor_formatter(NullFormatter())
        axes.tick_params(axis=which, which="minor", length=3.5, direction="in", color=GRAY)
        axes.tick_params(axis=which, which="major", length=0)
        axes.grid(axis=which, which="major")

    def _holds(self, value: float) -> bool:
        return max(self.low, 0.0) * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)

    def _locator(self) -> Locator:
        decades = math.log10(self.high / self.low) if self.logarithmic else 0.0
        if decades < 0.5:
            return MaxNLocator(6, steps=[1, 2, 2.5, 5, 10])
        return LogLocator(10, (1, 2, 5) if decades < 2.5 else (1,))


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


def tick_text(value: float) -> str:
    """Independent. A tick as short as it can be."""
    if 1e-4 <= abs(value) < 1e6 or value == 0:
        return f"{value:.6g}"
    return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")


def time_unit(largest: float) -> Unit:
    """Independent. Seconds, milliseconds or microseconds."""
    if largest >= 1:
        return Unit(1.0, "s")
    return Unit(1e-3, "ms") if largest >= 1e-3 else Unit(1e-6, "\N{MICRO SIGN}s")
