"""Columns and attributes computed by expressions: the engine of `quire define`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from quire import _core
from quire.errors import ConflictError, Error, MissingError, TypeMismatchError, UsageError
from quire.io.attributes import attributes_from_core, core_value
from quire.io.expression import BoundExpression, Expression
from quire.io.quantity import Quantity
from quire.io.types import Array, dtype_of
from quire.io.zones import Meaning
from quire.rpn import is_rpn
from quire.toolkit.agreement import share_aggregates
from quire.toolkit.copied_table import CopiedTable, rows_of

if TYPE_CHECKING:
    from quire import Field, File, Step, Table
    from quire.io.sidecar import Zones
    from quire.io.table import Progress
    from quire.rpn.definitions import Definitions

Kind = Literal["column", "attribute"]

DEFINITION = re.compile(
    r"\s*(?:`(?P<quoted>[^`]+)`|(?P<name>[^=\[\]`]+?))\s*(?:\[(?P<unit>[^\]]*)\])?\s*=(?!=)(?P<expression>.*)",
    re.DOTALL,
)

NAME = re.compile(r"[^=\[\]`]+")
"""Names that need no backticks in a definition."""


@dataclass(frozen=True)
class Definition:
    """A name, its expression, and the texts of the new column or attribute.

    `unit` and `type` are by default those of the expression. `kind` is by default a column if the expression
    uses a column or `row`, or a column has the name, else an attribute. With `keeps_type` floating-point
    values have the type of the column that they replace.
    """

    name: str
    expression: Expression
    unit: str | None = None
    type: str | None = None
    symbol: str = ""
    description: str = ""
    kind: Kind | None = None
    keeps_type: bool = False


def parse_definition(
    text: str,
    kind: Kind | None = None,
    texts: Mapping[str, Mapping[str, str]] | None = None,
    functions: Definitions | None = None,
) -> Definition:
    """Independent. Parse `NAME=EXPR` or `NAME[unit]=EXPR`; other names in backticks. Raises UsageError.

    `texts` contains for each text ("unit", "type", "symbol", "description") the values by definition,
    `functions` those of expressions that begin with `rpn:`.
    """
    found = DEFINITION.fullmatch(text)
    if found is None:
        raise UsageError(f"'{text}' is not a definition; write NAME=EXPRESSION or NAME[unit]=EXPRESSION")
    name = found["quoted"] or found["name"]
    given = {what: words[name] for what, words in (texts or {}).items() if name in words}
    if found["unit"] is not None:
        given["unit"] = found["unit"]
    try:
        expression = Expression(found["expression"].strip(), functions)
        return Definition(
            name,
            expression,
            given.get("unit"),
            given.get("type"),
            given.get("symbol", ""),
            given.get("description", ""),
            kind,
        )
    except Error as problem:
        raise type(problem)(f"{name}: {problem.message}") from None


def parse_definitions(
    texts: Iterable[str | Definition],
    kind: Kind | None = None,
    given: Mapping[str, Mapping[str, str]] | None = None,
    functions: Definitions | None = None,
) -> tuple[Definition, ...]:
    """Independent. Parse definitions; see `parse_definition`. A variable that one in reverse Polish notation
    stores is known to those after it, with its value of the last row.
    """
    made: list[Definition] = []
    known = functions
    for text in texts:
        if isinstance(text, Definition):
            made.append(text)
            continue
        made.append(parse_definition(text, kind, given, known))
        known = with_stored(text, known)
    return tuple(made)


def with_stored(text: str, functions: Definitions | None) -> Definitions | None:
    """Independent. Return definitions with the variables that a definition stores."""
    found = DEFINITION.fullmatch(text)
    if found is None or "sto" not in text or not is_rpn(found["expression"]):
        return functions
    from dataclasses import replace

    from quire.rpn.compiler import stored_values
    from quire.rpn.definitions import Definitions

    known = functions or Definitions()
    values = dict(known.values)
    for name, (value, is_text) in stored_values(found["expression"].strip(), known).items():
        values[name] = (f"last({value})" if Expression(value).names else value, is_text)
    return replace(known, values=values)


def define_command(path: str, name: str, unit: str, expression: str, *options: str) -> str:
    """Independent. Return the command that copies a file and adds a column or an attribute."""
    quoted = name if NAME.fullmatch(name) else f"`{name}`"
    definition = f"{quoted}[{unit}]={expression}" if unit else f"{quoted}={expression}"
    words = ["quire", "define", path, f"new{Path(path).suffix}", definition, *options]
    return " ".join(map(shlex.quote, words))


@dataclass(frozen=True)
class Defined:
    """What a definition made: its kind, type and unit. `is_implied`: the kind follows from the expression."""

    kind: Kind
    type: str
    unit: str
    is_implied: bool


@dataclass(frozen=True)
class MadeColumn:
    """A definition for one table: the expression and the description of its values."""

    bound: BoundExpression
    core: _core.Quantity

    @property
    def may_fail(self) -> bool:
        """Whether a row can raise an error: then all rows are computed."""
        return self.bound.may_fail or self.core.type != self.bound.type

    def values(self, block: Mapping[str, Array], first: int, count: int) -> Array:
        """Independent. Return the values for rows of a block. Floating-point values are rounded to the
        type.
        """
        try:
            return self._values(block, first, count)
        except Error as problem:
            problem.place(object=self.core.name)
            raise

    def _values(self, block: Mapping[str, Array], first: int, count: int) -> Array:
        wanted = dtype_of(self.core.type)
        if wanted.kind == "f" and dtype_of(self.bound.type).kind == "f":
            return rounded(self.bound.evaluate(block, first, count), wanted, first)
        return self.bound.evaluate(block, first, count, np.empty(count, wanted))


def rounded(values: Array, wanted: np.dtype[Any], first: int) -> Array:
    """Independent. Return floating-point values in another such type. Raises TypeMismatchError for those that
    are beyond it.
    """
    if wanted.itemsize >= values.dtype.itemsize:
        return values.astype(wanted, copy=False)
    with np.errstate(over="ignore"):
        made: Array = values.astype(wanted)
    is_beyond = np.isinf(made) & ~np.isinf(values)
    if is_beyond.any():
        row = int(np.flatnonzero(is_beyond)[0])
        raise TypeMismatchError(f"the result in row {first + row} is {values[row]}, too large for {wanted}")
    return made


class DerivedTable(CopiedTable):
    """A table with defined columns, which are computed on reading."""

    def __init__(self, table: Table, made: Sequence[MadeColumn], scope: Scope) -> None:
        self._table = table
        self._made = made
        self._scope = scope
        self.name = table.name
        self.columns: Mapping[str, Quantity] = {
            **table.columns,
            **{one.core.name: Quantity(one.core) for one in made},
        }

    def __len__(self) -> int:
        return len(self._table)

    def scope(self) -> tuple[list[_core.Quantity], list[_core.Attribute], dict[str, int]]:
        """Independent. Return the names of expressions."""
        return self._scope.columns, self._scope.attributes, self._scope.counters

    @property
    def zones(self) -> str:
        """The name of the table with the limits of blocks of rows of the table without definitions."""
        return self._table.zones

    def indexed(self, column: str) -> Zones | None:
        """Independent. Return the limits of a column in blocks of rows by the index of the file, if any."""
        find = getattr(self._table, "indexed", None)
        return None if find is None or column in self._defined else find(column)

    def candidates(
        self, condition: Expression, rows: tuple[int, int], meaning: Meaning | None = None
    ) -> list[tuple[int, int]]:
        """Independent. Return the rows that can satisfy a condition by limits of columns of the file."""
        find = getattr(self._table, "candidates", None)
        if find is None or any(one.may_fail for one in self._made):
            return [rows]
        meaning = meaning or Meaning(self.scope())
        return list(find(condition, rows, meaning.with_defined(self._defined)))

    @property
    def _defined(self) -> list[str]:
        return [one.core.name for one in self._made]

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._table.rows_per_block([name for name in names or () if name in self._table])

    def blocks(
        self,
        names: Iterable[str],
        rows_per_block: int | None = None,
        rows: Any = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`, with defined columns."""
        wanted = list(names)
        made, sources = self._needed(wanted)
        for first, block, count in self._source_blocks(sources, rows_per_block, rows, progress):
            for one in made:
                block[one.core.name] = one.values(block, first, count)
            yield first, {name: block[name] for name in wanted}

    def _needed(self, wanted: Sequence[str]) -> tuple[list[MadeColumn], list[str]]:
        """Return the definitions for these columns, in order, and the columns to read for them."""
        open_names = dict.fromkeys(wanted)
        made: list[MadeColumn] = []
        for one in reversed(self._made):
            if one.core.name in open_names:
                del open_names[one.core.name]
                open_names.update(dict.fromkeys(one.bound.columns))
                made.insert(0, one)
        return made, list(open_names)

    def _source_blocks(
        self, sources: Sequence[str], rows_per_block: int | None, rows: Any, progress: Progress | None
    ) -> Iterator[tuple[int, dict[str, Array], int]]:
        if sources:
            for first, block in self._table.blocks(sources, rows_per_block, rows, progress):
                yield first, dict(block), len(block[sources[0]])
            return
        first, count = rows_of(rows, len(self))
        size = rows_per_block or self.rows_per_block()
        for start in range(first, first + count, size):
            yield start, {}, min(size, first + count - start)


