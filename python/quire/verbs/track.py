"""The same particles in every step, in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from quire.errors import MissingError, UsageError
from quire.io.table import Column
from quire.io.tracks import checked_ids, find_rows, key_of, stored_type, values_at
from quire.io.types import Array
from quire.near import listed_names
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
    MadeStep,
    MadeTable,
    MissingValues,
    NewColumn,
    StepLike,
    TableLike,
    made_from,
    read_columns,
    texts_of,
)

S = TypeVar("S", bound=StepChain)


def track(
    chain: S,
    ids: Sequence[int] | Array | StepChain | None = None,
    *,
    where: str = "",
    at: int | None = None,
    key: str = "",
) -> S:
    """Independent. Keep the same particles in each step, in one order: a row is one particle in all steps.

    A particle that a step does not have has missing values; the last step has a warning about those of all
    steps. Attributes and fields stay.

    Parameters
    ----------
    ids : of the particles, in the order of the rows; a chain: those that its first step has
    where : instead of ids: a condition that selects particles in one step
    at : the number of that step; by default the first one
    key : the column of ids; by default `id`, or the only `...ID` or `..._id`

    >>> import quire
    >>> with quire.chain("beam.h5") as chain:
    ...     chain.track([17, 3]).read(["id"])["id"].tolist()
    [17, 3, 17, 3, 17, 3, 17, 3, 17, 3]
    """
    if (ids is None) == (not where):
        raise UsageError(
            "particles are chosen by ids or by a condition, and by one of them",
            advice='give ids, as in [17, 3], or where="EXPR"',
        )
    source = ids if isinstance(ids, StepChain) else chain
    wanted = None if ids is None or isinstance(ids, StepChain) else checked_ids(ids)

    def tracked(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        chosen = chosen_ids(source, where, at, key) if wanted is None else wanted
        if wanted is None and not len(chosen):
            particle = f"satisfies {where}" if where else "is in the step that gives the ids"
            chain.failures.add(f"no particle {particle}: the steps have no rows")
        absence = Absence(chosen)
        held: MadeStep | None = None
        for step in steps:
            if held is not None:
                yield held
            held = with_particles(step, chain.table_of(step), chosen, key, absence)
        if held is not None:
            if wanted is not None:
                chain.failures.update(absence.from_all_steps())
            else:  # these ids are from data
                held.warnings += map(MissingValues, absence.from_all_steps())
            held.warnings += map(MissingValues, absence.from_some_steps())
            yield held

    return chain.through(tracked)


def chosen_ids(chain: StepChain, where: str, at: int | None, key: str) -> Array:
    """Collective. Return the ids of the particles in one step that satisfy a condition, if there is one."""
    numbers = []
    if where:
        from quire.verbs.rows import filter_

        chain = filter_(chain, where)
    for step in chain:
        numbers.append(str(step.number))
        if at is None or step.number == at:
            table = chain.table_of(step)
            name = key_of(table, key)
            return checked_ids(read_columns(table, [name])[name], name)
    if at is None:
        raise MissingError("there is no step")
    raise MissingError(
        f"there is no step {at} among the selected ones",
        advice=f"there are: {listed_names(numbers)}; --steps must select that of the condition as well",
    )


class Absence:
    """The particles that steps do not have."""

    def __init__(self, ids: Array) -> None:
        self._ids = ids
        self._counts = np.zeros(len(ids), np.int64)
        self._steps = 0
        self._first: int | None = None

    def note(self, step: int, is_absent: Array) -> None:
        """Independent. Note which of the particles a step does not have."""
        self._counts += is_absent
        self._steps += 1
        if self._first is None and is_absent.any():
            self._first = step

    def from_all_steps(self) -> list[str]:
        """Independent. Return a sentence about the particles that no step has, if there are any."""
        nowhere = self._ids[self._counts == self._steps]
        if not len(nowhere):
            return []
        return [f"no step has {particles(nowhere)}: the values are missing"]

    def from_some_steps(self) -> list[str]:
        """Independent. Return a sentence about the particles that only some steps have, if there are any."""
        somewhere = self._ids[(self._counts > 0) & (self._counts < self._steps)]
        if not len(somewhere):
            return []
        lost = particles(somewhere)
        return [f"not every step has {lost} (first: step {self._first}): the values are missing there"]


MOST_NAMED: Final = 5
"""Ids that a message lists."""


def particles(ids: Array) -> str:
    """Independent. Return how many particles these are, and the first of their ids."""
    some = ", ".join(str(one) for one in ids[:MOST_NAMED].tolist())
    if len(ids) == 1:
        return f"the particle {some}"
    return f"the {len(ids)} particles {some}" + (", ..." if len(ids) > MOST_NAMED else "")


def with_particles(step: StepLike, table: TableLike, ids: Array, key: str, absence: Absence) -> MadeStep:
    """Independent. Return a step with a row for each id."""
    name = key_of(table, key)
    rows = find_rows(table, name, ids)
    made = [column_at(table, one, rows) for one in table if one != name]
    made.insert(list(table).index(name), ids_like(table[name], ids))
    # Columns with missing values have other types.
    absence.note(step.number, rows < 0)
    return made_from(step, [MadeTable(made, len(ids), table.name)])


def ids_like(column: Any, ids: Array) -> NewColumn:
    """Independent. Return ids as a column of the same type, or of a wider one for absent particles."""
    values = ids.astype(column.dtype)
    if (values == ids).all():
        return NewColumn.like(column, values)
    return NewColumn(column.name, ids, texts_of(column))


def column_at(table: TableLike, name: str, rows: Array) -> NewColumn:
    """Independent. Return a column at rows, -1 for missing values."""
    column = table[name]
    kind = stored_type(column.type, bool((rows >= 0).all()))

    def values() -> Array:
        # A table of a file reads these rows alone.
        read = column.__getitem__ if isinstance(column, Column) else partial(values_of, table, name)
        return values_at(name, column.dtype, rows, read)

    if kind == column.type:
        return NewColumn.like(column, values)
    return NewColumn(name, values, texts_of(column), kind)


def values_of(table: TableLike, name: str, rows: Array) -> Any:
    """Independent. Return rows of a column, which is read whole."""
    return np.asarray(read_columns(table, [name])[name])[rows]
