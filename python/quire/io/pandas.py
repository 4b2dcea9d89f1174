"""pandas: tables as DataFrame, and DataFrames as columns. Units and texts are in `attrs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import TypeMismatchError, UsageError
from quire.io.foreign import require
from quire.io.quantity import TEXTS, FrameColumn
from quire.io.rows import Rows, select
from quire.io.texts import Texts
from quire.io.types import Array

if TYPE_CHECKING:
    from quire.io.table import Table


def attrs_key(text: str) -> str:
    """Independent. Return the key of texts in `attrs`: units, symbols, descriptions, displays."""
    return f"{text}s"


def to_pandas(table: Table, names: Sequence[str], rows: Rows | None = None) -> Any:
    """Independent. Read columns as a DataFrame.

    Numbers are not copied. The index contains the row numbers of the table. Texts are checked for bytes that
    are not UTF-8, which is about a fifth of the time for a column of short texts.
    """
    pandas = require("pandas", "a table for pandas")
    selection = select(rows, len(table))
    end = selection.start + selection.count * selection.step
    return frame_of(table.read(names, rows), pandas.RangeIndex(selection.start, end, selection.step), table)


def frame_of(arrays: Mapping[str, Array], index: Any, table: Table) -> Any:
    """Independent. Return columns of a table as a DataFrame, with their texts."""
    pandas = require("pandas", "a table for pandas")
    columns = {}
    for name, read in arrays.items():
        values = series_values(read)
        # pandas would infer its own type of texts, which supports valid UTF-8 only.
        columns[name] = values if is_utf8(values) else pandas.Series(values, index, dtype=object)
    frame = pandas.DataFrame(columns, index=index, copy=False)
    for text in TEXTS:
        found = {name: words for name in columns if (words := str(getattr(table[name], text)))}
        if found:
            frame.attrs[attrs_key(text)] = found
    return frame


def series_values(values: Array) -> Array:
    """Independent. Return values for pandas, with single characters as text."""
    if values.dtype.kind != "S":
        return values
    texts = np.empty(len(values), dtype=object)
    texts[:] = [value.decode("utf-8", "surrogateescape") for value in values.tolist()]
    return texts


def is_utf8(values: Array) -> bool:
    """Independent. Return whether texts are valid UTF-8, without surrogates for other bytes."""
    if values.dtype.kind != "O":
        return True
    try:
        for value in values:
            str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def columns_of(frame: Any) -> list[FrameColumn]:
    """Independent. Return the columns of a DataFrame for writing, without its index."""
    columns = []
    for place, name in enumerate(frame.columns):
        if not isinstance(name, str):
            raise UsageError(
                f"a column of the DataFrame is called {name!r}",
                advice="names are text: use frame.rename(columns=...)",
            )
        words = Texts(*(str(frame.attrs.get(attrs_key(text), {}).get(name, "")) for text in TEXTS))
        columns.append(FrameColumn(name, values_of(frame.iloc[:, place], name), words))
    return columns


def values_of(series: Any, name: str) -> Array:
    """Independent. Return the values of a series as an array. Raises type errors for missing values."""
    is_float = isinstance(series.dtype, np.dtype) and series.dtype.kind == "f"
    if not is_float and bool(series.isna().any()):
        raise TypeMismatchError(
            f"{int(series.isna().sum())} values are missing, which files cannot store",
            object=name,
            advice="replace them by .fillna(value)",
        )
    dtype = getattr(series.dtype, "numpy_dtype", None)  # of the nullable numbers
    values: Array = series.to_numpy() if dtype is None or dtype.kind not in "iuf" else series.to_numpy(dtype)
    return values
