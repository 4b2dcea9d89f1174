"""Choose rows by a condition, and add columns and attributes by expressions: verbs that work row by row."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, TypeVar, cast

import numpy as np

from quire import File, Step, Table
from quire.io.expression import Expression
from quire.io.histograms import Cut
from quire.io.matches import Matches
from quire.io.memory import Growing, require_room
from quire.io.types import Array, dtype_of
from quire.io.zones import near_rows
from quire.toolkit.copied_table import CopiedTable, rows_of
from quire.toolkit.definitions import Definition, DerivedStep, parse_definitions
from quire.toolkit.missing import missing_operands, missing_results
from quire.toolkit.selection import AskedRows, parse_rows
from quire.verbs.select import select
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
    MadeStep,
    MissingValues,
    StepLike,
    TableLike,
    rows_to_read,
    taken,
    with_other_rows,
)

S = TypeVar("S", bound=StepChain)

ALL_ROWS = slice(None)


class Counters(Mapping[str, int]):
    """What `step`, `page` and `rows` mean, of which `rows` is counted on use."""

    def __init__(self, known: Mapping[str, int], table: Sized) -> None:
        self._known = known
        self._table = table

    def __getitem__(self, name: str) -> int:
        return len(self._table) if name == "rows" else self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class MatchingTable(CopiedTable):
    """The rows of a table that satisfy a condition.

    The condition is evaluated once: when columns of all rows are first read, together with them, or when the
    number of rows is asked for. Other columns are then read only in the blocks with such rows.
    """

    def __init__(self, table: TableLike, condition: Expression, rows: Any = None) -> None:
        self.name = table.name
        self.columns = table.columns
        self._table = table
        self._matches = Matches(cast("Table", table), condition, rows)
        self._numbers = Growing(np.dtype(np.int64))
        self.is_searched = False
        """Whether it is known which rows satisfy the condition."""

    @property
    def cut(self) -> Cut:
        """The rows of the table that it has been made of."""
        return Cut(cast("Table", self._table), self._matches)

    @property
    def numbers(self) -> Array:
        """Independent. Return the numbers of the rows in the table, ascending."""
        if not self.is_searched:
            deque(self._found([]), maxlen=0)
        return self._numbers.values

    def __len__(self) -> int:
        return len(self.numbers)

    def scope(self) -> Any:
        """Independent. Return the names of expressions. Rows are counted when an expression asks for it."""
        columns, attributes, counters = self._table.scope()
        return columns, attributes, Counters(counters, self)

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._table.rows_per_block(names)

    def rows_to_read(self, names: Iterable[str]) -> int:
        """Independent. Return the rows of blocks to read one after another, of those that are searched."""
        return rows_to_read(self._table, [*names, *self._matches.bound.columns])

    def read(self, names: Iterable[str] | None = None, rows: Any = None) -> dict[str, Array]:
        """Independent. Return columns by name, of all or some contiguous rows."""
        wanted = list(self.columns if names is None else names)  # list(self) asks for the number of rows
        if rows is not None or self.is_searched or not wanted:
            return super().read(wanted, rows)
        found = {name: Growing(dtype_of(self[name].type)) for name in wanted}
        for block in self._found(wanted):
            for name, values in block.items():
                found[name].append(values)
            require_room(sum(one.values.nbytes for one in found.values()), "the columns")
        return {name: one.values for name, one in found.items()}

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`, over the rows that satisfy the condition."""
        wanted = list(names)
        if rows is None and progress is None and wanted and not self.is_searched:
            done = 0
            for block in self._found(wanted, rows_per_block):
                yield done, block
                done += len(block[wanted[0]])
            return
        first, count = rows_of(rows, len(self))
        if count == 0:
            return
        numbers = self.numbers[first : first + count]
        size = rows_per_block or self.rows_per_block(wanted)
        done = 0
        near = (block for part in near_rows(numbers) for block in self._table.blocks(wanted, size, part))
        for start, block in near:
            end = start + len(next(iter(block.values())))
            stop = int(np.searchsorted(numbers, end))
            here = numbers[done:stop] - start
            if len(here):
                yield first + done, {name: values.take(here) for name, values in block.items()}
                done = stop
                if progress is not None:
                    progress(done, count)

    def _found(self, names: Sequence[str], size: int | None = None) -> Iterator[dict[str, Array]]:
        """Yield columns of the rows of each block with any. After the last one the rows are known."""
        numbers = Growing(np.dtype(np.int64))
        for found, block in self._matches.blocks(names, size or self.rows_to_read(names)):
            numbers.append(found)
            yield block
        self._numbers, self.is_searched = numbers, True


