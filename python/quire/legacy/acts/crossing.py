"""Add columns and parameters of another file to the pages: specs/sdds-toolkit.md, section 6.4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from quire.errors import ConflictError, MissingError, TypeMismatchError
from quire.io.types import Array, dtype_of
from quire.legacy.edits import edited
from quire.legacy.pages import TEXTS, Page, Pages, made_page
from quire.legacy.patterns import chosen, matches, required
from quire.near import there_is_no
from quire.verbs.steplike import MadeTable, NewColumn, StepLike, alike, read_columns, taken

NONE: Final = -1
"""The partner of a row that has none."""


@dataclass(frozen=True)
class Crossing:
    """How rows of two files belong together, and what is taken of the second one.

    how : match (equal texts), wild (texts that patterns of the second file match), equate (equal numbers), or
        nothing, for row by row
    key, other : columns of the first and the second file
    take, leave, replace, transfer : patterns; take None is all
    """

    how: str = ""
    key: str = ""
    other: str = ""
    reuses_rows: bool = False
    reuses_page: bool = False
    fills: bool = False
    take: Sequence[str] | None = None
    leave: Sequence[str] = ()
    replace: Mapping[str, Sequence[str]] = field(default_factory=dict)
    transfer: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rename: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    edits: Sequence[tuple[str, str, str]] = ()
    """Kind, pattern and command of new names."""

    def new_name(self, kind: str, name: str) -> str:
        """Independent. Return the name of an element that is taken."""
        made = self.rename.get(kind, {}).get(name, name)
        for of_kind, pattern, command in self.edits:
            if of_kind == kind and matches(made, pattern):
                made = edited(command, made)
        return made

    def partners(self, left: Page, right: Page) -> Array:
        """Independent. Return for each row the number of its partner, or NONE."""
        count = len(left.table)
        if not self.how:
            rows = np.arange(count)
            return np.where(rows < len(right.table), rows, NONE)
        mine = key_values(left, self.key, self.how)
        others = key_values(right, self.other, self.how)
        if self.how == "wild":
            return self.first_unused(
                [
                    [row for row, pattern in enumerate(others) if matches(str(one), str(pattern))]
                    for one in mine
                ]
            )
        if self.how == "equate":
            mine, others = (one.tolist() for one in alike([mine, others], self.key))
        places: dict[Any, list[int]] = {}
        for row, value in enumerate(others):
            places.setdefault(value, []).append(row)
        return self.first_unused([places.get(value, []) for value in mine])

    def first_unused(self, candidates: Sequence[Sequence[int]]) -> Array:
        """Independent. Return for each row the first candidate that no row before has, or with reuse the
        first one.
        """
        used: set[int] = set()
        begins: dict[int, int] = {}
        partners = np.full(len(candidates), NONE)
        for row, some in enumerate(candidates):
            place = 0 if self.reuses_rows else begins.get(id(some), 0)
            while place < len(some) and not self.reuses_rows and some[place] in used:
                place += 1
            begins[id(some)] = place
            if place < len(some):
                partners[row] = some[place]
                used.add(some[place])
        return partners

    def columns(self, left: Page, right: Page) -> dict[str, str]:
        """Independent. Return the columns that are taken, and their new names. Existing ones are not, unless
        they are replaced.
        """
        present = list(right.table)
        names = present if self.take is None else required(self.take, present, "column")
        left_out = chosen(self.leave, present)
        replaced = required(self.replace.get("column", ()), present, "column")
        found = [
            name for name in dict.fromkeys([*names, *replaced]) if name not in left_out or name in replaced
        ]
        made = {name: self.new_name("column", name) for name in found}
        kept = {name: new for name, new in made.items() if new not in left.table.columns or name in replaced}
        for name in kept.values():
            if list(kept.values()).count(name) > 1:
                raise ConflictError("two columns would have this name", object=name)
        return kept


def key_values(page: Page, name: str, how: str) -> Any:
    """Independent. Return the values of a key. Raises TypeMismatchError for numbers to match, and texts to
    equate.
    """
    if name not in page.table.columns:
        raise MissingError(there_is_no("column", name, list(page.table)))
    is_text = page.table[name].type in TEXTS
    if is_text != (how != "equate"):
        raise TypeMismatchError(
            "texts are matched, numbers are equated: this is " + ("a text" if is_text else "a number"),
            object=name,
        )
    return page.columns([name])[name]


def cross(pages: Pages, others: Sequence[Pages], crossing: Crossing) -> Pages:
    """Independent. Add what is taken of other files, one after another, page by page."""
    for other in others:
        pages = crossed(pages, other, crossing)
    return pages


def crossed(pages: Pages, other: Pages, crossing: Crossing) -> Pages:
    """Independent. Add what is taken of one file."""

    def joined(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        partners = other.pages()
        mate = next(partners, None)
        for place, page in enumerate(Pages(pages._file, lambda: steps).pages()):
            if place and not crossing.reuses_page:
                mate = next(partners, None)
            if mate is None:
                raise ConflictError(
                    f"the other file has only {place} pages", advice="-reuse=page takes the first for all"
                )
            yield with_partner(page, mate, crossing)

    return pages.through(joined)


def with_partner(page: Page, mate: Page, crossing: Crossing) -> StepLike:
    """Independent. Return a page with the columns and parameters of its partner."""
    columns = crossing.columns(page, mate)
    table = page.table
    missing = filled = 0
    if columns or crossing.how:
        partners = crossing.partners(page, mate)
        has = partners >= 0
        missing, filled = (0, int(np.sum(~has))) if crossing.fills else (int(np.sum(~has)), 0)
        rows = np.arange(len(table)) if crossing.fills else np.flatnonzero(has)
        mine = taken(table, rows)
        kept = {name: mine[name] for name in mine}
        new = {name: taken_column(mate, old, name, partners[rows]) for old, name in columns.items()}
        table = MadeTable((kept | new).values(), len(rows), table.name)
    made = made_page(page, table, attributes(page, mate, crossing))
    if missing:
        made.warnings.append(f"{missing} rows have no partner and are left out (page {page.number})")
    if filled:
        made.warnings.append(f"{filled} rows have no partner and are filled with 0 (page {page.number})")
    return made


def taken_column(mate: Page, old: str, new: str, partners: Array) -> NewColumn:
    """Independent. Return the values of the partners; 0 or an empty text without one."""
    column = mate.table[old]

    def values() -> Array:
        found = read_columns(mate.table, [old])[old]
        empty = "" if column.type in TEXTS else 0
        made = np.full(len(partners), empty, dtype_of(column.type))
        has = partners >= 0
        made[has] = found[partners[has]]
        return made

    return NewColumn.like(column, values, new)


def attributes(page: Page, mate: Page, crossing: Crossing) -> list[Any]:
    """Independent. Return the attributes of a page, and those that are transferred; existing ones stay unless
    they are replaced.
    """
    from dataclasses import replace

    found = dict(page.step.attrs.info)
    several = {name: one for name, one in mate.step.attrs.info.items() if name in mate.arrays}
    for kind, known in (("parameter", mate.parameters), ("array", several)):
        replaced = required(crossing.replace.get(kind, ()), list(known), kind)
        wanted = [*required(crossing.transfer.get(kind, ()), list(known), kind), *replaced]
        for name in dict.fromkeys(wanted):
            new = crossing.new_name(kind, name)
            if new not in found or name in replaced:
                found[new] = replace(known[name], name=new)
    return list(found.values())
