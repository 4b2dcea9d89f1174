"""Copies of fields, each rank its layers, part by part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.io.fit import kept_attributes
from quire.toolkit.agreement import Together
from quire.toolkit.representation import PayloadLosses
from quire.toolkit.selection import even_slice

if TYPE_CHECKING:
    from quire import Field, WriteStep
    from quire.io.quantity import Quantity
    from quire.io.types import Array

PART_BYTES = 16 << 20
"""Of the values of a field that a rank holds at a time."""

Part = tuple[tuple[int, ...], tuple[int, ...]]
"""Start and count along each axis."""


@dataclass(frozen=True)
class FieldShare:
    """The part of a field that this rank copies: its box, put whole or in parts."""

    field: Field
    quantity: Quantity
    lost: PayloadLosses
    place: bool
    box: Part
    parts: tuple[Part, ...] | None = None
    rounds: int = 0

    def declare(self, target: WriteStep) -> None:
        """Collective where ranks read together. Declare the field, or put it if it is copied whole."""
        start, count = self.box
        if self.parts is None:
            target.put_field(self.quantity.name, self.values(self.box), start=start, **self.words())
        else:
            box = list(zip(start, count, strict=True))
            target.declare_field(self.quantity.name, box=box, **self.words())

    def weigh(self, target: WriteStep, part: Part) -> None:
        """Collective where ranks read together. Let the target see a part: it has no size before."""
        target.weigh_field(self.quantity.name, part[0], self.values(part))

    def write(self, target: WriteStep, part: Part) -> None:
        """Collective where ranks read together. Move a part."""
        target.write_field(self.quantity.name, part[0], self.values(part))

    def turns(self) -> Iterator[Part]:
        """Independent. The parts, and as many without elements as other ranks have more."""
        parts = self.parts or ()
        yield from parts
        start, count = self.box
        for _ in range(self.rounds - len(parts)):
            yield start, (0, *count[1:])

    def values(self, part: Part) -> Array:
        """Collective where ranks read together. Of a part, as the target takes them."""
        values = self.field.read(list(zip(*part, strict=True)))
        self.lost.look_at(("field", self.field.name), values.reshape(-1), self.quantity.type)
        if self.field.type == "character" != self.quantity.type:
            return values.view(np.int8)  # The target has no characters: their codes are kept.
        return values

    def words(self) -> dict[str, Any]:
        """Independent. All but the values, as the target can hold it."""
        item, axes = self.field, len(self.field.extents)
        held = kept_attributes(self.quantity)
        place = self.place and lacks_place(item)
        return {
            "extents": list(item.extents),
            "components": item.components,
            "type": self.quantity.type,
            "group": item.group,
            "attributes": {name: value for name, value in item.attributes.items() if name in held},
            "like": self.quantity,
            "origin": [0.0] * axes if place and item.origin is None else item.origin,
            "spacing": [1.0] * axes if place and item.spacing is None else item.spacing,
            "coordinates": item.coordinates,
        }


class FieldCopies:
    """The fields of a step on one rank, each put whole or in parts."""

    def __init__(
        self,
        target: WriteStep,
        fields: Sequence[tuple[Field, Quantity]],
        ranks: tuple[int, int],
        *,
        takes_parts: bool,
        place: bool,
        lost: PayloadLosses,
    ) -> None:
        """Independent. How fields are copied by this one of so many ranks, alike on all of them.

        As many as a rank may hold at a time are put whole. Of the others each rank has its layers along the
        slowest axis, in parts of at most as many bytes or, where that is more, of one chunk. Texts are put
        whole by rank 0. What the target cannot take in parts is put whole, too. With `place` fields that do
        not say where they lie get origin 0 and spacing 1. `lost` learns of the values that are put.
        """
        self._target = target
        self._shares: list[FieldShare] = []
        held = 0
        for field, quantity in fields:
            lost.watch(("field", field.name), field.type, quantity.type)
            mine = math.prod(field.extents) * bytes_of_element(field) // ranks[1]
            is_whole = not takes_parts or field.type == "string" or not field.extents
            if is_whole or held + mine <= PART_BYTES:
                held += mine
                self._shares.append(FieldShare(field, quantity, lost, place, whole_box(field, *ranks)))
            else:
                self._shares.append(parted_share(target, field, quantity, lost, place, ranks))

    def declare(self, together: Together) -> None:
        """Collective where ranks read together. Announce all fields, and hand over those that come whole."""
        for share in self._shares:
            together.do(share.declare, self._target)

    def weigh(self, together: Together) -> None:
        """Collective where ranks read together. Let the target see what comes in parts, if it must."""
        for share in self._shares if self._target.weighs_values else ():
            for part in share.turns():
                together.do(share.weigh, self._target, part)

    def write(self, together: Together) -> None:
        """Collective where ranks read together. Move what comes in parts."""
        for share in self._shares:
            for part in share.turns():
                together.do(share.write, self._target, part)


def bytes_of_element(field: Field) -> int:
    """Independent. What an element takes in memory, a text as the reference to it."""
    return field.components * field.dtype.itemsize


def whole_box(field: Field, rank: int, size: int) -> Part:
    """Independent. This rank's layers of a field; all of them are rank 0's if it holds texts.

    A field without axes has one element, which cannot be parted: all ranks put it.
    """
    if not field.extents:
        return (), ()
    if field.type == "string":
        rank, size = min(rank, 1), 1
    return layers_of(field, even_slice(field.extents[0], rank, size) if rank < size else (0, 0))


def layers_of(field: Field, layers: tuple[int, int]) -> Part:
    """Independent. Layers along the slowest axis, as a box."""
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
    """Independent. What a rank copies of a field, in parts of whole chunks of the target, else the source."""
    chunk = target.field_chunk(
        quantity.name, quantity.type, field.extents, field.components, group=field.group, like=quantity
    )
    unit = chunk or source_chunk(target, field)
    most = max(1, PART_BYTES // bytes_of_element(field))
    boxes = [box_of_rank(field, unit[0], rank, ranks[1], is_shared=not chunk) for rank in range(ranks[1])]
    rank, _ = ranks
    # All ranks must know how often the one with the most parts reads.
    rounds = max(sum(1 for _ in cut(box, unit, most)) for box in boxes)
    return FieldShare(field, quantity, lost, place, boxes[rank], tuple(cut(boxes[rank], unit, most)), rounds)


def source_chunk(target: WriteStep, field: Field) -> tuple[int, ...]:
    """Independent. The chunks of the source, so that none is decoded twice, if the target takes such boxes.

    Text goes on element by element.
    """
    ones = (1,) * len(field.extents)
    if target.weighs_values:
        return ones
    chunk = field.location().chunk[-len(ones) :]
    return chunk if len(chunk) == len(ones) else ones


def box_of_rank(field: Field, unit: int, rank: int, size: int, *, is_shared: bool) -> Part:
    """Independent. Layers of a rank, in whole units if these are enough or must not be shared."""
    layers = field.extents[0]
    units = -(-layers // unit)
    if is_shared and units < size:
        return layers_of(field, even_slice(layers, rank, size))
    first, count = even_slice(units, rank, size)
    begin = min(first * unit, layers)
    return layers_of(field, (begin, min((first + count) * unit, layers) - begin))


def cut(box: Part, unit: Sequence[int], most: int, axis: int = 0) -> Iterator[Part]:
    """Independent. Parts of a box with at most so many elements, in C order.

    It is cut along the slowest axis at multiples of a unit, and one unit likewise along the next axis where
    it has more.
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
    """Independent. Whether a field of a grid does not say where its elements lie."""
    is_grid = 1 <= len(item.extents) <= 3 and item.type != "string"
    return is_grid and item.coordinates is None and (item.origin is None or item.spacing is None)
