"""Plans of reads and writes: the extents of many ranks, computed on one."""

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
    """The rows of one rank and their extents (offset, length) in the file."""

    step: int
    table: str
    rank: int
    first: int
    count: int
    extents: list[tuple[int, int]]


def read_plans(
    step: Step, ranks: int, columns: Sequence[str] | None = None, rows: slice | None = None
) -> Iterator[RankPlan]:
    """Independent. Return the plan of each simulated rank for the tables of a step. Nothing is read.

    `rows` is split evenly over the ranks. Raises MissingError for missing columns.
    """
    for table in step.tables.values():
        names = select_names(columns, list(table.columns), "column")
        first, count = resolve_rows(rows or slice(None), len(table))
        for rank in range(ranks):
            start, mine = even_slice(count, rank, ranks)
            extents = table.plan(names, (first + start, mine))
            yield RankPlan(step.number, table.name, rank, first + start, mine, extents)


def columns_without_places(step: Step, columns: Sequence[str] | None = None) -> dict[str, list[str]]:
    """Independent. Return the columns without extents of single values, by table.

    They are compressed or stored separately from the rows, and are read by whole blocks. Raises MissingError
    for missing columns.
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
    """The extents (offset, length) that the first step of a new file would write."""

    ranks: list[RankPlan]
    """The data of each rank, on rank 0 with the header and the attributes."""
    guard: list[tuple[int, int]]
    """Writes of rank 0 before the data, which make readers refuse the step until it is complete."""
    publication: list[tuple[int, int]]
    """Writes of rank 0 at the end; (size, 0) sets the size of the file."""
    end: int
    """The size of the file with the data."""


def parse_columns(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Independent. Parse `x:float64` as pairs of name and type, by default float64."""
    pairs = [text.rpartition(":") if ":" in text else (text, ":", "float64") for text in texts]
    if not pairs or any(not name or not kind for name, _, kind in pairs):
        raise UsageError("give columns with their types, for example x:float64,id:int32")
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
    """Independent. Return the plan for writing one table of `rows` rows, split evenly over the ranks.

    `columns` are pairs of name and type; `string_bytes` is the assumed length of strings. Raises UsageError
    for unknown formats, types and options.
    """
    name = format_info(format).name
    workload = {"columns": list(columns), "rows": rows, "string_bytes": string_bytes}
    guard, parts, publication, end = _core.plan_write(name, dict(options or {}), workload, ranks)
    plans = [
        RankPlan(0, "", rank, *even_slice(rows, rank, ranks), extents) for rank, extents in enumerate(parts)
    ]
    return WritePlan(plans, guard, publication, end)
