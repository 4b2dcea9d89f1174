"""What callers give, checked: texts, names of files, numbers."""

from __future__ import annotations

import operator
import os
from typing import Any

from quire.errors import TypeMismatchError, UsageError


def text(name: str, value: object) -> str:
    """Independent. A text that can be written. Type errors for anything else."""
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    if not isinstance(value, str):
        raise TypeMismatchError(f"{name} is a text, not a {type(value).__name__}")
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise TypeMismatchError(f"{name} holds a character that UTF-8 has not") from None
    return value


def text_or_nothing(value: object) -> str:
    """Independent. A text or a path; empty for anything that is none."""
    try:
        return text("", os.fspath(value))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return ""


def path_text(path: Any) -> str:
    """Independent. The name of a file. Type errors for no path, usage errors for none at all."""
    name = text("path", os.fspath(path) if hasattr(path, "__fspath__") else path)
    if not name:
        raise UsageError("the name of the file is empty")
    return name


def number_of(what: str, value: Any) -> int:
    """Independent. The number of something. Type errors for no integer, usage errors beyond 64 bits."""
    article = "an" if what[0] in "aeiou" else "a"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeMismatchError(
            f"{article} {what} has an integer as number, not a {type(value).__name__}"
        ) from None
    if not -(1 << 63) <= number < 1 << 63:
        raise UsageError(
            f"{number} is no number of {article} {what}", advice=f"the numbers of {what}s have 64 bits"
        )
    return number


def count_of(name: str, value: Any) -> int:
    """Independent. A number of ranks, or one of them. Raises type errors, and usage errors beyond 31 bits."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeMismatchError(f"{name} is an integer, not a {type(value).__name__}") from None
    if not 0 <= count < 1 << 31:
        raise UsageError(f"{name} cannot be {count}")
    return count


def step_number(value: Any) -> int:
    """Independent. The number of a step. Type errors for no integer, usage errors for one beyond 64 bits."""
    return number_of("step", value)


def bytes_of_budget(value: Any) -> int:
    """Independent. A number of bytes. Type errors for no integer, usage errors outside of 64 bits."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeMismatchError(f"memory_budget is a number of bytes, not a {type(value).__name__}") from None
    if not 0 <= count < 1 << 64:
        raise UsageError(f"memory_budget cannot be {count}")
    return count
