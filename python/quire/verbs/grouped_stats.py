"""Reduce groups of rows to a row each, if possible in one pass over the rows, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quire.io.attributes import Attribute
from quire.io.types import Array, dtype_of
from quire.numeric.group_numbers import MOST_GROUPS, GroupNumbers, TooManyGroupsError
from quire.numeric.tally import NumberedGroups
from quire.toolkit.selection import select_names
from quire.verbs.group import Division, Numberings, numbered
from quire.verbs.numbers import missing_in
from quire.verbs.order import Key, order_of
from quire.verbs.pages import collapsed
from quire.verbs.reducing import ROWS, Reducing, Request, Tallies
from quire.verbs.steplike import (
    MadeStep,
    MadeTable,
    NewColumn,
    StepLike,
    TableLike,
    even_blocks,
    keys_of,
    texts_of,
)


@dataclass(frozen=True)
class GroupedStats:
    """The verbs `group` and `stats` after it, as one.

    Only the columns that are reduced or divide rows are read. Reductions that one pass computes move no rows.
    """

    division: Division
    request: Request

    def __call__(self, steps: Iterator[StepLike]) -> Iterator[StepLike]:
        """Independent. Yield a step with a row of each group, for each step that has rows."""
        yield from filter(None, map(self.of, steps))

    def of(self, step: StepLike) -> MadeStep | None:
        """Independent. Return a step of the same number with a row of each group; None without groups."""
        table = self.division.chain.table_of(step)
        wanted = self.request.reducings(table)
        quantities = self.request.quantities(table)
        if any(name != ROWS for name in quantities):
            return self.of_rows(step, None)
        if quantities or not all(one.needs_one_pass(table) for one in wanted):
            names = [name for one in wanted for name in (one.column, *one.others)]
            known = list(table.columns)
            return self.of_rows(step, select_names(names or known[:1], known, "column"))
        try:
            found = self.in_one_pass(table, wanted)
        except TooManyGroupsError:
            found = self.of_sorted_rows(table, wanted)
        lost = self.division.lost_rows(step, found.numberings, len(found))
        return found.step(step, self.division, wanted, lost) if len(found) else None

    def of_rows(self, step: StepLike, names: Sequence[str] | None) -> MadeStep | None:
        """Independent. Reduce each group by itself, of which these columns are needed."""
        chain = self.division.chain
        made: list[MadeStep] = []
        found: dict[str, None] = {}
        for group in self.division.groups(step, names):
            results = self.request.results(group, chain.table_of(group))
            found.update(dict.fromkeys(results))
            made.append(small(group, results))
        return with_results(collapsed(made, step.number), keys_of(made[0]), found) if made else None

    def in_one_pass(self, table: TableLike, wanted: Sequence[Reducing]) -> Reduced:
        """Independent. Reduce all groups in one pass. Raises TooManyGroupsError."""
        groupings = self.division.groupings
        numberings = self.division.numberings(table)
        groups, tallies = GroupNumbers(len(groupings)), Tallies(wanted)
        columns = [grouping.column for grouping in groupings if grouping.column]
        done = 0
        for block in even_blocks(table, list(dict.fromkeys([*columns, *tallies.columns]))):
            count = len(block[tallies.columns[0]])
            found = numbered(groupings, numberings, block, done, count)
            done += count
            keys = [
                block[grouping.column] if numbers is None else numbers
                for grouping, numbers in zip(groupings, found, strict=True)
            ]
            outside = [numbers < 0 for numbers in found if numbers is not None]
            if np.any(outside):
                is_in = ~np.logical_or.reduce(outside)
                keys = [values[is_in] for values in keys]
                block = {name: values[is_in] for name, values in block.items()}
            if len(keys[0]):
                tallies.add(block, NumberedGroups(groups.of(keys), len(groups)))
        dtypes = [
            dtype_of(table[grouping.column].type if one is None else "int64")
            for grouping, one in zip(groupings, numberings, strict=True)
        ]
        values = groups.values(dtypes)
        named = {str(place): array for place, array in enumerate(values)}
        order = order_of(named, [Key(name) for name in named])
        return Reduced(
            numberings,
            [array[order] for array in values],
            [tallies.result(one)[order] for one in wanted],
        )

    def of_sorted_rows(self, table: TableLike, wanted: Sequence[Reducing]) -> Reduced:
        """Independent. Reduce rows in the order of their groups, some of the groups at a time."""
        numberings = self.division.numberings(table)
        found = self.division.divided(table, numberings, [one.column for one in wanted])
        parts = []
        for first in range(0, len(found.lengths), MOST_GROUPS):
            lengths = found.lengths[first : first + MOST_GROUPS]
            numbers = np.repeat(np.arange(len(lengths)), lengths)
            tallies, done = Tallies(wanted), 0
            rows = found.rows.part(int(found.starts[first]), len(numbers))
            for block in even_blocks(rows, tallies.columns):
                here = numbers[done : done + len(block[tallies.columns[0]])]
                done += len(here)
                tallies.add(block, NumberedGroups(here, len(lengths)))
            parts.append([tallies.result(one) for one in wanted])
        return Reduced(numberings, found.keys, [np.concatenate(one) for one in zip(*parts, strict=True)])


@dataclass(frozen=True)
class Reduced:
    """The groups of a step: for each grouping their numbers or values, and the results of each reduction."""

    numberings: Numberings
    keys: Sequence[Array]
    results: Sequence[Array]

    def __len__(self) -> int:
        return len(self.keys[0])

    def step(
        self, step: StepLike, division: Division, wanted: Sequence[Reducing], warnings: Sequence[str]
    ) -> MadeStep:
        """Independent. Return a step of the same number with a row of each group: attributes and results."""
        table = division.chain.table_of(step)
        columns: dict[str, NewColumn | None] = {
            name: NewColumn(name, np.full(len(self), info.value, dtype_of(info.type)), texts_of(info))
            if is_in_rows(step, info)
            else None
            for name, info in step.attrs.info.items()
        }
        values = division.values(self.numberings, self.keys)
        for grouping, array in zip(division.groupings, values, strict=True):
            texts = texts_of(table[grouping.column]) if grouping.column else ""
            columns[grouping.name] = NewColumn(grouping.name, as_texts(array), texts)
        for one, result in zip(wanted, self.results, strict=True):
            columns[one.name] = NewColumn(one.name, result, one.unit_in(table))
        kept = [column for column in columns.values() if column is not None]
        made = MadeStep(step.number, [], [MadeTable(kept, len(self))], [*step.warnings, *warnings])
        keys = [*keys_of(step), *(grouping.name for grouping in division.groupings)]
        return with_results(made, keys, dict.fromkeys(one.name for one in wanted))


def as_texts(values: Array) -> Array:
    """Independent. Return characters as texts, as attributes have them; other values as they are."""
    if values.dtype.kind != "S":
        return values
    found = np.empty(len(values), object)
    found[:] = [one.decode("utf-8", "surrogateescape") for one in values.tolist()]
    return found


def with_results(made: MadeStep, keys: Iterable[str], names: Sequence[str] | Mapping[str, None]) -> MadeStep:
    """Independent. Return a step with these results of rows that have these keys. A warning says how many
    results are missing.
    """
    made.table.results = list(dict.fromkeys([*keys, *names]))
    made.warnings += missing_in(made, [made.table[name] for name in names])
    return made


def is_in_rows(step: StepLike, info: Attribute) -> bool:
    """Independent. Return whether rows of steps and groups have an attribute: single numbers, and what
    divided rows into groups, also texts.
    """
    is_text = info.type in ("string", "character")
    return np.ndim(info.value) == 0 and (not is_text or info.name in keys_of(step))


def small(step: StepLike, results: Mapping[str, Attribute]) -> MadeStep:
    """Independent. Return a step with attributes only, which needs no memory for rows."""
    attributes = {name: info for name, info in step.attrs.info.items() if is_in_rows(step, info)}
    made = MadeStep(step.number, (attributes | dict(results)).values(), [], step.warnings)
    made.group_of = getattr(step, "group_of", None)
    return made
