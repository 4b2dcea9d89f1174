"""Parallel I/O for self-describing data of accelerator and particle-in-cell codes.

    with quire.open(path) as file:
        for step in file:
            print(step.number, step["x"][:10])

A file is a sequence of steps; a step has attributes, tables of columns, and fields.
"""

from __future__ import annotations

import importlib

# Modules such as typing take most of the time before the command line can handle an interruption.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from quire._core import __version__
    from quire.errors import (
        AbortedError,
        BadFileError,
        ConflictError,
        DataError,
        DeadlineError,
        Error,
        IndexWarning,
        InputOutputError,
        InternalError,
        MemoryBudgetError,
        MissingError,
        MissingFileError,
        TypeMismatchError,
        UnitWarning,
        UnsupportedError,
        UnsupportedOperationError,
        UsageError,
    )
    from quire.io.attributes import Attribute
    from quire.io.boxes import GridPart, disjoint_box, disjoint_boxes, grid_part, require_disjoint
    from quire.io.communicator import SELF
    from quire.io.elements import ElementBlock, ElementLayout, Elements, Expansion
    from quire.io.expression import expression
    from quire.io.field import Field
    from quire.io.file import File, finish_replacement, open, repair
    from quire.io.formats import formats
    from quire.io.grid import Grid
    from quire.io.matches import Matches
    from quire.io.report import CheckReport, Counters, Timing
    from quire.io.step import Step
    from quire.io.streams import Record, Stream, Streams, WriteStream
    from quire.io.table import Column, Table
    from quire.io.texts import Texts
    from quire.io.tracks import Tracks
    from quire.io.write_step import WriteStep
    from quire.io.writer import After, Writer, append, create
    from quire.numeric.histograms import Histogram, Histogram2D
    from quire.toolkit.convert import copy
    from quire.toolkit.indexing import IndexInfo, build_index, index_faults, index_info, remove_index
    from quire.toolkit.plots import Plots
    from quire.verbs.chain import Chain, chain
    from quire.verbs.new import new
    from quire.verbs.sql import sql
    from quire.viewer.notebook import view

__all__ = [
    "SELF",
    "AbortedError",
    "After",
    "Attribute",
    "BadFileError",
    "Chain",
    "CheckReport",
    "Column",
    "ConflictError",
    "Counters",
    "DataError",
    "DeadlineError",
    "ElementBlock",
    "ElementLayout",
    "Elements",
    "Error",
    "Expansion",
    "Field",
    "File",
    "Grid",
    "GridPart",
    "Histogram",
    "Histogram2D",
    "IndexInfo",
    "IndexWarning",
    "InputOutputError",
    "InternalError",
    "Matches",
    "MemoryBudgetError",
    "MissingError",
    "MissingFileError",
    "Plots",
    "Record",
    "Step",
    "Stream",
    "Streams",
    "Table",
    "Texts",
    "Timing",
    "Tracks",
    "TypeMismatchError",
    "UnitWarning",
    "UnsupportedError",
    "UnsupportedOperationError",
    "UsageError",
    "WriteStep",
    "WriteStream",
    "Writer",
    "__version__",
    "append",
    "build_index",
    "chain",
    "copy",
    "create",
    "disjoint_box",
    "disjoint_boxes",
    "expression",
    "finish_replacement",
    "formats",
    "grid_part",
    "index_faults",
    "index_info",
    "new",
    "open",
    "remove_index",
    "repair",
    "require_disjoint",
    "sql",
    "view",
]

# Modules of all names except errors. They are imported at first use, so that the command line can print its
# # help without NumPy and the compiled core.
_HOMES = {
    "SELF": "quire.io.communicator",
    "After": "quire.io.writer",
    "Attribute": "quire.io.attributes",
    "Chain": "quire.verbs.chain",
    "CheckReport": "quire.io.report",
    "Column": "quire.io.table",
    "Counters": "quire.io.report",
    "ElementBlock": "quire.io.elements",
    "ElementLayout": "quire.io.elements",
    "Elements": "quire.io.elements",
    "Expansion": "quire.io.elements",
    "Field": "quire.io.field",
    "File": "quire.io.file",
    "Grid": "quire.io.grid",
    "GridPart": "quire.io.boxes",
    "Histogram": "quire.numeric.histograms",
    "Histogram2D": "quire.numeric.histograms",
    "IndexInfo": "quire.toolkit.indexing",
    "Matches": "quire.io.matches",
    "Plots": "quire.toolkit.plots",
    "Record": "quire.io.streams",
    "Step": "quire.io.step",
    "Stream": "quire.io.streams",
    "Streams": "quire.io.streams",
    "Table": "quire.io.table",
    "Texts": "quire.io.texts",
    "Timing": "quire.io.report",
    "Tracks": "quire.io.tracks",
    "WriteStep": "quire.io.write_step",
    "WriteStream": "quire.io.streams",
    "Writer": "quire.io.writer",
    "__version__": "quire._core",
    "append": "quire.io.writer",
    "build_index": "quire.toolkit.indexing",
    "chain": "quire.verbs.chain",
    "copy": "quire.toolkit.convert",
    "create": "quire.io.writer",
    "disjoint_box": "quire.io.boxes",
    "disjoint_boxes": "quire.io.boxes",
    "expression": "quire.io.expression",
    "finish_replacement": "quire.io.file",
    "formats": "quire.io.formats",
    "grid_part": "quire.io.boxes",
    "index_faults": "quire.toolkit.indexing",
    "index_info": "quire.toolkit.indexing",
    "new": "quire.verbs.new",
    "open": "quire.io.file",
    "remove_index": "quire.toolkit.indexing",
    "repair": "quire.io.file",
    "require_disjoint": "quire.io.boxes",
    "sql": "quire.verbs.sql",
    "view": "quire.viewer.notebook",
}


_INSTEAD = {"convert": "copy", "load": "open", "read": "open", "save": "create", "write": "create"}
"""Names that other packages have for functions of this one."""


def __getattr__(name: str) -> Any:
    """Independent. Import a public name or module at its first use."""
    if name not in __all__:
        find_spec = importlib.import_module("importlib.util").find_spec
        if not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:
            return importlib.import_module(f"{__name__}.{name}")
        instead = f"; write {__name__}.{_INSTEAD[name]}" if name in _INSTEAD else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead}")
    home = importlib.import_module(_HOMES.get(name, "quire.errors"))
    if home.__name__ == _HOMES["File"]:
        home.File.plot = property(_plots)
    value = globals()[name] = getattr(home, name)
    return value


def _plots(file: File) -> Plots:
    """Independent. Return the pictures of a file, whose module lies above that of files."""
    return importlib.import_module(_HOMES["Plots"]).Plots(file)  # type: ignore[no-any-return]


def __dir__() -> list[str]:
    """Independent. Return the public names."""
    return sorted(__all__)
