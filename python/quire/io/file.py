"""Files open for reading: sequences of steps."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, overload

from quire import _core
from quire.errors import UNREADABLE, Error, MissingError, Placing, TypeMismatchError, UsageError
from quire.io.arguments import bytes_of_budget, number_of, step_number, text, text_or_nothing
from quire.io.attributes import Attribute, attributes_from_core
from quire.io.lazy import found_once
from quire.io.manner import manner
from quire.io.refusal import agreed
from quire.io.report import CheckReport, Counters, Timing
from quire.io.step import DeclaredStep, Step

MEMORY_BUDGET: Final = 64 << 20
"""Bytes beyond the file's size for anything that the file announces."""

NUMBERS_AT_ONCE: Final = 1 << 16
"""How many numbers of steps are held at a time."""


class File:
    """A file that is being read by the ranks of a communicator. Made by `quire.open`; closed by `with`."""

    def __init__(self, core: _core.Reader, path: str, comm: Any, core_communicator: _core.Comm) -> None:
        self._core = core
        self._description = core.description
        self._path = path
        self._comm = comm
        self._communicator = core_communicator
        self._is_open = True
        self._unreadable: dict[int, Error] = {}

    @property
    def path(self) -> str:
        """The path as given."""
        return self._path

    @property
    def format(self) -> str:
        """The name of the format."""
        return self._description.format

    @property
    def title(self) -> str:
        """The title or description text of the file; may be empty."""
        return self._description.title

    @property
    def contents(self) -> str:
        """What the file says about its contents; may be empty."""
        return self._description.contents

    @property
    def layout(self) -> dict[str, str]:
        """Facts about how the file is laid out, for people."""
        return self._description.layout

    @property
    def members(self) -> list[str]:
        """Names of all files of a set, the first included, without their directory; empty for one file."""
        return self._description.members

    @property
    def warnings(self) -> list[str]:
        """Tolerances that were used while the header was read; behind the last step, why the data end."""
        return self._description.warnings

    @found_once
    def attributes(self) -> Mapping[str, Attribute]:
        """Independent. Attributes of the file, the same at every step."""
        return attributes_from_core("the file", self._path, self._description.attributes)

    @found_once
    def declared(self) -> DeclaredStep | None:
        """Independent. What the file says of all its steps, apart from them; None where it says nothing.

        A file without steps has it, too: types and texts of attributes, columns and fields, no values.
        """
        core = self._core.declared()
        return None if core is None else DeclaredStep(core, self._path, self._description)

    @property
    def attachments(self) -> dict[str, int]:
        """Independent. The files that are kept inside this one: names and numbers of bytes."""
        return self._description.attachments

    def attachment(self, name: str) -> bytes:
        """Independent. The bytes of an attachment. Missing errors name the nearest ones."""
        return b"".join(self.attachment_blocks(name))

    def attachment_blocks(self, name: str, block_bytes: int = 1 << 20) -> Iterator[bytes]:
        """Independent. The bytes of an attachment piece by piece, for large ones."""
        with Placing(self._path, text_or_nothing(name)):
            if text("the name of an attachment", name) not in self.attachments:
                # Raises the error.
                self._core.read_attachment(name, 0, 0)
            if number_of("byte", block_bytes) < 1:
                raise UsageError(f"{block_bytes} bytes are no block")
        size = self.attachments[name]
        for first in range(0, size, block_bytes):
            yield self._core.read_attachment(name, first, min(block_bytes, size - first))

    @property
    def comm(self) -> Any:
        """The communicator that the file was opened with, or None."""
        return self._comm

    @property
    def rank(self) -> int:
        """This process among those that opened the file."""
        return self._communicator.rank

    @property
    def size(self) -> int:
        """How many processes opened the file."""
        return self._communicator.size

    @property
    def reads_together(self) -> bool:
        """Whether reading values is collective: by the transport, or where another library reads so."""
        return self._core.reads_together

    def __len__(self) -> int:
        """Collective. How many whole steps; may look through the file once.

        Where a format finds each step by itself, such as by a name, those that cannot be read count, too.
        """
        return self._core.size()

    def __bool__(self) -> bool:
        return True

    @property
    def numbers(self) -> list[int]:
        """Collective. The numbers of all steps, which rise."""
        return self._core.numbers()

    def each_number(self) -> Iterator[int]:
        """Collective. The numbers of all steps one after another, where a list of them takes much memory."""
        first = 0
        while numbers := self._core.some_numbers(first, NUMBERS_AT_ONCE):
            yield from numbers
            first += len(numbers)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...

    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        """Collective. A step by its place in the file, or several; negative places count from the end."""
        found = agreed(self._ranks(), "the step at place", lambda: self._place(index))
        if isinstance(found, slice):
            return [self._at(place, place) for place in range(*found.indices(len(self)))]
        return self._at(found if found >= 0 else found + len(self), found)

    def _ranks(self) -> _core.Comm:
        """Collective where ranks read together. Those that read the file, none of which closes it meanwhile.

        Raises UsageError once it is closed, AbortedError if others close it.
        """
        if not self._is_open:
            raise UsageError("the file is closed", file=self._path)
        self._core.synchronize()
        return self._communicator

    def _place(self, index: Any) -> int | slice:
        """What is in the brackets, checked."""
        if isinstance(index, slice):
            if index.step is not None and operator.index(index.step) == 0:
                raise UsageError("the step of a slice cannot be zero", file=self._path)
            parts = (
                None if part is None else operator.index(part)
                for part in (index.start, index.stop, index.step)
            )
            return slice(*parts)
        if not hasattr(index, "__index__"):
            raise TypeMismatchError(
                f"a step is not found by a {type(index).__name__}",
                file=self._path,
                advice="give its place in the file, or use File.step(number)",
            )
        return int(index.__index__())

    def _at(self, place: int, asked: int) -> Step:
        core = self._core.try_at(place) if 0 <= place < 1 << 63 else None
        if core is None:
            count = len(self)
            raise MissingError(
                f"there is no step at place {asked}: the file has {count} step{'s' * (count != 1)}",
                file=self._path,
            )
        return Step(core, self._path, self._description)

    def __iter__(self) -> Iterator[Step]:
        """Collective. Walk through the steps without counting them first.

        Raises what is wrong with the first damaged step behind the whole ones, be it between them.
        """
        passed: dict[int, Error] = {}
        for _, step in self._walk(None, passed):
            yield step
        for problem in passed.values():
            raise problem

    def readable(self, asked: Callable[[int], bool] | None = None) -> Iterator[tuple[int, Step]]:
        """Collective. Places and steps, like a walk through the file, of those that can be read.

        Where a format finds each step by itself, one that is damaged or takes too much memory, or of which
        something is missing or unknown, hides none behind it: it is passed over, and `unreadable` has it if
        its number is `asked` for. Elsewhere damage is raised.
        """
        return self._walk(asked, self._unreadable)

    def _walk(
        self, asked: Callable[[int], bool] | None, passed: dict[int, Error]
    ) -> Iterator[tuple[int, Step]]:
        """Collective. The same; what is passed over goes to `passed`."""
        place = 0
        while True:
            try:
                core = self._core.try_at(place)
            except UNREADABLE as problem:
                numbers = self._core.some_numbers(place, 1) if self._core.finds_steps_alone else []
                if not numbers:
                    raise
                if asked is None or asked(numbers[0]):
                    passed[numbers[0]] = problem
            else:
                if core is None:
                    return
                yield place, Step(core, self._path, self._description)
            place += 1

    @property
    def unreadable(self) -> Mapping[int, Error]:
        """Independent. By number, the damaged steps that `readable` has passed over so far."""
        return self._unreadable

    def step(self, number: int) -> Step:
        """Collective. The step with this number; missing errors name the nearest."""
        with Placing(self._path):
            wanted = agreed(self._ranks(), "step", lambda: step_number(number))
        return Step(self._core.step(wanted), self._path, self._description)

    def check(self) -> CheckReport:
        """Collective. Look through the whole file: what is whole, and what is the first damage."""
        return CheckReport(*self._core.check())

    def salvage(self, index: int) -> Step | None:
        """Collective. The complete rows of a step that is cut, where the format can tell."""
        with Placing(self._path):
            place = agreed(self._ranks(), "the rest of the step at place", lambda: number_of("step", index))
        core = self._core.salvage(place) if place >= 0 else None
        return None if core is None else Step(core, self._path, self._description)

    @property
    def timing(self) -> Timing:
        """Independent. Where the time went so far on this rank."""
        return Timing(*self._core.timing())

    @property
    def counters(self) -> Counters:
        """Independent. What went to the operating system so far on this rank."""
        return Counters(*self._core.counters())

    def close(self) -> None:
        """Collective. Close the file; its steps must not be used afterwards. Closing twice does nothing."""
        self._is_open = False
        try:
            self._core.close()
        finally:
            # Who keeps this, or a step of it, keeps no communicator: an MPI has not many.
            self._communicator.let_go()

    def __enter__(self) -> File:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        ranks = f", rank {self.rank} of {self.size}" if self.size > 1 else ""
        title = f", {self.title!r}" if self.title else ""
        state = "" if self._is_open else ", closed"
        return f"<File {self._path!r}: {self.format}{title}{ranks}{state}>"


