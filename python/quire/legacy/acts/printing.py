"""What printing programs print: texts of the values of files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from quire.io.attributes import Attribute
from quire.io.types import Array
from quire.legacy.pages import TEXTS, Page, Pages
from quire.legacy.patterns import required
from quire.legacy.printing import formatted_all, number_texts

BLANK: Final = re.compile(r"\s")


@dataclass(frozen=True)
class Streaming:
    """What `sdds2stream` prints.

    `what` is columns, parameters, arrays, rows, npages or description; `page` is counted from 1.
    """

    what: str
    names: Sequence[str] = ()
    page: int | None = None
    delimiter: str | None = None
    quotes: bool = True
    uses_formats: bool = True
    bare: bool = False
    total: bool = False

    def texts(self, values: Array, element: Any) -> list[str]:
        """Independent. Return values as texts: by the format of their element, else with all digits."""
        if self.uses_formats and element.display and element.type not in TEXTS:
            return formatted_all(element.display, list(values))
        words = number_texts(values, element.type)
        return list(map(quoted, words)) if self.quotes and element.type == "string" else words

    def wanted(self, pages: Pages) -> Iterator[Page]:
        """Independent. Yield the pages that are printed."""
        return (page for page in pages.pages() if self.page in (None, page.number))


def quoted(word: str) -> str:
    """Independent. Return a word, in quotes if it is empty or has blanks."""
    return '"' + word.replace('"', '\\"') + '"' if not word or BLANK.search(word) else word


def stream(
    pages: Pages, others: Sequence[Pages] | Streaming, request: Streaming | None = None
) -> Iterator[str]:
    """Independent. Yield what is printed of one or several files."""
    files = [pages] if isinstance(others, Streaming) else [pages, *others]
    wanted = others if isinstance(others, Streaming) else request
    if wanted is None:
        return
    for file in files:
        yield from PRINTED[wanted.what](file, wanted)


def columns(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield a line for each row."""
    delimiter = " " if request.delimiter is None else request.delimiter
    for page in request.wanted(pages):
        names = required(request.names, list(page.table), "column")
        for _, block in page.table.blocks(names) if len(page.table) else ():
            texts = [request.texts(block[name], page.table[name]) for name in names]
            yield "\n".join([*map(delimiter.join, zip(*texts, strict=True)), ""])


def parameters(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield the values of parameters between delimiters, by default each in a line."""
    yield from joined(parameter_texts(pages, request), request)


def parameter_texts(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield the values of parameters."""
    for page in request.wanted(pages):
        for name in required(request.names, list(page.parameters), "parameter"):
            one = page.parameters[name]
            yield from request.texts(np.array([one.value], object), one)


def arrays(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield the values of arrays between delimiters, by default each in a line."""
    yield from joined(array_texts(pages, request), request)


def array_texts(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield the values of arrays."""
    for page in request.wanted(pages):
        for name in required(request.names, list(page.arrays), "array"):
            one = page.arrays[name]
            yield from request.texts(values_of_array(one).reshape(-1), one)


def values_of_array(one: Any) -> Array:
    """Independent. Return the values of an array: an attribute with several values, or a field."""
    return np.asarray(one.value if isinstance(one, Attribute) else one.read())


def joined(texts: Iterator[str], request: Streaming) -> Iterator[str]:
    """Independent. Yield texts with delimiters between them, and a line end after the last one."""
    delimiter = "\n" if request.delimiter is None else request.delimiter
    is_first = True
    for text in texts:
        yield text if is_first else delimiter + text
        is_first = False
    if not is_first:
        yield "\n"


def row_counts(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield the number of rows of each page, or of all."""
    counts = [len(page.table) for page in request.wanted(pages)]
    for count in [sum(counts)] if request.total else counts:
        yield f"{count}\n" if request.bare else f"{count} rows\n"


def page_count(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield the number of pages."""
    count = sum(1 for _ in pages)
    yield f"{count}\n" if request.bare else f"{count} pages\n"


def description(pages: Pages, request: Streaming) -> Iterator[str]:
    """Independent. Yield the texts of the file."""
    yield f'"{pages.title}"\n"{pages.contents}"\n'


PRINTED = {
    "columns": columns,
    "parameters": parameters,
    "arrays": arrays,
    "rows": row_counts,
    "npages": page_count,
    "description": description,
}
"""What is printed."""
