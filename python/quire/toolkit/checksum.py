"""Checksums of tables and fields that do not depend on the order of rows, the ranks or the format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import quire
from quire._core import sum_of_row_hashes
from quire.io.communicator import core_comm
from quire.io.refusal import agreed
from quire.toolkit.agreement import gathered
from quire.toolkit.element_index import element_tables
from quire.toolkit.element_sums import KindSums, kinds_of
from quire.toolkit.selection import (
    AskedRows,
    RowSelection,
    StepSelection,
    chosen_blocks,
    even_slice,
    raise_unreadable,
    require_found,
    resolve_rows,
    select_names,
    select_steps,
)
from quire.toolkit.share import tables_of_limits

if TYPE_CHECKING:
    from quire import Field, Step, Stream, Table

    Array = np.ndarray[Any, Any]

Progress = Callable[[int], None]

MODULUS = 1 << 64
BLOCK_BYTES = 8 << 20
FLOAT80_BYTES = 10


@dataclass(frozen=True)
class TableChecksum:
    """Sums modulo 2^64 of the XXH3-64 of whole rows (columns in the order of their names) and of single
    values.
    """

    name: str
    rows: int
    whole: int
    columns: dict[str, int]


@dataclass(frozen=True)
class StepChecksum:
    """The sums of one step. Those of fields depend on the position of each value, those of streams on all
    bytes.

    A table with the locations of streams is not included.
    """

    number: int
    tables: list[TableChecksum]
    fields: dict[str, int]
    streams: dict[int, int] = field(default_factory=dict)
    """Sums by the numbers of the tasks."""


@dataclass(frozen=True)
class FileChecksum:
    """The sums of the selected steps, and their total, which does not depend on the names of tables."""

    path: str
    whole: int
    steps: list[StepChecksum] = field(default_factory=list)


def canonical(values: Array) -> tuple[Array, int, Array | None]:
    """Independent. Return a one-dimensional array as canonical bytes, the significant bytes of a value, and
    offsets of texts.
    """
    if values.dtype == object:
        texts = [str(text).encode("utf-8", "surrogateescape") for text in values]
        offsets = np.zeros(len(texts) + 1, dtype=np.uint64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        return np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(1, -1), 0, offsets
    little = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
    width = FLOAT80_BYTES if little.dtype == np.longdouble else little.dtype.itemsize
    return little.view(np.uint8).reshape(len(little), little.dtype.itemsize), width, None


def hash_sum(columns: Sequence[Array]) -> int:
    """Independent. Return the sum modulo 2^64 of the hashes of the rows of these columns, of equal length."""
    rows = len(columns[0]) if columns else 0
    return int(sum_of_row_hashes(rows, [canonical(column) for column in columns]))


def table_sums(
    table: Table,
    names: Sequence[str],
    rank: int,
    size: int,
    progress: Progress | None = None,
    selection: RowSelection | None = None,
) -> list[int]:
    """Independent. Return the number of selected rows, and the sums of rows and of each column in order: this
    rank's parts.
    """
    rows, where = (slice(None), None) if selection is None else (selection.rows, selection.where)
    begin, length = resolve_rows(rows, len(table))
    first, count = even_slice(length, rank, size)
    share = slice(begin + first, begin + first + count)
    if not names:
        return [count, 0]
    sums = [0] * (2 + len(names))
    for _, block in chosen_blocks(table, names, share, where, BLOCK_BYTES):
        columns = [block[name] for name in names]
        sums[0] += len(columns[0])
        sums[1] += hash_sum(columns)
        for position, column in enumerate(columns, start=2):
            sums[position] += hash_sum([column])
        if progress is not None:
            progress(len(columns[0]))
    return [total % MODULUS for total in sums]


def field_sum(values: Field, rank: int, size: int) -> int:
    """Independent. Return this rank's part of the sum over the elements of a field, hashed with their
    positions.
    """
    extents = tuple(values.extents)
    components = values.components
    if not extents:
        return 0
    start, count = even_slice(extents[0], rank, size)
    layer = int(np.prod(extents[1:], dtype=np.int64)) * components
    step = max(1, BLOCK_BYTES // max(1, layer * 8))
    total = 0
    for low in range(start, start + count, step):
        block = np.asarray(values[low : min(low + step, start + count)]).reshape(-1)
        positions = np.arange(low * layer, low * layer + len(block), dtype=np.uint64)
        total += hash_sum([positions, block])
    return total % MODULUS


def stream_sum(stream: Stream) -> int:
    """Independent. Return the hash of all bytes of a stream."""
    digest = hashlib.blake2b(digest_size=8)
    while block := stream.read(BLOCK_BYTES):
        digest.update(block)
    return int.from_bytes(digest.digest(), "little")


def stream_sums(step: Step, comm: Any, progress: Progress | None) -> dict[int, int]:
    """Collective. Return the sums of all streams of a step. Each rank reads an even share."""
    rank, size = (comm.rank, comm.size) if comm is not None else (0, 1)
    first, count = even_slice(len(step.streams), rank, size)

    def sums_of_share() -> dict[int, int]:
        mine: dict[int, int] = {}
        for stream in step.streams.at(range(first, first + count)):
            mine[stream.rank] = (mine.get(stream.rank, 0) + stream_sum(stream)) % MODULUS
            if progress is not None:
                progress(stream.size)
        return mine

    totals: dict[int, int] = {}
    for part in gathered(comm, sums_of_share):
        for number, value in part.items():
            totals[number] = (totals.get(number, 0) + value) % MODULUS
    return totals


def step_checksum(
    step: Step,
    columns: Sequence[str] | None,
    comm: Any = None,
    progress: Progress | None = None,
    as_stored: bool = False,
    rows: RowSelection | None = None,
) -> StepChecksum:
    """Collective. Return the sums of one step. Each rank of the communicator hashes an even share.

    An error of any rank is raised on all.
    """
    rank, size = (comm.rank, comm.size) if comm is not None else (0, 1)
    if len(step.streams) > 0:
        return StepChecksum(step.number, [], {}, stream_sums(step, comm, progress))
    chosen: list[tuple[str, int | None, list[str]]] = []
    """Names of tables and their columns; the number of rows, or None if it is the first of the sums."""
    is_part = rows is not None and not rows.is_all
    fields = [] if columns is not None or is_part else sorted(step.fields)
    by_element = set() if as_stored or is_part else element_tables(step)
    # A selection of rows is not one of the limits of their blocks.
    left_out = by_element | (tables_of_limits(step.tables) if is_part else set())

    def sums_of_share() -> list[int]:
        mine: list[int] = []

        for kind, blocks in kinds_of(step).items() if by_element else ():
            sums = KindSums(kind, blocks, columns, hash_sum)
            chosen.extend(sums.names_of_tables)
            mine += sums.add_share(rank, size, BLOCK_BYTES, progress)
        for table in step.tables.values():
            if table.name in left_out:
                continue
            names = sorted(select_names(columns, list(table.columns), "column"))
            chosen.append((table.name, None, names))
            mine += table_sums(table, names, rank, size, progress, rows)
        return mine + [field_sum(step.fields[name], rank, size) for name in fields]

    totals = [sum(parts) % MODULUS for parts in zip(*gathered(comm, sums_of_share), strict=True)]
    tables: list[TableChecksum] = []
    for name, count, names in chosen:
        if count is None:
            count, *totals = totals
        whole, *singles = totals[: 1 + len(names)]
        totals = totals[1 + len(names) :]
        tables.append(TableChecksum(name, count, whole, dict(zip(names, singles, strict=True))))
    return StepChecksum(step.number, tables, dict(zip(fields, totals, strict=True)))


def combine(steps: Iterable[StepChecksum]) -> int:
    """Independent. Return the total of all steps: the sum of the hashes of number, row counts and sums."""
    return sum(map(hash_of_step, steps)) % MODULUS


def hash_of_step(step: StepChecksum) -> int:
    """Independent. Return the contribution of a step to the total."""
    words = [step.number % MODULUS]
    for table in sorted(step.tables, key=lambda table: table.whole):
        words += [table.rows, table.whole]
    words += [step.fields[name] for name in sorted(step.fields)]
    for number in sorted(step.streams):
        words += [number, step.streams[number]]
    return hash_sum([np.array([word], dtype=np.uint64) for word in words])


def checksum(
    path: str | Path,
    *,
    comm: Any = None,
    steps: StepSelection | None = None,
    columns: Sequence[str] | None = None,
    rows: RowSelection | None = None,
    as_stored: bool = False,
    progress: Progress | None = None,
    observe: Callable[[Any], None] | None = None,
    **options: Any,
) -> FileChecksum:
    """Collective. Return the checksums of the selected steps, columns and rows of a file, in bounded memory.

    `comm` is an mpi4py communicator whose ranks share the rows. The result is the same on all ranks and for
    any number of ranks. Equal types and values have equal sums; float32 and float64 differ. Attributes are
    not included, and with rows or columns no fields. Elements are summed by number, whatever blocks they are
    stored in, unless `as_stored`. `progress` is called with the number of rows of each block, `observe` with
    the file before it is closed. Raises errors of opening and reading, MissingError for missing columns and
    steps, UsageError for rows that no table has.
    """
    found = step_checksums(
        path,
        comm=comm,
        steps=steps,
        columns=columns,
        rows=rows,
        as_stored=as_stored,
        progress=progress,
        observe=observe,
        **options,
    )
    done = list(found)
    return FileChecksum(str(path), combine(done), done)


def step_checksums(
    path: str | Path,
    *,
    comm: Any = None,
    steps: StepSelection | None = None,
    columns: Sequence[str] | None = None,
    rows: RowSelection | None = None,
    as_stored: bool = False,
    progress: Progress | None = None,
    observe: Callable[[Any], None] | None = None,
    **options: Any,
) -> Iterator[StepChecksum]:
    """Collective. Yield the checksums of `checksum` step by step, for files with many steps."""
    agreed(core_comm(comm), "checksums of", lambda: (steps, columns, rows, as_stored))
    count = 0
    asked = AskedRows(slice(None) if rows is None else rows.rows)
    with quire.open(path, comm=comm, **options) as file:
        for _, step in select_steps(file, steps):
            asked.note(step.tables.values())
            yield step_checksum(step, columns, comm, progress, as_stored, rows)
            count += 1
        raise_unreadable(file, steps)
        require_found(count, steps, path)
        asked.require(path)
        if observe is not None:
            observe(file)
