"""The relational engine: DuckDB, which reads Arrow record batches and writes what does not fit to disk."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from quire.errors import InputOutputError, MemoryBudgetError, UsageError
from quire.io.foreign import require
from quire.numeric.threads import thread_count

PURPOSE: Final = "work on tables by an engine"

LEAST_MEMORY: Final = 64 << 20
"""Bytes that the engine needs for its own blocks."""

BATCH_BYTES = 8 << 20
"""Bytes of the batches on their way into and out of the engine, if its memory has no limit."""

BATCH_SHARE: Final = 64
"""The part of a limit of the memory, as a divisor, that a batch may have."""

LEAST_BATCH_BYTES: Final = 1 << 16

ENGINE_SHARE: Final = 0.6
"""The part of a limit that the engine gets: readers, batches on their way and results take the rest."""

ROW_BYTES: Final = 64
"""What a row of a result has about."""

THREADS: int | None = None
"""Default number of threads; None is one for each core, but of limited memory one for `THREAD_BYTES`."""

THREAD_BYTES: Final = 128 << 20

KIND = re.compile(r"^\w+ Error: ")
"""What a message of the engine begins with."""

INTERRUPTION_SECONDS: Final = 0.1
"""Between looks for signals, and between interruptions of a query: before it begins one has no effect."""

T = TypeVar("T")


class Engine:
    """A database in memory, which is closed with the block of a `with` statement.

    Queries are carried out by a thread of their own: while one runs, the engine does not always look for
    signals, but a thread that waits for another does.

    Parameters
    ----------
    memory : bytes that the engine and the batches on their way may take, above which the engine writes
        temporary files; None is its default, most of the machine
    threads : None is that of `THREADS`
    """

    def __init__(self, memory: int | None = None, threads: int | None = None) -> None:
        self._duckdb = require("duckdb", PURPOSE)
        self.pyarrow = require("pyarrow", PURPOSE)
        self._failure: BaseException | None = None
        self._settings: dict[str, Any] = {
            "autoinstall_known_extensions": False,
            "enable_external_access": False,  # files are read by Quire alone
            "python_enable_replacements": False,
        }
        count = threads or THREADS
        self.batch_bytes = BATCH_BYTES
        if memory is not None:
            self.batch_bytes = min(BATCH_BYTES, max(memory // BATCH_SHARE, LEAST_BATCH_BYTES))
            self._settings["memory_limit"] = f"{max(int(memory * ENGINE_SHARE), LEAST_MEMORY)}B"
            count = count or min(thread_count(), max(1, memory // THREAD_BYTES))
        if count is not None:
            self._settings["threads"] = count

    def __enter__(self) -> Engine:
        from concurrent.futures import ThreadPoolExecutor

        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="quire-engine")
        self._folder = tempfile.TemporaryDirectory(prefix="quire-", ignore_cleanup_errors=True)
        self._database = self._duckdb.connect(config=self._settings | {"temp_directory": self._folder.name})
        # In interactive programs the engine would print one on standard output.
        self._database.execute("SET enable_progress_bar = false")
        return self

    def __exit__(self, *reason: object) -> None:
        self._worker.shutdown()
        self._database.close()
        self._folder.cleanup()

    def register(self, name: str, source: Any) -> None:
        """Independent. Name a source of record batches: an Arrow reader, table or dataset."""
        self._database.register(name, source)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Independent. Return the rows of a small result."""
        found: list[tuple[Any, ...]]
        found = self._carried_out(lambda: self._database.execute(query, list(values)).fetchall())
        return found

    def stream(self, query: str) -> tuple[Any, Iterator[Any]]:
        """Independent. Return the Arrow schema of a result, and its record batches, which are computed while
        they are read.
        """
        rows = max(1, self.batch_bytes // ROW_BYTES)
        reader = self._carried_out(lambda: self._database.sql(query).to_arrow_reader(rows))
        return reader.schema, iter(lambda: self._carried_out(lambda: next(reader, None)), None)

    def guarded(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Independent. Yield the batches of a source. Its exceptions replace those that the engine makes of
        them.
        """
        try:
            yield from batches
        except BaseException as problem:
            self._failure = problem
            raise

    def _carried_out(self, work: Callable[[], T]) -> T:
        """Return the result of work of the engine. What a signal raises meanwhile interrupts it."""
        from concurrent.futures import wait

        with self._errors():
            future = self._worker.submit(work)
            try:
                # A signal that reaches another thread does not end a wait of this one, which acts on it.
                while not future.done():
                    wait([future], INTERRUPTION_SECONDS)
                return future.result()
            finally:
                while not future.done():
                    self._database.interrupt()
                    wait([future], INTERRUPTION_SECONDS)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Convert errors of the engine to those of this package."""
        duckdb = self._duckdb
        try:
            yield
        except Exception as problem:
            if self._failure is not None:
                raise self._failure from None
            if isinstance(problem, duckdb.OutOfMemoryException):
                raise MemoryBudgetError(
                    f"the engine needs more memory: {first_line(problem)}", advice="increase --memory"
                ) from problem
            if isinstance(problem, duckdb.IOException):
                raise InputOutputError(first_line(problem), file=tempfile.gettempdir()) from problem
            if isinstance(problem, duckdb.Error):
                raise UsageError(first_line(problem)) from problem
            raise


def first_line(problem: Exception) -> str:
    """Independent. Return the message of the engine in one line, without its kind and lists of functions."""
    text = str(problem).partition("\n\n")[0].partition("\tCandidate functions")[0]
    return " ".join(KIND.sub("", text).split())
