"""Rows of a table that can satisfy a condition, by the limits of its zones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.io.types import Array, dtype_of

if TYPE_CHECKING:
    from quire.io.expression import Expression
    from quire.io.table import Table

NEAR_ROWS: Final = 1 << 14
"""Rows whose reading takes about as long as another request."""

BLOCK_COST: Final = 1e-10
"""Seconds to examine the limits of a block of rows, for each row."""

Rows = tuple[int, int]
"""The first row and the number of rows."""


@dataclass(frozen=True)
class Meaning:
    """What the names of an expression mean: their scope, and which are no columns of the file."""

    scope: tuple[Any, Any, Any]
    """As by `Table.scope`."""
    defined: tuple[str, ...] = ()

    def with_defined(self, names: Iterable[str]) -> Meaning:
        """Independent. Return the same with more names that are no columns of the file."""
        return replace(self, defined=(*self.defined, *names))


def candidate_rows(
    table: Table, condition: Expression, rows: Rows, meaning: Meaning | None = None
) -> list[Rows]:
    """Independent. Return the rows among `rows` that can satisfy a condition, as ascending blocks.

    Uses limits of the columns of the condition: those of zones that the file stores, and those of the index
    beside it. `meaning` is by default that of the table.
    """
    found = [rows]
    meaning = meaning or Meaning(table.scope())
    names = [name for name in condition.names if name not in meaning.defined]
    indexed = indexed_zones(table, names)
    for zones in (stored_zones(table, names), indexed):
        if zones is None:
            continue
        may_hold = np.array(condition.may_hold(*meaning.scope, zones.limits), np.bool_)
        found = [part for whole in found for part in selected(zones.first, zones.count, may_hold, whole)]
    return found if indexed is None else near_joined(found)


ColumnLimits = tuple[str, list[float], list[float], list[bool]]
"""A column, its smallest and greatest values in each block of rows, and whether it can be NaN in it."""


def certain_rows(table: Table, condition: Expression, rows: Rows) -> list[Rows]:
    """Independent. Return the rows among `rows` that all satisfy a condition by the index, as ascending
    blocks. Short ones are left out: they divide what is read.
    """
    zones = indexed_zones(table, condition.names)
    if zones is None:
        return []
    must_hold = np.array(condition.must_hold(*table.scope(), zones.limits), np.bool_)
    found = selected(zones.first, zones.count, must_hold, rows)
    return [block for block in found if block[1] >= NEAR_ROWS]


def without(found: list[Rows], others: list[Rows]) -> list[Rows]:
    """Independent. Return ascending blocks of rows without those of others."""
    if not others:
        return found
    first, count = np.array(others, np.int64).T
    excluded = np.zeros(len(first), np.bool_)
    return [part for whole in found for part in selected(first, count, excluded, whole)]


@dataclass(frozen=True)
class Limits:
    """Limits of columns in blocks of rows, as an expression expects them."""

    first: Array
    count: Array
    limits: list[ColumnLimits]


def stored_zones(table: Table, columns: Sequence[str]) -> Limits | None:
    """Independent. Read the zones of a table; None if there are none that limit these columns."""
    zones = table._core.zones
    limits = [] if zones is None else [one for one in zones.limits if one[0] in columns]
    if zones is None or not limits:
        return None
    names = [zones.first, zones.rows, *dict.fromkeys(name for _, *both in limits for name in both)]
    values = read_zones(table, zones.table, names)
    first, count = values[zones.first].astype(np.int64), values[zones.rows].astype(np.int64)
    if not are_zones(first, count, len(table)):
        return None
    may_be_nan = [True] * len(first)
    found = [(name, *limits_of(values[low], values[extent]), may_be_nan) for name, low, extent in limits]
    return Limits(first, count, found)


def indexed_zones(table: Table, columns: Sequence[str]) -> Limits | None:
    """Independent. Return the limits of a table by the index of its file; None if there are none that limit
    these columns.
    """
    names = [name for name in columns if name in table.columns]
    found = {name: zones for name in names if (zones := table.indexed(name)) is not None}
    if not found:
        return None
    limits: list[ColumnLimits] = []
    for name, zones in found.items():
        lower, upper = zones.enclosing()
        limits.append((name, lower.tolist(), upper.tolist(), (zones.nans > 0).tolist()))
    one = next(iter(found.values()))
    return Limits(one.first, one.count, limits)


def read_zones(table: Table, name: str, columns: list[str]) -> dict[str, Array]:
    """Independent. Read columns of the table of the zones."""
    step = table._step
    zones = next(one for one in step.description.tables if one.name == name)
    types = {column.name: column.type for column in zones.columns}
    arrays = {column: np.empty(zones.rows, dtype_of(types[column])) for column in columns}
    step.read(name, 0, zones.rows, columns, [(types[column], array) for column, array in arrays.items()])
    return arrays


def are_zones(first: Array, count: Array, rows: int) -> bool:
    """Independent. Return whether blocks are rows of a table, each in one block at most."""
    order = np.argsort(first, kind="stable")
    begin, length = first[order], count[order]
    inside = (begin >= 0) & (length >= 0) & (begin <= rows) & (length <= rows - begin)
    return bool(inside.all() and (begin[:-1] + length[:-1] <= begin[1:]).all())


def limits_of(lower: Array, extent: Array) -> tuple[list[float], list[float]]:
    """Independent. Return limits as float64, which contain all values of which these are rounded limits.

    A negative extent limits nothing: its limits are NaN.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        begin = outwards(lower, -np.inf)
        end = outwards(lower, np.inf) + outwards(extent, np.inf)
        upper = np.where(extent < 0, np.nan, np.nextafter(end, np.inf))
    return begin.tolist(), upper.tolist()


