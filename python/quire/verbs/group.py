"""Divide steps into groups of rows, of which each becomes a step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from quire.errors import TypeMismatchError, UsageError
from quire.io.types import Array
from quire.verbs.order import runs_of
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
    MadeStep,
    StepLike,
    TableLike,
    in_memory,
    new_attribute,
    taken,
    warnings_of,
)

S = TypeVar("S", bound=StepChain)

CALL = re.compile(r"(?P<how>bin|gap|every|change)\((?P<arguments>[^()]*)\)")
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
            if named:
                raise UsageError(f"'{text}' is no group; write NAME=bin(COLUMN, COUNT)")
            return cls(text, "value", text)
        words = [word.strip() for word in call["arguments"].split(",")]
        how = call["how"]
        column = "" if how == "every" else words.pop(0)
        try:
            amount = float(words.pop(0)) if words else float("nan")
        except ValueError:
            raise UsageError(f"'{text}' needs a number") from None
        needs_amount = how in ("bin", "every")
        if words or (needs_amount and not amount >= 1) or (how != "every" and not column):
            raise UsageError(f"'{text}' is no group; write bin(COLUMN, COUNT), gap(COLUMN, DISTANCE), ...")
        return cls(named["name"].strip() if named else column or "block", how, column, amount)

    def numbers(self, table: TableLike) -> tuple[Array, Array]:
        """Independent. Return for each row the number of its group, and for each group its value."""
        if self.how == "every":
            numbers = np.arange(len(table)) // int(self.amount)
            return numbers, np.arange(int(numbers[-1]) + 1 if len(table) else 0)
        values = in_memory(table, [self.column])[self.column]
        if self.how == "value":
            return by_value(values)
        if self.how == "change":
            starts = runs_of({self.column: values}, len(values))
            marks = np.zeros(len(values), np.int64)
            marks[starts[1:]] = 1
            return np.cumsum(marks), values[starts]
        if values.dtype.kind not in "iuf":
            raise TypeMismatchError(f"{self.how} needs a column of numbers", object=self.column)
        return self.in_bins(values) if self.how == "bin" else self.at_gaps(values)

    def in_bins(self, values: Array) -> tuple[Array, Array]:
        """Independent. Return groups of equal width between the limits; NaN are in none (-1)."""
        finite = values[np.isfinite(values)]
        if not len(finite):
            return np.full(len(values), -1), np.empty(0)
        low, high, count = float(finite.min()), float(finite.max()), int(self.amount)
        width = (high - low) / count or 1.0
        with np.errstate(invalid="ignore"):
            numbers = np.clip(np.floor((values - low) / width), 0, count - 1)
        numbers = np.where(np.isfinite(values), numbers, -1).astype(np.int64)
        return numbers, low + (np.arange(count) + 0.5) * width

    def at_gaps(self, values: Array) -> tuple[Array, Array]:
        """Independent. Return groups that begin where values of successive rows are further apart."""
        distances = np.abs(np.diff(values.astype(np.float64)))
        limit = 2 * distances.mean() if np.isnan(self.amount) and len(distances) else self.amount
        numbers = np.concatenate([np.zeros(min(1, len(values)), np.int64), np.cumsum(distances > limit)])
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        return numbers, values[starts]


def by_value(values: Array) -> tuple[Array, Array]:
    """Independent. Return groups of equal values in ascending order; all NaN are one group, the last."""
    if values.dtype == object:
        words = sorted(set(values.tolist()))
        places = {word: place for place, word in enumerate(words)}
        return np.array([places[word] for word in values], np.int64), np.array(words, object)
    found, numbers = np.unique(values, return_inverse=True, equal_nan=True)
    return numbers.reshape(-1), found


def group(chain: S, *by: str) -> S:
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
    if not by:
        raise UsageError("group needs a column, or one of bin(...), gap(...), every(...), change(...)")
    groupings = [Grouping.parse(text) for text in by]

    def divided(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        number = 0
        for step in steps:
            for made in groups_of(step, chain.table_of(step), groupings):
                made.number = number
                number += 1
                yield made

    return chain.through(divided)


def groups_of(step: StepLike, table: Any, groupings: list[Grouping]) -> Iterator[Any]:
    """Independent. Yield the groups of a step."""
    found = [grouping.numbers(table) for grouping in groupings]
    keys = {str(place): numbers for place, (numbers, _) in enumerate(found)}
    order = np.lexsort([numbers for numbers, _ in found][::-1])
    order = order[np.logical_and.reduce([numbers[order] >= 0 for numbers, _ in found])]
    starts = runs_of({name: numbers[order] for name, numbers in keys.items()}, len(order))
    for rows in np.split(order, starts[1:]) if len(order) else ():
        attributes = {one.name: one for one in step.attrs.info.values()}
        for grouping, (numbers, values) in zip(groupings, found, strict=True):
            like = table[grouping.column] if grouping.column else None
            attributes[grouping.name] = new_attribute(grouping.name, values[numbers[rows[0]]], like)
        yield MadeStep(
            step.number, attributes.values(), [taken(table, rows)], warnings_of(step, table), step.number
        )
