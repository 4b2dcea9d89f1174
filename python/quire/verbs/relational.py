"""Sort and join tables by the engine, with the result in temporary files.

The engine gets the numbers of the rows and orders by them what is equal in the keys, so that results are
those of the same work in memory, to the last bit and on any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from quire.io.memory import machine_memory
from quire.io.types import Array, dtype_of
from quire.toolkit.activity import doing, listener
from quire.toolkit.engine import Engine
from quire.toolkit.engine_columns import arrow_of, arrow_of_bytes, missing_in, numbers_in
from quire.verbs.spilled import SpilledRows
from quire.verbs.steplike import TableLike, estimated_bytes

IN_MEMORY: Final = 32 << 20
"""Bytes of tables that are not worth the start of the engine, even where it is faster."""

SHARE: Final = 4
"""The part of the memory of this machine, as a divisor, that work without a limit takes."""

ROW: Final = "row"
"""The number of a row, in the engine."""

Arrays = Mapping[str, Any]
"""Columns of the engine: arrays of NumPy or Arrow."""


def uses_engine(memory: int | None, size: int, rows: int, is_faster: bool = False) -> bool:
    """Independent. Return whether work on so many bytes of columns, and rows, is done by the engine.

    It is if the columns, their rows in another order, and the order need more than `memory` bytes. Without a
    limit it is if the engine is installed and they need more than a share of the memory of this machine, or
    if it is faster and the tables are large.
    """
    needed = 2 * size + 16 * rows
    if memory is not None and needed > memory:
        return True
    is_wanted = needed > machine_memory() // SHARE or (is_faster and size > IN_MEMORY)
    return is_wanted and all(map(find_spec, ("duckdb", "pyarrow")))


def carried(values: Array, name: str, pyarrow: Any) -> dict[str, Any]:
    """Independent. Return values as columns of the engine: long doubles as two of their bits, and texts as
    bytes.
    """
    if values.dtype.kind == "O":
        texts = [text.encode("utf-8", "surrogateescape") for text in values]
        return {name: arrow_of_bytes(texts, pyarrow)}
    if values.dtype.kind == "S":
        return {name: values.view(np.uint8)}
    if values.dtype.itemsize > 8:
        low, high = halves(values)
        return {name: low, f"{name}_high": high}
    return {name: values}


def halves(values: Array) -> tuple[Array, Array]:
    """Independent. Return the significands of long doubles, and their signs and exponents."""
    bits = np.ascontiguousarray(values).view(np.uint64).reshape(-1, 2)
    return bits[:, 0].copy(), bits[:, 1].astype(np.uint16)


def restored(batch: Any, name: str, dtype: np.dtype[Any]) -> tuple[Array, Array | None]:
    """Independent. Return the values of a column of the engine, and where they are missing, if any are."""
    array = batch.column(name)
    missing = missing_in(array)
    if dtype.kind == "O":
        values = np.empty(len(array), object)
        values[:] = [(text or b"").decode("utf-8", "surrogateescape") for text in array.to_pylist()]
        return values, missing
    numbers = numbers_in(array)
    if dtype.kind == "S":
        return numbers.view(dtype), missing
    if dtype.itemsize > 8:
        bits = np.zeros((len(numbers), 2), np.uint64)
        bits[:, 0], bits[:, 1] = numbers, numbers_in(batch.column(f"{name}_high"))
        return bits.view(dtype).reshape(-1), missing
    return numbers, missing


def equal_keys(values: Array, name: str, pyarrow: Any) -> dict[str, Any]:
    """Independent. Return columns of the engine that are equal for equal values. NaN are missing: they equal
    nothing.
    """
    if values.dtype.kind != "f":
        return carried(values, name, pyarrow)
    found = carried(values + values.dtype.type(0), name, pyarrow)  # both zeros are one
    is_nan = np.isnan(values)
    return {one: arrow_of(array, pyarrow, is_nan) for one, array in found.items()}


def ordered_keys(values: Array, name: str, pyarrow: Any) -> dict[str, Any]:
    """Independent. Return columns of the engine in the order of the values; NaN come last."""
    if values.dtype.kind == "O":
        # Surrogates, which are bytes that are not UTF-8, are in the order of their code points.
        texts = [text.encode("utf-8", "surrogatepass") for text in values]
        return {name: arrow_of_bytes(texts, pyarrow)}
    if values.dtype.itemsize <= 8:
        return {name: values}
    low, high = halves(values + values.dtype.type(0))
    is_negative = high >= 1 << 15
    low, high = np.where(is_negative, ~low, low), np.where(is_negative, ~high, high | 1 << 15)
    low[np.isnan(values)], high[np.isnan(values)] = ~np.uint64(0), ~np.uint16(0)
    return {f"{name}_high": high, name: low}


@dataclass(frozen=True)
class Side:
    """A table on its way into the engine, as record batches that are read once.

    `keys` makes further columns from the values of `read`, for a block of rows after all before it.
    """

    table: TableLike
    names: Sequence[str]
    read: Sequence[str] = ()
    keys: Callable[[Mapping[str, Array]], Arrays] = field(default=lambda block: {})
    prefix: str = "c"

    def carrier(self, name: str) -> str:
        """Independent. Return the name of a column in the engine."""
        return f"{self.prefix}{self.names.index(name)}"

    @property
    def carriers(self) -> list[str]:
        """The columns of the engine for all columns."""
        found = []
        for name in self.names:
            found.append(self.carrier(name))
            if dtype_of(self.table[name].type) == np.longdouble:
                found.append(f"{self.carrier(name)}_high")
        return found

    def batches(self, pyarrow: Any, batch_bytes: int) -> Iterator[Any]:
        """Independent. Yield record batches: the number of the row, keys, and columns."""
        wanted = list(dict.fromkeys([*self.names, *self.read]))
        per_row = max(1, estimated_bytes(self.table, wanted) // max(1, len(self.table)))
        rows = max(1, batch_bytes // per_row)
        report = listener()  # the other batches are made in a thread of the engine
        for first, count, block in self.blocks(wanted, rows):
            report("reading", first + count, len(self.table), "rows")
            made: dict[str, Any] = {ROW: np.arange(first, first + count)}
            made |= self.keys(block)
            for name in self.names:
                made |= carried(block[name], self.carrier(name), pyarrow)
            arrays = {
                name: arrow_of(values, pyarrow) if isinstance(values, np.ndarray) else values
                for name, values in made.items()
            }
            yield pyarrow.record_batch(arrays)
        report("computing", 0, 0, "rows")

    def blocks(self, names: Sequence[str], rows: int) -> Iterator[tuple[int, int, dict[str, Array]]]:
        """Independent. Yield first row, number of rows and columns; at least one block, also of no rows."""
        if not len(self.table) or not names:
            yield 0, len(self.table), {name: np.empty(0, dtype_of(self.table[name].type)) for name in names}
            return
        for first, block in self.table.blocks(names, rows):
            kept = {name: np.array(block[name]) for name in names}  # the table reuses its memory
            yield first, len(kept[names[0]]), kept

    def register(self, engine: Engine, name: str) -> None:
        """Independent. Make the table one of the engine."""
        batches = self.batches(engine.pyarrow, engine.batch_bytes)
        first = next(batches)

        def all_batches() -> Iterator[Any]:
            yield first
            yield from batches

        reader = engine.pyarrow.RecordBatchReader.from_batches(first.schema, engine.guarded(all_batches()))
        engine.register(name, reader)


Look = Callable[[Any, Mapping[str, Array]], Array | None]
"""Gets each batch of a result and its values by column, and may choose rows of it."""


def spilled(
    engine: Engine,
    query: str,
    columns: Mapping[str, tuple[str, str]],
    look: Look,
) -> SpilledRows:
    """Independent. Carry out a query, with the result in temporary files.

    `columns` are type and column of the engine by name.
    """
    rows = SpilledRows({name: kind for name, (kind, _) in columns.items()})
    for batch in engine.stream(query)[1]:
        doing("collecting", rows.count, 0, "rows")
        found = {name: restored(batch, carrier, dtype_of(kind)) for name, (kind, carrier) in columns.items()}
        values = {name: array for name, (array, _) in found.items()}
        marks = {name: missing for name, (_, missing) in found.items() if missing is not None}
        chosen = look(batch, values)
        if chosen is None:
            rows.append(values, marks, batch.num_rows)
        else:
            kept, lost = ({name: array[chosen] for name, array in one.items()} for one in (values, marks))
            rows.append(kept, lost, int(np.count_nonzero(chosen)))
    return rows


class LaterRows:
    """Rows whose number is known, and which are made when they are first read."""

    def __init__(self, count: int, make: Callable[[], SpilledRows]) -> None:
        self.count = count
        self.missing: Mapping[str, int] = {}
        self._make = make
        self._made: SpilledRows | None = None

    def read(self, name: str, first: int, count: int) -> Array:
        """Independent. Return the values of contiguous rows."""
        if self._made is None:
            self._made = self._make()
        return self._made.read(name, first, count)


def ordered(
    side: Side,
    order: Sequence[str],
    memory: int | None,
    look: Look | None = None,
    conditions: Sequence[str] = (),
    more: Sequence[str] = (),
) -> SpilledRows:
    """Independent. Return the rows of a table in the order of columns of the engine, then of their numbers.

    Only those that satisfy all conditions. `look` gets the columns, and `more` ones of the engine.
    """
    with Engine(memory) as engine:
        side.register(engine, "rows")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        query = (
            f"SELECT {', '.join([*side.carriers, *more])} FROM rows{where} "
            f"ORDER BY {', '.join([*order, ROW])}"
        )
        columns = {name: (side.table[name].type, side.carrier(name)) for name in side.names}
        return spilled(engine, query, columns, look or (lambda batch, values: None))
