"""Pages of elements that are given as text: on the command line, or in a file of plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Final

import numpy as np

from quire.cli.streams import readable
from quire.errors import ConflictError, TypeMismatchError, UsageError
from quire.io.types import Array, dtype_of
from quire.legacy.acts.equations import Entries, parameter
from quire.legacy.pages import Header, Pages
from quire.legacy.translation import python
from quire.verbs.new import no_file
from quire.verbs.steplike import MadeStep, MadeTable, NewColumn, StepLike

WORD: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
"""A word of plain text: in quotes, or without blanks."""


@dataclass(frozen=True)
class Element:
    """A column or a parameter, with its values as text."""

    kind: str
    name: str
    type: str
    entries: Entries = field(default_factory=Entries)
    values: Sequence[str] = ()

    def read(self, words: Sequence[str]) -> Array:
        """Independent. Return values of text. Raises TypeMismatchError that names the first wrong one."""
        found = np.empty(len(words), dtype_of(self.type))
        for place, word in enumerate(words):
            try:
                with np.errstate(over="raise"):
                    found[place] = value_of(word, self.type)
            except (ValueError, OverflowError, FloatingPointError):
                raise TypeMismatchError(
                    f"'{word}' is no value of type {self.type}", object=self.name
                ) from None
        return found


def value_of(word: str, kind: str) -> object:
    """Independent. Return a value of text. Raises ValueError, OverflowError for more than its type has."""
    if kind == "string":
        return word
    if kind == "character":
        if len(word.encode()) != 1:
            raise ValueError(word)
        return word.encode()
    if "_" in word:
        raise ValueError(word)
    if dtype_of(kind).kind != "f":
        return int(word)
    number = np.longdouble(word)
    if np.isinf(number) and "inf" not in word.lower():
        raise OverflowError(word)
    return number


def step_of(number: int, elements: Sequence[Element], values: Sequence[Sequence[str]]) -> StepLike:
    """Independent. Return a step with these values. Raises ConflictError for columns of different lengths."""
    columns, parameters = [], []
    lengths: dict[str, int] = {}
    for one, words in zip(elements, values, strict=True):
        found = one.read(words)
        if one.kind == "column":
            columns.append(NewColumn(one.name, found, one.entries.texts(), one.type))
            lengths[one.name] = len(found)
        elif len(found) != 1:
            raise ConflictError(f"a parameter has one value, and not {len(found)}", object=one.name)
        else:
            parameters.append(parameter(one.name, found[0], one.type, one.entries.texts()))
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ConflictError(f"columns differ in length: {listed}", advice="none is filled up")
    return MadeStep(number, parameters, [MadeTable(columns, next(iter(lengths.values()), 0))])


@dataclass(frozen=True)
class GivenData:
    """Elements whose values are on the command line."""

    elements: Sequence[Element]
    title: str = ""
    contents: str = ""

    @property
    def words(self) -> list[str]:
        """The verb `new` with the same columns, empty if it has no such elements."""
        words, casts = ["new"], []
        for one in self.elements:
            is_text = one.type == "string"
            plain = {one.entries.symbol, one.entries.description, one.entries.format_string} <= {None, ""}
            odd = any("," in word or not word or (is_text and is_number(word)) for word in one.values)
            if one.kind != "column" or not plain or odd or one.type == "character":
                return []
            unit = f"[{one.entries.units}]" if one.entries.units else ""
            words.append(f"{one.name}{unit}={','.join(one.values)}")
            casts += [] if is_text else ["--cast", f"{one.name}={one.type}"]
        return [] if self.title or self.contents else words + (["/", "select", *casts] if casts else [])

    @property
    def python(self) -> str:
        """The call in Python."""
        return f"{python(self)}.pages()"

    def pages(self) -> Pages:
        """Independent. Return the page."""
        step = step_of(0, self.elements, [one.values for one in self.elements])
        return Pages(no_file(None), lambda: iter([step])).with_header(Header(self.title, self.contents))


def is_number(word: str) -> bool:
    """Independent. Return whether a text is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class PlainText:
    """Pages of plain text: of each page the parameters, one a line, the number of rows, and the rows.

    counted : whether there is a number of rows; without it, rows end with the file, or with the line `end`
    skipped : places in a row, from 0, whose values are left out
    """

    path: str
    elements: Sequence[Element]
    separator: str = ""
    counted: bool = True
    skip_lines: int = 0
    comment: str = ""
    end: str = ""
    skipped: Sequence[int] = ()

    @property
    def words(self) -> Sequence[str]:
        """No verb does the same."""
        return ()

    @property
    def python(self) -> str:
        """The call in Python."""
        return f"{python(self)}.pages()"

    def pages(self) -> Pages:
        """Independent. Return the pages, which are read when they are asked for."""
        return Pages(no_file(None), self.steps)

    def steps(self) -> Iterator[StepLike]:
        """Independent. Yield the pages as steps. Raises UsageError with the number of a wrong line."""
        with readable(self.path, as_stored=True) as path:
            lines = self.lines(path)
            for number, first in enumerate(lines):
                yield self.step(number, chain([first], lines))

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        """Independent. Yield the lines that are neither blank, skipped nor comments, with their numbers."""
        with Path(path).open(encoding="utf-8", errors="surrogateescape") as file:
            for number, line in enumerate(file, 1):
                is_comment = self.comment and line.lstrip().startswith(tuple(self.comment))
                if number > self.skip_lines and line.strip() and not is_comment:
                    yield number, line.strip()

    def step(self, number: int, lines: Iterator[tuple[int, str]]) -> StepLike:
        """Independent. Return the page of the next lines."""
        parameters = [one for one in self.elements if one.kind == "parameter"]
        columns = [one for one in self.elements if one.kind == "column"]
        values = [[self.split(line)[0]] for _, line in islice(lines, len(parameters))]
        if len(values) < len(parameters):
            raise UsageError("the last page lacks parameters", file=self.path)
        rows = list(self.rows(lines, len(columns) + len(self.skipped)))
        kept = [place for place in range(len(columns) + len(self.skipped)) if place not in self.skipped]
        read = [[row[place] for row in rows] for place in kept]
        return step_of(number, [*parameters, *columns], [*values, *read])

    def rows(self, lines: Iterator[tuple[int, str]], width: int) -> Iterator[list[str]]:
        """Independent. Yield the words of the rows of a page."""
        count = None
        if self.counted:
            place, line = next(lines, (0, ""))
            if not line.isdecimal():
                raise UsageError(
                    f"line {place}: the number of rows is expected, not '{line}'",
                    file=self.path,
                    advice="-noRowCount reads rows up to the end of the file",
                )
            count = int(line)
        found = 0
        for place, line in islice(lines, count):
            if self.end and line == self.end:
                return
            found += 1
            words = self.split(line)
            if len(words) != width:
                raise UsageError(f"line {place} has {len(words)} values, and not {width}", file=self.path)
            yield words
        if count is not None and found < count:
            raise UsageError(f"a page has {found} rows, and not {count}", file=self.path)

    def split(self, line: str) -> list[str]:
        """Independent. Return the words of a line."""
        if self.separator:
            return [one.strip().strip('"') for one in line.split(self.separator)]
        return [quoted.replace('\\"', '"') if quoted else word for quoted, word in WORD.findall(line)]
