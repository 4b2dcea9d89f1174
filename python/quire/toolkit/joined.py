"""Several open files as one, with their steps one after another or with their rows joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quire import _core
from quire.errors import ConflictError, MissingError, UnsupportedError
from quire.io.types import Array
from quire.toolkit.copied_table import CopiedTable, rows_of
from quire.toolkit.selection import StepSelection, matches, select_steps
from quire.toolkit.share import tables_of_limits

if TYPE_CHECKING:
    from quire import Column, File, Step, Table
    from quire.errors import Error

MOST_LISTED = 20
"""Differences of columns in an error."""

KEPT = "the inputs differ, the value of the first is kept"


def require_alike(
    names: Sequence[str], tables: Sequence[Table | None], wanted: Sequence[str] | None = None
) -> None:
    """Independent. Raise ConflictError, with all differences, unless tables of several files have the same
    columns, types and units.

    `names` are those of the files, `wanted` the columns that are copied, by default all. Without a table a
    file is not compared.
    """
    columns = [
        {column: table[column] for column in table if wanted is None or matches(column, wanted)}
        for table in tables
        if table is not None
    ]
    files = [name for name, table in zip(names, tables, strict=True) if table is not None]
    found: list[str] = []
    parted: dict[str, list[str]] = {}
    for column in dict.fromkeys(name for one in columns for name in one):
        having = [name for name, one in zip(files, columns, strict=True) if column in one]
        if len(having) < len(files):
            absent = [name for name in files if name not in having]
            where = f"in {', '.join(having)} and not in {', '.join(absent)}"
            parted.setdefault(where, []).append(column)
        for what in ("unit", "type"):
            values: dict[str, list[str]] = {}
            for name, one in zip(files, columns, strict=True):
                if column in one:
                    values.setdefault(getattr(one[column], what), []).append(name)
            if len(values) > 1:
                said = " and ".join(f"'{value}' in {', '.join(where)}" for value, where in values.items())
                found.append(f"the {what} of column '{column}' is {said}")
    found += [f"{listed_columns(names)} {where}" for where, names in parted.items()]
    if found:
        raise ConflictError(shortened("; ".join(found[:MOST_LISTED]), found), advice=advice_for(columns))


def listed_columns(names: Sequence[str]) -> str:
    """Independent. Return the beginning of a sentence about columns."""
    return f"column '{names[0]}' is" if len(names) == 1 else f"columns {', '.join(names)} are"


def shortened(text: str, found: Sequence[str]) -> str:
    """Independent. Return the listed differences with the number of the others."""
    more = len(found) - MOST_LISTED
    return f"{text}; and {more} more" if more > 0 else text


def advice_for(columns: Sequence[Mapping[str, Column]]) -> str:
    """Independent. Return how tables with these columns can be joined all the same."""
    first, *others = columns
    common = [name for name in first if all(name in one for one in others)]
    alike = [
        name
        for name in common
        if all((one[name].unit, one[name].type) == (first[name].unit, first[name].type) for one in others)
    ]
    ways = ["make units and types equal by quire define --replace"] if alike != common else []
    if alike and any(len(one) > len(alike) for one in columns):
        ways.append(f"{'or ' if ways else ''}join the equal columns alone by --columns {','.join(alike)}")
    return ", ".join(ways)


def tables_like(first: Step, step: Step) -> dict[str, Table]:
    """Independent. Return the tables of a step by name; an only one has the name of that in the first."""
    if len(first.tables) == len(step.tables) == 1:
        return {first.table.name: step.table}
    return dict(step.tables)


class JoinedTable(CopiedTable):
    """The rows of tables with the same columns, one after another."""

    def __init__(self, tables: Sequence[Table], name: str) -> None:
        self._tables = tables
        self._ends = list(accumulate(len(table) for table in tables))
        self.name = name
        self.columns: Mapping[str, Column] = tables[0].columns

    def __len__(self) -> int:
        return self._ends[-1]

    def scope(self) -> tuple[Sequence[_core.Quantity], Sequence[_core.Attribute], dict[str, int]]:
        """Independent. Return the names of expressions; attributes are those of the first file."""
        columns, attributes, counters = self._tables[0].scope()
        return columns, attributes, counters | {"rows": len(self)}

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._tables[0].rows_per_block(names)

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`, over the rows of all tables. No block has rows of two tables."""
        wanted = list(names)
        first, count = rows_of(rows, len(self))
        for table, end in zip(self._tables, self._ends, strict=True):
            begin = end - len(table)
            here = slice(max(first - begin, 0), min(first + count - begin, len(table)))
            if here.start < here.stop:
                for start, block in table.blocks(wanted, rows_per_block, here, progress):
                    yield begin + start, dict(block)


