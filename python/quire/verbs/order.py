"""Sort rows, keep one of equal ones, and order steps."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.io.foreign import require
from quire.io.types import Array
from quire.near import there_is_no
from quire.numeric.ordering import stable_order
from quire.toolkit.activity import doing
from quire.toolkit.copied_table import CopiedTable
from quire.toolkit.engine import PURPOSE
from quire.toolkit.engine_columns import arrow_of_bytes
from quire.verbs.relational import LaterRows, Side, ordered, ordered_keys, uses_engine
from quire.verbs.spilled import SpilledTable
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import (
    MadeStep,
    MadeTable,
    NewColumn,
    StepLike,
    TableLike,
    estimated_bytes,
    in_memory,
    made_from,
    taken,
    with_other_rows,
)

S = TypeVar("S", bound=StepChain)

MANNERS = ("asc", "desc", "abs", "natural")
DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Key:
    """A column to sort by. `natural` orders the digits in texts as numbers."""

    name: str
    descending: bool = False
    absolute: bool = False
    natural: bool = False

    @classmethod
    def parse(cls, text: str) -> Key:
        """Independent. Parse `NAME` or `NAME:desc:abs`; `asc` is the usual order. Raises UsageError."""
        name, *manners = text.split(":")
        for one in manners:
            if one not in MANNERS:
                raise UsageError(f"'{one}' in '{text}' is not one of {', '.join(MANNERS)}")
        if {"asc", "desc"} <= {*manners}:
            raise UsageError(f"'{text}' has two orders: write asc or desc")
        return cls(name, "desc" in manners, "abs" in manners, "natural" in manners)

    def ranks(self, values: Array) -> Array:
        """Independent. Return numbers in the order of the values. NaN and equal values keep the order of the
        rows, NaN after all others.
        """
        if values.dtype != object:
            return self.of_numbers(values)
        words = [natural(text) for text in values] if self.natural else values.tolist()
        places = {word: place for place, word in enumerate(sorted(set(words)))}
        found = np.array([places[word] for word in words], np.int64)
        return np.invert(found) if self.descending else found

    def of_numbers(self, values: Array) -> Array:
        """Independent. Return numbers, or characters as numbers, in the order of the key."""
        if self.natural:
            raise TypeMismatchError("natural order is one of texts", object=self.name)
        if values.dtype.kind == "S":
            values = values.view(np.uint8)
        if self.absolute:
            values = np.abs(values)
        if not self.descending:
            return values
        if values.dtype.kind == "f":
            return -values
        return np.invert(values)

    def for_engine(self, values: Array, name: str, pyarrow: Any) -> dict[str, Any]:
        """Independent. Return columns of the engine for a block of values, see `terms`."""
        if values.dtype != object:
            return ordered_keys(self.of_numbers(values), name, pyarrow)
        if not self.natural:
            return ordered_keys(values, name, pyarrow)
        return {name: arrow_of_bytes([natural(text) for text in values], pyarrow)}

    def terms(self, kind: str, name: str) -> list[str]:
        """Independent. Return the columns to order by, most significant first."""
        if kind == "string":
            return [f"{name} DESC" if self.descending else name]
        return [f"{name}_high", name] if kind == "float80" else [name]


def natural(text: str) -> bytes:
    """Independent. Return a key that orders the digits in a text as numbers: Q2 before Q10."""
    parts = []
    for part in DIGITS.split(text):
        if part.isdecimal():
            number = int(part)
            digits = number.to_bytes((number.bit_length() + 7) // 8, "big")
            parts.append(b"\x01" + len(digits).to_bytes(4, "big") + digits)
        elif part:
            # No text is the beginning of another.
            parts.append(b"\x02" + part.encode("utf-8", "surrogatepass").replace(b"\0", b"\0\xff") + b"\0\0")
    return b"".join(parts)


def order_of(columns: dict[str, Array], keys: Sequence[Key]) -> Array:
    """Independent. Return the numbers of the rows in the order of the keys; equal ones keep their order."""
    doing("sorting")
    *others, last = (key.ranks(columns[key.name]) for key in keys)
    order = stable_order(last)
    for ranks in reversed(others):
        order = order.take(stable_order(ranks.take(order)))
    return order


def parse_keys(keys: Sequence[Names]) -> list[Key]:
    """Independent. Parse keys, such as `z,px:desc`. Raises UsageError without any."""
    found = [Key.parse(text) for text in listed(*keys)]
    if not found:
        raise UsageError("there is no column to sort by")
    return found


def require_columns(table: TableLike, names: Sequence[str]) -> None:
    """Independent. Raise MissingError unless a table has these columns."""
    for name in names:
        if name not in table.columns:
            advice = f"a key is written with its order: {names[0]}:{name}" if name in MANNERS else ""
            raise MissingError(there_is_no("column", name, list(table)), advice=advice)


def side_of(table: TableLike, keys: Sequence[Key]) -> tuple[Side, list[str]]:
    """Independent. Return a table for the engine, and the columns of the engine to order it by."""
    pyarrow = require("pyarrow", PURPOSE)
    names = {key: f"k{place}" for place, key in enumerate(keys)}

    def columns(block: Mapping[str, Array]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, name in names.items():
            made |= key.for_engine(block[key.name], name, pyarrow)
        return made

    terms = [term for key, name in names.items() for term in key.terms(table[key.name].type, name)]
    return Side(table, list(table), keys=columns), terms


def sorted_by_engine(table: TableLike, keys: Sequence[Key], memory: int | None) -> SpilledTable:
    """Independent. Return the rows of a table in the order of the keys, sorted when they are read."""
    side, terms = side_of(table, keys)
    rows = LaterRows(len(table), lambda: ordered(side, terms, memory))
    return SpilledTable(table.columns.values(), rows, table.name)


def sort(chain: S, *keys: Names) -> S:
    """Independent. Sort the rows of each step by columns; equal rows keep their order, NaN come last.

    `keys` are names, each with `:desc` for decreasing values, `:abs` for absolute ones, `:natural` for texts
    with numbers, as in `s,k:desc:abs`. Texts are ordered by code points.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     z = chain.sort("z:desc").read(["z"])["z"]
    >>> bool((z[:-1] >= z[1:]).all())
    True
    """
    parsed = parse_keys(keys)
    names = list(dict.fromkeys(key.name for key in parsed))

    def sorted_(step: StepLike, table: Any) -> StepLike:
        require_columns(table, names)
        if uses_engine(chain.memory, estimated_bytes(table), len(table)):
            return with_other_rows(step, sorted_by_engine(table, parsed, chain.memory))
        return with_other_rows(step, taken(table, order_of(in_memory(table, names), parsed)))

    return chain.each(sorted_)


def runs_of(columns: dict[str, Array], count: int) -> Array:
    """Independent. Return the first rows of runs of equal values in `count` rows. NaN are equal."""
    starts = np.zeros(count, bool)
    starts[:1] = True
    for values in columns.values():
        differs = values[1:] != values[:-1]
        if values.dtype.kind == "f":
            differs &= ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
        starts[1:] |= differs.astype(bool)
    return np.flatnonzero(starts)


def unique_by_engine(table: TableLike, keys: Sequence[Key], memory: int | None) -> tuple[SpilledTable, Array]:
    """Independent. Return the first of equal rows, and their numbers."""
    side, terms = side_of(table, keys)
    runs = Runs(list(dict.fromkeys(key.name for key in keys)))

    def first_of_run(batch: Any, values: Mapping[str, Array]) -> Array:
        chosen = np.zeros(batch.num_rows, bool)
        chosen[runs.add(values, batch.num_rows)] = True
        return chosen

    rows = ordered(side, terms, memory, first_of_run)
    return SpilledTable(table.columns.values(), rows, table.name), runs.lengths()


class Runs:
    """Runs of rows that are equal in some columns, of blocks of rows one after another. NaN are equal."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._starts: list[Array] = []
        self._last: dict[str, Array] = {}
        self.rows = 0

    def add(self, block: Mapping[str, Array], count: int) -> Array:
        """Independent. Return the first rows of runs that begin in the next block of `count` rows."""
        before = 1 if self._last else 0
        joined = {name: np.concatenate([self._last[name], block[name]]) if before else block[name]
                  for name in self._names}  # fmt: skip
        starts = runs_of(joined, before + count)[before:] - before
        if count:
            self._last = {name: block[name][-1:].copy() for name in self._names}
        self._starts.append(self.rows + starts)
        self.rows += count
        return starts

    def starts(self) -> Array:
        """Independent. Return the first rows of all runs."""
        return np.concatenate(self._starts) if self._starts else np.empty(0, np.int64)

    def lengths(self) -> Array:
        """Independent. Return the numbers of rows of all runs."""
        return np.diff(np.append(self.starts(), self.rows))


