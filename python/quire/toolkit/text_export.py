"""Tables of any format as CSV or plain text: block by block, with every digit unless formats are given."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

import numpy as np

import quire
from quire import _core
from quire.errors import ConflictError, UsageError
from quire.io.types import Array, type_of
from quire.toolkit.lines import Cells, Printer, format_for, printer, require_used
from quire.toolkit.replacing import refuse_overwriting, replacement
from quire.toolkit.selection import (
    AskedRows,
    StepSelection,
    require_found,
    resolve_rows,
    rows_per_block,
    select_names,
    select_steps,
)
from quire.toolkit.wanted_units import WantedUnits

if TYPE_CHECKING:
    from quire import File, Step, Table
    from quire.errors import Error

BLOCK_BYTES: Final = 4 << 20


@dataclass(frozen=True)
class ExportRequest:
    """What is exported, and how it is laid out."""

    delimiter: str = ","
    header: bool = True
    units: bool = False
    """Whether the header has units: `x [m]`, as an import reads them."""
    wanted_units: Mapping[str, str] = field(default_factory=dict)
    """Units of columns by name, instead of those of the file."""
    steps: StepSelection = field(default_factory=StepSelection)
    columns: Sequence[str] | None = None
    rows: slice = field(default_factory=lambda: slice(None))
    table: str | None = None
    """By name; None is the first of a step."""
    step_column: bool | None = None
    """Whether the first column is the number of the step; None: if there are several steps."""
    where: str | None = None
    """Only rows that satisfy this expression."""
    formats: Mapping[str, str] = field(default_factory=dict)
    """printf formats by name or pattern; "" is for all numbers."""


@dataclass
class ExportReport:
    """What was exported."""

    rows: int = 0
    steps: int = 0
    tables: list[str] = field(default_factory=list)
    """The names of all tables of the first step with several of them, else of the last."""
    left_out: list[int] = field(default_factory=list)
    """The numbers of the steps without the table."""
    unreadable: dict[int, Error] = field(default_factory=dict)
    """By number, damaged steps that were left out."""


def export_text(
    source: str | Path,
    target: str | Path | IO[bytes],
    request: ExportRequest | None = None,
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> ExportReport:
    """Independent. Write the rows of a table of all steps to a text file, which appears when it is complete.

    Values are written without loss. Texts are quoted if they contain the delimiter, quotes or newlines, or
    are empty. `target` may be a stream of bytes; a name that ends in .gz is compressed. `options` are those
    of `quire.open`.

    Raises
    ------
    ConflictError : steps with other columns than the first, or the target exists (unless `overwrite`)
    MissingError : a missing column or step, or a table that no step has
    """
    request = request or ExportRequest()
    with quire.open(source, quire.SELF, **options) as file:
        if not isinstance(target, str | os.PathLike):
            return export_steps(file, target, request, progress)
        refuse_overwriting(source, target, overwrite)
        with replacement(target) as beside:
            is_gzip = os.fspath(target).endswith(".gz")
            with gzip.open(beside, "wb") if is_gzip else beside.open("wb") as out:
                return export_steps(file, cast(IO[bytes], out), request, progress)


def export_steps(
    file: File, out: IO[bytes], request: ExportRequest, progress: Callable[[int, int], None] | None
) -> ExportReport:
    """Independent. Write the selected steps of an open file."""
    report = ExportReport()
    asked = AskedRows(request.rows)
    names: list[str] | None = None
    numbered = request.step_column
    for _, step in select_steps(file, request.steps):
        if not has_table(step, request.table):
            report.left_out.append(step.number)
            continue
        table = table_of(step, request.table)
        found = select_names(request.columns, list(table.columns), "column")
        if len(report.tables) < 2:
            report.tables = list(step.tables)
        if names is None:
            names = found
            if numbered is None:
                steps = (step for _, step in select_steps(file, request.steps))
                numbered = sum(has_table(one, request.table) for one in steps) > 1
            require_used(request.formats, names)
            WantedUnits(request.wanted_units).require_fitting(table[name] for name in names)
            write_header(out, table, names, numbered, request)
        elif names != found:
            raise ConflictError(
                f"step {step.number} has other columns than the steps before it",
                file=file.path,
                advice="choose columns that all steps have, or one step",
            )
        for rows, lines in lines_of(table, names, request, step.number if numbered else None):
            out.write(lines)
            report.rows += rows
            if progress is not None:
                progress(report.rows, len(table))
        asked.note([table])
        report.steps += 1
    asked.require(file.path)
    if report.left_out and not report.steps:
        table_of(file.step(report.left_out[0]), request.table)  # raises what is missing
    require_found(report.steps, request.steps, file.path)
    if names is None and not report.left_out and file.declared is not None:
        export_declared(file.declared, out, request)
    report.unreadable = dict(file.unreadable)
    return report


def export_declared(step: Step, out: IO[bytes], request: ExportRequest) -> None:
    """Independent. Of a file without steps the line of names that their tables would have."""
    if request.table is None and not step.tables:
        return
    table = table_of(step, request.table)
    names = select_names(request.columns, list(table.columns), "column")
    require_used(request.formats, names)
    WantedUnits(request.wanted_units).require_fitting(table[name] for name in names)
    write_header(out, table, names, bool(request.step_column), request)


def has_table(step: Step, name: str | None) -> bool:
    """Independent. Whether a step has the table of this name, or any."""
    return bool(step.tables) if name is None else name in step.tables


def table_of(step: Step, name: str | None) -> Table:
    """Independent. The table of this name, or the first."""
    return step.table if name is None else step.tables[name]


def write_header(
    out: IO[bytes], table: Table, names: Sequence[str], numbered: bool, request: ExportRequest
) -> None:
    """Independent. The line of names, if it is wanted."""
    if numbered and "step" in names:
        raise UsageError(
            "there is a column 'step' already: leave out the numbers of the steps, or the column"
        )
    if request.header:
        wanted = WantedUnits(request.wanted_units)
        units = [wanted.of(table[name]).unit if request.units else "" for name in names]
        heads = [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)]
        line = Cells(request.delimiter).line(["step"] * numbered + heads)
        out.write(f"{line}\n".encode("utf-8", "surrogateescape"))


def lines_of(
    table: Table, names: Sequence[str], request: ExportRequest, number: int | None
) -> Iterator[tuple[int, bytes]]:
    """Independent. The next lines and how many they are, block by block."""
    per_block = rows_per_block(table, names, BLOCK_BYTES)
    units = WantedUnits(request.wanted_units)
    first, count = resolve_rows(request.rows, len(table))
    if request.where is not None:
        matching = table.where(request.where, (first, count))
        for numbers_of_rows, block in matching.blocks(names, per_block):
            block = {name: units.convert(table[name], values) for name, values in block.items()}
            yield len(numbers_of_rows), lines_by_cells(table, block, names, request, number)
        return
    numbers = [name for name in names if table[name].type != "string"]
    texts = [name for name in names if table[name].type == "string"]
    has_formats = any(printers_of(table, names, request.formats))
    for start in range(first, first + count, per_block):
        rows = (start, min(per_block, first + count - start))
        values = table.read(numbers, rows) if numbers else {}
        values = {name: units.convert(table[name], one) for name, one in values.items()}
        if has_formats:
            values |= table.read(texts, rows) if texts else {}
            yield rows[1], lines_by_cells(table, values, names, request, number)
            continue
        packed = table.read_packed(texts, rows) if texts else {}
        parts: list[tuple[Any, ...]] = [
            ("string", *packed[name]) if name in packed else (type_of(values[name].dtype), values[name])
            for name in names
        ]
        if number is not None:
            parts.insert(0, ("int64", np.full(rows[1], number, np.int64)))
        yield rows[1], _core.print_rows(parts, request.delimiter)


def lines_by_cells(
    table: Table, block: Mapping[str, Array], names: Sequence[str], request: ExportRequest, number: int | None
) -> bytes:
    """Independent. The lines of a block, cell by cell: slower, but with formats."""
    columns = [block[name] for name in names]
    printers = printers_of(table, names, request.formats)
    if number is not None:
        columns.insert(0, np.full(len(columns[0]), number))
        printers.insert(0, None)
    return Cells(request.delimiter).lines(columns, printers).encode("utf-8", "surrogateescape")


def printers_of(table: Table, names: Sequence[str], formats: Mapping[str, str]) -> list[Printer | None]:
    """Independent. What prints each column: its format, or nothing for all digits."""
    forms = [format_for(name, table[name].type not in ("string", "character"), formats) for name in names]
    return [printer(form) if form else None for form in forms]
