"""sddsenvelope: specs/sdds-toolkit.md, section 7.3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.elements import Choice, choose
from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.grammar import CommandLine, Option, parse
from quire.legacy.patterns import is_pattern
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsenvelope"

REDUCTIONS: Final = {
    "mean": ("mean", "Mean"), "standardDeviation": ("std", "StDev"), "maximum": ("max", "Max"),
    "minimum": ("min", "Min"), "rms": ("rms", "Rms"), "sigma": ("sigma", "Sigma"),
    "median": ("median", "Median"), "decileRange": ("decile_range", "DRange"),
    "largest": ("largest", "Largest"), "signedLargest": ("signed_largest", "SignedLargest"),
}  # fmt: skip
"""Options with columns only: their reductions, and what is added to the names of the columns."""

REFUSED: Final = ("wmean", "wstandardDeviation", "wrms", "wsigma", "exmmMean")

OPTIONS: Final = (
    "copy", "sum", "percentile", "slope", "intercept", "cmaximum", "cminimum", "pmaximum", "pminimum",
    *REDUCTIONS, *REFUSED, "noWarnings", "majorOrder", "threads",
)  # fmt: skip

OF_PARAMETER: Final = {
    "slope": ("slope(*, versus=%s)", "Slope"), "intercept": ("intercept(*, versus=%s)", "Intercept"),
    "pmaximum": ("max(*, versus=%s, position)", "PMaximum"),
    "pminimum": ("min(*, versus=%s, position)", "PMinimum"),
}  # fmt: skip
"""Options with a parameter before the columns."""


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse((*REFUSED, "cmaximum", "cminimum"))
    reductions = [word for one in line.options for word in reductions_of(one)]
    if not reductions:
        raise UsageError("a reduction is needed, such as -maximum=x")
    kept = {word.partition("=")[0]: (word.partition("=")[0],) for word in reductions}
    swap = Act(by_verb, ("swap",), words=("pages", "swap"))
    names = ",".join(kept)
    reduce = Act(
        by_verb,
        ("stats", tuple(reductions), {}, Names(kept | {"*": ()})),
        words=("stats", *reductions, "/", "select", names),
    )
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [*without_parameters(line), swap, reduce], end)


def without_parameters(line: CommandLine) -> list[Act]:
    """Independent. Return what leaves out parameters, which would be columns that patterns match, too."""
    if not any(is_pattern(item) for option in line.options for item in option.items):
        return []
    used = [option.item(0, "the parameter") for option in line.options if option.keyword in OF_PARAMETER]
    return [Act(choose, (Choice({"parameter": ["*"]}, {"parameter": used}),))]


def reductions_of(option: Option) -> list[str]:
    """Independent. Return the reductions of an option as `stats` has them. Raises UsageError."""
    word = option.keyword
    if word == "copy":
        return [f"{name}=first({name})" for name in option.items]
    if word in REDUCTIONS:
        what, suffix = REDUCTIONS[word]
        return [f"{name}{suffix}={what}({name})" for name in option.items]
    if word in ("noWarnings", "majorOrder", "threads"):
        return []
    first = option.item(0, "the power" if word == "sum" else "the parameter or percentage")
    if word == "sum":
        if first != "1":
            raise option.wrong("powers other than 1 are not translated")
        return [f"{name}Sum=sum({name})" for name in option.items[1:]]
    if word == "percentile":
        return [f"{name}{first}Percentile=percentile({name}, {first})" for name in option.items[1:]]
    text, suffix = OF_PARAMETER[word]
    return [f"{name}{suffix}={text.replace('*', name) % first}" for name in option.items[1:]]
