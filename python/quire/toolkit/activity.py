"""What long work does at the moment, for programs that show its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

Listener = Callable[[str, int, int, str], None]
"""Gets what is done, such as "sorting", and how much of it: done, total and the noun of what is counted. A
total of 0 is not known.
"""


def ignored(what: str, done: int = 0, total: int = 0, unit: str = "rows") -> None:
    """Independent. Do nothing."""


_LISTENER: Final[ContextVar[Listener]] = ContextVar("listener", default=ignored)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Independent. Call a function with what is done in the block.

    >>> import quire
    >>> from quire.toolkit.activity import listening
    >>> seen = []
    >>> with quire.chain("beam.h5", steps="0") as chain, listening(lambda what, *count: seen.append(what)):
    ...     _ = chain.sort("z").read(["id"])
    >>> seen[0]
    'sorting'
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def listener() -> Listener:
    """Independent. Return who listens, for work of other threads, which do not have the block of this one."""
    return _LISTENER.get()


def doing(what: str, done: int = 0, total: int = 0, unit: str = "rows") -> None:
    """Independent. Report what is done now."""
    _LISTENER.get()(what, done, total, unit)
