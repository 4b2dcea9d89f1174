"""Common to tables that are made while they are copied: the interface of a table for copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quire.errors import MissingError
from quire.io.types import Array, dtype_of
from quire.near import there_is_no
from quire.toolkit.selection import resolve_rows

if TYPE_CHECKING:
    from quire import Attribute, Table
    from quire.io.expression import Expression
    from quire.io.matches import Matches


def rows_of(rows: Any, length: int) -> tuple[int, int]:
    """Independent. Return the first row and the number of rows of a slice or a pair of these; None is all."""
    if rows is None or isinstance(rows, slice):
        return resolve_rows(rows or slice(None), length)
    first, count = rows
    return first, count


class CopiedTable:
    """A table that is not in a file. Subclasses have its columns and yield its rows in blocks."""

    name: str
    columns: Mapping[str, Any]
    _path = ""
    constants: Mapping[str, Attribute] = MappingProxyType({})

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        if name not in self.columns:
            raise MissingError(there_is_no("column", name, list(self.columns)))
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def where(self, condition: Expression | str, rows: Any = None) -> Matches:
        """Independent. Return the rows that satisfy a condition."""
        from quire.io.matches import Matches

        return Matches(cast("Table", self), condition, rows)

    def read(self, names: Iterable[str] | None = None, rows: Any = None) -> dict[str, Array]:
        """Independent. Return columns by name, of all or some contiguous rows."""
        table = cast("Table", self)
        wanted = list(table if names is None else names)
        first, count = rows_of(rows, len(table))
        made = {name: np.empty(count, dtype_of(table[name].type)) for name in wanted}
        for start, block in table.blocks(wanted, None, (first, count)) if wanted and count else ():
            for name, values in made.items():
                values[start - first : start - first + len(block[name])] = block[name]
        return made
