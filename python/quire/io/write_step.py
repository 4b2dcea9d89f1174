"""One step while it is being written: put, then commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from quire import _core
from quire.errors import Placing, UsageError, as_text, placed, reason_of
from quire.io.arguments import text
from quire.io.attributes import Attribute
from quire.io.boxes import Box
from quire.io.elements import ElementBlock, ElementLayout
from quire.io.field_parts import selection_of
from quire.io.quantity import Quantity
from quire.io.rows import Rows, Selection, chosen, rows_of_table
from quire.io.streams import WriteStream
from quire.io.texts import Texts, core_attribute, core_quantity, texts
from quire.io.types import Array, dtype_of, host_array, ready_array, type_of
from quire.io.written_fields import DeclaredField, FieldTraits, PutField, shape_of


@dataclass(slots=True)
class _Column:
    """A column that waits for the commit. `values` is None where they come block by block."""

    name: str
    type: str
    words: Texts
    values: Array | None
    string_bytes: int


@dataclass(slots=True)
class _Table:
    rows: int | None = None
    chosen: tuple[Selection | Array, int | None] | None = None
    columns: dict[str, _Column] = field(default_factory=dict)
    expansion: _core.Expansion | None = None


class WriteStep:
    """One step of a file that is being written. Made by `Writer.step`, best used by `with`.

    Leaving the block normally commits; leaving it by an exception aborts the step on all ranks: the others
    raise an aborted error from their commit, and the file keeps its earlier steps.
    """

    def __init__(
        self,
        core: _core.WriteStep,
        number: int,
        lossy: bool,
        weighs_values: bool,
        path: str,
        on_finish: Callable[[WriteStep], None],
    ) -> None:
        self._core = core
        self._number = number
        self._lossy = lossy
        self._weighs_values = weighs_values
        self._path = path
        self._on_finish = on_finish
        self._tables: dict[str, _Table] = {}
        self._fields: dict[str, PutField | DeclaredField] = {}
        self._is_handed_over = False
        self._is_placed = False
        self._is_finished = False

    @property
    def number(self) -> int:
        """The step's own number."""
        return self._number

    @property
    def is_finished(self) -> bool:
        """True after commit or abort, successful or not."""
        return self._is_finished

    @placed
    def set(
        self,
        name: str,
        value: Any,
        unit: str | None = None,
        symbol: str | None = None,
        description: str | None = None,
        display: str | None = None,
        type: str | None = None,
    ) -> WriteStep:
        """Independent. An attribute of the step; every rank gives the same value, rank 0's is written.

        `value` is a number, text or an array of either, or an `Attribute`, whose type and texts are kept. A
        Python int is int64 (uint64 beyond), a float is float64.
        """
        self._require_filling("set")
        words = texts(value if isinstance(value, Attribute) else None, unit, symbol, description, display)
        with Placing(self._path, name):
            self._core.set(*core_attribute(name, value, words, type, self._lossy))
        return self

    @placed
    def expansion(self, expansion: _core.Expansion, table: str = "") -> WriteStep:
        """Independent. Say that the rows of a table are coefficients on elements."""
        self._require_filling("expansion")
        self._table(table).expansion = expansion
        return self

    @placed
    def put_elements(self, parts: Sequence[ElementBlock], layout: ElementLayout | None = None) -> WriteStep:
        """Independent, though every rank calls it. Put this rank's elements, if it has any.

        The ranks meet in `commit`, which looks at the arrays. A `quire.ElementLayout` that is given to all
        checkpoints of a series lets them tell each other their layout only when it has changed.
        """
        self._require_filling("put_elements")
        if isinstance(parts, ElementBlock) or not all(isinstance(part, ElementBlock) for part in parts):
            raise UsageError(
                "elements are put as a sequence of blocks",
                advice="step.put_elements([quire.ElementBlock(...)])",
            )
        self._core.put_elements([part._as_part() for part in parts], layout or ElementLayout())
        return self

    @placed
    def rows(self, count: int, table: str = "") -> WriteStep:
        """Independent. How many rows this rank has; `put` takes the length of its array instead."""
        self._require_filling("rows")
        self._table(table).rows = rows_of_table(count)
        return self

    @placed
    def rows_at(self, rows: Rows, total: int | None = None, table: str = "") -> WriteStep:
        """Independent. Which rows of the table this rank's values are: they need not follow the lower ranks'.

        Parameters
        ----------
        rows : as `Table.read` takes them: a slice, a range or a pair (first, count); a list or array of row
            numbers in any order, none of them twice, or an array with a truth value for each row. Rows of
            different ranks are disjoint; a rank without rows gives an empty list.
        total : how many rows the table has, the same on all ranks that say so; if no rank does, it ends with
            the greatest row. Without it nothing counts from the end.

        Every rank chooses rows of a table, or none does. Rows that nobody brings are 0. Text, strings and
        compressed columns have no places for single rows: the commit raises an unsupported error.
        """
        self._require_filling("rows_at")
        wanted = None if total is None else rows_of_table(total)
        with Placing(self._path, table):
            self._table(table).chosen = (chosen(rows, wanted), wanted)
        return self

    @placed
    def put(
        self,
        name: str,
        values: Any,
        unit: str | None = None,
        symbol: str | None = None,
        description: str | None = None,
        display: str | None = None,
        type: str | None = None,
        table: str = "",
        like: Quantity | None = None,
    ) -> WriteStep:
        """Independent. This rank's values of a column.

        Arrays are kept by reference and only looked at by the commit; until then they must not change. Any
        stride and byte order will do. `type` writes them as another type, without loss unless the file is
        written with lossy=True; float16 becomes float32. Text is a sequence of str. `like` gives the texts
        (and the type, if none is given) of a column that was read.
        """
        self._require_filling("put")
        if not name:
            raise UsageError("a column needs a name")
        array = host_array(values, name)
        if array.ndim != 1:
            raise UsageError(
                f"the values have {array.ndim} dimensions",
                object=name,
                advice="a column has one: put its parts one by one",
            )
        wanted = type or (like.type if like is not None else type_of(array.dtype, name))
        with Placing(self._path, name):
            dtype_of(wanted)
        self._add(table, _Column(name, wanted, texts(like, unit, symbol, description, display), array, 0))
        return self

    @placed
    def put_table(
        self,
        data: Any,
        units: Mapping[str, str] | None = None,
        table: str = "",
    ) -> WriteStep:
        """Independent. This rank's rows of several columns, from one object: `put` for each column.

        `data` is a mapping from names to values, a structured NumPy array, a pandas DataFrame (without its
        index), a table that was read, or anything that speaks the Arrow C data interface, as the tables of
        pyarrow and polars. Numbers are not copied where they lie in one piece of memory, at any stride.
        Units and other texts come from the object (`attrs` of pandas, field metadata of Arrow), or from
        `units`. Missing values and truth values are errors.
        """
        from quire.interfaces.frames import columns_of

        columns = columns_of(data)
        for name in units or ():
            if all(column.name != name for column in columns):
                raise UsageError("a unit is given for a column that is not there", object=name)
        for column in columns:
            self.put(
                column.name,
                column.values,
                unit=(units or {}).get(column.name, column.unit),
                symbol=column.symbol,
                description=column.description,
                display=column.display,
                type=column.type,
                table=table,
            )
        return self

    @placed
    def put_field(
        self,
        name: str,
        values: Any,
        extents: Sequence[int] | None = None,
        start: Sequence[int] | None = None,
        components: int = 1,
        unit: str | None = None,
        symbol: str | None = None,
        description: str | None = None,
        display: str | None = None,
        type: str | None = None,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        like: Quantity | None = None,
        box: Box | None = None,
        boxes: Sequence[Box] | None = None,
        origin: Sequence[float] | None = None,
        spacing: Sequence[float] | None = None,
        coordinates: Sequence[Sequence[float] | Array | None] | None = None,
    ) -> WriteStep:
        """Independent. This rank's box of a field.

        `values` has the shape of the box, with the component axis last if there are several components. Part
        of a larger array (its inside without ghosts) is written from where it lies. `extents` is the shape of
        the whole field (this rank's box if nothing), `start` where the box begins in it. Instead of `start`,
        `box` has a slice, pair (first, count) or index for each axis, slowest first, slices with steps
        included; or `boxes` are several that share no element, with values one behind the other in the order
        of the file. Boxes of different ranks share no element; those that nobody puts are 0.

        `origin`, `spacing` and `coordinates` (of every index along an axis) have an entry for each axis,
        slowest first; `like`, a field that was read, gives them as well.
        """
        self._require_filling("put_field")
        if name in self._fields:
            raise UsageError("the field is put twice", object=name)
        array = host_array(values, name)
        shape = shape_of(array, components, name)
        whole = shape if extents is None else [int(extent) for extent in extents]
        with Placing(self._path, name):
            selection = selection_of(name, shape, whole, start, box, boxes)
        wanted = type or (like.type if like is not None else type_of(array.dtype, name))
        with Placing(self._path, name):
            traits = FieldTraits.of(
                name,
                wanted,
                whole,
                components,
                words=texts(like, unit, symbol, description, display),
                group=group,
                attributes=attributes,
                like=like,
                geometry=(origin, spacing, coordinates),
                lossy=self._lossy,
            )
        self._fields[name] = PutField(traits, selection, array)
        return self

    @placed
    def declare(
        self,
        name: str,
        type: str | None = None,
        unit: str | None = None,
        symbol: str | None = None,
        description: str | None = None,
        display: str | None = None,
        string_bytes: int = 0,
        table: str = "",
        like: Quantity | None = None,
    ) -> WriteStep:
        """Independent. A column whose values come later by `write`, for data larger than memory.

        `string_bytes` is the number of bytes (UTF-8) of all strings of this rank. Give `rows` too, then
        `open`.
        """
        self._require_filling("declare")
        wanted = type or (like.type if like is not None else None)
        if wanted is None:
            raise UsageError("a declared column needs a type", object=name)
        with Placing(self._path, name):
            dtype_of(wanted)
        words = texts(like, unit, symbol, description, display)
        self._add(table, _Column(name, wanted, words, None, string_bytes))
        return self

    @placed
    def declare_field(
        self,
        name: str,
        type: str | None = None,
        extents: Sequence[int] | None = None,
        box: Box | None = None,
        components: int | None = None,
        unit: str | None = None,
        symbol: str | None = None,
        description: str | None = None,
        display: str | None = None,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        like: Quantity | None = None,
        origin: Sequence[float] | None = None,
        spacing: Sequence[float] | None = None,
        coordinates: Sequence[Sequence[float] | Array | None] | None = None,
    ) -> WriteStep:
        """Independent. A field whose values come later by `write_field`, for data larger than memory.

        `box` is what this rank brings: a slice without a step, pair (first, count) or index for each axis,
        slowest first; if nothing, the whole field of shape `extents`. Everything else is as in `put_field`;
        `like`, a field that was read, gives type, extents and components, too. Every rank declares the field,
        also with an empty box. Texts cannot come in parts.
        """
        self._require_filling("declare_field")
        if name in self._fields:
            raise UsageError("the field is put twice", object=name)
        with Placing(self._path, name):
            traits = FieldTraits.declared(
                name,
                type,
                extents,
                components,
                like,
                words=texts(like, unit, symbol, description, display),
                group=group,
                attributes=attributes,
                geometry=(origin, spacing, coordinates),
                lossy=self._lossy,
            )
            self._fields[name] = DeclaredField.of(traits, box)
        return self

    @placed
    def field_chunk(
        self,
        name: str,
        type: str | None = None,
        extents: Sequence[int] | None = None,
        components: int | None = None,
        group: str | None = None,
        like: Quantity | None = None,
    ) -> tuple[int, ...]:
        """Independent. The shape of the chunks in which such a field is encoded; empty if there are none.

        Boxes and parts of whole chunks need no memory besides; others wait until their chunks are complete.
        Everything is as in `declare_field`.
        """
        with Placing(self._path, name):
            traits = FieldTraits.declared(name, type, extents, components, like, group=group)
            return self._core.field_chunk(traits.row(), traits.components)

    @placed
    def stream(
        self, rank: int, chunk_size: int | None = None, file: int | None = None, index: int | None = None
    ) -> WriteStream:
        """Independent. One more stream of this rank, in a file of streams; a rank writes any number of them.

        Parameters
        ----------
        rank : the number of its task; no two streams have the same
        chunk_size : bytes of room for each chunk, which the format may round up; if nothing, the stream is
            one chunk, for which its pieces must be known before the step is opened
        file : which of several physical files; if nothing, as the options of the file say
        index : its place in that file; if nothing, by the number of the task
        """
        self._require_filling("stream")
        given = (rank, chunk_size, file, index)
        return WriteStream.begin(self._core, given, self._path, lambda: self._is_placed)

    @property
    def weighs_values(self) -> bool:
        """Independent. Whether every block must be given to `weigh` before `open`.

        So it is where the file is text, or its chunks are compressed.
        """
        return self._weighs_values

    @placed
    def agree_on_rows(self) -> WriteStep:
        """Collective. Behind the last `declare` and before `weigh`: which rows belong to which rank.

        Rows that are compressed together may lie on several ranks. Where the file does not weigh values it
        does nothing.
        """
        self._require_filling("agree_on_rows")
        if self._weighs_values:
            self._or_abort(self._hand_over)
            self._or_finish(self._core.agree_on_rows)
        return self

    @placed
    def weigh(self, values: Mapping[str, Any], table: str = "") -> WriteStep:
        """Independent. A block that `write` will get, where the file must see all values to place them.

        Between `agree_on_rows` and `open`, each row once; elsewhere it does nothing.
        """
        self._require_filling("weigh")
        if self._weighs_values:
            self._or_abort(self._hand_over)
            self._core.weigh(table, self._blocks(values, table))
        return self

    @placed
    def weigh_field(self, name: str, start: Sequence[int], values: Any) -> WriteStep:
        """Independent. A part that `write_field` will get, where the file must see all values to place them.

        Between `agree_on_rows` and `open`, each element once; elsewhere it does nothing.
        """
        self._require_filling("weigh_field")
        if self._weighs_values:
            self._or_abort(self._hand_over)
            self._core.weigh_field(name, *self._declared(name).part(start, values, self._lossy))
        return self

    @placed
    def open(self) -> WriteStep:
        """Collective. Place a declared step; from here on only write, commit and abort are allowed."""
        self._require_filling("open")
        self._or_abort(self._hand_over)
        self._is_placed = True
        self._or_finish(self._core.open)
        return self

    @placed
    def write(self, first: int, values: Mapping[str, Any], table: str = "") -> WriteStep:
        """Independent. Rows [first, first + n) of this rank, counted from 0: all columns of one table.

        Blocks of a table come in order. Errors of the system are told by the commit, on all ranks.
        """
        if not self._is_placed or self._is_finished:
            raise UsageError("write comes before open or after the end of the step")
        self._core.write(table, first, self._blocks(values, table))
        return self

    @placed
    def write_field(self, name: str, start: Sequence[int], values: Any) -> WriteStep:
        """Independent. A part of this rank's box of a declared field, which begins at `start` in the field.

        `values` has the shape of the part, with the component axis last if there are several components.
        Every element comes once, in any order; in a file of text each part goes on behind the one before.
        Errors of the system are told by the commit, on all ranks.
        """
        if not self._is_placed or self._is_finished:
            raise UsageError("write_field comes before open or after the end of the step", object=name)
        self._core.write_field(name, *self._declared(name).part(start, values, self._lossy))
        return self

    def _declared(self, name: str) -> DeclaredField:
        field = self._fields.get(name)
        if isinstance(field, DeclaredField):
            return field
        raise UsageError("no field of this name was declared", object=name)

    def _blocks(self, values: Mapping[str, Any], table: str) -> list[tuple[str, Any]]:
        columns = self._table(table).columns
        if set(values) != set(columns):
            raise UsageError(f"a block needs exactly the columns {', '.join(columns)}", object=table)
        return [self._block(name, values[name]) for name in columns]

    def _block(self, name: str, values: Any) -> tuple[str, Any]:
        array = host_array(values, name)
        if array.ndim != 1:
            raise UsageError(f"the values have {array.ndim} dimensions", object=name)
        kind = type_of(array.dtype, name)
        return kind, ready_array(array, kind, False, name)

    @placed
    def commit(self) -> None:
        """Collective. Move all bytes of the step, and only then make it visible.

        Every rank returns, or every rank raises an error about the same step.
        """
        if self._is_finished:
            raise UsageError(f"step {self._number} is finished")
        if not self._is_placed:
            self._or_abort(self._hand_over)
        self._or_finish(self._core.commit)
        self._finish()

    def abort(self, reason: str) -> None:
        """Collective with the others' commit: they raise an aborted error that carries the reason."""
        if self._is_finished:
            return
        self._finish()
        self._core.abort(as_text(reason))

    def _hand_over(self) -> None:
        """Give the core everything that was put, converted where it must be; once."""
        if self._is_handed_over:
            return
        self._is_handed_over = True
        for table_name, table in self._tables.items():
            if table.chosen is not None:
                self._hand_over_rows(table_name, *table.chosen)
            if table.rows is not None:
                self._core.rows(table_name, table.rows)
            if table.expansion is not None:
                self._core.expansion(table_name, table.expansion)
            for column in table.columns.values():
                quantity = core_quantity(column.name, column.type, column.words)
                if column.values is None:
                    self._core.declare(table_name, quantity, column.string_bytes)
                else:
                    with Placing(self._path, column.name):
                        ready = ready_array(column.values, column.type, self._lossy, column.name)
                        self._core.put(table_name, quantity, column.type, ready)
        for item in self._fields.values():
            item.hand_over(self._core, self._lossy)

    def _hand_over_rows(self, table: str, rows: Selection | Array, total: int | None) -> None:
        if isinstance(rows, Selection):
            self._core.rows_at(table, [([rows.start], [rows.step], [rows.count], [1])], total)
        else:
            self._core.rows_at_list(table, rows, total)

    def _table(self, name: str) -> _Table:
        return self._tables.setdefault(text("the name of a table", name), _Table())

    def _add(self, table: str, column: _Column) -> None:
        columns = self._table(table).columns
        if column.name in columns:
            raise UsageError("the column is put twice", object=column.name)
        first = next(iter(columns.values()), column)
        if (first.values is None) != (column.values is None):
            raise UsageError("a table takes columns by put or by declare, not both", object=column.name)
        columns[column.name] = column

    def _require_filling(self, call: str) -> None:
        if self._is_placed or self._is_finished:
            state = "finished" if self._is_finished else "placed"
            raise UsageError(f"{call} comes too late: step {self._number} is already {state}")
        if self._is_handed_over and call not in ("agree_on_rows", "weigh", "weigh_field", "open"):
            raise UsageError(f"{call} comes too late: step {self._number} is already weighed")

    def _or_abort(self, action: Callable[[], None]) -> None:
        """Run what only this rank does; if it fails, free the other ranks before the error goes on."""
        try:
            action()
        except BaseException as error:
            self.abort(reason_of(error))
            raise

    def _or_finish(self, action: Callable[[], None]) -> None:
        """Run what all ranks do; after an error of theirs the step is over."""
        try:
            action()
        except BaseException:
            self._finish()
            raise

    def _finish(self) -> None:
        self._is_finished = True
        self._tables.clear()
        self._fields.clear()
        self._on_finish(self)

    def __enter__(self) -> WriteStep:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_finished:
            return
        if error is None:
            self.commit()
        else:
            self.abort(reason_of(error))

    def __repr__(self) -> str:
        state = "finished" if self._is_finished else "placed" if self._is_placed else "open"
        columns = sum(len(table.columns) for table in self._tables.values())
        return f"<WriteStep {self._number}: {columns} columns, {len(self._fields)} fields, {state}>"
