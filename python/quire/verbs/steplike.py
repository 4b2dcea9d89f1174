"""Steps and tables as verbs see them, and those that verbs make: values in memory, or computed when read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from quire import _core
from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.io.attributes import Attribute, Attributes, NamedItems, attributes_from_core, core_value
from quire.io.memory import require_room
from quire.io.quantity import Quantity
from quire.io.texts import Texts
from quire.io.types import Array, dtype_of, type_of
from quire.numeric.threads import in_threads
from quire.toolkit.activity import doing
from quire.toolkit.copied_table import CopiedTable, rows_of

if TYPE_CHECKING:
    from quire.io.table import Progress

BLOCK_BYTES = 8 << 20
EVEN_ROWS = 1 << 16
"""Rows of the blocks that sums are made of."""
MANY_ROWS = 1 << 20
"""Rows from which on threads share work."""
STRING_BYTES = 80
"""Estimated bytes of a string, as an object."""


class MissingValues(str):
    """A warning of a step about values that do not exist: NaN, or empty texts."""

    __slots__ = ()


class LeftOut(str):
    """A warning of a step about tables or fields that it does not have."""

    __slots__ = ()


class TableLike(Protocol):
    """A table of a file, or one that a verb makes."""

    name: str

    @property
    def columns(self) -> Mapping[str, Any]:
        """The columns by name, each with name, type and texts."""

    def __len__(self) -> int: ...

    def __getitem__(self, name: str) -> Any: ...

    def __iter__(self) -> Iterator[str]: ...

    def scope(self) -> tuple[Sequence[_core.Quantity], Sequence[_core.Attribute], Mapping[str, int]]:
        """Independent. Return the names of expressions: columns, attributes, and the values of counters."""

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""

    def blocks(
        self,
        names: Iterable[str],
        rows_per_block: int | None = None,
        rows: Any = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Yield the first row and the columns of blocks of rows."""


