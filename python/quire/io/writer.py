"""Files that are being written, new or appended to."""

from __future__ import annotations

import contextlib
import os
import warnings
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal

from quire import _core
from quire.errors import Error, Placing, TypeMismatchError, UsageError, as_text
from quire.io.arguments import step_number, text, text_or_nothing
from quire.io.attributes import WrittenAttributes
from quire.io.formats import truth
from quire.io.habits import OF_WRITERS, Hinting
from quire.io.manner import manner
from quire.io.quantity import Declared, declared_quantities
from quire.io.refusal import tried
from quire.io.texts import Texts, core_attribute
from quire.io.write_step import WriteStep

if TYPE_CHECKING:
    from quire.io.report import Counters, Timing

_ATTACHMENT: Final = "the name of an attachment"


class Writer(Hinting):
    """A file that the ranks of a communicator write step by step. Closed by `with`.

    >>> with quire.create("run.h5") as out:
    ...     out.attrs["code"] = "tracker"
    ...     for number in range(3):
    ...         with out.step(number) as step:
    ...             _ = step.put("x", np.full(4, float(number)), unit="m")
    >>> with quire.open("run.h5") as file:
    ...     file.numbers, file.attrs["code"]
    ([0, 1, 2], 'tracker')
    """

    _instead = OF_WRITERS

    def __init__(
        self, core: _core.Writer, path: str, comm: Any, core_communicator: _core.Comm, lossy: bool
    ) -> None:
        self._core = core
        self._path = path
        self._comm = comm
        self._communicator = core_communicator
        self._lossy = lossy
        self._title = self._contents = ""
        self._step: WriteStep | None = None
        self._is_open = True
        self._reminder = weakref.finalize(
            self, _warn_of_missing, core, path, core_communicator.rank, os.getpid()
        )

    @property
    def path(self) -> str:
        """The path that was given."""
        return self._path

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
        """Number of ranks that write the file."""
        return self._communicator.size

    def set(
        self,
        name: str,
        value: Any,
        unit: str | Texts | None = None,
        type: str | None = None,
    ) -> Writer:
        """Independent. Set an attribute of the file before the first commit; values as in `WriteStep.set`.

        In formats that can add attributes later, and in files opened by `append`, it is written with the next
        commit, or at close. Raises ConflictError if the existing file has the attribute, unless it may be
        replaced (`existing="overwrite"`), and UnsupportedError if attributes cannot be added.
        """
        with Placing(self._path, name):
            text("the name of an attribute", name)
            self._core.set(_core.attribute(*core_attribute(name, value, unit, type, self._lossy)))
        return self

    @property
    def attrs(self) -> WrittenAttributes:
        """Independent. Return the attributes of the file: `attrs[name] = value` calls `set`."""
        return WrittenAttributes(self.set)

    @property
    def title(self) -> str:
        """The title of the file, to be set before the first step. Empty if it was not set here."""
        return self._title

    @title.setter
    def title(self, title: str) -> None:
        with Placing(self._path):
            self._core.describe(text("title", title), self._contents)
        self._title = title

    @property
    def contents(self) -> str:
        """The description of the contents, to be set before the first step. Empty if it was not set here."""
        return self._contents

    @contents.setter
    def contents(self, contents: str) -> None:
        with Placing(self._path):
            self._core.describe(self._title, text("contents", contents))
        self._contents = contents

    def declare(
        self,
        columns: Declared = (),
        attributes: Declared = (),
        fields: Declared = (),
        tables: Mapping[str, Declared] | None = None,
    ) -> Writer:
        """Independent. Declare the contents of all steps, before the first step and equally on all ranks.

        A file without steps stores these declarations, and all steps must agree with them. Raises
        UnsupportedError if the format cannot store declarations without steps.

        Parameters
        ----------
        columns : columns of the table: type names by name, as {"x": "float64"}, or columns of another file,
        including their texts
        attributes : the same; those of another file keep their dimensions, others are single values
        fields : the same; those of another file keep their dimensions, others have one
        tables : columns of several tables by their names, instead of `columns`
        """
        with Placing(self._path):
            named = {"": columns} if tables is None else dict(tables)
            described = _core.StepDescription.declaration(
                declared_quantities(attributes),
                [(text("table", name), declared_quantities(of_table)) for name, of_table in named.items()],
                declared_quantities(fields),
            )
            self._core.declare(described)
        return self

    def attach(self, name: str, content: bytes | None = None, replace: bool = False) -> Writer:
        """Collective. Attach a file under a name that must be new, unless `replace`.

        The bytes of rank 0 are stored; other ranks may leave them out. They are written with the next commit,
        or at close. Raises unsupported errors if the format has no attachments.
        """
        with Placing(self._path, text_or_nothing(name)):
            given, refusal = tried(lambda: _attachment(name, content, replace))
            self._core.attach(*(given or ("", b"", False)), refusal)
        return self

    def detach(self, name: str) -> Writer:
        """Collective. Remove an attachment with the next commit or at close. Raises missing errors."""
        with Placing(self._path, text_or_nothing(name)):
            given, refusal = tried(lambda: text(_ATTACHMENT, name))
            self._core.detach(given or "", refusal)
        return self

    def step(self, number: int, overlap: bool = False) -> WriteStep:
        """Independent. Begin a step with this number. Only one step can be open at a time.

        Collective for a series, whose next file is created. With `overlap` the end of a `with` block calls
        `WriteStep.commit_async` instead of `commit`.
        """
        if self._step is not None:
            raise UsageError(
                f"step {self._step.number} is still open", file=self._path, advice="commit it first"
            )
        with Placing(self._path):
            number = step_number(number)
            overlap = truth("overlap", overlap)
        core = self._core.step(number)
        step = WriteStep(core, number, self._lossy, self._core, self._path, self._forget, overlap)
        self._step = step
        return step

    def _forget(self, step: WriteStep) -> None:
        if self._step is step:
            self._step = None

    @property
    def overlaps(self) -> bool:
        """Independent. Whether `WriteStep.commit_async` writes in the background.

        True with the transport posix, except for an open step in parts, streams and files of several members.
        """
        return self._core.overlaps()

    def wait(self) -> None:
        """Collective if a step is in flight. Wait until all ranks have written it, and publish it.

        All ranks raise the same error if it failed on any of them; then the step is not in the file. Without
        a step in flight nothing happens.

        >>> with quire.create("new.h5") as out:
        ...     with out.step(0, overlap=True) as step:
        ...         _ = step.put("x", np.zeros(1000), unit="m")
        ...     out.wait()
        """
        self._core.wait()

    def test(self) -> bool:
        """Collective if a step is in flight. Publish it if all ranks have written it, without waiting.

        Returns whether no step is in flight afterwards, the same on all ranks. Raises what `wait` raises.

        >>> with quire.create("new.h5") as out:
        ...     with out.step(0, overlap=True) as step:
        ...         _ = step.put("x", np.zeros(1000), unit="m")
        ...     while not out.test():
        ...         pass  # compute
        """
        return self._core.test()

    def _end(self) -> None:
        self._is_open = False
        self._reminder.detach()

    def close(self) -> None:
        """Collective. Complete and close the file. Errors are the same on all ranks. Closing twice does
        nothing.

        Raises AbortedError if `replacement="whole"` and another rank aborted the file, whose steps are
        dropped.
        """
        if not self._is_open:
            return
        self._end()
        forgotten = self._step
        try:
            if forgotten is not None:
                forgotten.abort("the file was closed before the step was committed")
            self._core.close()
        finally:
            self._communicator.let_go()
        if forgotten is not None:
            raise UsageError(
                f"step {forgotten.number} was left without commit and is not in the file", file=self._path
            )

    def abort(self, reason: str) -> None:
        """Collective. Close the file on a rank that failed; committed steps are kept.

        With `replacement="whole"` they are dropped and the old file is kept. Then ranks in `close` raise an
        AbortedError with the reason and this rank, as ranks in a commit always do.
        """
        if not self._is_open:
            return
        self._end()
        try:
            if self._step is not None:
                self._step.abort(reason)
            self._core.abort(as_text(reason))
        finally:
            self._communicator.let_go()

    @property
    def remarks(self) -> list[str]:
        """Independent. Return messages on rank 0 about requests that could not be satisfied.

        From the first step on they include texts and attributes of the file that the format stores in another
        way, and the number of a single step if it is not stored.
        """
        return self._core.remarks()

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

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        self._give_up(error)

    def _give_up(self, error: BaseException) -> None:
        """Collective. Close the file on a rank that raises an error; that error is not replaced."""
        with contextlib.suppress(Error):
            self.abort(str(error) or type(error).__name__)

    def __repr__(self) -> str:
        ranks = f", rank {self.rank} of {self.size}" if self.size > 1 else ""
        return f"<Writer {self._path!r}{ranks}, {'open' if self._is_open else 'closed'}>"


