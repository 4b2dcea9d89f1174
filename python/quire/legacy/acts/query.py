"""What sddsquery reports of the header of a file: specs/sdds-toolkit.md, section 6.1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import quire
from quire.legacy.equations import TYPES
from quire.legacy.pages import Page, Pages, chosen_table

OLD_TYPES: Final = {new: old for old, new in TYPES.items()}

CLASSES: Final = ("column", "parameter", "array")
HEADS: Final = ("NAME", "UNITS", "SYMBOL", "FORMAT", "TYPE", "DESCRIPTION")


@dataclass(frozen=True)
class Query:
    """What is reported: everything, or the names of a class."""

    names_of: str = ""
    delimiter: str = "\n"
    units: str = ""
    """`bracketed` or `bare`: units after names."""
    source: str = ""


@dataclass(frozen=True)
class Element:
    """A definition in a header."""

    name: str
    unit: str
    symbol: str
    display: str
    type: str
    description: str
    group: str = ""

    @classmethod
    def of(cls, one: Any) -> Element:
        """Independent. Return the definition of a column, an attribute or a field."""
        kind = OLD_TYPES.get(one.type, one.type)
        group = str(getattr(one, "group", "") or "")
        return cls(one.name, one.unit, one.symbol, one.display, kind, one.description, group)


def elements(pages: Pages) -> dict[str, list[Element]]:
    """Independent. Return the definitions by class: those of the first page, or of a header without pages."""
    page = next(pages.pages(), None)
    declared = pages._file.declared
    if page is None and declared is not None:
        page = Page(declared, chosen_table(declared), 1)
    if page is None:
        return {one: [] for one in CLASSES}
    known = (page.table.columns, page.parameters, page.arrays)
    return {
        what: [Element.of(one) for one in some.values()] for what, some in zip(CLASSES, known, strict=True)
    }


def query(pages: Pages, *given: Any) -> Iterator[str]:
    """Independent. Yield the report of one or several files."""
    others, request = given if len(given) > 1 else ([], given[0])
    for file in [pages, *others]:
        yield from names(file, request) if request.names_of else report(file)


def names(pages: Pages, request: Query) -> Iterator[str]:
    """Independent. Yield the names of a class with a delimiter after each."""
    found = []
    for one in elements(pages)[request.names_of]:
        unit = {"bare": f" {one.unit}", "bracketed": f" ({one.unit})"}.get(request.units, "")
        found.append(one.name + (unit if one.unit else ""))
    if found:
        yield request.delimiter.join(found) + "\n"


def report(pages: Pages) -> Iterator[str]:
    """Independent. Yield a report for readers."""
    layout = pages.layout
    yield f"file {pages.path} is in SDDS protocol version {layout.get('version', '?')}\n"
    if pages.title:
        yield f"description: {pages.title}\n"
    if pages.contents:
        yield f"contents: {pages.contents}\n"
    yield f"data is {'ASCII' if layout.get('mode') == 'ascii' else 'binary'}\n"
    for what, found in elements(pages).items():
        if found:
            yield f"\n{len(found)} {what}{'s' if len(found) > 1 else ''} of data:\n"
            rows = [(one.name, one.unit, one.symbol, one.display, one.type, one.description) for one in found]
            yield from aligned([HEADS, *((cell or "NULL" for cell in row) for row in rows)])


def aligned(rows: Sequence[Any]) -> Iterator[str]:
    """Independent. Yield rows of texts in columns."""
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(text.ljust(one) for text, one in zip(row, widths, strict=True)).rstrip() + "\n"


def query_file(pages: Pages, request: Query, target: str) -> Iterator[str]:
    """Independent. Write the definitions to a file with a page for each class; yields nothing."""
    from quire.cli.streams import writable

    found = {what: some for what, some in elements(pages).items() if some}
    data = quire.sdds.DataSet("header summary", "header summary")
    data.parameter("Class", list(found), type="string")
    data.parameter("Filename", [request.source] * len(found), type="string")
    for name, attribute in (
        ("Name", "name"),
        ("Units", "unit"),
        ("Symbol", "symbol"),
        ("Format", "display"),
        ("Type", "type"),
        ("Description", "description"),
        ("Group", "group"),
    ):
        pages_of = [[getattr(one, attribute) for one in some] for some in found.values()]
        data.column(name, pages_of, type="string")
    with writable(target) as path:
        quire.sdds.save(data, path)
    yield from ()
