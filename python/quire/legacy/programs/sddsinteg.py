"""sddsinteg: specs/sdds-toolkit.md, section 7.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.grammar import parse
from quire.legacy.programs.common import columns_with_errors, major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsinteg"

REFUSED: Final = ("exclude", "mainTemplates", "errorTemplates", "printFinal")

OPTIONS: Final = (
    "integrate", "versus", "method", "copyColumns", *REFUSED, "noWarnings", "majorOrder", "threads",
)  # fmt: skip

METHODS: Final = {"trapazoid": "trapezoid", "trapezoid": "trapezoid", "GillMiller": "gill_miller"}


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    columns, sigma = columns_with_errors(line, "integrate")
    versus = line.required("versus").item(0, "the column")
    option = line.last("method")
    method = METHODS[option.choice(0, list(METHODS), "method")] if option else "trapezoid"
    copied = [item for one in line.each("copyColumns") for item in one.items]
    kept = {"*_integral": ("*Integ",)}
    kept |= {"*_integral_sigma": ("*IntegSigma",)} if sigma else {}
    kept |= {"*_integral_error": ("*IntegError",)} if method == "gill_miller" else {}
    names = Names(kept | {name: (name,) for name in (versus, *copied)} | {"*": ()})
    how = {"versus": versus, "sigma": sigma, "method": method}
    given = ["--versus", versus, "--method", method, *(["--sigma", sigma] if sigma else [])]
    act = Act(by_verb, ("integ", columns, how, names), words=("integ", *columns, *given, *names.words))
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [act], end)
