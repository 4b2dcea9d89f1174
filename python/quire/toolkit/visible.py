"""What programs for visualization see of a data file, through views that refer to its values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quire.errors import MissingError, UnsupportedError, UsageError
from quire.toolkit.selection import StepSelection, is_number, select_steps

if TYPE_CHECKING:
    from quire import Field, File, Step, Table
    from quire.errors import Error

POSITIONS: Final = (("x", "coords_0", "coords0"), ("y", "coords_1", "coords1"), ("z", "coords_2", "coords2"))
"""Names of columns of positions, in any case, axis by axis."""

TIMES: Final = ("TimeValue", "Time", "time", "TIME", "t")
"""Names of attributes of the time; the first that all steps have, and that increases, is used."""

MOST_REASONS: Final = 3
"""Maximum number of reasons if nothing can be shown."""


@dataclass
class ViewReport:
    """What a view shows, and messages about objects that are left out."""

    steps: int = 0
    files: list[str] = field(default_factory=list)
    """The files that were written."""
    contents: dict[str, str] = field(default_factory=dict)
    """What a file shows, if there is one for each grid of the fields."""
    left_out: list[str] = field(default_factory=list)
    unreadable: dict[int, Error] = field(default_factory=dict)
    """Damaged steps that are left out, by number."""


class NotShownError(Exception):
    """The reason why an object cannot be referenced. It is left out."""


def require_readable(file: File, source: str | Path) -> None:
    """Independent. Raises UnsupportedError if other programs cannot read a file."""
    if "compression" in file.layout:
        raise UnsupportedError(
            "the file is compressed as a whole, and other programs cannot read it",
            file=str(source),
            advice="decompress it by quire convert",
        )


def require_one_file(file: File, source: str | Path) -> None:
    """Independent. Raises UnsupportedError if other programs do not find the values of a file."""
    require_readable(file, source)
    if len(file.members) > 1:
        raise several_files(source)


def several_files(source: str | Path) -> UnsupportedError:
    """Independent. Return the error for values of which other programs do not find the file."""
    return UnsupportedError(
        "the values are stored in several files, where other programs do not find them",
        file=str(source),
        advice="write one file by quire convert",
    )


def require_positions(positions: Sequence[str] | None) -> None:
    """Independent. Raises UsageError unless positions are two or three columns."""
    if positions is not None and len(positions) not in (2, 3):
        raise UsageError("positions are two or three columns")


def nothing_shown(source: str | Path, reasons: Sequence[str]) -> MissingError:
    """Independent. Return the error for a file of which nothing can be shown."""
    return MissingError(
        "there are neither positions nor fields to be shown",
        file=str(source),
        advice="; ".join(reasons[:MOST_REASONS]),
    )


def time_attribute(file: File, selection: StepSelection, asked: str | None) -> str | None:
    """Independent. The attribute with the times: the one asked for, or one that every step has and that
    increases.
    """
    candidates = [asked] if asked is not None else list(TIMES)
    last: dict[str, float] = {}
    for _, step in select_steps(file, selection):
        candidates = [name for name in candidates if is_number(step, name)]
        if asked is not None and not candidates:
            raise MissingError(f'step {step.number} has no number "{asked}"', file=file.path, object=asked)
        times = {name: float(step.attrs[name]) for name in candidates}
        if asked is None:
            candidates = [name for name in candidates if times[name] > last.get(name, -math.inf)]
        last = times
    return candidates[0] if candidates else None


@dataclass(frozen=True)
class GridKey:
    """What fields on one grid have in common; all lists slowest axis first."""

    extents: tuple[int, ...]
    origin: tuple[float, ...]
    spacing: tuple[float, ...]
    coordinates: tuple[tuple[float, ...], ...]


def grids(step: Step) -> dict[GridKey, list[Field]]:
    """Independent. The fields of a step by their grids, in file order."""
    found: dict[GridKey, list[Field]] = {}
    for item in step.fields.values():
        extents = tuple(int(extent) for extent in item.extents)
        axes = len(extents)
        key = GridKey(
            extents,
            item.origin or (0.0,) * axes,
            item.spacing or (1.0,) * axes,
            tuple(() if places is None else tuple(places.tolist()) for places in item.coordinates or ()),
        )
        found.setdefault(key, []).append(item)
    return found


def position_names(table: Table, asked: Sequence[str] | None) -> list[str]:
    """Independent. The columns for two or three axes. Raises MissingError for names asked for."""
    if asked is not None:
        # Raises what names the nearest.
        return [table.columns[name].name for name in asked]
    lower = {name.lower(): name for name in table.columns}
    found = [next((lower[name] for name in names if name in lower), None) for names in POSITIONS]
    if found[0] is None or found[1] is None:
        raise NotShownError("there are no columns x and y; give the positions")
    return [name for name in found if name is not None]
