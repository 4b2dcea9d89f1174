"""Values and rows as text: with all digits or a printf format, quoted for CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from quire.errors import MissingError, UsageError
from quire.io.types import Array
from quire.near import there_is_no
from quire.toolkit.selection import matches

# One conversion of bounded width. Length modifiers are ignored. Other formats in files are not used.
PRINTF: Final = re.compile(
    r"(?P<before>[^%]*)%(?P<form>[-+ #0]*\d{0,3}(\.\d{0,3})?)"
    r"[hlLqjzt]*(?P<kind>[diouxXeEfFgGsc])(?P<after>[^%]*)"
)
INTEGER_KINDS: Final = "diouxX"

Printer = Callable[[Any], str]


def printer(form: str) -> Printer | None:
    """Independent. Return a function that formats a value by a printf format; None if it is not supported.

    Values that do not fit the format are printed with all digits.
    """
    known = PRINTF.fullmatch(form)
    if known is None:
        return None
    kind = "s" if known["kind"] == "c" else known["kind"]
    template = f"{known['before']}%{known['form']}{kind}{known['after']}"

    def print_one(value: Any) -> str:
        try:
            if kind in INTEGER_KINDS and not float(value).is_integer():
                return exact_text(value)
            return template % (exact_text(value) if kind == "s" else value)
        except (TypeError, ValueError, OverflowError):
            return exact_text(value)

    return print_one


def exact_text(value: Any) -> str:
    """Independent. Return a value with all its digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, np.longdouble):
        return np.format_float_scientific(value, unique=True, trim="-") if np.isfinite(value) else str(value)
    if isinstance(value, np.float64):
        return repr(float(value))
    return str(value)


def exact_texts(values: Iterable[Any]) -> list[str]:
    """Independent. Return many values with all their digits."""
    if isinstance(values, np.ndarray):
        if values.dtype == np.float64:
            return list(map(repr, values.tolist()))
        if values.dtype.kind in "iu":
            return list(map(str, values.tolist()))
    return [exact_text(value) for value in values]


def parse_formats(texts: Sequence[str] | None) -> dict[str, str]:
    """Independent. Parse `x=%10.3e` as formats by name or pattern; `%10.3e` alone is for all numbers.

    Raises UsageError unless it is a printf format with one conversion.
    """
    formats: dict[str, str] = {}
    for text in texts or ():
        name, equals, form = text.partition("=")
        if not equals or "%" in name:
            name, form = "", text
        if printer(form) is None:
            raise UsageError(f"'{form}' is not a format for one value; write for example x=%10.3e")
        formats[name] = form
    return formats


def require_used(formats: Mapping[str, str], names: Sequence[str]) -> None:
    """Independent. Raises MissingError for a format whose name or pattern matches none of the names."""
    for pattern in formats:
        if pattern and not any(matches(name, [pattern]) for name in names):
            raise MissingError(there_is_no("quantity", pattern, names, " to format"))


def format_for(name: str, is_number: bool, formats: Mapping[str, str]) -> str:
    """Independent. Return the format for a column: by name, by pattern, that of all numbers, or none."""
    if name in formats:
        return formats[name]
    for pattern, form in formats.items():
        if pattern and matches(name, [pattern]):
            return form
    return formats.get("", "") if is_number else ""


class Cells:
    """Formats values as cells of lines with a delimiter."""

    def __init__(self, delimiter: str, quotes: bool = True) -> None:
        if not delimiter:
            raise UsageError("an empty delimiter separates nothing")
        self.delimiter = delimiter
        self.quotes = quotes
        self._special = re.compile("|".join(re.escape(mark) for mark in (delimiter, '"', "\n", "\r")))

    def cell(self, text: str) -> str:
        """Independent. Return a text, in quotes if needed."""
        if not self.quotes or (text and not self._special.search(text)):
            return text
        return '"' + text.replace('"', '""') + '"'

    def line(self, texts: Iterable[str]) -> str:
        """Independent. Return a line without newline."""
        return self.delimiter.join(self.cell(text) for text in texts)

    def lines(self, columns: Sequence[Iterable[Any]], printers: Sequence[Printer | None]) -> str:
        """Independent. Return all rows of some columns as lines with newlines."""
        texts = [self.column(values, one) for values, one in zip(columns, printers, strict=True)]
        rows = map(self.delimiter.join, zip(*texts, strict=True))
        return "".join(f"{row}\n" for row in rows)

    def column(self, values: Iterable[Any], one: Printer | None) -> list[str]:
        """Independent. Return the cells of a column."""
        texts = exact_texts(values) if one is None else [one(value) for value in values]
        if one is None and is_numeric(values):
            return texts
        return [self.cell(text) for text in texts]


def is_numeric(values: Any) -> bool:
    """Independent. Return whether an array contains numbers, which need no quotes."""
    return isinstance(values, np.ndarray) and values.dtype.kind in "iuf"


def parse_delimiter(text: str) -> str:
    """Independent. Parse a delimiter: `\\t`, `\\n`, `tab`, `space` and `comma` have their meaning."""
    words = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";"}
    return words.get(text, text.replace("\\t", "\t").replace("\\n", "\n"))


def latex(text: str) -> str:
    """Independent. Escape the special characters of LaTeX."""
    special = {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }  # fmt: skip
    return "".join(special.get(mark, mark) for mark in text)


def as_array(values: Sequence[Any]) -> Array:
    """Independent. Return the values of an attribute over the steps as an array of objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array
