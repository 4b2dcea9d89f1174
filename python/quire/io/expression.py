"""Expressions over columns: `px > 0 and x < 1e-3`, `x / max(x)`, `rpn: x sqr`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire import _core
from quire.errors import MissingError, MissingFileError, UnitWarning, UsageError
from quire.io.aggregates import REDUCTIONS, Aggregate, reduce_together
from quire.io.arguments import text as checked_text
from quire.io.attributes import attribute_from_core, core_value
from quire.io.other_files import BETWEEN, Found, OtherFiles, quoted
from quire.io.row_source import Arrays, RowSource, Sharing
from quire.io.types import Array, dtype_of, host_array, ready_array, type_of
from quire.io.windows import WINDOWS, Running, Shift
from quire.rpn import is_rpn

if TYPE_CHECKING:
    from quire.io.table import Table
    from quire.io.zones import ColumnLimits
    from quire.rpn.definitions import Definitions

OLD_STEP: Final = "Step"
"""What old equations call `step`, unless a column or an attribute has this name."""
OLD_STEPS: Final = re.compile(rf"""("(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`)|\b{OLD_STEP}\b""")
"""Texts and names in backticks, and this name."""


class Expression:
    """A parsed expression. Its names are resolved when it is bound to a table.

    Without `reads_others` the names of other files, such as `other.h5:energy`, are missing.
    """

    def __init__(
        self, text: str, definitions: Definitions | None = None, *, reads_others: bool = True
    ) -> None:
        written = checked_text("an expression", text)
        is_old = is_rpn(written)
        if is_old:
            from quire.rpn.compiler import infix

            written = _core.Expression(infix(written, definitions)).normal_form
        self._core = _core.Expression(quoted(written))
        self._numbered: _core.Expression | None = None
        if is_old and OLD_STEP in self._core.names:
            self._numbered = _core.Expression(OLD_STEPS.sub(lambda found: found[1] or "step", written))
        self._others = OtherFiles(are_read=reads_others)

    @property
    def text(self) -> str:
        """The expression as written; that of reverse Polish notation in infix."""
        return self._core.text

    @property
    def normal_form(self) -> str:
        """The expression without needless parentheses, and with one spelling of each operator."""
        return self._core.normal_form

    @property
    def names(self) -> list[str]:
        """The names of columns and attributes, each once, including constants such as `pi`."""
        return self._core.names

    def bind(self, table: Table) -> BoundExpression:
        """Independent. Bind the expression to a table: its columns, and the attributes of its step and file.

        Raises MissingError for unknown names, UsageError for incompatible types and units. Warns
        (`UnitWarning`) of a number that is added to a quantity with a unit.
        """
        bound = self.compile(*table.scope(), table)
        bound.warn_of_units()
        return bound

    def may_hold(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute],
        counters: Mapping[str, int],
        limits: Sequence[ColumnLimits],
    ) -> list[bool]:
        """Independent. Return for each zone whether a row of it can satisfy the condition, or raise an error.

        `limits` has the smallest and greatest values of columns in each zone, and whether some can be NaN.
        """
        known = self._known(columns, attributes, counters)
        return self._meant(*known).may_hold(*known, dict(counters), list(limits))

    def must_hold(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute],
        counters: Mapping[str, int],
        limits: Sequence[ColumnLimits],
    ) -> list[bool]:
        """Independent. Return for each zone whether all rows of it satisfy the condition, see `may_hold`."""
        known = self._known(columns, attributes, counters)
        return self._meant(*known).must_hold(*known, dict(counters), list(limits))

    def may_fail(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute],
        counters: Mapping[str, int],
        limits: Sequence[tuple[str, float, float]] = (),
    ) -> bool:
        """Independent. Return whether a row can raise an error, such as that of integers beyond int64.

        `limits` has the smallest and greatest values of columns, apart from NaN.
        """
        known = self._known(columns, attributes, counters)
        return self._meant(*known).may_fail(*known, dict(counters), list(limits))

    def selector(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute],
        counters: Mapping[str, int],
    ) -> tuple[Any, ...]:
        """Independent. Return what the condition asks of single columns: ("column", name, intervals of keys),
        ("both", parts), ("either", parts), or ("unknown",).
        """
        found = self._of_others(columns, attributes, counters)
        known = [*columns], [*attributes, *found.attributes.values()]
        return self._meant(*known).selector(*known, dict(counters))

    def _known(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute],
        counters: Mapping[str, int],
    ) -> tuple[list[_core.Quantity], list[_core.Attribute]]:
        """Return the columns and attributes, and those of other files."""
        found = self._of_others(columns, attributes, counters)
        return [*columns, *found.columns.values()], [*attributes, *found.attributes.values()]

    def _of_others(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute],
        counters: Mapping[str, int],
    ) -> Found:
        """Return the attributes and columns of other files, such as `other.h5:energy`."""
        known = (one.name for one in (*columns, *attributes))
        names = [name for name in self._core.names if BETWEEN in name]
        return self._others.found(names, known if names else (), counters.get("step"))

    def _meant(
        self, columns: Sequence[_core.Quantity], attributes: Sequence[_core.Attribute]
    ) -> _core.Expression:
        """Return the expression of the core: with `step` for the old name of it if nothing has that name."""
        if self._numbered is None or any(one.name == OLD_STEP for one in (*columns, *attributes)):
            return self._core
        return self._numbered

    def compile(
        self,
        columns: Sequence[_core.Quantity],
        attributes: Sequence[_core.Attribute] = (),
        counters: Mapping[str, int] | None = None,
        source: RowSource | None = None,
    ) -> BoundExpression:
        """Independent. Bind the expression to columns and attributes given by their descriptions.

        `counters` has the numbers that `step`, `page` and `rows` mean. Calls over rows, such as `max(x)`,
        read the rows of `source`. Raises MissingError if they have none.
        """
        found = self._of_others(columns, attributes, counters or {})
        known = [*columns, *found.columns.values()], [*attributes, *found.attributes.values()]
        bound = compiled(self._meant(*known), *known, counters or {}, source, found)
        found.refuse_rows(bound.columns)
        return bound

    def __call__(self, columns: Mapping[str, Any] | None = None, /, **values: Any) -> Any:
        """Independent. Evaluate the expression for arrays in memory, by name. Numbers and texts are
        attributes.

        Returns an array if an array is used outside of aggregates, else a single value.
        """
        arrays: dict[str, Array] = {}
        attributes: list[_core.Attribute] = []
        for name, value in {**(columns or {}), **values}.items():
            if np.ndim(value) == 0:
                attributes.append(core_attribute(name, value))
            else:
                arrays[name] = host_array(value, name)
        quantities = [_core.Quantity(name, type_of(array.dtype, name)) for name, array in arrays.items()]
        lengths = {len(array) for array in arrays.values()}
        if len(lengths) > 1:
            raise UsageError(f"the arrays have different lengths: {sorted(lengths)}")
        rows = lengths.pop() if lengths else 1
        bound = self.compile(quantities, attributes, {"rows": rows}, Arrays(arrays, rows))
        if bound.is_constant and (bound.has_aggregates or not arrays):
            return bound.value
        return bound.evaluate(arrays, rows=rows)

    def __repr__(self) -> str:
        return f"<Expression {self.text}>"


