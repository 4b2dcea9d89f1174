"""Columns as float64 for the numbers of the toolkit, and the units of products of them."""

from __future__ import annotations

from collections.abc import Sequence

from quire import _core
from quire.errors import MissingError, TypeMismatchError
from quire.io.expression import Expression
from quire.io.types import Array
from quire.near import there_is_no
from quire.toolkit.selection import select_names
from quire.verbs.steplike import TableLike, as_floats, in_memory


def is_number(table: TableLike, name: str) -> bool:
    """Independent. Return whether a column has numbers."""
    return table[name].type not in ("string", "character")


def number_columns(
    table: TableLike, patterns: Sequence[str] | None, without: Sequence[str] = ()
) -> list[str]:
    """Independent. Return the columns of numbers that patterns select, None all; a text that is named stays.

    Raises MissingError for names and patterns that select nothing.
    """
    chosen = select_names(patterns, list(table), "column")
    named = set(patterns or ())
    return [name for name in chosen if name in named or (is_number(table, name) and name not in without)]


def doubles(table: TableLike, names: Sequence[str]) -> dict[str, Array]:
    """Independent. Return columns in memory as float64, by name.

    Raises MissingError for missing ones, TypeMismatchError for texts, long double, and integers that would be
    rounded.
    """
    for name in names:
        if name not in table.columns:
            raise MissingError(there_is_no("column", name, list(table)))
        if not is_number(table, name):
            raise TypeMismatchError("this column has texts, and numbers are needed", object=name)
        if table[name].type == "float80":
            raise TypeMismatchError(
                "this column is float80, and the result is computed in float64",
                object=name,
                advice=f"convert it by select --cast {name}=float64",
            )
    found = in_memory(table, list(dict.fromkeys(names)))
    return {name: as_floats(values, name) for name, values in found.items()}


def product_unit(product: str, **units: str) -> str:
    """Independent. Return the unit of an expression of quantities with these units, as `define` has it."""
    quantities = [_core.Quantity(name, "float64", unit) for name, unit in units.items()]
    return Expression(product).compile(quantities).unit
