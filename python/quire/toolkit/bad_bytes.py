"""Cells of imported text that are not UTF-8: how many, where the first is, and which encoding reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

BAD: Final = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as texts in Python hold it."""

FIRST_OF_LATIN_1: Final = 0xA0
"""The bytes from 0x80 to here are control characters in Latin-1, and letters and signs in Windows-1252."""


class BadCells:
    """The cells of columns of text that have bytes which are not UTF-8."""

    def __init__(self) -> None:
        self._count = 0
        self._bytes: set[int] = set()
        self._first: tuple[int, int, int] | None = None
        """Line of the block, row in it and place of the column, of the first cell,"""
        self._found = (0, "", "")
        """and its line, column and text."""
        self._has_others = False
        """Whether other cells have characters in UTF-8 that are not ASCII."""

    def look_at(self, place: int, name: str, cells: Sequence[str], text: bytes, line: int) -> None:
        """Independent. Count in the next rows of a column, which are in a text that begins at a line."""
        joined = "".join(cells)
        if joined.isascii():
            return
        found = set(BAD.findall(joined))
        if not found:
            self._has_others = True
            return
        bad = [cell for cell in cells if BAD.search(cell)]
        self._count += len(bad)
        self._bytes.update(ord(one) - 0xDC00 for one in found)
        self._has_others = self._has_others or any(
            not cell.isascii() for cell in cells if not BAD.search(cell)
        )
        here = (line, cells.index(bad[0]), place)
        if self._first is not None and self._first < here:
            return
        # The text may have quotes or ends of lines in a cell. Look for a part without.
        piece = next(part for part in re.split('["\r\n]', bad[0]) if BAD.search(part))
        begin = text.find(piece.encode("utf-8", "surrogateescape"))
        self._first, self._found = here, (line + text.count(b"\n", 0, begin), name, bad[0])

    def sentences(self) -> list[str]:
        """Independent. Return a sentence if there are such cells."""
        if self._first is None:
            return []
        line, name, cell = self._found
        raw = cell.encode("utf-8", "surrogateescape")
        count = "1 cell is" if self._count == 1 else f"{self._count} cells are"
        where = "in" if self._count == 1 else "the first in"
        found = f"{count} not UTF-8, {where} line {line}, column '{name}': {raw.decode('utf-8', 'replace')}"
        encoding = self._encoding()
        if self._has_others:
            return [f"{found}; others are UTF-8: correct these in the text, whose bytes are kept"]
        if not encoding:
            return [f"{found}; give the encoding of the text by --encoding"]
        return [f"{found}; --encoding {encoding} reads {raw.decode(encoding)}"]

    def _encoding(self) -> str:
        """The encoding that probably reads the cells, if any."""
        if min(self._bytes) >= FIRST_OF_LATIN_1:
            return "latin-1"
        try:
            bytes(self._bytes).decode("cp1252")
        except UnicodeError:
            return ""
        return "cp1252"
