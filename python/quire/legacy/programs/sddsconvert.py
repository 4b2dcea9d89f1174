"""sddsconvert: specs/sdds-toolkit.md, section 6.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from quire.legacy.acts import elements, rows
from quire.legacy.acts.damage import whole_pages
from quire.legacy.grammar import CommandLine, Option, integer, number, parse
from quire.legacy.programs.common import chosen_elements, described, kind_of, major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddsconvert"

OPTIONS: Final = (
    "ascii", "binary", "retain", "delete", "rename", "editNames", "fromPage", "toPage", "keepPages",
    "removePages", "recover", "linesPerRow", "acceptAllNames", "rowlimit", "description", "convertUnits",
    "majorOrder", "xzLevel", "noWarnings", "threads",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    acts = [*recovering(line), *page_acts(line), *chosen_elements(line)]
    warnings: list[str] = []
    for option in line.options:
        acts += act_of(option, warnings)
    source, end = writing(line, layout(line))
    return Translation(PROGRAM, source, acts, end, warnings)


def layout(line: CommandLine) -> dict[str, str]:
    """Independent. Return the options of the writer."""
    made = major_order(line)
    for option in line.options:
        if option.keyword in ("ascii", "binary"):
            made["mode"] = option.keyword
        if option.keyword == "linesPerRow":
            made["lines_per_row"] = str(integer(option.item(0, "the number of lines"), option))
    return made


def recovering(line: CommandLine) -> Iterator[Act]:
    """Independent. Yield what reads a damaged file."""
    option = line.last("recover")
    if option is not None:
        if option.items and option.choice(0, ("clip",), "recovery"):
            raise option.wrong("a part of a page is not kept: write -recover, which keeps whole pages")
        yield Act(whole_pages)


def page_acts(line: CommandLine) -> list[Act]:
    """Independent. Return the act that chooses pages, if there is any."""
    first, last = line.last("fromPage"), line.last("toPage")
    keep = [integer(item, one) for one in line.each("keepPages") for item in one.items]
    remove = [integer(item, one) for one in line.each("removePages") for item in one.items]
    if first is None and last is None and not keep and not remove:
        return []
    begin = 1 if first is None else integer(first.item(0, "the page"), first)
    end = None if last is None else integer(last.item(0, "the page"), last)
    return [Act(elements.keep_numbered, (begin, end, keep, remove))]


def act_of(option: Option, warnings: list[str]) -> Iterator[Act]:
    """Independent. Yield the act of an option."""
    if option.keyword == "rename":
        kind = kind_of(option)
        pairs = [item.partition("=") for item in option.items[1:]]
        for old, is_set, new in pairs:
            if not (old and is_set and new):
                raise option.wrong(f"'{old}' is not OLD=NEW")
        names = {old: new for old, _, new in pairs}
        words = [word for old, new in names.items() for word in ("--rename", f"{old}={new}")]
        yield Act(
            elements.rename, (kind, names), words=("select", *words) if kind == "column" and words else ()
        )
    elif option.keyword == "editNames":
        pattern, command = option.item(1, "the pattern"), option.item(2, "the edit command")
        yield Act(elements.edit_names, (kind_of(option), pattern, command))
    elif option.keyword == "rowlimit":
        count = integer(option.item(0, "the number of rows"), option)
        yield Act(rows.slice_rows, (0, count), words=("rows", f"0:{count}"))
    elif option.keyword == "description":
        yield described(option)
    elif option.keyword == "convertUnits":
        yield converting(option, warnings)


def converting(option: Option, warnings: list[str]) -> Act:
    """Independent. Return the act that converts units; without a factor values stay, with a warning."""
    kind, name, unit = kind_of(option), option.item(1, "the name"), option.item(2, "the unit")
    before = option.items[3] if len(option.items) > 3 else None
    if len(option.items) < 5:
        warnings.append(f"{option.written}: without a factor the values stay as they are")
        return Act(elements.convert_units, (kind, name, unit, before, 1.0))
    factor = number(option.items[4], option)
    is_plain = kind == "column" and name.isidentifier()
    words = ("define", "--replace", f"{name}[{unit}]={name} * {option.items[4]}") if is_plain else ()
    return Act(elements.convert_units, (kind, name, unit, before, factor), words=words)