class StepLike(Protocol):
    """A step of a file, or one that a verb makes: the interface of a step for copies."""

    @property
    def number(self) -> int:
        """The number of the step."""

    @property
    def attrs(self) -> Attributes:
        """The attributes by name."""

    @property
    def tables(self) -> Mapping[str, Any]:
        """The tables by name."""

    @property
    def table(self) -> Any:
        """The only or first table."""

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields by name."""

    @property
    def warnings(self) -> list[str]:
        """Warnings from reading."""


def read_columns(table: TableLike, names: Sequence[str]) -> dict[str, Array]:
    """Independent. Return all rows of some columns. They must fit into the memory."""
    read = getattr(table, "read", partial(CopiedTable.read, cast("CopiedTable", table)))
    return dict(read(list(names)))


def scope_of(table: TableLike) -> tuple[list[_core.Quantity], list[_core.Attribute], Mapping[str, int]]:
    """Independent. Return a copy of the names of expressions, with lists of its own."""
    columns, attributes, counters = table.scope()
    return list(columns), list(attributes), counters


Values = Array | Callable[[], Array]
"""The values of a column, or what computes them: in an array of its own, which nothing else refers to."""


class NewColumn(Quantity):
    """The description of a column that a verb makes, with its values."""

    def __init__(self, name: str, values: Values, unit: Texts | str = "", type: str | None = None) -> None:
        texts = unit if isinstance(unit, Texts) else Texts(unit)
        kind = type or type_of(cast("Array", values).dtype, name)
        words = [word or "" for word in (texts.unit, texts.symbol, texts.description, texts.display)]
        super().__init__(_core.Quantity(name, kind, *words))
        self.values = values

    @classmethod
    def like(cls, column: Any, values: Values, name: str | None = None) -> NewColumn:
        """Independent. Return a column with the type and the texts of another."""
        return cls(name or column.name, values, texts_of(column), column.type)

    def read(self) -> Array:
        """Independent. Return the values in the type of the column."""
        found = self.values() if callable(self.values) else self.values
        return found.astype(self.dtype, copy=False)


def as_floats(values: Array, name: str, kind: Any = np.float64) -> Array:
    """Independent. Return numbers as floating-point ones, which have NaN for missing values.

    Raises TypeMismatchError where the conversion would change an integer.
    """
    made: Array = values.astype(kind, copy=False)
    if values.dtype.kind in "iu" and values.dtype.itemsize > 4:
        for row in np.flatnonzero(np.abs(made) >= 2.0**53):
            if int(made[row]) != int(values[row]):
                raise TypeMismatchError(
                    f"{values[row]} would be rounded to {made[row]:.0f}",
                    object=name,
                    advice="such integers can only be combined with integers of the same type",
                )
    return made


def alike(arrays: Sequence[Array], name: str) -> list[Array]:
    """Independent. Return numbers in the smallest type that holds all of them.

    Raises TypeMismatchError where an integer would be rounded.
    """
    kind = np.result_type(*(one.dtype for one in arrays))
    if kind.kind != "f":
        return [one.astype(kind, copy=False) for one in arrays]
    return [as_floats(one, name, kind) for one in arrays]


def texts_of(quantity: Any) -> Texts:
    """Independent. Return unit, symbol, description and display of a column or an attribute."""
    return Texts(quantity.unit, quantity.symbol, quantity.description, quantity.display)


class MadeTable(CopiedTable):
    """A table that a verb makes. Columns are computed when they are read, and kept only while the blocks of
    one pass are read.
    """

    def __init__(self, columns: Iterable[NewColumn], rows: int, name: str = "") -> None:
        self.name = name
        self._rows = rows
        self._new = {one.name: one for one in columns}
        self.columns: Mapping[str, NewColumn] = NamedItems("column", "the step", "", self._new.items())
        self._attributes: Sequence[_core.Attribute] = ()
        self._step = 0
        self.results: Sequence[str] = ()
        """Keys of the rows and results of `stats`; its other columns are attributes of steps."""

    def place(self, attributes: Sequence[_core.Attribute], step: int) -> None:
        """Independent. Set the attributes and the number of the step, which expressions can use."""
        self._attributes, self._step = attributes, step

    def __len__(self) -> int:
        return self._rows

    def scope(self) -> tuple[Sequence[_core.Quantity], Sequence[_core.Attribute], Mapping[str, int]]:
        """Independent. Return the names of expressions: columns, attributes, and the values of counters."""
        counters = {"step": self._step, "rows": self._rows}
        return [one._quantity for one in self._new.values()], self._attributes, counters

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        wanted = self._new if names is None else [name for name in names if name in self._new]
        sizes = [STRING_BYTES if self._new[one].type == "string" else self._new[one].dtype.itemsize
                 for one in wanted]  # fmt: skip
        return max(1, BLOCK_BYTES // max(1, sum(sizes)))

    def rows_to_read(self, names: Iterable[str]) -> int:
        """Independent. Return the rows of blocks to read one after another."""
        return EVEN_ROWS

    def read(self, names: Iterable[str] | None = None, rows: Any = None) -> dict[str, Array]:
        """Independent. Return columns by name, of all or some contiguous rows."""
        if rows is not None:
            return super().read(names, rows)
        found = self.values(list(self if names is None else names))
        return {name: one if callable(self[name].values) else one.copy() for name, one in found.items()}

    def values(self, names: Sequence[str]) -> dict[str, Array]:
        """Independent. Return the values of columns, which are not changed."""
        return {name: self[name].read() for name in names}

    def blocks(
        self,
        names: Iterable[str],
        rows_per_block: int | None = None,
        rows: Any = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`."""
        wanted = list(names)
        first, count = rows_of(rows, self._rows)
        values = self.values(wanted)
        size = rows_per_block or self.rows_per_block(wanted)
        for start in range(first, first + count, size):
            here = slice(start, min(start + size, first + count))
            yield start, {name: array[here] for name, array in values.items()}
            if progress is not None:
                progress(here.stop - first, count)


class GroupOf(NamedTuple):
    """The number of a step that was divided into groups, and the attributes with the values of a group."""

    number: int
    keys: tuple[str, ...]


def keys_of(step: StepLike) -> tuple[str, ...]:
    """Independent. Return the attributes with the values of a group; none of a step that is no group."""
    group_of: GroupOf | None = getattr(step, "group_of", None)
    return () if group_of is None else group_of.keys


