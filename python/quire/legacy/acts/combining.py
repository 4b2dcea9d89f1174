"""Combine files: pages one after another, or rows in one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from quire.errors import ConflictError
from quire.io.attributes import Attribute
from quire.io.types import Array, dtype_of
from quire.legacy.acts.equations import parameter
from quire.legacy.pages import TEXTS, Page, Pages, made_page
from quire.verbs.steplike import MadeTable, NewColumn, StepLike, alike, as_floats, read_columns, texts_of

FILE, COMBINED = "Filename", "NumberCombined"


@dataclass(frozen=True)
class Combining:
    """What `sddscombine` does with pages; `names` are those of the files."""

    names: Sequence[str] = ()
    merges: bool = False
    by: str = ""
    """A parameter: only runs of pages with equal values are merged."""
    sparse: int = 1


@dataclass
class Union:
    """The elements of all files: the first definition of each, and which files lack it."""

    columns: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Attribute] = field(default_factory=dict)
    lacking: dict[tuple[str, tuple[int, ...]], list[str]] = field(default_factory=dict)
    """The names that some files lack, by kind and the places of these files."""

    @classmethod
    def of(cls, files: Sequence[Pages]) -> Union:
        """Independent. Return the union, from the first page of each file. Raises ConflictError for different
        units, and for texts beside numbers.
        """
        found = [(place, next(file.pages(), None)) for place, file in enumerate(files)]
        firsts = [(place, page) for place, page in found if page is not None]
        made = cls(
            united(page.table.columns for _, page in firsts), united(page.parameters for _, page in firsts)
        )
        for kind, known, having in (
            ("column", made.columns, {place: page.table.columns for place, page in firsts}),
            ("parameter", made.parameters, {place: page.parameters for place, page in firsts}),
        ):
            for name, one in known.items():
                without = tuple(place for place, some in having.items() if name not in some)
                if without:
                    made.lacking.setdefault((kind, without), []).append(name)
                    known[name] = as_float(one)
        return made

    def warnings(self, count: int, names: Sequence[str]) -> list[str]:
        """Independent. Return what files lack, with the name of a single one."""
        made = []
        for (kind, places), missing in self.lacking.items():
            is_one = len(places) == 1 and bool(names)
            files = f"{names[places[0]]} lacks" if is_one else f"{len(places)} of {count} files lack"
            elements = f"{kind}{'s' * (len(missing) > 1)} {', '.join(missing)}"
            made.append(f"{files} the {elements}: NaN, or empty texts")
        return made

    def column(self, name: str, page: Page) -> NewColumn:
        """Independent. Return a column of a page; NaN or empty texts if it lacks it."""
        one = self.columns[name]
        table = page.table

        def values() -> Array:
            if name in table.columns:
                return cast_to(read_columns(table, [name])[name], one.type, name)
            return np.full(len(table), "" if one.type in TEXTS else np.nan, dtype_of(one.type))

        return NewColumn(name, values, texts_of(one), one.type)

    def parameter(self, name: str, page: Page) -> Attribute:
        """Independent. Return a parameter of a page; NaN or an empty text if it lacks it."""
        one = self.parameters[name]
        if name not in page.parameters:
            return parameter(name, "" if one.type in TEXTS else np.float64(np.nan), one.type, texts_of(one))
        value = page.parameters[name].value
        if one.type in TEXTS:
            return parameter(name, value, one.type, texts_of(one))
        found = np.array([value], dtype_of(page.parameters[name].type))
        return parameter(name, cast_to(found, one.type, name)[0], one.type, texts_of(one))


def united(files: Iterable[Mapping[str, Any]]) -> dict[str, Attribute]:
    """Independent. Return the definitions of all elements. Raises ConflictError."""
    known: dict[str, Attribute] = {}
    for some in files:
        for name, one in some.items():
            known[name] = joined(known[name], one) if name in known else described(one)
    return known


def as_float(one: Attribute) -> Attribute:
    """Independent. Return the definition of what some files lack: integers have no NaN."""
    if one.type in TEXTS or one.type.startswith("float"):
        return one
    return replace(one, type="float64", display="")


def described(one: Any) -> Attribute:
    """Independent. Return the definition of an element."""
    return Attribute(one.name, None, one.type, one.unit, one.symbol, one.description, one.display)


def joined(known: Attribute, one: Any) -> Attribute:
    """Independent. Return the definition for two elements of one name. Raises ConflictError."""
    if known.unit and one.unit and known.unit != one.unit:
        raise ConflictError(
            f"the unit is '{known.unit}' in one file and '{one.unit}' in another", object=one.name
        )
    if (known.type in TEXTS) != (one.type in TEXTS):
        raise ConflictError("it is text in one file and a number in another", object=one.name)
    if known.type == one.type or known.type in TEXTS:
        return known
    kinds = alike([np.empty(0, dtype_of(known.type)), np.empty(0, dtype_of(one.type))], one.name)
    from quire.io.types import type_of

    return replace(known, type=type_of(kinds[0].dtype, one.name), unit=known.unit or one.unit)


def cast_to(values: Array, kind: str, name: str) -> Array:
    """Independent. Return numbers in a wider type. Raises TypeMismatchError where one would be rounded."""
    wanted = dtype_of(kind)
    if wanted.kind == "f" and values.dtype.kind in "iu":
        return as_floats(values, name, wanted)
    return values.astype(wanted, copy=False)


def combine(pages: Pages, *given: Any) -> Pages:
    """Independent. Return the pages of several files one after another, or their rows in one page."""
    others, request = given if len(given) > 1 else ([], given[0])
    files = [pages, *others]

    def all_pages(_: Iterator[StepLike]) -> Iterator[StepLike]:
        union = Union.of(files)
        warnings = union.warnings(len(files), request.names)
        for place, file in enumerate(files):
            for page in file.pages():
                names = [name for name in union.parameters if name not in (FILE, COMBINED)]
                attributes = [union.parameter(name, page) for name in names]
                attributes += list(page.step.attrs.info[name] for name in page.arrays
                                   if name in page.step.attrs.info)  # fmt: skip
                if request.names:
                    attributes.append(parameter(FILE, Path(request.names[place]).name, "string"))
                attributes.append(parameter(COMBINED, len(files), "int32"))
                table = MadeTable([union.column(name, page) for name in union.columns], len(page.table))
                made = made_page(page, sparse(table, request.sparse), attributes)
                made.warnings.extend(warnings)
                yield made

    made = pages.through(all_pages)
    return merge(made, request.by) if request.merges else made


def sparse(table: MadeTable, interval: int) -> MadeTable:
    """Independent. Return every n-th row of a table."""
    from quire.verbs.steplike import taken

    return table if interval == 1 else taken(table, np.arange(0, len(table), interval))


def merge(pages: Pages, by: str = "") -> Pages:
    """Independent. Join the rows of all pages, or of runs of pages with an equal parameter.

    Parameters are those of the first page of a run.
    """

    def runs(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        waiting: list[Page] = []
        number = 1
        for page in Pages(pages._file, lambda: steps).pages():
            if waiting and by and page.step.attrs[by] != waiting[0].step.attrs[by]:
                yield merged(waiting, number)
                waiting, number = [], number + 1
            waiting.append(page)
        if waiting:
            yield merged(waiting, number)

    return pages.through(runs)


def merged(pages: Sequence[Page], number: int) -> StepLike:
    """Independent. Return several pages with equal columns as one."""
    first = pages[0]

    def reader(name: str) -> Any:
        return lambda: np.concatenate([read_columns(page.table, [name])[name] for page in pages])

    columns = [NewColumn.like(first.table[name], reader(name)) for name in first.table]
    table = MadeTable(columns, sum(len(page.table) for page in pages), first.table.name)
    parameters = [one for name, one in first.step.attrs.info.items() if name != FILE]
    return made_page(Page(first.step, table, number), table, parameters)
