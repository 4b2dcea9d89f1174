"""Checks of values in JSON and TOML files, which users may have edited."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Fits = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    """Independent. Check for a text."""
    return isinstance(value, str)


def is_whole(value: Any) -> bool:
    """Independent. Check for an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Independent. Check for a positive integer."""
    return is_whole(value) and bool(value >= 1)


def is_number(value: Any) -> bool:
    """Independent. Check for a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_truth(value: Any) -> bool:
    """Independent. Check for a Boolean."""
    return isinstance(value, bool)


def is_table(value: Any) -> bool:
    """Independent. Check for a table of names and values."""
    return isinstance(value, Mapping)


def list_of(fits: Fits) -> Fits:
    """Independent. Check for a list whose entries all fit."""
    return lambda value: isinstance(value, list) and all(fits(one) for one in value)


def some_of(fits: Fits) -> Fits:
    """Independent. Check for a list with at least one entry, which all fit."""
    return lambda value: bool(value) and list_of(fits)(value)


def table_of(fits: Fits) -> Fits:
    """Independent. Check for a table whose values all fit."""
    return lambda value: isinstance(value, Mapping) and all(fits(one) for one in value.values())


def either(first: Fits, second: Fits) -> Fits:
    """Independent. Check for one of two kinds."""
    return lambda value: first(value) or second(value)


def or_nothing(fits: Fits) -> Fits:
    """Independent. Check for a kind or null."""
    return lambda value: value is None or fits(value)


Shape = Mapping[str, "Fits | Shape"]
"""A check for each key, nested like the object. Other keys are allowed."""


def misfit(value: Any, shape: Shape, before: str = "") -> str:
    """Independent. Return the place of the first value of another kind, such as `bytes.payload`; else
    empty.
    """
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