class MadeStep:
    """A step that a verb makes. It has the interface of a step for copies.

    `group_of` is what was divided into groups, of which this is one.
    """

    def __init__(
        self,
        number: int,
        attributes: Iterable[Attribute],
        tables: Sequence[TableLike],
        warnings: Sequence[str] = (),
        group_of: GroupOf | None = None,
    ) -> None:
        self.number = number
        self.warnings = list(warnings)
        self.group_of = group_of
        self.fields: Mapping[str, Any] = {}
        self.streams: Sequence[Any] = ()
        self.expansions: Sequence[Any] = ()
        self.tables: Mapping[str, Any] = {table.name: table for table in tables}
        core = [core_attribute_of(one) for one in attributes]
        described = [(table.name, [quantity_of(table[name]) for name in table]) for table in tables]
        self._description = _core.StepDescription.declaration([], described, []).with_definitions(
            tables[0].name if tables else "", [], core
        )
        self.attrs = attributes_from_core(f"step {number}", "", self._description.attributes)
        for table in tables:
            if isinstance(table, MadeTable):
                table.place(core, number)

    @property
    def table(self) -> Any:
        """Independent. Return the only or first table. Raises a missing error if there is none."""
        for table in self.tables.values():
            return table
        raise MissingError(f"step {self.number} has no table")


def quantity_of(described: Any) -> _core.Quantity:
    """Independent. Return the description of a column or an attribute for the core."""
    known = getattr(described, "_quantity", None)
    if type(known) is _core.Quantity:
        return known
    texts = described.unit, described.symbol, described.description, described.display
    return _core.Quantity(described.name, described.type, *texts)


def core_attribute_of(attribute: Attribute) -> _core.Attribute:
    """Independent. Return an attribute for the core. Those of a file without steps have no values."""
    if attribute.value is None:
        return _core.StepDescription.declaration([quantity_of(attribute)], [], []).attributes[0]
    kind, shape, elements = core_value(attribute.name, attribute.value, attribute.type, False)
    quantity = _core.Quantity(
        attribute.name,
        kind,
        attribute.unit,
        attribute.symbol,
        attribute.description,
        attribute.display,
    )
    return _core.Attribute(quantity, shape, elements)


def new_attribute(name: str, value: Any, like: Any = None, unit: str = "") -> Attribute:
    """Independent. Return an attribute with the texts of a column or another attribute, or a unit."""
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble):
        kind = type_of(value.dtype, name)
        value = value.item()
    else:
        kind = core_value(name, value, None, False)[0]
    if like is None:
        return Attribute(name, value, kind, unit)
    return Attribute(name, value, kind, like.unit, like.symbol, like.description, like.display)


def made_from(
    step: StepLike, tables: Sequence[TableLike], attributes: Iterable[Attribute] | None = None
) -> MadeStep:
    """Independent. Return a step with other tables, the same fields, and by default the same attributes.

    Other tables are left out, with a warning.
    """
    kept = step.attrs.info.values() if attributes is None else attributes
    made = MadeStep(
        step.number, kept, tables, [*step.warnings, *left_out(step, tables)], getattr(step, "group_of", None)
    )
    known: Any = step
    made._description = made._description.with_fields(known._description)
    made.fields = step.fields
    return made


def left_out(step: StepLike, tables: Sequence[TableLike]) -> list[str]:
    """Independent. Return a warning of the tables of a step that are not among these, if there are any."""
    kept = {table.name for table in tables}
    names = [name for name in step.tables if name not in kept]
    return [LeftOut(f"tables are left out: {', '.join(names)}")] if names and kept else []


def warnings_of(step: StepLike, table: TableLike) -> list[str]:
    """Independent. Return the warnings of a step of which only this table and attributes stay."""
    fields = [LeftOut(f"fields are left out: {', '.join(step.fields)}")] if step.fields else []
    return [*step.warnings, *left_out(step, [table]), *fields]


def with_other_rows(step: StepLike, table: TableLike) -> MadeStep:
    """Independent. Return a step with other rows of one table: attributes and fields stay.

    Other tables are left out, with a warning.
    """
    made = MadeStep(
        step.number, (), [table], [*step.warnings, *left_out(step, [table])], getattr(step, "group_of", None)
    )
    known: Any = step
    made._description = known._description.with_tables([table.name], True)
    made.attrs, made.fields = step.attrs, step.fields
    if isinstance(table, MadeTable):
        table.place(made._description.attributes, step.number)
    return made


