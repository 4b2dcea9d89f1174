"""sddsmatrixmult: specs/sdds-toolkit.md, section 7.2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.verbs import by_verb_and_file
from quire.legacy.grammar import parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import sources_and_target
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsmatrixmult"

OPTIONS: Final = ("commute", "reuse", "ascii", "noWarnings", "majorOrder", "threads", "verbose")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    mode = {"mode": "ascii" if line.last("ascii") else "binary"}
    source, others, end = sources_and_target(line, mode | major_order(line))
    if len(others) != 1:
        raise UsageError(f"a product has two matrices, and not {len(others) + 1}")
    commute = line.last("commute") is not None
    given = ("matrix", "product", "--by", others[0], *(("--commute",) if commute else ()))
    act = Act(by_verb_and_file, ("multiply", {"commute": commute}), others, given)
    return Translation(PROGRAM, source, [act], end)
