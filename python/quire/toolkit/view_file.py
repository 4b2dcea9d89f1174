"""HDF5 files whose datasets are views of those of other files (virtual datasets)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quire import _core
from quire.io.attributes import core_value
from quire.io.types import Array

CorePiece = tuple[str, str, Sequence[int], Sequence[int], Sequence[int]]

Place = tuple[str, str]
"""The name of a file and a path in it."""

HERE = "."
"""The name of a view's own file."""


@dataclass(frozen=True)
class Piece:
    """A dataset of a file with its extents, and the box of the view that it fills in C order."""

    place: Place
    extents: list[int]
    start: list[int]
    count: list[int]


@dataclass
class ViewFile:
    """The contents of a file of views, object by object. Paths are absolute, and groups precede members."""

    groups: list[str] = field(default_factory=list)
    attributes: list[tuple[str, _core.Attribute]] = field(default_factory=list)
    values: list[tuple[str, _core.Attribute]] = field(default_factory=list)
    counts: list[tuple[str, int]] = field(default_factory=list)
    views: list[tuple[str, str, Sequence[int], float, list[CorePiece]]] = field(default_factory=list)

    def add_group(self, path: str, **attributes: Any) -> str:
        """Independent. Add a group with attributes, and return its path."""
        self.groups.append(path)
        self.attributes += [(path, value_of(name, value)) for name, value in attributes.items()]
        return path

    def add_values(self, path: str, values: Array) -> None:
        """Independent. Add a dataset that is stored in the file itself."""
        self.values.append((path, value_of(path, values)))

    def add_integers(self, path: str, numbers: Sequence[Any]) -> None:
        """Independent. Add a stored dataset of int64."""
        self.add_values(path, np.array(numbers, dtype=np.int64))

    def add_count(self, path: str, count: int) -> None:
        """Independent. Add a dataset of the numbers 0, 1, 2 ... below `count`."""
        self.counts.append((path, count))

    def add_view(
        self,
        path: str,
        type: str,
        extents: Sequence[int],
        pieces: Sequence[Piece],
        fill: float = math.nan,
    ) -> None:
        """Independent. Add a view. Elements outside of its pieces are `fill`, or 0 for integers."""
        places: list[CorePiece] = [(*one.place, one.extents, one.start, one.count) for one in pieces]
        self.views.append((path, type, extents, fill, places))

    @property
    def own_places(self) -> list[str]:
        """The paths of datasets in the file itself to which views refer."""
        places = {piece[1]: None for *_, pieces in self.views for piece in pieces if piece[0] == HERE}
        return list(places)

    def bytes(self) -> bytes:
        """Independent. Return the bytes of the file."""
        return _core.view_file(self.groups, self.attributes, self.values, self.counts, self.views)


def value_of(name: str, value: Any) -> _core.Attribute:
    """Independent. Return a named value of the core."""
    kind, shape, elements = core_value(name, value, None, False)
    return _core.Attribute(_core.Quantity(name, kind), shape, elements)
