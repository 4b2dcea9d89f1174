"""Sort, collapse, expand and break pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quire.errors import TypeMismatchError, UsageError
from quire.io.types import Array
from quire.legacy.acts.elements import with_column
from quire.legacy.pages import TEXTS, Page, Pages, made_page
from quire.legacy.patterns import matches, required
from quire.verbs.order import Key, order_of, runs_of
from quire.verbs.pages import column_of, single_values
from quire.verbs.steplike import MadeStep, MadeTable, NewColumn, StepLike, new_attribute, taken

COUNT = "IdenticalCount"
PAGE = "PageNumber"


@dataclass(frozen=True)
class Sorting:
    """Keys of `sddssort`, and what becomes of rows that are equal in them."""

    keys: Sequence[Key]
    natural: bool = False
    """Whether the digits in texts are ordered as numbers."""
    unique: bool = False
    counts: bool = False

    def of(self, page: Page) -> list[Key]:
        """Independent. Return the keys for a page: names of patterns, natural ones for texts."""
        return [
            Key(name, key.descending, key.absolute, self.natural and page.table[name].type in TEXTS)
            for key in self.keys
            for name in required([key.name], list(page.table), "column")
        ]


def sort_rows(pages: Pages, sorting: Sorting) -> Pages:
    """Independent. Sort the rows of each page; equal ones keep their order, or the first is kept."""

    def ordered(page: Page) -> StepLike:
        keys = sorting.of(page)
        columns = page.columns(list(dict.fromkeys(key.name for key in keys)))
        order = order_of(columns, keys)
        if not sorting.unique:
            return page.with_table(taken(page.table, order))
        starts = runs_of({name: values[order] for name, values in columns.items()}, len(order))
        table = taken(page.table, order[starts])
        if sorting.counts:
            numbers = np.diff(np.append(starts, len(order))).astype(np.int64)
            table = with_column(table, NewColumn(COUNT, numbers))
        return page.with_table(table)

    return pages.each_page(ordered)


def sort_pages(pages: Pages, sorting: Sorting) -> Pages:
    """Independent. Sort the pages by parameters; equal ones keep their order."""

    def ordered(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        found = list(steps)
        columns: dict[str, Array] = {}
        for key in sorting.keys:
            values = [step.attrs[key.name] for step in found]
            is_text = any(isinstance(one, str) for one in values)
            columns[key.name] = np.array(values, object if is_text else None)
        for place in order_of(columns, sorting.keys) if found else ():
            yield found[place]

    return pages.through(ordered)


def collapse_pages(pages: Pages) -> Pages:
    """Independent. Make a row of each page: parameters become columns, and PageNumber is the last one."""

    def collapsed(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        infos = [single_values(step) for step in steps]
        names = dict.fromkeys(name for one in infos for name in one if name != PAGE)
        columns = [column_of(name, [one.get(name) for one in infos]) for name in names]
        columns.append(NewColumn(PAGE, np.arange(1, len(infos) + 1, dtype=np.int32)))
        yield MadeStep(0, [], [MadeTable(columns, len(infos))])

    return pages.through(collapsed)


def expand_rows(pages: Pages) -> Pages:
    """Independent. Make a page of each row: columns become parameters, and replace those of their names."""

    def rows(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        number = 0
        for page in Pages(pages._file, lambda: steps).pages():
            columns = page.columns()
            for row in range(len(page.table)):
                found = dict(page.step.attrs.info)
                for name, values in columns.items():
                    found[name] = new_attribute(name, values[row], page.table[name])
                yield MadeStep(number, found.values(), [], page.step.warnings)
                number += 1

    return pages.through(rows)


@dataclass(frozen=True)
class Breaking:
    """Where `sddsbreak` begins a new page.

    how : change, increase, decrease, gap, match, rows or parts
    amount : of a change, an increase or a gap; rows of a page; parts of a page
    factor : of the mean distance, for gaps
    """

    how: str
    column: str = ""
    amount: float | None = None
    base: float | None = None
    factor: float = 2.0
    cumulative: bool = False
    pattern: str = ""
    after: bool = False
    overlap: int = 0

    def ranges(self, page: Page) -> list[tuple[int, int]]:
        """Independent. Return the first row and the end of each new page."""
        count = len(page.table)
        if self.how == "rows":
            size = int(self.amount or 0)
            starts = range(0, count, size - self.overlap)
            return [(start, min(start + size, count)) for start in starts
                    if start == 0 or start + self.overlap < count]  # fmt: skip
        if self.how == "parts":
            cuts = [round(part * count / int(self.amount or 1)) for part in range(int(self.amount or 1) + 1)]
        else:
            begins = self.begins(page.columns([self.column])[self.column])
            cuts = sorted({0, *(np.flatnonzero(begins) + 1).tolist(), count})
        return [(first, end) for first, end in pairwise(cuts) if end > first]

    def begins(self, values: Array) -> Array:
        """Independent. Return for each row but the first whether it begins a page.

        Raises TypeMismatchError for texts where numbers are needed.
        """
        if self.how == "match":
            found = np.array([matches(str(one), self.pattern) for one in values.tolist()], bool)
            return found[:-1] if self.after else found[1:]
        if self.how == "change" and self.amount is None:
            begins = np.zeros(max(len(values) - 1, 0), bool)
            begins[runs_of({self.column: values}, len(values))[1:] - 1] = True
            return begins
        if values.dtype == object:
            raise TypeMismatchError("numbers are needed", object=self.column)
        numbers = values.astype(np.float64)
        if self.how == "change" and self.amount is not None:
            base = numbers[:1] if self.base is None else self.base
            multiples = np.floor((numbers - base) / self.amount)
            return np.asarray(np.diff(multiples) != 0)
        steps = np.diff(numbers)
        if self.how == "gap":
            mean = np.abs(steps).mean() if len(steps) else 0.0
            return np.abs(steps) > (self.factor * mean if self.amount is None else self.amount)
        if self.how == "decrease":
            steps, numbers = -steps, -numbers
        return self.since_begin(numbers) if self.cumulative else steps > (self.amount or 0.0)

    def since_begin(self, numbers: Array) -> Array:
        """Independent. Return where a number is larger than that of the first row of its page by more than
        the amount.
        """
        begins = np.zeros(max(len(numbers) - 1, 0), bool)
        first = 0
        for row in range(1, len(numbers)):
            if numbers[row] - numbers[first] > (self.amount or 0.0):
                begins[row - 1] = True
                first = row
        return begins


def break_pages(pages: Pages, breaking: Breaking) -> Pages:
    """Independent. Divide pages; each new page has the parameters of the one it was part of."""
    if breaking.how == "rows" and breaking.overlap >= int(breaking.amount or 0):
        raise UsageError("the overlap must be less than the number of rows of a page")

    def parts(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        number = 0
        for page in Pages(pages._file, lambda: steps).pages():
            if breaking.column:
                required([breaking.column], list(page.table), "column")
            for first, end in breaking.ranges(page) or [(0, 0)]:
                number += 1
                part = Page(page.step, page.table, number)
                rows = taken(page.table, np.arange(first, end))
                yield made_page(part, rows, page.step.attrs.info.values())

    return pages.through(parts)
