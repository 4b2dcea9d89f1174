"""sddsprintout: specs/sdds-toolkit.md, section 6.9."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.errors import UsageError
from quire.legacy.acts.printout import Printout, Shown, marked_up, printout
from quire.legacy.grammar import CommandLine, Option, integer, parse, split_items
from quire.legacy.running import source_of_printing
from quire.legacy.steps import STEP
from quire.legacy.translation import Printing, Translation

PROGRAM: Final = "sddsprintout"

CLASSES: Final = ("columns", "parameters", "arrays")
VIEWS: Final = {"latexFormat": "Latex", "htmlFormat": "Html", "markdown": "Markdown"}
OPTIONS: Final = (
    *CLASSES, *VIEWS, "spreadsheet", "width", "paginate", "noTitle", "title", "noLabels", "fromPage",
    "toPage", "formatDefaults", "postPageLines", "noWarnings",
)  # fmt: skip
REFUSED: Final = ("formatDefaults", "paginate", "postPageLines")

KEYS: Final = ("format", "label", "editLabel", "factor", "blankLines")
SHORTEST: Final = 3
"""Letters of an abbreviated qualifier after names."""
FLAGS: Final = ("endsLine", "noUnits", "useDefaultFormat")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    for keyword in REFUSED:
        if option := line.last(keyword):
            raise option.wrong("it is not translated")
    source, target = source_of_printing(line)
    shown: dict[str, Any] = {what: [elements(one) for one in line.each(what)] for what in CLASSES}
    if not any(shown.values()):
        shown |= {"columns": [Shown()], "parameters": [Shown()]}
    view = next((VIEWS[one.keyword] for one in line.options if one.keyword in VIEWS), "")
    request = Printout(
        "standard input" if source == "-" else source,
        **shown,
        title=title(line),
        labels=line.last("noLabels") is None,
        width=whole(line, "width", 130),
        first_page=whole(line, "fromPage", 1),
        last_page=whole(line, "toPage", 0) or None,
        **sheet(line.last("spreadsheet")),
    )
    words_of = showing(source, request, view)
    if view:
        if shown["parameters"] and line.last("parameters") is not None:
            raise UsageError(f"parameters are not printed as {view}: print columns alone")
        return Translation(
            PROGRAM, source, [], Printing(marked_up, (request, view), words=words_of), target=target
        )
    return Translation(PROGRAM, source, [], Printing(printout, (request,), words=words_of), target=target)


def title(line: CommandLine) -> str | None:
    """Independent. Return the title, empty for the usual one, None for no title."""
    if line.last("noTitle") is not None:
        return None
    option = line.last("title")
    return option.text() if option is not None else ""


def whole(line: CommandLine, keyword: str, default: int) -> int:
    """Independent. Return the integer of an option."""
    option = line.last(keyword)
    return default if option is None else integer(option.item(0, "the number"), option)


def elements(option: Option) -> Shown:
    """Independent. Return how the elements of an option are printed: names, then qualifiers.

    A short word is a name, though it could abbreviate a qualifier.
    """
    names: list[str] = []
    items = list(option.items)
    while items and "=" not in items[0]:
        if names and len(items[0]) >= SHORTEST and option.is_one(items[0], FLAGS):
            break
        names += split_items(items.pop(0))
    rest = Option(option.keyword, tuple(items), option.written)
    given = rest.qualified(0, KEYS, FLAGS)
    return Shown(
        names or ("*",),
        given.get("format"),
        given.values.get("label"),
        given.get("editLabel"),
        given.number("factor"),
        "endsLine" in given.flags,
        given.integer("blankLines") or 0,
        "noUnits" not in given.flags,
    )


def sheet(option: Option | None) -> dict[str, Any]:
    """Independent. Return delimiter and quotes of a spreadsheet."""
    if option is None:
        return {}
    given = option.qualified(0, ("delimiter", "quoteMark"), ("csv", "noLabels"))
    usual = "," if "csv" in given.flags else "\t"
    quotes = '"' if "csv" in given.flags else ""
    return {"delimiter": given.get("delimiter", usual), "quotes": given.get("quoteMark", quotes)}


def showing(source: str, request: Printout, view: str) -> tuple[str, ...]:
    """Independent. Return the command that shows the same values; none for parameters beside columns."""
    if request.arrays or request.first_page != 1 or request.last_page is not None:
        return ()
    if request.parameters and not request.columns:
        names = names_of(request.parameters)
        if STEP in names.split(","):
            return ()
        return ("show", source, "--attributes", *(("--names", names) if names else ()))
    if request.parameters and any(one.names != ("*",) for one in request.parameters):
        return ()
    names = names_of(request.columns)
    words = ["show", source, *(["--columns", names] if names else [])]
    words += [f"--{view.lower()}"] if view else ["--csv"] if request.delimiter == "," else ["--rows", ":"]
    for one in request.columns:
        if any((one.label, one.edit, one.factor)):
            return ()
        words += [word for name in one.names if one.format for word in ("--format", f"{name}={one.format}")]
    return tuple(words)


def names_of(some: Sequence[Shown]) -> str:
    """Independent. Return the names of elements; empty for all."""
    return ",".join(name for one in some for name in one.names if name != "*")
