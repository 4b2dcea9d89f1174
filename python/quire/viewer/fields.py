"""Planes and lines of the fields of a step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import MissingError, UsageError
from quire.toolkit.field_values import FieldAxis, FieldRequest, FieldValues, axes_of, parse_slices, values_of
from quire.viewer.answers import Frame
from quire.viewer.jobs import Job
from quire.viewer.near_plane import Plane, particles_near

if TYPE_CHECKING:
    from quire import Field
    from quire.viewer.asked import Asked
    from quire.viewer.library import Library

    Places = dict[str, str]

MOST_ELEMENTS: Final = 1 << 22
"""Elements of a plane that is shown."""

DRAWN_AXES: Final = 2


@dataclass(frozen=True)
class Part:
    """A part of a field that was read."""

    field: str
    components: int
    found: FieldValues
    whole: Mapping[str, FieldAxis]
    """All axes of the field, by their names."""
    at: Mapping[str, str]

    @property
    def content(self) -> dict[str, Any]:
        """What it is, for the page."""
        found = self.found
        return {
            "field": self.field,
            "components": self.components,
            "value": {"name": found.name, "unit": found.unit, "symbol": found.symbol},
            "axes": [{**quantity_of_axis(axis), "nodes": len(axis.positions)} for axis in found.axes],
            "at": [
                {
                    **quantity_of_axis(axis),
                    "position": float(axis.positions[0]),
                    "nodes": len(self.whole[axis.name].positions),
                }
                for axis in found.at
            ],
            "slices": slices_text(self.at),
        }


def slices_text(at: Mapping[str, str]) -> str:
    """Independent. Return places as they are written, such as `z=0,y=@5`."""
    return ",".join(f"{name}={place}" for name, place in at.items())


def field_part(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield a plane or line of a field, by default the plane in the middle.

    Raises errors of reading, and those of a wrong slice.
    """
    (file, number), *_ = asked.sources()
    [part] = parts_of(library, asked, (file, number), lambda field: [places_asked(asked, "at", field)])
    found = part.found
    if not 1 <= len(found.axes) <= DRAWN_AXES:
        left = ", ".join(axis.name for axis in found.axes) or "none"
        raise UsageError(f"a picture shows one or two axes of a field; these are left: {left}")
    content = {"file": file, "step": number, **part.content}
    edges = [axis.edges for axis in found.axes]
    yield Frame("field", content, [found.values, *edges, *(axis.positions for axis in found.axes)])
    if asked.content.get("particles") is True and len(found.axes) == DRAWN_AXES:
        yield particles_near(library, asked, job, (file, number), plane_of(found, part.whole))


def parts_of(
    library: Library, asked: Asked, place: tuple[int, int], wanted: Callable[[Field], list[Places]]
) -> list[Part]:
    """Independent. Read parts of the field that is asked for, at places that a function returns for it."""
    file, number = place
    with library.source(file).opened() as (opened, _):
        step = opened.step(number)
        if not step.fields:
            raise MissingError("this step has no field")
        field = step.fields[asked.text("field") or next(iter(step.fields))]
        component = asked.content.get("component")
        which = None if component is None else asked.integer("component", 0, 1 << 20)
        whole = {axis.name: axis for axis in axes_of(field)}
        parts = []
        for at in wanted(field):
            require_small(field, at)
            found = values_of(field, FieldRequest(at, (), which))
            parts.append(Part(field.name, field.components, found, whole, at))
        return parts


def places_asked(asked: Asked, name: str, field: Field) -> Places:
    """Independent. Return the places that a text of the request has, by default those in the middle."""
    return parse_slices([asked.text(name)]) if asked.text(name) else middle_of(field)


def plane_of(found: FieldValues, whole: Mapping[str, FieldAxis]) -> Plane:
    """Independent. Return a plane with the limits of its cell. Raises UsageError for fields of more axes."""
    if not found.at:
        return Plane(found.axes, None, (0.0, 0.0))
    if len(found.at) > 1:
        raise UsageError("particles are shown near planes of fields with three axes")
    [normal] = found.at
    axis = whole[normal.name]
    node = int(np.argmin(np.abs(axis.positions - normal.positions[0])))
    low, high = sorted(axis.edges[node : node + 2].tolist())
    return Plane(found.axes, normal, (low, high))


def quantity_of_axis(axis: object) -> dict[str, object]:
    """Independent. Return name, unit and symbol of an axis of a field."""
    return {name: getattr(axis, name) for name in ("name", "unit", "symbol")}


def middle_of(field: Field) -> Places:
    """Independent. Return the places of the plane in the middle: of the last two axes."""
    return {axis.name: f"@{len(axis.positions) // 2}" for axis in axes_of(field)[:-DRAWN_AXES]}


def require_small(field: Field, at: Mapping[str, str]) -> None:
    """Independent. Raise UsageError for a part with too many elements."""
    count = math.prod(len(axis.positions) for axis in axes_of(field) if axis.name not in at)
    if count * field.components > MOST_ELEMENTS:
        raise UsageError(
            f"this part of the field has {count * field.components} values, more than {MOST_ELEMENTS}",
            advice="take a slice along another axis",
        )
