"""Values as texts, by the printf formats of C."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from quire.errors import UsageError
from quire.io.types import Array

CONVERSION: Final = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?"
    r"(?:hh|h|ll|l|L|q|j|z|t)?(?P<letter>[a-zA-Z%])"
)
INTEGERS: Final = "dioxXu"
FLOATS: Final = "eEfFgG"

LONG_DOUBLE_DIGITS: Final = 18

DIGITS: Final[Mapping[str, str]] = {"float32": "%15.8e", "float64": "%21.15e"}
"""Formats with all digits of a type."""


def formatted(text: str, *values: Any) -> str:
    """Independent. Return values printed by a format, each by its own conversion. Raises UsageError.

    >>> from quire.legacy.printing import formatted
    >>> formatted("%s: %8.3lf %ld", "x", 1.5, 3.0)
    'x:    1.500 3'
    """
    left = list(values)

    def one(found: re.Match[str]) -> str:
        if found["letter"] == "%":
            return "%"
        if not left:
            raise UsageError(f"the format '{text}' has more conversions than values")
        return converted(found, left.pop(0), text)

    made = CONVERSION.sub(one, text)
    if left:
        raise UsageError(f"the format '{text}' has fewer conversions than values")
    return made


def converted(found: re.Match[str], value: Any, text: str) -> str:
    """Independent. Return a value printed by one conversion."""
    precision = "" if found["precision"] is None else f".{found['precision']}"
    head = f"%{found['flags']}{found['width']}{precision}"
    letter = found["letter"]
    try:
        if letter in INTEGERS:
            return (head + letter) % int(value)
        if letter in FLOATS:
            return (head + letter) % float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"the format '{found[0]}' in '{text}' does not fit the value '{value}'") from None
    if letter == "s":
        return str((head + "s") % value)
    if letter == "c":
        return (head + "s") % str(value)[:1]
    raise UsageError(f"'{found[0]}' in the format '{text}' is no conversion")


@cache
def template_of(text: str) -> tuple[str, Callable[[Any], Any]] | None:
    """Independent. Return a format as one of Python, and what makes its value of a value; None unless it has
    one conversion of a number or a text.
    """
    found = [one for one in CONVERSION.finditer(text) if one["letter"] != "%"]
    letter = found[0]["letter"] if len(found) == 1 else ""
    makers: dict[str, Callable[[Any], Any]] = {"c": lambda value: str(value)[:1], "s": lambda value: value}
    makers |= dict.fromkeys(INTEGERS, int) | dict.fromkeys(FLOATS, float)
    if letter not in makers:
        return None

    def literal(part: str) -> str:
        return CONVERSION.sub("%", part).replace("%", "%%")

    one = found[0]
    precision = "" if one["precision"] is None else f".{one['precision']}"
    conversion = f"%{one['flags']}{one['width']}{precision}{'s' if letter == 'c' else letter}"
    return literal(text[: one.start()]) + conversion + literal(text[one.end() :]), makers[letter]


def formatted_all(text: str, values: Sequence[Any]) -> list[str]:
    """Independent. Return each value printed by a format, as `formatted` does. Raises UsageError.

    >>> from quire.legacy.printing import formatted_all
    >>> formatted_all("%.2lf m", [1, 2.5])
    ['1.00 m', '2.50 m']
    """
    if template := template_of(text):
        form, made = template
        try:
            return list(map(form.__mod__, map(made, values)))
        except (TypeError, ValueError, OverflowError):
            pass  # the value is named below
    return [formatted(text, value) for value in values]


def number_text(value: Any, kind: str) -> str:
    """Independent. Return a value as `sdds2stream` prints it: numbers with all digits of their type."""
    if kind in DIGITS:
        return str(DIGITS[kind] % value)
    if kind == "float80":
        return str(
            np.format_float_scientific(value, precision=LONG_DOUBLE_DIGITS, unique=False, exp_digits=2)
        )
    return str(value)


def number_texts(values: Array, kind: str) -> list[str]:
    """Independent. Return values as `number_text` does."""
    if kind == "float80":
        return [number_text(value, kind) for value in values]
    return list(map(DIGITS.get(kind, "%s").__mod__, values.tolist()))
