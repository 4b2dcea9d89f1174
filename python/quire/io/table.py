"""Tables and columns: handles that read only the requested bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire import _core
from quire.errors import Error, Placing, TypeMismatchError, UsageError, placed
from quire.io.arguments import count_of
from quire.io.attributes import Attribute, NamedItems, attribute_from_core
from quire.io.binnable import Binnable
from quire.io.habits import OF_TABLES, Hinting, instead_of_array
from quire.io.indexed import Indexed
from quire.io.location import Location
from quire.io.memory import SMALLEST_BLOCK, allocate, empty, require_room
from quire.io.quantity import Quantity
from quire.io.read_ahead import FEWEST, SMALLER, read_ahead
from quire.io.refusal import requested
from quire.io.request import Request, typed
from quire.io.rows import Rows, Selection, listed, position, rows_of_table, select
from quire.io.types import Array, dtype_of, type_of

if TYPE_CHECKING:
    from quire.io.expression import Expression
    from quire.io.histograms import Cut
    from quire.io.matches import Matches
    from quire.io.origin import Origin
    from quire.io.search import BoundCondition
    from quire.io.zones import Meaning

BLOCK_BYTES: Final = 8 << 20
"""Default size in bytes of a block of rows, of all columns."""

STRING_BYTES: Final = 32
"""Estimated bytes of a string of unknown length."""

Progress = Callable[[int, int], None]
"""Called with the number of rows done and the number of all rows."""


def checked_out(out: Any, name: str, count: int) -> Array:
    """Independent. Return the caller's array for `count` values. Raises errors if it cannot be used."""
    if not isinstance(out, np.ndarray):
        raise TypeMismatchError(f"out is a {type(out).__name__}", object=name, advice="give a NumPy array")
    if out.shape != (count,):
        raise UsageError(f"out has the shape {out.shape}, the values have {(count,)}", object=name)
    if not out.flags.writeable:
        raise UsageError("out is read-only", object=name)
    if dtype_of(type_of(out.dtype, name)) != out.dtype.newbyteorder("="):
        raise TypeMismatchError(
            f"out of NumPy type {out.dtype} cannot be read into",
            object=name,
            advice="give an array of one of the element types, or of objects for strings",
        )
    return out


