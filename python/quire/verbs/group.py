"""Divide steps into groups of rows, of which each becomes a step."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.io.foreign import require
from quire.io.types import Array, dtype_of
from quire.near import there_is_no
from quire.numeric.histograms import Bins, finite_limits
from quire.toolkit.engine import PURPOSE
from quire.toolkit.engine_columns import numbers_in
from quire.verbs.order import Key, Runs, order_of, require_columns, runs_of
from quire.verbs.relational import Side, ordered, ordered_keys, uses_engine
from quire.verbs.spilled import SpilledTable
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import (
    GroupOf,
    MadeStep,
    MadeTable,
    MissingValues,
    NewColumn,
    StepLike,
    TableLike,
    estimated_bytes,
    even_blocks,
    in_memory,
    keys_of,
    new_attribute,
    warnings_of,
)

S = TypeVar("S", bound=StepChain)

HOWS: Mapping[str, str] = {
    "bin": "bin(COLUMN, COUNT), with COUNT from 1 on",
    "gap": "gap(COLUMN, DISTANCE), with DISTANCE from 0 on",
    "every": "every(COUNT), with COUNT from 1 on",
    "change": "change(COLUMN)",
}
"""How rows are assigned to groups other than by values, and how it is written."""

CALL = re.compile(rf"(?P<how>{'|'.join(HOWS)})\((?P<arguments>[^()]*)\)")
IS_NAMED = re.compile(r"(?P<name>[^=()]+)=(?P<rest>.+)")


@dataclass(frozen=True)
class Grouping:
    """How rows are assigned to groups: by the values of a column, in bins, at gaps, or in blocks.

    `how` is `value`, `bin` (of equal width, `amount` of them), `gap` (rows further apart than `amount` begin
    a group; NaN is twice the mean distance), `every` (blocks of `amount` rows), or `change` (a new group
    wherever the value changes, without sorting).
    """

    name: str
    """The attribute that each group gets: the value, or the middle of the bin."""
    how: str
    column: str = ""
    amount: float = float("nan")

    @classmethod
    def parse(cls, text: str) -> Grouping:
        """Independent. Parse `k`, `slice=bin(z, 50)`, `gap(t, 1e-9)`, `every(100)` or `change(k)`."""
        named = IS_NAMED.fullmatch(text)
        call = CALL.fullmatch((named["rest"] if named else text).strip())
        if call is None:
            if named or not text.strip():
                raise UsageError(f"'{text}' is no group; write NAME=bin(COLUMN, COUNT)")
            return cls(text, "value", text)
        words = [word.strip() for word in call["arguments"].split(",")]
        how = call["how"]
        column = "" if how == "every" else words.pop(0)
        given, words = words[:1], words[1:]
        try:
            amount = float(given[0]) if given else math.nan
        except ValueError:
            raise UsageError(f"'{text}' is no group; write {HOWS[how]}") from None
        least = 1 if how in ("bin", "every") else 0
        is_wrong = (given or least) and not least <= amount < math.inf
        if words or is_wrong or (how != "every" and not column):
            raise UsageError(f"'{text}' is no group; write {HOWS[how]}")
        return cls(named["name"].strip() if named else column or "block", how, column, amount)

    def require_column(self, table: TableLike) -> None:
        """Independent. Raise an error unless the table has the column."""
        if not self.column or self.column in table:
            return
        function, parenthesis, _ = self.column.partition("(")
        if parenthesis and function not in HOWS:
            raise UsageError(there_is_no("kind of group", function, list(HOWS)))
        if self.column.isdecimal():
            advice = f"bins are written bin(COLUMN, {self.column})"
            raise MissingError(there_is_no("column", self.column, list(table)), advice=advice)
        require_columns(table, [self.column])

    def numbering(self, table: TableLike) -> Numbering | None:
        """Independent. Return what numbers the groups of rows; None if the values of the column do."""
        if self.how == "value":
            return None
        if self.how == "every":
            return Blocks(int(self.amount))
        if self.how == "change":
            return Changes()
        if dtype_of(table[self.column].type).kind not in "iuf":
            raise TypeMismatchError(f"{self.how} needs a column of numbers", object=self.column)
        if self.how == "bin":
            return InBins.between(limits_of(table, self.column), int(self.amount))
        limit = self.amount
        return Gaps(2 * mean_distance(table, self.column) if np.isnan(limit) else limit)


class Numbering(Protocol):
    """Numbers the groups of rows, block by block. -1 is no group."""

    def numbers(self, values: Array | None, first: int, count: int) -> Array:
        """Independent. Return the numbers of the next rows."""

    def values(self, numbers: Array) -> Array:
        """Independent. Return the values of groups."""


@dataclass(frozen=True)
class Blocks:
    """Blocks of equally many rows, numbered from 0."""

    size: int

    def numbers(self, values: Array | None, first: int, count: int) -> Array:
        """Independent. Return the numbers of the next rows."""
        return np.arange(first, first + count) // self.size

    def values(self, numbers: Array) -> Array:
        """Independent. Return the values of groups."""
        return numbers.astype(np.int64)


@dataclass
class InBins:
    """Bins of equal width, which contain all finite values; they are numbered from 0. The rows are counted,
    and those in no bin.
    """

    bins: Bins
    rows: int = 0
    lost: int = 0

    @classmethod
    def between(cls, limits: tuple[float, float], count: int) -> InBins:
        """Independent. Divide an interval, also one of no length."""
        low, high = limits
        return cls(Bins(low, (high - low) / count or 1.0, count, high))

    def numbers(self, values: Array | None, first: int, count: int) -> Array:
        """Independent. Return the numbers of the next rows; those of NaN and infinities are -1."""
        found = self.bins.place(np.asarray(values))
        found -= 1
        found[found == self.bins.count] = -1
        self.rows += count
        self.lost += int(np.count_nonzero(found < 0))
        return found

    def values(self, numbers: Array) -> Array:
        """Independent. Return the middles of bins."""
        return self.bins.middles(numbers)


class Successive:
    """Groups that begin where a row differs from the one before; their values are those of the first rows."""

    def __init__(self) -> None:
        self._last: Array | None = None
        self._values: list[Array] = []
        self._count = 0

    def begins(self, before: Array, values: Array) -> Array:
        """Independent. Return whether rows begin a group, from the values of the rows before them."""
        raise NotImplementedError

    def numbers(self, values: Array | None, first: int, count: int) -> Array:
        """Independent. Return the numbers of the next rows."""
        given = np.asarray(values)
        if not count:
            return np.empty(0, np.int64)
        before = given[:1] if self._last is None else self._last
        begins = self.begins(np.concatenate([before, given[:-1]]), given)
        begins[0] |= self._last is None
        numbers = self._count - 1 + np.cumsum(begins)
        self._values.append(given[begins])
        self._count += len(self._values[-1])
        self._last = given[-1:].copy()
        return numbers.astype(np.int64)

    def values(self, numbers: Array) -> Array:
        """Independent. Return the values of the first rows of groups."""
        return np.asarray(np.concatenate(self._values)[numbers]) if len(numbers) else np.empty(0)


class Changes(Successive):
    """Runs of equal values. NaN are equal."""

    def begins(self, before: Array, values: Array) -> Array:
        """Independent. Return whether rows begin a group."""
        differs = np.asarray(before != values, bool)
        if values.dtype.kind == "f":
            differs &= ~(np.isnan(before) & np.isnan(values))
        return differs


class Gaps(Successive):
    """Rows that are not further apart than a limit."""

    def __init__(self, limit: float) -> None:
        super().__init__()
        self._limit = limit

    def begins(self, before: Array, values: Array) -> Array:
        """Independent. Return whether rows begin a group."""
        with np.errstate(invalid="ignore"):  # of infinities
            return np.abs(values.astype(np.float64) - before.astype(np.float64)) > self._limit


Numberings = Sequence[Numbering | None]


def column_blocks(table: TableLike, name: str) -> Iterator[Array]:
    """Independent. Yield the values of a column, block by block."""
    if len(table):
        for _, block in table.blocks([name]):
            yield block[name]


def limits_of(table: TableLike, name: str) -> tuple[float, float]:
    """Independent. Return the least and the greatest finite value; 0 without any."""
    limits = [finite_limits(block[name]) for block in even_blocks(table, [name])]
    found = [pair for pair in limits if pair is not None]
    return (min(low for low, _ in found), max(high for _, high in found)) if found else (0.0, 0.0)


def mean_distance(table: TableLike, name: str) -> float:
    """Independent. Return the mean distance of successive values, rounded once; NaN of less than two."""

    def distances() -> Iterator[float]:
        last = np.empty(0)
        for values in column_blocks(table, name):
            joined = np.concatenate([last, values.astype(np.float64)])
            with np.errstate(invalid="ignore"):  # of infinities
                yield from np.abs(np.diff(joined)).tolist()
            last = joined[-1:]

    count = len(table) - 1
    try:
        return math.fsum(distances()) / count if count > 0 else math.nan
    except OverflowError:
        return math.inf


def group(chain: S, *by: Names) -> S:
    """Independent. Make a step of each group of rows. Verbs after it work on each group.

    Groups are given by columns (`k`), bins of equal width (`slice=bin(z, 50)`), gaps (`gap(t, 1e-9)`), blocks
    of rows (`every(100)`) or changes (`change(k)`); with several, by all combinations that have rows. Each
    step has the attributes of its group: the value, or the middle of the bin. Rows of a group keep
    their order, groups are in the order of their values. Empty bins are left out. `stats` makes one row of
    each group.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     len(list(chain.group("slice=bin(z, 10)")))
    10
    """
    wanted = listed(*by)
    if not wanted:
        raise UsageError("group needs a column, or one of bin(...), gap(...), every(...), change(...)")
    return chain.through(Division(chain, [Grouping.parse(text) for text in wanted]))


@dataclass(frozen=True)
class Division:
    """The verb `group` of a chain, as an object that the verb after it can ask."""

    chain: StepChain
    groupings: Sequence[Grouping]

    def __call__(self, steps: Iterator[StepLike]) -> Iterator[StepLike]:
        """Independent. Yield the groups of all steps, numbered from 0."""
        number = 0
        for step in steps:
            for made in self.groups(step):
                made.number = number
                number += 1
                yield made

    def groups(self, step: StepLike, names: Sequence[str] | None = None) -> Iterator[MadeStep]:
        """Independent. Yield the groups of a step. Their tables have these columns, by default all."""
        table = self.chain.table_of(step)
        numberings = self.numberings(table)
        found = self.divided(table, numberings, names)
        keys = self.values(numberings, found.keys)
        warnings = [*warnings_of(step, table), *self.lost_rows(step, numberings, len(found.starts))]
        group_of = GroupOf(step.number, (*keys_of(step), *(one.name for one in self.groupings)))
        for first, count, *values in zip(found.starts, found.lengths, *keys, strict=True):
            attributes = {one.name: one for one in step.attrs.info.values()}
            for grouping, value in zip(self.groupings, values, strict=True):
                like = table[grouping.column] if grouping.column else None
                attributes[grouping.name] = new_attribute(grouping.name, value, like)
            rows = found.rows.part(int(first), int(count))
            yield MadeStep(step.number, attributes.values(), [rows], warnings, group_of)

    def lost_rows(self, step: StepLike, numberings: Numberings, groups: int) -> list[str]:
        """Independent. Return a warning for each column whose rows are partly in no group. Without any group
        it is a failure of the chain.
        """
        found = [
            MissingValues(
                f"step {step.number}: {one.lost} of {one.rows} values of {grouping.column} are NaN or "
                "infinite, and in no group"
            )
            for grouping, one in zip(self.groupings, numberings, strict=True)
            if isinstance(one, InBins) and one.lost
        ]
        if not groups:
            self.chain.failures.update(found)
        return list(found)

    def numberings(self, table: TableLike) -> Numberings:
        """Independent. Return what numbers the groups; None where values do. Raises errors of columns."""
        for grouping in self.groupings:
            grouping.require_column(table)
        return [grouping.numbering(table) for grouping in self.groupings]

    def divided(
        self, table: TableLike, numberings: Numberings, names: Sequence[str] | None = None
    ) -> Divided:
        """Independent. Return the rows in the order of their groups, with these columns and those of keys."""
        keys = [grouping.column for grouping in self.groupings]
        wanted = [name for name in table if names is None or name in names or name in keys]
        memory = self.chain.memory
        divide = by_engine if uses_engine(memory, estimated_bytes(table, wanted), len(table)) else by_memory
        return divide(table, wanted, self.groupings, numberings, memory)

    @staticmethod
    def values(numberings: Numberings, keys: Sequence[Array]) -> list[Array]:
        """Independent. Return for each grouping the values of the groups, of what `Divided.keys` has."""
        return [
            given if one is None else one.values(given) for one, given in zip(numberings, keys, strict=True)
        ]


@dataclass(frozen=True)
class Divided:
    """Rows in the order of their groups. `keys`: for each grouping the numbers or values of all groups."""

    rows: Any
    starts: Array
    lengths: Array
    keys: Sequence[Array]


def numbered(
    groupings: Sequence[Grouping], numberings: Numberings, block: Mapping[str, Array], first: int, count: int
) -> list[Array | None]:
    """Independent. Return the numbers of the groups of the next rows; None where values are the groups."""
    return [
        None if one is None else one.numbers(block.get(grouping.column), first, count)
        for grouping, one in zip(groupings, numberings, strict=True)
    ]


def by_memory(
    table: TableLike,
    names: Sequence[str],
    groupings: Sequence[Grouping],
    numberings: Numberings,
    memory: int | None,
) -> Divided:
    """Independent. Divide rows in memory."""
    columns = in_memory(table, list(dict.fromkeys(one.column for one in groupings if one.column)))
    found = numbered(groupings, numberings, columns, 0, len(table))
    keys = [
        columns[grouping.column] if numbers is None else numbers
        for grouping, numbers in zip(groupings, found, strict=True)
    ]
    named = {str(place): values for place, values in enumerate(keys)}
    order = order_of(named, [Key(name) for name in named])
    is_in = [numbers[order] >= 0 for numbers in found if numbers is not None]
    order = order[np.logical_and.reduce(is_in)] if is_in else order
    starts = runs_of({name: values[order] for name, values in named.items()}, len(order))
    firsts = [values[order[starts]] for values in keys]
    return Divided(TakenRows(table, names, order), starts, np.diff(np.append(starts, len(order))), firsts)


def by_engine(
    table: TableLike,
    names: Sequence[str],
    groupings: Sequence[Grouping],
    numberings: Numberings,
    memory: int | None,
) -> Divided:
    """Independent. Divide rows by the engine."""
    done = 0
    pyarrow = require("pyarrow", PURPOSE)

    def columns(block: Mapping[str, Array]) -> dict[str, Any]:
        nonlocal done
        count = len(next(iter(block.values())))
        made: dict[str, Any] = {}
        for place, numbers in enumerate(numbered(groupings, numberings, block, done, count)):
            if numbers is None:
                made |= ordered_keys(block[groupings[place].column], f"k{place}", pyarrow)
            else:
                made[f"k{place}"] = numbers
        done += count
        return made

    side = Side(table, names, keys=columns)
    terms, conditions = [], []
    for place, (grouping, one) in enumerate(zip(groupings, numberings, strict=True)):
        terms += Key("").terms(table[grouping.column].type if one is None else "int64", f"k{place}")
        conditions += [f"k{place} >= 0"] if one is not None else []
    runs = Runs([str(place) for place in range(len(groupings))])
    keys: list[list[Array]] = [[] for _ in groupings]

    def noted(batch: Any, values: Mapping[str, Array]) -> None:
        found = [
            values[grouping.column] if one is None else numbers_in(batch.column(f"k{place}"))
            for place, (grouping, one) in enumerate(zip(groupings, numberings, strict=True))
        ]
        starts = runs.add({str(place): key for place, key in enumerate(found)}, batch.num_rows)
        for all_of_key, key in zip(keys, found, strict=True):
            all_of_key.append(key[starts])

    numbers = [f"k{place}" for place, one in enumerate(numberings) if one is not None]
    rows = ordered(side, terms, memory, noted, conditions, numbers)
    spilled = SpilledTable([table[name] for name in names], rows, table.name)
    firsts = [np.concatenate(one) if one else np.empty(0) for one in keys]
    return Divided(spilled, runs.starts(), runs.lengths(), firsts)


class TakenRows:
    """Rows of a table in another order, whose columns are read once for all groups."""

    def __init__(self, table: TableLike, names: Sequence[str], order: Array) -> None:
        self._table = table
        self._names = names
        self._order = order
        self._columns: dict[str, Array] = {}

    def _read(self, name: str, first: int, count: int) -> Array:
        if name not in self._columns:
            self._columns[name] = in_memory(self._table, [name])[name].take(self._order)
        return self._columns[name][first : first + count].copy()

    def part(self, first: int, count: int) -> MadeTable:
        """Independent. Return some of the rows as a table."""
        columns = [
            NewColumn.like(self._table[name], partial(self._read, name, first, count)) for name in self._names
        ]
        return MadeTable(columns, count, self._table.name)
