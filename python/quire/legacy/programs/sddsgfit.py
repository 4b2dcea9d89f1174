"""sddsgfit: specs/sdds-toolkit.md, section 7.5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.grammar import CommandLine, number, parse
from quire.legacy.programs.common import columns_of, major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsgfit"

REFUSED: Final = ("stepSize", "verbosity")

OPTIONS: Final = (
    "columns", "guesses", "fixValue", "fitRange", "fullOutput", "limits", "tolerance", *REFUSED, "noWarnings",
    "majorOrder", "threads",
)  # fmt: skip

PARAMETERS: Final = ("baseline", "height", "mean", "sigma")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    (x, y), sigma = columns_of(line)
    start, fixed = values_of(line, "guesses"), values_of(line, "fixValue")
    how: dict[str, Any] = {"versus": x, "model": "gaussian", "sigma": sigma, "start": start, "fixed": fixed}
    given = ["fit", y, "--versus", x, "--model", "gaussian", *(["--sigma", sigma] if sigma else [])]
    for word, values in (("--start", start), ("--fix", fixed)):
        given += [word, ",".join(f"{name}={value}" for name, value in values.items())] if values else []
    acts = []
    if option := line.last("fitRange"):
        low, high = (number(option.item(place, "the limit"), option) for place in (0, 1))
        condition = f"`{x}` between {low} and {high}"
        acts.append(Act(by_verb, ("filter", (condition,)), words=("filter", condition)))
    columns = {name: (name,) for name in (x, y, sigma) if name} | {f"{y}_fit": (f"{y}Fit",)}
    columns |= {f"{y}_residual": (f"{y}Residual",)} if line.last("fullOutput") else {}
    parameters: dict[str, Sequence[str]] = {
        f"{y}_{name}": (f"gfit{name.capitalize()}",) for name in PARAMETERS
    }
    parameters |= {f"{y}_fit_rms": ("gfitRmsResidual",), f"{y}_fit_significance": ("gfitSigLevel",)}
    parameters |= {f"{y}_fit_*": ()} | {f"{y}_{name}_sigma": () for name in PARAMETERS}
    names = Names(columns | {"*": ()}, parameters)
    words = (*given, *names.words)
    acts.append(Act(by_verb, ("fit", (y,), how, names), words=words, note=names.note))
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, acts, end)


def values_of(line: CommandLine, keyword: str) -> dict[str, float]:
    """Independent. Return the values of parameters that an option gives."""
    found: dict[str, float] = {}
    for option in line.each(keyword):
        given = option.qualified(0, PARAMETERS)
        found |= {name: number(text, option) for name, text in given.values.items()}
    return found