class JoinedStep:
    """Steps of the same number in several files as one, with the rows of all. It has the interface of a step
    for copies. Attributes and fields are those of the first; an only table has the name of that in `model`,
    the first step of all numbers.
    """

    def __init__(
        self,
        names: Sequence[str],
        steps: Sequence[Step],
        model: Step,
        columns: Sequence[str] | None = None,
    ) -> None:
        first = steps[0]
        tables = [tables_like(model, step) for step in steps]
        for name, step, mine in zip(names, steps, tables, strict=True):
            if step.streams or step.expansions:
                raise UnsupportedError("only the rows of tables can be joined", file=name)
            for odd in tables[0].keys() ^ mine.keys():
                raise ConflictError(f"only one of {names[0]} and {name} has this table", object=odd)
        self.number = first.number
        self.attrs = first.attrs
        self.fields = first.fields
        self.streams = first.streams
        self.expansions = first.expansions
        # The limits of blocks of rows hold for one file.
        limits = tables_of_limits(tables[0])
        self.tables: Mapping[str, Any] = {
            name: self._joined(names, [mine[name] for mine in tables], name, columns)
            for name in tables[0]
            if name not in limits
        }
        self.warnings = [sentence for step in steps for sentence in step.warnings] + differences(steps)
        why = "left out: it describes the rows of one input"
        self.warnings += [f"table {name} is {why}" for name in tables[0] if name in limits]
        named = first._description.with_table_names(list(tables[0]))
        self._description = named.with_tables(list(self.tables), True)

    @staticmethod
    def _joined(
        names: Sequence[str], tables: Sequence[Table], name: str, columns: Sequence[str] | None
    ) -> JoinedTable:
        require_alike(names, tables, columns)
        return JoinedTable(tables, name)

    @property
    def table(self) -> Any:
        """Independent. Return the only or first table. Raises a missing error if there is none."""
        for table in self.tables.values():
            return table
        raise MissingError(f"step {self.number} has no table")


def differences(steps: Sequence[Step]) -> list[str]:
    """Independent. Return messages about attributes and fields of which only those of the first are kept."""
    sentences: dict[str, None] = {}
    for step in steps[1:]:
        for name, item in steps[0].attrs.info.items():
            other = step.attrs.info.get(name)
            if other is None or not np.array_equal(item.value, other.value):
                sentences[f"attribute {name}: {KEPT}"] = None
        for name in step.fields:
            sentences[f"field {name}: that of the first input is kept"] = None
    return list(sentences)


def together(problems: Sequence[Error]) -> Error:
    """Independent. Return one error for those of several files."""
    first, *others = problems
    return type(first)("; ".join(map(str, problems))) if others else first


