"""Quantities that the program of a file has stored as attributes of its steps, beside those computed here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire import units
from quire.beam.conventions import Convention, StoredQuantity
from quire.errors import Error

if TYPE_CHECKING:
    from quire.beam.quantities import Quantity
    from quire.io.attributes import Attribute


@dataclass(frozen=True)
class Stored:
    """A stored quantity in the unit of the computed one, and where it is.

    `difference` is relative to the larger magnitude of both, NaN if one of them is NaN or infinite.
    """

    place: str
    value: float
    difference: float


def stored_quantities(
    convention: Convention, attributes: Mapping[str, Attribute], quantities: Mapping[str, Quantity]
) -> dict[str, Stored]:
    """Independent. Return the stored quantities of a step by the names of the computed ones.

    Those without the attribute, or with one in a unit of another dimension, are left out.
    """
    found = {}
    for name, described in convention.stored.items():
        value = number_in(described, attributes, quantities[name].unit) if name in quantities else None
        if value is not None:
            found[name] = Stored(described.place, value, difference(value, quantities[name].value))
    return found


def number_in(described: StoredQuantity, attributes: Mapping[str, Attribute], unit: str) -> float | None:
    """Independent. Return a stored number in a unit; None if there is none."""
    attribute = attributes.get(described.attribute)
    if attribute is None:
        return None
    values: Any = np.asarray(attribute.value).reshape(-1)
    place = described.element or 0
    if values.dtype.kind not in "iuf" or place >= len(values):
        return None
    try:
        value = float(units.scale(attribute.unit or unit, unit)(float(values[place])))
    except Error:  # an unknown unit, or one of another dimension
        return None
    return abs(value) if described.is_magnitude else value


def difference(one: float, other: float) -> float:
    """Independent. Return how much two numbers differ, relative to the larger magnitude.

    >>> from quire.beam.stored import difference
    >>> difference(2.0, 2.5), difference(0.0, 0.0)
    (0.2, 0.0)
    """
    if one == other:
        return 0.0
    return abs(one - other) / max(abs(one), abs(other)) if math.isfinite(one + other) else math.nan
