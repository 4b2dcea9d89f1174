"""sddssort: specs/sdds-toolkit.md, section 6.8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.layout import COUNT, Sorting, sort_pages, sort_rows
from quire.legacy.grammar import CommandLine, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation
from quire.verbs.order import Key

PROGRAM: Final = "sddssort"

OPTIONS: Final = (
    "column", "parameter", "unique", "numericHigh", "nonDominateSort", "noWarnings", "majorOrder", "threads",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    if option := line.last("nonDominateSort"):
        raise option.wrong("it is not translated")
    columns, parameters = keys(line, "column"), keys(line, "parameter")
    if not columns and not parameters:
        raise UsageError("-column=NAME or -parameter=NAME is needed")
    natural, unique = line.last("numericHigh") is not None, line.last("unique")
    counts = unique is not None and "count" in unique.qualified(0, (), ("count",)).flags
    acts = []
    if columns:
        sorting = Sorting(columns, natural, unique is not None, counts)
        acts.append(Act(sort_rows, (sorting,), words=() if natural else words_of(sorting)))
    elif unique is not None:
        raise unique.wrong("it belongs to -column")
    if parameters:
        texts = [text_of(key) for key in parameters]
        acts.append(Act(sort_pages, (Sorting(parameters),), words=("sort", *texts, "--steps-by")))
    source, end = writing(line, major_order(line))
    return Translation(PROGRAM, source, acts, end)


def keys(line: CommandLine, keyword: str) -> list[Key]:
    """Independent. Return the keys of an option in the order of the command line."""
    found = []
    for option in line.each(keyword):
        flags = option.qualified(1, (), ("increasing", "decreasing", "absolute")).flags
        found.append(Key(option.item(0, "the name"), "decreasing" in flags, "absolute" in flags))
    return found


def text_of(key: Key) -> str:
    """Independent. Return a key as the verb has it."""
    return key.name + (":desc" if key.descending else "") + (":abs" if key.absolute else "")


def words_of(sorting: Sorting) -> tuple[str, ...]:
    """Independent. Return the verb."""
    unique = ["--unique"] if sorting.unique else []
    unique += ["--count", COUNT] if sorting.counts else []
    return ("sort", *map(text_of, sorting.keys), *unique)
