"""Numbers with decimal commas in text: `0,5` for 0.5, and how to find out that a text has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from quire import _core
from quire.errors import TypeMismatchError
from quire.io.types import Array

SWAP: Final = bytes.maketrans(b",.", b".,")
"""A number with a decimal comma becomes one with a point; one with a point becomes a text."""

SWAP_TEXT: Final = str.maketrans(",.", ".,")

NUMBER: Final = re.compile(r"\s*[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eEdD][+-]?[0-9]+)?\s*")


class CommaBlock:
    """Rows of a text with decimal commas. It has the interface of a block of the core.

    Numbers are read from a copy with swapped signs, texts from the original, whose cells are at the same
    places.
    """

    def __init__(self, delimiter: str, comment: str, missing: Sequence[str] = ()) -> None:
        words = [word.translate(SWAP_TEXT) for word in missing]
        self._texts = _core.DelimitedBlock(delimiter, comment)
        self._numbers = _core.DelimitedBlock(delimiter, comment.translate(SWAP_TEXT), words)

    def split(self, text: bytes, is_last: bool, columns: int, first_line: int) -> int:
        """Independent. Divide a text into cells; return the number of bytes of complete rows."""
        self._numbers.split(text.translate(SWAP), is_last, columns, first_line)
        return self._texts.split(text, is_last, columns, first_line)

    @property
    def rows(self) -> int:
        """The number of complete rows."""
        return self._texts.rows

    @property
    def columns(self) -> int:
        """The number of cells of each row."""
        return self._texts.columns

    @property
    def next_line(self) -> int:
        """The number of the line after the rows."""
        return self._texts.next_line

    def classify(self, kinds: Sequence[int]) -> list[int]:
        """Independent. Return the kinds of cells of each column, in addition to those that are known."""
        return self._numbers.classify(kinds)

    def text_bytes(self, column: int, first: int, last: int) -> int:
        """Independent. Return the bytes of the texts of rows."""
        return self._texts.text_bytes(column, first, last)

    def longest_text(self, column: int, first: int, last: int) -> int:
        """Independent. Return the bytes of the longest text of rows."""
        return self._texts.longest_text(column, first, last)

    def texts(self, column: int) -> list[str]:
        """Independent. Return the cells of a column."""
        return self._texts.texts(column)

    def values(self, column: int, type: str, out: Array) -> None:
        """Independent. Convert the cells of a column. Raises TypeMismatchError that names the line."""
        try:
            self._numbers.values(column, type, out)
        except TypeMismatchError as problem:
            shown = re.sub('"[^"]*"', lambda cell: cell[0].translate(SWAP_TEXT), problem.message)
            raise TypeMismatchError(shown) from None


Block = _core.DelimitedBlock | CommaBlock


def has_decimal_commas(cells: Sequence[str]) -> bool:
    """Independent. Return whether cells are numbers, of which some have a decimal comma."""
    return any("," in cell for cell in cells) and all(
        NUMBER.fullmatch(cell) for cell in cells if cell.strip()
    )


def better_delimiter(rows: Sequence[str], delimiter: str) -> str:
    """Independent. Return the delimiter of rows that seem to be divided by commas: another one if it divides
    all rows but a header into numbers with decimal commas.
    """
    for other in (";", "\t", " ") if delimiter == "," else ():
        cells = [row.split() if other == " " else row.split(other) for row in rows[1:] or rows]
        flat = [cell for row in cells for cell in row]
        if min(map(len, cells), default=0) > 1 and has_decimal_commas(flat):
            return other
    return delimiter
