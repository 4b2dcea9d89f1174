"""Choose, rename and convert columns, parameters and arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from quire.errors import ConflictError, MissingError
from quire.io.texts import Texts
from quire.legacy.acts.equations import as_type, parameter
from quire.legacy.edits import edited
from quire.legacy.pages import TEXTS, Header, Page, Pages, made_page
from quire.legacy.patterns import chosen, is_pattern
from quire.near import there_is_no
from quire.verbs.steplike import MadeTable, NewColumn, StepLike, TableLike, read_columns, texts_of

KINDS: Final = ("column", "parameter", "array")


@dataclass(frozen=True)
class Choice:
    """Patterns of elements to delete and to retain, by kind.

    Of a kind with both, everything is kept but what is deleted and not retained.
    """

    delete: Mapping[str, Sequence[str]] = field(default_factory=dict)
    retain: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def kept(self, kind: str, names: Iterable[str]) -> list[str]:
        """Independent. Return the names that are kept, in their order."""
        given = list(names)
        retained = chosen(self.retain.get(kind, ()), given)
        if kind in self.delete:
            deleted = chosen(self.delete[kind], given)
            return [name for name in given if name not in deleted or name in retained]
        return retained if kind in self.retain else given


def choose(pages: Pages, choice: Choice) -> Pages:
    """Independent. Leave out elements."""

    def kept(page: Page) -> StepLike:
        columns = choice.kept("column", page.table)
        table = page.table
        if len(columns) < len(list(page.table)):
            made = [NewColumn.like(table[name], reader(table, name)) for name in columns]
            table = MadeTable(made, len(table) if made else 0, table.name)
        attributes = page.step.attrs.info
        arrays = choice.kept("array", page.arrays)
        names = {*choice.kept("parameter", page.parameters), *arrays}
        fields = {name: one for name, one in page.step.fields.items() if name in arrays}
        return made_page(page, table, [one for one in attributes.values() if one.name in names], fields)

    return pages.each_page(kept)


def reader(table: TableLike, name: str) -> Any:
    """Independent. Return a function that reads a column."""
    return lambda: read_columns(table, [name])[name]


def rename(pages: Pages, kind: str, names: Mapping[str, str]) -> Pages:
    """Independent. Give elements new names; a name that is not there is ignored."""
    return pages.each_page(lambda page: renamed(page, kind, names))


def edit_names(pages: Pages, kind: str, pattern: str, command: str) -> Pages:
    """Independent. Edit the names of elements."""

    def changed(page: Page) -> StepLike:
        names = {"column": list(page.table), "parameter": list(page.parameters), "array": list(page.arrays)}
        return renamed(page, kind, {name: edited(command, name) for name in chosen([pattern], names[kind])})

    return pages.each_page(changed)


def renamed(page: Page, kind: str, names: Mapping[str, str]) -> StepLike:
    """Independent. Return a page with new names. Raises ConflictError for two elements of one name."""
    if kind == "column":
        require_unique([names.get(name, name) for name in page.table])
        table = page.table
        columns = [NewColumn.like(table[one], reader(table, one), names.get(one, one)) for one in table]
        return page.with_table(MadeTable(columns, len(table), table.name))
    attributes = list(page.step.attrs.info.values())
    of_kind = page.parameters if kind == "parameter" else page.arrays
    made = [replace(one, name=names.get(one.name, one.name)) if one.name in of_kind else one
            for one in attributes]  # fmt: skip
    require_unique([one.name for one in made])
    return made_page(page, page.table, made)


def require_unique(names: Sequence[str]) -> None:
    """Independent. Raise ConflictError if a name occurs twice."""
    for name in names:
        if names.count(name) > 1:
            raise ConflictError("two elements would have this name", object=name)


def convert_units(pages: Pages, kind: str, name: str, unit: str, before: str | None, factor: float) -> Pages:
    """Independent. Multiply a column or parameters of a name or pattern by a factor and set the unit.

    Raises ConflictError if the unit is not the one that was expected (`before`).
    """

    def check(one: Any) -> None:
        if before is not None and one.unit != before:
            raise ConflictError(f"the unit is '{one.unit}', not '{before}'", object=one.name)

    def converted(page: Page) -> StepLike:
        if kind == "parameter":
            found = [page.parameters[known] for known in required_names(name, page.parameters, kind)]
            for attribute in found:
                check(attribute)
            return page.with_attributes(
                parameter(one.name, *scaled(one.value, one.type, factor), new_unit(one, unit))
                for one in found
            )
        names = required_names(name, page.table, kind)
        table = page.table
        for one in names:
            check(table[one])
        columns = [scaled_column(table, one, factor, unit) if one in names
                   else NewColumn.like(table[one], reader(table, one)) for one in table]  # fmt: skip
        return page.with_table(MadeTable(columns, len(table), table.name))

    return pages.each_page(converted)


def new_unit(element: Any, unit: str) -> Texts:
    """Independent. Return the texts of an element with another unit."""
    return Texts(unit, element.symbol, element.description, element.display)


def scaled(value: Any, kind: str, factor: float) -> tuple[Any, str]:
    """Independent. Return a value multiplied by a factor, and its type; integers become float64."""
    if kind in TEXTS:
        raise ConflictError("texts have no unit to convert")
    made = np.multiply(value, factor)
    return made, kind if kind.startswith("float") else "float64"


def scaled_column(table: TableLike, name: str, factor: float, unit: str) -> NewColumn:
    """Independent. Return a column multiplied by a factor; integers become float64."""
    column = table[name]
    if column.type in TEXTS:
        raise ConflictError("texts have no unit to convert", object=name)
    kind = column.type if column.type.startswith("float") else "float64"
    return NewColumn(name, lambda: read_columns(table, [name])[name] * factor, new_unit(column, unit), kind)


def required_names(pattern: str, names: Iterable[str], what: str) -> list[str]:
    """Independent. Return the names that a pattern matches. Raises MissingError if there is none."""
    given = list(names)
    found = chosen([pattern], given) if is_pattern(pattern) else [one for one in given if one == pattern]
    if not found:
        raise MissingError(there_is_no(what, pattern, given))
    return found


def cast_element(pages: Pages, kind: str, new: str, old: str, type: str) -> Pages:
    """Independent. Make an element with the values of another in another type."""

    def made(page: Page) -> StepLike:
        if kind == "parameter":
            one = page.parameters[required_names(old, page.parameters, kind)[0]]
            value = as_type(np.array([one.value]), type, new)[0]
            return page.with_attributes([parameter(new, value, type, texts_of(one))])
        table = page.table
        column = table[required_names(old, table, kind)[0]]
        read = reader(table, old)
        added = NewColumn(new, lambda: as_type(read(), type, new), texts_of(column), type)
        return page.with_table(with_column(table, added))

    return pages.each_page(made)


def with_column(table: TableLike, column: NewColumn) -> MadeTable:
    """Independent. Return a table with another column, which replaces the one of its name."""
    columns = {one: NewColumn.like(table[one], reader(table, one)) for one in table}
    return MadeTable((columns | {column.name: column}).values(), len(table), table.name)


def describe(pages: Pages, title: str | None, contents: str | None = None) -> Pages:
    """Independent. Set the description of the file, and its contents."""
    known = pages.header
    return pages.with_header(
        Header(known.title if title is None else title, known.contents if contents is None else contents)
    )


def require_elements(pages: Pages, kind: str, names: Sequence[str], present: bool) -> Pages:
    """Independent. Raise an error unless all elements are present, or all absent."""

    def checked(page: Page) -> StepLike:
        of_kind = {"column": page.table.columns, "parameter": page.parameters, "array": page.arrays}[kind]
        for name in names:
            if (name in of_kind) != present:
                raise ConflictError(f"the {kind} is {'missing' if present else 'present'}", object=name)
        return page.step

    return pages.each_page(checked)


def keep_numbered(
    pages: Pages, first: int, last: int | None, keep: Sequence[int], remove: Sequence[int]
) -> Pages:
    """Independent. Keep the pages from `first` to `last`, of these those to keep, and not those to remove."""

    def kept(page: Page) -> StepLike | None:
        is_kept = first <= page.number <= (page.number if last is None else last)
        is_kept = is_kept and (not keep or page.number in keep) and page.number not in remove
        return page.step if is_kept else None

    return pages.each_page(kept)
