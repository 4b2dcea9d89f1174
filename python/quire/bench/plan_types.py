"""What the values of a plan file may be: TOML takes anything, and a plan must say what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quire.errors import UsageError

Fits = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    """Independent. A text."""
    return isinstance(value, str)


def is_whole(value: Any) -> bool:
    """Independent. A whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Independent. Any number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_table(value: Any) -> bool:
    """Independent. A table of names and values."""
    return isinstance(value, Mapping)


def list_of(fits: Fits) -> Fits:
    """Independent. A list whose entries all fit."""
    return lambda value: isinstance(value, list) and all(fits(one) for one in value)


def table_of(fits: Fits) -> Fits:
    """Independent. A table whose values all fit."""
    return lambda value: isinstance(value, Mapping) and all(fits(one) for one in value.values())


def either(first: Fits, second: Fits) -> Fits:
    """Independent. What fits one or the other."""
    return lambda value: first(value) or second(value)


KINDS: tuple[tuple[str, str, Fits], ...] = (
    (
        "title about mode quantity name engine format transport transfer to workload kind file content "
        "imbalance distribution decomposition columns",
        "a text",
        is_text,
    ),
    ("seed passes least_ranks rows steps components fields elements variables", "a whole number", is_whole),
    ("scale share", "a number", is_number),
    ("ranks extents modes shares", "a list of whole numbers", list_of(is_whole)),
    ("operations caches baselines methods", "a list of texts", list_of(is_text)),
    ("readers", "a list of whole numbers, half or double", list_of(either(is_whole, is_text))),
    ("scaling", "a text or a list of texts", either(is_text, list_of(is_text))),
    ("limits", "a table of numbers", table_of(is_number)),
    ("options fault", "a table", is_table),
    ("vary", "a table of lists", table_of(list_of(lambda value: True))),
    ("method case", "a list of tables, each below [[...]]", list_of(is_table)),
    ("scaled", "true or false", lambda value: isinstance(value, bool)),
)
TYPES = {name: (words, fits) for names, words, fits in KINDS for name in names.split()}
"""What the value of a key is, in words and as a test; a key means the same everywhere."""


def check_types(given: Mapping[str, Any], what: str) -> None:
    """Independent. Raises UsageError for a value that is not of the kind that its key has."""
    for key, value in given.items():
        if key in TYPES:
            words, fits = TYPES[key]
            if not fits(value):
                raise UsageError(f"'{key}' of a {what} is {words}, not {value!r}")
