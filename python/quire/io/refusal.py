"""Errors of one rank in collective calls.

Arguments are checked before the ranks synchronize. A rank with an error takes part with a refusal: either
all ranks raise the error, or, if the others do not need this rank, it contributes nothing and raises the
error afterwards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from quire import _core
from quire.errors import Error, UsageError, as_text, in_family

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def refusal_of(error: Exception) -> _core.Refusal:
    """Independent. Return the error of this rank as a refusal, which all ranks raise."""
    known = in_family(error)
    if not isinstance(known, Error):
        known = UsageError(f"{type(error).__name__}: {error}")
    words = (known.message, known.file, known.object, known.advice)
    return _core.Refusal(known.kind, *(as_text(word) for word in words))


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


def taking_part(step: _core.ReadStep, reads: int, error: Exception) -> Exception:
    """Collective with a collective transport. Take part in the read of the other ranks, unless done since
    `reads`.

    Returns the error to raise.
    """
    if step.reads == reads:
        try:
            step.read_nothing()
        except Error as other:
            # This rank raises its own error.
            error.__context__ = other
    return in_family(error)


def reading(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Independent. Decorate a method that reads by `_step`, so that its errors do not block other ranks."""

    @functools.wraps(method)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        step: _core.ReadStep = args[0]._step  # type: ignore[attr-defined]
        reads = step.reads
        try:
            return method(*args, **kwargs)
        except Exception as error:
            converted = taking_part(step, reads, error)
            if converted is error:
                raise
            raise converted from error

    return call
