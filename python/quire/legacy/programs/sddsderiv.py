"""sddsderiv: specs/sdds-toolkit.md, section 7.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.grammar import integer, parse
from quire.legacy.programs.common import columns_with_errors, major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsderiv"

REFUSED: Final = ("exclude", "mainTemplates", "errorTemplates")

OPTIONS: Final = (
    "differentiate", "versus", "interval", "SavitzkyGolay", *REFUSED, "noWarnings", "majorOrder", "threads",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    columns, sigma = columns_with_errors(line, "differentiate")
    versus = line.required("versus").item(0, "the column")
    how: dict[str, Any] = {}
    if option := line.last("interval"):
        how["interval"] = integer(option.item(0, "the number of rows"), option)
    if option := line.last("SavitzkyGolay"):
        parts = ("the number of rows before", "the number of rows after", "the order")
        left, right, order = (integer(option.item(place, what), option) for place, what in enumerate(parts))
        if left != right or option.items[3:] not in ((), ("1",)):
            raise option.wrong("equally many rows before and after, and the first derivative, are translated")
        how |= {"points": left + right + 1, "order": order}
    given = [word for name, value in how.items() for word in (f"--{name}", str(value))]
    given += ["--sigma", sigma] if sigma else []
    names = Names({"*_derivative": ("*Deriv",)} | ({"*_derivative_sigma": ("*DerivSigma",)} if sigma else {}))
    act = Act(by_verb, ("deriv", columns, {"versus": versus, "sigma": sigma} | how, names),
              words=("deriv", *columns, "--versus", versus, *given, *names.words))  # fmt: skip
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [act], end)
