"""Many small steps that are read together, since the calls cost more than their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.io.step import Step
from quire.io.types import Array, dtype_of

if TYPE_CHECKING:
    from quire.io.file import File


@dataclass(frozen=True, slots=True)
class GatheredSteps:
    """Consecutive steps of the same structure."""

    first: Step
    numbers: list[int]
    rows: list[int]
    """Number of rows of each step."""
    attributes: list[list[Any]]
    """For each attribute its values, one per step."""
    columns: list[Array]
    """For each column of the only table, the rows of all steps."""


def step_at(file: File, place: int) -> Step | None:
    """Collective. Return the step with an index, None after the last one."""
    core = file._core.try_at(place)
    return None if core is None else file.step_of(core, place)


def gather(file: File, place: int, most_bytes: int) -> GatheredSteps | None:
    """Collective. Read steps from an index on, as long as they are small and of one structure without fields.

    Attributes are single values. About `most_bytes` of rows are read. Returns None if there is no such step.
    """
    numbers, rows, attributes, columns = file._core.gather(place, most_bytes)
    first = step_at(file, place) if numbers else None
    if first is None:
        return None
    types = [column.type for table in first.tables.values() for column in table.columns.values()]
    arrays = [
        object_array(values) if isinstance(values, list) else values.view(dtype_of(kind))
        for kind, values in zip(types, columns, strict=True)
    ]
    return GatheredSteps(first, numbers, rows, attributes, arrays)


def object_array(texts: list[str]) -> Array:
    """Independent. Return texts as an array of objects."""
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array