@dataclass
class Scope:
    """The names for definitions; each definition adds its own."""

    columns: list[_core.Quantity]
    attributes: list[_core.Attribute]
    counters: dict[str, int]


class DerivedStep:
    """A step with definitions. It has the interface of a step for copies.

    The ranks of `comm`, which make it together, share the rows for values such as `max(x)`.
    """

    def __init__(
        self,
        file: File,
        step: Step,
        definitions: Sequence[Definition],
        table: str = "",
        replace: bool = False,
        comm: Any = None,
    ) -> None:
        self._comm = comm
        self.number = step.number
        self.warnings = step.warnings
        self.left_out: dict[str, MissingError] = {}
        """Definitions that cannot be evaluated since the step lacks the table, and the reasons."""
        self.defined: dict[str, Defined] = {}
        """What the definitions made, by name."""
        self.fields: Mapping[str, Field] = step.fields
        self.streams = step.streams
        self._file = file
        self._replace = replace
        target = self._target(step, table)
        made_columns: list[MadeColumn] = []
        made_attributes: list[_core.Attribute] = []
        description = step._description
        if target is None:
            of_file = file._core.description.attributes
            scope = Scope([], [*description.attributes, *of_file], {"step": step.number})
        else:
            scope = Scope(*map_lists(target.scope()))
        for definition in definitions:
            try:
                self._define(definition, scope, target, made_columns, made_attributes)
            except MissingError as problem:
                if target is not None:
                    raise
                self.left_out[definition.name] = problem
        self.tables: Mapping[str, Any] = dict(step.tables)
        if target is not None and made_columns:
            self.tables = {**step.tables, target.name: DerivedTable(target, made_columns, scope)}
        self._description = description.with_definitions(
            "" if target is None else target.name, [one.core for one in made_columns], made_attributes
        )
        self.attrs = attributes_from_core(f"step {step.number}", file.path, self._description.attributes)

    @property
    def table(self) -> Any:
        """Independent. Return the only or first table. Raises a missing error if there is none."""
        for table in self.tables.values():
            return table
        raise MissingError(f"step {self.number} has no table", file=self._file.path)

    @staticmethod
    def _target(step: Step, table: str) -> Table | None:
        """Return the table of this name, without a name the only one; None if there is none."""
        if table or not step.tables:
            return step.tables.get(table)
        if len(step.tables) > 1:
            raise UsageError(
                f"there are several tables; choose one of {', '.join(step.tables)} by table=NAME"
            )
        return step.table

    def _define(
        self,
        definition: Definition,
        scope: Scope,
        target: Table | None,
        made_columns: list[MadeColumn],
        made_attributes: list[_core.Attribute],
    ) -> None:
        try:
            source = None if target is None else DerivedTable(target, list(made_columns), scope)
            bound = definition.expression.compile(scope.columns, scope.attributes, scope.counters, source)
        except Error as problem:
            raise type(problem)(f"{definition.name}: {problem.message}", file=self._file.path) from None
        share_aggregates(self._comm, bound)
        if definition.unit is None:
            bound.warn_of_units()
        is_column = not bound.is_constant or any(one.name == definition.name for one in scope.columns)
        kind: Kind = definition.kind or ("column" if is_column else "attribute")
        quantity = self._quantity(definition, bound, scope.columns)
        defined = Defined(kind, quantity.type, quantity.unit, definition.kind is None)
        if kind == "column":
            if target is None:
                raise MissingError(f"step {self.number} has no table for the column", object=definition.name)
            self._refuse_existing(definition.name, scope.columns)
            made_columns.append(MadeColumn(bound, quantity))
            put_quantity(scope.columns, quantity)
            self.defined[definition.name] = defined
            return
        if not bound.is_constant:
            raise UsageError(
                f"the value depends on {', '.join(bound.columns) or 'the row'}, so it cannot be an attribute",
                object=definition.name,
            )
        self._refuse_existing(definition.name, scope.attributes)
        rounds = {dtype_of(quantity.type).kind, dtype_of(bound.type).kind} == {"f"}
        _, shape, elements = core_value(definition.name, bound.value, quantity.type, rounds)
        made_attributes.append(_core.Attribute(quantity, shape, elements))
        scope.attributes.insert(0, made_attributes[-1])
        self.defined[definition.name] = defined

    def _quantity(
        self, definition: Definition, bound: BoundExpression, columns: Sequence[_core.Quantity]
    ) -> _core.Quantity:
        kind = definition.type or bound.type
        if definition.keeps_type:
            before = next((one.type for one in columns if one.name == definition.name), kind)
            kind = before if {dtype_of(kind).kind, dtype_of(before).kind} == {"f"} else kind
        dtype_of(kind)
        unit = bound.unit if definition.unit is None else definition.unit
        return _core.Quantity(definition.name, kind, unit, definition.symbol, definition.description)

    def _refuse_existing(self, name: str, known: Iterable[_core.Quantity]) -> None:
        if name in self._file.attrs:
            raise ConflictError("an attribute of the file has this name", object=name)
        if not self._replace and any(one.name == name for one in known):
            raise ConflictError(
                "there is a column or attribute of this name", object=name, advice="--replace replaces it"
            )


def map_lists(
    scope: tuple[Sequence[_core.Quantity], Sequence[_core.Attribute], dict[str, int]],
) -> tuple[list[_core.Quantity], list[_core.Attribute], dict[str, int]]:
    """Independent. Return a copy with its own lists."""
    return list(scope[0]), list(scope[1]), scope[2]


def put_quantity(items: list[_core.Quantity], item: _core.Quantity) -> None:
    """Independent. Add a quantity, or replace the one of the same name."""
    for place, known in enumerate(items):
        if known.name == item.name:
            items[place] = item
            return
    items.append(item)
