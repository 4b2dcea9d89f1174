"""The exceptions of the package. Messages contain the problem, its place, and advice."""

from __future__ import annotations

import errno
import functools
import io
import os
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

_LONGEST_NAME = 100
"""Longer names of columns, attributes and so on are shortened to this length in messages."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Error(Exception):
    """Base class of the exceptions of this package.

    Attributes
    ----------
    kind : name of the kind of error, one for each subclass
    message : the problem, without its place
    file, object : the file, and the column, attribute or step in it; empty if unknown
    offset : byte offset in the file, or None
    rank : the rank on which the error occurred, or None
    advice : what to do about it; may be empty

    >>> try:
    ...     quire.open("beam.h5")[0]["q"]
    ... except quire.Error as problem:
    ...     problem.kind, problem.object
    ('missing', 'q')
    """

    kind = "internal"

    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        object: str = "",
        offset: int | None = None,
        rank: int | None = None,
        advice: str = "",
        text: str = "",
    ) -> None:
        super().__init__(_readable(text or _sentence(message, file, object, advice, offset, rank), object))
        self.message = message
        self.file = file
        self.object = object
        self.offset = offset
        self.rank = rank
        self.advice = advice

    def place(self, file: str = "", object: str = "") -> None:
        """Independent. Set file and object of the error if they are unknown."""
        if (self.file or not file) and (self.object or not object):
            return
        self.file = self.file or file
        self.object = self.object or object
        text = _sentence(self.message, self.file, self.object, self.advice, self.offset, self.rank)
        self.args = (_readable(text, self.object),)

    def __str__(self) -> str:
        # KeyError would return the representation of its argument.
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), str(self), self.message, self.file, self.object, self.offset,
                           self.rank, self.advice))  # fmt: skip


class UsageError(Error, ValueError):
    """Wrong use of a call: arguments, order of calls, an unknown option.

    >>> try:
    ...     quire.expression("x > ")
    ... except ValueError as problem:
    ...     problem.kind
    'usage'
    """

    kind = "usage"


class IndexWarning(UserWarning):
    """An index beside a file is not used, because the file was changed after it or the index is damaged.

    >>> import os, warnings
    >>> _ = quire.build_index("beam.h5"), os.utime("beam.h5", (0, 0))
    >>> with quire.open("beam.h5") as file, warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     len(file[0].table.where("x > 0")), [one.category.__name__ for one in caught]
    (981, ['IndexWarning'])
    """


class UnitWarning(UserWarning):
    """A result has no unit, because a number was added to a quantity with a unit.

    >>> import warnings
    >>> with quire.open("beam.h5") as file, warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     quire.expression("x + 1").bind(file[0].table).unit, caught[0].category.__name__
    ('', 'UnitWarning')
    """


class MissingError(Error, KeyError, IndexError):
    """A file, step, table, column or attribute does not exist.

    >>> try:
    ...     quire.open("beam.h5")[0]["xx"]
    ... except KeyError as problem:
    ...     print(problem)
    beam.h5, "xx": step 0 has no column "xx"; the nearest: x
    """

    kind = "missing"


class MissingFileError(MissingError, FileNotFoundError):
    """The file does not exist.

    >>> try:
    ...     quire.open("bean.h5")
    ... except FileNotFoundError as problem:
    ...     problem.file
    'bean.h5'
    """

    def __init__(self, message: str, *, file: str = "", **fields: Any) -> None:
        super().__init__(message, file=file, **fields)
        self.errno, self.filename = errno.ENOENT, file


class BadFileError(Error):
    """The bytes of the file contradict its format.

    >>> try:
    ...     quire.open("notes.txt")
    ... except quire.BadFileError as problem:
    ...     problem.kind, problem.file
    ('bad file', 'notes.txt')
    """

    kind = "bad file"


class UnsupportedError(Error):
    """The format or this build does not support the request.

    >>> issubclass(quire.UnsupportedError, quire.Error)
    True
    """

    kind = "unsupported"


class UnsupportedOperationError(UnsupportedError, io.UnsupportedOperation):
    """A file-like object does not support the operation, such as writing to a stream open for reading.

    >>> import io
    >>> with quire.open("streams.dat") as file:
    ...     try:
    ...         file[0].streams[0].write(b"more")
    ...     except io.UnsupportedOperation as problem:
    ...         isinstance(problem, quire.UnsupportedOperationError)
    True
    """


class TypeMismatchError(Error, TypeError):
    """A conversion does not exist or would lose information.

    >>> try:
    ...     with quire.create("new.h5") as out, out.step(0) as step:
    ...         step.put("x", np.zeros(3, complex))
    ... except TypeError as problem:
    ...     isinstance(problem, quire.TypeMismatchError)
    True
    """

    kind = "type"


class DataError(Error, ValueError):
    """The data do not fit the computation: too few rows, no even spacing, no grid, no column of numbers.

    The same call is right for other data; a call that is wrong for all data raises UsageError.

    >>> try:
    ...     quire.new("x=1,1,2", "y=1,2,3").interp("y", versus="x", at=[1.5]).read()
    ... except quire.DataError as problem:
    ...     problem.kind
    'data'
    """

    kind = "data"


class ConflictError(Error):
    """Ranks or steps disagree, or a name or number already exists.

    >>> _ = quire.copy("beam.h5", "copy.h5")
    >>> try:
    ...     quire.copy("beam.h5", "copy.h5")
    ... except quire.ConflictError as problem:
    ...     problem.kind
    'conflict'
    """

    kind = "conflict"


class InputOutputError(Error, OSError):
    """The operating system reported an error: full disk, permission, short read.

    >>> try:
    ...     quire.create("no/such/folder/beam.h5")
    ... except quire.Error as problem:
    ...     isinstance(problem, OSError)
    True
    """

    kind = "io"


class MemoryBudgetError(Error, MemoryError):
    """The memory budget or the memory of the system is exceeded.

    >>> file = quire.open("beam.h5", memory_budget=1 << 26)  # needs above it are refused
    >>> issubclass(quire.MemoryBudgetError, MemoryError)
    True
    >>> file.close()
    """

    kind = "memory"


class AbortedError(Error):
    """A rank aborted the step, by abort() or by an exception.

    >>> with quire.create("new.h5") as out:
    ...     step = out.step(0).put("x", np.zeros(3))
    ...     step.abort("the solver diverged")
    >>> issubclass(quire.AbortedError, quire.Error)  # other ranks raise it from their commit
    True
    """

    kind = "aborted"


class DeadlineError(Error, TimeoutError):
    """A wait for other ranks exceeded the deadline.

    >>> file = quire.open("beam.h5", deadline=60.0)  # seconds to wait for other ranks, else a DeadlineError
    >>> file.close()
    """

    kind = "deadline"


class InternalError(Error):
    """An internal error of the library: please report it.

    >>> issubclass(quire.InternalError, quire.Error)
    True
    """

    kind = "internal"


UNREADABLE = (BadFileError, MissingError, UnsupportedError, InputOutputError, MemoryBudgetError)
"""Errors of a single step, which is skipped if other steps can be read."""


def in_family(error: Exception) -> Exception:
    """Independent. Convert errors of Python and of the system to exceptions of this package."""
    if isinstance(error, Error | BrokenPipeError):
        return error
    if isinstance(error, OSError):
        return _from_system(error)
    if isinstance(error, MemoryError):
        return MemoryBudgetError(str(error) or "there is not enough memory")
    if isinstance(error, TypeError):
        # The core appends its own types to the message.
        return TypeMismatchError(str(error).split(". The following argument types", maxsplit=1)[0])
    if isinstance(error, ValueError | ArithmeticError):
        return UsageError(str(error))
    return error


def _from_system(error: OSError) -> InputOutputError | MissingFileError:
    """Return the error for a failed system call, with the fields of OSError."""
    file = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    if isinstance(error, FileNotFoundError):
        return MissingFileError(error.strerror or str(error), file=file)
    converted = InputOutputError(error.strerror or str(error), file=file)
    converted.errno, converted.strerror, converted.filename = error.errno, error.strerror, error.filename
    return converted


class Placing:
    """Converts errors that leave the block to those of this package, with file and object."""

    __slots__ = ("_file", "_object")

    def __init__(self, file: str, object: object = "") -> None:
        self._file = file
        self._object = object if isinstance(object, str) else ""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception):
            return
        converted = in_family(error)
        if isinstance(converted, Error):
            converted.place(self._file, self._object)
        if converted is not error:
            raise converted from error


def placed(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Independent. Decorate a method of an object with a `_path`, which its errors name."""

    @functools.wraps(method)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with Placing(args[0]._path):  # type: ignore[attr-defined]
            try:
                return method(*args, **kwargs)
            except TypeError as error:
                _refuse_unknown(method, kwargs, error)
                raise

    return call


