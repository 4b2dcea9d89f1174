"""Divide a file into several: the engine of `quire split`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from string import Formatter
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import quire
from quire.errors import MissingError, UsageError, errors_in_family
from quire.io.communicator import core_comm
from quire.io.refusal import agreed
from quire.toolkit.agreement import gathered
from quire.toolkit.convert import carry_out, finish, opened_target, prepare, requested_format, write_alike
from quire.toolkit.copier import StepCopier, check_columns
from quire.toolkit.grouped import GroupedRows
from quire.toolkit.replacing import refuse_overwriting
from quire.toolkit.request import CopyReport, Observer, Request
from quire.toolkit.selection import (
    StepSelection,
    even_slice,
    is_number,
    require_found,
    select_steps,
)

if TYPE_CHECKING:
    from quire import File, Step, Table

MOST_VALUES = 1000
"""The largest number of files that the values of a column may make."""

MOST_TOGETHER = 100
"""The largest number of files that are written in one pass over the source."""

MOST_IN_MEMORY = 64 << 20
"""The largest number of bytes of grouped rows in memory; more are kept in a temporary file."""

Field = Literal["step", "part", "value"]


@dataclass(frozen=True)
class Division:
    """How a file is divided: by one of these, or one step a file.

    `steps` and `rows` are the numbers of steps and of rows of each table in a file. `by` is a column of
    integers or texts, or an attribute of the steps, with one file for each value.
    """

    steps: int | None = None
    rows: int | None = None
    by: str | None = None

    @property
    def field(self) -> Field:
        """The field of the pattern that differs between the files: the first step, the part, the value."""
        return "value" if self.by is not None else "part" if self.rows is not None else "step"

    def require_one(self) -> None:
        """Independent. Raise UsageError unless one way to divide is given, with positive numbers."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if len(given) > 1:
            raise UsageError(f"a file is divided in one way, not by {' and '.join(given)}")
        for name, value in given.items():
            if name != "by" and value < 1:
                raise UsageError(f"the number of {name} in a file must be at least 1, not {value}")


@dataclass(frozen=True)
class Part:
    """One of the files: the values of the fields of its name, and the request that copies it.

    `by` is the column whose value selects its rows, if any.
    """

    names: Mapping[str, Any]
    request: Request
    by: str = ""


def require_pattern(pattern: str, field: Field) -> None:
    """Independent. Raise UsageError unless a pattern of names has only known fields, and one that differs."""
    try:
        found = {name for _, name, _, _ in Formatter().parse(pattern) if name is not None}
    except ValueError as problem:
        raise UsageError(f"'{pattern}' is not a pattern of names: {problem}") from None
    known = {field, "part"}
    for name in sorted(found - known):
        raise UsageError(
            f"there is no {{{name}}} in names here; there are {{{'} and {'.join(sorted(known))}}}"
        )
    if not found:
        raise UsageError(
            f"all files would have the name '{pattern}'; write for example "
            f"'{Path(pattern).stem}_{{{field}}}{Path(pattern).suffix}'"
        )


def selection_of(numbers: Sequence[int]) -> StepSelection:
    """Independent. Return the selection of the steps of these numbers."""
    return StepSelection(tuple((number, number) for number in numbers))


def parts_of_steps(file: File, request: Request, steps: int) -> Iterator[Part]:
    """Collective. Yield the parts that hold so many selected steps each."""
    numbers = list(dict.fromkeys(step.number for _, step in select_steps(file, request.steps)))
    for first in range(0, len(numbers), steps):
        chosen = selection_of(numbers[first : first + steps])
        yield Part({"step": numbers[first]}, replace(request, steps=chosen))


def parts_of_rows(file: File, request: Request, rows: int) -> Iterator[Part]:
    """Collective. Yield the parts that hold so many rows of every table each."""
    longest = 0
    for _, step in select_steps(file, request.steps):
        longest = max([longest, *(len(table) for table in step.tables.values())])
    if longest == 0:
        raise MissingError("no table has rows", file=file.path)
    for first in range(0, longest, rows):
        yield Part({}, replace(request, rows=slice(first, min(first + rows, longest))))


def parts_of_values(file: File, request: Request, by: str, comm: Any) -> Iterator[Part]:
    """Collective. Yield a part for each value of a column, or of an attribute of the steps."""
    columns: dict[Any, None] = {}
    with_column: list[int] = []
    attributes: dict[Any, list[int]] = {}
    for _, step in select_steps(file, request.steps):
        table = table_with(step, by, request.table)
        if table is not None:
            columns.update(dict.fromkeys(values_of(table, by, comm)))
            with_column.append(step.number)
        elif is_number(step, by) or isinstance(step.attrs.get(by), str):
            attributes.setdefault(step.attrs[by], []).append(step.number)
    if len(columns) > MOST_VALUES:
        raise UsageError(
            f"there are more than {MOST_VALUES} values, and each would be a file",
            file=file.path,
            object=by,
            advice="write a file for ranges of values by quire filter",
        )
    if columns:
        for value in sorted(columns):
            chosen = selection_of(with_column)
            yield Part({"value": value}, replace(request, steps=chosen, drop_empty=True), by)
        return
    if not attributes:
        raise MissingError(f"no step has a column or an attribute '{by}'", file=file.path)
    for value, numbers in attributes.items():
        yield Part({"value": value}, replace(request, steps=selection_of(numbers)))


def table_with(step: Step, column: str, table: str) -> Table | None:
    """Independent. Return the table of this name, or the only one, if it has such a column."""
    one = step.tables.get(table) if table else next(iter(step.tables.values()), None)
    return one if one is not None and column in one else None


