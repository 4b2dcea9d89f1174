"""Take the columns of numbers of each step as a matrix: product, inverse, pseudo-inverse, transpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from quire.errors import ConflictError, DataError, Placing
from quire.io.attributes import Attribute
from quire.io.types import Array
from quire.numeric import matrices
from quire.numeric.matrices import ModeSelection, Tikhonov
from quire.verbs.numbers import doubles, expression_unit, is_number
from quire.verbs.reshape import common
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
    MadeTable,
    NewColumn,
    StepLike,
    in_memory,
    made_from,
    new_attribute,
)

S = TypeVar("S", bound=StepChain)

OLD_NAMES = "name"
"""The column of texts that names the rows of a result."""


def matrix_of(table: Any) -> tuple[Array, list[str]]:
    """Independent. Return the columns of numbers as a matrix, and their names."""
    names = [name for name in table if is_number(table, name)]
    found = doubles(table, names)
    return np.stack([found[name] for name in names], axis=1) if names else np.empty((len(table), 0)), names


def factor_of(table: Any, path: str) -> tuple[Array, list[str]]:
    """Independent. Return a matrix of finite numbers and the names of its columns. Errors name its file."""
    with Placing(path):
        values, names = matrix_of(table)
        return matrices.as_matrix(values, "the matrix"), names


def row_names(table: Any) -> list[str]:
    """Independent. Return the names of the rows: the first column of texts, or row0, row1 ..."""
    texts = [name for name in table if table[name].type == "string"]
    if not texts:
        return [f"row{row}" for row in range(len(table))]
    labels: list[str] = in_memory(table, texts[:1])[texts[0]].tolist()
    if len(set(labels)) < len(labels):
        raise ConflictError("rows have equal names, which columns cannot have", object=texts[0])
    return labels


def result(
    values: Array, columns: Sequence[str], rows: Sequence[str] | None, units: Sequence[str]
) -> MadeTable:
    """Independent. Return a matrix as a table; `rows` are the names of its rows."""
    made = []
    if rows is not None:
        if OLD_NAMES in columns:
            raise ConflictError("a column has the name of that of the names of rows", object=OLD_NAMES)
        labels = np.empty(len(rows), object)
        labels[:] = rows
        made.append(NewColumn(OLD_NAMES, labels, type="string"))
    made += [NewColumn(name, values[:, place], units[place]) for place, name in enumerate(columns)]
    return MadeTable(made, len(values))


def multiply(chain: S, other: StepChain, *, commute: bool = False) -> S:
    """Independent. Multiply the matrix of each step by that of a step of another file.

    The steps of both are taken in their order; a single step of the other file is used for all. Columns are
    named after those of the right-hand matrix; with `commute` that is the matrix of this chain.

    >>> import quire
    >>> left, right = quire.new("a=1,3", "b=2,4"), quire.new("x=1,1", "y=0,2")
    >>> left.multiply(right).read()["y"].tolist()
    [4.0, 8.0]
    """

    def multiplied(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        others = list(other)
        if not others:
            raise DataError("the other file has no step", file=other.path)
        count = 0
        for count, step in enumerate(steps, 1):
            if count > len(others) > 1:
                raise ConflictError(f"the other file has {len(others)} steps, and this one more")
            mate = others[0 if len(others) == 1 else count - 1]
            sides = [(chain.table_of(step), chain.path), (other.table_of(mate), other.path)]
            if commute:
                sides.reverse()
            left, right = (table for table, _ in sides)
            (a, inner), (b, names) = (factor_of(*side) for side in sides)
            unit = common(inner, left, "unit") if inner else ""
            units = [expression_unit("a*b", a=unit, b=right[name].unit) for name in names]
            yield made_from(step, [result(matrices.product(a, b), names, None, units)])
        if 1 < len(others) != count:
            raise ConflictError(f"the other file has {len(others)} steps, and this one {count}")

    return chain.through(multiplied)


def invert(chain: S) -> S:
    """Independent. Invert the square matrix of each step. A singular one is an error.

    Columns are named after the rows, by the first column of texts; rows after the columns.

    >>> import quire
    >>> quire.new("a=2,0", "b=0,4").invert().read()["row1"].tolist()
    [0.0, 0.25]
    """

    def inverted(step: StepLike, table: Any) -> StepLike:
        values, names = matrix_of(table)
        return made_from(step, [turned(table, matrices.inverse(values), names)])

    return chain.each(inverted)


def turned(table: Any, values: Array, names: Sequence[str]) -> MadeTable:
    """Independent. Return an inverse as a table, with the inverse of the unit that all columns have."""
    unit = common(names, table, "unit") if names else ""
    rows = row_names(table)
    return result(values, rows, names, [expression_unit("1/a", a=unit)] * len(rows))


def pseudo_invert(
    chain: S,
    *,
    ratio: float = 0.0,
    largest: int | None = None,
    smallest: int = 0,
    remove: Sequence[int] = (),
    alpha: float | None = None,
    beta: float | None = None,
) -> S:
    """Independent. Take the pseudo-inverse of the matrix of each step by its singular values.

    Parameters
    ----------
    ratio : leave out singular values below this fraction of the largest
    largest : keep so many of the largest that remain
    smallest : leave out so many of the smallest that remain
    remove : modes to leave out, by number from 0 in the order of falling singular values
    alpha, beta : damping of singular values s to s / (s^2 + alpha^2); beta is a fraction of the largest

    The attributes `modes_used`, `modes_removed` and `condition` are added. Names are those of `invert`.

    >>> import quire
    >>> quire.new("a=1,1", "b=1,1").pseudo_invert().read()["row0"].round(12).tolist()
    [0.25, 0.25]
    """
    modes = ModeSelection(ratio, largest, smallest, tuple(remove))
    damping = None if alpha is None and beta is None else Tikhonov(alpha, beta)

    def inverted(step: StepLike, table: Any) -> StepLike:
        values, names = matrix_of(table)
        found = matrices.pseudo_inverse(values, modes, damping)
        attributes: dict[str, Attribute] = dict(step.attrs.info)
        attributes["modes_used"] = new_attribute("modes_used", int(found.used.sum()))
        attributes["modes_removed"] = new_attribute("modes_removed", len(found.removed))
        attributes["condition"] = new_attribute("condition", found.condition)
        return made_from(step, [turned(table, found.inverse, names)], attributes.values())

    return chain.each(inverted)
