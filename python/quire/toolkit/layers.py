"""Copies of fields, each rank its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quire.io.fit import kept_attributes
from quire.toolkit.selection import even_slice

if TYPE_CHECKING:
    from quire import Field, WriteStep
    from quire.io.quantity import Quantity


def put_field(
    target: WriteStep, item: Field, quantity: Quantity, rank: int, size: int, *, place: bool = False
) -> None:
    """Independent. Hand over this rank's layers along the slowest axis, as a target can hold the field; texts
    by rank 0 alone. With `place` a field that does not say where it lies gets origin 0 and spacing 1.
    """
    extents = list(item.extents)
    if item.type == "string":
        rank, size = min(rank, 1), 1
    first, count = even_slice(extents[0], rank, size) if extents and rank < size else (0, 0)
    held = kept_attributes(quantity)
    values = item[first : first + count]
    if item.type == "character" != quantity.type:
        values = values.view(np.int8)  # The target has no characters: their codes are kept.
    place = place and lacks_place(item)
    target.put_field(
        quantity.name,
        values,
        extents=extents,
        start=[first] + [0] * (len(extents) - 1),
        components=item.components,
        type=quantity.type,
        group=item.group,
        attributes={name: value for name, value in item.attributes.items() if name in held},
        like=quantity,
        origin=[0.0] * len(extents) if place and item.origin is None else item.origin,
        spacing=[1.0] * len(extents) if place and item.spacing is None else item.spacing,
        coordinates=item.coordinates,
    )


def lacks_place(item: Field) -> bool:
    """Independent. Whether a field of a grid does not say where its elements lie."""
    is_grid = 1 <= len(item.extents) <= 3 and item.type != "string"
    return is_grid and item.coordinates is None and (item.origin is None or item.spacing is None)