def _warn_of_missing(core: _core.Writer, path: str, rank: int, process: int) -> None:
    """Independent. Warn of a writer that was not closed, if its file was not moved to its path.

    A forked process does not warn of writers of its parent.
    """
    if rank == 0 and process == os.getpid() and core.appears_at_close():
        warnings.warn(
            f"{path}: its writer was never closed, so the new file is missing: call close(), or use `with`",
            RuntimeWarning,  # ResourceWarning is not shown by default
            stacklevel=2,
        )


def create(
    path: str | os.PathLike[str],
    comm: Any = None,
    format: str | None = None,
    transport: str = "posix",
    durable: bool = False,
    lossy: bool = False,
    deadline: float | None = None,
    **options: Any,
) -> Writer:
    """Collective. Create a file. An existing one is emptied at once, unless the complete new one replaces it.

    `quire.append` adds steps to an existing file. To keep it, choose another name if `os.path.exists(path)`;
    with `replacement="whole"` it stays until the new file is complete.

    Title, contents and attributes are set afterwards: `out.title = ...`, `out.attrs["code"] = ...`.

    Parameters
    ----------
    path : the file, or a pattern of names such as run_%06T.h5 for a series with a file for each step; the
        files of other steps stay
    comm : a communicator of mpi4py whose ranks write the file together, or `quire.SELF`. It is required in a
        program of several ranks
    format : name of the format. Default: by the suffix of the path
    transport : name of the transport, see `quire.io.formats.transports`
    durable : whether a commit flushes the step to the device, to survive a power failure
    lossy : whether conversions may change values
    deadline : seconds to wait for other ranks; None is no limit
    options : options of the format's writer. For all formats: `compression` ("gzip", "xz", "none"; default:
        by the suffix .gz, .xz or .lzma of the path) and `compression_level`; the file then appears when it
        is closed. `replacement="whole"` keeps an existing file until the new one is complete and durable,
        also if this one is left by an exception; it is the default in formats of one step, where "direct"
        disables it. A RuntimeWarning is issued if the writer of such a file was never closed

    >>> with quire.create("new.h5", compression="gzip") as out, out.step(0) as step:
    ...     _ = step.put("x", np.zeros(1000), unit="m")
    """
    truths: dict[str, object] = {"durable": durable, "lossy": lossy}

    how = manner(path, comm, format, transport, deadline, options, truths, lambda: None)
    with Placing(how.path):
        core = _core.create(
            how.path,
            how.communicator,
            how.format,
            how.transport,
            how.truths["durable"],
            how.truths["lossy"],
            how.deadline,
            how.options,
        )
    return Writer(core, how.path, comm, how.communicator, how.truths["lossy"])