def outwards(values: Array, towards: float) -> Array:
    """Independent. Return the next numbers of this type, or the nearest to integers, as float64."""
    if values.dtype.kind != "f":
        return as_double(values, towards)
    return as_double(np.nextafter(values, np.array(towards, values.dtype)), towards)


def as_double(values: Array, towards: float) -> Array:
    """Independent. Return the nearest float64 in this direction."""
    with np.errstate(over="ignore"):
        found: Array = values.astype(np.float64)
    if values.dtype.itemsize < 8 or values.dtype == np.float64:
        return found
    # A rounded 2^64 does not return to uint64; longdouble holds all integers of 64 bits.
    exact, made = values.astype(np.longdouble), found.astype(np.longdouble)
    inside = made > exact if towards < 0 else made < exact
    return np.where(inside, np.nextafter(found, towards), found)


def selected(first: Array, count: Array, may_hold: Array, rows: Rows) -> list[Rows]:
    """Independent. Return the rows without those of the zones in which a condition cannot hold."""
    begin, end = rows[0], rows[0] + rows[1]
    excluded = ~may_hold & (count > 0)
    start, stop = first[excluded], first[excluded] + count[excluded]
    order = np.argsort(start, kind="stable")
    left = np.append(begin, np.maximum.accumulate(np.clip(stop[order], begin, end)))
    right = np.append(np.clip(start[order], begin, end), end)
    return as_rows(left[right > left], right[right > left])


def near_joined(rows: list[Rows]) -> list[Rows]:
    """Independent. Return ascending blocks of rows, of which those that are near are one."""
    if len(rows) < 2:
        return rows
    left, length = np.array(rows, np.int64).T
    right = left + length
    is_far = left[1:] - right[:-1] >= NEAR_ROWS
    return as_rows(left[np.append(True, is_far)], right[np.append(is_far, True)])


def near_rows(numbers: Array) -> list[Rows]:
    """Independent. Return blocks of rows with all of these ascending numbers; those that are near are in
    one.
    """
    far = np.flatnonzero(np.diff(numbers) > NEAR_ROWS)
    return as_rows(numbers[np.append(0, far + 1)], numbers[np.append(far, len(numbers) - 1)] + 1)


def as_rows(left: Array, right: Array) -> list[Rows]:
    """Independent. Return blocks of rows from a first row up to a last one, which is excluded."""
    return list(zip(left.tolist(), (right - left).tolist(), strict=True))


def limits_by(table: Table, condition: Expression) -> str:
    """Independent. Return where a condition has limits of blocks of rows from: `index`, `file`, or empty."""
    if any(name in table.columns and table.indexed(name) is not None for name in condition.names):
        return "index"
    zones = table._core.zones
    return "file" if zones is not None and any(one[0] in condition.names for one in zones.limits) else ""
