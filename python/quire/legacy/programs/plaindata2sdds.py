"""plaindata2sdds: specs/sdds-toolkit.md, section 7.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.equations import Entries
from quire.legacy.acts.making import Element, PlainText
from quire.legacy.equations import type_of
from quire.legacy.grammar import CommandLine, Option, integer, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import source_and_target
from quire.legacy.translation import Translation, Writing

PROGRAM: Final = "plaindata2sdds"

REFUSED: Final = ("fillIn",)

OPTIONS: Final = (
    "column", "parameter", "skipColumn", "inputMode", "outputMode", "separator", "noRowCount", "skipLines",
    "commentCharacters", "order", "eofSequence", *REFUSED, "noWarnings", "majorOrder", "threads",
)  # fmt: skip

MODES: Final = ("ascii", "binary")
ENTRIES: Final = ("units", "symbol", "description", "format_string")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    for keyword, choices in (("inputMode", MODES), ("order", ("rowMajor", "columnMajor"))):
        if (option := line.last(keyword)) and option.choice(0, choices, "mode") != choices[0]:
            raise option.wrong("it is not translated")
    mode = option.choice(0, MODES, "mode") if (option := line.last("outputMode")) else MODES[0]
    elements = [element_of(one) for one in line.options if one.keyword in ("column", "parameter")]
    if not elements:
        raise UsageError("an element is needed: -column=NAME,TYPE or -parameter=NAME,TYPE")
    fields = [one.keyword for one in line.options if one.keyword in ("column", "skipColumn")]
    lines = line.last("skipLines")
    source, target, backup = source_and_target(line)
    if backup:
        raise UsageError("the output is missing: give a file, or -pipe=out")
    new = PlainText(
        source,
        elements,
        text_of(line, "separator"),
        line.last("noRowCount") is None,
        integer(lines.item(0, "the number of lines"), lines) if lines else 0,
        text_of(line, "commentCharacters"),
        text_of(line, "eofSequence"),
        tuple(place for place, keyword in enumerate(fields) if keyword == "skipColumn"),
    )
    return Translation(PROGRAM, "", [], Writing(target, {"mode": mode} | major_order(line)), new=new)


def text_of(line: CommandLine, keyword: str) -> str:
    """Independent. Return the text of an option, empty without it."""
    option = line.last(keyword)
    return "" if option is None else option.text()


def element_of(option: Option) -> Element:
    """Independent. Return the element of `-column=NAME,TYPE[,units=...]`. Raises UsageError."""
    kind = type_of(option.item(1, "the type"), option)
    entries = Entries(**option.qualified(2, ENTRIES).values)
    return Element(option.keyword, option.item(0, "the name"), kind, entries)
