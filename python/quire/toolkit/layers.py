"""Copies of fields: each rank copies its layers, part by part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.io.fit import kept_attributes
from quire.toolkit.representation import PayloadLosses
from quire.toolkit.selection import even_slice

if TYPE_CHECKING:
    from quire import Field, Grid, WriteStep
    from quire.io.quantity import Quantity
    from quire.io.types import Array

PART_BYTES = 16 << 20
"""Maximum bytes of the values of a field in memory of a rank."""

Part = tuple[tuple[int, ...], tuple[int, ...]]
"""Start and count along each axis."""


@dataclass(frozen=True)
class FieldShare:
    """The part of a field that this rank copies: its box, written whole or in parts."""

    field: Field
    quantity: Quantity
    lost: PayloadLosses
    place: bool
    box: Part
    parts: tuple[Part, ...] | None = None

    def declare(self, target: WriteStep) -> None:
        """Independent. Declare the field, or put it if it is copied whole."""
        start, count = self.box
        if self.parts is None:
            values, grid = self.values(self.box), replace(self.grid(), start=start)
            target.put_field(self.quantity.name, values, grid, **self.properties())
        else:
            grid = replace(self.grid(), box=list(zip(start, count, strict=True)))
            target.declare_field(self.quantity.name, grid=grid, **self.properties())

    def weigh(self, target: WriteStep, part: Part) -> None:
        """Independent. Measure a part of unknown size in the target."""
        target.weigh_field(self.quantity.name, part[0], self.values(part))

    def write(self, target: WriteStep, part: Part) -> None:
        """Independent. Write a part."""
        target.write_field(self.quantity.name, part[0], self.values(part))

    def values(self, part: Part) -> Array:
        """Independent. Return the values of a part for the target."""
        values = self.field.read(list(zip(*part, strict=True)))
        self.lost.look_at(("field", self.field.name), values.reshape(-1), self.quantity.type)
        if self.field.type == "character" != self.quantity.type:
            return values.view(np.int8)  # The target has no characters: their codes are stored.
        return values

    def grid(self) -> Grid:
        """Independent. Return the grid of the field, placed in space if that was requested."""
        grid, axes = self.field.grid, len(self.field.extents)
        if not self.place or not lacks_place(self.field):
            return grid
        return replace(
            grid,
            origin=[0.0] * axes if grid.origin is None else grid.origin,
            spacing=[1.0] * axes if grid.spacing is None else grid.spacing,
        )

    def properties(self) -> dict[str, Any]:
        """Independent. Return the other properties that the target can store, without values."""
        item = self.field
        held = kept_attributes(self.quantity)
        return {
            "type": self.quantity.type,
            "group": item.group,
            "attributes": {name: value for name, value in item.attrs.info.items() if name in held},
            "like": self.quantity,
        }


class FieldCopies:
    """The fields of a step on one rank, each written whole or in parts."""

    def __init__(
        self,
        target: WriteStep,
        fields: Sequence[tuple[Field, Quantity]],
        ranks: tuple[int, int],
        *,
        place: bool,
        lost: PayloadLosses,
    ) -> None:
        """Independent. Determine how this rank copies fields; the decisions are the same on all ranks.

        Fields are put whole as long as they fit into the memory limit. Of other fields each rank copies its
        layers along the slowest axis, in parts of at most the limit or of one chunk. Fields of strings are
        put whole by rank 0. With `place`, fields without coordinates get origin 0 and spacing 1. `lost`
        examines the values.
        """
        self._target = target
        self._shares: list[FieldShare] = []
        held = 0
        for field, quantity in fields:
            lost.watch(("field", field.name), field.type, quantity.type)
            mine = math.prod(field.extents) * bytes_of_element(field) // ranks[1]
            is_whole = field.type == "string" or not field.extents
            if is_whole or held + mine <= PART_BYTES:
                held += mine
                self._shares.append(FieldShare(field, quantity, lost, place, whole_box(field, *ranks)))
            else:
                self._shares.append(parted_share(target, field, quantity, lost, place, ranks))

    def declare(self) -> None:
        """Independent. Declare all fields, and put those that are copied whole."""
        for share in self._shares:
            share.declare(self._target)

    def weigh(self) -> None:
        """Independent. Measure fields that are copied in parts, if the target needs it."""
        for share in self._shares if self._target.weighs_values else ():
            for part in share.parts or ():
                share.weigh(self._target, part)

    def write(self) -> None:
        """Independent. Write fields that are copied in parts."""
        for share in self._shares:
            for part in share.parts or ():
                share.write(self._target, part)


def bytes_of_element(field: Field) -> int:
    """Independent. Return the bytes of an element in memory; for a string those of its reference."""
    return field.components * field.dtype.itemsize


def whole_box(field: Field, rank: int, size: int) -> Part:
    """Independent. Return this rank's layers of a field; rank 0 has all layers of a field of strings.

    A field without axes has one element, which all ranks put.
    """
    if not field.extents:
        return (), ()
    if field.type == "string":
        rank, size = min(rank, 1), 1
    return layers_of(field, even_slice(field.extents[0], rank, size) if rank < size else (0, 0))


def layers_of(field: Field, layers: tuple[int, int]) -> Part:
    """Independent. Return layers along the slowest axis as a box."""
    first, count = layers
    extents = tuple(field.extents)
    return (first,) + (0,) * (len(extents) - 1), (count, *extents[1:])


def parted_share(
    target: WriteStep,
    field: Field,
    quantity: Quantity,
    lost: PayloadLosses,
    place: bool,
    ranks: tuple[int, int],
) -> FieldShare:
    """Independent. Return the part of a field of a rank, in whole chunks of the target, else the source."""
    chunk = target.field_chunk(quantity.name, quantity.type, field.grid, field.group, like=quantity)
    unit = chunk or source_chunk(target, field)
    most = max(1, PART_BYTES // bytes_of_element(field))
    box = box_of_rank(field, unit[0], *ranks, is_shared=not chunk)
    return FieldShare(field, quantity, lost, place, box, tuple(cut(box, unit, most)))


def source_chunk(target: WriteStep, field: Field) -> tuple[int, ...]:
    """Independent. Return the chunks of the source, to decode each once, if the target accepts such boxes.

    Text formats accept them element by element.
    """
    ones = (1,) * len(field.extents)
    if target.weighs_values:
        return ones
    chunk = field.location().chunk[-len(ones) :]
    return chunk if len(chunk) == len(ones) else ones


def box_of_rank(field: Field, unit: int, rank: int, size: int, *, is_shared: bool) -> Part:
    """Independent. Return the layers of a rank, in whole units if there are enough or they must not be
    shared.
    """
    layers = field.extents[0]
    units = -(-layers // unit)
    if is_shared and units < size:
        return layers_of(field, even_slice(layers, rank, size))
    first, count = even_slice(units, rank, size)
    begin = min(first * unit, layers)
    return layers_of(field, (begin, min((first + count) * unit, layers) - begin))


def cut(box: Part, unit: Sequence[int], most: int, axis: int = 0) -> Iterator[Part]:
    """Independent. Yield parts of a box with at most this number of elements, in C order.

    The box is split along the slowest axis at multiples of a unit. A larger unit is split along the next
    axis.
    """
    start, count = box
    elements = math.prod(count)
    if elements <= most or axis == len(count):
        if elements:
            yield box
        return
    layer = elements // count[axis]
    depth = max(1, most // (layer * unit[axis])) * unit[axis]
    begin, end = start[axis], start[axis] + count[axis]
    while begin < end:
        stop = min(end, begin // unit[axis] * unit[axis] + depth)
        part = (*start[:axis], begin, *start[axis + 1 :]), (*count[:axis], stop - begin, *count[axis + 1 :])
        yield from cut(part, unit, most, axis + 1)
        begin = stop


def lacks_place(item: Field) -> bool:
    """Independent. Return whether a field has no origin, spacing and coordinates."""
    is_grid = 1 <= len(item.extents) <= 3 and item.type != "string"
    return is_grid and item.coordinates is None and (item.origin is None or item.spacing is None)