def open(
    path: str | os.PathLike[str],
    comm: Any = None,
    format: str | None = None,
    transport: str = "posix",
    lossy: bool = False,
    deadline: float | None = None,
    memory_budget: int = MEMORY_BUDGET,
    tolerant: bool = False,
    **options: Any,
) -> File:
    """Collective. Open a file for reading; the format is recognised by content, one rank reads the header.

    Parameters
    ----------
    path : the file
    comm : a communicator of mpi4py whose ranks open the file together; None is this process alone
    format : the name of the format, if it should not be recognised
    transport : how bytes are moved, see `quire.io.formats.transports`
    lossy : whether values may change when they are read into arrays of another type
    deadline : seconds that a wait for other ranks may take; None is for ever
    memory_budget : bytes beyond the file's size that anything announced by the file may take
    tolerant : read what is whole of files that are refused otherwise, where the format can tell
    options : of the format's reader; for every format `unconfirmed`, to read damaged compressed data
    """
    truths: dict[str, object] = {"lossy": lossy, "tolerant": tolerant}
    how = manner(
        path, comm, format, transport, deadline, options, truths, lambda: bytes_of_budget(memory_budget)
    )
    core = _core.open(
        how.path,
        how.communicator,
        how.format,
        how.transport,
        how.truths["lossy"],
        how.truths["tolerant"],
        how.deadline,
        how.rest,
        how.options,
    )
    return File(core, how.path, comm, how.communicator)