def expression(text: str, rpn_definitions: str | Path | None = None) -> Expression:
    """Independent. Parse an expression. Raises UsageError with the place of the error.

    `rpn: ...` is in reverse Polish notation, whose own functions are in the file `rpn_definitions`.

    >>> energy = quire.expression("sqrt(1 + p**2) * mc2_electron")
    >>> energy.names, round(energy(p=3.0), 3)
    (['p', 'mc2_electron'], 1.616)
    >>> quire.expression("rpn: x sqr y sqr + sqrt").text
    'sqrt(x ** 2 + y ** 2)'
    """
    return Expression(text, None if rpn_definitions is None else read_definitions(rpn_definitions))


def read_definitions(path: str | Path) -> Definitions:
    """Independent. Read a file of definitions of reverse Polish notation. Raises MissingFileError."""
    from quire.rpn.definitions import parse_definitions

    try:
        return parse_definitions(Path(path).read_text(encoding="utf-8", errors="surrogateescape"), str(path))
    except FileNotFoundError:
        raise MissingFileError("there is no such file of definitions", file=str(path)) from None


def core_attribute(name: str, value: Any, unit: str = "") -> _core.Attribute:
    """Independent. Return a single value as an attribute of the core."""
    kind, shape, elements = core_value(name, value, None, False)
    return _core.Attribute(_core.Quantity(name, kind, unit), shape, elements)


