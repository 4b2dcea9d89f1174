"""Matrices under the names of the old programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.pages import Page, Pages
from quire.verbs.steplike import StepLike


def pseudo_inverse(
    pages: Pages, keywords: Mapping[str, Any], names: Names, root: str = "Column", digits: int = 3
) -> Pages:
    """Independent. Take the pseudo-inverse of the matrix of each page. Columns of rows without names have
    numbers of at least so many digits.
    """

    def renamed(page: Page) -> StepLike:
        numbered = [f"row{place}" for place in range(len(list(page.table)) - 1)]
        if list(page.table)[1:] != numbered:
            return names.of(page)
        labels = {old: (f"{root}{place:0{digits}d}",) for place, old in enumerate(numbered)}
        return Names({**names.columns, **labels}, names.parameters).of(page)

    return by_verb(pages, "pseudo_invert", (), keywords).each_page(renamed)
