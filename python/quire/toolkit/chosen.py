"""A step of which only one table is copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire import Expansion, Field, Step
from quire.errors import MissingError
from quire.io.attributes import Attributes
from quire.toolkit.changes import lost


class ChosenStep:
    """A step with one of its tables, or none if it lacks that. It has the interface of a step for copies.

    A table of coefficients includes the table of their elements.
    """

    def __init__(self, step: Step, table: str, keeps_fields: bool) -> None:
        self.number = step.number
        self.warnings = step.warnings
        self.attrs: Attributes = step.attrs
        self.fields: Mapping[str, Field] = step.fields if keeps_fields else {}
        self.streams = step.streams
        self.expansions: tuple[Expansion, ...] = tuple(
            block for block in step.expansions if block.table.name == table
        )
        names = {table} | {block.elements.name for block in self.expansions}
        self.tables: Mapping[str, Any] = {name: one for name, one in step.tables.items() if name in names}
        self.left_out = [
            lost(what, name, f"left out: of the tables only {table} is copied")
            for what, all_of_kind, kept in (
                ("table", step.tables, self.tables),
                ("field", step.fields, self.fields),
            )
            for name in all_of_kind
            if name not in kept
        ]
        """The tables and fields of the step that are left out."""
        self._description = step._description.with_tables(sorted(names), keeps_fields)

    @property
    def table(self) -> Any:
        """Independent. Return the table. Raises a missing error if there is none."""
        for table in self.tables.values():
            return table
        raise MissingError(f"step {self.number} has no such table")
