"""What columns and fields have in common: name, type and the texts of the file."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire import _core
from quire.io.types import dtype_of


class Quantity:
    """A named quantity of a step. Texts are exactly those of the file; missing ones are empty."""

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
        """The unit as written."""
        return self._quantity.unit

    @property
    def symbol(self) -> str:
        """The symbol for plots, as written."""
        return self._quantity.symbol

    @property
    def description(self) -> str:
        """The description as written."""
        return self._quantity.description

    @property
    def display(self) -> str:
        """A printf format for showing a value."""
        return self._quantity.display
