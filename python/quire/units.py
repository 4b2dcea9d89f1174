"""Units of measurement: texts such as `mm`, `MeV/c`, `m$be$nc` or `1/(2$gp$r)` as factors and dimensions.

    parse("MeV/c").factor              # 5.34...e-22, in kg m/s
    convert(values, "mm", "m")

The core reads the texts. Those of files are kept as written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeVar

from quire import _core

Values = TypeVar("Values")


@dataclass(frozen=True)
class Unit:
    """A unit. `dimension` are the exponents of m, kg, s, A, K, mol and cd; `text` is the unit as written.

    >>> quire.units.parse("m$be$nc").is_number  # a momentum over m c
    True
    """

    text: str
    factor: float
    """The value of the unit in SI units, rounded once if pi is not part of it."""
    dimension: tuple[Fraction, ...]
    si: str
    """The SI unit of the same dimension, such as `m kg s^-1`; empty for a pure number."""

    @property
    def is_number(self) -> bool:
        """Whether it has no dimension, as angles, ratios and a momentum over m c."""
        return not self.si


@dataclass(frozen=True)
class Registry:
    """The names of units and their parts. `prefixes` are used with `prefixed` names alone.

    >>> quire.units.registry().base
    ['m', 'kg', 's', 'A', 'K', 'mol', 'cd']
    """

    base: Sequence[str]
    prefixes: Sequence[str]
    prefixed: Sequence[str]
    plain: Sequence[str]
    phrases: Sequence[str]
    """Texts that count as a whole."""


def registry() -> Registry:
    """Independent. Return the names of units.

    >>> "eV" in quire.units.registry().prefixed
    True
    """
    return Registry(**_core.unit_names())


def parse(text: str) -> Unit:
    """Independent. Return the unit of a text; the empty text is a pure number.

    Raises UsageError for unknown names, and for texts that can be read in two ways, such as `J/kg K`.

    >>> quire.units.parse("MeV/c").si, quire.units.parse("mm mrad").factor
    ('m kg s^-1', 1e-06)
    """
    found = _core.parse_unit(text)
    dimension = tuple(Fraction(over, under) for over, under in found.exponents)
    return Unit(text, found.factor, dimension, found.si)


def is_known(text: str) -> bool:
    """Independent. Return whether a text is a unit.

    >>> quire.units.is_known("MeV/c"), quire.units.is_known("furlong")
    (True, False)
    """
    return _core.is_unit(text)


@dataclass(frozen=True)
class Scale:
    """The conversion of values from one unit to another: one multiplication or one division.

    Divisions by whole numbers round once, where a product with 0.001 would use a rounded factor.

    >>> quire.units.scale("mm", "m")(np.array([1.0, 2500.0])).tolist()
    [0.001, 2.5]
    """

    factor: float
    divides: bool = False

    def __call__(self, values: Any) -> Any:
        """Independent. Return converted values; the same object if nothing changes."""
        if self.factor == 1.0:
            return values
        return values / self.factor if self.divides else values * self.factor


def scale(unit: str, wanted: str) -> Scale:
    """Independent. Return the conversion between two units.

    Raises UsageError for unknown units, ConflictError for different dimensions.

    >>> quire.units.scale("m", "mm").factor
    1000.0
    """
    return Scale(*_core.unit_scale(unit, wanted))


def convert(values: Values, unit: str, wanted: str) -> Values:
    """Independent. Return numbers or an array in another unit.

    Raises UsageError for unknown units, ConflictError for different dimensions.

    >>> quire.units.convert(1.5, "GeV", "MeV")
    1500.0
    """
    converted: Values = scale(unit, wanted)(values)
    return converted


NAME: Final = re.compile(r"[^\W\d][^\s*/^()+-]*|[%#][^\s*/^()+-]*")
INTEGER: Final = re.compile(r"-?\d+")


def simplified(text: str) -> str:
    """Independent. Return a product of units with each unit once, or the text itself if that is not shorter
    or the text is not understood. The empty text is a pure number.

    >>> quire.units.simplified("1/(m^2)"), quire.units.simplified("mm (1/mm)")
    ('1/m^2', '')
    """
    try:
        found = text_of(Product(text).powers)
    except ValueError:
        return text
    return found if len(found) < len(text) and is_same(text, found) else text


def is_same(text: str, other: str) -> bool:
    """Independent. Return whether two texts are the same unit; unknown ones have the same names."""
    if not is_known(text):
        return True
    return (
        is_known(other) and parse(text).dimension == parse(other).dimension and scale(text, other) == Scale(1)
    )


def text_of(powers: Mapping[str, int]) -> str:
    """Independent. Return units with their exponents as a text."""
    above = " ".join(power_text(name, power) for name, power in powers.items() if power > 0)
    below = [power_text(name, -power) for name, power in powers.items() if power < 0]
    if above == "m c":
        above = "m*c"  # "m c" is a momentum over mass and c, a number
    if not below:
        return above
    return f"{above or 1}/{below[0]}" if len(below) == 1 else f"{above or 1}/({' '.join(below)})"


def power_text(name: str, power: int) -> str:
    """Independent. Return the power of a unit: m$be$nc^2 would be an energy."""
    return name if power == 1 else f"({name})^{power}" if "$" in name else f"{name}^{power}"


class Product:
    """Reads a product of powers of units. Raises ValueError for other texts, and for blanks after `/`, which
    can be read in two ways.
    """

    def __init__(self, text: str) -> None:
        found: list[str] = re.findall(r"\s*\*\*\s*|\s*[*/^]\s*|\s*\)|\(\s*|\s+|[^\s*/^()]+", text.strip())
        self._tokens = [one.strip() or " " for one in found]
        self.powers = self._product()
        if self._tokens:
            raise ValueError(text)

    def _product(self) -> dict[str, int]:
        powers = Counter(self._power())
        is_divided = False
        while self._tokens and self._tokens[0] in (" ", "*", "/"):
            sign = self._tokens.pop(0)
            if is_divided and sign != "/":
                raise ValueError(sign)
            is_divided |= sign == "/"
            for name, power in self._power().items():
                powers[name] += -power if sign == "/" else power
        return {name: power for name, power in powers.items() if power}

    def _power(self) -> dict[str, int]:
        token = self._next()
        if token == "(":
            powers = self._product()
            if self._next() != ")":
                raise ValueError(token)
        elif token == "1":
            powers = {}
        elif NAME.fullmatch(token):
            powers = {token: 1}
        else:
            raise ValueError(token)
        if self._tokens[:1] and self._tokens[0] in ("^", "**"):
            del self._tokens[0]
            exponent = self._next()
            if not INTEGER.fullmatch(exponent):
                raise ValueError(exponent)
            powers = {name: power * int(exponent) for name, power in powers.items()}
        return powers

    def _next(self) -> str:
        if not self._tokens:
            raise ValueError("the text ends")
        return self._tokens.pop(0)
