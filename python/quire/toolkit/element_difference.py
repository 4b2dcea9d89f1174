"""Compare elements by number, whatever table, block or rank they are stored in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.toolkit.element_index import (
    ElementIndex,
    Kind,
    batches,
    element_of,
    indexes_of,
    kinds_with_variables,
)
from quire.toolkit.selection import select_names
from quire.toolkit.value_difference import ValueDifference, compare_values, note_values

if TYPE_CHECKING:
    from quire import Step
    from quire.toolkit.difference import Comparison

Array = np.ndarray[Any, Any]

MOST_IDS = 10


def listed_ids(ids: Array) -> str:
    """Independent. Return the first ids for a message."""
    text = ", ".join(str(int(id)) for id in ids[:MOST_IDS])
    return text if len(ids) <= MOST_IDS else text + ", ..."


def compare_elements(comparison: Comparison, where: str, left: Step, right: Step, budget: int) -> None:
    """Independent. Compare all elements of two steps, some at a time, in the order of the left file.

    The locations of all elements are kept in memory, 28 bytes for each.
    """
    by_variables = kinds_with_variables([left, right])
    ours, theirs = indexes_of(left, by_variables), indexes_of(right, by_variables)
    for kind in [*ours, *(kind for kind in theirs if kind not in ours)]:
        one, two = ours.get(kind, ElementIndex()), theirs.get(kind, ElementIndex())
        KindComparison(comparison, where, left.number, kind, one, two).run(budget)


class KindComparison:
    """Compares the elements of one kind."""

    def __init__(
        self,
        comparison: Comparison,
        where: str,
        number: int,
        kind: Kind,
        left: ElementIndex,
        right: ElementIndex,
    ) -> None:
        self.comparison = comparison
        self.where = where
        self.number = number
        self.kind = kind
        self.left = left
        self.right = right

    def run(self, budget: int) -> None:
        """Compare the sets of elements, their properties, and their coefficients."""
        ours, theirs = self.common()
        if len(ours) == 0:
            return
        self.compare_blocks(ours, theirs)
        ours, theirs = self.compare_modes(ours, theirs)
        names = self.variables()
        for part in batches(self.left.count[ours], max(1, budget // (16 * max(1, len(names))))):
            if names:
                self.compare_values(names, ours[part], theirs[part])

    def report(self, problem: str) -> None:
        """Add a message about these elements."""
        self.comparison.result.report(f"{self.where}: {problem}")

    def common(self) -> tuple[Array, Array]:
        """Return the elements in both files, in the order of the left one. Reports the others."""
        ours, theirs = self.left.keys(), self.right.keys()
        kept, others = np.isin(ours, theirs), np.isin(theirs, ours)
        for index, there, path in (
            (self.left, kept, self.comparison.left.path),
            (self.right, others, self.comparison.right.path),
        ):
            only = index.ids[~there]
            if len(only):
                verb = "element is" if len(only) == 1 else "elements are"
                self.report(f"{len(only)} {self.kind.label} {verb} only in {path}: {listed_ids(only)}")
        order = np.argsort(theirs, kind="stable")
        places = np.searchsorted(theirs, ours[kept], sorter=order)
        return np.flatnonzero(kept), order[places]

    def variables(self) -> list[str]:
        """Return the variables to compare. Reports those in only one file."""
        ours, theirs = (index.blocks[0].table for index in (self.left, self.right))
        chosen = [list(ours.columns), list(theirs.columns)]
        if self.comparison.rules.columns is not None:
            chosen = [select_names(self.comparison.rules.columns, names, "column") for names in chosen]
        what = f"{self.where}: variable of {self.kind.label} elements"
        names = self.comparison.common(what, *chosen)
        for name in names:
            text = f"{self.where}: variable '{name}' of {self.kind.label} elements"
            self.comparison.compare_texts(text, ours[name], theirs[name])
        return names

    def compare_blocks(self, ours: Array, theirs: Array) -> None:
        """Compare bases, lengths and points of blocks."""
        pairs = np.stack([self.left.block[ours], self.right.block[theirs]], axis=1)
        kinds, firsts = np.unique(pairs, axis=0, return_index=True)
        reported: set[str] = set()
        for (one, two), first in zip(kinds, firsts, strict=True):
            left, right = self.left.blocks[one], self.right.blocks[two]
            for what, here, there in (
                ("bases", left.basis, right.basis),
                ("lengths", left.lengths, right.lengths),
                ("points", left.points, right.points),
            ):
                if what not in reported and not self.same(here, there):
                    reported.add(what)
                    id = self.left.ids[ours[first]]
                    self.report(f"the {what} of {self.kind.label} element {id} are {here} and {there}")

    def same(self, here: Sequence[Any], there: Sequence[Any]) -> bool:
        """Return whether properties of two blocks are the same, numbers by the rules."""
        if here == there or len(here) != len(there):
            return here == there
        numbers = np.asarray(here), np.asarray(there)
        return numbers[0].dtype.kind == "f" and not compare_values(*numbers, self.comparison.rules)[0].any()

    def compare_modes(self, ours: Array, theirs: Array) -> tuple[Array, Array]:
        """Compare the orders of the elements; returns those with equal numbers of coefficients."""
        same = np.ones(len(ours), dtype=bool)
        differing: list[Array] = []
        example = ""
        for part in batches(np.ones(len(ours), np.int64), 1 << 18):
            here, there = self.left.modes_of(ours[part]), self.right.modes_of(theirs[part])
            if here.shape != there.shape:
                same[part] = False
                continue  # their bases differ, which was reported
            differs = (here != there).any(axis=1)
            if differs.any():
                if not differing:
                    first = int(np.argmax(differs))
                    example = f"{tuple(here[first].tolist())} and {tuple(there[first].tolist())}"
                differing.append(self.left.ids[ours[part]][differs])
        same &= self.left.count[ours] == self.right.count[theirs]
        if differing:
            ids = np.concatenate(differing)
            verb = "elements differ" if len(ids) > 1 else "element differs"
            self.report(
                f"{len(ids)} {self.kind.label} {verb} in modes: {listed_ids(ids)}; "
                f"those of {ids[0]} are {example}"
            )
        return ours[same], theirs[same]

    def compare_values(self, names: Sequence[str], ours: Array, theirs: Array) -> None:
        """Compare the coefficients of some elements."""
        here, there = self.left.values_of(ours, names), self.right.values_of(theirs, names)
        counts = self.left.count[ours]
        ids = self.left.ids[ours]
        for name in names:
            record = self.comparison.result.column(self.kind.label, name)
            had_first = record.first is not None
            differs = note_values(
                record, self.number, here[name], there[name], self.comparison.rules, within(counts)
            )
            if differs is None:
                continue
            elements = ids[np.unique(element_of(counts, np.flatnonzero(differs)))]
            note_elements(record, elements)
            if not had_first and record.first is not None:
                record.first = replace(record.first, element=int(elements[0]))
        if self.comparison.progress is not None:
            self.comparison.progress(int(counts.sum()))


def note_elements(record: ValueDifference, ids: Array) -> None:
    """Independent. Record the first elements that differ, and their number."""
    record.different_elements += len(ids)
    room = MOST_IDS - len(record.elements)
    record.elements += [int(id) for id in ids[:room]]


def within(counts: Array) -> Callable[[int], tuple[int, ...]]:
    """Independent. Return the number of the coefficient of value i in its element."""
    ends = np.cumsum(counts)

    def place(i: int) -> tuple[int, ...]:
        element = int(np.searchsorted(ends, i, side="right"))
        return (i - int(ends[element] - counts[element]),)

    return place
