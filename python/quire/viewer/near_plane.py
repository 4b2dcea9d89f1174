"""The particles near a plane of a field, counted over it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import ConflictError, Error, MissingError, UsageError
from quire.io.expression import Expression
from quire.numeric.histograms import Bins
from quire.units import Scale, scale
from quire.viewer.answers import Frame
from quire.viewer.counting import count
from quire.viewer.opening import open_table
from quire.viewer.surveys import Rows, survey

if TYPE_CHECKING:
    from quire.toolkit.field_values import FieldAxis
    from quire.viewer.asked import Asked
    from quire.viewer.jobs import Job
    from quire.viewer.library import Library

BINS: Final = 160
"""Bins of each axis of the plane."""


@dataclass(frozen=True)
class Plane:
    """A plane of a field: its axes, and the axis across it with the limits of the cell of the plane; None if
    the field has only these two.
    """

    axes: Sequence[FieldAxis]
    normal: FieldAxis | None
    cell: tuple[float, float]

    def slab(self, thickness: float | None) -> tuple[float, float]:
        """Independent. Return the limits of a slab around the plane: those of its cell, or of a thickness."""
        if thickness is None or self.normal is None:
            return self.cell
        place = float(self.normal.positions[0])
        return place - thickness / 2, place + thickness / 2


def particles_near(library: Library, asked: Asked, job: Job, place: tuple[int, int], plane: Plane) -> Frame:
    """Independent. Return the counts of the particles near a plane, over it; or why there are none."""
    try:
        return counted(library, asked, job, place, plane)
    except Error as problem:
        return Frame("particles", {"error": str(problem)})


def counted(library: Library, asked: Asked, job: Job, place: tuple[int, int], plane: Plane) -> Frame:
    """Independent. Return the counts of particles in the slab. Raises errors of reading, and MissingError for
    tables without the coordinates.
    """
    low, high = plane.slab(thickness_of(asked))
    up, across = plane.axes
    with ExitStack() as stack:
        found = open_table(stack, library, asked, job, place, [])
        table, cut = found.table, found.where or ""
        needed = [across, up, *([plane.normal] if plane.normal else [])]
        scales = [column_scale(table, axis) for axis in needed]
        where = slab_condition(plane.normal, scales[-1], low, high) if plane.normal else ""
        both = f"({cut}) and {where}" if cut and where else cut or where
        limits = [
            sorted(one(np.array(axis.edges[[0, -1]]))) for axis, one in zip(needed, scales[:2], strict=False)
        ]
        axes = [Bins.between(float(first), float(last), BINS) for first, last in limits]
        rows = Rows(table, (across.name, up.name), both or None)
        rows.require_drawable()
        counts = count(rows, axes)
        content = {
            "count": int(counts.sum()),
            "tableRows": len(table),
            "where": both,
            "bins": BINS,
            "limits": [[axis.lower, axis.upper] for axis in axes],
            "slab": None if plane.normal is None else [low, high],
            "unit": table[needed[-1].name].unit,
            "assumed": [axis.name for axis in needed if not axis.unit and table[axis.name].unit],
            "elsewhere": elsewhere(table, cut, plane.normal, scales[-1]) if not counts.any() else None,
        }
    return Frame("particles", content, [counts])


def thickness_of(asked: Asked) -> float | None:
    """Independent. Return the thickness of the slab, None for that of a cell. Raises UsageError."""
    text = asked.text("thickness")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"'{text:.40}' is no thickness", advice="write a length, such as 1e-4")
    return value


def column_scale(table: Any, axis: FieldAxis) -> Scale:
    """Independent. Return the conversion of positions on an axis to the unit of its column."""
    if axis.name not in table:
        raise MissingError(
            f"the table has no column {axis.name}, which is an axis of the field",
            advice="show the field without particles",
        )
    return scale_to(table[axis.name].unit, axis)


def scale_to(unit: str, axis: FieldAxis) -> Scale:
    """Independent. Return the conversion of positions on an axis to the unit of the column of its name.
    Positions without a unit have that of the column.
    """
    if not axis.unit or not unit:
        return Scale(1.0)
    try:
        return scale(axis.unit, unit)
    except Error:  # an unknown unit, or one of another dimension
        raise ConflictError(
            f"the column {axis.name} is in {unit}, and the axis of the field in {axis.unit}"
        ) from None


def slab_condition(normal: FieldAxis, to_column: Scale, low: float, high: float) -> str:
    """Independent. Return the condition of a slab, in the unit of the column."""
    first, last = sorted(float(to_column(one)) for one in (low, high))
    name = normal.name.replace("`", "``")
    condition = f"`{name}` >= {first!r} and `{name}` < {last!r}"
    return Expression(condition, reads_others=False).normal_form  # has backticks only where they are needed


def elsewhere(table: Any, where: str, normal: FieldAxis | None, to_column: Scale) -> list[float] | None:
    """Independent. Return the limits of the particles across the plane, in the unit of the field."""
    if normal is None:
        return None
    limits = survey(Rows(table, (normal.name,), where or None), 1).limits[0]
    factor = float(to_column(1.0))
    return [one / factor for one in limits] if all(map(math.isfinite, limits)) else None
