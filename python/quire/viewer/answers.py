"""Answers of the server: frames of JSON with arrays of numbers after it."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from quire.errors import Error

Array = np.ndarray[Any, Any]

TYPES: Final = {"uint32": "<u4", "float32": "<f4", "float64": "<f8"}
"""Types of arrays, as the page knows them."""


@dataclass(frozen=True)
class Frame:
    """A part of an answer: its kind, what the page shows, and arrays of numbers."""

    kind: str
    content: Mapping[str, Any] = field(default_factory=dict)
    arrays: Sequence[Array] = ()

    @property
    def packed(self) -> bytes:
        """Two lengths in bytes, as 32-bit integers; then JSON; then the arrays, one after another."""
        found = [packed_array(one) for one in self.arrays]
        shapes = [{"type": kind, "shape": list(array.shape)} for kind, array in found]
        head = json_bytes({"kind": self.kind, **self.content, "arrays": shapes})
        body = b"".join(array.tobytes() for _, array in found)
        return struct.pack("<II", len(head), len(body)) + head + body


def packed_array(array: Array) -> tuple[str, Array]:
    """Independent. Return an array of counts as uint32, and one of other numbers as it is or as float64."""
    if array.dtype.kind in "iu":
        most = np.iinfo(np.uint32).max
        kind = "uint32" if array.size == 0 or array.max() <= most else "float64"
    else:
        kind = "float32" if array.dtype == np.float32 else "float64"
    return kind, np.ascontiguousarray(array, TYPES[kind])


def plain(value: Any) -> Any:
    """Independent. Return a value for JSON: numbers that are not finite are None."""
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def json_bytes(value: Any) -> bytes:
    """Independent. Return a value as JSON. Bytes of names that are not UTF-8 are replaced."""
    text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")


def error_content(problem: Exception) -> dict[str, str]:
    """Independent. Return what the page shows of an error: a sentence, and what to do."""
    if isinstance(problem, Error):
        return {"error": str(problem), "advice": problem.advice}
    if isinstance(problem, MemoryError):
        return {"error": "there is not enough memory for this", "advice": "take fewer bins"}
    return {"error": f"{type(problem).__name__}: {problem}", "advice": ""}
