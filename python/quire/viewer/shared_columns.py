"""Columns that several plots of a step read once: they are kept while there is room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire.io.rows import select

if TYPE_CHECKING:
    from quire.viewer.jobs import Job

Array = np.ndarray[Any, Any]

MOST_BYTES: Final = 64 << 20
"""Of all columns that are kept. Those of larger steps are read by each plot, block by block."""

TEXTS: Final = ("string", "character")

WAITED: Final = 0.1
"""Seconds after which a plot that waits for the columns of another one checks whether it goes on."""

Read = Callable[[Sequence[str]], Mapping[str, Array]]


class SharedColumns:
    """The columns that were used last, by their place. Threads share it: one reads, and the others wait."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._columns: OrderedDict[Hashable, Future[Array]] = OrderedDict()

    def has(self, place: Hashable, names: Iterable[str]) -> bool:
        """Independent. Return whether the columns of a table are there, or are being read."""
        with self._lock:
            return all((place, name) in self._columns for name in names)

    def found(
        self, place: Hashable, names: Sequence[str], read: Read, check: Callable[[], None]
    ) -> dict[str, Array]:
        """Independent. Return columns of a table; `read` is called for those that no thread has read.

        Raises the errors of `read`. While another thread reads, `check` is called, which may raise others.
        """
        waiting: dict[str, Future[Array]] = {}
        mine: list[str] = []
        with self._lock:
            for name in names:
                one = self._columns.get((place, name))
                if one is None:
                    mine.append(name)
                    one = self._columns[place, name] = Future()
                self._columns.move_to_end((place, name))
                waiting[name] = one
        if mine:
            self._fill(place, {name: waiting[name] for name in mine}, read)
        return {name: self._awaited(one, place, name, read, check) for name, one in waiting.items()}

    def _fill(self, place: Hashable, columns: Mapping[str, Future[Array]], read: Read) -> None:
        """Read columns for those who wait."""
        try:
            values = read(list(columns))
        except BaseException as problem:
            with self._lock:
                for name, one in columns.items():
                    if self._columns.get((place, name)) is one:
                        del self._columns[place, name]
            for one in columns.values():
                one.set_exception(problem)
            raise
        for name, one in columns.items():
            values[name].setflags(write=False)
            one.set_result(values[name])
        self._leave()

    def _awaited(
        self, column: Future[Array], place: Hashable, name: str, read: Read, check: Callable[[], None]
    ) -> Array:
        """Return a column that may be read by another thread. If that ended, this one reads it."""
        while True:
            try:
                return column.result(WAITED)
            except TimeoutError:
                check()
            except Exception:
                return self.found(place, [name], read, check)[name]

    def _leave(self) -> None:
        """Forget what was used least recently, until there is room."""
        with self._lock:
            known = [(key, one.result().nbytes) for key, one in self._columns.items() if one.done()]
            total = sum(size for _, size in known)
            for key, size in known:
                if total <= self.most:
                    break
                del self._columns[key]
                total -= size


@dataclass(frozen=True)
class SharedTable:
    """The shared columns of one table, whose place is the file as it is, the step and the name."""

    columns: SharedColumns
    place: Hashable

    def suits(self, table: Any, names: Sequence[str], rows: Any) -> bool:
        """Independent. Return whether rows are rather taken from whole columns: numbers, and not too many."""
        known = table.columns
        if not names or not all(name in known and known[name].type not in TEXTS for name in names):
            return False
        if sum(len(table) * known[name].dtype.itemsize for name in names) > self.columns.most:
            return False
        return 2 * select(rows, len(table)).count > len(table) or self.columns.has(self.place, names)

    def blocks(
        self, table: Any, names: Sequence[str], size: int | None, rows: Any, job: Job
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`, of columns that are read once."""

        def read(wanted: Sequence[str]) -> dict[str, Array]:
            made = {name: np.empty(len(table), table.columns[name].dtype) for name in wanted}
            for first, block in table.blocks(wanted):
                for name, values in made.items():
                    values[first : first + len(block[name])] = block[name]
                job.progress(first / max(len(table), 1))
            return made

        found = self.columns.found(self.place, names, read, job.check)
        part = select(rows, len(table))
        size = size or table.rows_per_block(names)
        for first in range(part.first, part.first + part.count, size):
            last = min(first + size, part.first + part.count)
            yield first, {name: values[first:last] for name, values in found.items()}
