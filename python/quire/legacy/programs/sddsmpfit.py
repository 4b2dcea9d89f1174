"""sddsmpfit: specs/sdds-toolkit.md, section 7.5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.legacy.acts.verbs import Names
from quire.legacy.grammar import parse
from quire.legacy.programs.common import major_order
from quire.legacy.programs.sddspfit import POLYNOMIAL, fitting, orders_of, parameters_of
from quire.legacy.running import writing
from quire.legacy.translation import Translation

PROGRAM: Final = "sddsmpfit"

REFUSED: Final = (
    "chebyshev", "xOffset", "xFactor", "sigmas", "minimumSigma", "modifySigmas", "range", "evaluate",
    "infoFile", "autoOffset",
)  # fmt: skip

OPTIONS: Final = (
    "independent", "dependent", *POLYNOMIAL, *REFUSED, "noWarnings", "majorOrder", "threads",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    x = line.required("independent").item(0, "the variable")
    line.required("dependent").item(0, "the columns")
    y = [item for one in line.each("dependent") for item in one.items]
    columns = {x: (x,)} | {"*_fit": ("*Fit",), "*_residual": ("*Residual",)} | {name: (name,) for name in y}
    names = Names(columns | {"*": ()}, parameters_of("*", orders_of(line), "*"))
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [fitting(line, y, x, "", names)], end)
