"""The same particles in several steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import ConflictError, DataError, MissingError, TypeMismatchError, UsageError
from quire.io.id_map import MOST_FOUND
from quire.io.quantity import Quantity
from quire.io.types import Array, dtype_of
from quire.io.value_list import SidecarError
from quire.io.zones import selected

if TYPE_CHECKING:
    from quire.io.file import File
    from quire.io.step import Step
    from quire.io.table import Table

KEY: Final = "id"
"""The usual name of the column that identifies particles."""

LIKE_KEY: Final = re.compile(r"^ID$|_[iI][dD]$|[a-z]I[dD]$")
"""Names such as ID, particle_id, particleID, but not grid."""

LARGEST_EXACT: Final = 1 << 53
"""Integers up to this magnitude are exact in float64."""


class Tracks(Mapping[str, Array]):
    """The values of particles in several steps: an array of shape (steps, particles) for each column.

    Where a step does not have a particle, `present` is false, numbers are NaN and texts are empty; integers
    are then float64.

    >>> with quire.open("beam.h5") as file:
    ...     tracks = file.track([17, 3], columns=["x", "px"])
    ...     tracks["x"].shape, tracks.steps.tolist(), tracks.ids.tolist(), bool(tracks.present.all())
    ...     tracks.columns["x"].unit, tracks["x"][:, 0].round(6).tolist()
    ...     file.track(where="x > 6e-4", at=20, columns=["x"])
    ((5, 2), [0, 5, 10, 15, 20], [17, 3], True)
    ('m', [0.000106, -1.8e-05, -9.1e-05, 9.2e-05, 1.7e-05])
    <Tracks of 2 particles in 5 steps: x>
    """

    def __init__(
        self,
        ids: Array,
        steps: Array,
        present: Array,
        columns: Mapping[str, Quantity],
        values: dict[str, Array],
    ) -> None:
        self.ids = ids
        self.steps = steps
        """Their numbers."""
        self.present = present
        self.columns = columns
        """Names, types and units, as in the first step."""
        self._values = values

    def __getitem__(self, name: str) -> Array:
        try:
            return self._values[name]
        except KeyError:
            raise MissingError("there is no such column", object=name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<Tracks of {len(self.ids)} particles in {len(self.steps)} steps: {', '.join(self)}>"


def tracks_of(
    file: File,
    ids: Sequence[int] | Array | None,
    where: str,
    at: int | None,
    columns: Sequence[str] | str | None,
    steps: Sequence[int] | None,
    table: str,
    key: str,
) -> Tracks:
    """Collective. See `File.track`."""
    if (ids is None) == (not where):
        raise UsageError("particles are chosen by ids or by a condition, and by one of them", file=file.path)
    if at is not None and not where:
        raise UsageError("a step is only needed for a condition", file=file.path)
    chosen = [file.step(number) for number in steps] if steps is not None else list(file)
    if not chosen:
        raise MissingError("there is no step", file=file.path)
    if where:
        first = chosen[0] if at is None else file.step(at)
        whole = table_of(first, table)
        name = key_of(whole, key)
        wanted = checked_ids(whole.where(where).read(name)[name], name)
    else:
        wanted = checked_ids(ids)
    name = key_of(table_of(chosen[0], table), key)
    if columns is None:
        names = [one for one in table_of(chosen[0], table) if one != name]
    else:
        names = [columns] if isinstance(columns, str) else list(columns)
    described = {one: table_of(chosen[0], table)[one] for one in names}
    rows = [find_rows(table_of(step, table), name, wanted) for step in chosen]
    present = np.array(rows).reshape(len(chosen), len(wanted)) >= 0
    values = {}
    for one in names:
        parts = []
        for step, found in zip(chosen, rows, strict=True):
            column = table_of(step, table)[one]
            if column.unit != described[one].unit:
                raise ConflictError(
                    f"step {step.number} has the unit '{column.unit}', "
                    f"and the first one '{described[one].unit}'",
                    object=one,
                    advice="choose columns or steps of one unit",
                )
            parts.append(values_at(one, column.dtype, found, column.__getitem__))
        values[one] = stacked(one, parts)
    numbers = np.array([step.number for step in chosen], np.int64)
    return Tracks(wanted, numbers, present, described, values)


def table_of(step: Step, name: str) -> Table:
    """Independent. Return the table of particles of a step. Raises MissingError."""
    return step.tables[name] if name else step.table


def key_of(table: Any, key: str) -> str:
    """Independent. Return the column of ids: by default `id`, or the only `...ID` or `..._id`.

    Raises DataError if there is none.
    """
    if key:
        return str(table[key].name)
    if KEY in table:
        return KEY
    found = [name for name in table if LIKE_KEY.search(name)]
    if len(found) != 1:
        raise DataError("no column is known to identify particles", advice="name it by key=NAME")
    return str(found[0])


def checked_ids(ids: Any, column: str = "") -> Array:
    """Independent. Return ids, those of a column or others, as an array. Raises errors for those that are no
    integers, or occur twice.
    """
    refusal = TypeMismatchError("ids are a list of integers", object=column, advice="of int64, or of uint64")
    try:
        found = np.asarray(ids)
    except ValueError:
        raise refusal from None
    if found.size == 0:
        return found.astype(np.int64).reshape(-1)
    if found.ndim == 1 and found.dtype.kind == "f" and all(isinstance(one, int) for one in ids):
        found = np.array(ids, object)  # NumPy would round some: int64 and uint64 have no joint integer type
    whole = whole_numbers(found) if found.ndim == 1 else None
    if whole is None:
        raise refusal
    some, counts = np.unique(whole, return_counts=True)
    if counts.max() > 1:
        raise ConflictError(f"the id {some[counts.argmax()]} occurs {counts.max()} times", object=column)
    return whole


def whole_numbers(values: Array) -> Array | None:
    """Independent. Return values as integers, of uint64 if they need it; None if one is no such number."""
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind == "f":
        is_whole = bool(np.isfinite(values).all() and (values == np.floor(values)).all())
    else:
        is_whole = all(isinstance(one, int) for one in values)
    if is_whole:
        smallest, largest = int(values.min()), int(values.max())
        for limits in (np.iinfo(np.int64), np.iinfo(np.uint64)):
            if limits.min <= smallest and largest <= limits.max:
                return values.astype(limits.dtype)
    return None


def find_rows(table: Any, key: str, ids: Array) -> Array:
    """Independent. Return the row of each id, -1 for those that the table does not have. Rows that cannot
    have one by the index of the file are not read. Raises ConflictError for an id of two rows.
    """
    rows = np.full(len(ids), -1, np.int64)
    count = np.zeros(len(ids), np.int64)
    owners, exact = in_type(ids, table[key].dtype)
    for places, found in pairs(table, key, exact):
        count[owners] += np.bincount(places, minlength=len(owners))
        rows[owners[places]] = found
    if (count > 1).any():
        raise ConflictError(
            f"{count.max()} rows have the id {ids[count.argmax()]}",
            object=key,
            advice="name a column of unique ids by key=NAME",
        )
    return rows


def in_type(ids: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Independent. Return the places of ids that a column of this type can have, and their values in it."""
    if dtype.kind not in "iuf":
        raise TypeMismatchError("ids are numbers, and the column has texts")
    if dtype.kind == "f":
        values = ids.astype(dtype)
        exact = np.flatnonzero(values.astype(np.longdouble) == ids.astype(np.longdouble))
        return exact, values[exact]
    limits = np.iinfo(dtype)
    inside = np.flatnonzero((ids >= limits.min) & (ids <= limits.max))
    return inside, ids[inside].astype(dtype)


