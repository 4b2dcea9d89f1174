"""Columns of samples of distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quire.io.types import Array
from quire.legacy.acts.elements import with_column
from quire.legacy.pages import Page, Pages
from quire.legacy.patterns import required
from quire.verbs.numbers import doubles
from quire.verbs.sources import Column, Sample, agreed_seed, made_column, parsed, with_radices
from quire.verbs.steplike import MadeTable, NewColumn, StepLike, texts_of


@dataclass(frozen=True)
class Tabulated:
    """A distribution in columns of a page: a cumulative function, or a density, which is summed."""

    name: str
    x: str
    values: str
    is_density: bool
    unit: str | None = None
    factor: float = 1.0
    offset: float = 0.0
    radix: int | None = None
    halton_offset: int = 0
    shuffle: int | None = None

    def column(self, page: Page, rows: int, seed: tuple[int, int]) -> NewColumn:
        """Independent. Return the samples of the distribution of a page."""
        required([self.x, self.values], list(page.table), "column")
        found = doubles(page.table, [self.x, self.values])
        sums = np.cumsum(found[self.values]) if self.is_density else found[self.values]
        table = {"x": found[self.x], "distribution": sums}
        sample = Sample("cumulative", table, self.radix, self.halton_offset, self.shuffle)
        made = made_column(Column(self.name, sample), rows, seed)

        def values() -> Array:
            return made.read() * self.factor + self.offset

        unit = texts_of(page.table[self.x]).unit if self.unit is None else self.unit
        return NewColumn(self.name, values, unit or "", "float64")


def draw(pages: Pages, definitions: Sequence[str], seed: int | None = None) -> Pages:
    """Independent. Add columns of samples to the rows of each page."""
    columns = with_radices([parsed(text) for text in definitions])
    chosen = agreed_seed(None, seed)

    def drawn(page: Page) -> StepLike:
        table = page.table
        for one in columns:
            table = with_column(table, made_column(one, len(table), (chosen, page.number - 1)))
        return page.with_table(table)

    return pages.each_page(drawn)


def draw_pages(
    pages: Pages,
    rows: int,
    tabulated: Sequence[Tabulated],
    definitions: Sequence[str] = (),
    seed: int | None = None,
) -> Pages:
    """Independent. Make samples in place of the rows of each page, which have distributions."""
    columns = with_radices([parsed(text) for text in definitions])
    chosen = agreed_seed(None, seed)

    def drawn(page: Page) -> StepLike:
        place = (chosen, page.number - 1)
        made = [one.column(page, rows, place) for one in tabulated]
        made += [made_column(one, rows, place) for one in columns]
        return page.with_table(MadeTable(made, rows, page.table.name))

    return pages.each_page(drawn)