def values_of(table: Table, column: str, comm: Any) -> list[Any]:
    """Collective. Return the values of a column of integers or texts, each once. Raises UsageError."""
    if table[column].type != "string" and table[column].dtype.kind not in "iuS":
        raise UsageError(
            "files are made for the values of integers and texts, not of floating-point numbers",
            object=column,
            advice="define a column of classes first, such as 'class=int(floor(x / 1e-3))'",
        )

    def here() -> set[Any]:
        first, count = even_slice(len(table), *((0, 1) if comm is None else (comm.rank, comm.size)))
        found: set[Any] = set()
        for _, block in table.blocks([column], rows=slice(first, first + count)):
            found.update(np.unique(block[column]).tolist())
            if len(found) > MOST_VALUES:
                break
        return found

    return sorted(set().union(*gathered(comm, here)))


def targets_of(source: str | Path, pattern: str, parts: Sequence[Part], overwrite: bool) -> list[str]:
    """Independent. Return the names of the files. Raises UsageError if two are equal, and errors of existing
    files.
    """
    targets: dict[str, None] = {}
    for place, part in enumerate(parts):
        try:
            target = pattern.format(**{"part": place, **part.names})
        except (ValueError, TypeError) as problem:
            raise UsageError(f"'{pattern}' cannot be filled in: {problem}") from None
        value = str(part.names.get("value", ""))
        if "value" in part.names and ("/" in value or not value.strip()):
            raise UsageError(
                f"the value '{value}' cannot be a part of a name", advice="use {part} in the name"
            )
        if target in targets:
            raise UsageError(f"two files would have the name '{target}'", advice="use {part} in the name")
        targets[target] = None
    for target in targets:
        refuse_overwriting(source, target, overwrite)
    return list(targets)


@errors_in_family
def split(
    source: str | Path,
    pattern: str,
    division: Division | None = None,
    *,
    comm: Any = None,
    observer: Observer | None = None,
    **request: Any,
) -> dict[str, CopyReport]:
    """Collective. Divide a file into several, and return the report of each by its name.

    Names are those of `pattern`, in which `{step}` is the number of the first step, `{part}` counts the files
    from 0, and `{value}` is the value; formats such as `{step:06d}` are allowed. All names are checked before
    the first file is written. Attributes of the file, and with rows or values of a column the fields of a
    step, are in every file. Steps without rows of a value are left out. One pass over the source groups the
    rows of up to 100 values, in a temporary file if they exceed 64 MiB on a rank. Each file is copied as by
    `quire.copy`, whose keywords (`format`, `steps`, `table`, `options`, ...) are passed in `request`.

    Raises UsageError for patterns and values that make no names, ConflictError for existing files (unless
    `overwrite`), MissingError if there is nothing to divide.
    """
    given = division or Division()
    wanted = Request(**request)

    def asked() -> None:
        given.require_one()
        require_pattern(pattern, given.field)
        requested_format(pattern, wanted)

    agreed(core_comm(comm), "a division of", asked, (str(source), pattern, given))
    with quire.open(source, comm=comm, **wanted.source_options) as file:
        if given.by is not None:
            parts = list(parts_of_values(file, wanted, given.by, comm))
        elif given.rows is not None:
            parts = list(parts_of_rows(file, wanted, given.rows))
        else:
            parts = list(parts_of_steps(file, wanted, given.steps or 1))
        require_found(len(parts), wanted.steps, file.path)
        if not parts:
            raise MissingError("the file has no steps to divide", file=file.path)
    targets = agreed(
        core_comm(comm),
        "names for",
        lambda: targets_of(source, pattern, parts, wanted.overwrite),
        str(source),
    )
    reports: dict[str, CopyReport] = {}
    divided = dict(zip(targets, parts, strict=True))
    if parts[0].by:
        for first in range(0, len(targets), MOST_TOGETHER):
            some = {target: divided[target] for target in targets[first : first + MOST_TOGETHER]}
            reports |= write_values(source, some, comm, observer or Observer())
        return reports
    try:
        for target, part in divided.items():
            reports[target] = carry_out(source, target, part.request, comm, observer or Observer())
    except KeyboardInterrupt as interruption:
        interruption.add_note(f"{len(reports)} of {len(targets)} files are complete")
        raise
    return reports


def write_values(
    source: str | Path, parts: Mapping[str, Part], comm: Any, observer: Observer
) -> dict[str, CopyReport]:
    """Collective. Write files for values of a column in one pass over the rows of the source."""
    copiers = {
        target: StepCopier(part.request, requested_format(target, part.request), comm, observer)
        for target, part in parts.items()
    }
    first = next(iter(copiers.values()))
    if first.request.where is not None:
        raise UsageError("rows are divided by their values: filter the file before, instead of giving where")
    by = next(iter(parts.values())).by

    def write() -> None:
        with ExitStack() as opened:
            files = [
                opened.enter_context(opened_target(file, target, one)) for target, one in copiers.items()
            ]
            for step in first.steps(file):
                check_columns(first.request, step)
                with SpooledTemporaryFile(max_size=MOST_IN_MEMORY) as content:
                    rows = GroupedRows(by, content)
                    for out, one, part in zip(files, copiers.values(), parts.values(), strict=True):
                        one.selection = partial(rows.of, part.names["value"])
                        one.copy(file, step, out)

    with quire.open(source, comm=comm, **first.request.source_options) as file:
        for target, one in copiers.items():
            prepare(file, target, one)
        write_alike(file, list(copiers.values()), write)
        for target, one in copiers.items():
            finish(file, target, one)
    return {target: one.report for target, one in copiers.items()}
