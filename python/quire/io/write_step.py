"""A step that is being written: put, then commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np

from quire import _core
from quire.errors import Placing, UsageError, as_text, placed, reason_of
from quire.io.arguments import text
from quire.io.attributes import Attribute, WrittenAttributes
from quire.io.elements import ElementBlock, ElementLayout
from quire.io.formats import truth
from quire.io.grid import Grid, checked_grid, selection_of
from quire.io.habits import OF_WRITTEN_STEPS, Hinting
from quire.io.quantity import Quantity
from quire.io.rows import Rows, chosen, rows_of_table
from quire.io.streams import WriteStream
from quire.io.texts import Texts, core_attribute, words_of
from quire.io.types import dtype_of, host_array, ready_array, type_of
from quire.io.written_fields import DeclaredField, FieldTraits, PutField, shape_of
from quire.io.written_tables import PutColumn, PutTable


class WriteStep(Hinting):
    """A step that is being written. Returned by `Writer.step`; best used in a `with` statement.

    Leaving the block normally commits the step. An exception aborts it on all ranks: the others raise an
    aborted error from their commit, and the file keeps its earlier steps.

    >>> with quire.create("new.h5") as out, out.step(4) as step:
    ...     _ = step.set("s", 2.5, unit="m").put("x", np.linspace(0, 1, 5), unit="m").put("id", np.arange(5))
    >>> with quire.open("new.h5") as file:
    ...     file[0]
    <Step 4: 1 attribute, table of 5 rows x 2 columns>
    """

    _instead = OF_WRITTEN_STEPS

    def __init__(
        self,
        core: _core.WriteStep,
        number: int,
        lossy: bool,
        writer: _core.Writer,
        path: str,
        on_finish: Callable[[WriteStep], None],
        overlap: bool = False,
    ) -> None:
        self._core = core
        self._number = number
        self._lossy = lossy
        self._weighs_values = writer.weighs_values()
        self._pads_texts = writer.pads_texts()
        self._path = path
        self._on_finish = on_finish
        self._overlap = overlap
        self._tables: dict[str, PutTable] = {}
        self._fields: dict[str, PutField | DeclaredField] = {}
        self._is_handed_over = False
        self._is_placed = False
        self._is_finished = False

    @property
    def number(self) -> int:
        """The number of the step."""
        return self._number

    @property
    def is_finished(self) -> bool:
        """Whether commit or abort was called, successful or not."""
        return self._is_finished

    @placed
    def set(
        self,
        name: str,
        value: Any,
        unit: str | Texts | None = None,
        type: str | None = None,
    ) -> WriteStep:
        """Independent. Set an attribute of the step. All ranks give the same value; rank 0 writes it.

        `value` is a number, text or an array of either, or an `Attribute`, whose type and texts are kept. A
        Python int is stored as int64 (uint64 if it is larger), a float as float64. `unit` is a unit, or a
        `Texts` with symbol, description and display as well. `attrs[name] = value` does the same.
        """
        self._require_filling("set")
        with Placing(self._path, name):
            self._core.set(*core_attribute(name, value, unit, type, self._lossy))
        return self

    @property
    def attrs(self) -> WrittenAttributes:
        """Independent. Return the attributes of the step: `attrs[name] = value` calls `set`."""
        return WrittenAttributes(self.set)

    @placed
    def expansion(self, expansion: _core.Expansion, table: str = "") -> WriteStep:
        """Independent. Declare that the rows of a table are coefficients on elements."""
        self._require_filling("expansion")
        self._table(table).expansion = expansion
        return self

    @placed
    def put_elements(self, parts: Sequence[ElementBlock], layout: ElementLayout | None = None) -> WriteStep:
        """Independent, but called by all ranks. Put this rank's elements, if it has any.

        `commit` is collective and reads the arrays. If the same `quire.ElementLayout` is passed for all
        checkpoints of a series, the ranks exchange their layout only if it has changed.
        """
        self._require_filling("put_elements")
        if isinstance(parts, ElementBlock) or not all(isinstance(part, ElementBlock) for part in parts):
            raise UsageError(
                "elements must be a sequence of blocks",
                advice="step.put_elements([quire.ElementBlock(...)])",
            )
        self._core.put_elements([part._as_part() for part in parts], layout or ElementLayout())
        return self

    @placed
    def rows(self, count: int, table: str = "") -> WriteStep:
        """Independent. Set the number of rows of this rank. Not needed with `put`."""
        self._require_filling("rows")
        self._table(table).rows = rows_of_table(count)
        return self

    @placed
    def rows_at(self, rows: Rows, total: int | None = None, table: str = "") -> WriteStep:
        """Independent. Select the rows that this rank writes. By default they follow those of lower ranks.

        Parameters
        ----------
        rows : as in `Table.read`: a slice, a range or a pair (first, count); a list or array of unique row
            numbers in any order, or an array with a Boolean for each row. Rows of different ranks must be
            disjoint; a rank without rows gives an empty list.
        total : number of rows of the table, the same on all ranks that give it. Default: up to the greatest
            row. Without it rows cannot count from the end.

        Either all ranks select rows of a table or none. Rows that no rank writes are 0. Text formats, strings
        and compressed columns are not supported: the commit raises an unsupported error.
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
        unit: str | Texts | None = None,
        type: str | None = None,
        table: str = "",
        like: Quantity | None = None,
    ) -> WriteStep:
        """Independent. Put this rank's values of a column.

        Arrays are kept by reference until the commit and must not change before. Any stride and byte order is
        supported. `type` selects another type; values must not change unless the file is written with
        lossy=True. float16 is written as float32. Text is a sequence of str. `unit` is a unit, or a `Texts`
        with symbol, description and display as well. `like` is a column that was read, whose texts (and type,
        if none is given) are used.
        """
        self._require_filling("put")
        if not name:
            raise UsageError("a column needs a name")
        array = host_array(values, name)
        if array.ndim != 1:
            raise UsageError(
                f"the values have {array.ndim} dimensions",
                object=name,
                advice="columns have one dimension: put the parts one by one",
            )
        wanted = type or (like.type if like is not None else type_of(array.dtype, name))
        with Placing(self._path, name):
            dtype_of(wanted)
        self._table(table).add(PutColumn(name, wanted, words_of(unit, like), array))
        return self

    @placed
    def put_constant(
        self,
        name: str,
        value: Any,
        unit: str | Texts | None = None,
        type: str | None = None,
        table: str = "",
    ) -> WriteStep:
        """Independent. Put a column with the same number in every row of a table, the same on all ranks.

        Formats without constants store it in every row. The table has other columns, or `rows` sets the
        number of its rows. Other arguments are as in `set`.
        """
        self._require_filling("put_constant")
        if not name:
            raise UsageError("a column needs a name")
        with Placing(self._path, name):
            if np.ndim(value.value if isinstance(value, Attribute) else value) != 0:
                raise UsageError("a constant is a single number", object=name)
            self._table(table).constants.append(core_attribute(name, value, unit, type, self._lossy))
        return self

    @placed
    def __setitem__(self, name: str, values: Any) -> None:
        """Independent. Put values with one axis as a column of the table, with more as a field of their
        shape.

        `put` and `put_field` take units, types and tables, and the part of a field that a rank has.
        """
        array = host_array(values, name)
        if array.ndim == 0:
            raise UsageError(
                "a single value is neither a column nor a field",
                object=name,
                advice="set an attribute: step.attrs[name] = value",
            )
        if array.ndim == 1:
            self.put(name, array)
        else:
            self.put_field(name, array)

    @placed
    def put_table(
        self,
        data: Any,
        units: Mapping[str, str] | None = None,
        table: str = "",
    ) -> WriteStep:
        """Independent. Put this rank's rows of several columns from one object.

        `data` is a mapping from names to values, a structured NumPy array, a pandas DataFrame (without its
        index), a table that was read, or any object with the Arrow C data interface, such as tables of
        pyarrow and polars. Numbers in one piece of memory are not copied, at any stride. Units and other
        texts are taken from the object (`attrs` of pandas, field metadata of Arrow), or from `units`. Missing
        values and Booleans raise errors.
        """
        from quire.io.frames import columns_of

        columns = columns_of(data)
        for name in units or ():
            if all(column.name != name for column in columns):
                raise UsageError("a unit is given for a missing column", object=name)
        for column in columns:
            self.put(
                column.name,
                column.values,
                replace(column.texts, unit=(units or {}).get(column.name, column.texts.unit)),
                type=column.type,
                table=table,
            )
        return self

    @placed
    def put_field(
        self,
        name: str,
        values: Any,
        grid: Grid | None = None,
        unit: str | Texts | None = None,
        type: str | None = None,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        like: Quantity | None = None,
    ) -> WriteStep:
        """Independent. Put this rank's box of a field.

        `values` has the shape of the box, with the component axis last if there are several components. A
        part of a larger array (such as without ghost cells) is written without a copy. `grid` has the shape
        of the whole field and the position of the box in it; by default the box is the whole field. `unit`,
        `type` and `attributes` are as in `put` and `set`. `like` is a field that was read: texts, type,
        group, origin, spacing and coordinates that are not given are those of this field.
        """
        self._require_filling("put_field")
        if name in self._fields:
            raise UsageError("the field is put twice", object=name)
        array = host_array(values, name)
        given = checked_grid(grid, name)
        shape = shape_of(array, 1 if given.components is None else given.components, name)
        whole = shape if given.extents is None else [int(extent) for extent in given.extents]
        with Placing(self._path, name):
            selection = selection_of(name, given, shape, whole)
        wanted = type or (like.type if like is not None else type_of(array.dtype, name))
        with Placing(self._path, name):
            placed_grid = replace(given, extents=whole)
            traits = FieldTraits.of(name, wanted, placed_grid, unit, group, attributes, like, self._lossy)
        self._fields[name] = PutField(traits, selection, array)
        return self

    @placed
    def declare(
        self,
        name: str,
        type: str | None = None,
        unit: str | Texts | None = None,
        string_bytes: int = 0,
        table: str = "",
        like: Quantity | None = None,
        longest_string: int = 0,
    ) -> WriteStep:
        """Independent. Declare a column to be written by `write`, for data larger than memory.

        `string_bytes` is the number of bytes (UTF-8) of all strings of this rank, `longest_string` that of
        the longest one, which is only needed if the file `pads_texts`. Call `rows` as well, then `open`.
        """
        self._require_filling("declare")
        wanted = type or (like.type if like is not None else None)
        if wanted is None:
            raise UsageError("a declared column needs a type", object=name)
        with Placing(self._path, name):
            dtype_of(wanted)
        self._table(table).add(
            PutColumn(name, wanted, words_of(unit, like), None, string_bytes, longest_string)
        )
        return self

    @placed
    def declare_field(
        self,
        name: str,
        type: str | None = None,
        grid: Grid | None = None,
        unit: str | Texts | None = None,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        like: Quantity | None = None,
    ) -> WriteStep:
        """Independent. Declare a field to be written by `write_field`, for data larger than memory.

        `grid.box` is this rank's part, without steps; by default the whole field of shape `grid.extents`.
        Other arguments are as in `put_field`; `like`, a field that was read, also gives type, extents and
        components. All ranks declare the field, also with an empty box. Fields of strings cannot be written
        in parts.
        """
        self._require_filling("declare_field")
        if name in self._fields:
            raise UsageError("the field is put twice", object=name)
        with Placing(self._path, name):
            given = checked_grid(grid, name)
            traits = FieldTraits.declared(name, type, given, unit, group, attributes, like, self._lossy)
            self._fields[name] = DeclaredField.of(traits, given)
        return self

    @placed
    def field_chunk(
        self,
        name: str,
        type: str | None = None,
        grid: Grid | None = None,
        group: str | None = None,
        like: Quantity | None = None,
    ) -> tuple[int, ...]:
        """Independent. Return the shape of the chunks in which such a field is encoded; empty without chunks.

        Parts of whole chunks need no additional memory; others are buffered until their chunks are complete.
        Arguments are as in `declare_field`.
        """
        with Placing(self._path, name):
            traits = FieldTraits.declared(name, type, checked_grid(grid, name), group=group, like=like)
            return self._core.field_chunk(traits.row(), traits.components)

    @placed
    def stream(
        self, rank: int, chunk_size: int | None = None, file: int | None = None, index: int | None = None
    ) -> WriteStream:
        """Independent. Add a stream of this rank, in a file of streams. A rank writes any number of streams.

        Parameters
        ----------
        rank : the number of the task, unique in the step
        chunk_size : bytes to reserve for each chunk, which the format may round up. Default: the stream is
            one chunk, and all its pieces must be written before the step is opened
        file : number of the physical file. Default: by the options of the file
        index : index in that file. Default: by the number of the task
        """
        self._require_filling("stream")
        given = (rank, chunk_size, file, index)
        return WriteStream.begin(self._core, given, self._path, lambda: self._is_placed)

    @property
    def weighs_values(self) -> bool:
        """Independent. Return whether all blocks must be passed to `weigh` before `open`.

        This is required for text formats and compressed chunks.
        """
        return self._weighs_values

    @property
    def pads_texts(self) -> bool:
        """Independent. Return whether texts of a column are stored with the size of the longest one.

        Then `declare` needs the length of this rank's longest string.
        """
        return self._pads_texts

    @placed
    def agree_on_rows(self) -> WriteStep:
        """Collective. Agree on the rows of each rank; called after the last `declare` and before `weigh`.

        Rows that are compressed together may be on several ranks. Does nothing if values are not weighed.
        """
        self._require_filling("agree_on_rows")
        if self._weighs_values:
            self._or_abort(self._hand_over)
            self._or_finish(self._core.agree_on_rows)
        return self

    @placed
    def weigh(self, values: Mapping[str, Any], table: str = "") -> WriteStep:
        """Independent. Measure a block that `write` will get, if offsets in the file depend on all values.

        Called between `agree_on_rows` and `open`, once for each row. Does nothing if values are not weighed.
        """
        self._require_filling("weigh")
        if self._weighs_values:
            self._or_abort(self._hand_over)
            self._core.weigh(table, self._blocks(values, table))
        return self

    @placed
    def weigh_field(self, name: str, start: Sequence[int], values: Any) -> WriteStep:
        """Independent. Measure a part for `write_field`, if offsets in the file depend on all values.

        Called between `agree_on_rows` and `open`, once for each element; not needed for other files.
        """
        self._require_filling("weigh_field")
        if self._weighs_values:
            self._or_abort(self._hand_over)
            self._core.weigh_field(name, *self._declared(name).part(start, values, self._lossy))
        return self

    @placed
    def open(self) -> WriteStep:
        """Collective. Assign offsets to a declared step. Then only write, commit and abort are allowed."""
        self._require_filling("open")
        self._or_abort(self._hand_over)
        self._is_placed = True
        self._or_finish(self._core.open)
        return self

    @placed
    def write(self, first: int, values: Mapping[str, Any], table: str = "") -> WriteStep:
        """Independent. Write rows [first, first + n) of this rank, of all columns of one table.

        Blocks of a table are written in order. I/O errors are raised by the commit, on all ranks.
        """
        if not self._is_placed or self._is_finished:
            raise UsageError("write is called before open or after the end of the step")
        self._core.write(table, first, self._blocks(values, table))
        return self

    @placed
    def write_field(self, name: str, start: Sequence[int], values: Any) -> WriteStep:
        """Independent. Write a part of this rank's box of a declared field, at position `start` of the field.

        `values` has the shape of the part, with the component axis last if there are several components.
        Each element is written once, in any order; in text formats each part continues the one before. I/O
        errors are raised by the commit, on all ranks.
        """
        if not self._is_placed or self._is_finished:
            raise UsageError("write_field is called before open or after the end of the step", object=name)
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
        """Collective. Write all bytes of the step, then make it visible to readers.

        Either all ranks return, or all ranks raise an error.
        """
        self._commit_by(self._core.commit)

    @placed
    def commit_async(self, borrow: bool = False) -> None:
        """Collective. Commit the step while the program continues: a thread writes its bytes.

        The arrays are copied to a bounded pool (option `pool` of `quire.create`) and may change when the call
        returns. With `borrow` they are not copied, and must not change before `Writer.wait` returns. The step
        appears in the file, as a whole, with `Writer.wait`, `Writer.test`, the commit of the next step or
        `Writer.close`, which raise what failed. Where `Writer.overlaps` is False this is `commit`.

        >>> with quire.create("new.h5") as out:
        ...     x = np.zeros(1000)
        ...     for number in range(3):
        ...         step = out.step(number).put("x", x, unit="m")
        ...         step.commit_async()
        ...         x += 1e-3  # while step `number` is written
        >>> with quire.open("new.h5") as file:
        ...     file.numbers
        [0, 1, 2]
        """
        borrowed = truth("borrow", borrow)
        self._commit_by(lambda: self._core.commit_async(borrowed))

    def _commit_by(self, commit: Callable[[], None]) -> None:
        if self._is_finished:
            raise UsageError(f"step {self._number} is finished")
        if not self._is_placed:
            self._or_abort(self._hand_over)
        self._or_finish(commit)
        self._finish()

    def abort(self, reason: str) -> None:
        """Collective with the commit of other ranks, which raise an aborted error with the reason."""
        if self._is_finished:
            return
        self._finish()
        self._core.abort(as_text(reason))

    def _hand_over(self) -> None:
        """Pass all objects to the core, converted if needed; once."""
        if self._is_handed_over:
            return
        self._is_handed_over = True
        for name, table in self._tables.items():
            table.hand_over(name, self._core, self._path, self._lossy)
        for item in self._fields.values():
            item.hand_over(self._core, self._lossy)

    def _table(self, name: str) -> PutTable:
        return self._tables.setdefault(text("the name of a table", name), PutTable())

    def _require_filling(self, call: str) -> None:
        if self._is_placed or self._is_finished:
            state = "finished" if self._is_finished else "placed"
            raise UsageError(f"{call} is called too late: step {self._number} is already {state}")
        if self._is_handed_over and call not in ("agree_on_rows", "weigh", "weigh_field", "open"):
            raise UsageError(f"{call} is called too late: step {self._number} is already weighed")

    def _or_abort(self, action: Callable[[], None]) -> None:
        """Run independent work of this rank. If it fails, abort the step on other ranks and raise."""
        try:
            action()
        except BaseException as error:
            self.abort(reason_of(error))
            raise

    def _or_finish(self, action: Callable[[], None]) -> None:
        """Run collective work. An error finishes the step."""
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
            self.commit_async() if self._overlap else self.commit()
        else:
            self.abort(reason_of(error))

    def __repr__(self) -> str:
        state = "finished" if self._is_finished else "placed" if self._is_placed else "open"
        columns = sum(len(table.columns) for table in self._tables.values())
        return f"<WriteStep {self._number}: {columns} columns, {len(self._fields)} fields, {state}>"
