"""Requests for columns of a table and boxes of a field, checked and with memory, for the core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire import _core
from quire.io.boxes import Memory, Slab
from quire.io.rows import Selection
from quire.io.types import Array, type_of


def native(array: Array) -> Array:
    """Independent. Return a view of the same memory as numbers in native byte order."""
    return array if array.dtype.isnative else array.view(array.dtype.newbyteorder("="))


def typed(arrays: Mapping[str, Array]) -> list[tuple[str, Array]]:
    """Independent. Return arrays with the names of their types, for the core."""
    return [(type_of(array.dtype), array) for array in arrays.values()]


@dataclass(frozen=True, slots=True)
class Request:
    """Columns of a table, their rows, and the arrays to read into."""

    table: str
    rows: Selection | Array
    """Rows in regular distances, or their numbers."""
    targets: dict[str, Array]

    def read(self, step: _core.ReadStep) -> dict[str, Array]:
        """Independent. Read the values; returns them by column."""
        return self._execute(step.read, step.read_selected, step.read_listed)

    def read_all(self, step: _core.ReadStep) -> dict[str, Array]:
        """Collective. Read the values together with the requests of the other ranks."""
        return self._execute(step.read_all, step.read_selected_all, step.read_listed_all)

    def _execute(
        self,
        read: Callable[[str, int, int, Any, Any], None],
        read_selected: Callable[[str, Any, Any, Any], None],
        read_listed: Callable[[str, Any, Any, Any], None],
    ) -> dict[str, Array]:
        memory = {name: native(array) for name, array in self.targets.items()}
        rows = self.rows
        if isinstance(rows, np.ndarray):
            read_listed(self.table, rows, list(memory), typed(memory))
        elif rows.is_contiguous:
            read(self.table, rows.first, rows.count, list(memory), typed(memory))
        else:
            # Rows are read in the order of the file; for negative steps into a reversed view.
            views = {name: array if rows.step > 0 else array[::-1] for name, array in memory.items()}
            slab = ([rows.first], [abs(rows.step)], [rows.count], [1])
            read_selected(self.table, [slab], list(views), typed(views))
        for name, array in self.targets.items():
            if array is not memory[name]:
                memory[name].byteswap(inplace=True)
        return self.targets


@dataclass(frozen=True, slots=True)
class BoxRequest:
    """Boxes of a field, and the memory for their elements."""

    field: str
    slabs: list[Slab]
    arrays: list[tuple[str, Array]]
    """Views of `direct`, one for each component."""
    memory: Memory
    direct: Array
    """The array that the core reads into."""
    target: Array
    """The array that receives its values."""
    result: Array
    """The array that is returned: the target, or a view of it with reversed axes."""

    def read(self, step: _core.ReadStep) -> Array:
        """Independent. Read the elements."""
        step.read_field(self.field, self.slabs, self.arrays, self.memory)
        return self._deliver()

    def read_all(self, step: _core.ReadStep) -> Array:
        """Collective. Read the elements together with the requests of the other ranks."""
        step.read_field_all(self.field, self.slabs, self.arrays, self.memory)
        return self._deliver()

    def _deliver(self) -> Array:
        if self.target is not self.direct:
            self.target[...] = self.direct
        return self.result
