"""sdds2stream: specs/sdds-toolkit.md, section 6.2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.printing import Streaming, stream
from quire.legacy.grammar import CommandLine, Option, integer, parse
from quire.legacy.running import sources
from quire.legacy.steps import NUMBER, NUMBERED, STEP
from quire.legacy.translation import Printing, Translation

PROGRAM: Final = "sdds2stream"

MODES: Final = ("columns", "parameters", "arrays", "rows", "npages", "description")
OPTIONS: Final = (*MODES, "page", "table", "delimiter", "noQuotes", "ignoreFormats", "filenames")

ALL_STEPS: Final = ("--steps", "0-")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    mode = the_mode(line)
    if line.last("filenames") is not None:
        raise UsageError("-filenames is not translated")
    page = line.last("page") or line.last("table")
    delimiter = line.last("delimiter")
    counted = mode.keyword in ("rows", "npages")
    flags = (
        mode.qualified(0, (), ("bare", "total") if mode.keyword == "rows" else ("bare",)).flags
        if counted
        else ()
    )
    request = Streaming(
        what=mode.keyword,
        names=() if counted else list(mode.items),
        page=None if page is None else integer(page.item(0, "the number of the page"), page),
        delimiter=None if delimiter is None else delimiter.text(),
        quotes=line.last("noQuotes") is None,
        uses_formats=line.last("ignoreFormats") is None,
        bare="bare" in flags,
        total="total" in flags,
    )
    if not counted and mode.keyword != "description" and not mode.items:
        raise mode.wrong("names are missing")
    first, *others = sources(line)
    shown = words_of(first, request) if not others else ()
    is_numbered = request.what == "parameters" and STEP in request.names
    return Translation(
        PROGRAM, first, [], Printing(stream, (request,), others, shown, NUMBERED * is_numbered)
    )


def the_mode(line: CommandLine) -> Option:
    """Independent. Return the option that says what is printed. Raises UsageError unless there is one."""
    found = [one for one in line.options if one.keyword in MODES]
    if len(found) != 1:
        raise UsageError(f"one of -{', -'.join(MODES)} is needed, and not several")
    return found[0]


def words_of(source: str, request: Streaming) -> tuple[str, ...]:
    """Independent. Return the command that prints the same, empty if there is none."""
    index = () if request.page is None else ("--index", str(request.page - 1))
    delimiter = () if request.delimiter is None else ("--delimiter", request.delimiter)
    if request.what == "columns":
        between = delimiter or ("--delimiter", " ")
        return ("show", source, "--columns", ",".join(request.names), *between, "--bare", *index)
    if request.what in ("parameters", "arrays"):
        is_one = request.what == "parameters"
        names = [NUMBER if is_one and name == STEP else name for name in request.names]
        return ("get", source, *names, *(index or ALL_STEPS), *delimiter)
    if request.what == "rows" and request.bare and not request.total:
        return ("show", source, "--list", "rows", *index)
    return ()
