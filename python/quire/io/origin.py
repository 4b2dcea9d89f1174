"""What the steps of an open file know of it."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from quire import _core
from quire.errors import IndexWarning
from quire.io.arguments import path_text
from quire.io.lazy import found_once

if TYPE_CHECKING:
    from quire.io.id_map import IdMap
    from quire.io.permutation import IdPermutation
    from quire.io.sidecar import Sidecar, Zones
    from quire.io.value_list import ValueList

Result = TypeVar("Result")

SUFFIX: Final = ".qix"
"""Of the name of an index, after the name of the file."""

TICK: Final = 20_000_000
"""Nanoseconds, longer than the unit in which a kernel counts the times of files: a change has a time that is
at most this much earlier, and a second change after it another one.
"""


def working_directory() -> str:
    """Independent. Return the working directory, which relative names of files refer to; empty if it was
    removed.
    """
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def sidecar_path(path: str | os.PathLike[str]) -> str:
    """Independent. Return the name of the index of a file."""
    return path_text(path) + SUFFIX


class Origin:
    """The file of steps: its path, its description, and the index beside it, if there is one."""

    def __init__(
        self, path: str, description: _core.FileDescription, options: Mapping[str, str], is_alone: bool
    ) -> None:
        self.path = path
        self.description = description
        self.is_alone = is_alone
        """Whether any thread of this process may read values, without a communicator and MPI."""
        self._options = options
        self._folder = working_directory()
        self._opened = time.time_ns()

    def zones(self, place: tuple[int, str, str], type: str, rows: int) -> Zones | None:
        """Independent. Return the limits of blocks of a column by the index; None if it has none. `place` has
        step, table and column.

        An index that cannot be used is ignored: with one warning, if it was asked for.
        """
        found = self._indexed(lambda sidecar: sidecar.zones(place), None)
        return found if found is not None and (found.type, found.rows) == (type, rows) else None

    def lists(self, place: tuple[int, str, str], type: str, rows: int) -> Sequence[ValueList]:
        """Independent. Return the lists of a column by the index; none if it has none."""
        return self._indexed(lambda sidecar: sidecar.lists(place, type, rows), ())

    def id_map(self, place: tuple[int, str, str], type: str, rows: int) -> IdMap | IdPermutation | None:
        """Independent. Return the rows of the ids of a column by the index; None if it has none."""
        return self._indexed(lambda sidecar: sidecar.id_map(place, type, rows), None)

    def current(self) -> Sidecar | None:
        """Independent. Return the index, if there is one that belongs to the file as it is now."""
        return self._indexed(lambda sidecar: sidecar, None)

    def _indexed(self, find: Callable[[Sidecar], Result], otherwise: Result) -> Result:
        if self._sidecar is None:
            return otherwise
        from quire.io.value_list import SidecarError

        try:
            # Another program may have changed values in place since the file was opened.
            if not self._sidecar.source.is_of(os.stat(self._place)):
                self.ignore("the file was changed after it")
                return otherwise
            return find(self._sidecar)
        except (OSError, SidecarError) as problem:
            self.ignore(problem)
            return otherwise

    @found_once
    def _place(self) -> str:
        return os.path.join(self._folder, self.path)

    @found_once
    def _sidecar(self) -> Sidecar | None:
        path = self._place
        name = sidecar_path(path)
        if not os.path.exists(name):
            return None
        from quire.io.sidecar import Sidecar, Source
        from quire.io.value_list import SidecarError

        try:
            sidecar = Sidecar(name)
            # After the index: a file that has taken the place of the open one was changed later.
            status = os.stat(path)
        except (OSError, SidecarError) as problem:
            self.ignore(problem)
            return None
        if sidecar.source.options != self._options:
            return None  # the same names may be other data
        if Source.of(status, self._options) != sidecar.source or status.st_ctime_ns >= self._opened - TICK:
            self.ignore("the file was changed after it")
            return None
        return sidecar

    def ignore(self, problem: Exception | str) -> None:
        """Independent. Read without the index from then on. Warn of that once, if it was asked for."""
        from quire.io.sidecar import Sidecar, is_unasked

        known = vars(self).get("_sidecar", self)
        if known is None:
            return
        vars(self)["_sidecar"] = None
        # Another index may have the name now, or none.
        if known.is_unasked if isinstance(known, Sidecar) else is_unasked(sidecar_path(self._place)):
            return
        reason = problem.strerror if isinstance(problem, OSError) else problem
        name = sidecar_path(self.path)
        text = f"{name}: the index is not used: {reason}; quire index makes a new one"
        warnings.warn(text, IndexWarning, stacklevel=2)
