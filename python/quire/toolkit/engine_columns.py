"""NumPy arrays as Arrow arrays for the engine, and back, by their buffers.

The conversions of PyArrow itself import pandas, which takes longer than most commands and needs 40 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.io.types import Array


def arrow_of(values: Array, pyarrow: Any, missing: NDArray[np.bool_] | None = None) -> Any:
    """Independent. Return numbers as an Arrow array, without a copy if they are contiguous; characters as
    numbers.
    """
    values = np.ascontiguousarray(values)
    values = values.view(np.uint8) if values.dtype.kind == "S" else values
    present = None if missing is None else pyarrow.py_buffer(np.packbits(~missing, bitorder="little"))
    kind = pyarrow.from_numpy_dtype(values.dtype)
    return pyarrow.Array.from_buffers(kind, len(values), [present, pyarrow.py_buffer(values)])


def arrow_of_bytes(texts: Sequence[bytes], pyarrow: Any) -> Any:
    """Independent. Return texts as an Arrow array of large_binary."""
    ends = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=ends[1:])
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts))]
    return pyarrow.Array.from_buffers(pyarrow.large_binary(), len(texts), buffers)


def numbers_in(array: Any) -> Array:
    """Independent. Return an Arrow array of numbers, with 0 for missing ones."""
    dtype = np.dtype(array.type.to_pandas_dtype())
    bits = array.buffers()[1]
    if not len(array) or bits is None:
        return np.zeros(len(array), dtype)
    values: Array = np.frombuffer(bits, dtype, len(array), array.offset * dtype.itemsize)
    missing = missing_in(array)
    return values if missing is None else np.where(missing, dtype.type(0), values)


def missing_in(array: Any) -> NDArray[np.bool_] | None:
    """Independent. Return where the values of an Arrow array are missing, None if none is."""
    if not array.null_count:
        return None
    if (present := array.buffers()[0]) is None:
        return np.ones(len(array), np.bool_)
    bits = np.unpackbits(np.frombuffer(present, np.uint8), bitorder="little")
    return np.asarray(bits[array.offset : array.offset + len(array)] == 0)