class RowRange(CopiedTable):
    """Contiguous rows of a table, which alone are read."""

    def __init__(self, table: TableLike, first: int, count: int) -> None:
        self.name = table.name
        self.columns = table.columns
        self._table = table
        self._first = first
        self._count = count

    def __len__(self) -> int:
        return self._count

    def scope(self) -> Any:
        """Independent. Return the names of expressions."""
        columns, attributes, counters = self._table.scope()
        return columns, attributes, Counters(counters, self)

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._table.rows_per_block(names)

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`."""
        first, count = rows_of(rows, self._count)
        reach = (self._first + first, count)
        for start, block in self._table.blocks(names, rows_per_block, reach, progress):
            yield start - self._first, block


def filter_(chain: S, condition: str) -> S:
    """Independent. Keep the rows that satisfy a condition; steps without such rows stay, with empty tables.

    Only the columns of the condition are read for it, and others only where they are used.

    >>> import quire
    >>> with quire.chain("beam.h5") as chain:
    ...     [len(step.table) for step in chain.filter("x > 0 and y > 0")][:3]
    [514, 498, 510]
    """
    parsed = Expression(condition)

    def kept(step: StepLike, table: Any) -> StepLike:
        made = with_other_rows(step, cast("TableLike", MatchingTable(table, parsed)))
        if chain.is_strict:
            made.warnings += map(MissingValues, missing_operands(table, parsed))
        return made

    return chain.each(kept)


def define(chain: S, *definitions: str | Definition, replace: bool = False) -> S:
    """Independent. Add columns and attributes: `NAME=EXPR` or `NAME[unit]=EXPR`, as `quire define`, or
    definitions of `quire.toolkit.definitions`, which say more.

    Each definition may use those before it. With `replace` it may have the name of an existing column.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     chain.define("r=hypot(x, y)", "r2=r**2").read(["r2"])["r2"].shape
    (2000,)
    """
    parsed = parse_definitions(definitions)

    def defined(step: StepLike, table: Any) -> StepLike:
        derived = DerivedStep(cast("File", chain), cast("Step", step), parsed, table.name, replace)
        for problem in derived.left_out.values():
            raise problem
        made = with_other_rows(cast("StepLike", derived), derived.tables[table.name])
        if chain.is_strict:
            made.warnings += map(MissingValues, missing_results(derived))
        return made

    return chain.each(defined)


def rows(chain: S, which: slice | Sequence[int] | str) -> S:
    """Independent. Keep a slice of the rows of each step, `slice(0, 1)` or "0:1", or rows by number."""
    wanted = parse_rows(which) if isinstance(which, str) else which

    def chosen(step: StepLike, table: Any) -> MadeStep:
        if isinstance(wanted, slice) and wanted.step in (None, 1):
            return with_other_rows(step, RowRange(table, *rows_of(wanted, len(table))))
        numbers = np.arange(len(table), dtype=np.int64)[wanted if isinstance(wanted, slice) else list(wanted)]
        return with_other_rows(step, taken(table, numbers))

    return chain.each(chosen)


def part(
    chain: S, rows: slice = ALL_ROWS, where: str | None = None, columns: Sequence[str] | None = None
) -> S:
    """Independent. Keep the rows of a slice that satisfy a condition, and some columns: what the options of
    commands select. `row` in the condition is the number in the whole table.

    Iteration raises UsageError at its end if there are rows, but no table has one of the slice.
    """
    asked = AskedRows(rows)
    condition = None if where is None else Expression(where)

    def chosen(step: StepLike, table: Any) -> StepLike:
        asked.note([table])
        reach = rows_of(rows, len(table))
        if condition is None:
            return with_other_rows(step, RowRange(table, *reach))
        made = with_other_rows(step, cast("TableLike", MatchingTable(table, condition, reach)))
        if chain.is_strict:
            made.warnings += map(MissingValues, missing_operands(RowRange(table, *reach), condition))
        return made

    def checked(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        yield from steps
        asked.require(chain.path)

    kept = chain
    if condition is not None or rows != ALL_ROWS:
        kept = chain.each(chosen).through(checked)
    return kept if columns is None else select(kept, columns)
