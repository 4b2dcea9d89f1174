"""A table with a row for each step: numbers that were computed from the steps of a file."""

from __future__ import annotations

import array
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import quire
from quire.beam.quantities import Quantity

if TYPE_CHECKING:
    from quire import Step

STEP = "step"


def numbers_of(step: Step) -> list[Quantity]:
    """Independent. Return the attributes of a step that are a single number."""
    found = []
    for name, attribute in step.attrs.info.items():
        value = np.asarray(attribute.value)
        if value.size == 1 and value.dtype.kind in "iuf":
            number = float(value.reshape(-1)[0])
            found.append(Quantity(name, number, attribute.unit, attribute.description))
    return found


class StepTable:
    """Columns of numbers, to which rows are added step by step. Those of the first step are the columns.

    A number that a later step does not have is NaN.
    """

    def __init__(self) -> None:
        self._steps = array.array("q")
        self._columns: dict[str, Quantity] = {}
        self._values: dict[str, array.array[float]] = {}

    def add(self, number: int, quantities: Iterable[Quantity]) -> None:
        """Independent. Add the row of a step. Of two quantities of one name the last counts."""
        found = {one.name: one for one in quantities if one.name != STEP}
        if not self._steps:
            self._columns = found
            self._values = {name: array.array("d") for name in found}
        self._steps.append(number)
        for name, values in self._values.items():
            values.append(found[name].value if name in found else math.nan)

    def __len__(self) -> int:
        return len(self._steps)

    def write(self, path: str | Path, comm: Any = None, format: str | None = None) -> None:
        """Collective. Write the table as a file of one step. Rank 0 writes all rows."""
        rows = len(self) if comm is None or comm.rank == 0 else 0
        with quire.create(path, comm=comm, format=format) as out, out.step(0) as step:
            number = quire.Texts(description="number of the step")
            step.put(STEP, np.array(self._steps[:rows], np.int64), number)
            for name, values in self._values.items():
                known = self._columns[name]
                texts = quire.Texts(known.unit, description=known.description)
                step.put(name, np.array(values[:rows], np.float64), texts)
