"""Tables of numbers for the page: quantities of a beam, statistics of columns, and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.beam.conventions import convention_named
from quire.beam.request import BeamRequest
from quire.beam.result import beam_of_step
from quire.beam.stored import Stored, stored_quantities
from quire.errors import Error
from quire.toolkit.selection import select_names
from quire.toolkit.statistics import StatisticsRequest, statistics_of
from quire.viewer.answers import Frame
from quire.viewer.cuts import cut_of
from quire.viewer.describe import quantity, text_of
from quire.viewer.following import FollowedTable, Selection
from quire.viewer.jobs import Job
from quire.viewer.opening import followed_step, open_table

if TYPE_CHECKING:
    from quire.viewer.asked import Asked
    from quire.viewer.library import Library

MOST_ROWS: Final = 1000
"""Rows of an answer."""

MOST_FIRST: Final = (1 << 62) - 1


NOTHING: Final = {
    "title": "",
    "warnings": [],
    "isBeam": False,
    "reason": "this step has no table",
    "quantities": [],
}
"""The numbers of a step without a table."""


def beam_quantities(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield the quantities of the particles of a step that satisfy the condition.

    If the columns are no particles in a known convention, the statistics of columns, and why.
    """
    [(file, number), *_] = asked.sources()
    with library.source(file).opened() as (opened, kept):
        step = followed_step(library, asked, job, (file, number), opened.step(number), kept)
        request = BeamRequest(cut_of(library, asked, file, step), asked.text("table"))
        place = number, request.table, request.where, Selection.of(library, asked)
        if not step.tables:
            yield Frame("quantities", {"file": file, "step": number, **NOTHING})
            return
        # Stored quantities are those of all particles.
        compares = request.where is None and Selection.of(library, asked) is None
        try:
            content = kept.found(
                ("quantities", *place), lambda: beam_content(step, request, compares=compares)
            )
        except Error as problem:
            reason = str(problem)
            if request.where is not None:
                step.table.where(request.where)  # a wrong condition is the error that is shown
            content = kept.found(("statistics", *place), lambda: statistics_content(step, request, reason))
        table = step.tables[request.table] if request.table else step.table
        followed = table.followed.content if isinstance(table, FollowedTable) else None
    yield Frame("quantities", {"file": file, "step": number, "followed": followed, **content})


def beam_content(step: Any, request: BeamRequest, *, compares: bool) -> dict[str, Any]:
    """Independent. Return the quantities of a beam for the page, with `compares` also stored ones."""
    beam = beam_of_step(step, request)
    stored: Mapping[str, Stored] = {}
    if compares:
        quantities = {one.name: one for one in beam.quantities}
        stored = stored_quantities(convention_named(beam.convention), step.attrs.info, quantities)
    return {
        "title": f"{beam.species.name}s, convention {beam.convention}",
        "warnings": beam.warnings,
        "isBeam": True,
        "quantities": [
            {
                "name": one.name,
                "value": one.value,
                "unit": one.unit,
                "text": one.reason or one.description,
                "stored": vars(stored[one.name]) if one.name in stored else None,
            }
            for one in beam.quantities
        ],
    }


def statistics_content(step: Any, request: BeamRequest, reason: str) -> dict[str, Any]:
    """Independent. Return the statistics of columns for the page."""
    asked = StatisticsRequest(table=request.table, where=request.where)
    found = statistics_of(step, asked)
    return {
        "title": "statistics of columns",
        "warnings": [],
        "isBeam": False,
        "reason": reason,
        "quantities": [
            {"name": one.name, "value": one.value, "unit": one.unit, "text": one.description}
            for one in found.quantities
        ],
    }


def rows_of_step(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield some of the rows of a step that satisfy the condition, as texts."""
    place, *_ = asked.sources()
    first = asked.integer("first", 0, MOST_FIRST, 0)
    most = asked.integer("count", 1, MOST_ROWS, 100)
    with ExitStack() as stack:
        terms = asked.terms("columns")
        table = open_table(stack, library, asked, job, place, terms).table
        names = select_names(terms or None, list(table), "column")
        numbers, rows = chosen_rows(table, names, asked.text("where") or None, first, most + 1)
    content = {
        "file": place[0],
        "step": place[1],
        "first": first,
        "tableRows": len(table),
        "columns": [quantity(table[name]) for name in names],
        "numbers": [str(one) for one in numbers[:most]],
        "rows": rows[:most],
        "hasMore": len(numbers) > most,
    }
    yield Frame("rows", content)


def chosen_rows(
    table: Any, names: list[str], where: str | None, first: int, most: int
) -> tuple[list[int], list[list[str]]]:
    """Independent. Return numbers and texts of rows, from the first match that is wanted on."""
    numbers: list[int] = []
    rows: list[list[str]] = []
    if isinstance(table, FollowedTable):
        found: Any = table.blocks(names) if where is None else table.where(where).blocks(names)
        skipped = first
    elif where is None:
        first = min(first, len(table))
        found = table.blocks(names, None, (first, min(most, len(table) - first))) if names else ()
        skipped = 0
    else:
        found = table.where(where).blocks(names)
        skipped = first
    for place, block in found:
        count = len(block[names[0]])
        if skipped >= count:
            skipped -= count
            continue
        wanted = slice(skipped, skipped + most - len(rows))
        skipped = 0
        some = place if isinstance(place, np.ndarray) else np.arange(place, place + count)
        numbers += some[wanted].tolist()
        columns = [block[name][wanted].tolist() for name in names]
        rows += [list(map(text_of, row)) for row in islice(zip(*columns, strict=True), most)]
        if len(rows) >= most:
            break
    return numbers, rows
