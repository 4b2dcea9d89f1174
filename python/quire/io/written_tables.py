"""Tables of a step that is being written, for the core."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quire import _core
from quire.errors import Placing, UsageError
from quire.io.rows import Selection
from quire.io.texts import Words, core_quantity
from quire.io.types import Array, ready_array


@dataclass(slots=True)
class PutColumn:
    """A column that is pending until the commit. `values` is None if they are written block by block."""

    name: str
    type: str
    words: Words
    values: Array | None
    string_bytes: int = 0
    longest_string: int = 0


@dataclass(slots=True)
class PutTable:
    """The rows, columns and constants of a table that are pending until the commit."""

    rows: int | None = None
    chosen: tuple[Selection | Array, int | None] | None = None
    columns: dict[str, PutColumn] = field(default_factory=dict)
    constants: list[tuple[_core.Quantity, list[int], Any]] = field(default_factory=list)
    expansion: _core.Expansion | None = None

    def add(self, column: PutColumn) -> None:
        """Independent. Add a column. Raises UsageError if it exists or others are given otherwise."""
        if column.name in self.columns:
            raise UsageError("the column is put twice", object=column.name)
        first = next(iter(self.columns.values()), column)
        if (first.values is None) != (column.values is None):
            raise UsageError("columns of a table are either put or declared, not both", object=column.name)
        self.columns[column.name] = column

    def hand_over(self, name: str, core: _core.WriteStep, path: str, lossy: bool) -> None:
        """Independent. Pass the table to the core; values are converted if needed."""
        if self.chosen is not None:
            rows, total = self.chosen
            if isinstance(rows, Selection):
                core.rows_at(name, [([rows.start], [rows.step], [rows.count], [1])], total)
            else:
                core.rows_at_list(name, rows, total)
        if self.rows is not None:
            core.rows(name, self.rows)
        if self.expansion is not None:
            core.expansion(name, self.expansion)
        for constant in self.constants:
            core.put_constant(name, *constant)
        for column in self.columns.values():
            quantity = core_quantity(column.name, column.type, column.words)
            if column.values is None:
                core.declare(name, quantity, column.string_bytes, column.longest_string)
            else:
                with Placing(path, column.name):
                    ready = ready_array(column.values, column.type, lossy, column.name)
                    core.put(name, quantity, column.type, ready)