class Table(Binnable, Indexed, Hinting):
    """Named columns of equal length. A handle: values are read on request.

    >>> with quire.open("beam.h5") as file:
    ...     table = file[0].table
    ...     len(table), list(table), table.read(["x", "id"], slice(0, 3))["id"].tolist()
    ...     len(table.where("x > 0 and id < 100"))
    (2000, ['x', 'px', 'y', 'py', 'z', 'pz', 'id'], [0, 1, 2])
    47
    """

    def __init__(
        self,
        step: _core.ReadStep,
        core: _core.Table,
        place: str,
        path: str,
        origin: Origin | None = None,
        page: int | None = None,
    ) -> None:
        self._step = step
        self._page = page
        self._core = core
        self._origin = origin
        self._path = path
        self.kept_conditions: dict[str, BoundCondition] = {}
        self._place = f'table "{core.name}" of {place}' if core.name else place
        self._columns = NamedItems(
            "column", self._place, path, ((column.name, Column(self, column)) for column in core.columns)
        )

    @property
    def name(self) -> str:
        """The name; empty in formats whose tables have no names."""
        return self._core.name

    @property
    def columns(self) -> Mapping[str, Column]:
        """Independent. Return all columns by name, in file order."""
        return self._columns

    @property
    def expansion(self) -> _core.Expansion | None:
        """Independent. Return the expansion if the rows are coefficients on elements, else None."""
        return self._core.expansion

    @property
    def constants(self) -> Mapping[str, Attribute]:
        """Independent. Return the columns that have one number in all rows, which the file stores once."""
        return {one.name: attribute_from_core(one) for one in self._core.constants}

    @property
    def zones(self) -> str:
        """The name of the table with the limits of blocks of rows; empty if there is none."""
        zones = self._core.zones
        return "" if zones is None else zones.table

    def _instead_of(self, name: str) -> str | None:
        return f'table["{name}"]' if name in self else OF_TABLES.get(name)

    def __len__(self) -> int:
        return self._core.rows

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Column:
        if not isinstance(name, str):
            raise TypeMismatchError(
                f"columns are looked up by name, not by a {type(name).__name__}",
                file=self._path,
                advice="table.read(names, rows) and to_pandas(names, rows) read rows of several columns",
            )
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._columns

    def keys(self) -> KeysView[str]:
        """Independent. Return the names of the columns."""
        return self._columns.keys()

    def _repr_html_(self) -> str:
        from quire.io.html import table_html

        return table_html(self)

    def __repr__(self) -> str:
        return f"<Table of {self._place}: {len(self)} rows of {', '.join(self._columns) or 'no columns'}>"

    def share(self, rank: int, size: int) -> slice:
        """Independent. Return the rows of one rank if the table is split evenly over `size` ranks."""
        first, count = _core.even_slice(len(self), count_of("rank", rank), count_of("size", size))
        return slice(first, first + count)

    def read(
        self,
        names: Iterable[str] | str | None = None,
        rows: Rows | None = None,
        out: Mapping[str, Array] | None = None,
    ) -> dict[str, Array]:
        """Independent, whatever the transport. Read columns in one pass over the file.

        Parameters
        ----------
        names : the columns. Default: those of `out` if given, else all
        rows : a slice, a range or a pair (first, count); a list or array of row numbers in any order, or an
            array with a Boolean for each row. Default: all
        out : arrays to read into, by column; other columns get new arrays. Values are converted to the type
            of the array; a type error is raised if a value would change. Any stride, alignment and byte
            order is supported. Strings need arrays of objects.

        Returns
        -------
        A dictionary with the values by column, in the order of the names.
        """
        with Placing(self._path):
            if rows is None and out is None:
                chosen = self._names(names, None)
                if (small := self._read_small(chosen)) is not None:
                    return small
            return self._request(names, rows, out).read(self._step)

    def read_all(
        self,
        names: Iterable[str] | str | None = None,
        rows: Rows | None = None,
        out: Mapping[str, Array] | None = None,
    ) -> dict[str, Array]:
        """Collective. Read as `read` does, by collective transfers if the transport has them.

        Ranks may read different rows, columns and tables, or no rows: `rows=(0, 0)`. All ranks return, or all
        raise the error of the lowest rank that failed, also for a wrong argument.
        """
        with Placing(self._path):
            return requested(self._step, lambda: self._request(names, rows, out)).read_all(self._step)

    def read_found(self, names: Sequence[str], rows: Array) -> dict[str, Array]:
        """Independent. Read rows that a search has found, by their numbers (uint64), without the checks of
        `read`, which take most of the time of a few rows.
        """
        with Placing(self._path):
            targets = self._allocate(names, Selection(0, 1, len(rows)))
            return Request(self.name, rows, targets).read(self._step)

    def _read_small(self, names: Sequence[str]) -> dict[str, Array] | None:
        """Read all rows in a faster way for small tables; None if they need a block of the pool."""
        count = len(self)
        kinds = [self._columns[name].type for name in names]
        dtypes = [dtype_of(kind) for kind in kinds]
        if sum([dtype.itemsize for dtype in dtypes]) * count >= SMALLEST_BLOCK:
            return None
        arrays = [np.empty(count, dtype) for dtype in dtypes]
        self._step.read(self._core.name, 0, count, names, list(zip(kinds, arrays, strict=True)))
        return dict(zip(names, arrays, strict=True))

    def _request(
        self, names: Iterable[str] | str | None, rows: Rows | None, out: Mapping[str, Array] | None
    ) -> Request:
        chosen = self._names(names, out)
        rows_listed = listed(rows, len(self))
        selection = self._select(rows) if rows_listed is None else Selection(0, 1, len(rows_listed))
        targets = self._targets(chosen, selection, out or {})
        return Request(self.name, rows_listed if rows_listed is not None else selection, targets)

    @placed
    def read_packed(
        self, names: Iterable[str] | str, rows: Rows | None = None
    ) -> dict[str, tuple[Array, Array]]:
        """Independent. Read columns of strings without creating objects.

        Returns for each column the offsets (one more than rows) and the bytes: string i is bytes
        [offsets[i], offsets[i + 1]). `rows` must be contiguous. Raises type errors for columns of numbers.
        """
        chosen = self._names(names, None)
        for name in chosen:
            if self[name].type != "string":
                raise TypeMismatchError(
                    f"the column contains {self[name].type}, not strings", file=self._path, object=name
                )
        selection = self._select(rows)
        if not selection.is_contiguous and selection.count:
            raise UsageError(
                "packed strings need contiguous rows", file=self._path, advice="leave out the step"
            )
        packed = self._step.read_packed(self.name, selection.first, selection.count, chosen)
        return dict(zip(chosen, packed, strict=True))

    @placed
    def to_structured(self, names: Iterable[str] | str | None = None, rows: Rows | None = None) -> Array:
        """Independent. Read columns into one structured NumPy array.

        Its fields are aligned; strings are objects. Values are read directly into it, in one pass over the
        file.
        """
        chosen = self._names(names, None)
        dtype = np.dtype([(name, self[name].dtype) for name in chosen], align=True)
        with Placing(self._path):
            array = empty(self._select(rows).count, dtype, self.name)
        self.read(chosen, rows, out={name: array[name] for name in chosen})
        return array

    @placed
    def to_pandas(self, names: Iterable[str] | str | None = None, rows: Rows | None = None) -> Any:
        """Independent. Read columns as a pandas DataFrame.

        Numbers are not copied. The index contains the row numbers of the table; units and other texts are
        in `attrs["units"]`, `attrs["symbols"]`, `attrs["descriptions"]`, `attrs["displays"]`, by column.
        """
        from quire.io import pandas

        return pandas.to_pandas(self, self._names(names, None), rows)

    @placed
    def to_arrow(self, names: Iterable[str] | str | None = None, rows: Rows | None = None) -> Any:
        """Independent. Read columns as a pyarrow.Table of one batch.

        Numbers are not copied; strings are large_utf8 (large_binary if one is not UTF-8). The metadata of a
        field contains its unit, symbol, description and display format. Other libraries accept the table
        itself, for example polars.DataFrame(table), without pyarrow.
        """
        from quire.io import arrow

        return arrow.to_pyarrow(self, self._names(names, None), rows)

    def batches(
        self,
        names: Iterable[str] | str | None = None,
        rows: Rows | None = None,
        rows_per_batch: int | None = None,
    ) -> Any:
        """Independent. Return an Arrow stream whose batches are read on request.

        For tables larger than memory: pass it to pyarrow.RecordBatchReader.from_stream or any other reader of
        the Arrow C stream interface. By default a batch has about 32 MiB.
        """
        from quire.io import arrow

        chosen = self._names(names, None)
        size = rows_per_batch or max(1, self.rows_per_block(chosen) * (arrow.BATCH_BYTES // BLOCK_BYTES))
        if size < 1:
            raise UsageError(f"rows_per_batch cannot be {size}")
        return arrow.Batches(self, chosen, rows, size)

    @placed
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Independent. All columns as an Arrow stream."""
        from quire.io import arrow

        return arrow.stream(self, list(self._columns))

    @placed
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Independent. All columns as an Arrow array."""
        from quire.io import arrow

        return arrow.array(self, list(self._columns))

    def blocks(
        self,
        names: Iterable[str] | str | None = None,
        rows_per_block: int | None = None,
        rows: Rows | None = None,
        progress: Progress | None = None,
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Read rows block by block, in bounded memory.

        Yields the number of the first row and the values by column. The arrays are reused for later blocks;
        copy values that are needed then. By default a block has about 8 MiB. `progress` is called after each
        block with the number of rows done and the number of all rows. Where no communicator is involved, a
        thread reads the next block while the caller works on one, in memory of its own.
        """
        with Placing(self._path):
            names, size, selection = self._blocks_of(names, rows_per_block, rows)
            starts = range(0, selection.count, size)
            reads_ahead = self._reads_ahead(names, size, selection.count)
            rows_at_once = Selection(selection.first, 1, size)
            memory = [self._allocate(names, rows_at_once) for _ in range(2 if reads_ahead else 1)]

        def read(number: int) -> tuple[int, dict[str, Array]]:
            done = starts[number]
            count = min(size, selection.count - done)
            block = {name: one[:count] for name, one in memory[number % len(memory)].items()}
            self._fetch(block, selection.first + done, count)
            return done, block

        every = range(len(starts))
        for done, block in read_ahead(read, len(starts)) if reads_ahead else map(read, every):
            yield selection.first + done, block
            if progress is not None:
                progress(min(done + size, selection.count), selection.count)

    def _blocks_of(
        self, names: Iterable[str] | str | None, rows_per_block: int | None, rows: Rows | None
    ) -> tuple[list[str], int, Selection]:
        """Return the columns, the number of rows of a block, and the selection."""
        chosen = self._names(names, None)
        selection = self._select(rows)
        if not selection.is_contiguous:
            raise UsageError(
                "blocks need contiguous rows",
                file=self._path,
                advice="take the step from each block",
            )
        if rows_per_block is not None and rows_of_table(rows_per_block) < 1:
            raise UsageError(f"rows_per_block cannot be {rows_per_block}", file=self._path)
        return chosen, min(rows_per_block or self.rows_per_block(chosen), max(selection.count, 1)), selection

    def _reads_ahead(self, names: Sequence[str], size: int, count: int) -> bool:
        """Return whether a thread reads blocks ahead: MPI may serve only the thread that started it, small
        blocks are read in less time than a thread takes to say so, and large ones, as texts may be, take
        memory twice.
        """
        usual = self.rows_per_block(names)
        is_usual = bool(names) and usual // SMALLER <= size <= usual
        if any(self[name].dtype.hasobject for name in names):
            return False
        return is_usual and FEWEST * size <= count and self._origin is not None and self._origin.is_alone

    def where(self, condition: Expression | str, rows: Rows | None = None) -> Matches:
        """Independent. Return the rows that satisfy a condition. They are searched block by block on request.

        The condition is an expression of the columns, the attributes of the step and those of the file.
        `rows` restricts the search. Blocks of rows whose limits exclude the condition are not read, if the
        file has such limits, or an index that `quire.build_index` has made.
        """
        from quire.io.matches import Matches

        with Placing(self._path):
            return Matches(self, condition, rows)

    def _cut(self) -> Cut:
        from quire.io.histograms import Cut

        return Cut(self)

    def scope(self) -> tuple[list[_core.Column], list[_core.Attribute], dict[str, int]]:
        """Independent. Return the names of expressions: columns, attributes, and the values of `step`, `rows`
        and, if it is known, `page`.
        """
        description = self._step.description
        of_file = [] if self._origin is None else self._origin.description.attributes
        counters = {"step": description.number, "rows": len(self)}
        if self._page is not None:
            counters["page"] = self._page
        return self._core.columns, [*description.attributes, *of_file], counters

    def candidates(
        self, condition: Expression, rows: tuple[int, int], meaning: Meaning | None = None
    ) -> list[tuple[int, int]]:
        """Independent. Return the rows that can satisfy a condition, as blocks: first row, number of rows.

        `rows` is the block that is searched. Without limits in the file or beside it, it is returned. With
        definitions names have another `meaning`.
        """
        from quire.io.zones import candidate_rows

        return candidate_rows(self, condition, rows, meaning)

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block of about 8 MiB."""
        dtypes = [self[name].dtype for name in self._names(names, None)]
        bytes_per_row = sum(STRING_BYTES if dtype.hasobject else dtype.itemsize for dtype in dtypes)
        return max(1, BLOCK_BYTES // max(bytes_per_row, 1))

    def chunk_rows(self, names: Iterable[str] | str | None = None) -> int:
        """Independent. Return the rows of the longest chunk that values of these columns are encoded in, 1
        without chunks. To read some of these rows decodes all of them.
        """
        chunks = [self[name].location().chunk for name in self._names(names, None)]
        return max([1, *(chunk[0] for chunk in chunks if chunk)])

    def plan(
        self, names: Iterable[str] | str | None = None, rows: Rows | None = None
    ) -> list[tuple[int, int]]:
        """Independent. Return the extents (offset, length) in bytes that `read` would read."""
        selection = self._select(rows)
        return self._step.plan(self.name, selection.first, selection.span, self._names(names, None))

    def _select(self, rows: Rows | None) -> Selection:
        with Placing(self._path):
            return select(rows, len(self))

    def _names(self, names: Iterable[str] | str | None, out: Mapping[str, Array] | None) -> list[str]:
        if names is None:
            names = self._columns if out is None else out
        elif isinstance(names, str):
            names = [names]
        with Placing(self._path):
            chosen = list(dict.fromkeys(names))
        for name in chosen:
            self[name]  # raises the error with similar names
        for name in out or ():
            if name not in chosen:
                raise UsageError("out contains an array for a column that is not read", object=name)
        return chosen

    def _targets(
        self, names: Sequence[str], selection: Selection, out: Mapping[str, Array]
    ) -> dict[str, Array]:
        made = self._allocate([name for name in names if name not in out], selection)
        return {
            name: checked_out(out[name], name, selection.count) if name in out else made[name]
            for name in names
        }

    def _allocate(self, names: Sequence[str], selection: Selection) -> dict[str, Array]:
        dtypes = [self[name].dtype for name in names]
        size = sum(dtype.itemsize for dtype in dtypes) * selection.count
        require_room(size, names[0] if len(names) == 1 else self.name)
        offsets = None
        if size >= SMALLEST_BLOCK:
            offsets = [self._offset(name, selection) for name in names]
        return dict(zip(names, allocate(dtypes, selection.count, offsets), strict=True))

    def _offset(self, name: str, selection: Selection) -> int:
        """Return the offset of the bytes of a column in the file."""
        extents = self._step.plan(self.name, selection.first, selection.span, [name])
        return extents[0][0] if extents else 0

    def _fetch(self, targets: Mapping[str, Array], first: int, count: int) -> None:
        self._step.read(self.name, first, count, list(targets), typed(targets))


class Column(Hinting, Quantity):
    """One quantity of a table. Slices, indices and `np.asarray` read values from the file.

    >>> with quire.open("beam.h5") as file:
    ...     x = file[0]["x"]
    ...     x, x.unit, x[:3].round(6).tolist(), x[::500].shape
    (<Column x [m]: 2000 x float64>, 'm', [-0.000153, 4.7e-05, -0.000367], (4,))
    """

    def __init__(self, table: Table, core: _core.Column) -> None:
        super().__init__(core)
        self._table = table

    @property
    def _step(self) -> _core.ReadStep:
        return self._table._step

    def _instead_of(self, name: str) -> str | None:
        return instead_of_array("column", name)

    def __len__(self) -> int:
        return len(self._table)

    def __bool__(self) -> bool:
        return True

    @property
    def shape(self) -> tuple[int]:
        """The shape of the values, as in NumPy."""
        return (len(self),)

    @property
    def ndim(self) -> int:
        """The number of axes of the values, as in NumPy: 1."""
        return 1

    @property
    def size(self) -> int:
        """The number of values, as in NumPy."""
        return len(self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice | list | np.ndarray):
            return self.read(index)
        if index is Ellipsis or index == ():
            return self.read()
        return self._value(index)

    def _value(self, index: Any) -> Any:
        with Placing(self._table._path, self.name):
            row = position(index, len(self), "row")
        return self.read((row, 1))[0]

    def location(self) -> Location:
        """Independent. Return the location of the values in the file."""
        with Placing(self._table._path, self.name):
            return Location(*self._table._step.locate(self._table.name, self.name))

    def __iter__(self) -> Iterator[Any]:
        for _, block in self._table.blocks([self.name]):
            yield from block[self.name]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise UsageError("values of a file cannot be used without a copy", object=self.name)
        values = self.read()
        return values if dtype is None else values.astype(dtype, copy=False)

    def read(self, rows: Rows | None = None, out: Array | None = None) -> Array:
        """Independent, whatever the transport. Read values of some rows, see `Table.read`."""
        return self._values(self._table.read, rows, out)

    def read_all(self, rows: Rows | None = None, out: Array | None = None) -> Array:
        """Collective. The same on all ranks together, see `Table.read_all`."""
        return self._values(self._table.read_all, rows, out)

    def _values(self, read: Callable[..., dict[str, Array]], rows: Rows | None, out: Array | None) -> Array:
        if isinstance(rows, slice) and rows == slice(None):
            rows = None
        name = self.name
        try:
            return read([name], rows, out=None if out is None else {name: out})[name]
        except Error as error:
            error.place(self._table._path, name)
            raise

    def _repr_html_(self) -> str:
        from quire.io.html import column_html

        return column_html(self._table, self.name)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        return f"<Column {self.name}{unit}: {len(self)} x {self.type}>"
