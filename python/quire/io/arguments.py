"""Checks of arguments: strings, names of files, numbers."""

from __future__ import annotations

import operator
import os
from typing import Any

from quire.errors import TypeMismatchError, UsageError


def text(name: str, value: object) -> str:
    """Independent. Return a string that can be written. Raises type errors for anything else."""
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    if not isinstance(value, str):
        raise TypeMismatchError(f"{name} must be a string, not a {type(value).__name__}")
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise TypeMismatchError(f"{name} contains a character that UTF-8 cannot encode") from None
    return value


def text_or_nothing(value: object) -> str:
    """Independent. Return a string or a path as text; empty for anything else."""
    try:
        return text("", os.fspath(value))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return ""


def path_text(path: Any) -> str:
    """Independent. Return the name of a file. Raises type errors, and usage errors for an empty name."""
    name = text("path", os.fspath(path) if hasattr(path, "__fspath__") else path)
    if not name:
        raise UsageError("the name of the file is empty")
    return name


def number_of(what: str, value: Any) -> int:
    """Independent. Return an integer as number of something. Raises type errors, and usage errors beyond 64
    bits.
    """
    article = "an" if what[0] in "aeiou" else "a"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeMismatchError(
            f"the number of {article} {what} must be an integer, not a {type(value).__name__}"
        ) from None
    if not -(1 << 63) <= number < 1 << 63:
        raise UsageError(
            f"{number} is not a number of {article} {what}", advice=f"the numbers of {what}s have 64 bits"
        )
    return number


def count_of(name: str, value: Any) -> int:
    """Independent. Return a rank or a number of ranks. Raises type errors, and usage errors beyond 31
    bits.
    """
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeMismatchError(f"{name} must be an integer, not a {type(value).__name__}") from None
    if not 0 <= count < 1 << 31:
        raise UsageError(f"{name} cannot be {count}")
    return count


def step_number(value: Any) -> int:
    """Independent. Return the number of a step. Raises type errors, and usage errors beyond 64 bits."""
    return number_of("step", value)


def bytes_of_budget(value: Any) -> int:
    """Independent. Return a number of bytes. Raises type errors, and usage errors beyond 64 bits."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeMismatchError(
            f"memory_budget must be a number of bytes, not a {type(value).__name__}"
        ) from None
    if not 0 <= count < 1 << 64:
        raise UsageError(f"memory_budget cannot be {count}")
    return count