Call = Aggregate | Shift | Running


def compiled(
    core: _core.Expression,
    columns: Sequence[_core.Quantity],
    attributes: Sequence[_core.Attribute],
    counters: Mapping[str, int],
    source: RowSource | None,
    others: Found,
) -> BoundExpression:
    """Independent. Bind an expression: its calls over rows first, whose values are columns of the rest.

    Calls of columns of another file are over its rows.
    """
    calls: dict[str, Call] = {}
    warned: list[str] = []
    for function, text, arguments in core.row_calls:
        other = others.source([name for one in arguments for name in one.names], text)
        rows, of_rows = (source, columns) if other is None else (other, list(others.columns.values()))
        bound = [compiled(one, of_rows, attributes, counters, rows, others) for one in arguments]
        if function in ("first", "last") and bound[0].is_constant:
            rows = Arrays({}, 1)  # without rows, too, it has its value
        if rows is None:
            raise MissingError(f"there is no table with the rows that {text} needs")
        call = Aggregate if function in REDUCTIONS else WINDOWS[function]
        calls[text] = call(function, text, bound, rows)
        warned += [sentence for one in bound for sentence in one.warnings]
    values = [_core.Quantity(text, call.type, call.unit) for text, call in calls.items()]
    lower = {name.lower() for name in core.names}  # a message about `Step` names the counter
    used = {name: counters[name] for name in counters if name in lower}
    outer = core.compile([*values, *columns], list(attributes), used)
    return BoundExpression(
        outer,
        calls,
        list(dict.fromkeys([*warned, *outer.warnings])),
        unit_of(outer, [*values, *columns], attributes),
    )


def unit_of(
    bound: _core.CompiledExpression,
    columns: Iterable[_core.Quantity],
    attributes: Iterable[_core.Attribute],
) -> str:
    """Independent. Return the unit of a result: as written in the file, or simplified if it is composed."""
    unit = bound.unit
    if "(" not in unit or any(one.unit == unit for one in (*columns, *attributes)):
        return unit
    from quire.units import simplified

    return simplified(unit)


