"""Convert CSV and plain text to any format: two passes over the text in blocks, in bounded memory.

The first pass determines types and sizes, the second writes. Numbers keep their value, or an error names
their line: values that do not fit an integer of 64 bits or a float64 are text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

import quire
from quire import _core
from quire.errors import (
    BadFileError,
    ConflictError,
    DataError,
    Error,
    MissingError,
    UsageError,
    errors_in_family,
)
from quire.io.fit import fit_names
from quire.io.types import Array, dtype_of
from quire.near import there_is_no
from quire.toolkit.bad_bytes import BAD, BadCells
from quire.toolkit.convert import target_format
from quire.toolkit.decimal_commas import (
    SWAP_TEXT,
    Block,
    CommaBlock,
    better_delimiter,
    has_decimal_commas,
)
from quire.toolkit.odd_cells import OddColumn, empty_cells, rounded_integer
from quire.toolkit.replacing import place_of, refuse_overwriting
from quire.toolkit.selection import matches
from quire.toolkit.text_bytes import open_text
from quire.toolkit.text_sizes import TextSize

BLOCK_BYTES: Final = 8 << 20
LARGEST_ROW: Final = 64 << 20
"""Maximum bytes of a row, for quotes without an end."""

HEAD_BYTES: Final = 1 << 20
"""Maximum bytes of the names and the first rows."""

EMPTY, INTEGER, WIDE, REAL, TEXT = 1, 2, 4, 8, 16
"""The kinds of cells in a column, as bits of the core."""

CHECKED_ROWS: Final = 20
"""Lines that are examined for decimal commas."""

UNIT: Final = re.compile(r"(?P<name>.*?)\s*(\[(?P<square>[^\]]*)\]|\((?P<round>[^)]*)\))")
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class TextLayout:
    """The layout of a text and its columns. Values of None are detected from the first rows."""

    delimiter: str | None = None
    """One byte; a blank means one or more blanks and tabs."""
    decimal: str = "."
    """The decimal sign of numbers, a point or a comma."""
    comment: str | None = None
    """Prefix of comment lines, which are skipped; empty: none."""
    skip: int = 0
    """Number of lines to skip at the beginning."""
    header: bool | None = None
    """Whether the first row contains names, with units like `x [m]` or `x (m)`."""
    unit_line: bool = False
    """Whether the row after the names contains units."""
    names: Sequence[str] | None = None
    """Names of columns, instead of those of the header."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Types by name or pattern. Default: int64, float64 or string, by the cells of the column."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Units by name, instead of those of the header."""
    missing: Sequence[str] = ()
    """Words that count as empty cells in columns of numbers, such as NA."""
    step_column: str | None = None
    """The column with the number of the step; consecutive rows with the same number are a step."""
    encoding: str = ""
    """Of the text, such as latin-1. Default: UTF-8, or UTF-16 if it begins with a mark of it."""
    rename: Mapping[str, str] = field(default_factory=dict)
    """New names by names in the text; other members use the names in the text."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column that was found in a text."""

    name: str
    type: str
    unit: str


@dataclass
class ImportReport:
    """What was imported."""

    columns: list[TextColumn]
    rows: int = 0
    steps: int = 0
    changes: list[str] = field(default_factory=list)
    """Messages about names that the format does not allow, and about integers rounded to float64."""
    missing: dict[str, int] = field(default_factory=dict)
    """Number of empty cells of columns of numbers: their values are NaN."""
    odd: list[str] = field(default_factory=list)
    """Messages about columns of text most of whose cells are numbers."""
    bad: list[str] = field(default_factory=list)
    """Messages about cells that are not UTF-8."""


@dataclass
class Segment:
    """The number of rows of one step, and the sizes of their texts by column."""

    number: int
    rows: int = 0
    text_sizes: dict[int, TextSize] = field(default_factory=dict)


