"""Other libraries that find rows: of files that they write themselves, on one thread."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from quire.lab.query.data import COLUMNS, Layout

Array = np.ndarray[Any, Any]
Find = Callable[[str], Array]
"""Returns the rows that satisfy a condition."""


def numpy_rows(layout: Layout) -> Find:
    """Independent. Return a search by NumPy in memory."""
    return lambda condition: np.flatnonzero(evaluated(condition, layout.columns))


def evaluated(condition: str, columns: Any) -> Array:
    """Independent. Return for each row whether it satisfies a condition: comparisons joined by `and`."""
    parts = [one.split() for one in condition.split(" and ")]
    found = [
        columns[name] > float(limit) if sign == ">" else columns[name] < float(limit)
        for name, sign, limit in parts
    ]
    whole: Array = found[0]
    for one in found[1:]:
        whole &= one
    return whole


def h5py_rows(layout: Layout) -> Find:
    """Independent. Return a search by NumPy of columns that h5py reads."""
    h5py: Any = importlib.import_module("h5py")
    path = layout.folder / f"{layout.order}-h5py.hdf5"
    with h5py.File(path, "w") as out:
        for name in COLUMNS:
            out[name] = layout.columns[name]
    file = h5py.File(path)

    class Read(dict[str, Array]):
        def __missing__(self, name: str) -> Array:
            self[name] = file[name][:]
            return self[name]

    return lambda condition: np.flatnonzero(evaluated(condition, Read()))


def duckdb_rows(layout: Layout) -> Find:
    """Independent. Return a search by DuckDB in a Parquet file."""
    duckdb: Any = importlib.import_module("duckdb")
    path = layout.folder / f"{layout.order}-duckdb.parquet"
    engine = duckdb.connect(config={"threads": 1})
    rows = {name: layout.columns[name] for name in COLUMNS}
    engine.register("rows", rows)
    engine.execute(f"copy (select * from rows) to '{quoted(path)}' (format parquet)")
    source = f"read_parquet('{quoted(path)}', file_row_number = true)"

    def find(condition: str) -> Array:
        found = engine.execute(f"select file_row_number from {source} where {condition}").fetchnumpy()
        numbers: Array = np.asarray(found["file_row_number"])
        return numbers

    return find


def quoted(path: Path) -> str:
    """Independent. Return a name of a file for a text in SQL."""
    return str(path).replace("'", "''")


def polars_rows(layout: Layout) -> Find:
    """Independent. Return a search by polars in a Parquet file."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    polars: Any = importlib.import_module("polars")
    path = layout.folder / f"{layout.order}-polars.parquet"
    polars.DataFrame({name: layout.columns[name] for name in COLUMNS}).write_parquet(path)

    def find(condition: str) -> Array:
        wanted = polars.sql_expr(condition)
        found = polars.scan_parquet(path, row_index_name="row").filter(wanted).select("row").collect()
        numbers: Array = found["row"].to_numpy()
        return numbers

    return find


RIVALS: Final[dict[str, Callable[[Layout], Find]]] = {
    "NumPy in memory": numpy_rows,
    "h5py and NumPy": h5py_rows,
    "DuckDB on Parquet": duckdb_rows,
    "polars on Parquet": polars_rows,
}


def rivals_of(layout: Layout) -> dict[str, Find | str]:
    """Independent. Return the searches by other libraries, or why a library is missing."""
    found: dict[str, Find | str] = {}
    for name, make in RIVALS.items():
        try:
            found[name] = make(layout)
        except ImportError as problem:
            found[name] = f"not installed: {problem}"
    return found
