"""The units of what several files show together: those of the first file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quire.errors import ConflictError, Error
from quire.units import Scale, scale

SAME = Scale(1.0)


@dataclass
class CommonUnits:
    """The unit of each quantity of the first file that has it."""

    units: dict[str, str] = field(default_factory=dict)

    def scales(self, quantities: Sequence[Mapping[str, Any]], label: str) -> list[Scale]:
        """Independent. Return the conversions of quantities of a file to the common units.

        Units of quantities that are new become common. Raises ConflictError for another dimension.
        """
        found = [self._scale(one["name"], one["unit"], label) for one in quantities]
        self.units = {**{one["name"]: one["unit"] for one in quantities}, **self.units}
        return found

    def _scale(self, name: str, unit: str, label: str) -> Scale:
        common = self.units.get(name, unit)
        if unit == common:
            return SAME
        try:
            return scale(unit, common)
        except Error:  # an unknown unit, or one of another dimension
            raise ConflictError(
                f"{name} {phrase(unit)}, and that of the first file {phrase(common)}",
                file=label,
                advice="show this file alone",
            ) from None

    def described(self, quantity: Mapping[str, Any]) -> dict[str, Any]:
        """Independent. Return the description of a quantity with its common unit."""
        return {**quantity, "unit": self.units[quantity["name"]]}


def phrase(unit: str) -> str:
    """Independent. Return the words about a unit.

    >>> from quire.viewer.common_units import phrase
    >>> phrase("mm"), phrase("")
    ('is in mm', 'has no unit')
    """
    return f"is in {unit}" if unit else "has no unit"
