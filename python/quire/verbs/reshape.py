"""Turn columns into rows and rows into columns: melt, pivot, transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from quire.errors import ConflictError, DataError, MissingError, UsageError
from quire.io.types import Array, type_of
from quire.near import there_is_no
from quire.toolkit.selection import select_names
from quire.verbs.order import require_columns
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import (
    MadeTable,
    MissingValues,
    NewColumn,
    StepLike,
    alike,
    as_floats,
    in_memory,
    made_from,
    read_columns,
)

S = TypeVar("S", bound=StepChain)

TEXTS = ("string", "character")
MOST_COLUMNS = 100_000


def common(names: Sequence[str], table: Any, what: str) -> str:
    """Independent. Return the text (`unit`, `type`) that all columns have; an empty one if they differ."""
    found = {getattr(table[name], what) for name in names}
    return found.pop() if len(found) == 1 else ""


def common_type(table: Any, names: Sequence[str]) -> str:
    """Independent. Return the smallest type that holds all numbers of some columns."""
    return type_of(np.result_type(*(table[name].dtype for name in names)))


def melt(chain: S, *columns: Names, name: str = "name", value: str = "value", any_unit: bool = False) -> S:
    """Independent. Make a row of each of these columns: its name and its value. Other columns are repeated.

    `name` and `value` are those of the new columns. All must have the same unit, unless `any_unit`; numbers
    of several types are widened.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     chain.select(["id", "x", "y"]).melt(["x", "y"]).read(["id", "name"])["name"][:3].tolist()
    ['x', 'y', 'x']
    """

    names_given = listed(*columns)
    if not names_given:
        raise UsageError("melt needs a column")

    def melted(step: StepLike, table: Any) -> StepLike:
        wanted = select_names(names_given, list(table), "column")
        is_text = {table[one].type in TEXTS for one in wanted}
        if len(is_text) > 1:
            texts = ", ".join(one for one in wanted if table[one].type in TEXTS)
            numbers = ", ".join(one for one in wanted if table[one].type not in TEXTS)
            raise ConflictError(
                f"texts and numbers cannot be one column: texts are {texts}, numbers {numbers}",
                advice="melt columns of one kind",
            )
        unit = common(wanted, table, "unit")
        if not unit and any(table[one].unit for one in wanted) and not any_unit:
            units = ", ".join(f"{one} [{table[one].unit}]" for one in wanted)
            raise ConflictError(
                f"the columns have different units: {units}",
                advice="convert them by select --unit, or allow them by --any-unit",
            )
        kept = [one for one in table if one not in wanted]
        for new in (name, value):
            if new in kept:
                raise ConflictError("there is such a column", object=new, advice="choose another name")
        rows = len(table)
        made = [
            NewColumn.like(
                table[one],
                lambda one=one: np.repeat(read_columns(table, [one])[one], len(wanted)),  # type: ignore[misc]
            )
            for one in kept
        ]
        made.append(NewColumn(name, np.array(wanted * rows, object), type="string"))
        kind = common(wanted, table, "type") or ("string" if is_text.pop() else common_type(table, wanted))

        def stacked() -> Array:
            found = in_memory(table, wanted)
            arrays = [found[one] for one in wanted]
            return np.stack(arrays if kind == "string" else alike(arrays, value), axis=1).reshape(-1)

        made.append(NewColumn(value, stacked, unit, kind))
        return made_from(step, [MadeTable(made, rows * len(wanted), table.name)])

    return chain.each(melted)


def pivot(chain: S, columns: str, values: str, *, rows_by: Names = ()) -> S:
    """Independent. Make a column of each value of the column `columns`, with the values of `values`.

    `rows_by` are the columns that make a row of the result; without any, rows of each new column are counted.
    A place without a value is NaN, or an empty text; a second value for a place is an error.
    """
    rows = listed(rows_by)

    def changed(step: StepLike, table: Any) -> StepLike:
        require_columns(table, [columns, values, *rows])
        found = in_memory(table, [columns, values, *rows])
        labels = [str(label) for label in found[columns].tolist()]
        new_names = list(dict.fromkeys(labels))
        if len(new_names) > MOST_COLUMNS:
            raise DataError(
                f"'{columns}' has {len(new_names)} values; a table has at most {MOST_COLUMNS} columns"
            )
        if clash := set(new_names) & set(rows):
            raise ConflictError("a value has the name of a column that is kept", object=clash.pop())
        keys: list[Any] = []
        seen: dict[str, int] = {}
        for place, label in enumerate(labels):
            if rows:
                keys.append(tuple(found[name][place] for name in rows))
            else:
                keys.append(seen.setdefault(label, 0))
                seen[label] += 1
        lines = {key: line for line, key in enumerate(dict.fromkeys(keys))}
        first_of = {key: place for place, key in reversed(list(enumerate(keys)))}
        kept = np.array([first_of[key] for key in lines], np.int64)
        made = [NewColumn.like(table[name], found[name][kept]) for name in rows]
        made += new_columns(table[values], found[values], labels, [lines[key] for key in keys], len(lines))
        pivoted = made_from(step, [MadeTable(made, len(lines), table.name)])
        places = len(new_names) * len(lines)
        if places > len(labels):
            what = "empty" if found[values].dtype == object else "NaN"
            pivoted.warnings.append(
                MissingValues(
                    f"step {step.number}: {places - len(labels)} of {places} places "
                    f"have no value, and are {what}"
                )
            )
        return pivoted

    return chain.each(changed)


def new_columns(
    like: Any, values: Array, labels: Sequence[str], lines: Sequence[int], count: int
) -> list[NewColumn]:
    """Independent. Return the columns of `pivot`."""
    is_text = values.dtype == object
    places: dict[str, tuple[list[int], list[int]]] = {}
    for place, label in enumerate(labels):
        where = places.setdefault(label, ([], []))
        where[0].append(lines[place])
        where[1].append(place)
    made = []
    for label, (mine, sources) in places.items():
        if len(set(mine)) < len(mine):
            raise ConflictError(
                f"there are several values for one row of '{label}'", advice="reduce by group"
            )
        is_whole = len(mine) == count
        held = values if is_text or is_whole or values.dtype.kind == "f" else as_floats(values, label)
        column: Array = np.empty(count, held.dtype)
        if not is_whole:
            column[:] = "" if is_text else np.nan
        column[mine] = held[sources]
        if is_whole or is_text:
            made.append(NewColumn.like(like, column, label))
        else:
            made.append(NewColumn(label, column, like.unit))
    return made


def transpose(chain: S, *, names: str = "", old_names: str = "name", root: str = "row", digits: int = 0) -> S:
    """Independent. Make a row of each column of numbers, and a column of each row.

    The new columns have the names in the column `names` (without it: the first column of texts, or `root` and
    a number of at least so many digits, of a single row `root` alone); the old names are in the column
    `old_names`. Types become float64, or float80 if a column has that, and a unit is kept if all columns have
    it.
    """

    def transposed(step: StepLike, table: Any) -> StepLike:
        numbers = [name for name in table if table[name].type not in TEXTS]
        texts = [name for name in table if name not in numbers]
        source = names or next(iter(texts), "")
        if source and source not in table.columns:
            raise MissingError(there_is_no("column", source, list(table)))
        wanted = [name for name in numbers if name != source]
        found = in_memory(table, wanted)
        if source:
            labels = [str(label) for label in in_memory(table, [source])[source].tolist()]
        else:
            places = range(len(table))
            labels = [root] if len(places) == 1 else [f"{root}{place:0{digits}d}" for place in places]
        if len(set(labels)) < len(labels):
            raise ConflictError(f"'{source}' has equal names", advice="choose another column by --names")
        if old_names in labels:
            raise ConflictError(
                "a row has the name of the column of old names",
                object=old_names,
                advice="give that column another one by --old-names",
            )
        unit = common(wanted, table, "unit")
        kind = np.result_type(np.float64, *(found[name].dtype for name in wanted))
        matrix = np.array([as_floats(found[name], name, kind) for name in wanted], kind)
        matrix = matrix.reshape(len(wanted), len(table))
        made = [NewColumn(old_names, np.array(wanted, object), type="string")]
        made += [NewColumn(label, matrix[:, place], unit) for place, label in enumerate(labels)]
        return made_from(step, [MadeTable(made, len(wanted), table.name)])

    return chain.each(transposed)
