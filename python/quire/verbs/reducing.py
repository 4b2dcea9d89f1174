"""What `stats` computes: reductions of columns, and the quantities of a beam."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, cast

from quire.beam.request import BeamRequest
from quire.errors import DataError, Error, MissingError, TypeMismatchError, UsageError
from quire.io.attributes import Attribute
from quire.io.types import Array
from quire.near import near_names, there_is_no
from quire.numeric.arrays import as_numbers
from quire.numeric.reduction_table import REDUCTIONS, Options, reduction
from quire.numeric.reductions import OF_TEXTS, reduce
from quire.numeric.rows import Rows
from quire.numeric.tally import NEEDS, Block, OneGroup, Tally
from quire.toolkit.selection import is_pattern, select_names
from quire.verbs.numbers import expression_unit
from quire.verbs.step_chain import Names, listed
from quire.verbs.steplike import StepLike, TableLike, as_floats, even_blocks, in_memory, new_attribute

if TYPE_CHECKING:
    from quire import Step

USUAL = ("count", "min", "max", "mean", "std", "rms")
"""The reductions of a column that is named without one."""

ROWS: Final = "count"
"""The name that alone means the number of rows."""

CALL = re.compile(r"(?:(?P<name>[^=()]+)=)?\s*(?P<what>\w+)\((?P<arguments>.*)\)\s*")
OF_ROWS = {one.name for one in Rows.__dataclass_fields__.values()}
OF_OPTIONS = {one.name for one in Options.__dataclass_fields__.values()}
OTHERS = ("versus", "weight")
FLAGS = {one.name for kind in (Rows, Options) for one in fields(kind) if one.default is False}
"""The arguments that are given by their name alone."""
ONE_COLUMN: Final = "write a reduction of each column, or reduce the columns of each row by --across-columns"


@dataclass(frozen=True)
class Reducing:
    """One reduction of the columns of a pattern."""

    what: str
    column: str
    name: str = ""
    versus: str = ""
    weight: str = ""
    rows: Rows = field(default_factory=Rows)
    options: Options = field(default_factory=Options)

    def each(self, table: TableLike) -> Iterator[Reducing]:
        """Independent. Yield the reductions of single columns, with the names of their results."""
        names = select_names([self.column], list(table.columns), "column")
        if is_pattern(self.column):
            names = [name for name in names if table[name].type not in ("string", "character")]
        if len(names) > 1 and self.name and "*" not in self.name:
            raise UsageError(f"'{self.column}' names several columns; write * in the name '{self.name}'")
        for name in names:
            yield replace(self, column=name, name=self.name.replace("*", name) or f"{name}_{self.what}")

    @property
    def others(self) -> list[str]:
        """The other columns that it needs."""
        return [one for one in (self.versus, self.weight) if one]

    def needs_one_pass(self, table: TableLike) -> bool:
        """Independent. Return whether one pass over the rows computes it, without keeping them."""
        kind = table[self.column].type
        is_plain = not self.others and self.rows == Rows() and self.options == Options()
        is_known = self.what in (OF_TEXTS if kind == "string" else NEEDS)
        return is_plain and is_known and kind != "character"

    def value(self, table: TableLike) -> Any:
        """Independent. Return the result for the column, which is read as a whole."""
        return reduce(self.what, **self.inputs(in_memory(table, self.columns_in(table))))

    def columns_in(self, table: TableLike) -> list[str]:
        """Independent. Return the columns that it reads. Raises MissingError."""
        return select_names([self.column, *self.others], list(table.columns), "column")

    def inputs(self, arrays: Mapping[str, Array]) -> dict[str, Any]:
        """Independent. Return the arguments of functions that reduce these columns."""
        values = arrays[self.column]
        if values.dtype == object and self.what not in OF_TEXTS:
            raise TypeMismatchError(
                f"{self.what} is of numbers, and the column has texts", object=self.column
            )
        if self.takes_values_of_rows and values.dtype.kind in "iu":
            values = as_floats(values, self.column)
        return {
            "values": values,
            "weights": arrays[self.weight] if self.weight else None,
            "versus": arrays[self.versus] if self.versus else None,
            "rows": replace(self.rows, skip_nan=True) if self.what == "count" else self.rows,
            "options": self.options,
        }

    @property
    def takes_values_of_rows(self) -> bool:
        """Whether the result is a value of the column, in which no integer may be rounded."""
        return reduction(self.what).has_position

    def attribute(self, table: TableLike, value: Any) -> Attribute:
        """Independent. Return the result as an attribute."""
        return new_attribute(
            self.name, int(value) if self.what == "count" else value, unit=self.unit_in(table)
        )

    def unit_in(self, table: TableLike) -> str:
        """Independent. Return the unit of the result."""
        return self.unit(table[self.column].unit, table[self.versus].unit if self.versus else "")

    def unit(self, y: str, x: str) -> str:
        """Independent. Return the unit of the result for columns with these units."""
        kind = reduction(self.what).unit_of(self.options)
        if kind == "y*x":
            return expression_unit("y*x", y=y, x=x)
        if kind == "y/x":
            return expression_unit("y/x", y=y, x=x)
        return {"y": y, "x": x}.get(kind, "")


@dataclass(frozen=True)
class Call:
    """A reduction as it is written: `name=what(word, ..., key=value, ..., flag)`."""

    text: str
    name: str
    what: str
    words: list[str]
    given: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Call:
        """Independent. Return the parts of a text. Raises UsageError."""
        found = CALL.fullmatch(text)
        if found is None:
            known = "write for example mean(x) or name=percentile(x, 90)"
            raise UsageError(f"'{text}' is no reduction; {known}")
        first, *rest = [word.strip() for word in found["arguments"].split(",")]
        if not first:
            rows = "count for the number of rows, or " if found["what"] == ROWS else ""
            raise UsageError(f"'{text}' has no column", advice=f"write {rows}{found['what']}(COLUMN)")
        made = cls(text, (found["name"] or "").strip(), reduction(found["what"]).name, [first])
        for word in rest:
            key, is_set, value = word.partition("=")
            if is_set or word in FLAGS:
                made.give(key.strip(), value.strip() or True)
            else:
                made.words.append(word)
        return made

    def give(self, key: str, value: Any) -> None:
        """Independent. Set an argument. Raises UsageError if it has been set."""
        if key in self.given:
            raise UsageError(f"'{self.text}' gives {key} twice", advice=ONE_COLUMN)
        self.given[key] = value

    def settings(self) -> tuple[Rows, Options]:
        """Independent. Return which rows are reduced, and how. Raises UsageError for unknown arguments."""
        values = {key: number_of(key, value) for key, value in self.given.items() if key not in OTHERS}
        odd = values.keys() - OF_ROWS - OF_OPTIONS
        if odd:
            raise UsageError(there_is_no("argument", sorted(odd)[0], [*OTHERS, *OF_ROWS, *OF_OPTIONS]))
        rows = Rows(**{key: value for key, value in values.items() if key in OF_ROWS})
        return rows, Options(**{key: value for key, value in values.items() if key in OF_OPTIONS})


def parse_call(text: str) -> Reducing:
    """Independent. Parse `mean(x)`, `name=slope(y, versus=s)` or `percentile(x, 90)`. Raises UsageError."""
    call = Call.parse(text)
    what = call.what
    column, *others = call.words
    for word in others:
        is_percent = reduction(what).needs_percent and "percent" not in call.given
        call.give("percent" if is_percent else "versus", word)
    columns = {key: str(call.given[key]) for key in OTHERS if key in call.given}
    rows, options = call.settings()
    is_versus_used = reduction(what).needs_x or options.position or {rows.lower, rows.upper} != {None}
    if "versus" in columns and not is_versus_used:
        refused = f"{what} is of one column, not of {column} and {columns['versus']}"
        raise UsageError(refused, advice=ONE_COLUMN)
    return Reducing(what, column, call.name, **columns, rows=rows, options=options)


def number_of(key: str, value: Any) -> Any:
    """Independent. Return a number, or True. Raises UsageError."""
    if value is True or value == "true":
        return True
    try:
        return ast.literal_eval(str(value))
    except (ValueError, SyntaxError):
        raise UsageError(f"{key}={value} is no number") from None


class Tallies:
    """The columns of a table in one pass, for reductions that need no more."""

    def __init__(self, reducings: Iterable[Reducing]) -> None:
        wanted = list(reducings)
        self.columns = list(dict.fromkeys(one.column for one in wanted))
        self._of = {name: Tally([one.what for one in wanted if one.column == name]) for name in self.columns}
        self._exact = {one.column for one in wanted if one.takes_values_of_rows}

    def add(self, columns: Mapping[str, Array], block: Block) -> None:
        """Independent. Add the next rows. Raises TypeMismatchError where the result could be a rounded
        integer.
        """
        for name, tally in self._of.items():
            values = columns[name]
            if values.dtype.kind in "iu" and name in self._exact:
                values = as_floats(values, name)
            elif values.dtype != object:
                values = as_numbers(values, name)
            tally.add(block, values)

    def result(self, one: Reducing) -> Array:
        """Independent. Return a reduction of each group; without rows it is empty."""
        tally = self._of[one.column]
        return tally.result(one.what) if len(tally.rows) else tally.rows


@dataclass(frozen=True)
class Request:
    """What `stats` computes: reductions, usual ones of columns, and quantities of the beam by name."""

    reductions: Sequence[Reducing] = ()
    names: Sequence[str] = ()
    beam: BeamRequest = field(default_factory=BeamRequest)

    def reducings(self, table: TableLike) -> list[Reducing]:
        """Independent. Return the reductions of the columns of a table."""
        usual = [Reducing(what, name) for name in self.names if self.is_column(table, name) for what in USUAL]
        return [one for asked in (*self.reductions, *usual) for one in asked.each(table)]

    @staticmethod
    def is_column(table: TableLike, name: str) -> bool:
        """Independent. Return whether a name is that of columns, and not of a quantity of the beam."""
        return is_pattern(name) or name in table.columns

    def quantities(self, table: TableLike) -> list[str]:
        """Independent. Return the names of quantities of the beam, and the one that means the rows."""
        found = [name for name in self.names if not self.is_column(table, name)]
        for name in found:
            refuse_assignment(table, name)
        return found

    def results(self, step: StepLike, table: Any) -> dict[str, Attribute]:
        """Independent. Return all numbers of a step by name."""
        wanted = self.reducings(table)
        tallies = Tallies(one for one in wanted if one.needs_one_pass(table))
        for columns in even_blocks(table, tallies.columns) if tallies.columns else ():
            tallies.add(columns, OneGroup(len(columns[tallies.columns[0]])))
        found: dict[str, Attribute] = {}
        for one in wanted:
            values = tallies.result(one) if one.needs_one_pass(table) else None
            found[one.name] = one.attribute(
                table, values[0] if values is not None and len(values) else one.value(table)
            )
        unknown = self.quantities(table)
        if ROWS in unknown:
            found[ROWS] = new_attribute(ROWS, len(table))
            unknown = [name for name in unknown if name != ROWS]
        return found | (self.of_beam(step, table, unknown) if unknown else {})

    def of_beam(self, step: StepLike, table: Any, names: Sequence[str]) -> dict[str, Attribute]:
        """Independent. Return quantities of the particles. Of a prefix, as `emittance`, all are meant.

        Raises UsageError for the name of a reduction that is no quantity.
        """
        from quire.beam.result import beam_of_step  # reductions of columns need none of it

        try:
            beam = beam_of_step(
                cast("Step", step), replace(self.beam, table=table.name if table.name else "")
            )
        except Error as problem:
            self.refuse_reductions(table, names)
            if isinstance(problem, DataError):  # the convention is not known
                self.refuse_near_names(table, names)
            raise
        found = {}
        for name in names:
            meant = [one for one in beam if one == name] or [
                one for one in beam if one.startswith(f"{name}_")
            ]
            if not meant:
                self.refuse_reductions(table, [name])
                choices = [*table, *beam, *REDUCTIONS]
                raise MissingError(there_is_no("column or quantity", name, choices))
            for one in meant:
                info = beam.info(one)
                found[one] = new_attribute(one, info.value, unit=info.unit)
        return found

    @staticmethod
    def refuse_reductions(table: TableLike, names: Sequence[str]) -> None:
        """Independent. Raise UsageError if one of the names is that of a reduction."""
        for name in names:
            if name in REDUCTIONS:
                kinds = ("string", "character")
                column = next((one for one in table if table[one].type not in kinds), "COLUMN")
                raise UsageError(f"{name} is a reduction of a column", advice=f"write {name}({column})")

    @staticmethod
    def refuse_near_names(table: TableLike, names: Sequence[str]) -> None:
        """Independent. Raise MissingError if a name is nearly that of a column, and no quantity of a beam."""
        from quire.beam.quantities import quantity_names

        known = quantity_names()
        for name in names:
            of_beam = any(one == name or one.startswith(f"{name}_") for one in known)
            if not of_beam and near_names(name, [*table]):
                raise MissingError(there_is_no("column", name, [*table]))


def refuse_assignment(table: TableLike, word: str) -> None:
    """Independent. Raise UsageError for a name that is given to what is no reduction: `n=count`."""
    name, mark, what = (part.strip() for part in word.partition("="))
    if not mark:
        return
    if what == ROWS:
        problem, advice = "count is the number of rows, which has no other name", f"{name}=count(COLUMN)"
    elif what in REDUCTIONS:
        problem, advice = f"'{word}' has no column", f"{name}={what}(COLUMN)"
    elif what in table.columns:
        problem, advice = f"'{word}' is no reduction", f"{name}=mean({what})"
    else:
        problem = f"'{word}' is no reduction, and quantities of the beam have no other names"
        advice = f"for example {name}=mean(COLUMN)"
    raise UsageError(problem, advice=f"write {'count, or ' if what == ROWS else ''}{advice}")


def request_of(what: Sequence[Names], beam: Mapping[str, Any]) -> Request:
    """Independent. Return the request for reductions and names."""
    words = listed(*what)
    calls = [parse_call(word) for word in words if "(" in word]
    return Request(calls, [word for word in words if "(" not in word], BeamRequest(**beam))
