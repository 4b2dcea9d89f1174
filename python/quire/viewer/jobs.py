"""Computations that can be stopped: each replaces the one before it for the same plot."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from quire.errors import MissingError
from quire.io.expression import Expression
from quire.io.matches import Matches
from quire.near import there_is_no

if TYPE_CHECKING:
    from quire.io.rows import Rows
    from quire.viewer.shared_columns import SharedTable

REPORTED_EVERY: Final = 0.1
"""Seconds between two reports of progress."""


class Stopped(Exception):  # noqa: N818
    """A computation ends since its result is not wanted any more."""


class Job:
    """A computation for one plot. It ends at the next block of rows after `stop`."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._last = time.monotonic()
        self.report: Callable[[float], None] = lambda share: None
        """Called with the share that is done, a few times in a second."""
        self.stopped: Callable[[], None] = lambda: None
        """Called when the computation shall end, before it does."""
        self.span = (0.0, 1.0)
        """Where the pass that runs begins and ends, in the whole computation."""

    def stop(self) -> None:
        """Independent. End the computation, from another thread."""
        self._stopped.set()
        self.stopped()

    def check(self) -> None:
        """Independent. Raise Stopped if the computation shall end."""
        if self._stopped.is_set():
            raise Stopped

    def progress(self, share: float) -> None:
        """Independent. Report progress of a pass, and raise Stopped if the computation shall end."""
        self.check()
        now = time.monotonic()
        if now - self._last >= REPORTED_EVERY:
            self._last = now
            begin, end = self.span
            self.report(begin + (end - begin) * min(share, 1.0))


class Jobs:
    """The computations that run, by the name of their plot."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Job] = {}

    def begin(self, plot: str) -> Job:
        """Independent. Return a new job, and stop the one before it for this plot."""
        job = Job()
        with self._lock:
            before = self._running.pop(plot, None)
            self._running[plot] = job
        if before is not None:
            before.stop()
        return job

    def stop_all(self) -> None:
        """Independent. Stop all jobs."""
        with self._lock:
            for job in self._running.values():
                job.stop()

    def end(self, plot: str, job: Job) -> None:
        """Independent. Forget a job that has ended."""
        job.stop()
        with self._lock:
            if self._running.get(plot) is job:
                del self._running[plot]


class WatchedTable:
    """A table that checks whether the job goes on, at each block of rows and whenever it is asked for
    something. It has the interface of a table. Its columns may be `shared` with other plots.
    """

    def __init__(self, table: Any, job: Job, shared: SharedTable | None = None) -> None:
        self._table = table
        self._job = job
        self._shared = shared

    def __getattr__(self, name: str) -> Any:
        self._job.check()
        return getattr(self._table, name)

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, name: str) -> Any:
        return self._table[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._table.columns

    def where(self, condition: Expression | str, rows: Rows | None = None) -> Matches:
        """Independent. Return the rows that satisfy a condition. That of a text reads no other file."""
        if isinstance(condition, str):
            condition = Expression(condition, reads_others=False)
        return Matches(self, condition, rows)  # type: ignore[arg-type]

    def rows(self, where: str | None) -> Any:
        """Independent. Return the rows that satisfy a condition, or the table itself without one."""
        return self if where is None else self.where(where)

    def blocks(
        self, names: Any = None, rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Independent. Like `Table.blocks`."""
        self._job.check()
        wanted = [names] if isinstance(names, str) else list(self if names is None else names)
        if self._shared is not None and self._shared.suits(self._table, wanted, rows):
            blocks = self._shared.blocks(self._table, wanted, rows_per_block, rows, self._job)
        else:
            blocks = self._table.blocks(wanted, rows_per_block, rows)
        for first, block in blocks:
            yield first, block
            self._job.progress(first / max(len(self._table), 1))
            if progress is not None:
                progress(first + len(next(iter(block.values()), ())), len(self._table))


class Tables(dict[str, Any]):
    """Tables by name. One that is missing is an error in words."""

    def __missing__(self, name: str) -> Any:
        raise MissingError(there_is_no("table", name, list(self)))


class WatchedStep:
    """A step with watched tables. Their columns are shared with other plots as `shared` says of a name."""

    def __init__(self, step: Any, job: Job, shared: Callable[[str], SharedTable] | None = None) -> None:
        self._step = step
        self.tables = Tables(
            (name, WatchedTable(table, job, None if shared is None else shared(name)))
            for name, table in step.tables.items()
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._step, name)

    @property
    def table(self) -> Any:
        """Independent. Return the first table. Raises MissingError if there is none."""
        for table in self.tables.values():
            return table
        return self._step.table
