"""Add the columns of another file by keys, by the nearest value or row by row; keep rows with a partner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from quire.errors import ConflictError, DataError, Placing, UsageError
from quire.io.attributes import Attribute
from quire.io.foreign import require
from quire.io.types import Array, dtype_of
from quire.near import there_is_no
from quire.numeric.pairs import Pairs, equal_near_pairs, equal_pairs, nearest_pairs
from quire.toolkit.engine import PURPOSE, Engine
from quire.toolkit.engine_columns import arrow_of, numbers_in
from quire.toolkit.selection import select_names
from quire.verbs.order import require_columns
from quire.verbs.relational import ROW, Side, equal_keys, spilled, uses_engine
from quire.verbs.spilled import SpilledTable, nothing_of
from quire.verbs.step_chain import Names, StepChain, listed
from quire.verbs.steplike import (
    MadeStep,
    MadeTable,
    MissingValues,
    NewColumn,
    StepLike,
    TableLike,
    alike,
    as_floats,
    estimated_bytes,
    in_memory,
    made_from,
    read_columns,
    taken,
)

S = TypeVar("S", bound=StepChain)

MANNERS = ("inner", "left", "semi", "anti")


@dataclass(frozen=True)
class JoinedRows:
    """A joined table; rows that were left out, and rows that are without a partner."""

    table: MadeTable
    lost: int = 0
    unmatched: int = 0


@dataclass(frozen=True)
class Join:
    """How rows of two tables are joined; see `join`."""

    on: Mapping[str, str]
    nearest: str = ""
    tolerance: float = float("inf")
    how: str = "inner"
    take: Sequence[str] | None = None
    suffix: str = ""
    single: bool = False
    other: str = ""
    """The name of the other file, for errors about what it lacks."""

    def pairs(self, left: TableLike, right: TableLike) -> Pairs:
        """Independent. Return the rows that belong together."""
        if self.nearest:
            keys = key_columns(left, right, {self.nearest: self.nearest}, self.other)
            mine, other = (as_floats(one, self.nearest) for (one,) in keys)
            return nearest_pairs(mine, other, self.tolerance)
        if not self.on:
            if len(left) != len(right) and self.how == "inner":
                raise ConflictError(
                    f"row by row the tables must have equally many rows: {len(left)} and {len(right)}",
                    advice="join by a key: --on NAME",
                )
            rows = np.arange(len(left))
            return Pairs.of_each(np.where(rows < len(right), rows, -1))
        return self.chosen(equal_pairs(*key_columns(left, right, self.on, self.other)))

    def near_pairs(self, left: TableLike, right: TableLike) -> Pairs | None:
        """Independent. Return the same for one key of integers that are near each other, else None."""
        kinds = [left[mine].type for mine in self.on if mine in left]
        if self.nearest or len(kinds) != 1 or "int" not in kinds[0]:
            return None
        mine, other = key_columns(left, right, self.on, self.other)
        found = equal_near_pairs(mine[0], other[0])
        return None if found is None else self.chosen(found)

    def chosen(self, found: Pairs) -> Pairs:
        """Independent. Return the pairs, of each left row only the first if that is wanted."""
        if self.single:
            is_first = np.diff(found.left, prepend=-1) > 0
            return Pairs(found.left[is_first], found.right[is_first])
        return found

    def of(
        self, step: StepLike, left: TableLike, other: StepLike, right: TableLike, memory: int | None
    ) -> MadeStep:
        """Independent. Return a step joined with one of the other file."""
        size = estimated_bytes(left) + estimated_bytes(right)
        found = None
        if not uses_engine(memory, size, len(left) + len(right)):
            is_left = not uses_engine(memory, size, len(left) + len(right), is_faster=True)
            pairs = self.pairs(left, right) if is_left else self.near_pairs(left, right)
            found = None if pairs is None else self.in_memory(left, right, pairs)
        found = found or JoinByEngine(self, left, right, memory).table()
        if self.how in ("semi", "anti"):
            return made_from(step, [found.table])
        made = made_from(step, [found.table], self.attributes(step, other))
        if found.lost:
            made.warnings.append(f"{found.lost} of {len(left)} rows have no partner and are left out")
        if found.unmatched:
            made.warnings.append(
                MissingValues(
                    f"{found.unmatched} of {len(left)} rows have no partner: their values are missing"
                )
            )
        return made

    def in_memory(self, left: TableLike, right: TableLike, pairs: Pairs) -> JoinedRows:
        """Independent. Join rows that belong together in memory."""
        has = pairs.right >= 0
        if self.how in ("semi", "anti"):
            is_kept = np.zeros(len(left), bool)
            is_kept[pairs.left[has]] = True
            return JoinedRows(taken(left, np.flatnonzero(is_kept == (self.how == "semi"))))
        kept = np.ones(len(has), bool) if self.how == "left" else has
        rows, partners = pairs.left[kept], pairs.right[kept]
        mine = taken(left, rows)
        columns = [mine.columns[name] for name in mine]
        columns += [
            partner_column(right, name, new, partners) for name, new in self.new_names(left, right).items()
        ]
        return JoinedRows(
            MadeTable(columns, len(rows), left.name),
            len(left) - int(np.count_nonzero(np.diff(rows, prepend=-1))),
            int(np.count_nonzero(partners < 0)),
        )

    def new_names(self, left: TableLike, right: TableLike) -> dict[str, str]:
        """Independent. Return the columns of the other table that are added, with their new names."""
        keys = {*self.on.values(), self.nearest}
        with Placing(self.other):
            wanted = select_names(self.take, list(right), "column")
        if self.take is None:
            wanted = [name for name in wanted if name not in keys]
        for name in wanted:
            if name in left.columns and not self.suffix:
                raise ConflictError(
                    "both files have this column", object=name, advice="choose by --take, or --suffix _2"
                )
        return {name: name + self.suffix if name in left.columns else name for name in wanted}

    def attributes(self, step: StepLike, other: StepLike) -> list[Attribute]:
        """Independent. Return the attributes of both steps, of equal names those of the first."""
        found = dict(other.attrs.info)
        return list(
            (dict(step.attrs.info) | {n: one for n, one in found.items() if n not in step.attrs}).values()
        )


def partner_column(right: TableLike, name: str, new: str, partners: Array) -> NewColumn:
    """Independent. Return the values of the partners; without one NaN, or an empty text."""
    column = right[name]
    has_all = bool(np.all(partners >= 0))
    kind = column.type
    if not has_all and dtype_of(kind).kind in "iu":
        kind = "float64"  # NaN marks missing numbers

    def values() -> Array:
        found = read_columns(right, [name])[name]
        made = found.take(partners) if len(right) else np.zeros(len(partners), dtype_of(column.type))
        if kind != column.type:
            made[partners < 0] = 0  # not the value of another row, which may be too large
            made = as_floats(made, name)
        if not has_all:
            made[partners < 0] = nothing_of(made.dtype)
        return made

    made = NewColumn.like(column, values, new)
    return made if kind == column.type else NewColumn(new, values, column.unit, kind)


def key_columns(
    left: TableLike, right: TableLike, on: Mapping[str, str], file: str
) -> tuple[list[Array], list[Array]]:
    """Independent. Return the keys of both tables. Raises ConflictError for different units and kinds."""
    require_keys(left, right, on, file)
    found, others = in_memory(left, list(on)), in_memory(right, list(on.values()))
    pairs = [
        [found[mine], others[other]]
        if left[mine].type == "string"
        else alike([found[mine], others[other]], mine)
        for mine, other in on.items()
    ]
    return [mine for mine, _ in pairs], [other for _, other in pairs]


def require_keys(left: TableLike, right: TableLike, on: Mapping[str, str], file: str) -> None:
    """Independent. Raise errors for keys that do not exist, or have different units or kinds. `file` is the
    name of the right one.
    """
    require_columns(left, list(on))
    with Placing(file):
        require_columns(right, list(on.values()))
    for mine, other in on.items():
        if left[mine].unit != right[other].unit:
            raise ConflictError(
                f"the unit is '{left[mine].unit}' in the first file and '{right[other].unit}' in the other",
                object=mine,
                advice="convert it by select --unit",
            )
        if (left[mine].type == "string") != (right[other].type == "string"):
            raise ConflictError("a column of texts cannot be a key for one of numbers", object=mine)


class JoinByEngine:
    """A join by the engine: of keys, or of pairs of rows that are found in memory from the keys alone."""

    def __init__(self, join: Join, left: TableLike, right: TableLike, memory: int | None) -> None:
        self._join = join
        self._left, self._right = left, right
        self._memory = memory
        is_chosen = join.how in ("semi", "anti")
        self._new = {} if is_chosen else join.new_names(left, right)
        self._by_key = bool(join.on) and not join.nearest
        if self._by_key:
            require_keys(left, right, join.on, join.other)
        mine, others = (list(join.on), list(join.on.values())) if self._by_key else ([], [])
        self._sides = (
            Side(left, list(left), mine, partial(self._keys, left, right, mine, others), "l"),
            Side(right, list(self._new), others, partial(self._keys, right, left, others, mine), "r"),
        )
        self._pyarrow = require("pyarrow", PURPOSE)

    def _keys(
        self,
        table: TableLike,
        other: TableLike,
        names: Sequence[str],
        partners: Sequence[str],
        block: Mapping[str, Array],
    ) -> dict[str, Any]:
        """Return columns of the engine that are equal for equal keys."""
        made: dict[str, Any] = {}
        for place, (name, partner) in enumerate(zip(names, partners, strict=True)):
            values = block[name]
            if table[name].type != "string":
                values = alike([values, np.empty(0, dtype_of(other[partner].type))], name)[0]
            made |= equal_keys(values, f"k{place}", self._pyarrow)
        return made

    def table(self) -> JoinedRows:
        """Independent. Carry out the join."""
        left, right = self._sides
        columns = {name: (self._left[name].type, left.carrier(name)) for name in left.names}
        columns |= {new: (self._right[name].type, right.carrier(name)) for name, new in self._new.items()}
        count = Partners()
        with Engine(self._memory) as engine:
            left.register(engine, "mine")
            right.register(engine, "others")
            rows = spilled(engine, self._query(engine), columns, count.add)
        described = [self._left[name] for name in left.names]
        described += [NewColumn.like(self._right[name], np.empty(0), new) for name, new in self._new.items()]
        table = SpilledTable(described, rows, self._left.name)
        return JoinedRows(table, len(self._left) - count.matched_or_kept, count.unmatched)

    def _query(self, engine: Engine) -> str:
        """Return the query, and register the pairs of rows if they are found in memory."""
        left, right = self._sides
        how = {"inner": "JOIN", "left": "LEFT JOIN", "semi": "SEMI JOIN", "anti": "ANTI JOIN"}[self._join.how]
        is_chosen = self._join.how in ("semi", "anti")
        carriers = left.carriers if is_chosen else [*left.carriers, *right.carriers]
        numbers = [f"mine.{ROW} AS mine"] + ([] if is_chosen else [f"others.{ROW} AS other"])
        order = "mine" if is_chosen else "mine, other"
        if self._by_key:
            keys = [name for place in range(len(self._join.on)) for name in self._names_of_key(place)]
            condition = " AND ".join(f"mine.{key} = others.{key}" for key in keys)
            joined = f"mine {how} others ON {condition}"
        else:
            pairs = self._join.pairs(self._left, self._right)
            has = pairs.right >= 0
            table = {
                name: arrow_of(rows[has], self._pyarrow)
                for name, rows in (("a", pairs.left), ("b", pairs.right))
            }
            engine.register("pairs", self._pyarrow.table(table))
            joined = f"mine {how} pairs ON mine.{ROW} = a"
            if not is_chosen:
                joined = (
                    f"mine {how} (SELECT a, others.* FROM pairs JOIN others ON b = others.{ROW}) AS others "
                    f"ON mine.{ROW} = a"
                )
        return f"SELECT {', '.join([*numbers, *carriers])} FROM {joined} ORDER BY {order}"

    def _names_of_key(self, place: int) -> list[str]:
        """Return the columns of the engine for a key."""
        mine, other = list(self._join.on.items())[place]
        kinds = {self._left[mine].type, self._right[other].type}
        return [f"k{place}", f"k{place}_high"] if "float80" in kinds else [f"k{place}"]


class Partners:
    """Counts rows with and without partners, in batches that are in the order of the left rows."""

    def __init__(self) -> None:
        self.matched_or_kept = 0
        self.unmatched = 0
        self._last = -1

    def add(self, batch: Any, values: Mapping[str, Array]) -> None:
        """Independent. Count the rows of a batch."""
        rows = numbers_in(batch.column("mine"))
        self.matched_or_kept += int(np.count_nonzero(np.diff(rows, prepend=self._last)))
        self._last = int(rows[-1]) if len(rows) else self._last
        if "other" in batch.schema.names:
            self.unmatched += batch.column("other").null_count


def parse_on(names: Names) -> dict[str, str]:
    """Independent. Parse `name` and `name=other`."""
    found = {}
    for part in listed(names):
        mine, _, other = part.partition("=")
        found[mine.strip()] = (other or mine).strip()
    return found


def join(
    chain: S,
    other: StepChain,
    on: Names = "",
    *,
    nearest: str = "",
    tolerance: float = float("inf"),
    how: str = "inner",
    take: Names | None = None,
    suffix: str = "",
) -> S:
    """Independent. Add the columns and attributes of another file. The order of the rows is kept.

    Step by step: the steps of equal position, or the only step of the other file for all.

    Parameters
    ----------
    on : columns with equal values, such as `name` or `id=particle`; empty: row by row
    nearest : a column of numbers; the row with the nearest value, at most `tolerance` away
    how : `inner` leaves out rows without a partner, with a warning; `left` keeps them, with missing values;
        `semi` keeps rows that have a partner, `anti` those that have none, without new columns
    take : columns of the other file; None takes all but the keys
    suffix : is added to the names of columns that both files have

    Raises ConflictError for keys with different units, and for names that both files have without a suffix.
    """
    if how not in MANNERS:
        raise UsageError(there_is_no("manner to join", how, MANNERS))
    if not tolerance >= 0:
        raise UsageError(f"a tolerance (--tolerance) is 0 or more, not {tolerance:g}")
    if tolerance < float("inf") and not nearest:
        raise UsageError(
            "a tolerance is the greatest distance of nearest values", advice='give nearest="NAME"'
        )
    taken_names = None if take is None else listed(take)
    wanted = Join(parse_on(on), nearest, tolerance, how, taken_names, suffix, other=other.path)

    def joined(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        partners = list(other)
        if not partners:
            raise DataError("the other file has no step", file=other.path)
        for place, step in enumerate(steps):
            if len(partners) > 1 and place >= len(partners):
                raise ConflictError(
                    f"the other file has {len(partners)} steps, and this one more",
                    advice="choose steps by --steps; a file of one step is joined to all",
                )
            mate = partners[place] if len(partners) > 1 else partners[0]
            yield wanted.of(step, chain.table_of(step), mate, other.table_of(mate), chain.memory)

    return chain.through(joined)
