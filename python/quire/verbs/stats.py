"""Reduce the rows of each step to numbers: means, limits, fits, and the quantities of a beam."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any, TypeVar, cast

import numpy as np

from quire import Step, _core
from quire.beam.request import BeamRequest
from quire.beam.result import beam_of_step
from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.io.attributes import Attribute
from quire.io.types import Array
from quire.near import there_is_no
from quire.numeric.reduction_table import REDUCTIONS, Options, reduction
from quire.numeric.reductions import OF_TEXTS, reduce
from quire.numeric.rows import Rows
from quire.toolkit.copied_table import CopiedTable
from quire.toolkit.selection import is_pattern, select_names
from quire.verbs.numbers import missing_in, product_unit, quotient_unit
from quire.verbs.pages import by_origin, collapsed
from quire.verbs.step_chain import StepChain
from quire.verbs.steplike import (
    MadeStep,
    MissingValues,
    StepLike,
    TableLike,
    as_floats,
    core_attribute_of,
    in_memory,
    made_from,
    new_attribute,
)

S = TypeVar("S", bound=StepChain)

USUAL = ("count", "min", "max", "mean", "std", "rms")
"""The reductions of a column that is named without one."""

CALL = re.compile(r"(?:(?P<name>[^=()]+)=)?\s*(?P<what>\w+)\((?P<arguments>.*)\)\s*")
OF_ROWS = {one.name for one in Rows.__dataclass_fields__.values()}
OF_OPTIONS = {one.name for one in Options.__dataclass_fields__.values()}
OTHERS = ("versus", "weight")


@dataclass(frozen=True)
class Reducing:
    """One reduction of the columns of a pattern."""

    what: str
    column: str
    name: str = ""
    versus: str = ""
    weight: str = ""
    rows: Rows = field(default_factory=Rows)
    options: Options = field(default_factory=Options)

    def results(self, table: TableLike) -> Iterator[Attribute]:
        """Independent. Yield the results for a table."""
        names = select_names([self.column], list(table), "column")
        if is_pattern(self.column):
            names = [name for name in names if table[name].type not in ("string", "character")]
        if len(names) > 1 and self.name and "*" not in self.name:
            raise UsageError(f"'{self.column}' names several columns; write * in the name '{self.name}'")
        for name in names:
            yield self.result(table, name)

    def result(self, table: TableLike, column: str) -> Attribute:
        """Independent. Return the result for one column."""
        others = [one for one in (self.versus, self.weight) if one]
        arrays = in_memory(table, list(dict.fromkeys([column, *select_names(others, list(table), "column")])))
        values = arrays[column]
        if values.dtype == object and reduction(self.what).name not in OF_TEXTS:
            raise TypeMismatchError(f"{self.what} is of numbers, and the column has texts", object=column)
        if reduction(self.what).has_position and values.dtype.kind in "iu":
            values = as_floats(values, column)
        value = reduce(
            self.what,
            values,
            arrays[self.weight] if self.weight else None,
            arrays[self.versus] if self.versus else None,
            self.rows,
            self.options,
        )
        name = self.name.replace("*", column) or f"{column}_{self.what}"
        unit = self.unit(table[column].unit, table[self.versus].unit if self.versus else "")
        return new_attribute(name, int(value) if self.what == "count" else value, unit=unit)

    def unit(self, y: str, x: str) -> str:
        """Independent. Return the unit of the result."""
        kind = reduction(self.what).unit_of(self.options)
        if kind == "y*x":
            return product_unit(y, x)
        if kind == "y/x":
            return quotient_unit(y, x)
        return {"y": y, "x": x}.get(kind, "")


def parse_call(text: str) -> Reducing:
    """Independent. Parse `mean(x)`, `name=slope(y, versus=s)` or `percentile(x, 90)`. Raises UsageError."""
    found = CALL.fullmatch(text)
    if found is None:
        raise UsageError(f"'{text}' is no reduction; write for example mean(x) or name=slope(y, versus=s)")
    what = reduction(found["what"]).name
    column, *words = [word.strip() for word in found["arguments"].split(",")]
    given: dict[str, Any] = {}
    for word in words:
        key, is_set, value = word.partition("=")
        if not is_set and reduction(what).needs_percent and "percent" not in given:
            key, value = "percent", word
        elif not is_set and word != "position":
            key, value = "versus", word
        given[key.strip()] = value.strip() or True
    columns = {key: str(given.pop(key)) for key in OTHERS if key in given}
    values = {key: number_of(key, value) for key, value in given.items()}
    odd = values.keys() - OF_ROWS - OF_OPTIONS
    if odd:
        raise UsageError(there_is_no("argument", sorted(odd)[0], [*OTHERS, *OF_ROWS, *OF_OPTIONS]))
    rows = Rows(**{key: value for key, value in values.items() if key in OF_ROWS})
    options = Options(**{key: value for key, value in values.items() if key in OF_OPTIONS})
    return Reducing(what, column, (found["name"] or "").strip(), **columns, rows=rows, options=options)


def number_of(key: str, value: Any) -> Any:
    """Independent. Return a number, or True. Raises UsageError."""
    if value is True or value == "true":
        return True
    try:
        return ast.literal_eval(str(value))
    except (ValueError, SyntaxError):
        raise UsageError(f"{key}={value} is no number") from None


@dataclass(frozen=True)
class Request:
    """What `stats` computes: reductions, usual ones of columns, and quantities of the beam by name."""

    reductions: Sequence[Reducing] = ()
    names: Sequence[str] = ()
    beam: BeamRequest = field(default_factory=BeamRequest)

    def results(self, step: StepLike, table: Any) -> dict[str, Attribute]:
        """Independent. Return all numbers of a step by name."""
        found: dict[str, Attribute] = {}
        for one in self.reductions:
            found.update((result.name, result) for result in one.results(table))
        unknown = []
        for name in self.names:
            if is_pattern(name) or name in table.columns:
                for what in USUAL:
                    found.update((one.name, one) for one in Reducing(what, name).results(table))
            else:
                unknown.append(name)
        return found | (self.of_beam(step, table, unknown) if unknown else {})

    def of_beam(self, step: StepLike, table: Any, names: Sequence[str]) -> dict[str, Attribute]:
        """Independent. Return quantities of the particles. Of a prefix, as `emittance`, all are meant."""
        beam = beam_of_step(cast("Step", step), replace(self.beam, table=table.name if table.name else ""))
        found = {}
        for name in names:
            meant = [one for one in beam if one == name] or [
                one for one in beam if one.startswith(f"{name}_")
            ]
            if not meant:
                choices = [*table, *beam, *REDUCTIONS]
                raise MissingError(there_is_no("column or quantity", name, choices))
            for one in meant:
                info = beam.info(one)
                found[one] = new_attribute(one, info.value, unit=info.unit)
        return found


def request_of(what: Sequence[str], beam: Mapping[str, Any]) -> Request:
    """Independent. Return the request for reductions and names, each also several with commas."""
    words = [word for text in what for word in separated(text)]
    calls = [parse_call(word) for word in words if "(" in word]
    return Request(calls, [word for word in words if "(" not in word], BeamRequest(**beam))


def separated(text: str) -> list[str]:
    """Independent. Return the parts of a text between commas that are not in parentheses."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip()]


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


