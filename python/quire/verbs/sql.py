"""Queries in SQL over the tables of files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

import quire
from quire import File, Step, Table
from quire.errors import (
    ConflictError,
    DataError,
    TypeMismatchError,
    UnsupportedError,
    UsageError,
    errors_in_family,
)
from quire.io.arrow import metadata_of
from quire.io.texts import Texts
from quire.io.types import Array
from quire.near import there_is_no
from quire.toolkit.engine import Engine
from quire.toolkit.engine_columns import arrow_of, missing_in, numbers_in
from quire.toolkit.selection import select_steps
from quire.toolkit.sql_syntax import Origin, Syntax
from quire.verbs.spilled import SpilledRows, SpilledTable
from quire.verbs.steplike import MadeStep, NewColumn, StepLike, chosen_table, texts_of

if TYPE_CHECKING:
    from quire.verbs.chain import Chain
    from quire.verbs.step_chain import Steps

STEP: Final = "step"
"""The column with the number of the step; a column of the file with this name takes its place."""

BATCH_ROWS: Final = 1 << 19

UNSUPPORTED: Final = ("float80", "character")
"""Types that the engine does not have."""

RESULTS: Final = {
    "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint8": "uint8",
    "uint16": "uint16", "uint32": "uint32", "uint64": "uint64", "float": "float32", "double": "float64",
    "bool": "int8", "string": "string", "large_string": "string",
}  # fmt: skip
"""Types of results by the name of the Arrow type."""


class Source:
    """A file as a table of the engine: the rows of all steps, with their numbers."""

    def __init__(self, name: str, file: File, table: str) -> None:
        self.name = name
        self._file = file
        self._table = table
        first = next((step for _, step in select_steps(file)), None) or file.declared
        if first is None:
            raise DataError("the file has neither steps nor definitions of columns", file=name)
        self.columns: dict[str, Any] = dict(self.table_of(first).columns)

    def table_of(self, step: Step) -> Table:
        """Independent. Return the table of a step."""
        found: Table = chosen_table(step, self._table)
        return found

    def require_distinct(self, syntax: Syntax) -> None:
        """Independent. Raise ConflictError if the query uses columns whose names differ only by case."""
        used = syntax.columns()
        names: dict[str, str] = {}
        for name in self.columns:
            other = names.setdefault(name.lower(), name)
            if other != name and (syntax.has_star or name.lower() in used):
                raise ConflictError(
                    f"'{other}' and '{name}' are one name in SQL",
                    file=self.name,
                    advice="rename one, for example by: quire select --rename",
                )

    def schema(self, pyarrow: Any) -> Any:
        """Independent. Return the Arrow schema of all columns."""
        fields = [] if STEP in self.columns else [pyarrow.field(STEP, pyarrow.int64())]
        for name, column in self.columns.items():
            kind = column.type
            arrow = pyarrow.binary() if kind in UNSUPPORTED else pyarrow.large_utf8()
            if kind not in (*UNSUPPORTED, "string"):
                arrow = pyarrow.from_numpy_dtype(column.dtype)
            fields.append(pyarrow.field(name, arrow, metadata=metadata_of(column)))
        return pyarrow.schema(fields)

    def batches(self, names: Sequence[str], pyarrow: Any) -> Iterator[Any]:
        """Independent. Yield the record batches of all steps. Reads only these columns."""
        wanted = [name for name in names if name in self.columns]
        for name in wanted:
            if self.columns[name].type in UNSUPPORTED:
                raise UnsupportedError(
                    f"values of type {self.columns[name].type} cannot be used in SQL",
                    file=self.name,
                    object=name,
                    advice="name the other columns in the query, or convert it by: quire select --cast",
                )
        for _, step in select_steps(self._file):
            table = self.table_of(step)
            self.require_alike(step, table, wanted)
            rows = range(0, len(table), BATCH_ROWS)
            found = (
                pyarrow.RecordBatchReader.from_stream(table.batches(wanted, None, BATCH_ROWS))
                if wanted
                else (None for _ in rows)
            )
            for first, batch in zip(rows, found, strict=True):
                count = min(BATCH_ROWS, len(table) - first)
                yield pyarrow.record_batch(
                    [
                        batch.column(name)
                        if name in self.columns
                        else arrow_of(np.full(count, step.number, np.int64), pyarrow)
                        for name in names
                    ],
                    names=list(names),
                )

    def require_alike(self, step: Step, table: Table, names: Sequence[str]) -> None:
        """Independent. Raise ConflictError unless columns have the types and units of the first step."""
        for name in names:
            if name not in table:
                raise ConflictError(
                    there_is_no("column", name, list(table), f" in step {step.number}"), file=self.name
                )
            for what in ("type", "unit"):
                mine, first = getattr(table[name], what), getattr(self.columns[name], what)
                if mine != first:
                    raise ConflictError(
                        f"the {what} is '{first}' in the first step, and '{mine}' in step {step.number}",
                        file=self.name,
                        object=name,
                    )


class Scans:
    """A source as streams of Arrow, of which each scan of the engine asks for a new one.

    The engine can ask datasets of PyArrow for columns, but they import pandas.
    """

    def __init__(self, source: Source, used: set[str] | None, engine: Engine) -> None:
        self._source = source
        self._engine = engine
        whole = source.schema(engine.pyarrow)
        kept = [field for field in whole if used is None or field.name.lower() in used]
        self._schema = engine.pyarrow.schema(kept or [whole.field(0)])

    def __arrow_c_schema__(self) -> Any:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        pyarrow = self._engine.pyarrow
        batches = self._engine.guarded(self._source.batches(self._schema.names, pyarrow))
        reader = pyarrow.RecordBatchReader.from_batches(self._schema, batches)
        return reader.__arrow_c_stream__(requested_schema)


def names_of(source: Source, engine: Engine) -> set[str]:
    """Independent. Return the names of the columns of a source, in lower case."""
    return {field.name.lower() for field in source.schema(engine.pyarrow)}


@dataclass(frozen=True)
class Results:
    """The columns of a result, and the batches that hold them."""

    columns: Sequence[NewColumn]
    rows: SpilledRows


def kind_of(name: str, arrow: Any) -> str:
    """Independent. Return the type for results of an Arrow type. Raises UnsupportedError."""
    text = str(arrow)
    kind = RESULTS.get(text)
    if text.startswith("decimal"):
        kind = "int64" if arrow.scale == 0 else "float64"
    if kind is None:
        raise UnsupportedError(
            f"a result of type {text} cannot be stored",
            object=name,
            advice=f'convert it in the query: CAST("{name}" AS VARCHAR), or AS DOUBLE',
        )
    return kind


def values_of(name: str, array: Any, kind: str, pyarrow: Any) -> tuple[Array, NDArray[np.bool_] | None]:
    """Independent. Return the values of an Arrow array, and where they are missing, if any are."""
    if kind == "string":
        texts = np.empty(len(array), object)
        texts[:] = ["" if text is None else text for text in array.to_pylist()]
        return texts, missing_in(array)
    wanted = pyarrow.from_numpy_dtype(np.dtype(kind))
    try:
        # A conversion imports pyarrow.compute.
        numbers = array if array.type == wanted else array.cast(wanted)
    except pyarrow.ArrowInvalid as problem:
        raise TypeMismatchError(
            f"a result cannot be stored as {kind}: {problem}",
            object=name,
            advice=f'convert it in the query: CAST("{name}" AS DOUBLE)',
        ) from problem
    return numbers_in(numbers), missing_in(numbers)


def origin_texts(sources: Mapping[str, Source], aliases: Mapping[str, str], origin: Origin) -> Texts:
    """Independent. Return the texts of a result, of a function of a column its unit; empty if unknown."""
    named = [aliases.get(origin.table, "")] if origin.table else list(dict.fromkeys(aliases.values()))
    found = [
        texts_of(column)
        for table in named
        if table in sources
        for name, column in sources[table].columns.items()
        if name.lower() == origin.column.lower()
    ]
    if not found or any(one.unit != found[0].unit for one in found):
        return Texts("")
    return found[0] if origin.is_same else Texts(found[0].unit)


def mixed_units(sources: Mapping[str, Source], syntax: Syntax) -> list[str]:
    """Independent. Return a warning for each column that the query uses of two files in different units."""
    seen: dict[str, tuple[str, str]] = {}
    found = []
    for source, one in sources.items():
        used = syntax.used(source)
        for name, column in one.columns.items():
            if used is not None and name.lower() not in used:
                continue
            other, unit = seen.setdefault(name.lower(), (source, column.unit))
            if unit != column.unit:
                here, there = column.unit or "no unit", unit or "no unit"
                found.append(
                    f"{name} is in {here} in {source}, and in {there} in {other}: a query converts nothing"
                )
    return found


def results_of(engine: Engine, query: str, syntax: Syntax, sources: Mapping[str, Source]) -> Results:
    """Independent. Carry out a query, with the result in temporary files."""
    schema, batches = engine.stream(query)
    names = list(schema.names)
    if twice := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"two results are called '{min(twice)}'", advice="rename one in the query: AS NAME")
    kinds = {field.name: kind_of(field.name, field.type) for field in schema}
    rows = SpilledRows(kinds)
    for batch in batches:
        found = {
            name: values_of(name, batch.column(place), kinds[name], engine.pyarrow)
            for place, name in enumerate(names)
        }
        missing = {name: marks for name, (_, marks) in found.items() if marks is not None}
        rows.append({name: values for name, (values, _) in found.items()}, missing, batch.num_rows)
    aliases, origins = syntax.aliases(), syntax.origins(names)
    columns = [
        NewColumn(
            name,
            np.empty(0),
            origin_texts(sources, aliases, origins[name]) if name in origins else "",
            kinds[name],
        )
        for name in names
    ]
    return Results(columns, rows)


def source_for(name: str, table: str, stack: ExitStack, options: Mapping[str, Any]) -> tuple[File, Source]:
    """Independent. Open the file that a query names as FILE, or FILE#TABLE."""
    path, separator, chosen = name.rpartition("#")
    if not separator or os.path.exists(name):
        path, chosen = name, table
    file = stack.enter_context(quire.open(path, quire.SELF, **options))
    return file, Source(name, file, chosen)


