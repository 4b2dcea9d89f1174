"""sddsnaff: specs/sdds-toolkit.md, section 7.6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.errors import UsageError
from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.grammar import CommandLine, parse
from quire.legacy.programs.common import major_order, star_of
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsnaff"

REFUSED: Final = ("iterateFrequency", "truncate", "exclude")

OPTIONS: Final = (
    "columns", "pair", "terminateSearch", *REFUSED, "noWarnings", "majorOrder", "threads",
)  # fmt: skip

RESULTS: Final = {
    "*_frequency": ("*Frequency",),
    "*_amplitude": ("*Amplitude",),
    "*_phase": ("*Phase",),
    "*_significance": ("*Significance",),
}


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    option = line.required("columns")
    time = option.item(0, "the column of times")
    pairs = [(one.item(0, "the column"), one.item(1, "its partner")) for one in line.each("pair")]
    columns = [*option.items[1:], *(one for one, _ in pairs if one not in option.items)]
    if not columns:
        raise option.wrong("the columns of the signals are missing")
    if pairs and len(pairs) < len(columns):
        raise UsageError("columns with and without -pair are not translated together")
    keywords: dict[str, Any] = {"versus": time, **search(line)}
    given = ["--versus", time]
    if pairs:
        keywords["pair"] = star_of(line.required("pair"), pairs)
        given += ["--pair", keywords["pair"]]
    for name in keywords.keys() & {"count", "least"}:
        given += [f"--{name}", str(keywords[name])]
    names = Names(RESULTS)
    words = ("tunes", *columns, *given, *names.words)
    act = Act(by_verb, ("tunes", tuple(columns), keywords, names), words=words)
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [act], end)


def search(line: CommandLine) -> dict[str, Any]:
    """Independent. Return where the search ends: by default after one frequency."""
    option = line.last("terminateSearch")
    if option is None:
        return {"count": 1}
    given = option.qualified(0, ("changeLimit", "maxFrequencies", "frequencies"))
    count = given.integer("frequencies") or given.integer("maxFrequencies")
    if count is None:
        raise option.wrong("frequencies=N or maxFrequencies=N is needed")
    least = given.number("changeLimit")
    return {"count": count} | ({} if least is None else {"least": least})
