"""Checksums of elements that do not depend on tables, ranks or layout."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.toolkit.element_index import batches, element_of
from quire.toolkit.selection import even_slice, select_names

if TYPE_CHECKING:
    from quire import Expansion, Step

Array = np.ndarray[Any, Any]
HashSum = Callable[[Sequence[Array]], int]
Progress = Callable[[int], None]

ROW_WORDS = 5
"""Words of memory of a row in addition to its values: kind, element, position and their index."""


def kinds_of(step: Step) -> dict[tuple[Any, ...], list[Expansion]]:
    """Independent. Return the blocks of a step by the common properties of their elements except the
    order.
    """
    kinds: dict[tuple[Any, ...], list[Expansion]] = {}
    for block in step.expansions:
        names = tuple(sorted(block.variables))
        planes = (block.lengths, block.y_ids, block.z_ids, block.strip_ids)
        kinds.setdefault((block.shape, block.basis, *planes, names), []).append(block)
    return kinds


def word_of(kind: tuple[Any, ...]) -> int:
    """Independent. Return a hash of a kind of elements, equal on all machines."""
    shape, basis, lengths, *planes, _ = kind
    text = repr((shape, basis, tuple(float(length).hex() for length in lengths), *map(tuple, planes)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class KindSums:
    """This rank's part of the sums of the elements of one kind."""

    def __init__(
        self,
        kind: tuple[Any, ...],
        blocks: Sequence[Expansion],
        columns: Sequence[str] | None,
        sum_up: HashSum,
    ) -> None:
        self.kind = kind
        self.blocks = blocks
        self.word = word_of(kind)
        self.chosen = columns is not None
        self.names = sorted(select_names(columns, list(kind[-1]), "column"))
        self.orders = ["id", *(f"modes_{direction}" for direction in range(len(kind[1])))]
        self.sum_up = sum_up
        self.values = [0] * (1 + len(self.names))
        self.elements = [0] * (1 + len(self.orders))

    @property
    def names_of_tables(self) -> list[tuple[str, int, list[str]]]:
        """Name, rows and columns of each table that is summed."""
        tables = [(self.kind[0], sum(len(block.table) for block in self.blocks), self.names)]
        if not self.chosen:
            elements = sum(len(block) for block in self.blocks)
            tables.append((f"{self.kind[0]}_elements", elements, self.orders))
        return tables

    def add_share(self, rank: int, size: int, budget: int, progress: Progress | None) -> list[int]:
        """Independent. Add an even share of the elements of each block, table by table."""
        for block in self.blocks:
            first, count = even_slice(len(block), rank, size)
            if count:
                self.add(block, slice(first, first + count), budget, progress)
        return [*self.values, *([] if self.chosen else self.elements)]

    def add(self, block: Expansion, share: slice, budget: int, progress: Progress | None) -> None:
        """Independent. Add some elements of a block."""
        counts = block.counts()
        first = int(counts[: share.start].sum())
        counts = counts[share]
        ids = block.elements.read(["id"], rows=share)["id"].astype(np.uint64)
        if not self.chosen:
            modes = block.modes[share] if block.is_mixed else np.tile(block.modes, (len(ids), 1))
            add_rows(self.elements, [self.filled(len(ids))], [ids, *modes.T.astype(np.uint64)], self.sum_up)
        most = max(1, budget // (8 * (len(self.names) + ROW_WORDS)))
        for part in batches(counts, most):
            rows = int(counts[part].sum())
            owners = element_of(counts[part], np.arange(rows))
            begins = np.cumsum(counts[part]) - counts[part]
            places = (np.arange(rows) - begins[owners]).astype(np.uint64)
            read = block.table.read(self.names, rows=(first, rows)) if self.names else {}
            bound = [self.filled(rows), ids[part][owners], places]
            add_rows(self.values, bound, [read[name] for name in self.names], self.sum_up)
            first += rows
            if progress is not None:
                progress(rows)

    def filled(self, rows: int) -> Array:
        """Return the number of the kind for each row."""
        return np.full(rows, self.word, dtype=np.uint64)


def add_rows(totals: list[int], bound: Sequence[Array], columns: Sequence[Array], sum_up: HashSum) -> None:
    """Independent. Add the sums of rows, which depend on more than their columns, and of the columns."""
    totals[0] += sum_up([*bound, *columns])
    for place, column in enumerate(columns, start=1):
        totals[place] += sum_up([column])
