"""The rows of a table that satisfy a condition.

for first, rows in table.where("px > 0"):
    ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import Placing, UsageError
from quire.io.binnable import Binnable
from quire.io.habits import Hinting, instead_of_array
from quire.io.memory import Growing, allocate
from quire.io.quantity import Quantity
from quire.io.rows import Rows, select
from quire.io.search import Part, Report, Search, bound_condition
from quire.io.types import Array

if TYPE_CHECKING:
    from quire.io.expression import Expression
    from quire.io.histograms import Cut
    from quire.io.table import Progress, Table


MOST_NUMBERS: Final = 1 << 20
"""Rows that all match in a block."""
FEW_NUMBERS: Final = 1 << 16
"""Rows whose numbers fit a cache."""


def shifted(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    """Independent. Report the progress in one of several blocks of rows."""
    progress(before + done, total)


def divided(rows: range, size: int) -> Iterator[range]:
    """Independent. Yield consecutive rows as parts of this size."""
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def joined(parts: Sequence[Array | range]) -> Array:
    """Independent. Return the numbers of rows; those that are consecutive are written once."""
    (made,) = allocate([np.dtype(np.int64)], sum(map(len, parts)))
    begin = 0
    for part in parts:
        if isinstance(part, range):
            first = np.arange(min(len(part), FEW_NUMBERS))
            for some in divided(part, FEW_NUMBERS):
                np.add(first[: len(some)], some.start, out=made[begin : begin + len(some)])
                begin += len(some)
            continue
        made[begin : begin + len(part)] = part
        begin += len(part)
    return made


class Matches(Binnable):
    """The rows of a table that satisfy a condition. A handle: rows are searched on request.

    Iteration yields (first, rows) for each block that was read: the number of its first row, and the numbers
    of the matching rows. All methods are independent; a rank that searches `table.share(rank, size)` has its
    part of the answer.

    >>> with quire.open("beam.h5") as file:
    ...     halo = file.step(20).table.where("x > 6e-4")
    ...     halo.count(), halo.numbers().tolist(), halo.ids().tolist(), halo["px"][:].round(4).tolist()
    (2, [794, 1856], [794, 1856], [0.0127, 0.0078])
    """

    def __init__(self, table: Table, condition: Expression | str, rows: Rows | None = None) -> None:
        self.table = table
        self._count: int | None = None
        self._bound = bound_condition(table, condition)
        self.condition, self.bound = self._bound.condition, self._bound.bound
        if not self.bound.is_condition:
            raise UsageError(f"'{self.condition.text}' is not a condition: compare something, as in x > 0")
        self.bound.warn_of_units()
        selection = select(rows, len(self.table))
        if not selection.is_contiguous:
            raise UsageError("conditions need contiguous rows")
        self._rows = (selection.first, selection.count)
        self.report = Report()
        """What the last search has read."""

    @property
    def columns(self) -> Mapping[str, MatchingColumn]:
        """Independent. Return the columns of the matching rows, by name, in file order."""
        return {name: self[name] for name in self.table.columns}

    def __getitem__(self, name: str) -> MatchingColumn:
        return MatchingColumn(self, self.table[name])

    def __len__(self) -> int:
        """Independent. Return the number of matching rows; counted once."""
        if self._count is None:
            self._count = self.count()
        return self._count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[tuple[int, Array]]:
        for first, found, _ in self._found([], None, None):
            yield first, found

    def blocks(
        self,
        names: Iterable[str] | str | None = None,
        rows_per_block: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[Array, dict[str, Array]]]:
        """Independent. Yield numbers and values of the matching rows, for each block of the table with any.

        The values are copies. Memory is bounded by the block that is read, or the rows that a list of the
        index has.
        """
        for _, found, values in self._found(self._wanted(names), rows_per_block, progress):
            if len(found):
                yield found, values

    def numbers(self) -> Array:
        """Independent. Return the numbers of all matching rows, ascending."""
        parts = [found for _, found, _ in self._pieces([], None, None)]
        return parts[0] if len(parts) == 1 and isinstance(parts[0], np.ndarray) else joined(parts)

    def ids(self, key: str = "") -> Array:
        """Independent. Return the ids of the matching rows, in the order of the rows: the values of column
        `key`, by default `id`, or the only `...ID` or `..._id`. `File.track` follows them.

        >>> with quire.open("beam.h5") as file:
        ...     file.step(20).table.where("x > 6e-4").ids().tolist()
        [794, 1856]
        """
        from quire.io.tracks import key_of

        name = key_of(self.table, key)
        return self.read([name])[name]

    def count(self) -> int:
        """Independent. Return the number of matching rows."""
        total = 0
        for part in self._search(None):
            if (found := self._searched.count(part)) is not None:
                total += found
                continue
            # If this fails, a generator expression would keep the blocks open while the error exists.
            for first, block, count in self._blocks([], part, None, None):
                total += count if block is None else self.bound.count(block, first, count)
        return total

    def read(self, names: Iterable[str] | str | None = None) -> dict[str, Array]:
        """Independent. Return the values of the matching rows, by column."""
        found = {name: Growing(self.table[name].dtype) for name in self._wanted(names)}
        for _, block in self.blocks(found):
            for name, values in block.items():
                found[name].append(values)
        return {name: one.values for name, one in found.items()}

    def to_pandas(self, names: Iterable[str] | str | None = None) -> Any:
        """Independent. Read the matching rows as a pandas DataFrame, see `Table.to_pandas`.

        The index contains their numbers in the table.
        """
        from quire.io import pandas

        wanted = self._wanted(names)
        numbers: list[Array] = [np.empty(0, np.int64)]
        parts: dict[str, list[Array]] = {name: [np.empty(0, self.table[name].dtype)] for name in wanted}
        for found, block in self.blocks(wanted):
            numbers.append(found)
            for name in wanted:
                parts[name].append(block[name])
        values = {name: np.concatenate(some) for name, some in parts.items()}
        return pandas.frame_of(values, np.concatenate(numbers), self.table)

    def _cut(self) -> Cut:
        from quire.io.histograms import Cut

        first, count = self._rows
        return Cut(self.table, self, slice(first, first + count))

    def within(self, rows: Rows) -> Matches:
        """Independent. Return the matches among other rows. Values of all rows, such as `max(x)`, are
        computed once for both.
        """
        selection = select(rows, len(self.table))
        made = copy(self)
        made._rows, made._count = (selection.first, selection.count), None
        made.report = Report()
        return made

    def _wanted(self, names: Iterable[str] | str | None) -> list[str]:
        with Placing(""):
            return [names] if isinstance(names, str) else list(self.table if names is None else names)

    def _search(self, names: Sequence[str] | None) -> Sequence[Part]:
        """Return how the rows are searched whose values of these columns are wanted, or only their number."""
        self._searched = Search(self._bound.plan(names), self._rows)
        self.report = self._searched.report
        return self._searched.parts

    def _found(
        self, names: Sequence[str], rows_per_block: int | None, progress: Progress | None
    ) -> Iterator[tuple[int, Array, dict[str, Array]]]:
        """Yield the first row of each block that is searched, and the numbers and values of its matches."""
        for first, found, values in self._pieces(names, rows_per_block, progress):
            if isinstance(found, np.ndarray):
                yield first, found, values
                continue
            for some in divided(found, MOST_NUMBERS):
                yield some.start, np.arange(some.start, some.stop), {}

    def _pieces(
        self, names: Sequence[str], rows_per_block: int | None, progress: Progress | None
    ) -> Iterator[tuple[int, Array | range, dict[str, Array]]]:
        """Yield the same, with consecutive rows that all match as a range."""
        for part in self._search(names):
            if (numbers := self._searched.numbers(part)) is not None:
                yield from self._chosen(names, part, numbers, rows_per_block)
                if progress is not None:
                    progress(sum(part.rows) - self._rows[0], self._rows[1])
                continue
            for first, block, count in self._blocks(names, part, rows_per_block, progress):
                if block is None:
                    yield first, range(first, first + count), {}
                    continue
                found = self.bound.select(block, first, count)
                here = found - first if names else found
                yield first, found, {name: block[name].take(here) for name in names}

    def _chosen(
        self, names: Sequence[str], part: Part, numbers: Array, rows_per_block: int | None
    ) -> Iterator[tuple[int, Array, dict[str, Array]]]:
        """Yield the values of rows that match, without the others."""
        size = rows_per_block or self.table.rows_per_block(names)
        for begin in range(0, max(len(numbers), 1), size):
            some = numbers[begin : begin + size]
            yield part.rows[0], some, self.table.read(names, some) if names else {}

    def _blocks(
        self, names: Sequence[str], part: Part, rows_per_block: int | None, progress: Progress | None
    ) -> Iterator[tuple[int, dict[str, Array] | None, int]]:
        """Yield blocks of the needed columns; only their sizes if none is needed. Rows that all match are
        blocks of None.
        """
        needed = list(dict.fromkeys([*self._wanted(names), *self.bound.columns]))
        if needed:
            begin, total = self._rows
            for rows, is_certain in self._searched.blocks(part):
                shown = None if progress is None else partial(shifted, progress, rows[0] - begin, total)
                if is_certain:
                    yield rows[0], None, rows[1]
                    if shown is not None:
                        shown(rows[1], rows[1])
                    continue
                for start, block in self.table.blocks(needed, rows_per_block, rows, shown):
                    yield start, block, len(block[needed[0]])
            return
        first, count = part.rows
        size = rows_per_block or self.table.rows_per_block([])
        for start in range(first, first + count, size):
            yield start, {}, min(size, first + count - start)

    def __repr__(self) -> str:
        return f"<Matches of {self.condition.text} in {self.table!r}>"


class MatchingColumn(Hinting, Quantity):
    """A column of the rows that satisfy a condition. They are searched whenever values are read."""

    def __init__(self, matches: Matches, column: Any) -> None:
        super().__init__(getattr(column, "_quantity", column))
        self._matches = matches

    def __len__(self) -> int:
        return len(self._matches)

    def __bool__(self) -> bool:
        return True

    @property
    def shape(self) -> tuple[int]:
        """The shape of the values, as in NumPy."""
        return (len(self),)

    def read(self) -> Array:
        """Independent. Return the values of the matching rows."""
        return self._matches.read(self.name)[self.name]

    def __getitem__(self, index: Any) -> Any:
        return self.read()[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        values = self.read()
        return values if dtype is None else values.astype(dtype, copy=False)

    def _instead_of(self, name: str) -> str | None:
        return instead_of_array("column", name)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        return f"<Column {self.name}{unit} of the rows with {self._matches.condition.text}: {self.type}>"
