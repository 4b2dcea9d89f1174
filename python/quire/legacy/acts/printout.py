"""What sddsprintout prints: tables with titles, names and units: specs/sdds-toolkit.md, section 6.9."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Final

from quire.legacy.acts.printing import values_of_array
from quire.legacy.edits import edited
from quire.legacy.pages import TEXTS, Page, Pages
from quire.legacy.patterns import required
from quire.legacy.printing import formatted_all
from quire.toolkit.lines import exact_texts

FORMATS: Final = {"int32": "%10ld", "string": "%16s", "character": "%c"}
INTEGER: Final = "%10ld"
FLOAT: Final = "%13.6e"

ROWS: Final = 4096
"""Rows that are printed at once."""


@dataclass(frozen=True)
class Shown:
    """How elements of some names are printed."""

    names: Sequence[str] = ("*",)
    format: str = ""
    label: str | None = None
    edit: str = ""
    factor: float | None = None
    ends_line: bool = False
    blank_lines: int = 0
    units: bool = True

    def heading(self, element: Any) -> str:
        """Independent. Return the label of an element."""
        if self.label is not None:
            return self.label
        return edited(self.edit, element.name) if self.edit else str(element.name)

    def texts(self, values: Sequence[Any], element: Any) -> list[str]:
        """Independent. Return values as texts."""
        return formatted_all(self.format_of(element), self.scaled(values))

    def scaled(self, values: Sequence[Any]) -> Sequence[Any]:
        """Independent. Return values multiplied by the factor, if there is one."""
        return values if self.factor is None else [value * self.factor for value in values]

    def format_of(self, element: Any) -> str:
        """Independent. Return the format of an element: the given one, or that of its type."""
        if self.format:
            return self.format
        is_float = element.type.startswith("float") or self.factor is not None
        return FORMATS.get(element.type, FLOAT if is_float else INTEGER)


@dataclass(frozen=True)
class Printout:
    """A whole printout. Without any elements everything is printed."""

    source: str
    parameters: Sequence[Shown] = ()
    columns: Sequence[Shown] = ()
    arrays: Sequence[Shown] = ()
    title: str | None = ""
    """None: without a title; empty: the usual one."""
    labels: bool = True
    width: int = 130
    first_page: int = 1
    last_page: int | None = None
    delimiter: str | None = None
    """Of a spreadsheet, whose numbers have all digits."""
    quotes: str = '"'

    def pages(self, pages: Pages) -> Iterator[Page]:
        """Independent. Yield the pages that are printed."""
        for page in pages.pages():
            if page.number >= self.first_page and page.number <= (self.last_page or page.number):
                yield page


@dataclass(frozen=True)
class Chosen:
    """An element that is printed."""

    element: Any
    shown: Shown
    values: list[str] = field(default_factory=list)


def chosen(some: Sequence[Shown], known: Any, what: str) -> list[Chosen]:
    """Independent. Return the elements that are printed, in the order of the options."""
    found = []
    for one in some:
        usual = one.names == ("*",)
        names = list(known) if usual else required(one.names, list(known), what)
        found += [Chosen(known[name], one) for name in names]
    return found


def printout(pages: Pages, request: Printout) -> Iterator[str]:
    """Independent. Yield the lines of a printout."""
    if request.delimiter is None and request.title is not None:
        yield f"{request.title or f'Printout for SDDS file {request.source}'}\n"
    for place, page in enumerate(request.pages(pages)):
        if request.delimiter is not None:
            yield from spreadsheet(page, request, place == 0)
            continue
        yield from parameter_lines(page, request)
        yield from column_lines(page, request)
        yield from array_lines(page, request)


def parameter_lines(page: Page, request: Printout) -> Iterator[str]:
    """Independent. Yield `name (unit) = value` of the parameters, as many in a line as fit."""
    line = ""
    for one in chosen(request.parameters, page.parameters, "parameter"):
        shown, element = one.shown, one.element
        unit = f" ({element.unit})" if shown.units and element.unit else ""
        value = shown.texts([element.value], element)[0]
        text = f"{shown.heading(element)}{unit} = {value.strip() if element.type in TEXTS else value}"
        if line and len(line) + len(text) + 2 > request.width:
            yield f"{line}\n"
            line = ""
        line = f"{line}  {text}" if line else text
        if shown.ends_line:
            yield line + "\n" * (1 + shown.blank_lines)
            line = ""
    if line:
        yield f"{line}\n"
    if request.parameters and request.columns:
        yield "\n"


def column_lines(page: Page, request: Printout) -> Iterator[str]:
    """Independent. Yield the columns; those that do not fit into the width are a further table."""
    found = chosen(request.columns, page.table.columns, "column")
    if not found:
        return
    arrays = page.columns(list(dict.fromkeys(one.element.name for one in found)))
    for one in found:
        one.values.extend(one.shown.texts(arrays[one.element.name].tolist(), one.element))
    widths = [width(one, request.labels) for one in found]
    begin = 0
    while begin < len(found):
        end, used = begin + 1, widths[begin]
        while end < len(found) and used + 1 + widths[end] <= request.width:
            used += 1 + widths[end]
            end += 1
        yield from table_lines(found[begin:end], widths[begin:end], request.labels)
        begin = end
        if begin < len(found):
            yield "\n"
    yield "\n"


def width(one: Chosen, with_labels: bool) -> int:
    """Independent. Return the width of a column."""
    heads = [one.shown.heading(one.element), unit_text(one)] if with_labels else []
    return max(map(len, chain(one.values, heads)), default=0)


def unit_text(one: Chosen) -> str:
    """Independent. Return the unit of a column as printed."""
    return str(one.element.unit) if one.shown.units else ""


def table_lines(found: Sequence[Chosen], widths: Sequence[int], with_labels: bool) -> Iterator[str]:
    """Independent. Yield names, units, a rule, and rows."""

    form = " ".join(f"%{one}s" for one in widths)

    def lines(rows: Iterable[tuple[str, ...]]) -> str:
        return "".join([f"{(form % row).rstrip()}\n" for row in rows])

    if with_labels:
        yield lines(zip(*((one.shown.heading(one.element), unit_text(one)) for one in found), strict=True))
        yield "-" * (sum(widths) + len(widths) - 1) + "\n"
    rows = zip(*(one.values for one in found), strict=True)
    while some := list(islice(rows, ROWS)):
        yield lines(some)


def array_lines(page: Page, request: Printout) -> Iterator[str]:
    """Independent. Yield the arrays, as many values in a line as fit."""
    for one in chosen(request.arrays, page.arrays, "array"):
        texts = one.shown.texts(list(values_of_array(one.element).reshape(-1)), one.element)
        size = max(1, request.width // (max(map(len, texts), default=0) + 1))
        yield f"{one.shown.heading(one.element)}:\n"
        for begin in range(0, len(texts), size):
            yield " ".join(texts[begin : begin + size]) + "\n"


def spreadsheet(page: Page, request: Printout, is_first: bool) -> Iterator[str]:
    """Independent. Yield parameters and columns between delimiters. Numbers have all digits without a
    format.
    """

    def quoted(text: str) -> str:
        mark = request.quotes
        return f"{mark}{text.replace(mark, mark * 2)}{mark}" if mark else text

    def cells(values: Any, one: Chosen) -> list[str]:
        if one.element.type in TEXTS:
            return [quoted(str(value)) for value in values]
        if one.shown.format:
            return list(map(str.strip, one.shown.texts(list(values), one.element)))
        return exact_texts(one.shown.scaled(values))

    delimiter = str(request.delimiter)
    for one in chosen(request.parameters, page.parameters, "parameter"):
        line = [quoted(one.shown.heading(one.element)), *cells([one.element.value], one)]
        line += [quoted(one.element.unit)] if one.shown.units and one.element.unit else []
        yield delimiter.join(line) + "\n"
    found = chosen(request.columns, page.table.columns, "column")
    if not found:
        return
    if request.labels:
        yield delimiter.join(quoted(one.shown.heading(one.element)) for one in found) + "\n"
        if any(unit_text(one) for one in found):
            yield delimiter.join(quoted(unit_text(one)) for one in found) + "\n"
    arrays = page.columns(list(dict.fromkeys(one.element.name for one in found)))
    rows = zip(*(cells(arrays[one.element.name], one) for one in found), strict=True)
    while some := list(islice(rows, ROWS)):
        yield "\n".join([*map(delimiter.join, some), ""])


def marked_up(pages: Pages, request: Printout, view: str) -> Iterator[str]:
    """Independent. Print columns as LaTeX, Markdown or HTML; yields nothing."""
    from quire.cli import views
    from quire.cli.sheets import Viewer

    names = [name for one in request.columns for name in one.names if name != "*"]
    formats = {name: one.format for one in request.columns for name in one.names if one.format}
    kept = pages.through(lambda steps: (page.step for page in request.pages(pages)))
    viewer = Viewer(names or None, slice(None), False, None, False, formats)
    found: Any = iter(kept)
    getattr(views, f"{view}View")(request.labels).show(viewer.sheets(found))
    yield from ()
