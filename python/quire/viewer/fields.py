"""Planes and lines of the fields of a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

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

MOST_ELEMENTS: Final = 1 << 22
"""Elements of a plane that is shown."""

DRAWN_AXES: Final = 2


def field_part(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield a plane or line of a field, by default the plane in the middle.

    Raises errors of reading, and those of a wrong slice.
    """
    (file, number), *_ = asked.sources()
    with library.source(file).opened() as (opened, _):
        step = opened.step(number)
        if not step.fields:
            raise MissingError("this step has no field")
        field = step.fields[asked.text("field") or next(iter(step.fields))]
        component = asked.content.get("component")
        at = parse_slices([asked.text("at")]) if asked.text("at") else middle_of(field)
        require_small(field, at)
        request = FieldRequest(at, (), None if component is None else asked.integer("component", 0, 1 << 20))
        found = values_of(field, request)
    if not 1 <= len(found.axes) <= DRAWN_AXES:
        left = ", ".join(axis.name for axis in found.axes) or "none"
        raise UsageError(f"a picture shows one or two axes of a field; these are left: {left}")
    whole = {axis.name: axis for axis in axes_of(field)}
    content = {
        "file": file,
        "step": number,
        "field": field.name,
        "components": field.components,
        "value": {"name": found.name, "unit": found.unit, "symbol": found.symbol},
        "axes": [{**quantity_of_axis(axis), "nodes": len(axis.positions)} for axis in found.axes],
        "at": [
            {
                **quantity_of_axis(axis),
                "position": float(axis.positions[0]),
                "nodes": len(whole[axis.name].positions),
            }
            for axis in found.at
        ],
        "slices": ",".join(f"{name}={place}" for name, place in at.items()),
    }
    edges = [axis.edges for axis in found.axes]
    yield Frame("field", content, [found.values, *edges, *(axis.positions for axis in found.axes)])
    if asked.content.get("particles") is True and len(found.axes) == DRAWN_AXES:
        yield particles_near(library, asked, job, (file, number), plane_of(found, whole))


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


def middle_of(field: Field) -> dict[str, str]:
    """Independent. Return the places of the plane in the middle: of the last two axes."""
    return {axis.name: f"@{len(axis.positions) // 2}" for axis in axes_of(field)[:-DRAWN_AXES]}


def require_small(field: Field, at: dict[str, str]) -> None:
    """Independent. Raise UsageError for a part with too many elements."""
    count = math.prod(len(axis.positions) for axis in axes_of(field) if axis.name not in at)
    if count * field.components > MOST_ELEMENTS:
        raise UsageError(
            f"this part of the field has {count * field.components} values, more than {MOST_ELEMENTS}",
            advice="take a slice along another axis",
        )
