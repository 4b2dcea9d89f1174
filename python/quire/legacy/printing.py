"""Values as texts, by the printf formats of C."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from quire.errors import UsageError

CONVERSION: Final = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?"
    r"(?:hh|h|ll|l|L|q|j|z|t)?(?P<letter>[a-zA-Z%])"
)
INTEGERS: Final = "dioxXu"
FLOATS: Final = "eEfFgG"

LONG_DOUBLE_DIGITS: Final = 18


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


def number_text(value: Any, kind: str) -> str:
    """Independent. Return a value as `sdds2stream` prints it: numbers with all digits of their type."""
    if kind == "float32":
        return f"{value:15.8e}"
    if kind == "float64":
        return f"{value:21.15e}"
    if kind == "float80":
        return str(
            np.format_float_scientific(value, precision=LONG_DOUBLE_DIGITS, unique=False, exp_digits=2)
        )
    return str(value)
