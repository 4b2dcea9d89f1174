"""The table of a step that the page asks for, with expressions as further columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from quire.errors import Error, UsageError
from quire.toolkit.curves import with_terms
from quire.viewer.cuts import cut_of
from quire.viewer.following import Followed, FollowedTable, Selection, followed_in
from quire.viewer.jobs import Job, WatchedStep, WatchedTable

if TYPE_CHECKING:
    from quire.viewer.asked import Asked
    from quire.viewer.library import Kept, Library


Made = TypeVar("Made")

MOST_NUMBERS: Final = 1 << 24
"""Bins, or coordinates of points, in the answer to a request."""


@dataclass
class Room:
    """The numbers that files may still add to an answer."""

    left: int = field(default_factory=lambda: MOST_NUMBERS)

    def take(self, count: int, what: str) -> None:
        """Independent. Use room for a file. Raises UsageError if there is not enough."""
        if count > self.left:
            raise UsageError(
                f"this file is not shown: all files together would have more than {MOST_NUMBERS} {what}",
                advice=f"choose fewer files, or fewer {what}",
            )
        self.left -= count


@dataclass
class Failures:
    """The files that cannot be shown, such as those without a column, while others are."""

    errors: dict[int, Error] = field(default_factory=dict)

    def each(self, places: Sequence[tuple[int, int]], make: Callable[[tuple[int, int]], Made]) -> list[Made]:
        """Independent. Return what is made of each file and step. Raises the first error if all fail."""
        made = []
        for place in places:
            try:
                made.append(make(place))
            except Error as problem:
                self.errors.setdefault(place[0], problem)
        if self.errors and not made:
            raise next(iter(self.errors.values()))
        return made

    @property
    def content(self) -> list[dict[str, Any]]:
        """Files and the sentences about them, for the page."""
        return [{"file": file, "error": str(problem)} for file, problem in self.errors.items()]


@dataclass(frozen=True)
class OpenTable:
    """A table, and where results for its file are kept."""

    file: int
    step: int
    table: Any
    kept: Kept
    where: str | None
    """The condition of its rows, in its own units."""
    selection: Selection | None = None
    """What selects the particles that are followed, if only those are shown."""
    followed: Followed | None = None


def open_table(
    stack: ExitStack,
    library: Library,
    asked: Asked,
    job: Job,
    place: tuple[int, int],
    terms: Sequence[str],
) -> OpenTable:
    """Independent. Return a table of a file and step, which is open until the stack ends.

    Raises errors of reading, and those of wrong terms.
    """
    file, number = place
    source = library.source(file)
    opened, kept = stack.enter_context(source.opened())
    name = asked.text("table")
    watched = source.watched(opened.step(number), job, kept)
    if name:
        watched.tables[name]  # raises the error of a missing table
    [step] = with_terms(opened, [watched], terms, name, reads_others=False)
    where = cut_of(library, asked, file, watched)
    table = WatchedTable(step.tables[name] if name else step.table, job)
    followed = followed_in(library, asked, job, place, table, kept)
    if followed is None:
        return OpenTable(file, number, table, kept, where)
    table = FollowedTable(table, job, followed)
    return OpenTable(file, number, table, kept, where, Selection.of(library, asked), followed)


def followed_step(
    library: Library, asked: Asked, job: Job, place: tuple[int, int], step: Any, kept: Kept
) -> WatchedStep:
    """Independent. Return a step whose first table, or that of the request, has only the particles that are
    followed.
    """
    watched: WatchedStep = library.source(place[0]).watched(step, job, kept)
    name = asked.text("table")
    if watched.tables and Selection.of(library, asked) is not None:
        table = watched.tables[name] if name else watched.table
        followed = followed_in(library, asked, job, place, table, kept)
        if followed is not None:
            watched.tables[table.name] = FollowedTable(table, job, followed)
    return watched
