"""The elements of a beam line as a strip below curves along it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import quire
from quire.errors import MissingError
from quire.units import convert

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    Array = np.ndarray[Any, Any]

PLACES: Final = ("s", "S")
"""Columns with the place of the end of each element along the line."""
TYPES: Final = ("ElementType", "KEYWORD")
"""Columns with the kinds of elements."""
STRENGTHS: Final = ("K1", "K1L")
"""Columns whose sign says whether a quadrupole focuses horizontally."""
PROFILE: Final = "Profile"
"""A column with the outline of the elements, in an arbitrary unit."""


@dataclass(frozen=True)
class Kind:
    """How elements of a kind are drawn: from `low` to `high`, where the line is at 0 and 1 is the top."""

    words: re.Pattern[str]
    low: float
    high: float
    colour: str
    is_signed: bool = False
    """Whether elements of a known strength are on one side of the line."""


KINDS: Final = (
    Kind(re.compile("BEND|[SR]BEN|DIPOLE"), -0.5, 0.5, "#0072b2"),
    Kind(re.compile("QUAD"), -1.0, 1.0, "#d55e00", is_signed=True),
    Kind(re.compile("SEXT"), -0.75, 0.75, "#009e73", is_signed=True),
    Kind(re.compile("OCT"), -0.6, 0.6, "#cc79a7"),
    Kind(re.compile("RF|CAV|TWLA"), -0.4, 0.4, "#e69f00"),
    Kind(re.compile("WIGGLER|UNDULATOR|SOLE"), -0.7, 0.7, "#56b4e9"),
    Kind(re.compile("KICK|HKIC|VKIC"), -0.3, 0.3, "#5b6770"),
)
"""Kinds of elements by words of the types that lattice codes write. Others are the line alone."""


@dataclass(frozen=True)
class Magnets:
    """The elements of a line: an outline, or begin and end and kind of each."""

    unit: str
    outline: tuple[Array, Array] | None = None
    elements: Sequence[tuple[float, float, Kind]] = ()

    def draw(self, axes: Axes, factor: float) -> None:
        """Independent. Draw the strip; places are multiplied by a factor."""
        from matplotlib.patches import Rectangle  # files are checked before

        axes.axhline(0.0, color="#5b6770", linewidth=0.8)
        if self.outline is not None:
            places, heights = self.outline
            axes.fill_between(places * factor, heights, 0.0, color="#5b6770", alpha=0.55, linewidth=0.6)
        for begin, end, kind in self.elements:
            box = (begin * factor, kind.low), (end - begin) * factor, kind.high - kind.low
            axes.add_patch(Rectangle(*box, facecolor=kind.colour, edgecolor="none"))
        if self.outline is None:
            axes.set_ylim(-1.15, 1.15)
        axes.grid(visible=False)
        axes.set_yticks([])
        axes.spines.left.set_visible(False)

    def factor_to(self, unit: str) -> float:
        """Independent. Return the factor from the unit of the places to another. Raises ConflictError."""
        return float(convert(1.0, self.unit or "m", unit)) if unit else 1.0


def read_magnets(path: str, **options: Any) -> Magnets:
    """Independent. Read the elements of a line from the first step: from `s` and `Profile`, or from `s`, the
    ends of elements, and `ElementType`. Raises MissingError without such columns.
    """
    with quire.open(path, quire.SELF, **options) as file:
        for step in file:
            for table in step.tables.values():
                place = next((name for name in PLACES if name in table), None)
                kinds = next((name for name in TYPES if name in table), None)
                if place is not None and PROFILE in table:
                    outline = table[place][:].astype(float), table[PROFILE][:].astype(float)
                    return Magnets(table[place].unit, outline)
                if place is not None and kinds is not None:
                    strength = next((name for name in STRENGTHS if name in table), place)
                    signs = np.sign(table[strength][:]) * (strength != place)
                    elements = elements_of(table[place][:].astype(float), table[kinds][:].tolist(), signs)
                    return Magnets(table[place].unit, elements=elements)
            break
    raise MissingError("there are no columns s and Profile, nor s and ElementType", file=path)


def elements_of(ends: Array, types: Sequence[str], signs: Array) -> list[tuple[float, float, Kind]]:
    """Independent. Return begin, end and kind of the elements that are drawn; each begins at the end of the
    one before.
    """
    begins = np.concatenate([[0.0], ends[:-1]])
    found = []
    for begin, end, word, sign in zip(begins.tolist(), ends.tolist(), types, signs.tolist(), strict=True):
        kind = next((one for one in KINDS if one.words.search(word.upper())), None)
        if kind is None or end <= begin:
            continue
        if kind.is_signed and sign:
            kind = replace(
                kind, low=min(kind.low * -min(sign, 0), 0.0), high=max(kind.high * max(sign, 0), 0.0)
            )
        found.append((begin, end, kind))
    return found