def finish_replacement(path: str | os.PathLike[str], comm: Any = None, deadline: float | None = None) -> bool:
    """Collective. Finish, or drop, what a writer with `replacement="whole"` left; tells whether it left any.

    Afterwards the file is the new one, if that was complete, or the old one. Raises ConflictError while a
    writer is still at work. `repair` does the same first. `deadline` as for `open`.
    """
    how = manner(path, comm, "", "", deadline, {}, {}, lambda: None)
    return _core.finish_replacement(how.path, how.communicator)


@contextmanager
def locked(path: str | os.PathLike[str], comm: Any = None) -> Iterator[None]:
    """Collective. Keep writers from what is at a path, if anything is, while it is changed by other means.

    An interrupted replacement is finished first, as `finish_replacement` does. Raises ConflictError while a
    writer has the file open, or one that is to take its place.
    """
    how = manner(path, comm, "", "", None, {}, {}, lambda: None)
    lock = _core.lock_file(how.path, how.communicator)
    try:
        yield
    finally:
        lock.release()


def repair(
    path: str | os.PathLike[str],
    comm: Any = None,
    format: str | None = None,
    transport: str = "posix",
    memory_budget: int = MEMORY_BUDGET,
    deadline: float | None = None,
    dropped: Sequence[int] = (),
    **options: Any,
) -> bool:
    """Collective. Make a file whole again in place; returns whether anything had to be done.

    Finishes a publication that was interrupted, and drops what an unfinished step left behind, and the steps
    with the numbers in `dropped`, such as those that `CheckReport.damaged` has. Raises UnsupportedError where
    steps cannot be dropped in place, and ConflictError while a writer has the file open.
    """
    how = manner(
        path,
        comm,
        format,
        transport,
        deadline,
        options,
        {},
        lambda: (bytes_of_budget(memory_budget), [step_number(number) for number in dropped]),
    )
    budget, numbers = how.rest
    return _core.repair(
        how.path, how.communicator, how.format, how.transport, how.deadline, budget, how.options, numbers
    )
