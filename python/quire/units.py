"""Units of measurement: texts such as `mm`, `MeV/c`, `m$be$nc` or `1/(2$gp$r)` as factors and dimensions.

    parse("MeV/c").factor              # 5.34...e-22, in kg m/s
    convert(values, "mm", "m")

The names are data, in `units.toml`. Texts of files are kept as written.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Final, TypeVar

from quire.errors import ConflictError, UsageError

LONGEST: Final = 200
"""Longer texts are not read as units."""

LARGEST_EXPONENT: Final = 99
SMALLEST, LARGEST = Fraction(10) ** -290, Fraction(10) ** 290

Values = TypeVar("Values")

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|\.\d+(?:[eE][+-]?\d{1,3})?)"
    r"|(?P<name>[^\W\d]+(?:_\w+)?|[%°])(?P<attached>-?\d+)?"
    r"|(?P<power>\*\*|\^)|(?P<sign>[-+])|(?P<times>[*·⋅.])|(?P<over>/)|(?P<open>\()|(?P<close>\)))"
)


@dataclass(frozen=True)
class Unit:
    """A unit: `value` times pi to the power of `pi`, in units of the base of SI.

    `dimension` are the exponents of m, kg, s, A, K, mol and cd. `text` is the unit as written.
    """

    text: str
    value: Fraction
    pi: int
    dimension: tuple[Fraction, ...]

    @property
    def factor(self) -> float:
        """The value of the unit in SI units, rounded once if pi is not part of it."""
        return float(self.value) * math.pi**self.pi

    @property
    def is_number(self) -> bool:
        """Whether it has no dimension, as angles, ratios and a momentum over m c."""
        return not any(self.dimension)

    @property
    def si(self) -> str:
        """The SI unit of the same dimension, such as `kg m s^-1`; empty for a pure number."""
        named = zip(registry().base, self.dimension, strict=True)
        return " ".join(name if power == 1 else f"{name}^{power}" for name, power in named if power)

    def __mul__(self, other: Unit) -> Unit:
        dimension = tuple(a + b for a, b in zip(self.dimension, other.dimension, strict=True))
        return Unit("", self.value * other.value, self.pi + other.pi, dimension)

    def __pow__(self, exponent: Fraction) -> Unit:
        dimension = tuple(power * exponent for power in self.dimension)
        if exponent.denominator == 1:
            return Unit("", self.value**exponent.numerator, self.pi * exponent.numerator, dimension)
        return Unit("", Fraction(self.factor ** float(exponent)), 0, dimension)


@dataclass(frozen=True)
class Registry:
    """The names of `units.toml`."""

    base: Sequence[str]
    prefixes: Mapping[str, int]
    prefixed: Mapping[str, str]
    plain: Mapping[str, str]
    phrases: Mapping[str, str]
    greek: Mapping[str, str]

    @property
    def one(self) -> Unit:
        """The number 1."""
        return Unit("", Fraction(1), 0, (Fraction(0),) * len(self.base))


@cache
def registry() -> Registry:
    """Independent. Return the names of units."""
    text = (resources.files("quire") / "units.toml").read_text(encoding="utf-8")
    return Registry(**tomllib.loads(text))


@cache
def parse(text: str) -> Unit:
    """Independent. Return the unit of a text; the empty text is a pure number.

    Raises UsageError for unknown names, and for texts that can be read in two ways, such as `J/kg K`.
    """
    if len(text) > LONGEST:
        raise UsageError(f"a text of {len(text)} characters is not a unit")
    plain = without_markup(text)
    for phrase in sorted(registry().phrases, key=len, reverse=True):
        plain = re.sub(rf"(?<![\w^]){re.escape(phrase)}(?![\w'^])", f"({registry().phrases[phrase]})", plain)
    reader = Parser(text, plain)
    found = reader.parse() if plain.strip() else registry().one
    if not SMALLEST < found.value < LARGEST:
        raise reader.error("its value exceeds the range of float64")
    return Unit(text, found.value, found.pi, found.dimension)


def is_known(text: str) -> bool:
    """Independent. Return whether a text is a unit."""
    try:
        parse(text)
    except UsageError:
        return False
    return True


def without_markup(text: str) -> str:
    """Independent. Return a unit without the mark-up of plot labels.

    `$a`, `$b` and `$n` raise, lower and end that; `$g` and `$r` switch to Greek and back; `#name` is a Greek
    letter.
    """
    result, is_greek, is_raised = "", False, False
    for part in re.findall(r"\$\w|[^$]|\$", text):
        if part == "$a":
            result += "^("
            is_raised = True
        elif part == "$b":
            result += "_"
        elif part == "$n":
            result += ")" if is_raised else " "
            is_raised = False
        elif part in ("$g", "$r"):
            is_greek = part == "$g"
            # Two letters in a row are two names, but a prefix may precede one.
            result += " " if is_greek and result[-1:] in registry().greek.values() else ""
        elif part == "#":
            result += " "
        elif len(part) == 1:
            result += registry().greek.get(part, part) if is_greek else part
    return result


class Parser:
    """Reads one text: products, quotients and powers of names, numbers and brackets."""

    def __init__(self, text: str, plain: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        place, plain = 0, plain.strip()
        while place < len(plain):
            found = TOKEN.match(plain, place)
            if found is None:
                raise self.error(f"'{plain[place:].strip()[:20]}' is not understood")
            for kind, part in found.groupdict().items():
                if part is not None:
                    self.tokens.append((kind, part))
            place = found.end()
        self.tokens.append(("end", ""))
        self.next = 0

    def error(self, why: str) -> UsageError:
        """Return the error of this text."""
        return UsageError(
            f'"{self.text}" is not a known unit: {why}', advice="write for example mm, MeV/c or kg*m/s^2"
        )

    def take(self, *kinds: str) -> str | None:
        """Return the next token if it is of one of these kinds."""
        kind, part = self.tokens[self.next]
        if kind not in kinds:
            return None
        self.next += 1
        return part

    def parse(self) -> Unit:
        """Return the unit of the whole text."""
        found = self.product(0)
        if self.tokens[self.next][0] != "end":
            raise self.error(f"'{self.tokens[self.next][1]}' is not expected here")
        return found

    def product(self, depth: int) -> Unit:
        """Return a product of factors, from left to right."""
        found = self.power(depth)
        divided = False
        while True:
            if self.take("times") is not None:
                found *= self.power(depth)
            elif self.take("over") is not None:
                found *= self.power(depth) ** Fraction(-1)
                divided = True
            elif self.tokens[self.next][0] in ("number", "name", "open"):
                if divided:
                    raise self.error("a blank after '/' can be read in two ways; write brackets")
                found *= self.power(depth)
            else:
                return found

    def power(self, depth: int) -> Unit:
        """Return a factor with its exponent."""
        found = self.atom(depth)
        if (attached := self.take("attached")) is not None:
            return found ** self.checked(Fraction(attached))
        if self.take("power") is None:
            return found
        is_bracketed = self.take("open") is not None
        sign = -1 if self.take("sign") == "-" else 1
        number = self.take("number")
        if number is None:
            raise self.error("an exponent must be a number")
        exponent = Fraction(number)
        if is_bracketed and self.take("over") is not None:
            divisor = self.take("number")
            if divisor is None or not Fraction(divisor):
                raise self.error("an exponent must be a number")
            exponent /= Fraction(divisor)
        if is_bracketed and self.take("close") is None:
            raise self.error("a bracket is not closed")
        return found ** self.checked(sign * exponent)

    def checked(self, exponent: Fraction) -> Fraction:
        """Return an exponent that is not too large."""
        if abs(exponent) > LARGEST_EXPONENT or exponent.denominator > LARGEST_EXPONENT:
            raise self.error(f"the exponent {exponent} is too large")
        return exponent

    def atom(self, depth: int) -> Unit:
        """Return a number, a named unit or a bracket."""
        if (number := self.take("number")) is not None:
            value = Fraction(number)
            if not value:
                raise self.error("0 is not a unit")
            return Unit("", value, 0, registry().one.dimension)
        if (name := self.take("name")) is not None:
            unit = named(name)
            if unit is None:
                raise self.error(f"'{name}' is not the name of a unit")
            return unit
        if depth < 20 and self.take("open") is not None:
            found = self.product(depth + 1)
            if self.take("close") is None:
                raise self.error("a bracket is not closed")
            return found
        raise self.error("a unit is missing" if self.tokens[self.next][0] == "end" else "it is not complete")


@cache
def named(name: str) -> Unit | None:
    """Independent. Return the unit of a name with or without a prefix, None if there is none."""
    known = registry()
    if name == "pi":
        return Unit("", Fraction(1), 1, known.one.dimension)
    if name in known.base:
        dimension = tuple(Fraction(int(name == one)) for one in known.base)
        return Unit("", Fraction(1), 0, dimension)
    definition = known.plain.get(name) or known.prefixed.get(name)
    if definition is not None:
        return Parser(definition, definition).parse()
    for prefix, power in known.prefixes.items():
        rest = name.removeprefix(prefix)
        if rest != name and rest in known.prefixed:
            unit = named(rest)
            assert unit is not None
            return Unit("", unit.value * Fraction(10) ** power, unit.pi, unit.dimension)
    return None


@dataclass(frozen=True)
class Scale:
    """The conversion of values from one unit to another: one multiplication or one division.

    Divisions by whole numbers round once, where a product with 0.001 would use a rounded factor.
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
    """
    a, b = parse(unit), parse(wanted)
    if a.dimension != b.dimension:
        raise ConflictError(
            f'"{unit}" cannot be converted to "{wanted}": the first is {described(a)}, the second '
            f"{described(b)}"
        )
    ratio, pi = a.value / b.value, a.pi - b.pi
    inverse = 1 / ratio
    if pi == 0 and ratio.denominator != 1 and inverse.denominator == 1 and inverse < 1 << 53:
        return Scale(float(inverse), divides=True)
    return Scale(float(ratio) * math.pi**pi)


def described(unit: Unit) -> str:
    """Independent. Return the dimension of a unit for messages."""
    return f"in {unit.si}" if unit.si else "a pure number"


def convert(values: Values, unit: str, wanted: str) -> Values:
    """Independent. Return numbers or an array in another unit.

    Raises UsageError for unknown units, ConflictError for different dimensions.
    """
    converted: Values = scale(unit, wanted)(values)
    return converted