def reduced(chain: S, *what: str, **beam: Any) -> S:
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


def stats(chain: S, *what: str, **beam: Any) -> S:
    """Independent. Make one row of each step, or of each group: attributes, and reductions of columns.

    Parameters
    ----------
    what : `mean(x)`, `sx=std(x)`, `slope(y, versus=s)`, `percentile(x, 90)`, `mean(x, weight=q)`,
        `max(betax, versus=s, position)`; the name of a column for the usual reductions; the name of a
        quantity of the beam, such as `emittance_nx` or `emittance` for all. Columns may be patterns
    beam : how particles are understood, as for `Step.beam`: convention, species, slices, screen, robust

    A value that does not exist is NaN. Results are called COLUMN_REDUCTION unless they are given a name.

    >>> import quire
    >>> with quire.chain("beam.h5", steps="0") as chain:
    ...     list(chain.stats("mean(x)", "sx=std(x)").read())
    ['step', 's', 'rms_x', 'rms_y', 'x_mean', 'sx']
    """
    if not what:
        raise UsageError("stats needs reductions such as mean(x), columns, or quantities of the beam")
    request = request_of(what, beam)

    def rows_of(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        names: dict[str, None] = {}

        def reduced_step(step: StepLike) -> StepLike:
            results = request.results(step, chain.table_of(step))
            names.update(dict.fromkeys(results))
            return small(step, results)

        for number, (_, some) in enumerate(by_origin(map(reduced_step, steps))):
            made = collapsed(some, number)
            made.warnings += missing_in(made, [made.table[name] for name in names])
            yield made

    return chain.through(rows_of)


def small(step: StepLike, results: Mapping[str, Attribute]) -> MadeStep:
    """Independent. Return a step with attributes only, which needs no memory for rows."""
    attributes = {
        name: info
        for name, info in step.attrs.info.items()
        if np.ndim(info.value) == 0 and info.type not in ("string", "character")
    }
    made = MadeStep(step.number, (attributes | dict(results)).values(), [], step.warnings)
    made.group_of = getattr(step, "group_of", None)
    return made
