"""Which rows of a file satisfy a condition, and what is read to find them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from quire.io.expression import Expression
from quire.io.search import Report
from quire.io.tracks import key_of
from quire.io.types import Array, dtype_of
from quire.io.zones import limits_by
from quire.toolkit.agreement import gathered
from quire.toolkit.selection import StepSelection, require_found, select_steps

if TYPE_CHECKING:
    from quire import File, Step, Table


@dataclass(frozen=True)
class QueryPlan:
    """What is read of a table to find the rows that satisfy a condition."""

    columns: list[str]
    """Those of the condition."""
    limits: str
    """Where limits of blocks of rows are from: `index`, `file`, or empty if there are none."""
    lists: list[str]
    """Columns whose rows were found by the lists of the index."""
    rows: int
    """Of the table."""
    rows_expected: int
    """That match, as far as limits and lists say."""
    rows_read: int
    """Whose values were read."""
    bytes: int
    """Of these columns in memory; of texts only what holds them."""
    bytes_expected: int
    """That are read of them and of lists, as estimated before."""
    bytes_read: int
    """That were read."""


@dataclass(frozen=True)
class StepMatches:
    """The rows of a step that satisfy a condition."""

    step: int
    rows: int
    """Of the table."""
    count: int
    found: Array | None
    """Numbers of rows, or ids, if they were asked for."""
    plan: QueryPlan


@dataclass(frozen=True)
class Query:
    """A condition, and what to return: only counts, the numbers of rows, or the ids of particles."""

    condition: str
    table: str = ""
    steps: StepSelection | None = None
    wanted: str = ""
    """`numbers`, `ids`, or empty for counts."""
    key: str = ""
    """The column of ids; by default `id`, or the only `...ID` or `..._id`."""


def run_query(file: File, query: Query) -> Iterator[StepMatches]:
    """Collective. Yield the matches of each step; the ranks of the file share the rows of each table.

    The result is the same on any number of ranks.
    """
    condition = Expression(query.condition)
    count = 0
    for _, step in select_steps(file, query.steps):
        count += 1
        yield matches_in(step, condition, query, file)
    require_found(count, query.steps, file.path)


def matches_in(step: Step, condition: Expression, query: Query, file: File) -> StepMatches:
    """Collective. Return the matches in a step."""
    table = step.tables[query.table] if query.table else step.table
    parts = gathered(file.comm, partial(own_matches, table, condition, query, file.rank, file.size))
    found = np.concatenate([part for _, part, _ in parts if part is not None]) if query.wanted else None
    plan = plan_of(table, condition, [report for _, _, report in parts])
    return StepMatches(step.number, len(table), sum(count for count, _, _ in parts), found, plan)


def own_matches(
    table: Table, condition: Expression, query: Query, rank: int, size: int
) -> tuple[int, Array | None, Report]:
    """Independent. Return the number of matches among the rows of a rank, what is wanted of them, and what
    was read.
    """
    matches = table.where(condition, table.share(rank, size))
    if not query.wanted:
        return matches.count(), None, matches.report
    if query.wanted == "numbers":
        found = matches.numbers()
    else:
        key = key_of(table, query.key)
        found = matches.read([key])[key]
    return len(found), found, matches.report


def plan_of(table: Table, condition: Expression, reports: Sequence[Report]) -> QueryPlan:
    """Independent. Return what was read of a table, by the reports of the ranks that share its rows."""
    columns = [name for name in condition.names if name in table]
    row_bytes = sum(dtype_of(table[name].type).itemsize for name in columns)
    return QueryPlan(
        columns,
        limits_by(table, condition),
        list(dict.fromkeys(name for report in reports for name in report.columns)),
        len(table),
        sum(report.rows_expected for report in reports),
        sum(report.rows_read for report in reports),
        len(table) * row_bytes,
        sum(report.bytes_expected for report in reports),
        sum(report.bytes_read for report in reports),
    )
