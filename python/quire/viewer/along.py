"""Attributes of steps, and quantities of their particles, along the steps of files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.beam.quantities import quantity_names
from quire.beam.request import BeamRequest
from quire.beam.result import beam_of_step
from quire.errors import Error, MissingError, UsageError
from quire.near import there_is_no
from quire.toolkit.curves import expression_of, scalar, with_terms
from quire.viewer.answers import Frame
from quire.viewer.common_units import CommonUnits
from quire.viewer.cuts import cut_of
from quire.viewer.describe import TEXTS, quantity
from quire.viewer.following import Selection
from quire.viewer.jobs import Job
from quire.viewer.opening import Failures, followed_step

if TYPE_CHECKING:
    from quire import File, Step
    from quire.viewer.asked import Asked
    from quire.viewer.library import Kept, Library, Source

STEP: Final = "step"
"""The number of a step, as a quantity."""

SENT_EVERY: Final = 0.25
"""Seconds between two frames of points."""


@dataclass
class Points:
    """Numbers of steps of a file: a row for each step, a column for each term."""

    file: int
    rows: list[list[float]] = field(default_factory=list)
    found: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Descriptions of the terms."""

    def frame(self, terms: Sequence[str], is_last: bool) -> Frame:
        """Independent. Return the points so far."""
        values = np.array(self.rows, dtype=np.float64).reshape(-1, len(terms))
        described = [self.found.get(term, {"name": term, "unit": ""}) for term in terms]
        content = {"file": self.file, "terms": described, "isLast": is_last}
        return Frame("points", content, [np.ascontiguousarray(values.T)])


