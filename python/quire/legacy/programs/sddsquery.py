"""sddsquery: specs/sdds-toolkit.md, section 6.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.acts.query import Query, query, query_file
from quire.legacy.grammar import parse
from quire.legacy.running import sources
from quire.legacy.translation import STANDARD, Printing, Translation

PROGRAM: Final = "sddsquery"

LISTS: Final = {"columnList": "column", "parameterList": "parameter", "arrayList": "array"}
OPTIONS: Final = (*LISTS, "appendUnits", "delimiter", "sddsOutput", "readAll", "version")

SHOWN: Final = {"column": "columns", "parameter": "attributes", "array": "fields"}


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    if line.last("version") is not None:
        raise UsageError("-version is not translated: sddsquery FILE reports the version")
    lists = [LISTS[one.keyword] for one in line.options if one.keyword in LISTS]
    if len(lists) > 1:
        raise UsageError("only one list of names can be printed")
    units, delimiter, output = (line.last(one) for one in ("appendUnits", "delimiter", "sddsOutput"))
    is_bare = units is not None and "bare" in units.qualified(0, (), ("bare",)).flags
    request = Query(
        lists[0] if lists else "",
        "\n" if delimiter is None else delimiter.text(),
        "" if units is None else "bare" if is_bare else "bracketed",
        line.files[0] if line.files else "",
    )
    first, *others = sources(line)
    if output is not None:
        if others:
            raise UsageError("-sddsOutput reports one file")
        target = output.items[0] if output.items else STANDARD
        return Translation(PROGRAM, first, [], Printing(query_file, (request, target)))
    shown = ("info", first) if not lists else ("show", first, "--list", SHOWN[lists[0]])
    shown = (*shown, "--units") if lists and units is not None else shown
    return Translation(PROGRAM, first, [], Printing(query, (request,), others, shown if not others else ()))