class BoundExpression:
    """An expression with resolved names and types. Evaluates blocks of rows; contains no data but the values
    of aggregates.
    """

    def __init__(
        self,
        core: _core.CompiledExpression,
        calls: Mapping[str, Call],
        warnings: Sequence[str],
        unit: str,
    ) -> None:
        self._core = core
        self.unit = unit
        """The unit of the result; empty if unknown or dimensionless."""
        self._calls = calls
        self._aggregates = [one for one in calls.values() if isinstance(one, Aggregate)]
        self.warnings = warnings
        """Sentences about sums of numbers and quantities with units."""
        read = [calls[name].columns if name in calls else [name] for name in core.columns]
        self.columns: list[str] = list(dict.fromkeys(name for names in read for name in names))
        """The columns that must be read."""

    @property
    def type(self) -> str:
        """The type of the result: int32 (0 or 1) for conditions, the type of the column for a single
        column.
        """
        return self._core.type

    def warn_of_units(self) -> None:
        """Independent. Issue a UnitWarning for each sum of a number and a quantity with a unit."""
        for sentence in self.warnings:
            warnings.warn(sentence, UnitWarning, stacklevel=3)

    @property
    def is_pure(self) -> bool:
        """Whether the result is a pure number, such as a count or a quotient of equal units."""
        return self._core.is_pure or (not self.unit and self._core.unit != "")

    @property
    def is_condition(self) -> bool:
        """Whether it can select rows: the result is a condition or an integer."""
        return self._core.is_condition

    @property
    def is_constant(self) -> bool:
        """Whether the result is the same for all rows: no `row` is used, and columns in aggregates only."""
        used = [self._calls.get(name) for name in self._core.columns]
        return not self._core.uses_row and all(isinstance(one, Aggregate) for one in used)

    @property
    def is_by_row(self) -> bool:
        """Whether each row has its result by its own values, and those of aggregates alone."""
        return not self._core.uses_row and len(self._aggregates) == len(self._calls)

    @property
    def may_fail(self) -> bool:
        """Whether a row can raise an error, such as that of integers beyond int64."""
        nested = [argument for call in self._calls.values() for argument in call.arguments]
        return (
            self._core.may_fail
            or any(dtype_of(call.type).kind != "f" for call in self._calls.values())
            or any(argument.may_fail for argument in nested)
        )

    @property
    def has_aggregates(self) -> bool:
        """Whether the result depends on a value of all rows, such as `max(x)`."""
        return bool(self._aggregates)

    def passes(self, source: RowSource) -> list[list[str]]:
        """Independent. Return the columns of each pass over all rows of a table that aggregates need, such as
        `max(x)`.
        """
        nested = [argument for call in self._calls.values() for argument in call.arguments]
        found = [columns for one in nested for columns in one.passes(source)]
        whole = [one for one in self._aggregates if one.source is source and one.reduction.row is None]
        names = [name for one in whole for argument in one.arguments for name in argument.columns]
        return [*found, list(dict.fromkeys(names))] if names else found

    def compute_aggregates(self, ranks: Sharing) -> None:
        """Collective. Compute the values of all rows on ranks that share the rows. Otherwise each rank reads
        them all, when it needs a value.
        """
        for call in self._calls.values():
            for argument in call.arguments:
                argument.compute_aggregates(ranks)
        # Those of a table without rows may have no value, which no row needs.
        reduce_together([one for one in self._aggregates if len(one.source)], ranks)

    @property
    def value(self) -> Any:
        """Independent. Return the result of a constant expression. Raises UsageError for others."""
        if self._core.is_constant or not self.is_constant:
            return attribute_from_core(self._core.value()).value
        found = self._evaluated(self._arrays({}, 0, 1), 0, np.empty(1, dtype_of(self.type)))[0]
        return found.item() if isinstance(found, np.generic) and self.type != "float80" else found

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
        return self._evaluated(self._arrays(block, first_row, count), first_row, out)

    def _evaluated(self, arrays: list[tuple[str, Any]], first_row: int, out: Array) -> Array:
        wanted = type_of(out.dtype)
        texts = self._core.evaluate(arrays, first_row, wanted, None if wanted == "string" else out, len(out))
        if texts is not None:
            out[:] = texts
        return out

    def select(self, block: Mapping[str, Array], first_row: int = 0, rows: int | None = None) -> Array:
        """Independent. Return the numbers (int64, ascending) of the rows of a block that satisfy the
        condition.
        """
        count = self._rows(block, rows)
        return self._core.select(self._arrays(block, first_row, count), first_row, count)

    def count(self, block: Mapping[str, Array], first_row: int = 0, rows: int | None = None) -> int:
        """Independent. Return the number of rows of a block that satisfy the condition."""
        count = self._rows(block, rows)
        return self._core.count(self._arrays(block, first_row, count), first_row, count)

    def _rows(self, block: Mapping[str, Array], rows: int | None) -> int:
        if rows is not None:
            return rows
        for name in self.columns:
            return len(block[name])
        for array in block.values():
            return len(array)
        raise UsageError("without columns the number of rows must be given")

    def _arrays(self, block: Mapping[str, Array], first: int, count: int) -> list[tuple[str, Any]]:
        if count:
            reduce_together(self._aggregates)
        arrays = []
        for name in self._core.columns:
            if name in self._calls:
                call = self._calls[name]
                values = call.values(block, first, count) if count else np.empty(0, dtype_of(call.type))
                arrays.append((call.type, ready_array(values, call.type, False, name)))
                continue
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
