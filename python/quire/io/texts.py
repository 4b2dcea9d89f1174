"""The texts of quantities that are being written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire import _core
from quire.io.arguments import text
from quire.io.attributes import Attribute, core_value
from quire.io.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a quantity that is being written."""

    unit: str
    symbol: str
    description: str
    display: str


def texts(
    like: Quantity | Attribute | None,
    unit: str | None,
    symbol: str | None,
    description: str | None,
    display: str | None,
) -> Texts:
    """Independent. Return the given texts. Others are those of `like`, else empty."""

    def choose(given: str | None, name: str) -> str:
        if given is not None:
            return text(name, given)
        return "" if like is None else str(getattr(like, name))

    return Texts(
        choose(unit, "unit"),
        choose(symbol, "symbol"),
        choose(description, "description"),
        choose(display, "display"),
    )


def core_quantity(name: str, type_name: str, words: Texts) -> _core.Quantity:
    """Independent. Return a quantity for the core."""
    return _core.Quantity(
        text("a name", name), type_name, words.unit, words.symbol, words.description, words.display
    )


def core_attribute(
    name: str, value: Any, words: Texts, wanted: str | None, lossy: bool
) -> tuple[_core.Quantity, list[int], Any]:
    """Independent. Return an attribute for the core. A value that is an Attribute keeps its type."""
    if isinstance(value, Attribute):
        wanted = wanted or value.type
        value = value.value
    type_name, shape, elements = core_value(name, value, wanted, lossy)
    return core_quantity(name, type_name, words), shape, elements
