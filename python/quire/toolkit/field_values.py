"""Parts of fields for printing and plotting: planes, lines and projections. Nothing else is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import UsageError
from quire.near import there_is_no

if TYPE_CHECKING:
    from quire import Field

    Array = np.ndarray[Any, Any]

USUAL_AXES = ("z", "y", "x")
"""Names of the last axes of fields, slowest first. Further ones are called by their numbers: `i0`."""

LABELS = "axisLabels"
"""The attribute with the names of the axes, if a field has it."""

ORDER = "dataOrder"
"""The attribute that states the order of these names: `C`, slowest first, or `F`."""

METRES = "gridUnitSI"
"""A field that has this attribute has its positions in metres."""

BLOCK_BYTES = 16 << 20


@dataclass(frozen=True)
class FieldAxis:
    """An axis of a field: its name, and the position of each node; without a grid their numbers."""

    name: str
    positions: Array
    unit: str = ""
    symbol: str = ""

    @property
    def edges(self) -> Array:
        """The limits of the cells around the nodes: the middles between them, and as far outside."""
        if len(self.positions) < 2:
            return np.array([self.positions[0] - 0.5, self.positions[0] + 0.5])
        middles = (self.positions[1:] + self.positions[:-1]) / 2
        first, last = 2 * self.positions[0] - middles[0], 2 * self.positions[-1] - middles[-1]
        return np.concatenate(([first], middles, [last]))


@dataclass(frozen=True)
class FieldRequest:
    """What is read of a field.

    `at` has the place on an axis by its name: a position, or `@` and the number of a node. Values are summed
    over the axes of `sums`. `component` is the number of one, or None: the magnitude.
    """

    at: dict[str, str]
    sums: Sequence[str] = ()
    component: int | None = None


@dataclass(frozen=True)
class FieldValues:
    """The requested values, with the axes that are left, slowest first, and what they are called."""

    name: str
    unit: str
    axes: Sequence[FieldAxis]
    values: Array
    symbol: str = ""
    at: Sequence[FieldAxis] = ()
    """The axes of the slices, each with the position of the only node that was read."""


def parse_slices(texts: Sequence[str] | None) -> dict[str, str]:
    """Independent. Parse `z=0` or `z=@5,y=0` as places by axis. Raises UsageError."""
    found: dict[str, str] = {}
    for part in (part for text in texts or () for part in text.split(",")):
        name, equals, place = part.partition("=")
        if not equals or not name.strip() or not place.strip():
            raise UsageError(
                f"'{part}' is not a slice", advice="write for example z=0 (a position) or z=@5 (a node)"
            )
        found[name.strip()] = place.strip()
    return found


def axes_of(field: Field) -> list[FieldAxis]:
    """Independent. Return the axes of a field, slowest first."""
    count = len(field.extents)
    usual = [f"i{axis}" for axis in range(count - len(USUAL_AXES))] + list(USUAL_AXES[-count:])
    labels = [str(name) for name in field.attrs.get(LABELS, ())]
    if field.attrs.get(ORDER) == "F":
        labels.reverse()  # they are stored fastest first
    names = labels if len(labels) == count else usual
    coordinates = field.coordinates or (None,) * count
    axes = []
    for axis, (name, extent) in enumerate(zip(names, field.extents, strict=True)):
        nodes = np.arange(extent, dtype=np.float64)
        if coordinates[axis] is not None:
            nodes = np.asarray(coordinates[axis], dtype=np.float64)
        elif field.spacing is not None:
            nodes = nodes * field.spacing[axis] + (0.0 if field.origin is None else field.origin[axis])
        axes.append(FieldAxis(name, nodes, "m" if METRES in field.attrs else ""))
    return axes


def node_at(axis: FieldAxis, place: str, field: Field) -> int:
    """Independent. Return the number of the node that is nearest to a position, or the given one.

    Raises UsageError for a place outside of the field.
    """
    is_number = place.startswith("@")
    try:
        wanted = int(place[1:]) if is_number else float(place)
    except ValueError:
        wanted = float("nan")
    if is_number and -len(axis.positions) <= wanted < len(axis.positions):
        return int(wanted) % len(axis.positions)
    low, high = min(axis.edges[[0, -1]]), max(axis.edges[[0, -1]])
    if not is_number and low <= wanted <= high:
        return int(np.argmin(np.abs(axis.positions - wanted)))
    raise UsageError(
        f"'{axis.name}={place}' is no place in the field '{field.name}'",
        advice=f"{axis.name} is from {low:.6g} to {high:.6g}, or @0 to @{len(axis.positions) - 1}",
    )


def values_of(field: Field, request: FieldRequest) -> FieldValues:
    """Independent. Read the requested part of a field, in bounded memory besides the result.

    Raises UsageError for unknown axes and components.
    """
    axes = axes_of(field)
    names = [axis.name for axis in axes]
    for name in (*request.at, *request.sums):
        if name not in names:
            raise UsageError(there_is_no("axis", name, names, f" of the field '{field.name}'"))
    if request.component is not None and not 0 <= request.component < field.components:
        raise UsageError(f"the field '{field.name}' has {field.components} components, numbered from 0")
    box: list[Any] = [
        node_at(axis, request.at[axis.name], field) if axis.name in request.at else slice(None)
        for axis in axes
    ]
    left = [axis for axis in axes if axis.name not in request.at]
    summed = tuple(place for place, axis in enumerate(left) if axis.name in request.sums)
    kept = [axis for axis in left if axis.name not in request.sums]
    return FieldValues(
        name_of(field, request),
        field.unit,
        kept,
        read_summed(field, box, summed, request.component),
        "" if request.sums or field.components > 1 else field.symbol,
        [
            replace(axis, positions=axis.positions[[node]])
            for axis, node in zip(axes, box, strict=True)
            if not isinstance(node, slice)
        ],
    )


def name_of(field: Field, request: FieldRequest) -> str:
    """Independent. Return what the values are called."""
    name = field.name
    if field.components > 1:
        name = f"|{name}|" if request.component is None else f"{name}[{request.component}]"
    return f"sum of {name} over {', '.join(request.sums)}" if request.sums else name


def read_summed(field: Field, box: list[Any], summed: tuple[int, ...], component: int | None) -> Array:
    """Independent. Read a box and sum it over some of its axes, a few layers of the slowest one at a time."""
    free = [axis for axis, item in enumerate(box) if isinstance(item, slice)]
    if not summed or not free:
        return one_component(field, field[tuple(box)], component)
    slowest = free[0]
    extent = field.extents[slowest]
    layer = int(np.prod([field.extents[axis] for axis in free[1:]], dtype=np.int64)) * field.components
    step = max(1, BLOCK_BYTES // (8 * max(1, layer)))
    total: Any = 0.0
    parts = []
    for first in range(0, extent, step):
        box[slowest] = slice(first, min(first + step, extent))
        part = one_component(field, field[tuple(box)], component).sum(axis=summed)
        if 0 in summed:
            total = total + part
        else:
            parts.append(part)
    return np.asarray(total) if 0 in summed else np.concatenate(parts)


def one_component(field: Field, values: Any, component: int | None) -> Array:
    """Independent. Return one component as float64, or the magnitude of all."""
    numbers = np.asarray(values, dtype=np.float64)
    if field.components == 1:
        return numbers
    return np.sqrt(np.square(numbers).sum(axis=-1)) if component is None else numbers[..., component]
