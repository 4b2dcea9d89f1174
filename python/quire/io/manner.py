"""How a file is to be opened or made: checked so that a rank that is told wrongly keeps no other waiting."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quire import _core
from quire.errors import Error, TypeMismatchError, UsageError
from quire.io.communicator import milliseconds
from quire.io.formats import option_texts, truth


@dataclass(frozen=True, slots=True)
class Manner:
    """What a caller says besides the path and the communicator, as the core takes it."""

    format: str
    transport: str
    deadline: int | None
    truths: dict[str, bool]
    options: dict[str, str]


def manner(
    path: str,
    communicator: _core.Comm,
    format: object,
    transport: object,
    deadline: float | None,
    options: dict[str, Any],
    truths: dict[str, object],
    check: Callable[[], object] = lambda: None,
) -> Manner:
    """Collective where it raises. What was said, checked; `check` may raise for what else was said.

    Other ranks may be right, and on their way into the file: all of them raise what this rank raises.
    """
    limit = why = None
    try:
        limit = milliseconds(deadline)
        if not path:
            raise UsageError("the name of the file is empty")
        found = Manner(
            text("format", "" if format is None else format),
            text("transport", transport),
            limit,
            {name: truth(name, value) for name, value in truths.items()},
            option_texts(options),
        )
        check()
    except Error as error:
        why = (error.kind, error.message, error.advice)
    if why is not None:
        names = [one if isinstance(one, str) else "" for one in (format, transport)]
        _core.refuse_to_open(path, communicator, names[0], names[1], limit, *why)
    return found


def text(name: str, value: object) -> str:
    """Independent. A text. Type errors for anything else."""
    if isinstance(value, str):
        return value
    raise TypeMismatchError(f"{name} is a text, not a {type(value).__name__}")


def step_number(value: Any) -> int:
    """Independent. The number of a step. Type errors for no integer, usage errors for one beyond 64 bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeMismatchError(f"a step has an integer as number, not a {type(value).__name__}") from None
    if not -(1 << 63) <= number < 1 << 63:
        raise UsageError(f"{number} is no number of a step", advice="the numbers of steps have 64 bits")
    return number
