"""Index of the elements of a step by kind and number, whatever tables they are stored in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from quire import Expansion, Step

Array = np.ndarray[Any, Any]

OCCURRENCE_BITS = 32


@dataclass(frozen=True)
class Kind:
    """The properties that distinguish elements of the same number: shape, and planes or lines.

    `variables` is only used if a file has blocks of different variables on the same planes.
    """

    shape: str
    y_ids: tuple[int, ...]
    z_ids: tuple[int, ...]
    strip_ids: tuple[int, ...]
    variables: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Name for messages."""
        return self.shape


def place_of(block: Expansion) -> Kind:
    """Independent. Return the kind of the elements of a block, without their variables."""
    return Kind(block.shape, block.y_ids, block.z_ids, block.strip_ids)


def kinds_with_variables(steps: Sequence[Step]) -> set[Kind]:
    """Independent. Return the kinds with blocks of different variables in a step."""
    found: set[Kind] = set()
    for step in steps:
        known: dict[Kind, set[str]] = {}
        for block in step.expansions:
            kind = place_of(block)
            if known.setdefault(kind, set(block.variables)) != set(block.variables):
                found.add(kind)
    return found


@dataclass
class ElementIndex:
    """All elements of a kind, in file order: number, block, and rows in the table of the block. 24 bytes
    each.
    """

    blocks: list[Expansion] = field(default_factory=list)
    ids: Array = field(default_factory=lambda: np.zeros(0, np.uint32))
    block: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    place: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    """Index of the element in its block."""
    first: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    count: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    def keys(self) -> Array:
        """Independent. Return a key for each element: the id, and how often it occurred before."""
        order = np.argsort(self.ids, kind="stable")
        ids = self.ids[order]
        starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]])) if len(ids) else ids
        lengths = np.diff(np.concatenate([starts, [len(ids)]])) if len(ids) else starts
        keys = np.empty(len(ids), dtype=np.uint64)
        occurrence = np.arange(len(ids)) - np.repeat(starts, lengths)
        keys[order] = (ids.astype(np.uint64) << np.uint64(OCCURRENCE_BITS)) + occurrence.astype(np.uint64)
        return keys

    def rows_of(self, elements: Array) -> list[tuple[Expansion, Array, Array]]:
        """Independent. Return the rows of some elements: for each block its rows, and the positions of their
        values in the concatenated values of all these elements.
        """
        counts = self.count[elements]
        targets = np.cumsum(counts) - counts
        found = []
        for number in np.unique(self.block[elements]):
            mine = self.block[elements] == number
            rows = spread(self.first[elements][mine], counts[mine])
            found.append((self.blocks[number], rows, spread(targets[mine], counts[mine])))
        return found

    def values_of(self, elements: Array, variables: Sequence[str]) -> dict[str, Array]:
        """Independent. Return the coefficients of some elements, one element after another."""
        total = int(self.count[elements].sum())
        values: dict[str, Array] = {}
        for block, rows, targets in self.rows_of(elements):
            wanted: Any = rows
            if len(rows) and int(rows[-1]) - int(rows[0]) + 1 == len(rows) and (np.diff(rows) == 1).all():
                wanted = (int(rows[0]), len(rows))
            for name, part in block.table.read(variables, rows=wanted).items():
                values.setdefault(name, np.empty(total, part.dtype))[targets] = part
        return values

    def modes_of(self, elements: Array) -> Array:
        """Independent. Return the modes of some elements, a row for each."""
        modes: Array | None = None
        for number in np.unique(self.block[elements]):
            block = self.blocks[number]
            mine = self.block[elements] == number
            if modes is None:
                modes = np.zeros((len(elements), len(block.basis)), np.int64)
            if not block.is_mixed:
                modes[mine] = block.modes
                continue
            names = [f"modes_{direction}" for direction in range(len(block.basis))]
            columns = block.elements.read(names, rows=self.place[elements][mine])
            modes[mine] = np.stack([columns[name] for name in names], axis=1)
        return np.zeros((0, 0), np.int64) if modes is None else modes


def spread(firsts: Array, counts: Array) -> Array:
    """Independent. Return all numbers of runs that begin at `firsts` with these lengths."""
    begins = np.cumsum(counts) - counts
    spread_out: Array = np.repeat(firsts - begins, counts) + np.arange(int(counts.sum()))
    return spread_out


def element_tables(step: Step) -> set[str]:
    """Independent. Return the names of the tables that contain elements."""
    return {table.name for block in step.expansions for table in (block.table, block.elements)}


def indexes_of(step: Step, by_variables: set[Kind]) -> dict[Kind, ElementIndex]:
    """Independent. Return the elements of a step by kind, and by variables if needed."""
    found: dict[Kind, list[tuple[Expansion, Array, Array]]] = {}
    for block in step.expansions:
        kind = place_of(block)
        if kind in by_variables:
            names = tuple(sorted(block.variables))
            kind = Kind(kind.shape, kind.y_ids, kind.z_ids, kind.strip_ids, names)
        found.setdefault(kind, []).append((block, block.ids, block.counts()))
    indexes = {}
    for kind, parts in found.items():
        sizes = [len(ids) for _, ids, _ in parts]
        indexes[kind] = ElementIndex(
            blocks=[block for block, _, _ in parts],
            ids=np.concatenate([ids for _, ids, _ in parts]),
            block=np.repeat(np.arange(len(parts), dtype=np.int32), sizes),
            place=np.concatenate([np.arange(size) for size in sizes]),
            first=np.concatenate([np.cumsum(counts) - counts for _, _, counts in parts]),
            count=np.concatenate([counts for _, _, counts in parts]),
        )
    return indexes


def element_of(counts: Array, values: Array) -> Array:
    """Independent. Return the element that each value belongs to."""
    found: Array = np.searchsorted(np.cumsum(counts), values, side="right")
    return found


def batches(counts: Array, most: int) -> Iterator[slice]:
    """Independent. Yield slices of elements with at most this number of coefficients, or one element."""
    ends = np.cumsum(counts)
    first = 0
    while first < len(counts):
        before = int(ends[first] - counts[first])
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(first, last)
        first = last