def unique(chain: S, *keys: Names, count: str = "") -> S:
    """Independent. Sort the rows by columns and keep the first of those that are equal in them.

    With `count` a column of this name has the number of equal rows.
    """
    parsed = parse_keys(keys)
    names = list(dict.fromkeys(key.name for key in parsed))

    def kept(step: StepLike, table: Any) -> StepLike:
        require_columns(table, names)
        made: MadeTable
        if uses_engine(chain.memory, estimated_bytes(table), len(table)):
            made, numbers = unique_by_engine(table, parsed, chain.memory)
        else:
            columns = in_memory(table, names)
            order = order_of(columns, parsed)
            starts = runs_of({name: values[order] for name, values in columns.items()}, len(order))
            made, numbers = taken(table, order[starts]), np.diff(np.append(starts, len(order)))
        if not count:
            return with_other_rows(step, made)
        all_columns = [made.columns[name] for name in made]
        all_columns.append(NewColumn(count, numbers.astype(np.int64)))
        return made_from(step, [MadeTable(all_columns, len(made), table.name)])

    return chain.each(kept)


class NumberedTable(CopiedTable):
    """The table of a step with another number, which expressions know."""

    def __init__(self, table: Any, number: int) -> None:
        self.name = table.name
        self.columns = table.columns
        self.constants = getattr(table, "constants", self.constants)
        self._table = table
        self._number = number

    def __len__(self) -> int:
        return len(self._table)

    def scope(self) -> Any:
        """Independent. Return the names of expressions."""
        columns, attributes, counters = self._table.scope()
        return columns, attributes, ChainMap({"step": self._number}, counters)

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return int(self._table.rows_per_block(names))

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`."""
        yield from self._table.blocks(names, rows_per_block, rows, progress)


def numbered(step: StepLike, table: Any, number: int) -> MadeStep:
    """Independent. Return a step with another number."""
    same = number == step.number
    made = with_other_rows(step, table if same else cast("TableLike", NumberedTable(table, number)))
    made.number = number
    return made


def sort_steps(chain: S, *keys: Names) -> S:
    """Independent. Order the steps by attributes, and number them from 0."""
    parsed = parse_keys(keys)

    def ordered(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        found = list(steps)
        columns = {key.name: np.array([step.attrs[key.name] for step in found]) for key in parsed}
        for number, place in enumerate(order_of(columns, parsed) if found else ()):
            yield numbered(found[place], chain.table_of(found[place]), number)

    return chain.through(ordered)