def pairs(table: Any, key: str, ids: Array) -> Iterator[tuple[Array, Array]]:
    """Independent. Yield the places of ids of the type of the column, and the rows that have them."""
    known = pairs_by_index(table, key, ids)
    if known is not None:
        yield known
        return
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    for part in blocks_with(table, key, ordered):
        for first, block in table.blocks([key], rows=part):
            found = np.flatnonzero(np.isin(block[key], ordered))
            yield order[np.searchsorted(ordered, block[key][found])], first + found


def pairs_by_index(table: Any, key: str, ids: Array) -> tuple[Array, Array] | None:
    """Independent. Return the places of ids and the rows that have them by the index of the file, whose maps
    have no other rows; None if it has no map.
    """
    find = getattr(table, "id_map", None)  # tables that verbs make have no index
    known = None if find is None else find(key)
    if known is None or not 0 < len(ids) <= MOST_FOUND:
        return None
    try:
        found: tuple[Array, Array] | None = known.pairs(table, key, ids)
    except (OSError, SidecarError) as problem:
        table.distrust_index(problem)
        return None
    return found


def blocks_with(table: Any, key: str, ordered: Array) -> list[tuple[int, int]]:
    """Independent. Return the rows that can have one of these values, as blocks."""
    whole = (0, len(table))
    indexed = getattr(table, "indexed", None)  # tables that verbs make have no index
    zones = None if indexed is None else indexed(key)
    if zones is None or not len(ordered):
        return [whole] if len(ordered) else []
    may_have = np.searchsorted(ordered, zones.lower) < np.searchsorted(ordered, zones.upper, side="right")
    return selected(zones.first, zones.count, may_have, whole)


def stored_type(type: str, has_all: bool) -> str:
    """Independent. Return the type of a column in which values may be missing: NaN marks missing integers."""
    return type if has_all or dtype_of(type).kind not in "iu" else "float64"


def values_at(name: str, dtype: np.dtype[Any], rows: Array, read: Callable[[Array], Array]) -> Array:
    """Independent. Return the values of rows, which `read` reads in increasing order; NaN, or an empty text,
    for rows that are -1. Raises TypeMismatchError if that would round integers.
    """
    present = rows >= 0
    order = np.argsort(rows[present], kind="stable")
    found = np.empty(len(order), dtype)
    found[order] = read(rows[present][order])
    if present.all():
        return found
    found = exact_floats(name, found)
    made = np.full(len(rows), np.nan if found.dtype.kind == "f" else "", found.dtype)
    made[present] = found
    return made


def stacked(name: str, parts: Sequence[Array]) -> Array:
    """Independent. Return the values of all steps as one array. Raises TypeMismatchError if that would round
    integers.
    """
    if np.result_type(*parts).kind == "f":
        parts = [exact_floats(name, one) for one in parts]
    return np.stack(parts)


def exact_floats(name: str, values: Array) -> Array:
    """Independent. Return integers as float64, other values as they are. Raises TypeMismatchError if that
    would round them.
    """
    if values.dtype.kind not in "iu":
        return values
    if len(values) and max(abs(int(values.min())), abs(int(values.max()))) > LARGEST_EXACT:
        raise TypeMismatchError(
            "a step lacks a particle, and with NaN in its place integers would be rounded",
            object=name,
            advice="leave out the column, or the particle",
        )
    return values.astype(np.float64)
