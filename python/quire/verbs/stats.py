"""Reduce the rows of each step to numbers: means, limits, fits, and the quantities of a beam."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, TypeVar, cast

from quire import _core
from quire.errors import UsageError
from quire.io.attributes import Attribute
from quire.io.types import Array
from quire.toolkit.copied_table import CopiedTable
from quire.verbs.across import across_columns as columns_of_rows
from quire.verbs.group import Division
from quire.verbs.grouped_stats import GroupedStats, small, with_results
from quire.verbs.pages import by_origin, collapsed
from quire.verbs.reducing import request_of
from quire.verbs.step_chain import Names, StepChain
from quire.verbs.steplike import MissingValues, StepLike, TableLike, core_attribute_of, keys_of, made_from
from quire.verbs.windows import Windows, in_windows

S = TypeVar("S", bound=StepChain)


class ReducedTable(CopiedTable):
    """The rows of a table; expressions over them can also use the results."""

    def __init__(self, table: TableLike, results: Mapping[str, Attribute]) -> None:
        self.name = table.name
        self.columns = table.columns
        self._table = table
        self._results = results

    def __len__(self) -> int:
        return len(self._table)

    def scope(self) -> tuple[Sequence[_core.Quantity], Sequence[_core.Attribute], Mapping[str, int]]:
        """Independent. Return the names of expressions; results replace attributes of their names."""
        columns, attributes, counters = self._table.scope()
        kept = [one for one in attributes if one.name not in self._results]
        return columns, [*kept, *map(core_attribute_of, self._results.values())], counters

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return self._table.rows_per_block(names)

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`."""
        yield from self._table.blocks(names, rows_per_block, rows, progress)


def reduced(chain: S, *what: Names, **beam: Any) -> S:
    """Independent. Add results as attributes to each step; arguments as for `stats`. Rows are kept."""
    request = request_of(what, beam)

    def with_results(step: StepLike, table: Any) -> StepLike:
        results = request.results(step, table)
        with_scope = cast("TableLike", ReducedTable(table, results))
        made = made_from(step, [with_scope], (dict(step.attrs.info) | results).values())
        missing = [name for name, one in results.items() if isinstance(one.value, float) and isnan(one.value)]
        if missing:
            made.warnings.append(MissingValues(f"step {step.number}: {', '.join(missing)} are NaN"))
        return made

    return chain.each(with_results)


def stats(
    chain: S,
    *what: Names,
    across_columns: bool = False,
    window: int | None = None,
    blocks: bool = False,
    **beam: Any,
) -> S:
    """Independent. Make one row of each step, or of each group: attributes, and reductions of columns.

    The rows of the groups of a step are a step with its number; those of other steps are one step.

    Parameters
    ----------
    what : `mean(x)`, `sx=std(x)`, `slope(y, versus=s)`, `percentile(x, 90)`, `mean(x, weight=q)`,
        `max(betax, versus=s, position)`; the name of a column for the usual reductions; `count` alone for
        the number of rows; the name of a quantity of the beam, such as `emittance_nx`, or `emittance` for
        all. Columns may be patterns
    across_columns : add a column to the rows instead, for each of `m=mean(bpm*)`, `max(x, y, z)`: a reduction
        of several columns of each row. `max(x, y, position)` is the name of a column
    window : make a row of so many successive rows instead: n - window + 1 rows of each step of n rows
    blocks : windows do not overlap: n // window rows; the rows after the last window are left out
    beam : how particles are understood, as for `Step.beam`: convention, species, slices, screen, robust

    A value that does not exist is NaN. Results are called COLUMN_REDUCTION unless they are given a name,
    those across columns REDUCTION. Windows are those of each step or group, whose attributes stay and
    whose fields are left out.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     list(chain.stats("mean(x)", "sx=std(x)").read())
    ['step', 's', 'rms_x', 'rms_y', 'x_mean', 'sx']
    >>> quire.new("x=1,5,3", "y=4,2,6").stats("max(x, y)", across_columns=True).read(["max"])["max"].tolist()
    [4.0, 5.0, 6.0]
    >>> quire.new("x=1,5,3").stats("mean(x)", window=2).read()["x_mean"].tolist()
    [3.0, 4.0]
    """
    if not what:
        raise UsageError("stats needs reductions such as mean(x), columns, or quantities of the beam")
    if across_columns or window is not None:
        if across_columns and window is not None:
            raise UsageError("reductions are either across columns or in windows of rows")
        if beam:
            raise UsageError(f"{next(iter(beam))} belongs to quantities of the beam of a step or a group")
        if window is None:
            return chain.each(columns_of_rows(chain, what))
        return chain.each(in_windows(chain, request_of(what, {}), Windows(window, not blocks)))
    if blocks:
        raise UsageError("blocks are windows without overlap", advice="give their rows as the window")
    request = request_of(what, beam)
    if isinstance(chain.last, Division):
        return chain.instead_of_last(GroupedStats(chain.last, request))

    def rows_of(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        names: dict[str, None] = {}

        def reduced_step(step: StepLike) -> StepLike:
            results = request.results(step, chain.table_of(step))
            names.update(dict.fromkeys(results))
            return small(step, results)

        for number, some in by_origin(map(reduced_step, steps)):
            made = collapsed(some, number)
            keys = keys_of(some[0]) or [name for name in made.table if name == "step"]
            yield with_results(made, keys, names)

    return chain.through(rows_of)
