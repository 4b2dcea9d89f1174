"""Properties that are computed at their first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Result = TypeVar("Result")


class found_once(Generic[Result]):  # noqa: N801, it decorates as property does
    """A property that is computed at its first use, and kept in the object from then on.

    `functools.cached_property` of Python 3.11 holds one lock for all objects: threads that read different
    files wait for each other, and a process that is forked at that time waits for ever. Here two threads may
    compute the value at the same time; both get the same object.
    """

    def __init__(self, find: Callable[[Any], Result]) -> None:
        self._find = find
        self._name = ""
        self.__doc__ = find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> found_once[Result]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Result: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> found_once[Result] | Result:
        if instance is None:
            return self
        found: Result = vars(instance).setdefault(self._name, self._find(instance))
        return found
