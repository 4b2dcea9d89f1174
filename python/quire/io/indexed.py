"""What the index of a file has of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quire.errors import Placing

if TYPE_CHECKING:
    from quire import _core
    from quire.io.id_map import IdMap
    from quire.io.origin import Origin
    from quire.io.permutation import IdPermutation
    from quire.io.sidecar import Zones
    from quire.io.table import Column
    from quire.io.types import Array
    from quire.io.value_list import ValueList


class Indexed:
    """A table of a file that may have an index."""

    _step: _core.ReadStep
    _core: _core.Table
    _origin: Origin | None
    _path: str

    @abstractmethod
    def __getitem__(self, name: str) -> Column:
        """Independent. Return a column."""

    @abstractmethod
    def __contains__(self, name: object) -> bool:
        """Independent. Return whether there is such a column."""

    def rows_of(self, ids: Sequence[int] | Array, key: str = "") -> Array:
        """Independent. Return the row of each of some ids, -1 for an id that no row has.

        With an index of the ids (`quire.build_index(path, ids="id")`) only the places of these ids are read;
        with limits of blocks the blocks that can have them, else the whole column.

        Parameters
        ----------
        ids : different integers
        key : the column of ids; by default `id`, or the only `...ID` or `..._id`

        Raises ConflictError if several rows have an id.

        >>> with quire.open("beam.h5") as file:
        ...     file[0].table.rows_of([17, 3, 5000]).tolist()
        [17, 3, -1]
        """
        from quire.io.tracks import checked_ids, find_rows, key_of

        with Placing(self._path):
            return find_rows(self, key_of(self, key), checked_ids(ids))

    def current_index(self) -> object:
        """Independent. Return the index of the file, None if there is none that belongs to the file now."""
        return None if self._origin is None else self._origin.current()

    def indexed(self, column: str) -> Zones | None:
        """Independent. Return the limits of a column in blocks of rows by the index of the file, if any."""
        if self._origin is None:
            return None
        return self._origin.zones(*self._stored(column))

    def lists(self, column: str) -> Sequence[ValueList]:
        """Independent. Return the lists of the rows by the values of a column, of the index of the file."""
        if self._origin is None or column not in self:
            return ()
        return self._origin.lists(*self._stored(column))

    def id_map(self, column: str) -> IdMap | IdPermutation | None:
        """Independent. Return the rows of the ids of a column, of the index of the file, if any."""
        if self._origin is None or column not in self:
            return None
        return self._origin.id_map(*self._stored(column))

    def distrust_index(self, problem: Exception) -> None:
        """Independent. Warn that the index of the file cannot be used, and read without it from then on."""
        if self._origin is not None:
            self._origin.ignore(problem)

    def _stored(self, column: str) -> tuple[tuple[int, str, str], str, int]:
        """Return what an index must have: step, table and column; the type, and the number of rows."""
        place = (self._step.description.number, self._core.name, column)
        return place, self[column].type, self._core.rows
