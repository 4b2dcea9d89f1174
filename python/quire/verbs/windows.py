"""Reduce windows of successive rows to a row each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire import _core
from quire.errors import ConflictError, UsageError
from quire.io.quantity import Quantity
from quire.io.types import Array, dtype_of
from quire.numeric.reduction_table import reduction
from quire.numeric.reductions import reduce_windows, require_windows
from quire.toolkit.copied_table import CopiedTable, rows_of
from quire.verbs.across import missing_results
from quire.verbs.grouped_stats import as_texts
from quire.verbs.numbers import TEXTS
from quire.verbs.reducing import ROWS, Reducing, Request
from quire.verbs.rows import Counters
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import MadeStep, StepLike, TableLike, as_floats, joined_blocks, left_out


@dataclass(frozen=True)
class Windows:
    """Windows of so many rows: one begins at each row, or, without overlap, where the last one ends."""

    points: int
    overlap: bool = True

    @property
    def stride(self) -> int:
        """The distance of the first rows of successive windows."""
        return 1 if self.overlap else self.points

    def count(self, rows: int) -> int:
        """Independent. Return the number of windows in so many rows."""
        return max((rows - self.points) // self.stride + 1, 0)

    def reach(self, first: int, count: int) -> tuple[int, int]:
        """Independent. Return the first row of some windows, and the number of their rows."""
        return first * self.stride, (count - 1) * self.stride + self.points if count else 0


def type_of_result(one: Reducing, table: TableLike) -> str:
    """Independent. Return the type of the results of a reduction."""
    if one.what == "count":
        return "int64"
    source = table[one.versus if one.options.position else one.column].type
    if source in TEXTS:
        return "string"
    return "float80" if "float80" in (source, *(table[name].type for name in one.others)) else "float64"


class WindowTable(CopiedTable):
    """The reductions of windows of a table, which are computed on reading."""

    def __init__(self, table: TableLike, windows: Windows, made: Sequence[Reducing]) -> None:
        self.name = table.name
        self._table = table
        self._windows = windows
        self._made = {one.name: one for one in made}
        self._sources = {one.name: one.columns_in(table) for one in made}
        described = [_core.Quantity(one.name, type_of_result(one, table), one.unit_in(table)) for one in made]
        self.columns = {one.name: Quantity(one) for one in described}
        self._quantities = described

    def __len__(self) -> int:
        return self._windows.count(len(self._table))

    def scope(self) -> tuple[Sequence[_core.Quantity], Sequence[_core.Attribute], Mapping[str, int]]:
        """Independent. Return the names of expressions."""
        _, attributes, counters = self._table.scope()
        return self._quantities, attributes, Counters(counters, self)

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._table.rows_per_block(self._read_for(self.columns if names is None else names))

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`, over windows. Rows of windows that are not complete are kept
        until the next block is read.
        """
        wanted = list(names)
        first, count = rows_of(rows, len(self))
        sources = self._read_for(wanted)
        if not count or not sources:
            return
        size = max(rows_per_block or self.rows_per_block(wanted), self._windows.points)
        held: dict[str, Array] = {}
        start = first
        for _, block in self._table.blocks(sources, size, self._windows.reach(first, count)):
            held = joined_blocks([held, block]) if held else block
            complete = self._windows.count(len(held[sources[0]]))
            if complete:
                yield start, {name: self._values(name, held) for name in wanted}
                start += complete
                if progress is not None:
                    progress(start - first, count)
            done = complete * self._windows.stride
            held = {name: values[done:].copy() for name, values in held.items()}

    def _read_for(self, names: Iterable[str]) -> list[str]:
        """Return the columns to read for these results."""
        return list(dict.fromkeys(source for name in names for source in self._sources[name]))

    def _values(self, name: str, columns: Mapping[str, Array]) -> Array:
        """Return the results of the complete windows of some rows."""
        one = self._made[name]
        inputs = one.inputs(columns)
        versus = inputs["versus"]
        if one.options.position and versus.dtype.kind in "iu":
            inputs["versus"] = as_floats(versus, one.versus)
        windows = self._windows
        found = reduce_windows(one.what, points=windows.points, overlap=windows.overlap, **inputs)
        if self[name].type == "string":
            return as_texts(found).astype(object, copy=False)
        return np.asarray(found.astype(dtype_of(self[name].type), copy=False))


def in_windows(chain: StepChain, request: Request, windows: Windows) -> Any:
    """Independent. Return a change of steps that makes a row of each window."""
    for asked in request.reductions:
        require_windows(asked.what, windows.points)
        if not asked.versus and (reduction(asked.what).needs_x or asked.options.position):
            position = ", position" if asked.options.position else ""
            advice = f"write {asked.what}({asked.column}, COLUMN{position})"
            raise UsageError(f"{asked.what} of {asked.column} needs another column here", advice=advice)

    def reduced(step: StepLike, table: Any) -> MadeStep:
        if ROWS in (quantities := request.quantities(table)):
            advice = "write count(COLUMN) for the numbers that are not NaN"
            raise UsageError(f"each window has {windows.points} rows", advice=advice)
        if quantities:
            raise UsageError(f"'{quantities[0]}' is no column, and windows have no quantities of a beam")
        made = list(dict.fromkeys(request.reducings(table)))
        names = [one.name for one in made]
        if again := [name for name in names if names.count(name) > 1]:
            raise ConflictError("two results have this name", object=again[0], advice="name one of them")
        result = WindowTable(table, windows, made)
        warnings = [*step.warnings, *left_out(step, [result])]
        of_step = step.attrs.info.values(), [result], warnings, getattr(step, "group_of", None)
        changed = MadeStep(step.number, *of_step)
        if getattr(table, "is_searched", True) and len(table) < windows.points:
            changed.warnings.append(f"steps of less than {windows.points} rows have no window, and no row")
        if chain.is_strict:
            changed.warnings += missing_results(step, result, names)
        return changed

    return reduced
