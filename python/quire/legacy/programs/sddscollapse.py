"""sddscollapse: specs/sdds-toolkit.md, section 6.7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.legacy.acts.layout import collapse_pages
from quire.legacy.grammar import parse
from quire.legacy.programs.common import COLLAPSED, major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddscollapse"

OPTIONS: Final = ("noWarnings", "majorOrder", "threads")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [Act(collapse_pages, words=COLLAPSED)], end)