def sql(
    query: str,
    *,
    table: str = "",
    memory: int | None = None,
    threads: int = 1,
    **options: Any,
) -> Chain:
    """Independent. Carry out a query in SQL over files: `select x, id from 'beam.h5' where step = 5`.

    A file is a table of the rows of all its steps, with their numbers in the column `step`, unless the file
    has a column of this name. Only columns that the query uses are read, in batches. Results are a table
    of one step. A result that is a column of a file has its unit, and so have `min`, `max`, `avg`, `sum` and
    similar functions of one; other results have none. Missing values are NaN, or empty texts, with a warning;
    another one is of columns that several files have in different units.

    Parameters
    ----------
    query : one SELECT in the dialect of DuckDB; 'FILE#TABLE' is one of several tables of a file
    table : name of the table to use where the query gives none
    memory : bytes above which the engine writes temporary files
    threads : of the engine. With one, results are the same on every machine: with several, the order of rows
        without ORDER BY, and the rounding of sums, depend on their number
    options : of the reader, as for `quire.open`

    Raises UsageError for a wrong query, and UnsupportedError for columns and results of types that SQL or
    files do not have (float80, character; dates, lists).

    >>> import quire
    >>> with quire.sql("select step, count(*) as n, max(x) as x from 'beam.h5' group by step") as chain:
    ...     chain.read(["step", "n"])["n"].tolist(), next(iter(chain)).table["x"].unit
    ([2000, 2000, 2000, 2000, 2000], 'm')
    """
    from quire.verbs.chain import Chain  # with all verbs, which the command does not need

    return Chain(*result_of(query, table, memory, threads, options))


