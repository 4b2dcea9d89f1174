"""What the values of a plan file may be: TOML takes anything, and a plan must say what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.errors import UsageError
from quire.kinds import (
    Fits,
    either,
    is_number,
    is_table,
    is_text,
    is_truth,
    is_whole,
    list_of,
    table_of,
)

KINDS: tuple[tuple[str, str, Fits], ...] = (
    (
        "title about mode quantity name engine format transport transfer to of memory workload kind file "
        "content imbalance distribution decomposition columns id what operation reference "
        "reference_operation count aim",
        "a text",
        is_text,
    ),
    (
        "seed passes least_ranks rows steps components fields elements variables subset compute",
        "a whole number",
        is_whole,
    ),
    ("scale share must", "a number", is_number),
    ("ranks extents modes shares", "a list of whole numbers", list_of(is_whole)),
    ("operations caches baselines methods places", "a list of texts", list_of(is_text)),
    ("readers", "a list of whole numbers, half or double", list_of(either(is_whole, is_text))),
    ("scaling", "a text or a list of texts", either(is_text, list_of(is_text))),
    ("limits", "a table of numbers", table_of(is_number)),
    ("options fault", "a table", is_table),
    ("vary", "a table of lists", table_of(list_of(lambda value: True))),
    ("method case target", "a list of tables, each below [[...]]", list_of(is_table)),
    ("scaled peak", "true or false", is_truth),
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
