"""The texts of quantities that are being written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from quire import _core
from quire.io.arguments import text
from quire.io.attributes import Attribute, core_value


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a quantity, to be given as `unit` where there is more than a unit.

    Those that are None are texts of the object that is given as `like`, or of the `Attribute`; else empty.

    >>> with quire.create("new.h5") as out, out.step(0) as step:
    ...     _ = step.put("x", np.zeros(3), quire.Texts("m", description="horizontal position"))
    >>> with quire.open("new.h5") as file:
    ...     file[0]["x"].unit
    'm'
    """

    unit: str | None = None
    """The unit, for example "m"."""
    symbol: str | None = None
    """The symbol for plots."""
    description: str | None = None
    display: str | None = None
    """The printf format of values."""


Unit = str | Texts | None
"""A unit, or all texts of a quantity; None: those of the object that it is like."""

Words = tuple[str, str, str, str]
"""Unit, symbol, description and display."""


class Described(Protocol):
    """A column, field or attribute that was read."""

    @property
    def unit(self) -> str: ...
    @property
    def symbol(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def display(self) -> str: ...


def words_of(unit: Unit, like: Described | None = None) -> Words:
    """Independent. Return the given texts. Others are those of `like`, else empty. Raises type errors."""
    given = unit if isinstance(unit, Texts) else Texts(unit)

    def choose(name: str) -> str:
        wanted = getattr(given, name)
        if wanted is not None:
            return text(name, wanted)
        return "" if like is None else str(getattr(like, name))

    return choose("unit"), choose("symbol"), choose("description"), choose("display")


def core_quantity(name: str, type_name: str, words: Words) -> _core.Quantity:
    """Independent. Return a quantity for the core."""
    return _core.Quantity(text("a name", name), type_name, *words)


def core_attribute(
    name: str, value: Any, unit: Unit, wanted: str | None, lossy: bool
) -> tuple[_core.Quantity, list[int], Any]:
    """Independent. Return an attribute for the core. An Attribute as value keeps its type and texts."""
    words = words_of(unit, value if isinstance(value, Attribute) else None)
    if isinstance(value, Attribute):
        wanted = wanted or value.type
        value = value.value
    type_name, shape, elements = core_value(name, value, wanted, lossy)
    return core_quantity(name, type_name, words), shape, elements
