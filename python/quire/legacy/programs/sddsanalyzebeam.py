"""sddsanalyzebeam: specs/sdds-toolkit.md, section 8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.legacy.acts.beams import analyze_beam
from quire.legacy.grammar import parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsanalyzebeam"

OPTIONS: Final = ("correctedOnly", "canonical", "noWarnings", "majorOrder", "threads")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(("canonical",))
    given = (True,) if line.last("correctedOnly") else ()
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [Act(analyze_beam, given)], end)