@errors_in_family
def import_text(
    source: str | Path,
    target: str | Path,
    layout: TextLayout | None = None,
    *,
    format: str | None = None,
    title: str = "",
    overwrite: bool = False,
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> ImportReport:
    """Independent. Write the rows of a text file (gzip is detected) as a table of a new file.

    Names that the format does not allow are changed to similar ones, which the report lists.

    Parameters
    ----------
    layout : layout of the text; missing values are detected from the first rows
    format : format of the target. Default: by its suffix
    title : title of the new file
    overwrite : whether an existing target is replaced
    strict : whether empty cells of numbers, cells that are no numbers in columns of numbers, and cells that
        are not UTF-8, are an error; else the former are NaN, the next make the column text, the last are
        kept as they are, and the report counts them
    progress : called with the number of rows done and of all rows
    options : options of the format's writer

    Raises
    ------
    ConflictError : the target exists; with `strict`, a cell of a number is empty or none, or not UTF-8
    BadFileError : a row with another number of cells, or a quote without its end; names the line
    TypeMismatchError : a value that is not of the declared type; names the line
    MissingError : a column of types, units or steps does not exist
    """
    name = target_format(target, format)
    refuse_overwriting(source, target, overwrite)
    try:
        text = TextSource(source, layout or TextLayout())
        columns, segments = survey(text)
        columns, changes = held_columns(name, columns, text.step_place)
        kept = [column for place, column in enumerate(columns) if place != text.step_place]
        report = ImportReport(kept, sum(one.rows for one in segments), len(segments), changes)
        place, ways = place_of(target, name, options)
        with place as beside, quire.create(beside, quire.SELF, format=name, **ways) as out:
            out.title = title
            importer = Importer(out, text, columns, report, progress)
            for segment in segments:
                importer.write(segment)
            report.odd = [sentence for one in importer.odd.values() for sentence in one.sentences()]
            report.bad = importer.bad.sentences()
            if strict and (doubtful := [*missing_cells(report), *report.odd, *report.bad]):
                raise ConflictError(
                    "; ".join(doubtful),
                    advice="without --strict this is no error",
                )
    except Error as problem:
        if problem.file:
            raise
        named = type(problem)(problem.message, file=str(source), object=problem.object, advice=problem.advice)
        raise named from None
    return report


class TextSource:
    """A text whose layout is known: names, units, and where its rows begin."""

    def __init__(self, path: str | Path, layout: TextLayout) -> None:
        self.path = Path(path)
        self.layout = layout
        with closing(open_text(self.path, self.layout.encoding)) as file:
            head = file.read(HEAD_BYTES)
        self.mark = len(BYTE_ORDER_MARK) if head.startswith(BYTE_ORDER_MARK) else 0
        lines = head[self.mark :].decode("utf-8", "surrogateescape").splitlines()
        self.delimiter, self.comment = guess_marks(lines[layout.skip :], layout)
        if layout.decimal not in (".", ","):
            raise UsageError(f"the decimal sign is a point or a comma, not '{layout.decimal}'")
        if layout.decimal == "," and self.delimiter in (",", "."):
            raise UsageError("numbers with decimal commas need another delimiter than a comma or a point")
        self.head_lines, header = self.find_header(lines)
        units: list[str] = []
        if header and layout.unit_line:
            units = self.cells_of(lines[self.head_lines]) if self.head_lines < len(lines) else []
            self.head_lines += 1
        self.set_names(header, units)
        self.held, self.held_line = b"", 0
        """The text of the current block, and the number of its first line."""
        self.first_lines = lines[self.head_lines : self.head_lines + CHECKED_ROWS]

    def block(self) -> Block:
        """An empty block for rows."""
        kind = CommaBlock if self.layout.decimal == "," else _core.DelimitedBlock
        return kind(self.delimiter, self.comment, list(self.layout.missing))

    def looks_numeric(self, cell: str) -> bool:
        """Whether a cell of the first row is a number, so that the row is no header."""
        return looks_numeric(cell.translate(SWAP_TEXT) if self.layout.decimal == "," else cell)

    @cached_property
    def first_rows(self) -> list[list[str]]:
        """The cells of the first rows; none if they cannot be divided, which is reported with their line."""
        block = _core.DelimitedBlock(self.delimiter, self.comment)
        text = "\n".join([*self.first_lines, ""]).encode("utf-8", "surrogateescape")
        try:
            block.split(text, False, self.columns, self.head_lines + 1)
        except Error:
            return []
        if not block.rows:
            return []
        return [list(row) for row in zip(*map(block.texts, range(block.columns)), strict=True)]

    @property
    def has_decimal_commas(self) -> bool:
        """Whether columns of the first rows contain numbers with decimal commas that are read as text."""
        return self.layout.decimal == "." and any(
            has_decimal_commas([row[place] for row in self.first_rows if place < len(row)])
            for place in range(self.columns)
        )

    @property
    def looks_like_table(self) -> bool:
        """Whether most of the first rows have the same number of cells, and some of these are numbers. Rows
        with more or fewer cells are left to the import, whose error names their lines.
        """
        rows = self.first_rows or [self.cells_of(line) for line in self.first_lines if line.strip()]
        even = [row for row in rows if len(row) == self.columns]
        cells = [cell.replace(",", ".") for row in even for cell in row]
        return self.columns > 1 and 2 * len(even) >= len(rows) and any(map(looks_numeric, cells))

    def refuse_decimal_commas(self, kinds: Sequence[int]) -> None:
        """Raise DataError if the first rows of an undeclared column of text have decimal commas."""
        for place, name in enumerate(self.names):
            cells = [row[place] for row in self.first_rows if place < len(row)]
            if self.layout.decimal == "." and kinds[place] & TEXT and has_decimal_commas(cells):
                example = next(cell for cell in cells if "," in cell)
                raise DataError(
                    f"the numbers of column '{name}' have decimal commas, as in {example}",
                    advice=f"read them by --decimal , or keep them as text by --types '{name}=string'",
                )

    def find_header(self, lines: Sequence[str]) -> tuple[int, list[str]]:
        """How many lines go before the rows, and the cells of the header, none if there is none."""
        place = self.layout.skip
        before: list[str] = []
        while place < len(lines) and (not lines[place].strip() or self.is_comment(lines[place])):
            if self.is_comment(lines[place]):
                before = self.cells_of(lines[place].lstrip()[len(self.comment) :])
            place += 1
        if place >= len(lines):
            self.columns = len(before)
            return place, before
        first = self.cells_of(lines[place])
        self.columns = len(first)
        is_header = self.layout.header
        if is_header is None:
            is_header = not any(map(self.looks_numeric, first)) and any(first)
            if not is_header and len(before) == len(first) and not any(map(self.looks_numeric, before)):
                return place, before
        if not is_header:
            return place, []
        if len(first) > 1 and not first[-1]:
            first.pop()  # a delimiter at the end of the line
        self.columns = len(first)
        return place + 1, first

    def is_comment(self, line: str) -> bool:
        """Whether a line is left out as a comment."""
        return bool(self.comment) and line.lstrip().startswith(self.comment)

    def cells_of(self, line: str) -> list[str]:
        """The cells of a single line."""
        block = _core.DelimitedBlock(self.delimiter, "")
        block.split(line.encode("utf-8", "surrogateescape") + b"\n", True, 0, 1)
        return [block.texts(column)[0].strip() for column in range(block.columns)] if block.rows else []

    def set_names(self, header: Sequence[str], units: Sequence[str]) -> None:
        """Names and units of the columns, from the header and the layout."""
        found = [split_unit(cell) for cell in header] or [("", "")] * self.columns
        names = [name or f"c{place}" for place, (name, _) in enumerate(found, start=1)]
        if self.layout.names is not None:
            if len(self.layout.names) != self.columns:
                raise UsageError(f"{len(self.layout.names)} names are given for {self.columns} columns")
            names = list(self.layout.names)
        if twice := [name for name in names if names.count(name) > 1]:
            raise UsageError(f"two columns are called '{twice[0]}'", advice="give all names by --names")
        for wanted in (*self.layout.units, *self.layout.rename, *filter(None, [self.layout.step_column])):
            if wanted not in names:
                raise MissingError(there_is_no("column", wanted, names))
        for pattern, kind in self.layout.types.items():
            dtype_of(kind)
            if not any(matches(name, [pattern]) for name in names):
                raise MissingError(there_is_no("column", pattern, names))
        refuse_other_encodings([*header, *units])
        self.names = names
        self.units = {name: unit for name, (_, unit) in zip(names, found, strict=True)}
        self.units.update(zip(names, units, strict=False))
        self.units.update(self.layout.units)
        step_column = self.layout.step_column
        self.step_place = names.index(step_column) if step_column is not None else None
        self.mixed: set[int] = set()
        """Columns that a survey found to have integers beside fractions."""
        given = [self.layout.rename.get(name, name) for name in names if name != step_column]
        if twice := [name for name in given if given.count(name) > 1]:
            raise UsageError(
                f"two columns would be called '{twice[0]}'", advice="give another name by --rename"
            )

    def declared_type(self, name: str) -> str | None:
        """The type that the layout gives to a column, if any."""
        if name in self.layout.types:
            return self.layout.types[name]
        return next((kind for pattern, kind in self.layout.types.items() if matches(name, [pattern])), None)

    def blocks(self) -> Iterator[Block]:
        """The rows, block by block."""
        block = self.block()
        with closing(open_text(self.path, self.layout.encoding)) as file:
            file.read(self.mark)
            for _ in range(self.head_lines):
                file.readline()
            line, rest, is_last = self.head_lines + 1, b"", False
            while not is_last:
                piece = file.read(BLOCK_BYTES)
                is_last = len(piece) < BLOCK_BYTES
                text = rest + piece
                self.held, self.held_line = text, line
                taken = block.split(text, is_last, self.columns, line)
                line, rest = block.next_line, text[taken:]
                if len(rest) > LARGEST_ROW:
                    raise BadFileError(
                        f"line {line} begins a row of more than {LARGEST_ROW >> 20} MiB",
                        advice="check for a quote without its end",
                    )
                if block.rows:
                    self.columns = block.columns
                    yield block


def refuse_other_encodings(words: Sequence[str]) -> None:
    """Independent. Raise BadFileError if names or units of a header are not UTF-8."""
    for word in words:
        if BAD.search(word):
            shown = word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            raise BadFileError(
                f"the name '{shown}' in the header is not UTF-8",
                advice="give the encoding of the text, such as --encoding latin-1",
            )


def guess_marks(lines: Sequence[str], layout: TextLayout) -> tuple[str, str]:
    """Independent. The delimiter and what begins comments."""
    comment = layout.comment
    if comment is None:
        first = next((line.lstrip() for line in lines if line.strip()), "")
        comment = "#" if first.startswith("#") or layout.delimiter in (" ", "\t") else ""
    delimiter = layout.delimiter
    if delimiter is None:
        seen = [line for line in lines[:100] if not (comment and line.lstrip().startswith(comment))]
        # Quotes first: a quoted cell may span several lines, none of which contains all delimiters of a row.
        plain = [row for row in re.sub(r'"[^"]*("|$)', "", "\n".join(seen)).split("\n") if row.strip()][:20]
        marks = ";\t" if layout.decimal == "," else ",;\t"
        counts = {mark: min((row.count(mark) for row in plain), default=0) for mark in marks}
        delimiter = max(counts, key=lambda mark: counts[mark])
        if not counts[delimiter]:
            delimiter = " " if any(len(row.split()) > 1 for row in plain) else marks[0]
        delimiter = better_delimiter(plain, delimiter)
    return delimiter, comment


def split_unit(cell: str) -> tuple[str, str]:
    """Independent. Name and unit of a header's cell: `x [m]`, `x[m]`, `x (m)`. An index is none."""
    found = UNIT.fullmatch(cell.strip())
    if found is None or not found["name"]:
        return cell.strip(), ""
    unit = found["square"] if found["square"] is not None else found["round"]
    return (cell.strip(), "") if unit.strip().isdigit() else (found["name"], unit.strip())


def looks_numeric(text: str) -> bool:
    """Independent. Whether a cell of the first row is a number, so that the row is no header."""
    try:
        float(text.replace("D", "e").replace("d", "e"))
    except ValueError:
        return False
    return True


def type_for(kinds: int) -> str:
    """Independent. The type for cells that look like this."""
    if kinds & (TEXT | WIDE):
        return "string"
    return "int64" if kinds == INTEGER else "float64"


def survey(text: TextSource) -> tuple[list[TextColumn], list[Segment]]:
    """Independent. First pass: the types of the columns, the rows of each step, the bytes of their texts."""
    declared = [text.declared_type(name) for name in text.names]
    may_be_text = [place for place, kind in enumerate(declared) if kind in (None, "string")]
    step_place = text.step_place
    # Columns that are known to be text are not examined any more.
    kinds = [TEXT if kind is not None else 0 for kind in declared]
    segments: list[Segment] = []
    for block in text.blocks():
        kinds = block.classify(kinds)
        for number, first, last in runs_of(block, step_place):
            if not segments or segments[-1].number != number:
                segments.append(Segment(number))
            segment = segments[-1]
            segment.rows += last - first
            for place in may_be_text:
                size = segment.text_sizes.setdefault(place, TextSize())
                size.add(block.text_bytes(place, first, last), block.longest_text(place, first, last))
    text.refuse_decimal_commas([0 if given else seen for given, seen in zip(declared, kinds, strict=True)])
    text.mixed = {place for place, seen in enumerate(kinds) if seen & INTEGER and type_for(seen) == "float64"}
    columns = [
        TextColumn(text.layout.rename.get(name, name), kind or type_for(seen), text.units[name])
        for name, kind, seen in zip(text.names, declared, kinds, strict=True)
    ]
    if step_place is None and not segments:
        segments.append(Segment(0))
    if not columns:
        raise BadFileError("there are neither names nor rows")
    return columns, segments


def held_columns(
    format: str, columns: Sequence[TextColumn], step_place: int | None
) -> tuple[list[TextColumn], list[str]]:
    """Independent. The columns with names that the format holds, and sentences about those that change."""
    kept = [column.name for place, column in enumerate(columns) if place != step_place]
    names = fit_names(format, kept)
    if step_place is not None:
        names.insert(step_place, columns[step_place].name)
    changes = [
        f"column '{column.name}' is called '{name}'"
        for column, name in zip(columns, names, strict=True)
        if name != column.name
    ]
    return [replace(column, name=name) for column, name in zip(columns, names, strict=True)], changes


def runs_of(block: Block, step_place: int | None) -> Iterator[tuple[int, int, int]]:
    """Independent. Yield step number, first row and end of each run of rows of one step."""
    if step_place is None:
        yield 0, 0, block.rows
        return
    numbers = np.empty(block.rows, np.int64)
    block.values(step_place, "int64", numbers)
    edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), block.rows]
    for first, last in itertools.pairwise(edges):
        yield int(numbers[first]), first, last


