"""Kinds of values in files of JSON and TOML that a hand may have changed: any value may be anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Fits = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    """Independent. A text."""
    return isinstance(value, str)


def is_whole(value: Any) -> bool:
    """Independent. A whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Independent. A whole number from 1."""
    return is_whole(value) and bool(value >= 1)


def is_number(value: Any) -> bool:
    """Independent. Any number that is none of infinity and no number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_truth(value: Any) -> bool:
    """Independent. True or false."""
    return isinstance(value, bool)


def is_table(value: Any) -> bool:
    """Independent. A table of names and values."""
    return isinstance(value, Mapping)


def list_of(fits: Fits) -> Fits:
    """Independent. A list whose entries all fit."""
    return lambda value: isinstance(value, list) and all(fits(one) for one in value)


def some_of(fits: Fits) -> Fits:
    """Independent. The same with at least one entry."""
    return lambda value: bool(value) and list_of(fits)(value)


def table_of(fits: Fits) -> Fits:
    """Independent. A table whose values all fit."""
    return lambda value: isinstance(value, Mapping) and all(fits(one) for one in value.values())


def either(first: Fits, second: Fits) -> Fits:
    """Independent. What fits one or the other."""
    return lambda value: first(value) or second(value)


def or_nothing(fits: Fits) -> Fits:
    """Independent. What fits, or null."""
    return lambda value: value is None or fits(value)


Shape = Mapping[str, "Fits | Shape"]
"""A key for each value that has a kind, nested as the object is; others may be there as well."""


def misfit(value: Any, shape: Shape, before: str = "") -> str:
    """Independent. The place of the first value of another kind, `bytes.payload`; empty if there is none."""
    if not isinstance(value, Mapping):
        return before.removesuffix(".") or "it"
    for key, kind in shape.items():
        if key not in value:
            continue
        if isinstance(kind, Mapping):
            if found := misfit(value[key], kind, f"{before}{key}."):
                return found
        elif not kind(value[key]):
            return f"{before}{key}"
    return ""
