"""Choose, drop, rename, order, cast columns, and change their units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from quire.errors import ConflictError, MissingError, TypeMismatchError, UsageError
from quire.io.texts import Texts
from quire.io.types import Array, dtype_of
from quire.near import there_is_no
from quire.toolkit.selection import is_pattern, matches, select_names
from quire.toolkit.wanted_units import scale_to
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import MadeTable, NewColumn, StepLike, TableLike, made_from, read_columns, texts_of

S = TypeVar("S", bound=StepChain)


@dataclass(frozen=True)
class Selection:
    """What `select` changes; see there."""

    keep: Sequence[str] | None = None
    drop: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    cast: Mapping[str, str] = field(default_factory=dict)
    unit: Mapping[str, str] = field(default_factory=dict)

    def of(self, step: StepLike, table: TableLike) -> StepLike:
        """Independent. Return the step with the chosen columns."""
        present = list(table)
        kept = select_names(self.keep, present, "column")
        for pattern in self.drop:
            found = [name for name in present if matches(name, [pattern])]
            if not found:
                raise MissingError(there_is_no("column", pattern, present))
            kept = [name for name in kept if name not in found]
        new_names = renamed(kept, self.rename)
        for what in (self.cast, self.unit):
            for name in what:
                if name not in new_names.values():
                    raise MissingError(there_is_no("column", name, list(new_names.values())))
        columns = [self.column(table, name, new) for name, new in new_names.items()]
        return made_from(step, [MadeTable(columns, len(table), table.name)])

    def column(self, table: TableLike, name: str, new: str) -> NewColumn:
        """Independent. Return a column with its new name, type and unit."""
        old = table[name]
        kind = self.cast.get(new, old.type)
        if new not in self.unit:
            return NewColumn(new, lambda: converted(read(table, name), kind, new), texts_of(old), kind)
        scale = scale_to(old, self.unit[new])
        texts = Texts(self.unit[new], old.symbol, old.description, old.display)
        if new not in self.cast and dtype_of(kind).kind != "f":
            kind = "float64"
        return NewColumn(new, lambda: converted(scale(read(table, name)), kind, new), texts, kind)


def read(table: TableLike, name: str) -> Array:
    """Independent. Return the values of one column."""
    return read_columns(table, [name])[name]


def renamed(names: Sequence[str], rename: Mapping[str, str]) -> dict[str, str]:
    """Independent. Return the new names by the old ones, in order. `*` in both is the same text.

    Raises MissingError for a name that is not there, and ConflictError for two columns of one name.
    """
    made = {name: name for name in names}
    for old, new in rename.items():
        found = [name for name in names if matches(name, [old])]
        if not found:
            raise MissingError(there_is_no("column", old, names))
        if "*" in new and (old.count("*") != 1 or "?" in old):
            raise UsageError(f"'{old}={new}' must have one * on both sides, and no other wildcard")
        for name in found:
            made[name] = new.replace("*", middle(name, old)) if is_pattern(old) else new
    for name in made.values():
        if list(made.values()).count(name) > 1:
            raise ConflictError(
                "two columns would have this name", object=name, advice="rename or drop the other, too"
            )
    return made


def middle(name: str, pattern: str) -> str:
    """Independent. Return the part of a name that the star of a pattern matches."""
    head, _, tail = pattern.partition("*")
    return name[len(head) : len(name) - len(tail)]


def converted(values: Array, kind: str, name: str) -> Array:
    """Independent. Return values in another type. Raises TypeMismatchError where one would change.

    Floating-point values are rounded to a narrower floating-point type.
    """
    wanted = dtype_of(kind)
    if values.dtype == wanted:
        return values
    if wanted.kind == "O":
        made = np.empty(len(values), object)
        made[:] = [str(value) for value in values.tolist()]
        return made
    if values.dtype == object:
        return numbers_of(values, wanted, kind, name)
    with np.errstate(invalid="ignore", over="ignore"):
        made = values.astype(wanted)
        back = made.astype(values.dtype)
    is_rounding = wanted.kind == values.dtype.kind == "f"
    changed = np.isinf(made) & ~np.isinf(values) if is_rounding else back != values
    if changed.any():
        row = int(np.flatnonzero(changed)[0])
        raise TypeMismatchError(f"row {row} is {values[row]}, which is no {kind}", object=name)
    return made


def numbers_of(texts: Array, wanted: np.dtype[Any], kind: str, name: str) -> Array:
    """Independent. Return texts as numbers. Raises TypeMismatchError for others; empty ones are NaN."""
    made = np.empty(len(texts), wanted)
    for row, text in enumerate(texts):
        try:
            made[row] = wanted.type(text if text.strip() or wanted.kind != "f" else "nan")
        except (ValueError, OverflowError):
            raise TypeMismatchError(f"row {row} is '{text}', which is no {kind}", object=name) from None
    return made


def select(
    chain: S,
    *keep: Names,
    drop: Names = (),
    rename: Mapping[str, str] | None = None,
    cast: Mapping[str, str] | None = None,
    unit: Mapping[str, str] | None = None,
) -> S:
    """Independent. Keep, drop, rename, order and cast columns, and convert them to other units.

    Parameters
    ----------
    keep : names or patterns, in the new order; without any all are kept
    drop : names or patterns to leave out
    rename : new names by old ones; a `*` in both is the same text
    cast : new types by (new) names. A value that the type cannot hold is an error
    unit : new units by (new) names; values are converted

    Raises MissingError for names that are not there, ConflictError for two columns of one name.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="5") as chain:
    ...     list(chain.select(["x", "px"], rename={"p*": "momentum_*"}, unit={"x": "mm"}).read())
    ['x', 'momentum_x']
    """
    wanted = Selection(listed(*keep) if keep else None, listed(drop), rename or {}, cast or {}, unit or {})
    return chain.each(wanted.of)
