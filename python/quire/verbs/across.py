"""Reduce several columns of each row to a value, which is one more column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from quire import _core
from quire.errors import ConflictError, UsageError
from quire.io.quantity import Quantity
from quire.io.types import Array, dtype_of
from quire.numeric.reduction_table import Options, reduction
from quire.numeric.reductions import reduce_along
from quire.numeric.rows import Rows
from quire.toolkit.copied_table import CopiedTable
from quire.toolkit.missing import missing_values
from quire.verbs.numbers import floats_of, number_names
from quire.verbs.reducing import OTHERS, Call
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import MadeStep, MissingValues, StepLike, TableLike, as_floats, made_from

OF_VERSUS = (*OTHERS, "lower", "upper")
"""Arguments of reductions that need other columns beside those that are reduced."""


@dataclass(frozen=True)
class Across:
    """One reduction of the columns of patterns, in each row. A position is the name of a column."""

    what: str
    columns: Sequence[str]
    name: str
    rows: Rows = field(default_factory=Rows)
    options: Options = field(default_factory=Options)

    @classmethod
    def parse(cls, text: str) -> Across:
        """Independent. Parse `mean(bpm*)`, `m=max(x, y, z)` or `percentile(x, y, 90)`. Raises UsageError."""
        call = Call.parse(text)
        what, columns = call.what, list(call.words)
        if "columns" not in reduction(what).directions:
            raise UsageError(f"{what} is not computed across columns: it is of a column over another one")
        if odd := [key for key in OF_VERSUS if key in call.given]:
            raise UsageError(f"{odd[0]} is a column or a limit of one, which reductions across columns lack")
        if reduction(what).needs_percent and "percent" not in call.given and len(columns) > 1:
            call.give("percent", columns.pop())
        rows, options = call.settings()
        if options.position and not reduction(what).has_position:
            raise UsageError(f"{what} has no position: it is not the value of a column")
        return cls(what, columns, call.name or what, rows, options)

    def of(self, table: TableLike) -> TableAcross:
        """Independent. Return the reduction of the columns of a table. Raises errors for missing ones, and
        for texts.
        """
        names = number_names(self.columns, table)
        units = list(dict.fromkeys(table[name].unit for name in names))
        if self.options.position:
            kind = "string"
        elif self.what == "count":
            kind = "int64"
        else:
            kind = "float80" if any(table[name].type == "float80" for name in names) else "float64"
        return TableAcross(self, names, units, kind)


@dataclass(frozen=True)
class TableAcross:
    """A reduction across the columns of one table, with their different units, and its type."""

    across: Across
    names: Sequence[str]
    units: Sequence[str]
    type: str

    @property
    def has_unit(self) -> bool:
        """Whether the result has a unit, if the columns have the same."""
        return self.type != "string" and reduction(self.across.what).unit == "y"

    @property
    def quantity(self) -> _core.Quantity:
        """The description of the new column."""
        unit = self.units[0] if self.has_unit and len(self.units) == 1 else ""
        return _core.Quantity(self.across.name, self.type, unit)

    @property
    def warnings(self) -> list[str]:
        """A sentence about columns whose units differ."""
        if not self.has_unit or len(self.units) == 1:
            return []
        listed_units = ", ".join(f"'{unit}'" for unit in self.units)
        return [f"{self.across.name} has no unit: its columns have {listed_units}"]

    def values(self, block: Mapping[str, Array]) -> Array:
        """Independent. Return the results of the rows of a block."""
        what, options = self.across.what, self.across.options
        is_exact = reduction(what).has_position
        columns = [as_floats(block[name], name) if is_exact and block[name].dtype.kind in "iu"
                   else floats_of(name, block[name]) for name in self.names]  # fmt: skip
        rows = replace(self.across.rows, skip_nan=True) if what == "count" else self.across.rows
        places = np.arange(len(self.names)) if options.position else None
        found = reduce_along(what, np.stack(columns, axis=1), 1, versus=places, rows=rows, options=options)
        if places is None:
            return found.astype(dtype_of(self.type), copy=False)
        texts = np.array([*self.names, ""], object)
        return np.asarray(texts[np.where(np.isnan(found), len(places), found).astype(np.intp)])


class AcrossTable(CopiedTable):
    """A table with the results of reductions across columns, which are computed on reading."""

    def __init__(self, table: TableLike, made: Sequence[TableAcross]) -> None:
        self.name = table.name
        self._table = table
        self._made = {one.across.name: one for one in made}
        self._quantities = [one.quantity for one in made]
        self.columns = {**table.columns, **{one.name: Quantity(one) for one in self._quantities}}

    def __len__(self) -> int:
        return len(self._table)

    def scope(self) -> tuple[Sequence[_core.Quantity], Sequence[_core.Attribute], Mapping[str, int]]:
        """Independent. Return the names of expressions."""
        columns, attributes, counters = self._table.scope()
        return [*columns, *self._quantities], attributes, counters

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._table.rows_per_block(self._sources(self.columns if names is None else names))

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`, with the results."""
        wanted = list(names)
        for first, block in self._table.blocks(self._sources(wanted), rows_per_block, rows, progress):
            yield (
                first,
                {
                    name: self._made[name].values(block) if name in self._made else block[name]
                    for name in wanted
                },
            )

    def _sources(self, names: Iterable[str]) -> list[str]:
        """Return the columns to read for these columns."""
        of_each = (self._made[name].names if name in self._made else [name] for name in names)
        return list(dict.fromkeys(name for some in of_each for name in some))


def across_columns(chain: StepChain, what: Sequence[Names]) -> Any:
    """Independent. Return a change of steps that adds reductions of the columns of each row."""
    words = listed(*what)
    if plain := [word for word in words if "(" not in word]:
        raise UsageError(f"'{plain[0]}' is no reduction of columns; write for example m=mean(x, y)")
    asked = [Across.parse(word) for word in words]

    def added(step: StepLike, table: Any) -> MadeStep:
        taken = set(table.columns)
        for one in asked:
            if one.name in taken:
                advice = f"name the result: NAME={one.what}(...)"
                raise ConflictError("there is such a column", object=one.name, advice=advice)
            taken.add(one.name)
        made = [one.of(table) for one in asked]
        result = AcrossTable(table, made)
        changed = made_from(step, [result])
        changed.warnings += [sentence for one in made for sentence in one.warnings]
        if chain.is_strict:
            changed.warnings += missing_results(step, result, [one.name for one in asked])
        return changed

    return added


def missing_results(step: StepLike, table: TableLike, names: Iterable[str]) -> list[MissingValues]:
    """Independent. Return a warning for each of these columns with NaN, from a pass over the rows."""
    return [MissingValues(f"step {step.number}: {one}") for one in missing_values(table, names, "")]
