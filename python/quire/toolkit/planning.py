"""Plans without the memory: which bytes each of many ranks would read or write, simulated on one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire import _core
from quire.errors import UsageError
from quire.io.formats import format_info
from quire.toolkit.selection import even_slice, resolve_rows, select_names

if TYPE_CHECKING:
    from quire import Step


@dataclass(frozen=True)
class RankPlan:
    """The rows of one rank and the runs of file bytes, (offset, length), that hold them."""

    step: int
    table: str
    rank: int
    first: int
    count: int
    extents: list[tuple[int, int]]


def read_plans(
    step: Step, ranks: int, columns: Sequence[str] | None = None, rows: slice | None = None
) -> Iterator[RankPlan]:
    """Independent. The plan of each simulated rank for the tables of a step; nothing is read.

    `rows` is split evenly over the ranks. Raises MissingError for a column that a table has not.
    """
    for table in step.tables.values():
        names = select_names(columns, list(table.columns), "column")
        first, count = resolve_rows(rows or slice(None), len(table))
        for rank in range(ranks):
            start, mine = even_slice(count, rank, ranks)
            extents = table.plan(names, (first + start, mine))
            yield RankPlan(step.number, table.name, rank, first + start, mine, extents)


def columns_without_places(step: Step, columns: Sequence[str] | None = None) -> dict[str, list[str]]:
    """Independent. By table, those of the columns whose single values lie nowhere in the file.

    They are compressed together, or stored apart from the rows: a plan has no extents of them, and who wants
    some of them reads whole blocks. Raises MissingError for a column that a table has not.
    """
    found = {}
    for table in step.tables.values():
        names = select_names(columns, list(table.columns), "column") if len(table) else []
        missing = [name for name in names if not table.plan([name], (0, 1))]
        if missing:
            found[table.name] = missing
    return found


@dataclass(frozen=True)
class WritePlan:
    """What the first step of a new file would write, as runs of file bytes (offset, length)."""

    ranks: list[RankPlan]
    """The data of each rank; those of rank 0 with the header and the attributes."""
    guard: list[tuple[int, int]]
    """By rank 0 before anything else: bytes that make readers refuse the step until it is whole."""
    publication: list[tuple[int, int]]
    """By rank 0 at the end; (size, 0) sets the size of the file."""
    end: int
    """The size of the file with the data in it."""


def parse_columns(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Independent. `x:float64` texts as pairs of name and type, float64 if none is given."""
    pairs = [text.rpartition(":") if ":" in text else (text, ":", "float64") for text in texts]
    if not pairs or any(not name or not kind for name, _, kind in pairs):
        raise UsageError("name columns with their types, for example x:float64,id:int32")
    return [(name, kind) for name, _, kind in pairs]


def write_plan(
    format: str,
    columns: Sequence[tuple[str, str]],
    rows: int,
    ranks: int,
    *,
    options: Mapping[str, str] | None = None,
    string_bytes: int = 8,
) -> WritePlan:
    """Independent. The plan for writing one table of `rows` rows in all, split evenly over the ranks.

    `columns` are pairs of name and type; strings are taken to have `string_bytes` bytes each. Raises
    UsageError for unknown formats, types and options.
    """
    name = format_info(format).name
    workload = {"columns": list(columns), "rows": rows, "string_bytes": string_bytes}
    guard, parts, publication, end = _core.plan_write(name, options or {}, workload, ranks)
    plans = [
        RankPlan(0, "", rank, *even_slice(rows, rank, ranks), extents) for rank, extents in enumerate(parts)
    ]
    return WritePlan(plans, guard, publication, end)
