"""The same particles in every step: those that a condition selects in one step, found by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.errors import DataError, UsageError
from quire.io.expression import Expression
from quire.io.tracks import checked_ids, find_rows, key_of
from quire.viewer.asked import LARGEST_STEP, Asked, whole
from quire.viewer.jobs import Job, WatchedTable
from quire.viewer.library import Kept

if TYPE_CHECKING:
    from quire.viewer.library import Library

Array = np.ndarray[Any, Any]

MOST_FOLLOWED: Final = 1 << 20
"""Particles of a selection."""

MOST_KEPT: Final = 16
"""Selections, and their rows in steps, that are kept of each file."""

WINDOW_ROWS: Final = 1 << 16
"""Rows that are read together if one of them is followed."""


@dataclass(frozen=True)
class Selection:
    """What selects particles: a condition in a step of a file, and the state of the file."""

    file: int
    step: int
    where: str
    state: object

    @classmethod
    def of(cls, library: Library, asked: Asked) -> Selection | None:
        """Independent. Return the selection of a request, None if it has none. Raises UsageError, and
        MissingError for a file that does not exist.
        """
        given = asked.content.get("followed")
        if given is None:
            return None
        if not isinstance(given, Mapping):
            raise UsageError("'followed' is no selection of particles")
        where = Asked(given).text("where")
        if not where:
            raise UsageError(
                "the particles to follow have no condition", advice="cut to some, and follow them"
            )
        file = whole(given.get("file"), "file", 0, LARGEST_STEP)
        step = whole(given.get("step"), "step", -LARGEST_STEP, LARGEST_STEP)
        source = library.source(file)
        with source.opened() as (_, kept):  # notices that the file was changed
            return cls(file, step, where, kept.token)


@dataclass(frozen=True)
class Followed:
    """The rows of followed particles in a table, ascending, and how many particles it does not have."""

    numbers: Array
    absent: int

    @property
    def content(self) -> dict[str, int]:
        """The counts, for the page."""
        return {"particles": len(self.numbers) + self.absent, "absent": self.absent}


class FollowedTable(WatchedTable):
    """A table of which blocks have only the rows of followed particles, with their numbers. Its length is
    that of the whole table.
    """

    def __init__(self, table: WatchedTable, job: Job, followed: Followed) -> None:
        super().__init__(table, job)
        self.followed = followed

    def rows(self, where: str | None) -> Any:
        """Independent. Return the followed rows, or those of them that satisfy a condition."""
        return FollowedRows(self._table, self.followed.numbers, where)

    def where(self, condition: Expression | str, rows: Any = None) -> Any:
        """Independent. Return those of the followed rows that satisfy a condition."""
        return FollowedRows(self._table, self.followed.numbers, condition, rows)

    def blocks(
        self, names: Any = None, rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Independent. Yield numbers and values of followed rows."""
        return FollowedRows(self._table, self.followed.numbers, None, rows).blocks(names)


class FollowedRows:
    """Rows of followed particles. It has those methods of `Matches` that pictures and numbers use."""

    def __init__(
        self, table: WatchedTable, numbers: Array, condition: Expression | str | None = None, rows: Any = None
    ) -> None:
        self._table = table
        self._condition = condition
        if condition is not None:
            table.where(condition)  # reports a wrong one
        first, last = bounds_of(rows, len(table))
        self._numbers = numbers[slice(*np.searchsorted(numbers, [first, last]))]

    def __len__(self) -> int:
        """Independent. Return the number of rows."""
        if self._condition is None:
            return len(self._numbers)
        return sum(len(numbers) for numbers, _ in self.blocks([next(iter(self._table))]))

    def blocks(
        self, names: Any = None, rows_per_block: int | None = None
    ) -> Iterator[tuple[Array, dict[str, Any]]]:
        """Independent. Yield numbers and values of the rows, from blocks that have any."""
        for rows in self._ranges():
            for place, block in self._read(names, rows):
                if isinstance(place, np.ndarray):
                    found = np.flatnonzero(np.isin(place, self._numbers, assume_unique=True))
                    numbers = place[found]
                else:
                    end = place + len(next(iter(block.values())))
                    numbers = self._numbers[slice(*np.searchsorted(self._numbers, [place, end]))]
                    found = numbers - place
                if len(found):
                    yield numbers, {name: one[found] for name, one in block.items()}

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the first row and the length of the parts of the table that have followed rows."""
        windows = np.unique(self._numbers // WINDOW_ROWS)
        for part in np.split(windows, np.flatnonzero(np.diff(windows) > 1) + 1) if len(windows) else ():
            first, last = int(part[0]) * WINDOW_ROWS, (int(part[-1]) + 1) * WINDOW_ROWS
            yield first, min(last, len(self._table)) - first

    def _read(self, names: Any, rows: tuple[int, int]) -> Iterator[tuple[Any, dict[str, Any]]]:
        if self._condition is None:
            return self._table.blocks(names, None, rows)
        return self._table.where(self._condition, rows).blocks(names)


def bounds_of(rows: Any, length: int) -> tuple[int, int]:
    """Independent. Return the first row and the end of a slice, or of a first row and a count."""
    if rows is None:
        return 0, length
    if isinstance(rows, slice):
        first, last, _ = rows.indices(length)
        return first, last
    return rows[0], rows[0] + rows[1]


def followed_in(
    library: Library, asked: Asked, job: Job, place: tuple[int, int], table: Any, kept: Kept
) -> Followed | None:
    """Independent. Return the rows of the followed particles in a table of a file and step; None if a request
    follows none.

    Raises DataError for tables without ids, UsageError for too many particles, and for a wrong condition.
    """
    selection = Selection.of(library, asked)
    if selection is None:
        return None
    found: Followed = selections_in(kept).found(
        ("rows", selection, place[1], table.name),
        lambda: rows_of(library, selection, job, WatchedTable(table, job)),
    )
    return found


def selections_in(kept: Kept) -> Kept:
    """Independent. Return where selections of a file are kept."""
    made: Kept = kept.found("followed", lambda: Kept(MOST_KEPT))
    return made


def rows_of(library: Library, selection: Selection, job: Job, table: WatchedTable) -> Followed:
    """Independent. Return the rows of the selected particles in a table."""
    with library.source(selection.file).opened() as (file, kept):
        ids = selections_in(kept).found(
            ("ids", selection, table.name),
            lambda: selected_ids(file.step(selection.step), selection, job, table.name),
        )
    found = find_rows(table, known_key(table), ids)
    present = np.sort(found[found >= 0])
    return Followed(present, len(found) - len(present))


def selected_ids(step: Any, selection: Selection, job: Job, name: str) -> Array:
    """Independent. Return the ids of the particles that a condition selects in its step."""
    table = WatchedTable(step.tables[name] if name else step.table, job)
    key = known_key(table)
    parts, count = [], 0
    for numbers, block in table.where(selection.where).blocks([key]):
        parts.append(np.array(block[key]))
        count += len(numbers)
        if count > MOST_FOLLOWED:
            raise UsageError(
                f"the condition selects more than {MOST_FOLLOWED} particles to follow",
                advice="cut to fewer, such as by a smaller box",
            )
    if not count:
        raise UsageError(
            f"the condition selects no particles in step {selection.step}", advice="follow others"
        )
    return checked_ids(np.concatenate(parts), key)


def known_key(table: WatchedTable) -> str:
    """Independent. Return the column of ids. Raises DataError in the words of the page."""
    try:
        return key_of(table, "")
    except DataError as problem:
        raise DataError(
            f"particles cannot be followed: {problem.message}",
            advice="a table needs a column id, or one only such as particleID",
        ) from None
