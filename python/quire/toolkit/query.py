"""Which rows of a file satisfy a condition, and what is read to find them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from quire.io.expression import Expression
from quire.io.search import Report
from quire.io.types import Array, dtype_of
from quire.io.zones import limits_by
from quire.toolkit.agreement import gathered, share_aggregates
from quire.toolkit.selection import StepSelection, require_found, select_steps

if TYPE_CHECKING:
    from quire import File, Step
    from quire.io.matches import Matches


@dataclass(frozen=True)
class QueryPlan:
    """What is read of a table to find the rows that satisfy a condition."""

    columns: list[str]
    """Those of the condition that are read for each row."""
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
    aggregated: list[str]
    """The columns of which all rows are read before, for values such as `max(x)`."""
    bytes: int
    """Of all rows that are read without an index, in memory; of texts only what holds them."""
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
    matches = table.where(condition, table.share(file.rank, file.size))
    share_aggregates(file.comm, matches.bound)
    parts = gathered(file.comm, partial(own_matches, matches, query))
    found = np.concatenate([part for _, part, _ in parts if part is not None]) if query.wanted else None
    plan = plan_of(matches, [report for _, _, report in parts])
    return StepMatches(step.number, len(table), sum(count for count, _, _ in parts), found, plan)


def own_matches(matches: Matches, query: Query) -> tuple[int, Array | None, Report]:
    """Independent. Return the number of matches among the rows of a rank, what is wanted of them, and what
    was read.
    """
    if not query.wanted:
        return matches.count(), None, matches.report
    found = matches.numbers() if query.wanted == "numbers" else matches.ids(query.key)
    return len(found), found, matches.report


def plan_of(matches: Matches, reports: Sequence[Report]) -> QueryPlan:
    """Independent. Return what was read of a table, by the reports of the ranks that share its rows."""
    table, columns = matches.table, matches.bound.columns

    def row_bytes(names: Iterable[str]) -> int:
        return sum(dtype_of(table[name].type).itemsize for name in names)

    rows = sum(report.rows_read for report in reports)
    passes = matches.bound.passes(table) if rows else []
    before = len(table) * sum(map(row_bytes, passes))
    return QueryPlan(
        columns,
        limits_by(table, matches.condition),
        list(dict.fromkeys(name for report in reports for name in report.columns)),
        len(table),
        sum(report.rows_expected for report in reports),
        rows,
        list(dict.fromkeys(name for names in passes for name in names)),
        before + len(table) * row_bytes(columns),
        before + sum(report.bytes_expected for report in reports),
        before + sum(report.bytes_read for report in reports),
    )
