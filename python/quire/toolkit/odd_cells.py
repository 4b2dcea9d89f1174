"""Cells of imported text that are no numbers, in columns of numbers: how many, and where the first is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from quire.errors import TypeMismatchError
from quire.io.types import Array
from quire.toolkit.decimal_commas import SWAP_TEXT, Block

WORDS_OF_MISSING: Final = ("NA", "N/A", "null", "NULL", "None", "-", "--", "?")
"""Words that programs write for missing values."""

NUMBER: Final = re.compile(
    r"\s*[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?|nan|inf|infinity)\s*", re.IGNORECASE
)
WHOLE: Final = re.compile(r"[+-]?[0-9]+")
WHERE: Final = re.compile(r'line (?P<line>[0-9]+): "(?P<cell>.*)" is not .*', re.DOTALL)
"""The error of a cell that is no number."""

FIRST_ROUNDED: Final = 2.0**53
"""From here on not all integers are float64."""

SAMPLE: Final = 100
"""The first cells of a column, which has no numbers if none of these is one."""


class OddColumn:
    """A column of text whose type was not declared, and its cells that are numbers or not."""

    def __init__(self, name: str, old_name: str, has_decimal_commas: bool) -> None:
        self._name = name
        self._old_name = old_name
        self._has_decimal_commas = has_decimal_commas
        self._rows = self._numbers = self._words = self._odd = 0
        self._first: tuple[str, str] | None = None
        """Line and text of the first cell that is no number."""
        self._is_text = False

    def look_at(self, block: Block, place: int, cells: Sequence[str]) -> None:
        """Independent. Count in the next rows."""
        if not self._rows:
            self._is_text = not any(map(self._is_number, cells[:SAMPLE]))
        self._rows += len(cells)
        if self._is_text:
            return
        filled = [cell for cell in map(str.strip, cells) if cell]
        odd = [cell for cell in filled if not self._is_number(cell) or self._is_wide(cell)]
        words = sum(cell in WORDS_OF_MISSING for cell in odd)
        self._numbers += len(filled) - len(odd)
        self._words += words
        self._odd += len(odd) - words
        if odd and self._first is None:
            self._first = first_in(block, place)

    def _is_number(self, cell: str) -> bool:
        return bool(NUMBER.fullmatch(cell.translate(SWAP_TEXT) if self._has_decimal_commas else cell))

    def _is_wide(self, cell: str) -> bool:
        """Whether a number is outside of the range of float64, or if it is whole of int64."""
        text = (cell.translate(SWAP_TEXT) if self._has_decimal_commas else cell).lower().replace("d", "e")
        if WHOLE.fullmatch(text):
            return not -(2**63) <= int(text) < 2**63
        value = abs(float(text))
        digits = text.partition("e")[0]
        return (value == float("inf") and "inf" not in text) or (value == 0 and digits.strip("+-0.") != "")

    def sentences(self) -> list[str]:
        """Independent. Return a sentence if most of the cells with text are numbers."""
        count = self._words + self._odd
        if self._is_text or not count or self._odd > self._numbers or self._first is None:
            return []
        line, cell = self._first
        advice = f"--types '{self._old_name}=string' accepts them"
        if cell in WORDS_OF_MISSING:
            advice = f"--missing {cell} reads them as nan"
        elif cell.isalpha():
            advice += f", --missing {cell} reads them as nan"
        verb = "is no number" if count == 1 else "are no numbers"
        if self._is_number(cell):
            verb = "is" if count == 1 else "are"
            verb += f" outside of the range of {'int64' if WHOLE.fullmatch(cell) else 'float64'}"
        return [
            f"column '{self._name}' is text for cells such as {cell} in line {line}: "
            f"{count} of {self._rows} {verb}; {advice}"
        ]


def first_in(block: Block, place: int) -> tuple[str, str] | None:
    """Independent. Return line and text of the first cell of a column that is no number."""
    for kind in ("float64", "int64"):
        try:
            block.values(place, kind, np.empty(block.rows, kind))
        except TypeMismatchError as problem:
            found = WHERE.search(problem.message)
            return (found["line"], found["cell"]) if found else None
    return None


def empty_cells(block: Block, place: int, values: Array, words: Sequence[str]) -> int:
    """Independent. Return the number of cells of a column of numbers that are empty or one of the words."""
    if values.dtype.kind != "f" or not (missing := np.flatnonzero(np.isnan(values))).size:
        return 0
    cells = block.texts(place)
    return sum(cells[row].strip() in ("", *words) for row in missing)


def rounded_integer(block: Block, place: int, values: Array) -> tuple[str, str] | None:
    """Independent. The first integer of a column of a block that is another one as float64, and that one."""
    large = np.flatnonzero((np.abs(values) >= FIRST_ROUNDED) & (np.abs(values) <= 2.0**64))
    cells = block.texts(place) if large.size else []
    for row in large:
        cell = cells[row].strip()
        if WHOLE.fullmatch(cell) and int(cell) != int(values[row]):
            return cell, str(int(values[row]))
    return None
