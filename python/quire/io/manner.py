"""How a file is to be opened or made: checked so that a rank that is told wrongly keeps no other waiting."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from quire import _core
from quire.errors import Error, Placing, TypeMismatchError, UsageError
from quire.io.communicator import core_comm, milliseconds
from quire.io.formats import option_texts, truth
from quire.io.refusal import tried

Rest = TypeVar("Rest")


@dataclass(frozen=True, slots=True)
class Manner(Generic[Rest]):
    """What a caller says about a file, as the core takes it."""

    path: str
    communicator: _core.Comm
    format: str
    transport: str
    deadline: int | None
    truths: dict[str, bool]
    options: dict[str, str]
    rest: Rest


def manner(
    path: str | os.PathLike[str],
    comm: Any,
    format: object,
    transport: object,
    deadline: float | None,
    options: dict[str, Any],
    truths: dict[str, object],
    convert: Callable[[], Rest],
) -> Manner[Rest]:
    """Collective. What was said, checked; `convert` makes the rest of what the call needs.

    Other ranks may be right, and on their way into the file: all of them raise what this rank raises.
    """
    limit, problem = limit_of(deadline)
    with Placing(text_or_nothing(path)):
        communicator = core_comm(comm, limit)

    def check() -> Manner[Rest]:
        if problem is not None:
            raise problem
        return Manner(
            path_text(path),
            communicator,
            text("format", "" if format is None else format),
            text("transport", transport),
            limit,
            {name: truth(name, value) for name, value in truths.items()},
            option_texts(options),
            convert(),
        )

    found, refusal = tried(check)
    if refusal is not None:
        names = [text_or_nothing(one) for one in (path, format, transport)]
        _core.refuse_to_open(names[0], communicator, names[1], names[2], limit, refusal)
    return cast("Manner[Rest]", found)


def path_text(path: Any) -> str:
    """Independent. The name of a file. Type errors for no path, usage errors for none at all."""
    name = text("path", os.fspath(path) if hasattr(path, "__fspath__") else path)
    if not name:
        raise UsageError("the name of the file is empty")
    return name


def limit_of(deadline: float | None) -> tuple[int | None, Error | None]:
    """Independent. A deadline as the core takes it, and what is wrong with it."""
    try:
        return milliseconds(deadline), None
    except Error as error:
        return None, error


def text_or_nothing(value: object) -> str:
    """Independent. A text or a path; empty for anything that is none."""
    try:
        return text("", os.fspath(value))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return ""


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


def step_number(value: Any) -> int:
    """Independent. The number of a step. Type errors for no integer, usage errors for one beyond 64 bits."""
    return number_of("step", value)


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


def bytes_of_budget(value: Any) -> int:
    """Independent. A number of bytes. Type errors for no integer, usage errors outside of 64 bits."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeMismatchError(f"memory_budget is a number of bytes, not a {type(value).__name__}") from None
    if not 0 <= count < 1 << 64:
        raise UsageError(f"memory_budget cannot be {count}")
    return count
