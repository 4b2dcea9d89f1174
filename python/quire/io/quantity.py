"""Common to columns and fields: name, type, unit and other texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire import _core
from quire.io.texts import Texts
from quire.io.types import dtype_of

TEXTS: Final = ("unit", "symbol", "description", "display")
"""The texts of a column, which other libraries keep as metadata with these names."""

NO_TEXTS: Final = Texts()


class Quantity:
    """A named quantity of a step. Texts are those of the file; missing ones are empty."""

    def __init__(self, core: _core.Quantity) -> None:
        self._quantity = core

    @property
    def name(self) -> str:
        """The name in the file."""
        return self._quantity.name

    @property
    def type(self) -> str:
        """The element type by name, for example "float64" or "string"."""
        return self._quantity.type

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of values that are read."""
        return dtype_of(self._quantity.type)

    @property
    def unit(self) -> str:
        """The unit as stored."""
        return self._quantity.unit

    @property
    def symbol(self) -> str:
        """The symbol for plots, as stored."""
        return self._quantity.symbol

    @property
    def description(self) -> str:
        """The description as stored."""
        return self._quantity.description

    @property
    def display(self) -> str:
        """The printf format of values."""
        return self._quantity.display

    @property
    def texts(self) -> Texts:
        """Unit, symbol, description and display together, to be given to a writer as `unit`."""
        core = self._quantity
        return Texts(core.unit, core.symbol, core.description, core.display)


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column of another library's table."""

    name: str
    values: Any
    texts: Texts = NO_TEXTS
    type: str | None = None
    """The element type; None: the type of the values."""


Declared = Mapping[str, Any] | Iterable[Any]
"""Declarations: type names or quantities by name, or a sequence of quantities."""


def declared_quantities(given: Declared) -> list[_core.Quantity]:
    """Independent. Return quantities, attributes and names of types for the core."""
    if isinstance(given, Mapping):
        return [_declared_quantity(name, one) for name, one in given.items()]
    quantities: Iterable[Any] = given
    return [_declared_quantity(one.name, one) for one in quantities]


def _declared_quantity(name: str, given: Any) -> _core.Quantity:
    if isinstance(given, Quantity):
        return given._quantity
    if isinstance(given, str):
        dtype_of(given)
        return _core.Quantity(name, given)
    quantity = _core.Quantity(
        given.name, given.type, given.unit, given.symbol, given.description, given.display
    )
    axes = np.ndim(given.value)
    return _core.Attribute(quantity, [0] * axes, [] if given.type == "string" else b"") if axes else quantity
