"""Turn attributes into columns and back, and divide or join steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np

from quire.errors import ConflictError, UsageError
from quire.io.attributes import Attribute
from quire.io.types import Array, dtype_of
from quire.verbs.order import numbered
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
    GroupOf,
    MadeStep,
    MadeTable,
    MissingValues,
    NewColumn,
    StepLike,
    alike,
    as_floats,
    in_memory,
    new_attribute,
    read_columns,
    texts_of,
    warnings_of,
)

S = TypeVar("S", bound=StepChain)

TEXTS = ("string", "character")


def column_of(name: str, given: Sequence[Attribute | None]) -> NewColumn:
    """Independent. Return a column of the values of an attribute in several steps; None is one that lacks it.

    Numbers of several types are widened, missing ones are NaN, missing texts empty. Raises ConflictError for
    different units, and for texts beside numbers.
    """
    known = [one for one in given if one is not None]
    like = known[0]
    if len({one.unit for one in known}) > 1:
        raise ConflictError(
            f"the steps have this attribute in the units {', '.join(sorted({one.unit for one in known}))}",
            object=name,
        )
    is_text = {one.type in TEXTS for one in known}
    if len(is_text) > 1:
        raise ConflictError("this attribute is text in some steps and a number in others", object=name)
    if is_text.pop():
        words: Array = np.empty(len(given), object)
        words[:] = ["" if one is None else str(one.value) for one in given]
        return NewColumn(name, words, texts_of(like), "string")
    numbers = alike([np.array([one.value], dtype_of(one.type)) for one in known], name)
    values = np.concatenate(numbers)
    if len(known) < len(given):
        made: Array = np.full(len(given), np.nan, np.result_type(values.dtype, np.float64))
        made[[one is not None for one in given]] = as_floats(values, name, made.dtype)
        values = made
    return NewColumn(name, values, texts_of(like))


def lacking(name: str, given: Sequence[Attribute | None]) -> list[MissingValues]:
    """Independent. Return a warning if some steps lack an attribute."""
    count = sum(one is None for one in given)
    return [MissingValues(f"{count} of {len(given)} steps have no '{name}'")] if count else []


def single_values(step: StepLike) -> dict[str, Attribute]:
    """Independent. Return the attributes with one value."""
    return {name: one for name, one in step.attrs.info.items() if np.ndim(one.value) == 0}


def collapsed(steps: Sequence[StepLike], number: int) -> MadeStep:
    """Independent. Return one step with a row for each of these, and a column for each attribute.

    What a step does not have is NaN, or an empty text.
    """
    infos = [single_values(step) for step in steps]
    names = dict.fromkeys(name for one in infos for name in one)
    columns = [column_of(name, [one.get(name) for one in infos]) for name in names]
    warnings = list(dict.fromkeys(sentence for step in steps for sentence in step.warnings))
    warnings += [sentence for name in names for sentence in lacking(name, [one.get(name) for one in infos])]
    if "step" not in names and not any(getattr(step, "group_of", None) is not None for step in steps):
        columns.insert(0, NewColumn("step", np.array([step.number for step in steps], np.int64)))
    return MadeStep(number, [], [MadeTable(columns, len(steps))], warnings)


def collapse(chain: S) -> S:
    """Independent. Make a row of each step: attributes become columns, the rows of the steps are left out.

    The groups of one step become one step with its number, other steps together one.

    >>> import quire
    >>> with quire.chain("beam.h5") as chain:
    ...     chain.collapse().read(["step", "s"])["s"].tolist()
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """

    def joined(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        for number, some in by_origin(steps):
            yield collapsed(some, number)

    return chain.through(joined)


def by_origin(steps: Iterator[StepLike]) -> Iterator[tuple[int, list[StepLike]]]:
    """Independent. Yield the groups of each step together, with its number; steps that are no groups all
    together, with the next number.
    """
    last: int | None = None
    for origin, some in groupby(steps, lambda step: getattr(step, "group_of", None)):
        number = 0 if origin is None else origin.number
        last = number if last is None else max(last + 1, number)
        yield last, list(some)


def expand(chain: S) -> S:
    """Independent. Make a step of each row: columns become attributes, and replace those of the same name."""

    def rows_of(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        number = 0
        for step in steps:
            table = chain.table_of(step)
            columns = in_memory(table)
            for row in range(len(table)):
                found = dict(step.attrs.info)
                for name, values in columns.items():
                    found[name] = new_attribute(name, values[row], table[name])
                yield MadeStep(number, found.values(), [], step.warnings)
                number += 1

    return chain.through(rows_of)


def merge(chain: S, *, by: str = "") -> S:
    """Independent. Join the rows of all steps to one step; with `by` those of runs with an equal attribute.

    Attributes whose values differ become columns; others stay. Columns that not all steps have are an error,
    as are different units.
    """

    def joined(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        waiting: list[StepLike] = []
        number = 0
        last = None
        for step in steps:
            before, last = last, step.attrs[by] if by else None
            if waiting and last != before:
                yield merged(chain, waiting, number)
                waiting, number = [], number + 1
            waiting.append(step)
        if waiting:
            yield merged(chain, waiting, number)

    return chain.through(joined)


def merged(chain: StepChain, steps: Sequence[StepLike], number: int) -> MadeStep:
    """Independent. Return the rows of several steps as one step."""
    tables = [chain.table_of(step) for step in steps]
    first = tables[0]
    for step, table in zip(steps, tables, strict=True):
        odd = first.columns.keys() ^ table.columns.keys()
        if odd:
            raise ConflictError(
                f"step {step.number} and step {steps[0].number} differ in columns: {', '.join(sorted(odd))}",
                advice="keep the same ones by select",
            )
        for name in first:
            for what, way in (("unit", "select --unit"), ("type", "select --cast")):
                before, now = getattr(first[name], what), getattr(table[name], what)
                if now != before:
                    raise ConflictError(
                        f"the {what} is '{before}' in step {steps[0].number} "
                        f"and '{now}' in step {step.number}",
                        object=name,
                        advice=f"convert it by {way}",
                    )
    lengths = [len(table) for table in tables]
    columns = [
        NewColumn.like(
            first[name],
            lambda name=name: np.concatenate(  # type: ignore[misc]
                [read_columns(table, [name])[name] for table in tables]
            ),
        )
        for name in first
    ]
    kept: list[Attribute] = []
    lost: list[str] = []
    warnings = [sentence for step in steps for sentence in warnings_of(step, first)]
    infos = [dict(step.attrs.info) for step in steps]
    for name in dict.fromkeys(name for one in infos for name in one):
        given = [one.get(name) for one in infos]
        if (same := common_attribute(given)) is not None:
            kept.append(same)
        elif name in first.columns or any(one is not None and np.ndim(one.value) for one in given):
            lost.append(name)
        else:
            each = column_of(name, given)
            warnings += lacking(name, given)
            columns.append(NewColumn.like(each, np.repeat(each.read(), lengths)))
    if lost:
        warnings.append(
            f"attributes that differ are left out, as they have several values or the name of a column: "
            f"{', '.join(lost)}"
        )
    made = MadeTable(columns, sum(lengths), first.name)
    return MadeStep(number, kept, [made], list(dict.fromkeys(warnings)))


def common_attribute(given: Sequence[Attribute | None]) -> Attribute | None:
    """Independent. Return the attribute if it is the same in all steps, else None."""
    first = given[0]
    if first is None:
        return None
    for one in given:
        if one is None or one.unit != first.unit or not np.array_equal(one.value, first.value):
            return None
    return first


def swap(chain: S) -> S:
    """Independent. Make a step of each row: the rows of this number of all steps.

    The attribute `row_number` is added, and attributes whose values differ become columns. Turns of particles
    become the particles with their turns. All rows are in memory together. Raises ConflictError if steps
    differ in their numbers of rows.

    >>> import quire
    >>> turns = quire.new("x=1,2,3", repeat=2).swap()
    >>> [step.table.read(["x"])["x"].tolist() for step in turns]
    [[1, 1], [2, 2], [3, 3]]
    """

    def turned(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        found = list(steps)
        counts = sorted({len(chain.table_of(step)) for step in found})
        if len(counts) > 1:
            raise ConflictError(f"the steps differ in their numbers of rows: {', '.join(map(str, counts))}")
        if not found:
            return
        together = merged(chain, found, 0)
        columns = in_memory(together.table)
        for row in range(counts[0]):
            attributes = dict(together.attrs.info) | {"row_number": new_attribute("row_number", row)}
            table = MadeTable(
                [
                    NewColumn.like(together.table[name], values[row :: counts[0]])
                    for name, values in columns.items()
                ],
                len(found),
                together.table.name,
            )
            warnings = together.warnings if row == 0 else ()
            yield MadeStep(row, attributes.values(), [table], warnings, GroupOf(0, ("row_number",)))

    return chain.through(turned)


def renumber(chain: S) -> S:
    """Independent. Number the steps from 0."""

    def counted(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        for number, step in enumerate(steps):
            yield numbered(step, chain.table_of(step), number)

    return chain.through(counted)


def append(chain: S, *others: StepChain) -> S:
    """Independent. Append the steps of other files, numbered from 0. Each file works on its own table."""

    def joined(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        number = 0
        sources: list[tuple[StepChain, Iterator[StepLike]]] = [(chain, steps)]
        sources += [(other, iter(other)) for other in others]
        for source, some in sources:
            for step in some:
                yield numbered(step, source.table_of(step), number)
                number += 1

    return chain.through(joined)


def split(chain: S, size: int) -> S:
    """Independent. Divide each step into steps of `size` rows."""
    if size < 1:
        raise UsageError(f"a step cannot have {size} rows")
    from quire.verbs.group import group

    return group(chain, f"every({size})")
