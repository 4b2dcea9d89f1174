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
from quire.viewer.describe import quantity
from quire.viewer.jobs import Job, WatchedStep

if TYPE_CHECKING:
    from quire import File, Step
    from quire.viewer.asked import Asked
    from quire.viewer.library import Kept, Library

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
    request = BeamRequest(asked.text("where") or None, asked.text("table"))
    files = list(dict.fromkeys(file for file, _ in asked.sources()))
    found: dict[str, dict[str, Any]] = {}
    seen: dict[str, None] = {}
    failed: list[Error] = []
    for place, number in enumerate(files):
        source = library.source(number)
        with source.opened() as file:
            points = Points(number)
            last = time.monotonic()
            total = len(file)
            for index, step in file.readable():
                job.span = ((place + index / total) / len(files), (place + (index + 1) / total) / len(files))
                job.progress(0.0)
                seen.update(dict.fromkeys(step.attrs))
                points.rows.append(
                    numbers_of(Asker(file, step, request, source.kept, job, failed), terms, points)
                )
                if time.monotonic() - last > SENT_EVERY:
                    last = time.monotonic()
                    yield points.frame(terms, is_last=False)
            found.update(points.found)
            yield points.frame(terms, is_last=True)
    missing = [term for term in terms if term not in found]
    if failed and missing:
        raise failed[0]
    if missing and seen:
        raise MissingError(there_is_no("attribute", missing[0], [*seen, *quantity_names()], " of steps"))


@dataclass(frozen=True)
class Asker:
    """A step of a file, and what is asked of its particles."""

    file: File
    step: Step
    request: BeamRequest
    kept: Kept
    job: Job
    failed: list[Error]
    """Errors of quantities of particles."""

    def beam(self) -> Mapping[str, Any] | None:
        """Independent. Return the quantities of the particles, or None; `failed` then has the reason."""
        asked = ("beam", self.step.number, self.request.table, self.request.where)
        try:
            return self.kept.found(asked, lambda: quantities_of(self.step, self.request, self.job))
        except Error as problem:
            self.failed.append(problem)
            return None


def quantities_of(step: Step, request: BeamRequest, job: Job) -> dict[str, Any]:
    """Independent. Return the quantities of the particles of a step by name."""
    beam = beam_of_step(WatchedStep(step, job), request)  # type: ignore[arg-type]
    return {one.name: one for one in beam.quantities}


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
        found.setdefault(term, {**quantity(step.attrs.info[term]), "isAttribute": True})
        return scalar(term, step.attrs[term])
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
    watched: Any = WatchedStep(step, asker.job)
    try:
        [made] = with_terms(
            asker.file, [watched], [term], asker.request.table, of_steps=True, reads_others=False
        )
    except MissingError as problem:
        asker.failed.append(problem)
        return None
    if term not in made.attrs:
        raise UsageError(f"'{term}' has a value for each row; a line along the steps needs one for each step")
    found.setdefault(term, {**quantity(made.attrs.info[term]), "isAttribute": True})
    return scalar(term, made.attrs[term])


@cache
def known_names() -> frozenset[str]:
    """Independent. Return the names of the quantities of particles."""
    return frozenset(quantity_names())
