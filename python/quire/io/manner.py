"""The arguments for opening or creating a file, checked collectively, so that errors do not block other
ranks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from quire import _core
from quire.errors import Error, Placing
from quire.io.arguments import path_text, text, text_or_nothing
from quire.io.communicator import core_comm, milliseconds
from quire.io.formats import option_texts, truth
from quire.io.habits import refuse_habits
from quire.io.refusal import tried

Rest = TypeVar("Rest")


@dataclass(frozen=True, slots=True)
class Manner(Generic[Rest]):
    """The arguments of a caller about a file, for the core."""

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
    """Collective. Return the checked arguments; `convert` returns further arguments of the call.

    If this fails on any rank, all ranks raise the error, since they may already open the file.
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
            checked_options(options),
            convert(),
        )

    found, refusal = tried(check)
    if refusal is not None:
        names = [text_or_nothing(one) for one in (path, format, transport)]
        _core.refuse_to_open(names[0], communicator, names[1], names[2], limit, refusal)
    return cast("Manner[Rest]", found)


def checked_options(options: dict[str, Any]) -> dict[str, str]:
    """Independent. Return options for the core. Raises UsageError for those of other libraries."""
    refuse_habits(options)
    return option_texts(options)


def limit_of(deadline: float | None) -> tuple[int | None, Error | None]:
    """Independent. Return a deadline for the core, and its error if any."""
    try:
        return milliseconds(deadline), None
    except Error as error:
        return None, error