@errors_in_family
def result_of(
    query: str, table: str, memory: int | None, threads: int, options: Mapping[str, Any]
) -> tuple[File, Steps]:
    """Independent. Carry out a query as `sql` does. Returns the first file, and the step of the result."""
    with ExitStack() as stack:
        engine = stack.enter_context(Engine(memory, threads))
        syntax = Syntax.parse(engine, query)
        opened = {name: source_for(name, table, stack, options) for name in syntax.tables()}
        if not opened:
            raise UsageError("the query reads no file: write SELECT ... FROM 'FILE'")
        sources = {name: source for name, (_, source) in opened.items()}
        for name, source in sources.items():
            source.require_distinct(syntax)
            used = syntax.used(name)
            if len(sources) == 1 and used and used - names_of(source, engine) - syntax.results():
                used = None  # a wrong name: the engine names the nearest of all columns
            engine.register(name, Scans(source, used, engine))
        found = results_of(engine, query, syntax, sources)
        warnings = [warning for file, _ in opened.values() for warning in file.warnings]
    warnings += mixed_units(sources, syntax)
    warnings += [
        f"{count} values of {name} are missing: {'empty texts' if kind == 'string' else 'NaN'}"
        for name, kind in found.rows.types.items()
        if (count := found.rows.missing.get(name))
    ]
    made = SpilledTable(found.columns, found.rows)
    first = quire.open(next(iter(opened.values()))[0].path, quire.SELF, **options)

    def steps() -> Iterator[StepLike]:
        yield MadeStep(0, (), [made], warnings)

    return first, steps
