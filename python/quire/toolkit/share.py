"""The part of a table that a rank copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from quire.toolkit.selection import rows_per_block, without

if TYPE_CHECKING:
    from quire import Attribute, Table
    from quire.io.quantity import Quantity

BLOCK_BYTES = 16 << 20


class SelectedRows(Protocol):
    """Rows of a table that are selected on this rank."""

    def count(self) -> int:
        """Independent. Return their number."""

    def blocks(self, names: Iterable[str], rows_per_block: int) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Independent. Yield numbers of rows and columns, block by block."""


def tables_of_limits(tables: Mapping[str, Any]) -> set[str]:
    """Independent. Return the names of tables with the limits of blocks of rows of others.

    Tables of several files, and tables that are made while they are copied, have no limits.
    """
    return {getattr(table, "zones", "") for table in tables.values()} - {""}


@dataclass(frozen=True)
class TableShare:
    """The part of a table that this rank copies: its columns as stored in the target, and its rows.

    `new_table` is the name of the table in the target.
    """

    table: Table
    columns: Mapping[str, Quantity]
    first: int
    count: int
    new_table: str
    matches: SelectedRows | None = None
    kept: int | None = None
    constants: Mapping[str, Attribute] = field(default_factory=dict)
    """The columns that the target stores once."""

    @property
    def varying(self) -> Mapping[str, Quantity]:
        """The columns whose values are copied."""
        return without(self.columns, self.constants)

    @property
    def rows_written(self) -> int:
        """Number of rows that are written to the target."""
        return self.count if self.kept is None else self.kept

    def blocks(self, names: Sequence[str], per_block: int) -> Iterator[dict[str, Any]]:
        """Independent. Yield the rows to copy, block by block. The memory may be reused."""
        found: Iterator[tuple[Any, dict[str, Any]]]
        if self.matches is None:
            found = self.table.blocks(names, per_block, self.rows)
        else:
            found = self.matches.blocks(names, per_block)
        for _, block in found:
            yield block

    @property
    def rows(self) -> slice:
        """The rows, as a slice of the whole table."""
        return slice(self.first, self.first + self.count)

    def rows_per_block(self, names: Sequence[str]) -> int:
        """Independent. Return the number of rows of these columns in memory at a time."""
        return rows_per_block(self.table, list(names), BLOCK_BYTES)
