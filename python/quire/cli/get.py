"""quire get: single values for the shell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import ExitCode, command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import printable, remark, say, say_json, tell_of_tables
from quire.cli.streams import readable
from quire.cli.where import Where

if TYPE_CHECKING:
    from quire import File, Step, Table


@command
def get(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")],
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Attributes of a step or of the file, else columns, else fields; patterns: S*",
        ),
    ],
    step: Annotated[int | None, typer.Option("--step", help="The number of the step.")] = None,
    index: Annotated[int | None, typer.Option("--index", help="Its place instead; -1 is the last.")] = None,
    rows: Annotated[str | None, typer.Option("--rows", help="Rows of columns, for example 0:10.")] = None,
    where: Where = None,
    table: Annotated[
        str | None, typer.Option("--table", help="Columns of the table of this name, else of the first.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="A printf format, for example %.6e; else all digits.")
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter",
            help="Between values: space, comma, ...; else line ends, of several columns a space.",
        ),
    ] = None,
    unit: Annotated[bool, typer.Option("--unit", help="The unit instead of the value.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="With type and unit, for programs.")] = False,
) -> None:
    """Print attributes, columns or fields, a value a line, with all digits; of several columns a row a line.

    Without --step or --index an attribute of the file goes first, then the first step is asked.
    Exit code 1 if there is no such name or step, 2 if there are no such rows. With --rows, --where or --table
    names are columns. What a pattern passes over, and names of several kinds, are told on standard error.

    Example: quire get beam.h5 s --index -1

    Example: quire get beam.h5 x --rows 0:3 --format %.3e --delimiter space
    """
    import quire
    from quire.cli.trace import trace
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_delimiter, printer
    from quire.toolkit.selection import parse_rows

    if form is not None and printer(form) is None:
        raise UsageError(f"'{form}' is no format for one value; write for example %.6e")
    wanted = parse_rows(rows)
    between = None if delimiter is None else parse_delimiter(delimiter)
    with readable(file) as local, quire.open(local, **parse_options(read_option)) as opened:
        only_columns = rows is not None or where is not None or table is not None
        place = Place(step, index, only_columns, table)
        found = all_found(file, opened, names, place)
        if unit:
            say((between or "\n").join(item.unit for _, item in found))
        elif json:
            answers = [as_json(item, values_of(item, owner, wanted, where)) for owner, item in found]
            say_json(answers[0] if len(answers) == 1 else answers)
        else:
            show(found, wanted, where, form, between)
        trace(opened)


def show(
    found: list[tuple[Table | None, Any]],
    rows: slice,
    where: str | None,
    form: str | None,
    between: str | None,
) -> None:
    """Print values: rows of several columns of one table, else one thing after another."""
    tell_of_kinds(found)
    common = common_table([owner for owner, _ in found])
    if common is not None:
        show_rows(common, [item.name for _, item in found], rows, where, form, between or " ")
    else:
        items = (values_of(item, owner, rows, where) for owner, item in found)
        show_values(items, form, between or "\n")


@dataclass(frozen=True)
class Place:
    """Where to look: the step, whether for columns alone, and the table of these if not any."""

    step: int | None
    index: int | None
    only_columns: bool
    table: str | None

    def tables(self, step: Step | None) -> list[Table]:
        """The tables of a step in which to look. Raises MissingError if there is none of the name."""
        if step is None:
            return []
        return list(step.tables.values()) if self.table is None else [step.tables[self.table]]


def all_found(path: str, file: File, names: list[str], place: Place) -> list[tuple[Table | None, Any]]:
    """What find() has for each name or pattern; says which one is missing, and ends the command."""
    found = []
    for name in expanded(file, names, place):
        item = find(file, name, place)
        if item is None:
            near = nearest(file, name, place)
            what = "column" if place.only_columns else "attribute, column or field"
            remark(f"quire: there is no {what} '{printable(name)}' in {path}{near}")
            raise typer.Exit(ExitCode.NO)
        if item[0] is not None:
            tables = place.tables(chosen_step(file, place.step, place.index))
            having = [table.name for table in tables if name in table.columns]
            tell_of_tables(having, f"tables with a column '{printable(name)}'")
        found.append(item)
    return found


def kind_of(owner: Table | None, item: Any) -> str:
    """What a name has turned out to be."""
    return "column" if owner is not None else "attribute" if hasattr(item, "value") else "field"


def tell_of_kinds(found: list[tuple[Table | None, Any]]) -> None:
    """Remark what is what if not all names are of one kind: their values follow each other without a mark."""
    told = [f"{kind_of(owner, item)} {printable(item.name)}" for owner, item in found]
    if len({kind_of(owner, item) for owner, item in found}) > 1:
        remark(f"one after another: {', '.join(told)}; --json tells their values apart")


def chosen_step(file: File, step: int | None, index: int | None) -> Step | None:
    """The step asked for; the first one if none was, or what a file without steps declares, if anything."""
    from quire.errors import MissingError, UsageError

    if step is not None and index is not None:
        raise UsageError("give either --step or --index")
    if step is not None:
        return file.step(step)
    try:
        return file[index or 0]
    except MissingError:
        if index is None:
            return file.declared
        raise


def find(file: File, name: str, place: Place) -> tuple[Table | None, Any] | None:
    """The attribute, column or field of this name, with the table of a column; None if there is none."""
    if place.only_columns:
        tables = place.tables(chosen_step(file, place.step, place.index))
        return next(((table, table[name]) for table in tables if name in table), None)
    if place.step is None and place.index is None and name in file.attributes:
        return None, file.attributes[name]
    chosen = chosen_step(file, place.step, place.index)
    if chosen is not None:
        if name in chosen.attributes:
            return None, chosen.attributes[name]
        for table in chosen.tables.values():
            if name in table.columns:
                return table, table[name]
        if name in chosen.fields:
            return None, chosen.fields[name]
    return (None, file.attributes[name]) if name in file.attributes else None


def kinds_of_names(file: File, place: Place) -> dict[str, list[str]]:
    """The names of attributes, of columns and of fields that may be asked for."""
    one = chosen_step(file, place.step, place.index)
    columns = [column for table in place.tables(one) for column in table.columns]
    if place.only_columns:
        return {"column": columns}
    attributes = [*file.attributes, *(one.attributes if one is not None else ())]
    fields = list(one.fields) if one is not None else []
    return {"attribute": list(dict.fromkeys(attributes)), "column": columns, "field": fields}


def expanded(file: File, names: list[str], place: Place) -> Iterator[str]:
    """The names, each pattern replaced by what it matches of the first kind of which it matches anything."""
    from quire.toolkit.selection import is_pattern, matches

    for name in names:
        matching: dict[str, list[str]] = {}
        if is_pattern(name) and find(file, name, place) is None:
            for kind, known in kinds_of_names(file, place).items():
                if fitting := [one for one in known if matches(one, [name])]:
                    matching[kind] = fitting
        kinds = list(matching)
        if len(kinds) > 1:
            tell_of_others(name, matching)
        yield from matching[kinds[0]] if kinds else [name]


def tell_of_others(name: str, matching: Mapping[str, list[str]]) -> None:
    """Remark that a pattern matches names of several kinds, of which the first kind is taken."""
    taken, *kinds = matching
    others = [
        f"{kind}{'s' * (len(matching[kind]) > 1)} {printable(', '.join(matching[kind]))}" for kind in kinds
    ]
    verb = "is" if sum(len(matching[kind]) for kind in kinds) == 1 else "are"
    way = "; --rows : chooses columns" if "column" in kinds else ""
    remark(f"'{printable(name)}' is taken for {taken}s; there {verb} also {' and '.join(others)}{way}")


def nearest(file: File, name: str, place: Place) -> str:
    """What may have been meant, in parentheses; an empty text if nothing is like the name."""
    import difflib

    known = [name for names in kinds_of_names(file, place).values() for name in names]
    if place.only_columns and find(file, name, replace(place, only_columns=False)) is not None:
        return ": only columns have rows and tables; leave --rows, --where and --table out"
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return f" (nearest: {', '.join(near)})" if near else ""


def common_table(tables: list[Table | None]) -> Table | None:
    """The table of a step of which several columns are asked for together, if it is one."""
    names = {None if table is None else table.name for table in tables}
    return tables[0] if len(tables) > 1 and len(names) == 1 else None


def chosen_parts(
    table: Table, names: list[str], rows: slice, where: str | None
) -> Iterator[Mapping[str, Any]]:
    """Some rows of some columns block by block; UsageError if the table has none of these rows."""
    from quire.errors import UsageError
    from quire.toolkit.selection import chosen_blocks, resolve_rows

    _, count = resolve_rows(rows, len(table))
    if not count and len(table):
        raise UsageError(f"no row is selected: column '{names[0]}' has {len(table)}")
    for _, block in chosen_blocks(table, names, rows, where):
        yield block


def values_of(item: Any, table: Table | None, rows: slice, where: str | None = None) -> Iterator[Any]:
    """The values part by part: all of an attribute or field, or the rows of a column block by block."""
    if table is None:
        if getattr(item, "value", item) is None:
            remark(f"quire: the attribute '{printable(item.name)}' has no value: there is no step")
            raise typer.Exit(ExitCode.NO)
        yield item.value if hasattr(item, "value") else item.read()
        return
    for block in chosen_parts(table, [item.name], rows, where):
        yield block[item.name]


def as_json(item: Any, parts: Iterator[Any]) -> dict[str, Any]:
    """A quantity with its value; columns and fields are lists."""
    from quire.toolkit.summary import plain, quantity

    found = [plain(part) for part in parts]
    is_column = not hasattr(item, "value") and not hasattr(item, "extents")
    value = [one for part in found for one in part] if is_column else found[0]
    return quantity(item) | {"value": value}


def show_values(items: Iterable[Iterator[Any]], form: str | None, between: str) -> None:
    """Print values one a line, or with something else between them."""
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


def show_rows(
    table: Table, names: list[str], rows: slice, where: str | None, form: str | None, delimiter: str
) -> None:
    """Print rows of some columns a line each; texts that hold the delimiter stand in quotes."""
    import sys

    from quire.toolkit.lines import Cells, is_numeric, printer

    cells = Cells(delimiter)
    one = printer(form) if form is not None else None
    for block in chosen_parts(table, names, rows, where):
        columns = [block[name] for name in names]
        sys.stdout.write(cells.lines(columns, [one if is_numeric(column) else None for column in columns]))