class JoinedFile:
    """Open files as one: their steps one after another, or with `rows` their rows under the same number.

    It has the interface of a file for copies; what it does not define is that of the first file. Of the
    tables only `columns` are copied, by default all.
    """

    def __init__(
        self,
        files: Sequence[File],
        steps: StepSelection,
        rows: bool,
        columns: Sequence[str] | None = None,
    ) -> None:
        self._files = files
        self._columns = columns
        self._names = [file.path for file in files]
        self._steps = steps
        self._rows = rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files[0], name)

    @property
    def warnings(self) -> list[str]:
        """Warnings from reading the headers, and attributes of the files of which the first is kept."""
        warnings = [f"{file.path}: {sentence}" for file in self._files for sentence in file.warnings]
        return warnings + self._differing

    @cached_property
    def _differing(self) -> list[str]:
        first, sentences = self._files[0].attrs, dict[str, None]()
        for file in self._files[1:]:
            for name in first.keys() | file.attrs.keys():
                both = name in first and name in file.attrs
                if not both or not np.array_equal(first[name], file.attrs[name]):
                    sentences[f"attribute {name} of the file: {KEPT}"] = None
        names = [name for file in self._files for name in file.attachments]
        for name in names:
            if names.count(name) > 1:
                sentences[f"attachment {name}: that of the first input that has it is kept"] = None
        return sorted(sentences)

    @property
    def attachments(self) -> dict[str, int]:
        """Independent. Return names and sizes of the attachments of all files."""
        return {name: size for file in reversed(self._files) for name, size in file.attachments.items()}

    def attachment(self, name: str) -> bytes:
        """Independent. Return an attachment, of the first file that has it."""
        return next(file for file in self._files if name in file.attachments).attachment(name)

    @property
    def unreadable(self) -> Mapping[int, Error]:
        """Independent. Return the damaged steps of all files that were left out, by number.

        If several files have damaged steps of a number, the error names all of them.
        """
        found: dict[int, list[Error]] = {}
        for file in self._files:
            for number, problem in file.unreadable.items():
                found.setdefault(number, []).append(problem)
        return {number: together(problems) for number, problems in found.items()}

    @property
    def counts_steps(self) -> bool:
        """Whether the files count their steps, instead of storing numbers."""
        return all(file.layout.get("step_parameter") == "0" for file in self._files)

    def require_alike(self) -> None:
        """Collective. Raise ConflictError, with all differences, unless the tables of the first steps of all
        files can be joined or follow one another.
        """
        begun = [(file.path, next(select_steps(file, self._steps), None)) for file in self._files]
        steps = [(name, head[1]) for name, head in begun if head is not None]
        if not steps:
            return
        model = steps[0][1]
        tables = [tables_like(model, step) for _, step in steps]
        for name in model.tables:
            require_alike([path for path, _ in steps], [one.get(name) for one in tables], self._columns)

    def each_number(self) -> Iterator[int]:
        """Collective. Yield the numbers of all steps."""
        for _, step in self.readable():
            yield step.number

    def readable(self, asked: Any = None) -> Iterator[tuple[int, Step]]:
        """Collective. Iterate over indices and steps that can be read."""
        found = self._joined() if self._rows else self._one_after_another()
        yield from enumerate(found)

    def _one_after_another(self) -> Iterator[Step]:
        first: Step | None = None
        for file in self._files:
            for _, step in select_steps(file, self._steps):
                first = first or step
                is_alike = tables_like(first, step).keys() == step.tables.keys()
                yield step if is_alike else cast("Step", JoinedStep([file.path], [step], first))

    def _joined(self) -> Iterator[Step]:
        """Collective. Yield the steps of each number, ascending, with the rows of all files that have it."""
        waiting = [select_steps(file, self._steps) for file in self._files]
        heads = [next(steps, None) for steps in waiting]
        model = next((head[1] for head in heads if head is not None), None)
        while any(head is not None for head in heads):
            number = min(head[1].number for head in heads if head is not None)
            here = [
                place for place, head in enumerate(heads) if head is not None and head[1].number == number
            ]
            steps = [cast("tuple[int, Step]", heads[place])[1] for place in here]
            names = [self._names[place] for place in here]
            yield cast("Step", JoinedStep(names, steps, cast("Step", model), self._columns))
            for place in here:
                heads[place] = next(waiting[place], None)
