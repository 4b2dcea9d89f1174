"""Errors of one rank in collective calls.

Arguments are checked before the ranks synchronize. A rank with an error takes part with a refusal, and all
ranks raise the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from quire import _core
from quire.errors import ConflictError, DataError, Error, UsageError, as_text, in_family

Result = TypeVar("Result")


def refusal_of(error: Exception) -> _core.Refusal:
    """Independent. Return the error of this rank as a refusal, which all ranks raise."""
    known = in_family(error)
    if not isinstance(known, Error):
        known = UsageError(f"{type(error).__name__}: {error}")
    words = (known.message, known.file, known.object, known.advice)
    # The core computes nothing that data may not suffice for, and has no kind for it.
    kind = ConflictError.kind if isinstance(known, DataError) else known.kind
    return _core.Refusal(kind, *(as_text(word) for word in words))


def tried(convert: Callable[[], Result]) -> tuple[Result | None, _core.Refusal | None]:
    """Independent. Return the result of `convert`, or a refusal for all ranks."""
    try:
        return convert(), None
    except Exception as error:
        return None, refusal_of(error)


def agreed(communicator: _core.Comm, call: str, convert: Callable[[], Result], said: object = None) -> Result:
    """Collective. Return the result of `convert`, which must be the same on all ranks.

    If it raises on any rank, all ranks raise that error. Raises a conflict error if ranks differ in the
    representation of `said`, or else of the result.
    """
    if communicator.size == 1:
        try:
            return convert()
        except Exception as error:
            converted = in_family(error)
            if converted is error:
                raise
            raise converted from error
    found, refusal = tried(convert)
    _core.agree_on_call(communicator, f"{call} {found if said is None else said!r}", refusal)
    return cast("Result", found)


def requested(step: _core.ReadStep, convert: Callable[[], Result]) -> Result:
    """Collective. Return the request of this rank for a collective read, which follows.

    If `convert` raises on any rank, all ranks raise that error in place of the read.
    """
    found, refusal = tried(convert)
    if refusal is not None:
        step.refuse_read(refusal)
    return cast("Result", found)
