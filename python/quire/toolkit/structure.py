"""The common structure of all steps of a file, for formats in which all steps must have the same
structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from quire import Attribute, Step
from quire._core import Quantity as CoreQuantity
from quire.io.fit import Change, Fit
from quire.io.quantity import Quantity
from quire.io.types import dtype_of, type_of
from quire.toolkit.changes import changed, lost

Types = dict[str, str]


@dataclass
class Structure:
    """Names and types of objects that all steps can have, and the resulting losses and changes.

    A table of any step is a table of all steps; the others have no rows of it.
    """

    attributes: Types = field(default_factory=dict)
    tables: dict[str, Types] = field(default_factory=dict)
    fields: Types = field(default_factory=dict)
    fitted: dict[str, Mapping[str, Quantity]] = field(default_factory=dict)
    """The columns in the target, by table."""
    changes: dict[Change, None] = field(default_factory=dict)
    steps: int = 0

    def add(self, step: Step, fitted: Fit) -> None:
        """Independent. Keep only objects that this step has as well, as stored in the target."""
        tables = {
            name: {column.name: column.type for column in table.columns.values()}
            for name, table in step.tables.items()
        }
        attributes = {name: item.type for name, item in step.attrs.info.items()}
        fields = {name: item.type for name, item in step.fields.items()}
        self.fitted = dict(fitted.tables) | self.fitted
        self.steps += 1
        if self.steps == 1:
            self.attributes, self.tables, self.fields = attributes, tables, fields
            return
        self.attributes = self.common("attribute", self.attributes, attributes)
        self.fields = self.common("field", self.fields, fields)
        for name in self.tables.keys() ^ tables.keys():
            self.changes[changed(f"a step without {titled(name)} gets it without rows")] = None
        for name, found in tables.items():
            known = self.tables.get(name)
            self.tables[name] = found if known is None else self.common("column", known, found)

    def common(self, what: str, known: Types, found: Types) -> Types:
        """Independent. Return the names in both, each with a common type."""
        for name in known.keys() ^ found.keys():
            self.changes[lost(what, name, "left out: not every step has it")] = None
        return {name: wider(kind, found[name]) for name, kind in known.items() if name in found}

    def restrict(self, fitted: Fit, step: Step) -> Fit:
        """Independent. Return the part of an adapted step that all steps have."""
        return Fit(
            attributes=common_part(fitted.attributes, step.attrs.info, self.attributes),
            tables={
                name: common_part(columns, step.tables[name].columns, self.tables[name])
                for name, columns in fitted.tables.items()
                if name in self.tables
            },
            fields=common_part(fitted.fields, step.fields, self.fields),
            changes=fitted.changes,
            numbers_as_text=fitted.numbers_as_text,
        )

    def absent(self, step: Step) -> dict[str, dict[str, Quantity]]:
        """Independent. Return the columns in the target of tables that only other steps have, by table."""
        return {
            name: {
                column: with_type(quantity, common[column])
                for column, quantity in self.fitted[name].items()
                if column in common
            }
            for name, common in self.tables.items()
            if name in self.fitted and name not in step.tables
        }


def titled(name: str) -> str:
    """Independent. Return the name of a table for messages; the main table has no name."""
    return f"the table {name}".rstrip()


def wider(left: str, right: str) -> str:
    """Independent. Return a type for values of both: the wider of two number types, else the left one."""
    if left == right or "string" in (left, right) or "character" in (left, right):
        return left
    return type_of(np.promote_types(dtype_of(left), dtype_of(right)))


def common_part(
    fitted: Mapping[str, Quantity], given: Mapping[str, Attribute | Quantity], common: Types
) -> dict[str, Quantity]:
    """Independent. Return the common quantities, with the wider type if types differ between steps."""
    return {
        name: quantity if given[name].type == common[name] else with_type(quantity, common[name])
        for name, quantity in fitted.items()
        if name in common
    }


def with_type(quantity: Quantity, kind: str) -> Quantity:
    """Independent. Return the same quantity with another type."""
    return Quantity(
        CoreQuantity(
            quantity.name, kind, quantity.unit, quantity.symbol, quantity.description, quantity.display
        )
    )


def common_structure(steps: Iterable[Step], fit: Callable[[Step], Fit]) -> Structure:
    """Collective, since it reads the steps. Return their common structure; `fit` adapts them to the
    target.
    """
    structure = Structure()
    for step in steps:
        structure.add(step, fit(step))
    return structure
