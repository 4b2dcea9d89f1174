"""Texts of numbers, numbers of texts, and edited texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from quire.errors import MissingError, UsageError
from quire.io.types import Array, dtype_of
from quire.legacy.acts.elements import required_names, with_column
from quire.legacy.acts.equations import Entries, as_type, parameter
from quire.legacy.edits import edited
from quire.legacy.pages import TEXTS, Page, Pages
from quire.legacy.printing import formatted
from quire.near import there_is_no
from quire.verbs.steplike import NewColumn, StepLike

UNITS = ".units"

SCANNED = re.compile(
    r"%(?P<skip>\*)?(?P<width>\d*)(?:hh|h|ll|l|L)?(?P<letter>[diouxXeEfFgGsc])|\s+|%%|.", re.S
)

INTEGERS = {
    "d": (r"[+-]?\d+", 10),
    "u": (r"[+-]?\d+", 10),
    "i": (r"[+-]?(?:[1-9]\d*|0(?![\dx]))", 10),
    "o": (r"[+-]?[0-7]+", 8),
    "x": (r"[+-]?(?:0x)?[0-9a-f]+", 16),
}
"""Integers of scanf and their bases; those of `%i` that begin with 0, whose base is 8 or 16, do not fit."""
FLOAT = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|nan)"


def objects(texts: Sequence[str]) -> Array:
    """Independent. Return texts as an array."""
    made: Array = np.empty(len(texts), object)
    made[:] = texts
    return made


def print_texts(
    pages: Pages,
    kind: str,
    name: str,
    text: str,
    sources: Sequence[str],
    entries: Entries,
    keeps: bool = False,
) -> Pages:
    """Independent. Make a text of values by a printf format, in each row or of parameters.

    A source `NAME.units` is the unit of an element.
    """

    def printed(page: Page) -> StepLike:
        if kind == "parameter":
            values = [parameter_value(page, one) for one in sources]
            known = page.parameters.get(name) if keeps else None
            return page.with_attributes(
                [parameter(name, formatted(text, *values), "string", entries.texts(known))]
            )
        columns = [column_values(page, one) for one in sources]
        rows = zip(*columns, strict=True) if columns else [()] * len(page.table)
        made = objects([formatted(text, *row) for row in rows])
        return with_texts(page, name, made, entries, keeps)

    return pages.each_page(printed)


def parameter_value(page: Page, name: str) -> Any:
    """Independent. Return the value of a parameter, or a unit. Raises MissingError."""
    unit = unit_of(page, name)
    if unit is not None:
        return unit
    if name not in page.parameters:
        raise MissingError(there_is_no("parameter", name, list(page.parameters)))
    return page.parameters[name].value


def column_values(page: Page, name: str) -> list[Any]:
    """Independent. Return the values of a column, or a parameter or unit repeated. Raises MissingError."""
    if name in page.table.columns:
        values: list[Any] = page.columns([name])[name].tolist()
        return values
    if name in page.parameters:
        return [page.parameters[name].value] * len(page.table)
    unit = unit_of(page, name)
    if unit is None:
        raise MissingError(there_is_no("column", name, [*page.table, *page.parameters]))
    return [unit] * len(page.table)


def unit_of(page: Page, name: str) -> str | None:
    """Independent. Return the unit that `NAME.units` means; None for other names."""
    of_name = name.removesuffix(UNITS)
    if not name.endswith(UNITS) or name in page.table.columns or name in page.parameters:
        return None
    if of_name in page.table.columns:
        return str(page.table[of_name].unit)
    return page.parameters[of_name].unit if of_name in page.parameters else None


def with_texts(page: Page, name: str, values: Array, entries: Entries, keeps: bool) -> StepLike:
    """Independent. Return a page with a column of texts."""
    known = page.table.columns.get(name) if keeps else None
    return page.with_table(with_column(page.table, NewColumn(name, values, entries.texts(known), "string")))


def change_texts(
    pages: Pages,
    kind: str,
    name: str,
    source: str,
    change: Callable[[str], str],
    entries: Entries,
    keeps: bool = False,
) -> Pages:
    """Independent. Make a text of another one."""

    def changed(page: Page) -> StepLike:
        if kind == "parameter":
            old = page.parameters[required_names(source, page.parameters, kind)[0]]
            texts = entries.texts(old if keeps else None)
            return page.with_attributes([parameter(name, change(str(old.value)), "string", texts)])
        required_names(source, page.table, kind)
        if page.table[source].type not in TEXTS:
            raise UsageError("only texts are edited", object=source)
        values = objects([change(str(one)) for one in page.columns([source])[source].tolist()])
        return with_texts(page, name, values, entries, keeps)

    return pages.each_page(changed)


def edit_texts(
    pages: Pages, kind: str, name: str, source: str, command: str, entries: Entries, keeps: bool = False
) -> Pages:
    """Independent. Make a text by editing another one."""
    return change_texts(pages, kind, name, source, lambda text: edited(command, text), entries, keeps)


def scan_texts(
    pages: Pages, kind: str, name: str, source: str, text: str, entries: Entries, command: str = ""
) -> Pages:
    """Independent. Make numbers of texts by a scanf format; a text that does not fit is an error.

    The text is edited by a command before.
    """
    type = entries.kind()
    pattern, base = scanner(text)

    def number(given: str) -> Any:
        word = edited(command, given) if command else given
        found = pattern.match(word)
        if found is None:
            raise UsageError(f"'{word}' does not fit the format '{text}'", object=source)
        if type in TEXTS:
            return found[1]
        return int(found[1], base) if base else float(found[1])

    def values_of(texts: Sequence[str]) -> Array:
        found = [number(one) for one in texts]
        if type in TEXTS:
            return as_type(objects(found), type, name)
        # Integers keep all their digits.
        is_whole = base and dtype_of(type).kind in "iu" and all(-(1 << 63) <= one < 1 << 63 for one in found)
        return as_type(np.array(found, np.int64 if is_whole else np.float64), type, name)

    def scanned(page: Page) -> StepLike:
        if kind == "parameter":
            old = page.parameters[required_names(source, page.parameters, kind)[0]]
            value = values_of([str(old.value)])[0]
            return page.with_attributes([parameter(name, value, type, entries.texts())])
        required_names(source, page.table, kind)
        values = values_of([str(one) for one in page.columns([source])[source].tolist()])
        column = NewColumn(name, values, entries.texts(), type)
        return page.with_table(with_column(page.table, column))

    return pages.each_page(scanned)


def scanner(text: str) -> tuple[re.Pattern[str], int]:
    """Independent. Return the regular expression of a scanf format, whose group is the value, and the base
    of an integer, 0 for other values.

    Raises UsageError unless there is one conversion that is stored.
    """
    made: list[str] = []
    stored, base = 0, 0
    for found in SCANNED.finditer(text):
        letter = found["letter"]
        if letter is None:
            made.append(r"\s*" if found[0].isspace() else re.escape("%" if found[0] == "%%" else found[0]))
            continue
        width = found["width"]
        one = {"c": ".", "s": r"\S" + (f"{{1,{width}}}" if width else "+")}.get(letter)
        if one is None:
            if width:
                raise UsageError(f"the width of a number in the format '{text}' is not translated")
            one, size = INTEGERS.get(letter.lower(), (FLOAT, 0))
            base = base if found["skip"] else size
        made.append(("" if letter == "c" else r"\s*") + (one if found["skip"] else f"({one})"))
        stored += found["skip"] is None
    if stored != 1:
        raise UsageError(f"the format '{text}' must store one value")
    return re.compile("".join(made), re.DOTALL | re.IGNORECASE), base
