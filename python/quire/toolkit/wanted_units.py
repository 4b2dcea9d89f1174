"""Units in which quantities are shown instead of those of the file: `x=mm`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quire.errors import ConflictError, MissingError
from quire.near import there_is_no
from quire.units import Scale, scale

if TYPE_CHECKING:
    from quire.numeric.histograms import Limits


class InUnit:
    """A quantity in another unit. Other properties are those of the quantity."""

    def __init__(self, item: Any, unit: str) -> None:
        self._item = item
        self.unit = unit

    @property
    def value(self) -> Any:
        """The value of an attribute, converted."""
        return scale_to(self._item, self.unit)(self._item.value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._item, name)


class WantedUnits:
    """The wanted unit of each quantity, by name. Quantities that are not named keep their unit."""

    def __init__(self, units: Mapping[str, str] | None = None) -> None:
        self._units = dict(units or {})
        self._unused = dict.fromkeys(self._units)

    def __bool__(self) -> bool:
        return bool(self._units)

    def of(self, item: Any) -> Any:
        """Independent. Return a quantity in its wanted unit: the same object if that is not given.

        Raises ConflictError if it has no such unit.
        """
        wanted = self._units.get(item.name)
        if wanted is None:
            return item
        self._unused.pop(item.name, None)
        scale_to(item, wanted)
        return InUnit(item, wanted)

    def convert(self, item: Any, values: Any) -> Any:
        """Independent. Return values of a quantity in its wanted unit."""
        wanted = self._units.get(item.name)
        return values if wanted is None else scale_to(item, wanted)(values)

    def limits_of_file(
        self, quantities: Sequence[Sequence[Any]], limits: Sequence[Limits | None]
    ) -> list[Limits | None]:
        """Independent. Return limits along axes, which are in the units that are shown, in those of the file.
        `quantities` are those of each axis, whose first one has the unit of the file.
        """
        found = list(limits)
        for place, (some, pair) in enumerate(zip(quantities, limits, strict=True)):
            wanted = self._units.get(some[0].name) if some else None
            if pair is not None and wanted is not None:
                scale_to(some[0], wanted)  # names the quantity in its error
                back = scale(wanted, some[0].unit)
                found[place] = (back(pair[0]), back(pair[1]))
        return found

    def require_used(self, shown: Iterable[str]) -> None:
        """Independent. Raise MissingError for a unit of a quantity that is not shown; `shown` are the names
        of all that are.
        """
        names = list(dict.fromkeys(shown))
        for name in self._unused:
            if name not in names:
                raise MissingError(there_is_no("quantity", name, names))

    def require_fitting(self, items: Iterable[Any]) -> None:
        """Independent. The same for quantities. Also raises ConflictError if one has no such unit."""
        shown = list(items)
        self.require_used(item.name for item in shown)
        for item in shown:
            self.of(item)


def scale_to_unit_of(first: Any, item: Any) -> Scale:
    """Independent. Return the conversion of a quantity to the unit of another one of the same name. One
    without a unit stays as it is. Raises ConflictError if there is none.
    """
    return (
        Scale(1.0)
        if first.unit == item.unit or not first.unit or not item.unit
        else scale_to(item, first.unit)
    )


def require_same_unit(items: Sequence[Any]) -> None:
    """Independent. Raise ConflictError for a quantity of several steps or files with different units."""
    units = list(dict.fromkeys(item.unit for item in items if item.unit))
    if len(units) > 1:
        name = items[0].name
        raise ConflictError(
            f"'{name}' has different units: {' and '.join(units)}",
            advice=f"convert it by quire select --unit {name}={units[0]}",
        )


def scale_to(item: Any, unit: str) -> Scale:
    """Independent. Return the conversion of a quantity to a unit. Raises ConflictError if there is none."""
    if getattr(item, "type", "float64") in ("string", "character"):
        raise ConflictError(f"'{item.name}' contains text, which has no unit")
    if not item.unit and unit:
        raise ConflictError(
            f"'{item.name}' has no unit in the file, so it cannot be converted to \"{unit}\"",
            advice="quire define sets a unit",
        )
    try:
        return scale(item.unit, unit)
    except ConflictError as problem:
        raise ConflictError(f"'{item.name}': {problem.message}") from None
