"""The files of a viewer: each is opened at its first use, and again after it was changed."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import quire
from quire.errors import MissingError, MissingFileError, UsageError
from quire.viewer import shared_columns
from quire.viewer.jobs import WatchedStep
from quire.viewer.shared_columns import SharedColumns, SharedTable

if TYPE_CHECKING:
    from quire import File
    from quire.viewer.jobs import Job

MOST_KEPT: Final = 2048
"""Results that are kept of each file."""

Found = TypeVar("Found")
State = tuple[int, int, int] | None
"""Time of the last change, size and number of a file or folder; None if there is none."""


class Kept:
    """The last results of computations, by what was asked. Threads share it."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._results: OrderedDict[Any, Any] = OrderedDict()
        self.token = object()
        """The state of the file, for results of other files that depend on it."""

    def get(self, asked: Any) -> Any:
        """Independent. Return a result, None if it is not kept."""
        with self._lock:
            if asked in self._results:
                self._results.move_to_end(asked)
            return self._results.get(asked)

    def put(self, asked: Any, result: Any) -> None:
        """Independent. Keep a result; the one that was used least recently may leave."""
        with self._lock:
            self._results[asked] = result
            self._results.move_to_end(asked)
            while len(self._results) > self._most:
                self._results.popitem(last=False)

    def found(self, asked: Any, make: Callable[[], Found]) -> Found:
        """Independent. Return the kept result, or make and keep it."""
        result: Found | None = self.get(asked)
        if result is None:
            result = make()
            self.put(asked, result)
        return result


class Source:
    """A file of the viewer. Each thread that reads it has a handle of its own, which others use after it."""

    def __init__(
        self, number: int, path: str, label: str, options: Mapping[str, Any], columns: SharedColumns
    ) -> None:
        self.number = number
        self.path = path
        self.label = label
        self._kept = Kept()
        """Results for the file as it is; none after it was changed."""
        self._options = options
        self._columns = columns
        self._lock = threading.Lock()
        self._idle: list[File] = []
        self._paths = [path]
        """What changes if the file does: a set has members, and new ones change the folder."""
        self._states: list[State] = []
        self._was_found = False

    @contextmanager
    def opened(self) -> Iterator[tuple[File, Kept]]:
        """Independent. Give the open file to this thread, and what is kept of this state of it.

        Results of this handle belong there, also if the file is replaced in the meantime. Raises the errors
        of `quire.open`.
        """
        with self._lock:
            kept = self._current()
            file = self._idle.pop() if self._idle else None
        if file is None:
            file = quire.open(self.path, **self._options)
            with self._lock:
                self._paths = paths_of(self.path, file.members)
        try:
            yield file, kept
        finally:
            with self._lock:
                if kept is self._kept:
                    self._idle.append(file)
                    file = None
            if file is not None:
                file.close()

    def watched(self, step: Any, job: Job, kept: Kept) -> Any:
        """Independent. Return a step of the file, whose columns plots share, and which ends with a job."""
        columns = self._columns
        return WatchedStep(step, job, lambda name: SharedTable(columns, (kept, step.number, name)))

    def _current(self) -> Kept:
        """Return what is kept of the file as it is now. Raises MissingFileError."""
        states = [state_of(path) for path in self._paths]
        if states != self._states:
            self._states = states
            self._forget()
        if any(states):
            self._was_found = True
        elif self._was_found:  # else it may be a pattern of names, which is no file itself
            raise MissingFileError("the file is gone: it was moved or deleted", file=self.path)
        return self._kept

    def _forget(self) -> None:
        """Close the handles that no thread uses, and forget their results."""
        self._kept = Kept()
        idle, self._idle = self._idle, []
        for file in idle:
            file.close()

    def close(self) -> None:
        """Independent. Close the file; a handle in use is closed by its thread."""
        with self._lock:
            self._forget()


def state_of(path: str) -> State:
    """Independent. Return the state of a file or folder as it is now."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def paths_of(path: str, members: Sequence[str]) -> list[str]:
    """Independent. Return the paths of the members of a set and its folder; of another file its own."""
    folder = os.path.dirname(path) or os.curdir
    return [folder, *(os.path.join(folder, name) for name in members)] if members else [path]


class Library:
    """The files of a viewer, by number. No other file is ever opened."""

    def __init__(self, paths: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
        if not paths:
            raise UsageError("there is no file to view", advice="name one or more")
        columns = SharedColumns(shared_columns.MOST_BYTES)
        self.sources = [
            Source(number, path, label, options or {}, columns)
            for number, (path, label) in enumerate(zip(paths, labels_of(paths), strict=True))
        ]

    def __len__(self) -> int:
        return len(self.sources)

    def source(self, number: Any) -> Source:
        """Independent. Return a file by its number. Raises MissingError."""
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self):
            raise MissingError(f"there is no file {number!r}: the viewer shows {len(self)}")
        return self.sources[number]

    def close(self) -> None:
        """Independent. Close all files."""
        for source in self.sources:
            source.close()


def labels_of(paths: Sequence[str]) -> list[str]:
    """Independent. Return the names of files, with as many of their folders as make them different.

    >>> from quire.viewer.library import labels_of
    >>> labels_of(["a/run.h5", "b/run.h5"]), labels_of(["a/one.h5", "b/two.h5"])
    (['a/run.h5', 'b/run.h5'], ['one.h5', 'two.h5'])
    """
    parts = [Path(path).parts or (path,) for path in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        labels = ["/".join(one[-depth:]) for one in parts]
        if len(set(labels)) == len(set(paths)):
            return labels
    return list(paths)
