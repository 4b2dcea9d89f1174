"""The goals of queries, and how far they are reached."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

PRESET: Final = "query"
FULL_ROWS: Final = 10_000_000
RELAXED: Final = 2.0
"""The factor that ratios of fewer rows are allowed."""
RATIOS: Final = ("G1", "G2", "G3", "G4", "G5", "G9", "G10", "G11")
"""The goals that are ratios of times."""


@dataclass(frozen=True)
class Line:
    """A line of the table: a goal, or a comparison without one."""

    goal: str
    what: str
    value: float | None
    """A ratio of times, or what the goal limits; None if a library is missing."""
    least: float | None = None
    most: float | None = None
    ours: float | None = None
    """Seconds of the processor."""
    other: float | None = None
    note: str = ""

    @property
    def is_reached(self) -> bool | None:
        """Whether the goal is reached; None without a goal or a value."""
        if self.value is None or (self.least is None and self.most is None):
            return None
        return (self.least is None or self.value >= self.least) and (
            self.most is None or self.value <= self.most
        )

    def as_json(self) -> dict[str, Any]:
        """Independent. The line as JSON."""
        return {**asdict(self), "is_reached": self.is_reached}


@cache
def contents() -> Mapping[str, Any]:
    """Independent. Return what is stored about the goals."""
    return tomllib.loads((resources.files(__package__) / "goals.toml").read_text(encoding="utf-8"))


def presets() -> dict[str, str]:
    """Independent. Return the name of the preset, and what it is about."""
    return {PRESET: str(contents()["about"])}


def goals() -> dict[str, Mapping[str, Any]]:
    """Independent. Return the goals by their id."""
    return {one["id"]: one for one in contents()["goal"]}


def line_of(
    goal: str,
    case: str,
    value: float,
    rows: int,
    times: tuple[float | None, float | None] = (None, None),
) -> Line:
    """Independent. Return the line of a case of a goal, whose limit depends on the number of rows."""
    found = goals()[goal]
    least, most = (
        limit[case] if isinstance(limit, Mapping) else limit
        for limit in (found.get("least"), found.get("most"))
    )
    if rows < FULL_ROWS and goal in RATIOS:
        least = None if least is None else least / RELAXED
        most = None if most is None else most * RELAXED
    return Line(goal, found["what"].format(case), value, least, most, *times)
