"""Common to verbs that compute: columns as numbers, units of results, and how many of them are missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from quire import _core
from quire.errors import ConflictError, DataError, TypeMismatchError, UsageError
from quire.io.types import Array
from quire.toolkit.selection import is_pattern, select_names
from quire.verbs.order import require_columns
from quire.verbs.steplike import (
    MadeStep,
    MadeTable,
    MissingValues,
    NewColumn,
    StepLike,
    TableLike,
    as_floats,
    in_memory,
    made_from,
    texts_of,
)

TEXTS = ("string", "character")


def is_number(table: TableLike, name: str) -> bool:
    """Independent. Return whether a column has numbers."""
    return table[name].type not in TEXTS


def number_names(patterns: Sequence[str], table: Any) -> list[str]:
    """Independent. Return the columns that are named, or match a pattern and contain numbers.

    Raises MissingError for names without a column, TypeMismatchError for columns of texts.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        for name in select_names([pattern], list(table.columns), "column"):
            if is_number(table, name):
                found[name] = None
            elif not is_pattern(pattern):
                raise TypeMismatchError("this column contains texts, and numbers are needed", object=name)
    if not found:
        raise DataError(
            "there is no column of numbers to work on", advice=f"the columns are: {', '.join(table)}"
        )
    return list(found)


def numbers_of(table: Any, names: Sequence[str]) -> dict[str, Array]:
    """Independent. Return columns in memory as floating-point numbers, float64 or float80.

    Raises TypeMismatchError where an integer would be rounded.
    """
    found = in_memory(table, list(dict.fromkeys(name for name in number_names(names, table))))
    return {name: floats_of(name, values) for name, values in found.items()}


def floats_of(name: str, values: Array) -> Array:
    """Independent. Return numbers as float64 or float80. Raises TypeMismatchError for integers that would be
    rounded.
    """
    return as_floats(values, name, np.result_type(values.dtype, np.float64))


def names_besides(table: Any, columns: Sequence[str], versus: str) -> list[str]:
    """Independent. Return the columns of numbers without the one that they are functions of."""
    if versus:
        require_columns(table, [versus])
    names = [name for name in number_names(columns, table) if name != versus]
    if not names:
        raise DataError(f"there is no column besides '{versus}'")
    return names


@contextmanager
def about(step: StepLike, name: str = "") -> Iterator[None]:
    """Independent. Add the step, and a column, to the message of errors of computations with it."""
    try:
        yield
    except (UsageError, DataError, TypeMismatchError) as problem:
        place = f"step {step.number}, {name}" if name else f"step {step.number}"
        raise type(problem)(f"{place}: {problem.message}", advice=problem.advice) from None


def with_texts_of(column: Any, values: Array, name: str = "") -> NewColumn:
    """Independent. Return a column of computed numbers, with the texts of another but for its display."""
    return NewColumn(name or column.name, values, replace(texts_of(column), display=""))


def missing_in(step: StepLike, columns: Iterable[NewColumn]) -> list[MissingValues]:
    """Independent. Return a warning for the new columns of numbers that have equally many NaN."""
    names: dict[tuple[int, int], list[str]] = {}
    for column in columns:
        values = column.read()
        count = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
        if count:
            names.setdefault((count, len(values)), []).append(column.name)
    return [
        MissingValues(f"step {step.number}: {count} of {rows} values of {', '.join(some)} are NaN")
        for (count, rows), some in names.items()
    ]


def computed(
    step: StepLike,
    table: Any,
    columns: Sequence[NewColumn],
    rows: int,
    attributes: Any = None,
    warnings: Sequence[str] = (),
    others: Sequence[str] | None = None,
) -> MadeStep:
    """Independent. Return a step with a table of computed columns, with a warning where values are NaN.

    `others` are columns of the table that stay. A computed column with the name of one in the table has its
    place. Raises ConflictError if two have the same name.
    """
    names = [*(others or ()), *(column.name for column in columns)]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise ConflictError("there is such a column", object=again, advice="rename it by select, or drop it")
    kept = {name: NewColumn.like(table[name], partial(column_of, table, name)) for name in others or ()}
    found = kept | {column.name: column for column in columns}
    places = [] if others is None else [name for name in table if name in found]
    order = dict.fromkeys([*places, *found])
    made = made_from(step, [MadeTable([found[name] for name in order], rows, table.name)], attributes)
    made.warnings += [*warnings, *missing_in(step, columns)]
    return made


def doubles(table: TableLike, names: Sequence[str]) -> dict[str, Array]:
    """Independent. Return columns in memory as float64, by name.

    Raises MissingError for missing ones, TypeMismatchError for texts, long double, and integers that would be
    rounded.
    """
    require_columns(table, names)
    for name in names:
        if not is_number(table, name):
            raise TypeMismatchError("this column contains texts, and numbers are needed", object=name)
        if table[name].type == "float80":
            raise TypeMismatchError(
                "this column is float80, and the result is computed in float64",
                object=name,
                advice=f"convert it by select --cast {name}=float64",
            )
    found = in_memory(table, list(dict.fromkeys(names)))
    return {name: as_floats(values, name) for name, values in found.items()}


def expression_unit(product: str, **units: str) -> str:
    """Independent. Return the unit of an expression of quantities with these units, as `define` has it.

    A quantity without a unit counts as a pure number.
    """
    if not any(units.values()):
        return ""
    from quire.io.expression import Expression

    for name in (name for name, unit in units.items() if not unit):
        product = re.sub(rf"\b{name}\b", "1", product)
    quantities = [_core.Quantity(name, "float64", unit) for name, unit in units.items()]
    return Expression(product).compile(quantities).unit


def column_of(table: Any, name: str) -> Array:
    """Independent. Return a column in memory."""
    return in_memory(table, [name])[name]
