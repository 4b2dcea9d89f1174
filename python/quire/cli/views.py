"""Layouts of tables on standard output: aligned text, delimited text, LaTeX, Markdown, HTML, JSON."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from quire.cli.output import plural, printable, say

if TYPE_CHECKING:
    from quire.toolkit.lines import Printer

Block = tuple[Sequence[int], list[Any]]
"""Numbers of the rows, and the values of each column."""


@dataclass(frozen=True)
class Sheet:
    """The unit of output: columns with names and units, and their rows block by block."""

    title: str
    """Title of the sheet, in text."""
    step: int | None
    """Number of the step; None: the rows are of several steps."""
    table: str
    names: list[str]
    units: list[str]
    printers: Sequence[Printer | None]
    """Format of each column; None prints all digits, or nine in aligned text."""
    blocks: Iterable[Block]
    rest: int = 0
    """Number of rows after those that are printed."""


class View(Protocol):
    """Prints sheets."""

    def show(self, sheets: Iterator[Sheet]) -> None:
        """Print them one after another."""


def headings(sheet: Sheet) -> list[str]:
    """Return the names with units."""
    return [
        printable(f"{name} [{unit}]" if unit else name)
        for name, unit in zip(sheet.names, sheet.units, strict=True)
    ]


def cell_text(value: Any, one: Printer | None) -> str:
    """Return a value by a format, or with nine digits."""
    import numpy as np

    from quire.toolkit.lines import exact_text

    if one is None and isinstance(value, np.floating):
        return f"{value:.9g}"
    return printable(exact_text(value) if one is None else one(value))


@dataclass(frozen=True)
class TextView:
    """Aligned columns; on a terminal only those that fit."""

    header: bool = True
    width: int | None = None
    """Of the terminal."""
    for_rows: str = "--rows : shows all"
    for_columns: str = "--columns shows others"
    """What to do for rows and columns that are not shown."""

    def show(self, sheets: Iterator[Sheet]) -> None:
        """Print title, header and rows of each sheet. The first block determines the widths."""
        for sheet in sheets:
            if self.header:
                say(sheet.title)
            if sheet.names:
                self.show_rows(sheet)
            if sheet.rest > 0:
                say(f"\N{HORIZONTAL ELLIPSIS} and {plural(sheet.rest, 'more row')} ({self.for_rows})")

    def show_rows(self, sheet: Sheet) -> None:
        """Print header and rows of one sheet."""
        heads = ["row", *headings(sheet)] if self.header else [""] * (len(sheet.names) + 1)
        widths: list[int] = []
        for numbers, columns in sheet.blocks:
            cells = [
                [cell_text(value, one) for value in column]
                for column, one in zip(columns, sheet.printers, strict=True)
            ]
            cells.insert(0, [str(number) for number in numbers])
            if not widths:
                widths = [max(map(len, (head, *column))) for head, column in zip(heads, cells, strict=True)]
                widths = widths[: self.fitting(widths)]
                if self.header:
                    say("  ".join(text.rjust(width) for text, width in zip(heads, widths, strict=False)))
            for row in zip(*cells, strict=True):
                say("  ".join(text.rjust(width) for text, width in zip(row, widths, strict=False)))
        if widths and len(widths) < len(heads):
            left = plural(len(heads) - len(widths), "more column")
            say(f"\N{HORIZONTAL ELLIPSIS} and {left} ({self.for_columns})")

    def fitting(self, widths: Sequence[int]) -> int:
        """Return how many columns fit: at least the first one after the number of the row."""
        if self.width is None:
            return len(widths)
        ends = itertools.accumulate(width + 2 for width in widths)
        return max(2, sum(end - 2 <= self.width for end in ends))


@dataclass(frozen=True)
class DelimitedView:
    """One line for each row, with a delimiter between values and all digits unless a format is given."""

    delimiter: str
    header: bool = True
    numbered: bool = True
    """Whether the first value is the number of the step."""
    quotes: bool = True
    between: str | None = None
    """Line between sheets."""

    def show(self, sheets: Iterator[Sheet]) -> None:
        """Print the rows of all sheets, with a new header where the columns change."""
        from quire.toolkit.lines import Cells

        cells = Cells(self.delimiter, self.quotes)
        last: list[str] | None = None
        for sheet in sheets:
            numbered = self.numbered and sheet.step is not None
            if last is not None and self.between is not None:
                say(self.between)
            if self.header and sheet.names != last:
                say(cells.line(["step"] * numbered + sheet.names))
            last = sheet.names
            if not sheet.names:
                continue
            for _, columns in sheet.blocks:
                count = len(columns[0])
                first = [[str(sheet.step)] * count] if numbered else []
                sys.stdout.write(cells.lines(first + columns, [*[None] * numbered, *sheet.printers]))


def rows_of_text(sheet: Sheet, blocks: Iterable[Block]) -> Iterator[tuple[str, ...]]:
    """Yield the printable cells of each row, with all digits unless a format is given."""
    from quire.toolkit.lines import exact_texts

    for _, columns in blocks:
        texts = [
            exact_texts(column) if one is None else [one(value) for value in column]
            for column, one in zip(columns, sheet.printers, strict=True)
        ]
        for row in zip(*texts, strict=True):
            yield tuple(map(printable, row))


def with_numeric(sheet: Sheet) -> tuple[list[bool], Iterable[Block]]:
    """Return which columns are numeric, by the first block, and all blocks."""
    from quire.toolkit.lines import is_numeric

    body = iter(sheet.blocks)
    first: Block = next(body, ((), [[] for _ in sheet.names]))
    return [is_numeric(column) for column in first[1]], itertools.chain((first,), body)


@dataclass(frozen=True)
class LatexView:
    """A tabular environment for each sheet."""

    header: bool = True

    def show(self, sheets: Iterator[Sheet]) -> None:
        """Names with units, and rows with all digits unless a format is given."""
        from quire.toolkit.lines import latex

        for sheet in sheets:
            numeric, blocks = with_numeric(sheet)
            say(f"\\begin{{tabular}}{{{''.join('r' if one else 'l' for one in numeric)}}}")
            if self.header:
                say(" & ".join(latex(head) for head in headings(sheet)) + r" \\ \hline")
            for row in rows_of_text(sheet, blocks):
                say(" & ".join(map(latex, row)) + r" \\")
            say(r"\end{tabular}")


@dataclass(frozen=True)
class MarkdownView:
    """A Markdown table for each sheet. These tables always have a header."""

    header: bool = True
    """Whether the header contains names, and the step is printed above; else it is empty."""

    def show(self, sheets: Iterator[Sheet]) -> None:
        """Names with units, and rows with all digits unless a format is given."""

        def line(texts: Iterable[str]) -> str:
            return "| " + " | ".join(text.replace("|", r"\|") for text in texts) + " |"

        for place, sheet in enumerate(sheets):
            if place:
                say("")
            if self.header:
                say(f"{printable(sheet.title)}\n")
            numeric, blocks = with_numeric(sheet)
            say(line(headings(sheet) if self.header else [""] * len(sheet.names)))
            say(line("---:" if one else ":---" for one in numeric))
            for row in rows_of_text(sheet, blocks):
                say(line(row))


@dataclass(frozen=True)
class HtmlView:
    """A table element for each sheet."""

    header: bool = True

    def show(self, sheets: Iterator[Sheet]) -> None:
        """Names with units, and rows with all digits unless a format is given."""
        from html import escape

        for sheet in sheets:
            say("<table>")
            if self.header:
                say(f"<caption>{escape(printable(sheet.title))}</caption>")
                say("<tr>" + "".join(f"<th>{escape(head)}</th>" for head in headings(sheet)) + "</tr>")
            for row in rows_of_text(sheet, sheet.blocks):
                say("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>")
            say("</table>")


@dataclass(frozen=True)
class JsonView:
    """One object with the sheets in order, each with names, units and rows. Rows are printed as they are
    read.
    """

    def show(self, sheets: Iterator[Sheet]) -> None:
        """Print all sheets under the key "tables"."""
        # An error of the first sheet leaves nothing on standard output.
        separator = '{"tables": [\n'
        for sheet in sheets:
            head = {
                "step": sheet.step,
                "table": sheet.table,
                "columns": sheet.names,
                "units": sheet.units,
            }
            sys.stdout.write(separator + json.dumps(head)[:-1] + ', "rows": [')
            self.show_rows(sheet.blocks if sheet.names else ())
            sys.stdout.write("]}")
            separator = ",\n"
        sys.stdout.write("\n]}\n" if separator == ",\n" else '{"tables": [\n]}\n')

    def show_rows(self, blocks: Iterable[Block]) -> None:
        """Print the rows of one sheet, one per line."""
        from quire.toolkit.summary import plain

        separator = "\n"
        for _, columns in blocks:
            for row in zip(*columns, strict=True):
                line: Sequence[Any] = [plain(value) for value in row]
                sys.stdout.write(separator + json.dumps(line, allow_nan=False))
                separator = ",\n"
