"""The same particles in every step, in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from quire.errors import MissingError, UsageError
from quire.io.table import Column
from quire.io.tracks import checked_ids, find_rows, key_of, stored_type, values_at
from quire.io.types import Array
from quire.verbs.rows import filter_
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
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

    A particle that a step does not have has missing values, with a warning. Attributes and fields stay.

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
        raise UsageError("particles are chosen by ids or by a condition, and by one of them")
    source = ids if isinstance(ids, StepChain) else chain
    wanted = None if ids is None or isinstance(ids, StepChain) else checked_ids(ids)

    def tracked(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        chosen = chosen_ids(source, where, at, key) if wanted is None else wanted
        for step in steps:
            yield with_particles(step, chain.table_of(step), chosen, key)

    return chain.through(tracked)


def chosen_ids(chain: StepChain, where: str, at: int | None, key: str) -> Array:
    """Collective. Return the ids of the particles in one step that satisfy a condition, if there is one."""
    for step in filter_(chain, where) if where else chain:
        if at is None or step.number == at:
            table = chain.table_of(step)
            name = key_of(table, key)
            return checked_ids(read_columns(table, [name])[name], name)
    if at is None:
        raise MissingError("there is no step")
    raise MissingError(
        f"there is no step {at} among the selected ones", advice="select the step of the condition as well"
    )


def with_particles(step: StepLike, table: TableLike, ids: Array, key: str) -> StepLike:
    """Independent. Return a step with a row for each id."""
    name = key_of(table, key)
    rows = find_rows(table, name, ids)
    made = [column_at(table, one, rows) for one in table if one != name]
    made.insert(list(table).index(name), ids_like(table[name], ids))
    # Columns with missing values have other types.
    found = made_from(step, [MadeTable(made, len(ids), table.name)])
    absent = int((rows < 0).sum())
    if absent:
        found.warnings.append(
            MissingValues(
                f"step {step.number} lacks {absent} of {len(ids)} particles: their values are missing"
            )
        )
    return found


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
