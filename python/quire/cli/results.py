"""Printed results of reductions: they are first, and attributes that are equal in all rows are left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from quire.cli.output import plural, printable, say

MOST_NAMES = 5
"""Names of attributes that are printed."""


class Results:
    """The steps of a chain as they are printed."""

    def __init__(self, steps: Iterator[Any]) -> None:
        self._steps = iter(steps)
        self._equal: list[str] = []

    def __iter__(self) -> Iterator[Any]:
        """Independent. Yield the steps. Those of reductions are few rows, and are all computed first."""
        for first in self._steps:
            table = next(iter(first.tables.values()), None)
            if getattr(table, "results", ()):
                yield from self._in_order([first, *self._steps])
            else:
                yield from chain([first], self._steps)

    def _in_order(self, steps: list[Any]) -> Iterator[Any]:
        from quire.verbs.steplike import MadeTable, made_from

        names = dict.fromkeys(name for step in steps for name in step.table)
        shown = {name for step in steps for name in step.table.results}
        self._equal = [name for name in names if name not in shown and is_equal(steps, name)]
        for step in steps:
            table = step.table
            order = [name for name in dict.fromkeys([*table.results, *table]) if name not in self._equal]
            made = MadeTable([table[name] for name in order], len(table), table.name)
            made.results = table.results
            yield made_from(step, [made])

    def report(self) -> None:
        """Independent. Print which attributes are left out, in one line."""
        if self._equal:
            some = ", ".join(map(printable, self._equal[:MOST_NAMES]))
            more = ", ..." if len(self._equal) > MOST_NAMES else ""
            verb = "is" if len(self._equal) == 1 else "are"
            say(
                f"{plural(len(self._equal), 'attribute')} {verb} constant: {some}{more} "
                "(written files have them)"
            )


def is_equal(steps: list[Any], name: str) -> bool:
    """Independent. Return whether a column has one value in all rows of all steps; NaN are equal."""
    if not all(name in step.table for step in steps):
        return False
    values = (value for step in steps for value in step.table[name].read())
    first = next(values, None)
    return all(value == first or (value != value and first != first) for value in values)
