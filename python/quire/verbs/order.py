"""Sort rows, keep one of equal ones, and order steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.io.types import Array
from quire.near import there_is_no
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
    MadeStep,
    MadeTable,
    NewColumn,
    StepLike,
    TableLike,
    in_memory,
    made_from,
    taken,
    with_other_rows,
)

S = TypeVar("S", bound=StepChain)

MANNERS = ("desc", "abs", "natural")
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
        """Independent. Parse `NAME` or `NAME:desc:abs`. Raises UsageError."""
        name, *manners = text.split(":")
        for one in manners:
            if one not in MANNERS:
                raise UsageError(f"'{one}' in '{text}' is not one of {', '.join(MANNERS)}")
        return cls(name, "desc" in manners, "abs" in manners, "natural" in manners)

    def ranks(self, values: Array) -> Array:
        """Independent. Return numbers in the order of the values. NaN and equal values keep the order of the
        rows, NaN after all others.
        """
        if values.dtype == object:
            words = [natural(text) for text in values] if self.natural else values.tolist()
            places = {word: place for place, word in enumerate(sorted(set(words)))}
            values = np.array([places[word] for word in words], np.int64)
        elif self.natural:
            raise TypeMismatchError("natural order is one of texts", object=self.name)
        elif self.absolute:
            values = np.abs(values)
        if not self.descending:
            return values
        if values.dtype.kind == "f":
            return -values
        if values.dtype.kind == "u":
            return np.invert(values)
        return np.invert(values.astype(np.int64))


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Independent. Return a key that orders the digits in a text as numbers: Q2 before Q10."""
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in DIGITS.split(text) if part
    )


def order_of(columns: dict[str, Array], keys: Sequence[Key]) -> Array:
    """Independent. Return the numbers of the rows in the order of the keys; equal ones keep their order."""
    ranks = [key.ranks(columns[key.name]) for key in keys]
    if len(ranks) == 1:
        return np.argsort(ranks[0], kind="stable")
    return np.lexsort(ranks[::-1])


def parse_keys(keys: str | Sequence[str]) -> list[Key]:
    """Independent. Parse keys, `z,px:desc` or a sequence. Raises UsageError without any."""
    texts = keys.split(",") if isinstance(keys, str) else keys
    found = [Key.parse(text.strip()) for text in texts]
    if not found:
        raise UsageError("there is no column to sort by")
    return found


def require_columns(table: TableLike, names: Sequence[str]) -> None:
    """Independent. Raise MissingError unless a table has these columns."""
    for name in names:
        if name not in table.columns:
            raise MissingError(there_is_no("column", name, list(table)))


def sort(chain: S, keys: str | Sequence[str]) -> S:
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


def unique(chain: S, keys: str | Sequence[str], *, count: str = "") -> S:
    """Independent. Sort the rows by columns and keep the first of those that are equal in them.

    With `count` a column of this name has the number of equal rows.
    """
    parsed = parse_keys(keys)
    names = list(dict.fromkeys(key.name for key in parsed))

    def kept(step: StepLike, table: Any) -> StepLike:
        require_columns(table, names)
        columns = in_memory(table, names)
        order = order_of(columns, parsed)
        starts = runs_of({name: values[order] for name, values in columns.items()}, len(order))
        made = taken(table, order[starts])
        if not count:
            return with_other_rows(step, made)
        numbers = np.diff(np.append(starts, len(order)))
        all_columns = [made[name] for name in made]
        all_columns.append(NewColumn(count, numbers.astype(np.int64)))
        return made_from(step, [MadeTable(all_columns, len(starts), table.name)])

    return chain.each(kept)


def numbered(step: StepLike, table: Any, number: int) -> MadeStep:
    """Independent. Return a step with another number."""
    made = with_other_rows(step, table)
    made.number = number
    return made


def sort_steps(chain: S, keys: str | Sequence[str]) -> S:
    """Independent. Order the steps by attributes, and number them from 0."""
    parsed = parse_keys(keys)

    def ordered(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        found = list(steps)
        columns = {key.name: np.array([step.attrs[key.name] for step in found]) for key in parsed}
        for number, place in enumerate(order_of(columns, parsed) if found else ()):
            yield numbered(found[place], chain.table_of(found[place]), number)

    return chain.through(ordered)
