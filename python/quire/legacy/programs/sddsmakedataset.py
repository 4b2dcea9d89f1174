"""sddsmakedataset: specs/sdds-toolkit.md, section 7.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.making import Element, GivenData
from quire.legacy.equations import ENTRIES, entries_of, type_of
from quire.legacy.grammar import CommandLine, Option, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import target_of
from quire.legacy.translation import Translation

PROGRAM: Final = "sddsmakedataset"

REFUSED: Final = ("array", "append")

OPTIONS: Final = (
    "parameter", "column", "data", "defaultType", "ascii", "description", "contents", *REFUSED,
    "noWarnings", "majorOrder", "threads",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    option = line.last("defaultType")
    default = type_of(option.item(0, "the type"), option) if option else ""
    title, contents = (
        option.item(0, "the text") if (option := line.last(name)) else ""
        for name in ("description", "contents")
    )
    elements = list(elements_of(line, default))
    if not elements:
        raise UsageError("an element is needed: -column=NAME,type=TYPE -data=1,2,3")
    options = {"mode": "ascii" if line.last("ascii") else "binary"} | major_order(line)
    new = GivenData(elements, title, contents)
    return Translation(PROGRAM, "", [], target_of(line, options), new=new)


def elements_of(line: CommandLine, default: str) -> list[Element]:
    """Independent. Return the elements with the values of the option after each. Raises UsageError."""
    found: list[Element] = []
    waiting: Option | None = None
    for option in line.options:
        if option.keyword in ("parameter", "column"):
            require_values(waiting)
            found.append(element_of(option, default))
            waiting = option
        elif option.keyword == "data":
            if waiting is None:
                raise option.wrong("an element comes before it")
            found[-1] = replace(found[-1], values=option.items)
            waiting = None
    require_values(waiting)
    return found


def require_values(option: Option | None) -> None:
    """Independent. Raise UsageError for an element without values."""
    if option is not None:
        raise option.wrong("-data=... must follow it")


def element_of(option: Option, default: str) -> Element:
    """Independent. Return the element of an option, without values. Raises UsageError."""
    entries = entries_of(option.qualified(1, ENTRIES))
    kind = entries.type or default
    if not kind:
        raise option.wrong("type=... is needed, or -defaultType")
    return Element(option.keyword, option.item(0, "the name"), kind, replace(entries, type=None))
