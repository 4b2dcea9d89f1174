"""Tables of other libraries as columns for writing; each library has its module."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.errors import TypeMismatchError
from quire.io.quantity import FrameColumn
from quire.io.table import Table
from quire.io.types import Array


def columns_of(data: Any) -> list[FrameColumn]:
    """Independent. Return the columns of a table of any kind.

    Kinds are mappings, structured arrays, tables of Quire, DataFrames of pandas, Arrow. Numbers in one piece
    of memory are not copied. Raises type errors for other objects.
    """
    if isinstance(data, np.ndarray):
        return structured_columns(data)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        from quire.io import pandas as interface

        return interface.columns_of(data)
    if isinstance(data, Table):
        return table_columns(data)
    if isinstance(data, Mapping):
        return [FrameColumn(str(name), values) for name, values in data.items()]
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        from quire.io import arrow

        return arrow.columns_of(data)
    raise TypeMismatchError(
        f"a {type(data).__name__} is not a table",
        advice="give a mapping from names to values, a structured array, a DataFrame or an Arrow table",
    )


def table_columns(table: Table) -> list[FrameColumn]:
    """Independent. Return the columns of a table of Quire."""
    values = table.read()
    return [
        FrameColumn(name, values[name], column.texts, column.type) for name, column in table.columns.items()
    ]


def structured_columns(array: Array) -> list[FrameColumn]:
    """Independent. Return the fields of a structured array as views."""
    if array.dtype.names is None:
        raise TypeMismatchError(
            f"an array of NumPy type {array.dtype} is not a table",
            advice="give a structured array, or put its columns",
        )
    return [FrameColumn(name, array[name]) for name in array.dtype.names]
