"""quire get: print single values, for shell scripts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import ExitCode, command
from quire.cli.hints import looks_like_expression, refuse_names_first
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import plural, printable, remark, report_tables, say, say_json
from quire.cli.selecting import FirstTable, Index, Rows, Steps, Where
from quire.cli.streams import STANDARD, display_name, readable

if TYPE_CHECKING:
    from quire import File, Step, Table
    from quire.toolkit.definitions import Definition
    from quire.toolkit.selection import StepSelection

NUMBER = "step"
"""The word of expressions for the number of a step."""

FileOption = Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")]
Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME...",
        autocompletion=completion.anything,
        help="Attributes of a step or of the file, else columns, else fields; patterns: S*; expressions.",
    ),
]
Form = Annotated[
    str | None, typer.Option("--format", help="A printf format, such as %.6e. Default: all digits.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        autocompletion=completion.words("space", "comma", "semicolon", "tab"),
        help="Delimiter of values: space, comma, ... Default: newline; for several columns a space.",
    ),
]
Unit = Annotated[bool, typer.Option("--unit", help="Print the unit instead of the value.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, with types and units.")]


CONVERSION = re.compile(r"[\w*]+=[^=<>]+")
"""What other commands take as the value of --unit: `x=mm`."""


@dataclass
class Asked:
    """The rows of columns that are asked for, by default all, and how many were searched and found."""

    rows: slice = field(default_factory=lambda: slice(None))
    where: str | None = None
    searched: int = 0
    found: int = 0
    tables: set[str] = field(default_factory=set)
    """The tables of the step that are counted: columns of one share its rows."""

    def count(self, table: str, rows: int) -> None:
        """Independent. Count the rows of a table of the step, once for all of its columns."""
        if table not in self.tables:
            self.tables.add(table)
            self.searched += rows

    def require(self, path: str) -> None:
        """Report a condition that no row satisfies, and exit."""
        if self.where is not None and not self.found:
            rows = plural(self.searched, "row")
            remark(f"quire: {display_name(path)}: 0 of {rows} satisfy {printable(self.where)}")
            raise typer.Exit(ExitCode.NO)


@command
def get(
    file: FileOption,
    names: Names,
    steps: Steps = None,
    index: Index = None,
    rows: Rows = None,
    where: Where = None,
    table: FirstTable = None,
    form: Form = None,
    delimiter: Delimiter = None,
    unit: Unit = False,
    read_option: ReadOptions = None,
    json: Json = False,
) -> None:
    """Print values of attributes, columns or fields, with all digits.

    Several columns are printed with one row per line. Without --steps or --index a name is looked up in the
    attributes of the file first, then in the first step. With --rows, --where or --table all names are
    columns. A pattern that matches several kinds of objects selects the first kind, which is reported on
    standard error. What is no name is an expression: 'max(x)' is one value, 'x/rms(x)' a value for each row.

    The exit code is 1 if there is no such name or step or no row satisfies --where, and 2 if there are no
    such rows.

    Example: quire get beam.h5 s --index -1

    Example: quire get beam.h5 x --rows 0:3 --format %.3e --delimiter space

    Example: quire get beam.h5 'rms(x) * 1e6' --steps 0-10
    """
    import quire
    from quire.cli.trace import trace
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter
    from quire.toolkit.selection import parse_rows, parse_steps

    require_form(form)
    if file != STANDARD:
        refuse_names_first("get", file, names)
    if unit and any(map(CONVERSION.fullmatch, names)):
        raise UsageError(
            "--unit prints units, and has no value",
            advice="quire show --unit x=mm prints values in other units",
        )
    asked = Asked(parse_rows(rows), where)
    between = None if delimiter is None else parse_delimiter(delimiter)
    with readable(file) as local, quire.open(local, **parse_options(read_option)) as opened:
        only_columns = rows is not None or where is not None or table is not None
        found = [
            all_found(file, opened, names, Place(number, index, only_columns, table))
            for number in numbers_of(opened, parse_steps(steps), index)
        ]
        if unit:
            say((between or "\n").join(item.unit for _, item in found[0]))
        elif json:
            answers = []
            for some in found:
                asked.tables.clear()
                answers += [as_json(item, values_of(item, owner, asked)) for owner, item in some]
            say_json(answers[0] if len(answers) == 1 else answers)
        else:
            for some in found:
                show(some, asked, form, between)
            if len(found) > 1 and any(len(owner or ()) > 1 for some in found for owner, _ in some):
                remark(f"values of {len(found)} steps, one after another; quire show --csv names the steps")
        trace(opened)
    if not unit:
        asked.require(file)


def require_form(form: str | None) -> None:
    """Raise UsageError for a printf format that is not one of a single value."""
    from quire.errors import UsageError
    from quire.toolkit.lines import printer

    if form is not None and printer(form) is None:
        raise UsageError(f"'{form}' is not a format for one value; write for example %.6e")


def numbers_of(file: File, steps: StepSelection, index: int | None) -> list[int | None]:
    """Return the numbers of the selected steps; None is the step of the index, or the first."""
    from quire.errors import UsageError
    from quire.toolkit.selection import steps_by

    if not steps.ranges:
        return [None]
    if index is not None:
        raise UsageError("give either --steps or --index")
    return [steps.only] if steps.only is not None else [step.number for step in steps_by(file, steps)]


def show(found: list[tuple[Table | None, Any]], asked: Asked, form: str | None, between: str | None) -> None:
    """Print values: rows for several columns of one table, else one object after another."""
    report_kinds(found)
    asked.tables.clear()
    common = common_table([owner for owner, _ in found])
    if common is not None:
        show_rows(common, [item.name for _, item in found], asked, form, between or " ")
    else:
        items = (values_of(item, owner, asked) for owner, item in found)
        show_values(items, form, between or "\n")


@dataclass(frozen=True)
class Place:
    """Where names are looked up: the step, whether only columns, and the table if one is given."""

    step: int | None
    index: int | None
    only_columns: bool
    table: str | None

    def tables(self, step: Step | None) -> list[Table]:
        """Return the tables of a step to search. Raises MissingError if no table has the name."""
        if step is None:
            return []
        return list(step.tables.values()) if self.table is None else [step.tables[self.table]]


def all_found(path: str, file: File, names: list[str], place: Place) -> list[tuple[Table | None, Any]]:
    """Return the result of find() for each name or pattern. Reports all that are missing and exits."""
    found = []
    missing = []
    try:
        for name in expanded(file, names, place):
            item = find(file, name, place) or computed(file, name, place)
            if item is None:
                what = "column" if place.only_columns else "attribute, column or field"
                missing.append(f"there is no {what} '{printable(name)}'{nearest(file, name, place)}")
                continue
            if item[0] is not None:
                tables = place.tables(chosen_step(file, place.step, place.index))
                having = [table.name for table in tables if name in table.columns]
                report_tables(having, f"tables with a column '{printable(name)}'")
            found.append(item)
    finally:  # also before the error of an expression
        for sentence in missing:
            remark(f"quire: {display_name(path)}: {sentence}")
    if missing:
        raise typer.Exit(ExitCode.NO)
    return found


def kind_of(owner: Table | None, item: Any) -> str:
    """Return the kind of object that a name refers to."""
    return "column" if owner is not None else "attribute" if hasattr(item, "value") else "field"


def report_kinds(found: list[tuple[Table | None, Any]]) -> None:
    """Report the kind of each name if they differ, since the values are printed without a separator."""
    kinds = [f"{kind_of(owner, item)} {printable(item.name)}" for owner, item in found]
    if len({kind_of(owner, item) for owner, item in found}) > 1:
        remark(f"in this order: {', '.join(kinds)}; --json separates their values")


def chosen_step(file: File, step: int | None, index: int | None) -> Step | None:
    """Return the requested step, by default the first; for a file without steps its declarations, if any."""
    from quire.errors import MissingError

    if step is not None:
        return file.step(step)
    try:
        return file[index or 0]
    except MissingError:
        if index is None:
            return file.declared
        raise


def find(file: File, name: str, place: Place) -> tuple[Table | None, Any] | None:
    """Return the attribute, column or field of this name, with the table of a column; None if missing."""
    if place.only_columns:
        tables = place.tables(chosen_step(file, place.step, place.index))
        return next(((table, table[name]) for table in tables if name in table), None)
    if place.step is None and place.index is None and name in file.attrs:
        return None, file.attrs.info[name]
    chosen = chosen_step(file, place.step, place.index)
    if chosen is not None:
        if name in chosen.attrs:
            return None, chosen.attrs.info[name]
        for table in chosen.tables.values():
            if name in table.columns:
                return table, table[name]
        if name in chosen.fields:
            return None, chosen.fields[name]
    return (None, file.attrs.info[name]) if name in file.attrs else None


def computed(file: File, text: str, place: Place) -> tuple[Table | None, Any] | None:
    """Return the value or the column of an expression, with its table; None if the text is none.

    Raises errors of the expression, those of the last table if none has its columns.
    """
    from quire.errors import MissingError, UsageError
    from quire.toolkit.definitions import DerivedStep

    step = chosen_step(file, place.step, place.index)
    definition = None if step is None else definition_of(file, text, place)
    if step is None or definition is None:
        return None
    for table in (names := [table.name for table in place.tables(step)] or [""]):
        try:
            made = DerivedStep(file, step, [definition], table)
        except MissingError:
            if table == names[-1]:
                raise
            continue
        if made.left_out:
            raise made.left_out[text]
        if text not in made.attrs:
            return made.tables[table], made.tables[table][text]
        if not place.only_columns:
            return None, made.attrs.info[text]
        raise UsageError(
            f"'{text}' is one value, not one for each row",
            file=file.path,
            advice=f"of some rows: quire run FILE / filter CONDITION / stats {shlex.quote(text)}",
        )
    return None


def definition_of(file: File, text: str, place: Place) -> Definition | None:
    """Return a text as an expression; None if it is a name, which may contain such as a minus sign."""
    from quire.errors import UsageError
    from quire.io.expression import Expression
    from quire.rpn import is_rpn
    from quire.toolkit.definitions import Definition

    is_clear = looks_like_expression(text) or is_rpn(text)
    try:
        expression = Expression(text)
    except UsageError:
        if is_clear:
            raise
        return None
    anywhere = replace(place, only_columns=False)
    known = {name for name in expression.names if name == NUMBER or find(file, name, anywhere) is not None}
    is_name = expression.names == [text] and text != NUMBER
    return Definition(text, expression) if (is_clear or known) and not is_name else None


def kinds_of_names(file: File, place: Place) -> dict[str, list[str]]:
    """Return the names of attributes, of columns and of fields that can be requested."""
    one = chosen_step(file, place.step, place.index)
    columns = [column for table in place.tables(one) for column in table.columns]
    if place.only_columns:
        return {"column": columns}
    attributes = [*file.attrs, *(one.attrs if one is not None else ())]
    fields = list(one.fields) if one is not None else []
    return {"attribute": list(dict.fromkeys(attributes)), "column": columns, "field": fields}


def expanded(file: File, names: list[str], place: Place) -> Iterator[str]:
    """Return the names, with each pattern replaced by its matches of the first kind that has any."""
    from quire.toolkit.selection import is_pattern, matches

    for name in names:
        matching: dict[str, list[str]] = {}
        if is_pattern(name) and find(file, name, place) is None:
            for kind, known in kinds_of_names(file, place).items():
                if fitting := [one for one in known if matches(one, [name])]:
                    matching[kind] = fitting
        kinds = list(matching)
        if len(kinds) > 1:
            report_others(name, matching)
        yield from matching[kinds[0]] if kinds else [name]


def report_others(name: str, matching: Mapping[str, list[str]]) -> None:
    """Report that a pattern matches names of several kinds, of which the first kind is selected."""
    taken, *kinds = matching
    others = [
        f"{kind}{'s' * (len(matching[kind]) > 1)} {printable(', '.join(matching[kind]))}" for kind in kinds
    ]
    verb = "is" if sum(len(matching[kind]) for kind in kinds) == 1 else "are"
    way = "; --rows : selects columns" if "column" in kinds else ""
    remark(f"'{printable(name)}' selects {taken}s; there {verb} also {' and '.join(others)}{way}")


def nearest(file: File, name: str, place: Place) -> str:
    """Return similar names in parentheses, or the command that lists names or computes a quantity."""
    from quire.beam.quantities import quantity_names
    from quire.near import near_names

    if name in quantity_names():
        return f"; it is a quantity of the beam: quire stats FILE {name} computes it"
    known = [NUMBER, *(name for names in kinds_of_names(file, place).values() for name in names)]
    if place.only_columns and find(file, name, replace(place, only_columns=False)) is not None:
        return ": only columns have rows and tables; leave out --rows, --where and --table"
    near = near_names(name, known)
    return f" (nearest: {', '.join(near)})" if near else "; quire info lists the names"


def common_table(tables: list[Table | None]) -> Table | None:
    """Return the table if several columns of one table are requested, else None."""
    names = {None if table is None else table.name for table in tables}
    return tables[0] if len(tables) > 1 and len(names) == 1 else None


def chosen_parts(table: Table, names: list[str], asked: Asked) -> Iterator[Mapping[str, Any]]:
    """Yield the selected rows of some columns block by block. Raises UsageError if there are none."""
    from quire.errors import UsageError
    from quire.toolkit.selection import chosen_blocks, resolve_rows

    _, count = resolve_rows(asked.rows, len(table))
    if not count and len(table):
        raise UsageError(f"no row is selected: column '{names[0]}' has {len(table)}")
    asked.count(table.name, count)
    for numbers, block in chosen_blocks(table, names, asked.rows, asked.where):
        asked.found += len(numbers)
        yield block


def values_of(item: Any, table: Table | None, asked: Asked) -> Iterator[Any]:
    """Yield the values: all of an attribute or field at once, the rows of a column block by block."""
    if table is None:
        if getattr(item, "value", item) is None:
            remark(f"quire: the attribute '{printable(item.name)}' has no value: there is no step")
            raise typer.Exit(ExitCode.NO)
        yield item.value if hasattr(item, "value") else item.read()
        return
    for block in chosen_parts(table, [item.name], asked):
        yield block[item.name]


def as_json(item: Any, parts: Iterator[Any]) -> dict[str, Any]:
    """Return a quantity with its value for JSON; columns and fields are lists."""
    from quire.toolkit.summary import plain, quantity

    found = [plain(part) for part in parts]
    is_column = not hasattr(item, "value") and not hasattr(item, "extents")
    value = [one for part in found for one in part] if is_column else found[0]
    return quantity(item) | {"value": value}


def show_values(items: Iterable[Iterator[Any]], form: str | None, between: str) -> None:
    """Print values with a delimiter, by default one per line."""
    import sys

    from quire.toolkit.lines import exact_texts, printer
    from quire.toolkit.summary import flat

    one = printer(form) if form is not None else None
    separator = ""
    for parts in items:
        for part in parts:
            values = flat(part)
            texts = exact_texts(values) if one is None else [one(value) for value in values]
            if texts:
                sys.stdout.write(separator + between.join(texts))
                separator = between
    if separator:
        sys.stdout.write("\n")


def show_rows(table: Table, names: list[str], asked: Asked, form: str | None, delimiter: str) -> None:
    """Print rows of some columns, one per line. Strings that contain the delimiter are quoted."""
    import sys

    from quire.toolkit.lines import Cells, is_numeric, printer

    cells = Cells(delimiter)
    one = printer(form) if form is not None else None
    for block in chosen_parts(table, names, asked):
        columns = [block[name] for name in names]
        sys.stdout.write(cells.lines(columns, [one if is_numeric(column) else None for column in columns]))
