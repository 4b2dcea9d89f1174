"""The table of a step that the page asks for, with expressions as further columns."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire.toolkit.curves import with_terms
from quire.viewer.jobs import Job, WatchedTable

if TYPE_CHECKING:
    from quire.viewer.asked import Asked
    from quire.viewer.library import Kept, Library


@dataclass(frozen=True)
class OpenTable:
    """A table, and where results for its file are kept."""

    file: int
    step: int
    table: Any
    kept: Kept


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
    opened = stack.enter_context(source.opened())
    name = asked.text("table")
    [step] = with_terms(opened, [opened.step(number)], terms, name)
    table = step.tables[name] if name else step.table
    return OpenTable(file, number, WatchedTable(table, job), source.kept)