Part = dict[str, Array | list[str]]


def parts_of_step(parts: Iterator[tuple[int, Part]], rows: int) -> Iterator[Part]:
    """Independent. The next parts, as many as make so many rows."""
    while rows > 0:
        count, part = next(parts)
        rows -= count
        yield part


def missing_cells(report: ImportReport) -> list[str]:
    """Independent. A sentence for each column of numbers with empty cells."""
    found = report.missing.items()
    return [f"{count} of {report.rows} cells of column '{name}' are empty" for name, count in found]


def values_of(
    text: TextSource,
    columns: Sequence[TextColumn],
    report: ImportReport | None = None,
    odd: Mapping[int, OddColumn] | None = None,
    bad: BadCells | None = None,
) -> Iterator[tuple[int, Part]]:
    """Independent. Number of rows and values of each run of rows of one step inside a block.

    `report` gets a sentence for each column in which an integer is rounded, and the number of empty cells;
    `odd` columns, by their places, and `bad` get their cells.
    """
    step_place = text.step_place
    unheard = set() if report is None else set(text.mixed)
    for block in text.blocks():
        values: Part = {}
        for place, column in enumerate(columns):
            if place == step_place:
                continue
            if column.type == "string":
                values[column.name] = cells = block.texts(place)
                if odd is not None and place in odd:
                    odd[place].look_at(block, place, cells)
                if bad is not None:
                    bad.look_at(place, column.name, cells, text.held, text.held_line)
            else:
                array = np.empty(block.rows, dtype_of(column.type))
                block.values(place, column.type, array)
                values[column.name] = array
                if report is None:
                    continue
                if empty := empty_cells(block, place, array, text.layout.missing):
                    report.missing[column.name] = report.missing.get(column.name, 0) + empty
                found = rounded_integer(block, place, array) if place in unheard else None
                if found is not None:
                    unheard.remove(place)
                    report.changes.append(
                        f"column '{column.name}' is float64, for not all values are integers: {found[0]} "
                        f"becomes {found[1]}; --types '{text.names[place]}=string' keeps all digits"
                    )
        for _, first, last in runs_of(block, step_place):
            yield last - first, {name: one[first:last] for name, one in values.items()}


