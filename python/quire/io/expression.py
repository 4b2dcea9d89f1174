"""Expressions over columns: `px > 0 and x < 1e-3`, `sqrt(x**2 + y**2)`; see docs/expressions.md."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quire import _core
from quire.errors import MissingError, UnitWarning, UsageError
from quire.io.arguments import text as checked_text
from quire.io.attributes import attribute_from_core, core_value
from quire.io.types import Array, dtype_of, host_array, ready_array, type_of

if TYPE_CHECKING:
    from quire.io.table import Table


class Expression:
    """A parsed expression. Its names are resolved when it is bound to a table."""

    def __init__(self, text: str) -> None:
        self._core = _core.Expression(checked_text("an expression", text))

    @property
    def text(self) -> str:
        """The expression as written."""
        return self._core.text

    @property
    def names(self) -> list[str]:
        """The names of columns and attributes, each once, including constants such as `pi`."""
        return self._core.names

    def bind(self, table: Table) -> BoundExpression:
        """Independent. Bind the expression to a table: its columns, and the attributes of its step and file.

        Raises MissingError for unknown names, UsageError for incompatible types and units. Warns
        (`UnitWarning`) of a number that is added to a quantity with a unit.
        """
        bound = self.compile(*table.scope())
        bound.warn_of_units()
        return bound

    def may_hold(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute],
        step: int | None,
        limits: Sequence[tuple[str, list[float], list[float]]],
    ) -> list[bool]:
        """Independent. Return for each zone of rows whether any of them can satisfy the condition.

        `limits` has the smallest and greatest values of columns in each zone, apart from NaN.
        """
        return self._core.may_hold(list(columns), list(attributes), step, list(limits))

    def compile(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute] = (),
        step: int | None = None,
    ) -> BoundExpression:
        """Independent. Bind the expression to columns and attributes given by their descriptions."""
        return BoundExpression(self._core.compile(list(columns), list(attributes), step))

    def __call__(self, columns: Mapping[str, Any] | None = None, /, **values: Any) -> Any:
        """Independent. Evaluate the expression for arrays in memory, by name. Numbers and texts are
        attributes.

        Returns an array if an array is used, else a single value.
        """
        arrays: dict[str, Array] = {}
        attributes: list[_core.Attribute] = []
        for name, value in {**(columns or {}), **values}.items():
            if np.ndim(value) == 0:
                attributes.append(core_attribute(name, value))
            else:
                arrays[name] = host_array(value, name)
        quantities = [_core.Quantity(name, type_of(array.dtype, name)) for name, array in arrays.items()]
        bound = self.compile(quantities, attributes)
        if bound.is_constant and not arrays:
            return bound.value
        lengths = {len(array) for array in arrays.values()}
        if len(lengths) > 1:
            raise UsageError(f"the arrays have different lengths: {sorted(lengths)}")
        return bound.evaluate(arrays, rows=lengths.pop() if lengths else 1)

    def __repr__(self) -> str:
        return f"<Expression {self.text}>"


def expression(text: str) -> Expression:
    """Independent. Parse an expression. Raises UsageError with the place of the error.

    >>> energy = quire.expression("sqrt(1 + p**2) * mc2_electron")
    >>> energy.names, round(energy(p=3.0), 3)
    (['p', 'mc2_electron'], 1.616)
    """
    return Expression(text)


def core_attribute(name: str, value: Any, unit: str = "") -> _core.Attribute:
    """Independent. Return a single value as an attribute of the core."""
    kind, shape, elements = core_value(name, value, None, False)
    return _core.Attribute(_core.Quantity(name, kind, unit), shape, elements)


class BoundExpression:
    """An expression with resolved names and types. Evaluates blocks of rows; contains no data."""

    def __init__(self, core: _core.CompiledExpression) -> None:
        self._core = core
        self.columns: list[str] = core.columns
        """The columns that must be read."""

    @property
    def type(self) -> str:
        """The type of the result: int32 (0 or 1) for conditions, the type of the column for a single
        column.
        """
        return self._core.type

    @property
    def unit(self) -> str:
        """The unit of the result; empty if unknown or dimensionless."""
        return self._core.unit

    def warn_of_units(self) -> None:
        """Independent. Issue a UnitWarning for each sum of a number and a quantity with a unit."""
        for sentence in self._core.warnings:
            warnings.warn(sentence, UnitWarning, stacklevel=3)

    @property
    def is_condition(self) -> bool:
        """Whether it can select rows: the result is a condition or an integer."""
        return self._core.is_condition

    @property
    def is_constant(self) -> bool:
        """Whether the result is the same for all rows: no column and no `row` is used."""
        return self._core.is_constant

    @property
    def value(self) -> Any:
        """Independent. Return the result of a constant expression. Raises UsageError for others."""
        return attribute_from_core(self._core.value()).value

    def evaluate(
        self,
        block: Mapping[str, Array],
        first_row: int = 0,
        rows: int | None = None,
        out: Array | None = None,
    ) -> Array:
        """Independent. Evaluate the expression for a block of rows, which starts at row `first_row` of the
        table.

        `rows` is needed if no column is used. `out` may have another type. Raises a TypeMismatchError that
        names the row if a conversion would change a value, and for integer overflow.
        """
        count = self._rows(block, rows)
        if out is None:
            out = np.empty(count, dtype_of(self.type))
        elif out.shape != (count,):
            raise UsageError(f"out has the shape {out.shape}, the result has {(count,)}")
        wanted = type_of(out.dtype)
        texts = self._core.evaluate(
            self._arrays(block), first_row, wanted, None if wanted == "string" else out, count
        )
        if texts is not None:
            out[:] = texts
        return out

    def select(self, block: Mapping[str, Array], first_row: int = 0, rows: int | None = None) -> Array:
        """Independent. Return the numbers (int64, ascending) of the rows of a block that satisfy the
        condition.
        """
        count = self._rows(block, rows)
        return self._core.select(self._arrays(block), first_row, count)

    def count(self, block: Mapping[str, Array], first_row: int = 0, rows: int | None = None) -> int:
        """Independent. Return the number of rows of a block that satisfy the condition."""
        return self._core.count(self._arrays(block), first_row, self._rows(block, rows))

    def _rows(self, block: Mapping[str, Array], rows: int | None) -> int:
        if rows is not None:
            return rows
        for name in self.columns:
            return len(block[name])
        for array in block.values():
            return len(array)
        raise UsageError("without columns the number of rows must be given")

    def _arrays(self, block: Mapping[str, Array]) -> list[tuple[str, Any]]:
        arrays = []
        for name in self.columns:
            if name not in block:
                raise MissingError(
                    "the expression needs a column that the block does not contain", object=name
                )
            kind = type_of(block[name].dtype, name)
            arrays.append((kind, ready_array(block[name], kind, False, name)))
        return arrays

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        return f"<BoundExpression of {', '.join(self.columns) or 'no column'}: {self.type}{unit}>"