class TakenTable(MadeTable):
    """Rows of a table by their numbers, in any order. Threads share the work of many rows."""

    def __init__(self, table: TableLike, numbers: Array, names: Iterable[str] | None = None) -> None:
        self._source = table
        self._numbers = numbers
        self._is_whole = len(numbers) == len(table) and bool(np.all(numbers[1:] > numbers[:-1]))
        wanted = table if names is None else names
        columns = [NewColumn.like(table[name], partial(self._taken, name)) for name in wanted]
        super().__init__(columns, len(numbers), table.name)

    def _taken(self, name: str) -> Array:
        return self._taking(name)()

    def _taking(self, name: str) -> Callable[[], Array]:
        """Return what takes the rows of a column, after reading it."""
        values = read_columns(self._source, [name])[name]
        return lambda: values if self._is_whole else values.take(self._numbers)

    def values(self, names: Sequence[str]) -> dict[str, Array]:
        """Independent. Return the values of columns. They are read one after another."""
        if self._is_whole or len(self) < MANY_ROWS:
            return super().values(names)

        def takings() -> Iterator[Callable[[], Array]]:
            for place, name in enumerate(names):
                doing("ordering", place, len(names), "columns")
                yield self._taking(name)

        return dict(zip(names, in_threads(takings()), strict=True))


def taken(table: TableLike, numbers: Array, names: Iterable[str] | None = None) -> MadeTable:
    """Independent. Return the rows of a table with these numbers, in this order."""
    return TakenTable(table, numbers, names)


def estimated_bytes(table: TableLike, names: Sequence[str] | None = None) -> int:
    """Independent. Return the bytes of columns of a table in memory, of texts about."""
    kinds = [table[name].type for name in (table if names is None else names)]
    return len(table) * sum(STRING_BYTES if kind == "string" else dtype_of(kind).itemsize for kind in kinds)


def in_memory(table: TableLike, names: Sequence[str] | None = None) -> dict[str, Array]:
    """Independent. Return columns of a table in memory. Raises MemoryBudgetError if they do not fit."""
    wanted = list(table.columns) if names is None else list(names)
    if getattr(table, "is_searched", True):  # else the number of rows is known after reading them
        require_room(estimated_bytes(table, wanted), "the columns")
    return read_columns(table, wanted)


def even_blocks(table: TableLike, names: Sequence[str]) -> Iterator[dict[str, Array]]:
    """Independent. Yield columns in blocks of `EVEN_ROWS` rows, the last with fewer, however the table has
    them divided: sums of blocks then have the same rounding everywhere. The arrays are reused.
    """
    held: list[dict[str, Array]] = []
    wanted = EVEN_ROWS
    for _, block in table.blocks(names, rows_to_read(table, names)):
        count, start = len(block[names[0]]), 0
        while start < count:
            end = min(start + wanted, count)
            part = {name: values[start:end] for name, values in block.items()}
            wanted, start = wanted - (end - start), end
            if not wanted and not held:
                yield part
            else:
                held.append({name: values.copy() for name, values in part.items()})
                if not wanted:
                    yield joined_blocks(held)
            if not wanted:
                held, wanted = [], EVEN_ROWS
    if held:
        yield joined_blocks(held)


def rows_to_read(table: Any, names: Iterable[str]) -> int:
    """Independent. Return the rows of blocks to read one after another: a quarter of what the table reads by
    default, which stays in the cache, but no less than a chunk. Where these are not known, all of it.
    """
    if hasattr(table, "rows_to_read"):
        return cast("int", table.rows_to_read(names))
    rows = cast("int", table.rows_per_block(names))
    if not hasattr(table, "chunk_rows"):
        return rows
    of_chunk = -(-table.chunk_rows(names) // EVEN_ROWS)
    return EVEN_ROWS * max(int(of_chunk), rows // 4 // EVEN_ROWS)


def joined_blocks(blocks: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Independent. Return the columns of blocks, one after another."""
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def chosen_table(step: StepLike, name: str = "") -> Any:
    """Independent. Return the table of this name, without a name the only or first one.

    Raises UsageError if there are several that have rows, and MissingError if there is none.
    """
    if name:
        return step.tables[name]
    if len(step.tables) > 1:
        raise UsageError(
            f"step {step.number} has several tables: {', '.join(step.tables)}", advice="choose one by --table"
        )
    return step.table
