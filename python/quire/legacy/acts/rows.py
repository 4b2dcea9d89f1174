"""Choose rows and pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from quire.io.expression import Expression
from quire.io.types import Array
from quire.legacy.acts.equations import bound_to, variables_of
from quire.legacy.pages import Page, Pages
from quire.rpn.definitions import Definitions
from quire.verbs.rows import MatchingTable
from quire.verbs.steplike import StepLike, TableLike, taken


def filter_rows(pages: Pages, condition: str, definitions: Definitions | None = None) -> Pages:
    """Independent. Keep the rows that satisfy a condition; pages without rows stay."""

    def kept(page: Page) -> StepLike:
        parsed = Expression(condition, variables_of(page, definitions))
        table = MatchingTable(cast("TableLike", page.unitless), parsed)
        return page.with_table(cast("TableLike", table))

    return pages.each_page(kept)


def holds(page: Page, condition: str, definitions: Definitions | None) -> bool:
    """Independent. Return whether a condition of parameters holds."""
    known = variables_of(page, definitions, of_rows=False)
    return bool(bound_to(page, Expression(condition, known)).value)


def keep_pages(pages: Pages, condition: str, definitions: Definitions | None = None) -> Pages:
    """Independent. Keep the pages that satisfy a condition of parameters."""

    def kept(page: Page) -> StepLike | None:
        return page.step if holds(page, condition, definitions) else None

    return pages.each_page(kept)


def require_pages(pages: Pages, condition: str, definitions: Definitions | None = None) -> Pages:
    """Independent. Yield the pages up to the first one that does not satisfy a condition, which ends the run
    with an error.
    """
    from quire.errors import ConflictError

    def checked(page: Page) -> StepLike:
        if not holds(page, condition, definitions):
            raise ConflictError(f"the test '{condition}' fails on page {page.number}")
        return page.step

    return pages.each_page(checked)


def numbered_rows(pages: Pages, numbers: Callable[[Page], Array]) -> Pages:
    """Independent. Keep the rows whose numbers a function returns for each page."""
    return pages.each_page(lambda page: page.with_table(taken(page.table, numbers(page))))


def slice_rows(pages: Pages, first: int | None, end: int | None, step: int = 1) -> Pages:
    """Independent. Keep the rows from `first` to `end`, excluded; negative ones count from the end."""
    return numbered_rows(pages, lambda page: np.arange(len(page.table))[first:end:step])


def clip(pages: Pages, head: int, tail: int, keeps: bool = False) -> Pages:
    """Independent. Leave out rows at both ends; with `keeps` keep these alone."""

    def numbers(page: Page) -> Array:
        rows = np.arange(len(page.table))
        is_end = (rows < head) | (rows >= len(rows) - tail)
        return np.flatnonzero(is_end == keeps)

    return numbered_rows(pages, numbers)


def clip_fractions(pages: Pages, head: float, tail: float, keeps: bool = False) -> Pages:
    """Independent. Leave out fractions of the rows at both ends; with `keeps` keep these alone."""

    def numbers(page: Page) -> Array:
        rows = np.arange(len(page.table))
        is_end = (rows < int(head * len(rows) + 0.5)) | (rows >= len(rows) - int(tail * len(rows) + 0.5))
        return np.flatnonzero(is_end == keeps)

    return numbered_rows(pages, numbers)


def sample(pages: Pages, fraction: float) -> Pages:
    """Independent. Keep rows at random."""
    random = np.random.default_rng()
    return numbered_rows(pages, lambda page: np.flatnonzero(random.random(len(page.table)) < fraction))


def keep_numbers(pages: Pages, kind: str, name: str, inverts: bool = False) -> Pages:
    """Independent. Keep rows or pages whose text of this name is a number, or with `inverts` is none."""

    def kept(page: Page) -> StepLike | None:
        if kind == "parameter":
            return page.step if is_number(page.parameters[name].value) != inverts else None
        values = page.columns([name])[name]
        numbers = np.flatnonzero([is_number(value) != inverts for value in values.tolist()])
        return page.with_table(taken(page.table, numbers))

    return pages.each_page(kept)


def is_number(text: Any) -> bool:
    """Independent. Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
