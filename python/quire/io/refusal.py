"""Calls that all ranks make together, and a rank that cannot make one.

What can be wrong with a call is found before ranks meet, and takes part as a refusal: either all ranks raise
it, or, where the others need nothing of this rank, it brings nothing, lets them go on and raises afterwards.
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
    """Independent. Why this rank cannot make a call, as all ranks raise it."""
    known = in_family(error)
    if not isinstance(known, Error):
        known = UsageError(f"{type(error).__name__}: {error}")
    words = (known.message, known.file, known.object, known.advice)
    return _core.Refusal(known.kind, *(as_text(word) for word in words))


def tried(convert: Callable[[], Result]) -> tuple[Result | None, _core.Refusal | None]:
    """Independent. What `convert` makes of arguments, or what the core shall tell all ranks."""
    try:
        return convert(), None
    except Exception as error:
        return None, refusal_of(error)


def agreed(communicator: _core.Comm, call: str, convert: Callable[[], Result], said: object = None) -> Result:
    """Collective. What `convert` makes of the arguments of a call, the same on every rank.

    If it raises on any rank, all ranks raise that; a conflict error if ranks ask for different things, by the
    representation of what was `said`, or else of the result.
    """
    if communicator.size == 1:
        try:
            return convert()
        except Exception as error:
            told = in_family(error)
            if told is error:
                raise
            raise told from error
    found, refusal = tried(convert)
    _core.agree_on_call(communicator, f"{call} {found if said is None else said!r}", refusal)
    return cast("Result", found)


def taking_part(step: _core.ReadStep, reads: int, error: Exception) -> Exception:
    """Collective with a collective transport. Let the others read, unless they were met since `reads`.

    Returns the error to raise.
    """
    if step.reads == reads:
        try:
            step.read_nothing()
        except Error as other:
            # This rank has an error of its own to tell.
            error.__context__ = other
    return in_family(error)


def reading(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Independent. Decorate a method that reads by `_step`: what is wrong with it keeps no other waiting."""

    @functools.wraps(method)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        step: _core.ReadStep = args[0]._step  # type: ignore[attr-defined]
        reads = step.reads
        try:
            return method(*args, **kwargs)
        except Exception as error:
            told = taking_part(step, reads, error)
            if told is error:
                raise
            raise told from error

    return call