def along(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield the values of terms along the steps of each file, more and more of them.

    A term is `step`, an attribute of the steps, a quantity of their particles, or an expression of
    attributes. Steps without one of them have NaN. Raises MissingError for a term that no step has.
    """
    terms = list(dict.fromkeys([asked.text("x") or STEP, *asked.terms("ys")]))
    files = list(dict.fromkeys(file for file, _ in asked.sources()))
    run = Run(library, asked, terms, job)
    failures = Failures()
    for place, number in enumerate(files):
        try:
            yield from run.frames(library.source(number), (place / len(files), (place + 1) / len(files)))
        except Error as problem:
            failures.errors[number] = problem
    if len(failures.errors) == len(files):
        raise failures.errors[files[0]]
    run.require_all_terms()
    if failures.errors:
        yield Frame("failed", {"failed": failures.content})


@dataclass
class Run:
    """What is drawn along the steps of files, and what was seen in their steps."""

    library: Library
    asked: Asked
    terms: Sequence[str]
    job: Job
    common: CommonUnits = field(default_factory=CommonUnits)
    found: set[str] = field(default_factory=set)
    seen: dict[str, None] = field(default_factory=dict)
    columns: set[str] = field(default_factory=set)
    """Columns of numbers that tables of the steps have."""
    failed: list[Error] = field(default_factory=list)
    """Errors of quantities of particles."""

    @property
    def table(self) -> str:
        """The name of the table of the particles; empty: the first one."""
        return self.asked.text("table")

    def frames(self, source: Source, span: tuple[float, float]) -> Iterator[Frame]:
        """Independent. Yield the values of the terms along the steps of a file, more and more of them."""
        points = Points(source.number)
        last = time.monotonic()
        with source.opened() as (file, kept):
            share = (span[1] - span[0]) / max(len(file), 1)
            for index, step in file.readable():
                self.job.span = (span[0] + index * share, span[0] + (index + 1) * share)
                self.job.progress(0.0)
                self.seen.update(dict.fromkeys(step.attrs))
                self.columns.update(columns_of_numbers(step, self.table))
                points.rows.append(numbers_of(Asker(file, step, self, source, kept), self.terms, points))
                if time.monotonic() - last > SENT_EVERY:
                    last = time.monotonic()
                    yield points.frame(self.terms, is_last=False)
        self.found.update(points.found)
        yield points.frame(self.terms, is_last=True)

    def require_all_terms(self) -> None:
        """Independent. Raises the error of a term that no step has."""
        missing = [term for term in self.terms if term not in self.found]
        if self.failed and missing:
            raise self.failed[0]
        if found := next((term for term in missing if term in self.columns), None):
            raise values_of_rows(found)
        if missing and self.seen:
            known = [*self.seen, *quantity_names()]
            raise MissingError(there_is_no("attribute", missing[0], known, " of steps"))


@dataclass(frozen=True)
class Asker:
    """A step of a file, and what is asked of its particles."""

    file: File
    step: Step
    run: Run
    source: Source
    kept: Kept

    def noted(
        self, term: str, value: float | None, described: dict[str, Any], found: dict[str, dict[str, Any]]
    ) -> float | None:
        """Independent. Return a value in the common unit of its term, and note what the term is."""
        [scale] = self.run.common.scales([described], self.source.label)
        found.setdefault(term, self.run.common.described(described))
        return None if value is None else float(scale(value))

    def beam(self) -> Mapping[str, Any] | None:
        """Independent. Return the quantities of the particles, or None; the run then has the reason."""
        run = self.run
        place = self.source.number, self.step.number

        def quantities(request: BeamRequest) -> dict[str, Any]:
            step: Any = followed_step(run.library, run.asked, run.job, place, self.step, self.kept)
            return {one.name: one for one in beam_of_step(step, request).quantities}

        try:
            where = cut_of(run.library, run.asked, self.source.number, self.step)
            request = BeamRequest(where, run.table)
            asked = ("beam", place, request.table, request.where, Selection.of(run.library, run.asked))
            return self.kept.found(asked, lambda: quantities(request))
        except Error as problem:
            self.run.failed.append(problem)
            return None


def numbers_of(asker: Asker, terms: Sequence[str], points: Points) -> list[float]:
    """Independent. Return the values of terms in a step, and note their descriptions."""
    return [
        value if (value := number_of(asker, term, points.found)) is not None else np.nan for term in terms
    ]


def number_of(asker: Asker, term: str, found: dict[str, dict[str, Any]]) -> float | None:
    """Independent. Return the value of a term in a step; None if it has none."""
    step = asker.step
    if term == STEP and STEP not in step.attrs:
        found.setdefault(term, {"name": term, "unit": "", "symbol": "", "description": "number of the step"})
        return float(step.number)
    if term in step.attrs:
        described = {**quantity(step.attrs.info[term]), "isAttribute": True}
        return asker.noted(term, scalar(term, step.attrs[term]), described, found)
    if term in known_names():
        one = (asker.beam() or {}).get(term)
        if one is None:
            return None
        found.setdefault(
            term,
            {"name": term, "unit": one.unit, "symbol": "", "description": one.description, "isBeam": True},
        )
        return float(one.value)
    if expression_of(term) is None:
        return None
    watched = asker.source.watched(step, asker.run.job, asker.kept)
    try:
        [made] = with_terms(asker.file, [watched], [term], asker.run.table, of_steps=True, reads_others=False)
    except MissingError as problem:
        asker.run.failed.append(quantity_in(term, [*step.attrs, *asker.run.columns]) or problem)
        return None
    if term not in made.attrs:
        raise values_of_rows(term)
    described = {**quantity(made.attrs.info[term]), "isAttribute": True}
    return asker.noted(term, scalar(term, made.attrs[term]), described, found)


def columns_of_numbers(step: Step, table: str) -> list[str]:
    """Independent. Return the names of the columns of numbers of a table, by default of the first one."""
    tables = step.tables
    chosen = tables.get(table) if table else next(iter(tables.values()), None)
    return [] if chosen is None else [one.name for one in chosen.columns.values() if one.type not in TEXTS]


def values_of_rows(term: str) -> UsageError:
    """Independent. Return the error of a term that has a value for each row of a step."""
    mean = f"mean_{term}"
    other = f", or the quantity {mean} of the beam" if mean in known_names() else ""
    return UsageError(
        f"'{term}' has a value for each row; a line along the steps needs one for each step",
        advice=f"write a statistic such as max({term}){other}",
    )


def quantity_in(term: str, others: Sequence[str]) -> UsageError | None:
    """Independent. Return the error of an expression with a quantity of the beam, None for one without.

    `others` are names that are attributes or columns.
    """
    expression = expression_of(term)
    names = expression.names if expression is not None else []
    found = next((one for one in names if one in known_names() and one not in others), None)
    if found is None:
        return None
    return UsageError(
        f"'{term}' contains {found}, a quantity of the beam, which is no part of expressions",
        advice=f"write {found} alone; expressions have attributes, and statistics such as max(x)",
    )


@cache
def known_names() -> frozenset[str]:
    """Independent. Return the names of the quantities of particles."""
    return frozenset(quantity_names())
