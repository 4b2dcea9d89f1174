"""New columns and parameters by equations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np

from quire.errors import MissingError, TypeMismatchError
from quire.io.attributes import Attribute
from quire.io.expression import BoundExpression, Expression
from quire.io.texts import Texts
from quire.io.types import Array, dtype_of
from quire.legacy.pages import TEXTS, Page, Pages
from quire.legacy.patterns import chosen, matches
from quire.rpn import is_rpn
from quire.rpn.definitions import Definitions
from quire.rpn.tokens import tokens_of
from quire.toolkit.copied_table import CopiedTable, rows_of
from quire.verbs.steplike import NewColumn, StepLike, TableLike

DEFAULT: Final = "float64"
"""The type of what is defined."""


@dataclass(frozen=True)
class Entries:
    """The entries of a definition; None keeps those of the element that is replaced."""

    type: str | None = None
    units: str | None = None
    symbol: str | None = None
    description: str | None = None
    format_string: str | None = None

    def texts(self, known: Any = None) -> Texts:
        """Independent. Return the texts; missing ones are those of a known element."""
        before = Texts() if known is None else known
        unit, symbol, description, display = (
            (getattr(before, old) or "") if new is None else new
            for new, old in (
                (self.units, "unit"),
                (self.symbol, "symbol"),
                (self.description, "description"),
                (self.format_string, "display"),
            )
        )
        return Texts(unit, symbol, description, display)

    def kind(self, known: Any = None, default: str = DEFAULT) -> str:
        """Independent. Return the type; a missing one is that of a known element."""
        return self.type or (default if known is None else known.type)


@dataclass(frozen=True)
class Equation:
    """A definition: an expression, or `@NAME` for that in a parameter."""

    name: str
    text: str
    entries: Entries = field(default_factory=Entries)
    prefix: str = ""
    """What the expression in a parameter begins with: `rpn:`, or nothing for infix."""
    definitions: Definitions | None = None

    def of(self, page: Page, of_rows: bool = False) -> BoundExpression:
        """Independent. Return the expression bound to a page, whose variables have afterwards the values that
        it stores: those of the last row.
        """
        text = self.text
        if text.startswith("@"):
            text = self.prefix + str(page.parameters[text[1:]].value)
        known = variables_of(page, self.definitions, of_rows)
        try:
            bound = bound_to(page, Expression(text, known))
            store(page, text, known)
        except (MissingError, TypeMismatchError) as problem:
            problem.place(object=self.name)
            raise
        return bound


def bound_to(page: Page, expression: Expression) -> BoundExpression:
    """Independent. Return an expression bound to a page."""
    table: Any = page.unitless
    columns, attributes, counters = table.scope()
    return expression.compile(columns, attributes, counters, table)


def variables_of(page: Page, definitions: Definitions | None, of_rows: bool = True) -> Definitions | None:
    """Independent. Return definitions with the variables that equations before have stored."""
    known = definitions or Definitions()
    words = [f"{stored_text(value)} {name}" for name, value in page.variables.items()]
    if not words and of_rows:
        return definitions
    return Definitions(known.functions, [*known.before, *tokens_of(" ".join(words))], of_rows)


def stored_text(value: Any) -> str:
    """Independent. Return the words that store a value in a variable, without its name."""
    if isinstance(value, str):
        return f'"{value}" ssto'
    number = float(value)
    return f"{-number!r} chs sto" if number < 0 else f"{number!r} sto"


def store(page: Page, text: str, known: Definitions | None) -> None:
    """Independent. Keep what an equation stores: of rows the value of the last one, if there is any."""
    is_storing = "sto" in text or (known is not None and known.functions)
    if not is_rpn(text) or not is_storing:
        return
    from quire.rpn.compiler import stored_values

    of_rows = known is None or known.of_rows
    for name, (value, _) in stored_values(text, known).items():
        bound = bound_to(page, Expression(value))
        if of_rows and not len(page.table):
            continue
        page.variables[name] = (
            bound if bound.is_constant else bound_to(page, Expression(f"last({value})"))
        ).value


def run_words(
    pages: Pages, text: str, definitions: Definitions | None = None, repeats: bool = False
) -> Pages:
    """Independent. Run words that store variables, on the first page, or on each one."""

    def run(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        for place, step in enumerate(steps, start=1):
            if place == 1 or repeats:
                page = Page.of(step, place)
                store(page, text, variables_of(page, definitions, of_rows=False))
            yield step

    return pages.through(run)


def define_column(pages: Pages, equation: Equation, keeps: bool = False) -> Pages:
    """Independent. Add a column, or replace the one of this name, whose type and texts stay with `keeps`."""

    def defined(page: Page) -> StepLike:
        known = page.table.columns.get(equation.name) if keeps else None
        bound = equation.of(page, of_rows=True)
        kind, texts = equation.entries.kind(known), equation.entries.texts(known)
        column = NewColumn(equation.name, np.empty(0), texts, kind)
        return page.with_table(cast("TableLike", EquationTable(page.unitless, column, bound)))

    return pages.each_page(defined)


def define_parameter(pages: Pages, equation: Equation, keeps: bool = False) -> Pages:
    """Independent. Add a parameter, or replace the one of this name; with `keeps` as `define_column`."""

    def defined(page: Page) -> StepLike:
        known = page.parameters.get(equation.name) if keeps else None
        bound = equation.of(page)
        kind, texts = equation.entries.kind(known), equation.entries.texts(known)
        value = as_type(np.array([bound.value], dtype_of(bound.type)), kind, equation.name)[0]
        return page.with_attributes([parameter(equation.name, value, kind, texts)])

    return pages.each_page(defined)


def define_each(
    pages: Pages,
    equation: Equation,
    select: str,
    exclude: str = "",
    edit: str = "",
    keeps: bool = False,
) -> Pages:
    """Independent. Define a column for each column that matches a pattern. `%s` in name and equation is the
    name of that column, edited by a command.
    """
    from dataclasses import replace

    from quire.legacy.edits import edited

    names: list[str] = []
    for page in pages.pages():
        names = chosen([select], [name for name in page.table if not exclude or not matches(name, exclude)])
        break
    for name in names:
        word = edited(edit, name) if edit else name
        one = replace(
            equation, name=equation.name.replace("%s", word), text=equation.text.replace("%s", word)
        )
        pages = define_column(pages, one, keeps)
    return pages


class EquationTable(CopiedTable):
    """A table with a column that is computed on reading."""

    def __init__(self, table: Any, column: NewColumn, bound: BoundExpression) -> None:
        self.name = table.name
        self.columns: Mapping[str, Any] = {**table.columns, column.name: column}
        self._table = table
        self._column = column
        self._bound = bound

    def __len__(self) -> int:
        return len(self._table)

    def rows_per_block(self, names: Iterable[str] | None = None) -> int:
        """Independent. Return the number of rows of these columns in a block."""
        return int(self._table.rows_per_block([one for one in names or () if one in self._table.columns]))

    def blocks(
        self, names: Iterable[str], rows_per_block: int | None = None, rows: Any = None, progress: Any = None
    ) -> Iterator[tuple[int, dict[str, Array]]]:
        """Independent. Like `Table.blocks`, with the new column."""
        wanted, new = list(names), self._column.name
        if new not in wanted:
            yield from self._table.blocks(wanted, rows_per_block, rows, progress)
            return
        sources = list(dict.fromkeys([one for one in wanted if one != new] + list(self._bound.columns)))
        for start, block, count in self._source_blocks(sources, rows_per_block, rows, progress):
            values = self._bound.evaluate(block, start, count)
            made = as_type(values, self._column.type, new)
            yield start, {one: made if one == new else block[one] for one in wanted}

    def _source_blocks(
        self, sources: Sequence[str], rows_per_block: int | None, rows: Any, progress: Any
    ) -> Iterator[tuple[int, dict[str, Array], int]]:
        if sources:
            for start, block in self._table.blocks(sources, rows_per_block, rows, progress):
                yield start, block, len(block[sources[0]])
            return
        first, count = rows_of(rows, len(self))
        size = rows_per_block or self.rows_per_block()
        for start in range(first, first + count, size):
            yield start, {}, min(size, first + count - start)


def as_type(values: Array, kind: str, name: str) -> Array:
    """Independent. Return values in a type: integers are cut toward zero, as in C.

    Raises TypeMismatchError for numbers that do not fit, and for texts beside numbers.
    """
    wanted = dtype_of(kind)
    is_text = values.dtype == object
    if is_text != (kind in TEXTS):
        found, wanted_kind = ("a text", "a number") if is_text else ("a number", "a text")
        raise TypeMismatchError(f"the value is {found}, and the type is that of {wanted_kind}", object=name)
    if wanted.kind in "iu" and values.dtype != wanted:
        limits = np.iinfo(wanted)
        is_float = values.dtype.kind == "f"
        whole = np.trunc(values) if is_float else values
        # As a float the greatest 64-bit integer is rounded up.
        is_odd = ~((whole >= limits.min) & (whole < limits.max + 1.0 if is_float else whole <= limits.max))
        if is_odd.any():
            row = int(np.flatnonzero(is_odd)[0])
            raise TypeMismatchError(f"{values[row]} does not fit into {kind} (row {row})", object=name)
        values = whole
    return values.astype(wanted, copy=False)


def parameter(name: str, value: Any, kind: str, texts: Texts | None = None) -> Attribute:
    """Independent. Return a parameter."""
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble):
        value = value.item()
    words = texts or Texts()
    return Attribute(
        name, value, kind, words.unit or "", words.symbol or "", words.description or "", words.display or ""
    )
