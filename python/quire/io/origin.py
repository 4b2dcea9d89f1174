"""What the steps of an open file know of it."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from quire import _core
from quire.errors import IndexWarning
from quire.io.lazy import found_once

if TYPE_CHECKING:
    from quire.io.sidecar import Sidecar, Zones

SUFFIX: Final = ".qix"
"""Of the name of an index, after the name of the file."""


def sidecar_path(path: str | os.PathLike[str]) -> str:
    """Independent. Return the name of the index of a file."""
    return os.fspath(path) + SUFFIX


class Origin:
    """The file of steps: its path, its description, and the index beside it, if there is one."""

    def __init__(self, path: str, description: _core.FileDescription, options: Mapping[str, str]) -> None:
        self.path = path
        self.description = description
        self._options = options
        self._opened = time.time_ns()

    def zones(self, place: tuple[int, str, str], type: str, rows: int) -> Zones | None:
        """Independent. Return the limits of blocks of a column by the index; None if it has none. `place` has
        step, table and column.

        An index that cannot be used is ignored, with one warning.
        """
        if self._sidecar is None:
            return None
        from quire.io.sidecar import SidecarError

        try:
            found = self._sidecar.zones(place)
        except (OSError, SidecarError) as problem:
            self._ignore(str(problem))
            return None
        return found if found is not None and (found.type, found.rows) == (type, rows) else None

    @found_once
    def _sidecar(self) -> Sidecar | None:
        name = sidecar_path(self.path)
        if not os.path.exists(name):
            return None
        from quire.io.sidecar import Sidecar, SidecarError, Source

        try:
            sidecar = Sidecar(name)
            # After the index: a file that has taken the place of the open one was changed later.
            status = os.stat(self.path)
        except (OSError, SidecarError) as problem:
            self._ignore(str(problem))
            return None
        if sidecar.source.options != self._options:
            return None  # the same names may be other data
        if Source.of(status, self._options) != sidecar.source or status.st_ctime_ns >= self._opened:
            self._ignore("the file was changed after it")
            return None
        return sidecar

    def _ignore(self, reason: str) -> None:
        """Warn once, and read without the index from then on."""
        vars(self)["_sidecar"] = None
        name = sidecar_path(self.path)
        text = f"{name}: the index is not used: {reason}; quire index makes a new one"
        warnings.warn(text, IndexWarning, stacklevel=2)
