"""Rows of a table, grouped by the values of a column in one pass over them."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from quire.toolkit.selection import rows_per_block

if TYPE_CHECKING:
    from quire.toolkit.share import TableShare

BLOCK_BYTES = 16 << 20


class GroupedRows:
    """The rows that this rank copies of one table, in pieces of equal value, which are stored in a file."""

    def __init__(self, by: str, content: IO[bytes]) -> None:
        self.by = by
        self._pieces: dict[Any, list[tuple[int, int]]] | None = None
        """By value, the offset and the number of rows of each piece."""
        self._content = content

    def of(self, value: Any, share: TableShare) -> Group:
        """Independent. Return the rows of a value. The first of them to be counted or read reads all rows."""
        return Group(self, share, value)

    def pieces(self, share: TableShare, value: Any) -> list[tuple[int, int]]:
        """Independent. Return offset and number of rows of each piece of a value."""
        if self._pieces is None:
            self._pieces = self._read(share)
        return self._pieces.get(value, [])

    def piece(self, offset: int) -> dict[str, Any]:
        """Independent. Return the columns of a piece."""
        self._content.seek(offset)
        found: dict[str, Any] = pickle.load(self._content)
        return found

    def _read(self, share: TableShare) -> dict[Any, list[tuple[int, int]]]:
        """Group all rows, block by block. Rows of a value keep their order."""
        names = list(dict.fromkeys([self.by, *share.columns]))
        pieces: dict[Any, list[tuple[int, int]]] = {}
        end = 0
        for block in share.blocks(names, rows_per_block(share.table, names, BLOCK_BYTES)):
            values, group = np.unique(block[self.by], return_inverse=True)
            order = np.argsort(group, kind="stable")
            ends = np.searchsorted(group[order], np.arange(len(values) + 1))
            for place, value in enumerate(values.tolist()):
                rows = order[ends[place] : ends[place + 1]]
                pieces.setdefault(value, []).append((end, len(rows)))
                piece = {name: block[name][rows] for name in share.columns}
                end += self._content.write(pickle.dumps(piece, protocol=pickle.HIGHEST_PROTOCOL))
        return pieces


@dataclass(frozen=True)
class Group:
    """The rows of one value."""

    grouped: GroupedRows
    share: TableShare
    value: Any

    def count(self) -> int:
        """Independent. Return the number of rows."""
        return sum(rows for _, rows in self.grouped.pieces(self.share, self.value))

    def blocks(self, names: Iterable[str], rows_per_block: int) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Independent. Yield the columns of each piece, of which none is larger than a block of the table."""
        for offset, _ in self.grouped.pieces(self.share, self.value):
            piece = self.grouped.piece(offset)
            yield None, {name: piece[name] for name in names}
