"""Planes of a field between points in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import Error, UsageError
from quire.toolkit.field_values import axes_of
from quire.viewer.fields import Part, parts_of, places_asked, slices_text
from quire.viewer.near_plane import scale_to

if TYPE_CHECKING:
    from quire import Field
    from quire.toolkit.field_values import FieldAxis
    from quire.viewer.asked import Asked
    from quire.viewer.library import Library

    Array = np.ndarray[Any, Any]
    Limits = tuple[float, float]

SPACE: Final = 3


@dataclass(frozen=True)
class Planes:
    """Planes of a field, or why there are none."""

    parts: Sequence[Part] = ()
    edges: Mapping[str, Array] | None = None
    """The limits of the cells of each axis, in the unit of the points."""
    error: str = ""

    def limits(self, name: str, others: Limits) -> Limits:
        """Independent. Return the limits of an axis with the points and the field."""
        if self.edges is None:
            return others
        edges = self.edges[name]
        return min(others[0], float(edges.min())), max(others[1], float(edges.max()))

    def content(self, axes: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """Independent. Return what they are, for the page: each axis by its place in the picture."""
        if self.error:
            return {"error": self.error}
        if not self.parts:
            return None
        names = [axis["name"] for axis in axes]
        return {
            **self.parts[0].content,
            "slices": slices_text({name: place for part in self.parts for name, place in part.at.items()}),
            "planes": [self.plane(part, axes, names) for part in self.parts],
        }

    def plane(self, part: Part, axes: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
        """Independent. Return what a plane is: where it is, in the unit of the points, and its node."""
        [normal] = part.found.at
        across = names.index(normal.name)
        drawn = axes[across]
        [position] = scale_to(drawn["unit"], normal)(normal.positions)
        return {
            "name": normal.name,
            "unit": drawn["unit"],
            "position": float(position),
            "nodes": len(part.whole[normal.name].positions),
            "node": int(np.argmin(np.abs(part.whole[normal.name].positions - normal.positions[0]))),
            "axis": across,
            "place": float((position - drawn["low"]) / (drawn["high"] - drawn["low"])),
            "others": [names.index(axis.name) for axis in part.found.axes],
        }

    def arrays(self, axes: Sequence[Mapping[str, Any]]) -> list[Array]:
        """Independent. Return the values of each plane, and the limits of its cells as shares."""
        of = {axis["name"]: axis for axis in axes}
        return [
            array
            for part in self.parts
            for array in (part.found.values, *(self.shares(axis, of[axis.name]) for axis in part.found.axes))
        ]

    def shares(self, axis: FieldAxis, drawn: Mapping[str, Any]) -> Array:
        """Independent. Return the limits of the cells as shares of a drawn axis."""
        assert self.edges is not None
        return np.asarray((self.edges[axis.name] - drawn["low"]) / (drawn["high"] - drawn["low"]))


def planes_asked(
    library: Library, asked: Asked, place: tuple[int, int], axes: Sequence[Mapping[str, Any]]
) -> Planes:
    """Independent. Return the planes that are asked for, between points along axes with name and unit."""
    if asked.content.get("withField") is not True:
        return Planes()
    try:
        parts = parts_of(library, asked, place, lambda field: each_place(asked, field, axes))
        units = {axis["name"]: axis["unit"] for axis in axes}
        whole = parts[0].whole
        edges = {name: scale_to(units[name], axis)(axis.edges) for name, axis in whole.items()}
    except Error as problem:
        return Planes(error=str(problem))
    return Planes(parts, edges)


def each_place(asked: Asked, field: Field, axes: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Independent. Return the place of each plane. Raises UsageError for the axes of another field."""
    names = [axis.name for axis in axes_of(field)]
    if len(names) != SPACE or {axis["name"] for axis in axes} != set(names):
        raise UsageError(
            f"the axes of the field '{field.name}' are {', '.join(names)}",
            advice="planes are shown if these are the three axes of the picture",
        )
    return [{name: at} for name, at in places_asked(asked, "planes", field).items()]