class Importer:
    """Second pass: writes step after step, part by part. Files of text want to weigh the values first."""

    def __init__(
        self,
        out: quire.Writer,
        text: TextSource,
        columns: Sequence[TextColumn],
        report: ImportReport,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.out = out
        self.columns = {place: column for place, column in enumerate(columns) if place != text.step_place}
        self.to_weigh = values_of(text, columns)
        self.odd = {
            place: OddColumn(column.name, text.names[place], text.layout.decimal == ",")
            for place, column in self.columns.items()
            if column.type == "string" and text.declared_type(text.names[place]) is None
        }
        self.bad = BadCells()
        self.to_write = values_of(text, columns, report, self.odd, self.bad)
        self.rows = report.rows
        self.done = 0
        self.progress = progress

    def write(self, segment: Segment) -> None:
        """Independent. Write the next step."""
        with self.out.step(segment.number) as step:
            for place, column in self.columns.items():
                size = segment.text_sizes.get(place) if column.type == "string" else None
                step.declare(
                    column.name,
                    column.type,
                    unit=column.unit,
                    string_bytes=size.total if size else 0,
                    longest_string=size.longest if size else 0,
                )
            step.rows(segment.rows)
            if step.weighs_values:
                step.agree_on_rows()
                for part in parts_of_step(self.to_weigh, segment.rows):
                    step.weigh(part)
            step.open()
            first = 0
            for part in parts_of_step(self.to_write, segment.rows):
                step.write(first, part)
                count = len(next(iter(part.values())))
                first += count
                self.done += count
                if self.progress is not None:
                    self.progress(self.done, self.rows)