def _attachment(name: object, content: object, replace: object) -> tuple[str, bytes, bool]:
    """Return the checked argument of `Writer.attach`."""
    given = b"" if content is None else content
    if not isinstance(given, bytes):
        raise TypeMismatchError(f"an attachment must be bytes, not a {type(given).__name__}")
    return text(_ATTACHMENT, name), given, truth("replace", replace)


@dataclass(frozen=True, slots=True)
class After:
    """The number of the step that an appended step follows, and what becomes of later steps.

    `later` is "refuse", to raise an error if there are any, or "drop", to remove them.

    >>> with quire.append("beam.h5", after=quire.After(10, later="drop")) as out, out.step(11) as step:
    ...     _ = step.put("x", np.zeros(3), unit="m")
    >>> with quire.open("beam.h5") as file:
    ...     file.numbers
    [0, 5, 10, 11]
    """

    number: int
    later: Literal["refuse", "drop"] = "refuse"


def append(
    path: str | os.PathLike[str],
    comm: Any = None,
    after: int | After | None = None,
    format: str | None = None,
    transport: str = "posix",
    durable: bool = False,
    lossy: bool = False,
    deadline: float | None = None,
    **options: Any,
) -> Writer:
    """Collective. Open an existing file to write further steps.

    They follow step number `after`, by default the last one. Later steps are an error, or removed with
    `after=quire.After(number, later="drop")`. Other arguments are as in `create`.

    >>> with quire.append("beam.h5") as out, out.step(25) as step:
    ...     _ = step.put("x", np.zeros(3), unit="m")
    """

    def convert() -> tuple[int | None, bool]:
        place = after if isinstance(after, After) or after is None else After(after)
        if place is None:
            return None, False
        if place.later not in ("refuse", "drop"):
            raise UsageError(f"later cannot be {place.later!r}", advice='give "refuse" or "drop"')
        return step_number(place.number), place.later == "drop"

    truths: dict[str, object] = {"durable": durable, "lossy": lossy}
    how = manner(path, comm, format, transport, deadline, options, truths, convert)
    with Placing(how.path):
        core = _core.append(
            how.path,
            how.communicator,
            *how.rest,
            how.format,
            how.transport,
            how.truths["durable"],
            how.truths["lossy"],
            how.deadline,
            how.options,
        )
    return Writer(core, how.path, comm, how.communicator, how.truths["lossy"])
