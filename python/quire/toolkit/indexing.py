"""Indexes of data files: made, examined, compared with the data, removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import quire
from quire.errors import (
    BadFileError,
    ConflictError,
    InputOutputError,
    MissingError,
    MissingFileError,
    TypeMismatchError,
    UnsupportedError,
)
from quire.io.arguments import path_text
from quire.io.communicator import SELF
from quire.io.file import locked
from quire.io.id_map import IDENTITY, INVERSE, PERMUTATION, Blocks, IdOrder, offsets, order_of
from quire.io.origin import sidecar_path
from quire.io.permutation import IdPermutation
from quire.io.sidecar import (
    BLOCK_ROWS,
    SAMPLE_ROWS,
    ColumnKey,
    Sidecar,
    SidecarWriter,
    Source,
    Zones,
    zones_of,
)
from quire.io.types import dtype_of
from quire.io.value_list import MOST_ROWS, SidecarError, can_be_listed, digest, list_of
from quire.toolkit.replacing import plain_replacement, sync_directory, wait_for_the_clock

if TYPE_CHECKING:
    from quire import File, Step, Table

BLOCK_BYTES: Final = 16 << 20

Progress = Callable[[int, int], None]
"""Called with the number of rows done and of all rows of a table."""


@dataclass(frozen=True)
class IndexInfo:
    """What an index contains.

    >>> info = quire.build_index("beam.h5")
    >>> info.steps, info.columns, info.rows, info.bytes < 20000
    (5, 35, 10000, True)
    """

    path: str
    bytes: int
    file_bytes: int
    steps: int
    columns: int
    """Of all tables of all steps."""
    rows: int
    """Of all tables of all steps."""
    lists: dict[str, int]
    """The columns whose rows are listed by value, with the bytes of these lists."""
    ids: dict[str, list[str]]
    """The columns of ids, with how their rows are found: `identity`, `sorted`, `inverse`, `permutation`."""
    is_current: bool = True
    """Whether the file has the size and the time that it had when the index was made."""
    is_asked_for: bool = True
    """Whether `build_index`, or a writer with `zones=True`, made it. If not, it is ignored without a warning
    when the file has changed, and a writer that replaces the file or appends to it removes the index.
    """


def build_index(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] = (),
    ids: str = "",
    append: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> IndexInfo:
    """Independent. Write an index beside a file, as `NAME.qix`: the limits of each block of 4096 rows of all
    columns of numbers that are stored in the file itself, lists of the rows of `columns` by value, and the
    rows of `ids`, a column of numbers.

    Conditions (`table.where`, `--where`, `filter`) do not read blocks that cannot satisfy them. With lists
    they find rows without reading the column, if that is cheaper. `File.track` and conditions such as `id in
    (3, 17)` find the rows of ids. The index is valid until the file changes; then it is ignored with a
    warning. `append` reads only the steps that the index lacks, if it has the same lists and ids: the values
    of the others must not have changed since, of which 64 rows of each table are compared. `options` are
    those of `quire.open`; files that are opened with other options do not use the index. Raises
    UnsupportedError for directories and sets of files, ConflictError if the file changes meanwhile,
    MissingError and TypeMismatchError for columns that cannot have lists.

    >>> quire.build_index("beam.h5").steps
    5
    >>> list(quire.build_index("beam.h5", columns=["x", "px"]).lists)
    ['x', 'px']
    >>> quire.build_index("beam.h5", ids="id").ids
    {'id': ['identity']}
    """
    place = sidecar_path(path)
    wait_for_the_clock(path)
    with quire.open(path, SELF, **options) as file, ExitStack() as held:
        refuse_sets(file)
        source = Source.of(os.stat(path), file.options)
        listed, of_ids = listed_columns(file, columns), listed_columns(file, [ids] if ids else [])
        before = None
        if append and os.path.isfile(place):
            held.enter_context(locked(place, SELF))
            before = index_before(file, source, listed, of_ids)
            if before is None:
                held.close()  # a replacement takes the lock itself
        known = set() if before is None else {step for step, _ in before.samples}
        orders = orders_of(file, [key for key in of_ids if key.step not in known], progress)
        lists = [key for key in listed if key.step not in known]
        with plain_replacement(Path(place)) if before is None else Path(place).open("r+b") as out:
            writer = SidecarWriter(out, before)
            write_steps(writer, [step for step in file if step.number not in known], progress)
            write_lists(writer, file, lists)
            write_ids(writer, file, orders)
            if Source.of(os.stat(path), file.options) != source:
                raise ConflictError(
                    "the file was changed while its index was made", file=os.fspath(path), advice="try again"
                )
            writer.finish(source)
            out.flush()
            os.fsync(out.fileno())
        sync_directory(place)
    return index_info(path)


def index_before(
    file: File, source: Source, listed: Sequence[ColumnKey], ids: Sequence[ColumnKey]
) -> Sidecar | None:
    """Independent. Return the index to which the new steps of a file can be appended; None if a new one is
    needed: it is damaged, or is to have other lists, or some of its steps are gone or have other values.
    """
    place = sidecar_path(file.path)
    try:
        found = None if os.path.islink(place) else Sidecar(place)
    except (OSError, SidecarError):
        return None
    if found is None or found.source.options != source.options or found.source.size >= source.size:
        return None
    known = {step for step, _ in found.samples}
    if not {key.step for key in found.keys} <= known:
        return None  # the writer of the file made it, without samples
    mapped = {key for key in ids if key.step in known}
    lists = {key for key in listed if key.step in known}
    present = {step.number: step for step in file}
    if (lists, mapped) != (set(found.listed), set(found.ids)) or not known <= set(present):
        return None
    samples = {key: check for step in known for key, check in samples_of(present[step]).items()}
    return found if samples == found.samples else None


def samples_of(step: Step) -> dict[tuple[int, str], bytes]:
    """Independent. Return checksums of some rows of the tables of a step, and of what the tables are."""
    found = {}
    for table in step.tables.values():
        names = indexed_columns(table)
        rows = np.unique(np.linspace(0, max(len(table) - 1, 0), SAMPLE_ROWS).astype(np.int64))[: len(table)]
        values = table.read(names, rows)
        parts = [f"{name}\0{table[name].type}\0".encode() + values[name].tobytes() for name in names]
        found[step.number, table.name] = digest(b"".join([str(len(table)).encode(), *parts]))
    return found


def write_steps(writer: SidecarWriter, steps: Sequence[Step], progress: Progress | None) -> None:
    """Independent. Write the limits of all columns of numbers of some steps, and samples of their tables."""
    for key, zones in zones_of_steps(steps, progress):
        writer.add(key, zones)
    for step in steps:
        for (number, table), check in samples_of(step).items():
            writer.add_sample(number, table, len(step.tables[table]), check)


def write_lists(writer: SidecarWriter, file: File, keys: Sequence[ColumnKey]) -> None:
    """Independent. Write the lists of columns."""
    for key in keys:
        table = table_of(file, key)
        type = table[key.column].type
        for rows in rows_of_lists(table):
            writer.add_list(key, type, rows, list_of(table.read(key.column, rows)[key.column], type))


def write_ids(writer: SidecarWriter, file: File, orders: Mapping[ColumnKey, IdOrder]) -> None:
    """Independent. Write the rows of ids."""
    for key, order in orders.items():
        table = table_of(file, key)
        column = table[key.column]
        if order.form != PERMUTATION:
            writer.add_ids(key, column.type, len(table), order, id_blocks(table, key.column))
            continue
        for rows in rows_of_lists(table):
            writer.add_permutation(key, column.type, rows, column.read(rows))


def refuse_sets(file: File) -> None:
    """Independent. Raises UnsupportedError unless the file is one file."""
    if file.members or not os.path.isfile(file.path):
        raise UnsupportedError(
            "only a single file can have an index",
            file=file.path,
            advice="quire convert writes one, such as an HDF5 file",
        )


def zones_of_steps(
    steps: Iterable[Step], progress: Progress | None = None
) -> Iterator[tuple[ColumnKey, Zones]]:
    """Independent. Yield the limits of all columns of numbers."""
    for step in steps:
        for table in step.tables.values():
            for column, zones in zones_of_table(table, progress):
                yield ColumnKey(step.number, table.name, column), zones


def zones_of_table(table: Table, progress: Progress | None = None) -> Iterator[tuple[str, Zones]]:
    """Independent. Yield the limits of the columns of numbers, which are read once, block by block."""
    names = indexed_columns(table)
    if not names:
        return
    row_bytes = sum(dtype_of(table[name].type).itemsize for name in names)
    rows = max(BLOCK_BYTES // row_bytes // BLOCK_ROWS, 1) * BLOCK_ROWS
    found: dict[str, list[Zones]] = {name: [] for name in names}
    for _, block in table.blocks(names, rows, progress=progress):
        for name, parts in found.items():
            parts.append(zones_of(block[name], table[name].type))
    for name, parts in found.items():
        yield name, joined(parts, table[name].type)


def indexed_columns(table: Table) -> list[str]:
    """Independent. Return the columns of numbers that the file itself stores."""
    numbers = [name for name, column in table.columns.items() if dtype_of(column.type).kind in "fiu"]
    return [name for name in numbers if is_in_file(table, name)]


def is_in_file(table: Table, column: str) -> bool:
    """Independent. Return whether the values can change only with the file. Those of another file, to which a
    link refers, have no place in this one.
    """
    if not len(table) or column in table.constants:
        return True
    return bool(table.plan([column]) or table[column].location().chunk)


def listed_columns(file: File, names: Sequence[str]) -> list[ColumnKey]:
    """Independent. Return the columns of these names that can have lists. Raises MissingError if no table
    has one, TypeMismatchError for other types, UnsupportedError for values of another file.
    """
    found = []
    for name in dict.fromkeys([names] if isinstance(names, str) else names):
        tables = [(step, table) for step in file for table in step.tables.values() if name in table]
        if not tables:
            for step in file:
                step.table[name]  # raises the error with similar names
            raise MissingError("there is no step", file=file.path)
        for step, table in tables:
            if not can_be_listed(table[name].type):
                raise TypeMismatchError(
                    f"rows are found by numbers of up to 8 bytes, and the column has {table[name].type}",
                    file=file.path,
                    object=name,
                )
            if not is_in_file(table, name):
                raise UnsupportedError(
                    "the file itself does not store the values", file=file.path, object=name
                )
            found.append(ColumnKey(step.number, table.name, name))
    return found


def orders_of(
    file: File, keys: Sequence[ColumnKey], progress: Progress | None = None
) -> dict[ColumnKey, IdOrder]:
    """Independent. Return how the ids of each table are best found."""
    found = {}
    for key in keys:
        table, name = table_of(file, key), key.column
        order = order_of(id_blocks(table, name, progress), len(table))
        if order.form == INVERSE and has_equal_ids(table, name, order):
            order = replace(order, form=PERMUTATION)
        found[key] = order
    return found


def id_blocks(table: Table, name: str, progress: Progress | None = None) -> Blocks:
    """Independent. Return what reads a column of ids."""
    return lambda: ((first, block[name]) for first, block in table.blocks([name], progress=progress))


def has_equal_ids(table: Table, name: str, order: IdOrder) -> bool:
    """Independent. Return whether two rows have the same id."""
    seen = np.zeros(order.count, np.bool_)
    for _, values in id_blocks(table, name)():
        places = offsets(values, order.smallest)
        seen[places] = True
    return int(np.count_nonzero(seen)) < len(table)


def table_of(file: File, key: ColumnKey) -> Table:
    """Independent. Return the table of a column."""
    return file.step(key.step).tables[key.table]


def rows_of_lists(table: Table) -> list[tuple[int, int]]:
    """Independent. Return the rows of each list of a column."""
    return [(first, min(MOST_ROWS, len(table) - first)) for first in range(0, len(table), MOST_ROWS)]


def joined(parts: Sequence[Zones], type: str) -> Zones:
    """Independent. Return the limits of blocks of rows one after another."""
    if not parts:
        return zones_of(np.empty(0, dtype_of(type)), type)
    lower, upper, nans = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("lower", "upper", "nans")
    )
    return Zones(type, sum(part.rows for part in parts), lower, upper, nans)


def open_index(path: str | os.PathLike[str]) -> Sidecar:
    """Independent. Open the index of a file, whatever the state of the file. Raises MissingFileError without
    the file, MissingError if it has no index, and BadFileError.
    """
    require_file(path)
    place = sidecar_path(path)
    try:
        return Sidecar(place)
    except FileNotFoundError:
        raise MissingError("it has no index", file=path_text(path), advice="quire index makes one") from None
    except SidecarError as problem:
        raise damaged(place, problem) from None
    except OSError as problem:
        raise InputOutputError(f"cannot read the index: {problem.strerror}", file=place) from None


def require_file(path: str | os.PathLike[str]) -> None:
    """Independent. Raises MissingFileError if there is no such file."""
    name = path_text(path)
    if not os.path.exists(name):
        raise MissingFileError("there is no such file", file=name)


def damaged(place: str, problem: SidecarError) -> BadFileError:
    """Independent. Return the error about an index that cannot be used."""
    return BadFileError(str(problem), file=place, advice="quire index makes a new one")


def index_info(path: str | os.PathLike[str]) -> IndexInfo:
    """Independent. Return what the index of a file contains. Raises MissingFileError without the file,
    MissingError if it has no index, and BadFileError.

    >>> quire.build_index("beam.h5") == quire.index_info("beam.h5")
    True
    """
    sidecar = open_index(path)
    tables = {(key.step, key.table): key for key in sidecar.keys}
    try:
        rows = sum(zones.rows for key in tables.values() if (zones := sidecar.zones(key)) is not None)
    except SidecarError as problem:
        raise damaged(sidecar.path, problem) from None
    sizes = sidecar.listed
    names = dict.fromkeys(key.column for key in sizes)
    forms: dict[str, list[str]] = {}
    for key, form in sidecar.ids.items():
        if form not in forms.setdefault(key.column, []):
            forms[key.column].append(form)
    return IndexInfo(
        sidecar.path,
        sidecar.size,
        sidecar.source.size,
        len({key.step for key in sidecar.keys}),
        len(sidecar.keys),
        rows,
        {name: sum(sizes[key] for key in sizes if key.column == name) for name in names},
        forms,
        sidecar.source.is_of(os.stat(path)),
        not sidecar.is_unasked,
    )


def index_faults(path: str | os.PathLike[str], *, progress: Progress | None = None) -> list[str]:
    """Independent. Compare the index of a file with its data; returns sentences about differences. Raises
    MissingFileError without the file, MissingError if it has no index, and BadFileError.

    >>> quire.build_index("beam.h5") and quire.index_faults("beam.h5")
    []
    """
    sidecar = open_index(path)
    options: dict[str, Any] = dict(sidecar.source.options)
    if Source.of(os.stat(path), options) != sidecar.source:
        return ["the file was changed after its index was made"]
    faults = []
    left = set(sidecar.keys)
    with quire.open(path, SELF, **options) as file:
        for key, true in zones_of_steps(file, progress):
            left.discard(key)
            try:
                stored = sidecar.zones(key)
            except SidecarError as problem:
                raise damaged(sidecar.path, problem) from None
            if stored is None:
                if sidecar.samples:  # the writer of a file need not know the limits of all columns
                    faults.append(f'step {key.step}: column "{key.column}" has no limits in its index')
            elif not are_equal(stored, true):
                faults.append(f'step {key.step}: column "{key.column}" has other limits than its index')
        for key in sidecar.listed:
            if key not in left and not has_right_lists(sidecar, key, table_of(file, key)):
                faults.append(f'step {key.step}: column "{key.column}" has other values than its lists')
        for key in sidecar.ids:
            if key not in left and not has_right_ids(sidecar, key, table_of(file, key)):
                faults.append(f'step {key.step}: column "{key.column}" has other ids than its index')
    return faults + [f'step {key.step}: the file has no column "{key.column}"' for key in sorted(left)]


def has_right_lists(sidecar: Sidecar, key: ColumnKey, table: Table) -> bool:
    """Independent. Return whether the lists of a column are those of its values."""
    column = table[key.column]
    try:
        lists = sidecar.lists(key, column.type, len(table))
        return bool(lists) and all(one.is_list_of(column.read((one.first, one.rows))) for one in lists)
    except SidecarError as problem:
        raise damaged(sidecar.path, problem) from None


def has_right_ids(sidecar: Sidecar, key: ColumnKey, table: Table) -> bool:
    """Independent. Return whether each id of a column is found in its row, and in no other."""
    column = table[key.column]
    try:
        known = sidecar.id_map(key, column.type, len(table))
        if known is None:
            return False
        if isinstance(known, IdPermutation):
            return all(one.is_of(column.read((one.first, one.rows))) for one in known.parts)
        if known.form != INVERSE:
            order = order_of(id_blocks(table, key.column), len(table))
            return order.form in (IDENTITY, known.form) and known.has_base(order.smallest)
        blocks = id_blocks(table, key.column)()
        is_found = all(
            bool((known.find(table, key.column, ids) == np.arange(first, first + len(ids))).all())
            for first, ids in blocks
        )
        return is_found and known.count() == len(table)
    except SidecarError as problem:
        raise damaged(sidecar.path, problem) from None


def are_equal(one: Zones, other: Zones) -> bool:
    """Independent. Return whether all limits are the same."""
    return (one.type, one.rows) == (other.type, other.rows) and all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name != "nans")
        for name in ("lower", "upper", "nans")
    )


def remove_index(path: str | os.PathLike[str]) -> bool:
    """Independent. Remove the index of a file, which need not exist any more; returns whether there was one.
    Raises MissingFileError if there is neither of both.

    >>> quire.build_index("beam.h5") and quire.remove_index("beam.h5")
    True
    """
    place = Path(sidecar_path(path))
    found = place.exists()
    if not found:
        require_file(path)
    place.unlink(missing_ok=True)
    return found
