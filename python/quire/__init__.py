"""Parallel I/O for the self-describing data of accelerator and particle-in-cell codes.

    with quire.open(path) as file:
        for step in file:
            print(step.number, step["x"][:10])

A file is a sequence of steps; a step has attributes, tables of columns, and fields. See docs/python.md.
"""

from quire._core import __version__
from quire.errors import (
    AbortedError,
    BadFileError,
    ConflictError,
    DeadlineError,
    Error,
    InputOutputError,
    InternalError,
    MemoryBudgetError,
    MissingError,
    TypeMismatchError,
    UnsupportedError,
    UsageError,
)
from quire.io.attributes import Attribute
from quire.io.field import Field
from quire.io.file import File, open, repair
from quire.io.formats import formats
from quire.io.report import CheckReport, Counters, Timing
from quire.io.step import Step
from quire.io.table import Column, Table
from quire.io.write_step import WriteStep
from quire.io.writer import Writer, append, create

__all__ = [
    "AbortedError",
    "Attribute",
    "BadFileError",
    "CheckReport",
    "Column",
    "ConflictError",
    "Counters",
    "DeadlineError",
    "Error",
    "Field",
    "File",
    "InputOutputError",
    "InternalError",
    "MemoryBudgetError",
    "MissingError",
    "Step",
    "Table",
    "Timing",
    "TypeMismatchError",
    "UnsupportedError",
    "UsageError",
    "WriteStep",
    "Writer",
    "__version__",
    "append",
    "create",
    "formats",
    "open",
    "repair",
]
