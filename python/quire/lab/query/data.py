"""The rows of the benchmark in two orders, their files, and conditions for a known share of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

import quire

Array = np.ndarray[Any, Any]

ORDERS: Final = ("random", "clustered")
COLUMNS: Final = ("x", "y", "z", "px", "potential", "energy")
SHARES: Final = {"1e-6": 1e-6, "1e-4": 1e-4, "1e-2": 1e-2, "0.3": 0.3}
IDS: Final = 1000
KINDS: Final = ("plain", "zones", "lists")
"""Names of one file: without an index, with limits of blocks, and with value lists of columns as well."""
LISTED: Final = ("px", "potential")


def make_columns(rows: int, order: str, seed: int) -> dict[str, Array]:
    """Independent. Return the columns of a bunch, in random order or in that of its cells."""
    random = np.random.default_rng(seed)
    z = random.normal(0.0, 1e-3, rows)
    found = {
        "x": random.normal(0.0, 1e-4, rows),
        "y": random.normal(0.0, 1e-4, rows),
        "z": z,
        "px": 1e3 * z + random.normal(0.0, 0.1, rows),
        "potential": -2e3 * z + random.normal(0.0, 0.2, rows),
        "energy": 1e8 * (1 + z) + random.normal(0.0, 1e4, rows),
    }
    ids = random.permutation(rows)
    if order == "clustered":
        cells = [np.floor(found[name] / width).astype(np.int64) for name, width in CELLS]
        places = np.lexsort(cells[::-1])
        return {**{name: values[places] for name, values in found.items()}, "id": ids}
    return {**found, "id": ids}


CELLS: Final = (("z", 1e-5), ("x", 2e-5), ("y", 2e-5))


@dataclass(frozen=True)
class Layout:
    """The rows in one order, in memory and in a file of several names."""

    order: str
    columns: dict[str, Array]
    folder: Path

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.columns["x"])

    @property
    def column_bytes(self) -> int:
        """The bytes of a column."""
        return self.columns["px"].nbytes

    def path(self, kind: str) -> Path:
        """Independent. Return the name of the file with an index of this kind."""
        return self.folder / f"{self.order}-{kind}.h5"

    def write(self) -> None:
        """Independent. Write the file, with links for its other names."""
        first = self.path(KINDS[0])
        with quire.create(first, zones=False) as out, out.step(0) as step:
            for name, values in self.columns.items():
                step.put(name, values)
        for kind in KINDS[1:]:
            self.path(kind).unlink(missing_ok=True)
            os.link(first, self.path(kind))

    @cached_property
    def _ordered(self) -> dict[str, Array]:
        return {name: np.sort(self.columns[name]) for name in LISTED}

    def above(self, share: float) -> float:
        """Independent. Return the px that this share of the rows exceeds, at least one row."""
        return float(self._ordered["px"][-1 - max(1, round(share * self.rows))])

    def below(self, share: float) -> float:
        """Independent. Return the potential that is greater than that of this share of the rows."""
        return float(self._ordered["potential"][min(max(1, round(share * self.rows)), self.rows - 1)])

    def one(self, share: float) -> tuple[str, Array]:
        """Independent. Return a condition of one column, and the rows that satisfy it."""
        limit = self.above(share)
        return f"px > {limit!r}", np.flatnonzero(self.columns["px"] > limit)

    def two(self, share: float) -> tuple[str, Array]:
        """Independent. Return a condition of two columns, and the rows that satisfy it: about this share."""
        px, potential = self.columns["px"], self.columns["potential"]
        wanted = max(1, round(share * self.rows))
        low, high = share, 1.0
        for _ in range(12):
            middle = (low * high) ** 0.5
            found = np.count_nonzero((px > self.above(middle)) & (potential < self.below(middle)))
            low, high = (middle, high) if found < wanted else (low, middle)
        limits = self.above(high), self.below(high)
        rows = np.flatnonzero((px > limits[0]) & (potential < limits[1]))
        return f"px > {limits[0]!r} and potential < {limits[1]!r}", rows

    def box(self) -> tuple[str, Array]:
        """Independent. Return a condition of six columns, and the rows that satisfy it."""
        limits = {name: float(np.std(values)) for name, values in self.columns.items() if name in COLUMNS}
        middles = {name: float(np.mean(self.columns[name])) for name in limits}
        parts, inside = [], np.ones(self.rows, bool)
        for name, width in limits.items():
            low, high = middles[name] - width, middles[name] + width
            parts.append(f"{name} > {low!r} and {name} < {high!r}")
            inside &= (self.columns[name] > low) & (self.columns[name] < high)
        return " and ".join(parts), np.flatnonzero(inside)

    def ids(self, seed: int) -> Array:
        """Independent. Return some ids, in any order."""
        count = min(IDS, self.rows)
        return np.random.default_rng(seed).choice(self.columns["id"], count, replace=False)
