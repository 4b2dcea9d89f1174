"""sddstranspose: specs/sdds-toolkit.md, section 7.2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.legacy.acts.verbs import by_verb
from quire.legacy.grammar import integer, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddstranspose"

REFUSED: Final = ("matchColumn", "indexColumn")

OPTIONS: Final = (
    "newColumnNames", "oldColumnNames", "root", "digits", "ascii", *REFUSED, "noWarnings", "majorOrder",
    "threads", "verbose",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    keywords: dict[str, Any] = {"old_names": "OldColumnNames", "root": "Column", "digits": 3}
    for keyword, name in (("newColumnNames", "names"), ("oldColumnNames", "old_names"), ("root", "root")):
        if option := line.last(keyword):
            keywords[name] = option.item(0, "the name")
    if option := line.last("digits"):
        keywords["digits"] = integer(option.item(0, "the number of digits"), option)
    given = [word for name, value in keywords.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    source, end = writing(line, {"mode": "ascii" if line.last("ascii") else "binary"} | major_order(line))
    act = Act(by_verb, ("transpose", (), keywords), words=("transpose", *given))
    return Translation(PROGRAM, source, [act], end)