def _refuse_unknown(method: Callable[..., Any], given: Mapping[str, object], error: TypeError) -> None:
    """Raise TypeMismatchError for an argument that a method does not have, with those that it has."""
    import inspect

    known = inspect.signature(method).parameters
    for name in given:
        if name not in known and not any(one.kind is one.VAR_KEYWORD for one in known.values()):
            raise TypeMismatchError(
                f"{method.__name__}() has no argument '{name}'",
                advice=f"there are: {', '.join(list(known)[1:])}",
            ) from error


def errors_in_family(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Independent. Decorate a function that calls the system, to convert its errors."""

    @functools.wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with Placing(""):
            return function(*args, **kwargs)

    return call


def as_text(value: object) -> str:
    """Independent. Escape characters that UTF-8 cannot encode, for messages to other ranks."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def reason_of(error: BaseException) -> str:
    """Independent. Return the reason of an abort for the other ranks. AbortedError contains the rank."""
    if isinstance(error, Error):
        text = _sentence(error.message, error.file, error.object, error.advice, error.offset)
    else:
        text = str(error)
    return as_text(f"{type(error).__name__}: {text}")


def _sentence(
    message: str, file: str, name: str, advice: str, offset: int | None = None, rank: int | None = None
) -> str:
    """Compose the message with place and advice."""
    places = [place for place in (file, f'"{name}"' if name else "") if place]
    text = f"{', '.join(places)}: {message}" if places else message
    if offset is not None:
        text += f" (at byte {offset})"
    if rank is not None:
        text += f" [rank {rank}]"
    return f"{text}; {advice}" if advice else text


def _readable(text: str, name: str) -> str:
    """Return the message with a very long name shortened. The error keeps the whole name."""
    if len(name) <= _LONGEST_NAME:
        return text
    return text.replace(name, f"{name[:_LONGEST_NAME]}... ({len(name)} characters)")


def _rebuild(
    family: type[Error], text: str, message: str, file: str, name: str, offset: int | None,
    rank: int | None, advice: str,
) -> Error:  # fmt: skip
    return family(message, file=file, object=name, offset=offset, rank=rank, advice=advice, text=text)


_FAMILY: dict[str, type[Error]] = {
    family.kind: family
    for family in (
        UsageError, MissingError, BadFileError, UnsupportedError, TypeMismatchError, ConflictError,
        InputOutputError, MemoryBudgetError, AbortedError, DeadlineError, InternalError,
    )
}  # fmt: skip


def from_core(
    kind: str,
    text: str,
    message: str,
    file: str,
    name: str,
    offset: int | None,
    rank: int | None,
    advice: str,
) -> Error:
    """Return the exception for an error of the compiled core, which calls this."""
    family = _FAMILY.get(kind, InternalError)
    if rank == 0 and not _has_ranks():
        rank, text = None, text.replace(" [rank 0]", "", 1)
    # A missing file may exist again, created by another process.
    is_away = message.endswith(os.strerror(errno.ENOENT)) or not os.path.exists(file)
    if family is MissingError and file and not name and is_away:
        return MissingFileError(message, file=file, rank=rank, advice=advice, text=text)
    return _rebuild(family, text, message, file, name, offset, rank, advice)


def _has_ranks() -> bool:
    """Return whether there may be other ranks, so that the rank is part of the message."""
    module = sys.modules.get("mpi4py.MPI")
    return module is not None and module.Is_initialized() and module.COMM_WORLD.size > 1
