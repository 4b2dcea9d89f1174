"""Searches for the rows of a table that satisfy a condition: by lists of the index, or by reading rows.

specs/query-index.md, section 5. The cheaper one is taken, by what each reads. A search by lists has the rows
of one list at most in memory: each 2^24 rows of a table are searched on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from quire import _core
from quire.io.id_map import IdRows
from quire.io.other_files import BETWEEN
from quire.io.permutation import Permutation
from quire.io.types import Array, dtype_of
from quire.io.value_list import MOST_ROWS, NOTHING, Found, Keys, SidecarError, ValueList, united
from quire.io.zones import BLOCK_COST, Rows, certain_rows, without

if TYPE_CHECKING:
    from quire.io.expression import BoundExpression, Expression
    from quire.io.table import Table

Result = TypeVar("Result")

# Of a solid-state disk. With data in memory all reads are faster, about in the same ratio.
BYTES_PER_SECOND: Final = 1e9
SECONDS_PER_READ: Final = 2e-5
SECONDS_PER_LISTED_ROW: Final = 2.5e-8
SECONDS_PER_CHOSEN_ROW: Final = 4e-8
SECONDS_PER_SCANNED_VALUE: Final = 3e-10
ADVANTAGE: Final = 1.5
"""By which a search by lists must be cheaper than reading rows, because both are estimated."""
MOST_CONDITIONS: Final = 32
MOST_PLANS: Final = 8
MOST_KEPT: Final = 4096
"""Blocks of rows in a plan that is kept."""
MOST_INTERVALS: Final = 64
"""Of a column: more are searched by reading it."""


@dataclass(frozen=True)
class Lookup:
    """A search in the list of one column."""

    column: str
    listed: ValueList | IdRows | Permutation
    keys: Keys
    rows: float
    """About how many it finds."""
    checked: float
    """Those whose values decide."""
    bytes: int
    seconds: float
    is_exact: bool = True

    def find(self) -> Found:
        """Independent. Return the rows that are found. Raises SidecarError."""
        return self.listed.find(self.keys)

    def is_of(self, rows: Rows) -> bool:
        """Independent. Return whether its list is of these rows."""
        return rows == (self.listed.first, self.listed.rows)

    def count(self) -> tuple[int, Array]:
        """Independent. Return how many rows are found, and the rows whose values decide. Raises
        SidecarError.
        """
        return self.listed.count(self.keys)

    @property
    def columns(self) -> list[str]:
        """The columns whose lists are searched."""
        return [self.column]


@dataclass(frozen=True)
class Combination:
    """Several searches, of which all find a row, or any."""

    parts: Sequence[Lookup | Combination]
    is_both: bool
    rows: float
    checked: float
    bytes: int
    seconds: float
    is_exact: bool
    """Whether it is the whole condition: otherwise the values decide for each row."""

    def find(self) -> Found:
        """Independent. Return the rows that are found. Raises SidecarError."""
        found = [part.find() for part in self.parts]
        if not found:
            return NOTHING
        one = reduce(common if self.is_both else united, found)
        return one if self.is_exact else Found(NOTHING.certain, _core.united_rows(*one))

    @property
    def columns(self) -> list[str]:
        """The columns whose lists are searched."""
        return list(dict.fromkeys(name for part in self.parts for name in part.columns))


def common(one: Found, other: Found) -> Found:
    """Independent. Return the rows that both have; some may be certain and candidates."""
    pairs = ((one.certain, other.candidates), (one.candidates, other.certain), one[1:] + other[1:])
    candidates = reduce(_core.united_rows, [_core.common_rows(*pair) for pair in pairs])
    return Found(_core.common_rows(one.certain, other.certain), candidates)


@dataclass
class Report:
    """What a search reads, as it is estimated, and as it was."""

    columns: list[str] = field(default_factory=list)
    """Those whose lists were searched."""
    rows_expected: int = 0
    """That match, as far as lists and limits say."""
    bytes_expected: int = 0
    """Of the columns of the condition, and of lists."""
    rows_read: int = 0
    """Whose values were read."""
    bytes_read: int = 0
    """The same as those expected; of texts only what holds them."""


@dataclass(frozen=True)
class Part:
    """How some rows of a table are searched."""

    rows: Rows
    lookup: Lookup | Combination | None
    """A search by lists."""
    blocks: list[Rows]
    """The rows that are read without one."""
    seconds: float
    """About what it takes."""
    bytes: int
    """About what is read to search."""
    expected: float
    """About how many rows match."""
    certain: Sequence[Rows] = ()
    """Rows without a search that all match, and are not read."""


class Plan:
    """How a table is searched for rows that satisfy a condition: those whose values of `names` are wanted, or
    only their number, if that is None. It is valid as long as the table has this index.
    """

    def __init__(
        self,
        table: Any,
        condition: Expression,
        bound: BoundExpression,
        names: Sequence[str] | None,
        index: object = None,
    ) -> None:
        self.table = table
        self.bound = bound
        self.index = index
        self.checked = Reading(table, bound.columns)
        self._condition = condition
        self._all = Reading(table, list(dict.fromkeys([*bound.columns, *(names or ())])))
        self._wanted = Reading(table, names or ())
        self._is_count = names is None
        self._names = names
        self._is_of_file = hasattr(table, "lists")
        # Tables with definitions have no lists.
        used = condition.names if self._is_of_file and bound.is_by_row else ()
        lists = {name: table.lists(name) for name in used}
        self._lists = {name: {one.first: one for one in some} for name, some in lists.items() if some}
        maps = {name: table.id_map(name) for name in used}
        self._maps = {name: one for name, one in maps.items() if one is not None}
        self._is_whole = bound.may_fail and self._may_fail()
        """Whether all rows are read, so that the first one that fails raises its error."""
        if self._is_whole:
            self._lists, self._maps = {}, {}
        is_indexed = self._lists or self._maps
        self._selector: Any = condition.selector(*table.scope()) if is_indexed else ("unknown",)
        self.rows_at_once = table.rows_per_block(bound.columns) if is_indexed else 0
        self._parts: dict[Rows, Sequence[Part]] = {}

    def parts(self, rows: Rows) -> Sequence[Part]:
        """Independent. Return how rows are searched, ascending."""
        found = self._parts.get(rows)
        if found is None:
            is_listed = (self._lists or self._maps) and rows[1]
            found = [self._part(one) for one in by_list(rows)] if is_listed else [self.reading(rows)]
            if self.index is not None and sum(len(one.blocks) for one in found) <= MOST_KEPT:
                self._parts = {rows: found}
        return found

    def reading(self, rows: Rows) -> Part:
        """Independent. Return what is read of rows without lists."""
        # Tables that verbs make have no limits.
        find = getattr(self.table, "candidates", None)
        blocks = [rows] if find is None or self._is_whole else find(self._condition, rows)
        certain = self._certain(rows) if self.index is not None and not self._is_whole else []
        blocks = without(blocks, certain)
        count = sum(block[1] for block in blocks)
        size = count * self.checked.row_bytes
        expected = count + sum(block[1] for block in certain)
        return Part(rows, None, blocks, self._all.of_blocks(blocks), size, expected, certain)

    def _certain(self, rows: Rows) -> list[Rows]:
        """Return rows of which nothing needs to be read."""
        is_bare = self._is_count or not self._names
        return certain_rows(self.table, self._condition, rows) if is_bare and self._is_of_file else []

    def _may_fail(self) -> bool:
        """Return whether the condition can raise an error in a row, by the limits of the index."""
        find = getattr(self.table, "indexed", None)
        if find is None:
            return True
        found = {name: find(name) for name in self.bound.columns}
        limits = [(name, *zones.all_values()) for name, zones in found.items() if zones is not None]
        columns, attributes, counters = self.table.scope()
        return self._condition.may_fail(columns, attributes, counters, limits)

    def _part(self, rows: Rows) -> Part:
        first = rows[0] - rows[0] % MOST_ROWS
        lookup = safely(self.table, partial(self._lookup, self._selector, first))
        if lookup is None:
            return self.reading(rows)
        to_check = self.checked.of_rows(lookup.checked)
        seconds = lookup.seconds + to_check + self._wanted.of_rows(lookup.rows)
        size = lookup.bytes + round(lookup.checked) * self.checked.row_bytes
        by_lists = Part(rows, lookup, [], seconds, size, lookup.rows)
        # Bins have their numbers of rows, and limits of blocks cannot help more than they cost.
        is_counted = self._is_count and isinstance(lookup, Lookup) and lookup.is_of(rows)
        if is_counted or seconds * ADVANTAGE < rows[1] * BLOCK_COST:
            return by_lists
        reading = self.reading(rows)
        if seconds * ADVANTAGE < reading.seconds:
            return by_lists
        return replace(reading, expected=min(lookup.rows, reading.expected))

    def _lookup(self, selector: Any, first: int) -> Lookup | Combination | None:
        """Return a search by lists, None if there is none for this part of the condition."""
        if selector[0] == "column":
            return self._of_column(selector[1], selector[2], first)
        if selector[0] == "both":
            total = min(MOST_ROWS, len(self.table) - first)
            return self._common([self._lookup(part, first) for part in selector[1]], total)
        if selector[0] == "either":
            parts = [self._lookup(part, first) for part in selector[1]]
            known = [part for part in parts if part is not None]
            return None if len(known) < len(parts) else combination(known, False, sum(p.rows for p in known))
        return None

    def _of_column(self, column: str, keys: Keys, first: int) -> Lookup | None:
        """Return a search by the ids or the list of a column."""
        found: ValueList | IdRows | Permutation | None = None
        known = self._maps.get(column)
        if known is not None:
            rows_of_list = (first, min(MOST_ROWS, len(self.table) - first))
            found = known.searched(self.table, column, rows_of_list, keys)
        if found is None and len(keys) <= MOST_INTERVALS:
            found = self._lists.get(column, {}).get(first)
        if found is None:
            return None
        estimate = found.estimate(keys)
        rows = estimate.certain + estimate.candidates / 2
        seconds = (
            estimate.bytes / BYTES_PER_SECOND
            + estimate.reads * SECONDS_PER_READ
            + rows * SECONDS_PER_LISTED_ROW
        )
        return Lookup(column, found, keys, rows, estimate.candidates, estimate.bytes, seconds)

    def _common(
        self, parts: Sequence[Lookup | Combination | None], total: int
    ) -> Lookup | Combination | None:
        """Return the search for rows that all parts have: by the part with the fewest rows, and those whose
        lists are cheaper than the values of the rows that are left.
        """
        known = sorted((part for part in parts if part is not None), key=lambda part: part.rows)
        if not known:
            return None
        chosen, rows = known[:1], known[0].rows
        for part in known[1:]:
            if part.seconds < self.checked.of_rows(rows):
                chosen.append(part)
                rows *= part.rows / total
        if len(chosen) == len(parts) == 1:
            return chosen[0]
        return combination(chosen, True, rows, len(chosen) == len(parts))


class Search:
    """A search of a table by a plan, and what it reads."""

    def __init__(self, plan: Plan, rows: Rows) -> None:
        self.parts = plan.parts(rows)
        """How rows are searched, ascending."""
        self.report = Report(
            rows_expected=round(sum(part.expected for part in self.parts)),
            bytes_expected=sum(part.bytes for part in self.parts),
        )
        self._plan = plan
        self._table = plan.table
        self._bound = plan.bound

    def blocks(self, part: Part) -> Iterator[tuple[Rows, bool]]:
        """Independent. Yield the rows of a part, ascending, that are read to be searched, and those that all
        match, with whether they do.
        """
        read = part if part.lookup is None else self._plan.reading(part.rows)
        certain = [(block, True) for block in read.certain]
        for rows, is_certain in sorted([*((block, False) for block in read.blocks), *certain]):
            if not is_certain:
                self._has_read(rows[1])
            yield rows, is_certain

    def numbers(self, part: Part) -> Array | None:
        """Independent. Return the rows of a part that match, by lists; None if it is read instead."""
        if part.lookup is None or (found := safely(self._table, part.lookup.find)) is None:
            return None
        self._has_searched(part.lookup)
        begin = part.rows[0] - part.rows[0] % MOST_ROWS
        if part.rows != (begin, min(MOST_ROWS, len(self._table) - begin)):
            found = Found(*(among(rows, begin, part.rows) for rows in found))
        rows = _core.united_rows(found.certain, self._matching(found.candidates, begin))
        return rows.astype(np.int64) + begin

    def count(self, part: Part) -> int | None:
        """Independent. Return how many rows of a part match, by lists; None if it is read instead."""
        lookup = part.lookup
        if not isinstance(lookup, Lookup) or not lookup.is_of(part.rows):
            numbers = self.numbers(part)
            return None if numbers is None else len(numbers)
        found = safely(self._table, lookup.count)
        if found is None:
            return None
        self._has_searched(lookup)
        return found[0] + len(self._matching(found[1], part.rows[0]))

    def _matching(self, candidates: Array, begin: int) -> Array:
        """Return those of some rows, which are counted from `begin`, whose values satisfy the condition."""
        if not len(candidates):
            return candidates
        found = []
        size = self._plan.rows_at_once
        for some in (candidates[first : first + size] for first in range(0, len(candidates), size)):
            self._has_read(len(some))
            rows = some.astype(np.uint64) + np.uint64(begin)
            values = self._table.read_found(self._bound.columns, rows)
            found.append(some[self._bound.select(values, 0, len(some))])
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _has_read(self, rows: int) -> None:
        self.report.rows_read += rows
        self.report.bytes_read += rows * self._plan.checked.row_bytes

    def _has_searched(self, lookup: Lookup | Combination) -> None:
        self.report.columns = list(dict.fromkeys([*self.report.columns, *lookup.columns]))
        self.report.bytes_read += lookup.bytes


class BoundCondition:
    """A condition that is bound to a table, with the last plan of each kind of search."""

    def __init__(self, table: Any, condition: Expression) -> None:
        self.condition = condition
        columns, attributes, counters = table.scope()
        self.bound = condition.compile(columns, attributes, counters, table)
        self._table = table
        self._plans: dict[tuple[str, ...] | None, Plan] = {}

    @property
    def is_kept(self) -> bool:
        """Whether the same text has the same meaning in the table later: no value of other rows or files."""
        names = self.condition.names
        is_of_row = self.bound.is_by_row and not self.bound.has_aggregates
        return is_of_row and not any(BETWEEN in name for name in names)

    def plan(self, names: Sequence[str] | None) -> Plan:
        """Independent. Return how rows are searched whose values of these columns are wanted, or only their
        number. A plan is kept as long as the index is the same, and belongs to the file.
        """
        find = getattr(self._table, "current_index", None)
        index = None if find is None else find()
        kind = None if names is None else tuple(names)
        found = self._plans.get(kind)
        if found is None or index is None or found.index is not index:
            found = Plan(self._table, self.condition, self.bound, names, index)
            self._plans = {**self._plans, kind: found} if len(self._plans) < MOST_PLANS else {kind: found}
        return found


def bound_condition(table: Any, condition: Expression | str) -> BoundCondition:
    """Independent. Return a condition that is bound to a table, which keeps some that are given by texts."""
    from quire.io.expression import Expression

    if isinstance(condition, Expression):
        return BoundCondition(table, condition)
    kept: dict[str, BoundCondition] | None = getattr(table, "kept_conditions", None)
    if kept is None or not isinstance(condition, str):
        return BoundCondition(table, Expression(condition))
    found = kept.get(condition)
    if found is None:
        found = BoundCondition(table, Expression(condition))
        if found.is_kept:
            if len(kept) >= MOST_CONDITIONS:
                kept.clear()
            kept[condition] = found
    return found


def safely(table: Any, find: Callable[[], Result]) -> Result | None:
    """Independent. Return what an index has; None if it cannot be used, with a warning."""
    try:
        return find()
    except (OSError, SidecarError) as problem:
        table.distrust_index(problem)
        return None


def among(found: Array, begin: int, rows: Rows) -> Array:
    """Independent. Return those of some rows, which are counted from `begin`, that are in a block of rows."""
    limits = np.array([rows[0] - begin, sum(rows) - begin], found.dtype)  # with another type it is copied
    first, last = np.searchsorted(found, limits)
    return found[first:last]


def by_list(rows: Rows) -> Iterator[Rows]:
    """Independent. Yield rows as parts that have lists of their own."""
    first, end = rows[0], sum(rows)
    while first < end:
        count = min(MOST_ROWS - first % MOST_ROWS, end - first)
        yield first, count
        first += count


def combination(
    parts: Sequence[Lookup | Combination], is_both: bool, rows: float, is_whole: bool = True
) -> Combination:
    """Independent. Return a search that combines others."""
    is_exact = is_whole and all(part.is_exact for part in parts)
    size = sum(part.bytes for part in parts)
    checked = sum(part.checked for part in parts) if is_exact else rows
    return Combination(parts, is_both, rows, checked, size, sum(part.seconds for part in parts), is_exact)


class Reading:
    """What reading some columns of a table takes."""

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        self._columns = len(names)
        self.row_bytes = sum(dtype_of(table[name].type).itemsize for name in names)
        self._rows = len(table)
        self._find_chunk: Callable[[], int] = lambda: table.chunk_rows(names)

    def of_blocks(self, blocks: Sequence[Rows]) -> float:
        """The seconds for contiguous rows."""
        rows = sum(count for _, count in blocks)
        reads = self._columns * len(blocks)
        return (
            rows * (self.row_bytes / BYTES_PER_SECOND + self._columns * SECONDS_PER_SCANNED_VALUE)
            + reads * SECONDS_PER_READ
        )

    def of_rows(self, rows: float) -> float:
        """The seconds for as many rows somewhere in the table."""
        if not self._columns or not rows:
            return 0.0
        whole = self.of_blocks([(0, self._rows)])
        chunk = self._find_chunk() * self.row_bytes / BYTES_PER_SECOND
        return min(rows * (self._columns * SECONDS_PER_READ + chunk), whole) + rows * SECONDS_PER_CHOSEN_ROW
