"""Files that are open for reading: sequences of steps."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, overload

from quire import _core
from quire.errors import UNREADABLE, Error, MissingError, Placing, TypeMismatchError, UsageError
from quire.io.arguments import bytes_of_budget, number_of, step_number, text, text_or_nothing
from quire.io.attributes import Attributes, attributes_from_core
from quire.io.habits import OF_FILES, Hinting
from quire.io.lazy import found_once
from quire.io.manner import manner
from quire.io.origin import Origin
from quire.io.refusal import agreed
from quire.io.step import DeclaredStep, Step

if TYPE_CHECKING:
    from quire.io.report import CheckReport, Counters, Timing
    from quire.io.tracks import Tracks
    from quire.io.types import Array

MEMORY_BUDGET: Final = 64 << 20
"""Bytes beyond the size of the file for any size that the file declares."""

NUMBERS_AT_ONCE: Final = 1 << 16
"""Number of step numbers in memory at a time."""


class File(Hinting):
    """A file that the ranks of a communicator read. Returned by `quire.open`; closed by `with`.

    >>> with quire.open("beam.h5") as file:
    ...     len(file), file.numbers, file.attrs["code"], file[-1].number, file.step(5).number
    (5, [0, 5, 10, 15, 20], 'quire example', 20, 5)
    """

    _instead = OF_FILES

    plot: Any
    """Pictures of the file, `quire.Plots`, which the package adds."""

    def __init__(
        self,
        core: _core.Reader,
        path: str,
        comm: Any,
        core_communicator: _core.Comm,
        options: Mapping[str, str],
        is_alone: bool,
    ) -> None:
        self._core = core
        self._description = core.description
        self._options = options
        self._origin = Origin(path, self._description, options, is_alone)
        self._path = path
        self._comm = comm
        self._communicator = core_communicator
        self._is_open = True
        self._unreadable: dict[int, Error] = {}

    @property
    def path(self) -> str:
        """The path that was given."""
        return self._path

    @property
    def format(self) -> str:
        """The name of the format."""
        return self._description.format

    @property
    def options(self) -> Mapping[str, str]:
        """The options of the format's reader that were given."""
        return self._options

    @property
    def title(self) -> str:
        """The title or description text of the file; may be empty."""
        return self._description.title

    @property
    def contents(self) -> str:
        """The description of the contents in the file; may be empty."""
        return self._description.contents

    @property
    def layout(self) -> dict[str, str]:
        """Properties of the layout of the file, as text."""
        return self._description.layout

    @property
    def members(self) -> list[str]:
        """Names of all files of a set, including the first, without their directory; empty for one file."""
        return self._description.members

    @property
    def warnings(self) -> list[str]:
        """Warnings from reading the header; after the last step also why the data end."""
        return self._description.warnings

    @found_once
    def attrs(self) -> Attributes:
        """Independent. Return the attributes of the file, which are the same for all steps.

        `attrs["s"]` is a value, `attrs.info["s"]` the `Attribute` with type, unit and other texts.
        """
        return attributes_from_core("the file", self._path, self._description.attributes)

    @found_once
    def declared(self) -> DeclaredStep | None:
        """Independent. Return the declaration of all steps in the file; None if there is none.

        It has types and texts of attributes, columns and fields, but no values. A file without steps may have
        one.
        """
        core = self._core.declared()
        return None if core is None else DeclaredStep(core, self._path, self._origin)

    @property
    def attachments(self) -> dict[str, int]:
        """Independent. Return names and sizes in bytes of the attached files."""
        return self._description.attachments

    def attachment(self, name: str) -> bytes:
        """Independent. Return the bytes of an attachment. Missing errors list similar names."""
        return b"".join(self.attachment_blocks(name))

    def attachment_blocks(self, name: str, block_bytes: int = 1 << 20) -> Iterator[bytes]:
        """Independent. Yield the bytes of an attachment block by block, for large ones."""
        with Placing(self._path, text_or_nothing(name)):
            if text("the name of an attachment", name) not in self.attachments:
                # Raises MissingError.
                self._core.read_attachment(name, 0, 0)
            if number_of("byte", block_bytes) < 1:
                raise UsageError(f"block_bytes cannot be {block_bytes}")
        size = self.attachments[name]
        for first in range(0, size, block_bytes):
            yield self._core.read_attachment(name, first, min(block_bytes, size - first))

    @property
    def comm(self) -> Any:
        """The communicator that the file was opened with, or None."""
        return self._comm

    @property
    def rank(self) -> int:
        """The rank of this process in the communicator of the file."""
        return self._communicator.rank

    @property
    def size(self) -> int:
        """Number of ranks that opened the file."""
        return self._communicator.size

    def __len__(self) -> int:
        """Collective. Return the number of whole steps; may scan the file once.

        In formats that locate each step separately, such as by a name, damaged steps are counted as well.
        """
        return self._core.size()

    def __bool__(self) -> bool:
        return True

    @property
    def numbers(self) -> list[int]:
        """Collective. Return the numbers of all steps, which increase."""
        return self._core.numbers()

    def each_number(self) -> Iterator[int]:
        """Collective. Yield the numbers of all steps, where a list would need much memory."""
        first = 0
        while numbers := self._core.some_numbers(first, NUMBERS_AT_ONCE):
            yield from numbers
            first += len(numbers)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...

    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        """Collective. Return a step by its index in the file, or several; negative indices count from the
        end.
        """
        found = agreed(self._ranks(), "the step at index", lambda: self._place(index))
        if isinstance(found, slice):
            return [self._at(place, place) for place in range(*found.indices(len(self)))]
        return self._at(found if found >= 0 else found + len(self), found)

    def _ranks(self) -> _core.Comm:
        """Collective. Return the communicator of the file.

        Raises UsageError if the file is closed, AbortedError if other ranks close it.
        """
        if not self._is_open:
            raise UsageError("the file is closed", file=self._path)
        self._core.synchronize()
        return self._communicator

    def _place(self, index: Any) -> int | slice:
        """Return the checked index."""
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
                f"a step cannot be selected by a {type(index).__name__}",
                file=self._path,
                advice=f'write file[0]["{index}"], or file.step(number)["{index}"]'
                if isinstance(index, str)
                else "give its index in the file, or use File.step(number)",
            )
        return int(index.__index__())

    def _at(self, place: int, asked: int) -> Step:
        core = self._core.try_at(place) if 0 <= place < 1 << 63 else None
        if core is None:
            count = len(self)
            raise MissingError(
                f"there is no step at index {asked}: the file has {count} step{'s' * (count != 1)}",
                file=self._path,
            )
        return self.step_of(core, place)

    def step_of(self, core: _core.ReadStep, place: int) -> Step:
        """Independent. Return the step at an index, which the core has described."""
        return Step(core, self._path, self._origin, place + 1)

    def __iter__(self) -> Iterator[Step]:
        """Collective. Iterate over the steps without counting them first.

        After the whole steps, raises the error of the first damaged step, also if it is between them.
        """
        passed: dict[int, Error] = {}
        for _, step in self._walk(None, passed):
            yield step
        for problem in passed.values():
            raise problem

    def readable(self, asked: Callable[[int], bool] | None = None) -> Iterator[tuple[int, Step]]:
        """Collective. Iterate over indices and steps that can be read.

        In formats that locate each step separately, a step is skipped if it is damaged, needs too much
        memory, or if a part is missing or unknown; `unreadable` contains it if its number is in `asked`. In
        other formats the error is raised.
        """
        return self._walk(asked, self._unreadable)

    def _walk(
        self, asked: Callable[[int], bool] | None, passed: dict[int, Error]
    ) -> Iterator[tuple[int, Step]]:
        """Collective. The same; skipped steps are added to `passed`."""
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
                yield place, self.step_of(core, place)
            place += 1

    @property
    def unreadable(self) -> Mapping[int, Error]:
        """Independent. Return the damaged steps that `readable` has skipped so far, by number."""
        return self._unreadable

    def step(self, number: int) -> Step:
        """Collective. Return the step with this number. Missing errors name the nearest."""
        with Placing(self._path):
            wanted = agreed(self._ranks(), "step", lambda: step_number(number))
        return Step(self._core.step(wanted), self._path, self._origin)

    def track(
        self,
        ids: Sequence[int] | Array | None = None,
        *,
        where: str = "",
        at: int | None = None,
        columns: Sequence[str] | str | None = None,
        steps: Sequence[int] | None = None,
        table: str = "",
        key: str = "",
    ) -> Tracks:
        """Collective. Read the same particles in several steps, whatever their order in each step.

        With an index of the file (`quire.build_index`) only the blocks of rows are searched that can have the
        ids; without one the column of ids is read.

        Parameters
        ----------
        ids : of the particles, in the order of the result
        where : instead of ids: a condition that selects particles in one step
        at : the number of that step; by default the first of `steps`
        columns : names of columns; by default all but the ids
        steps : numbers of steps; by default all
        table : name of the table; by default the only or first one
        key : the column of ids; by default `id`, or the only `...ID` or `..._id`

        Raises ConflictError if several rows of a step have an id, or the unit of a column differs.
        """
        from quire.io.tracks import tracks_of

        with Placing(self._path):
            return tracks_of(self, ids, where, at, columns, steps, table, key)

    def check(self) -> CheckReport:
        """Collective. Scan the whole file, and report its whole steps and the first damage."""
        from quire.io.report import CheckReport

        return CheckReport(*self._core.check())

    def salvage(self, index: int) -> Step | None:
        """Collective. Return the complete rows of a truncated step, in formats that can identify them."""
        with Placing(self._path):
            place = agreed(self._ranks(), "the rest of the step at index", lambda: number_of("step", index))
        core = self._core.salvage(place) if place >= 0 else None
        return None if core is None else Step(core, self._path, self._origin)

    @property
    def timing(self) -> Timing:
        """Independent. Return the times of this rank so far."""
        from quire.io.report import Timing

        return Timing(*self._core.timing())

    @property
    def counters(self) -> Counters:
        """Independent. Return the counts of I/O calls of this rank so far."""
        from quire.io.report import Counters

        return Counters(*self._core.counters())

    def close(self) -> None:
        """Collective. Close the file; its steps must not be used afterwards. Closing twice does nothing."""
        self._is_open = False
        try:
            self._core.close()
        finally:
            # A closed file, or a step of it, does not keep the communicator, since MPI limits their number.
            self._communicator.let_go()

    def __enter__(self) -> File:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str | None:
        from quire.io.html import file_html

        return file_html(self) if self._is_open else None

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
    """Collective. Open a file for reading. The format is detected from the contents; rank 0 reads the header.

    Parameters
    ----------
    path : the file
    comm : a communicator of mpi4py whose ranks open the file together, or `quire.SELF`. It is required in a
        program of several ranks
    format : the name of the format, instead of detecting it
    transport : name of the transport, see `quire.io.formats.transports`
    lossy : whether values may change when they are read into arrays of another type
    deadline : seconds to wait for other ranks; None is no limit
    memory_budget : bytes beyond the size of the file for any size that the file declares
    tolerant : read the whole parts of files that are refused otherwise, if the format can identify them
    options : options of the format's reader; for all formats `unconfirmed`, to read damaged compressed data

    >>> with quire.open("beam.h5") as file:
    ...     for step in file:
    ...         mean = step["x"][:].mean()
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
    is_alone = comm is None and how.transport == "posix"
    return File(core, how.path, comm, how.communicator, how.options, is_alone)


def finish_replacement(path: str | os.PathLike[str], comm: Any = None, deadline: float | None = None) -> bool:
    """Collective. Finish or drop an interrupted replacement; returns whether there was one.

    A writer with `replacement="whole"` leaves one if it is killed. Afterwards the path is the new file, if it
    was complete, or the old one. Raises ConflictError while a writer is active. `repair` does the same first.
    `deadline` as for `open`.

    >>> quire.finish_replacement("beam.h5")  # no writer was killed
    False
    """
    how = manner(path, comm, "", "", deadline, {}, {}, lambda: None)
    return _core.finish_replacement(how.path, how.communicator)


@contextmanager
def locked(path: str | os.PathLike[str], comm: Any = None) -> Iterator[None]:
    """Collective. Lock an existing file against writers while it is changed by other means.

    An interrupted replacement is finished first, as by `finish_replacement`. Raises ConflictError while a
    writer has the file or its replacement open.
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
    """Collective. Repair a file in place; returns whether it was changed.

    Finishes an interrupted commit, and removes the remains of an incomplete step and the steps with the
    numbers in `dropped`, such as those in `CheckReport.damaged`. Raises UnsupportedError if steps cannot be
    removed in place, and ConflictError while a writer has the file open.

    >>> quire.repair("beam.h5")  # nothing was damaged
    False
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
