"""Columns of steps against a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from quire.toolkit.curves import MOST_POINTS, thinned
from quire.viewer.answers import Frame
from quire.viewer.common_units import CommonUnits
from quire.viewer.describe import quantity
from quire.viewer.jobs import Job
from quire.viewer.opening import Failures, Room, open_table

if TYPE_CHECKING:
    from quire.viewer.asked import Asked
    from quire.viewer.library import Library


def curves(library: Library, asked: Asked, job: Job) -> Iterator[Frame]:
    """Independent. Yield columns, or expressions, of the rows of each file; of many rows every k-th one.

    Raises errors of reading and of what is asked.
    """
    terms = list(dict.fromkeys([asked.text("x"), *asked.terms("ys")]))
    failures, room, common = Failures(), Room(), CommonUnits()
    yield from failures.each(
        asked.sources(), lambda place: curve_frame(library, asked, job, place, terms, room, common)
    )
    if failures.errors:
        yield Frame("failed", {"failed": failures.content})


def curve_frame(
    library: Library,
    asked: Asked,
    job: Job,
    place: tuple[int, int],
    terms: Sequence[str],
    room: Room,
    common: CommonUnits,
) -> Frame:
    """Independent. Return the columns of the chosen rows of a file."""
    with ExitStack() as stack:
        found = open_table(stack, library, asked, job, place, terms)
        rows = found.table.rows(found.where)
        room.take(min(len(rows), MOST_POINTS) * len(terms), "points")
        values = thinned(rows, terms)
        described = [quantity(found.table[term]) for term in terms]
        scales = common.scales(described, library.source(found.file).label)
        content = {
            "file": found.file,
            "step": found.step,
            "terms": [common.described(one) for one in described],
            "where": found.where or "",
            "rows": len(rows),
            "tableRows": len(found.table),
        }
    return Frame(
        "curves", content, [np.stack([one(values[term]) for one, term in zip(scales, terms, strict=True)])]
    )
