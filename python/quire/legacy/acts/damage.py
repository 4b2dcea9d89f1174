"""Read damaged files."""

from __future__ import annotations

from collections.abc import Iterator

from quire.errors import BadFileError
from quire.legacy.pages import Pages
from quire.legacy.running import report
from quire.verbs.steplike import StepLike


def whole_pages(pages: Pages) -> Pages:
    """Independent. Yield the whole pages of a damaged file, and report where the damage begins."""

    def until_damage(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        while True:
            try:
                yield next(steps)
            except StopIteration:
                return
            except BadFileError as problem:
                report("damaged", str(problem))
                return

    return pages.through(until_damage)
