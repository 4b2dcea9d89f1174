"""How pictures look, as data: what commands check before they import what draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from quire.errors import UsageError
from quire.toolkit.axes import SUFFIXES

if TYPE_CHECKING:
    from quire.toolkit.magnets import Magnets

MAP_STYLES = ("colours", "lines", "both")
STYLES = ("line", "points", "both", "impulses", "bars", "steps")


def check_output(path: str | Path) -> Path:
    """Independent. The path of a picture whose suffix says a format we draw. Raises UsageError."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise UsageError(f"'{path}' is not the name of an image; the suffixes are {', '.join(SUFFIXES)}")
    return target


@dataclass(frozen=True)
class Look:
    """How curves are drawn.

    `style` is one of STYLES, by default lines, or points where x jumps. `log` names logarithmic axes (`x`,
    `y`, `xy`), `zero` those that contain 0, `share` those that all panels share. `units` has units by name of
    a quantity, `right` the quantities on a second axis, `limits` and `labels` are by axis, `marks` are places
    on an axis. Limits and marks are in the unit of the file, or the wanted one.
    """

    title: str = ""
    style: str = ""
    log: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    right: Sequence[str] = ()
    subtitle: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    marks: Sequence[tuple[Literal["x", "y"], float]] = ()
    zero: str = ""
    share: str = ""
    panels: str = ""
    layout: tuple[int, int] | None = None
    palette: str = ""
    has_legend: bool = True
    is_equal: bool = False
    magnets: Magnets | None = None
