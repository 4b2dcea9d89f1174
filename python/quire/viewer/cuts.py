"""Conditions of rows, which are written in the units of the file that is shown first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quire.errors import Error
from quire.io.expression import Expression
from quire.viewer.common_units import CommonUnits
from quire.viewer.jobs import Job, WatchedStep

if TYPE_CHECKING:
    from quire.units import Scale
    from quire.viewer.asked import Asked
    from quire.viewer.library import Library

TOKENS: Final = re.compile(
    r"""(?P<text>"[^"]*"|'[^']*')|(?P<number>\d[\w.]*(?:(?<=[eE])[+-]\d+)?)"""
    r"""|(?P<at>@?)(?:`(?P<quoted>(?:[^`]|``)*)`|(?P<name>[^\W\d]\w*)(?!\w|\s*\())"""
)
"""What a condition is made of, as far as its names are concerned: names of functions are none."""


def cut_of(library: Library, asked: Asked, file: int, step: Any) -> str | None:
    """Independent. Return the condition that selects the rows of a step of a file, None for all rows.

    It is written in the units of the file that is asked for first. Names whose unit differs in this file are
    converted. Raises ConflictError for those of another dimension.
    """
    where = asked.text("where") or None
    first, number = asked.units_of()
    if where is None or first == file:
        return where
    table = asked.text("table")
    try:
        with library.source(first).opened() as (opened, kept):
            units = kept.found(("units", number, table), lambda: units_of(opened.step(number), table))
    except (Error, OSError):  # it is reported where it is shown
        return where
    return converted(where, units, units_of(step, table), library.source(file).label)


@dataclass(frozen=True)
class WrongCut:
    """A cut of several that apply together: its place among them, and what is wrong with it."""

    place: int
    problem: Error


def wrong_cut(library: Library, asked: Asked) -> WrongCut | None:
    """Independent. Return the first wrong one of several cuts, None if there is none.

    Each is checked alone, so that the error has the place in its own text. The condition of all is checked
    where it is used: errors of the file are reported there as well.
    """
    cuts = asked.texts("cuts")
    if len(cuts) < 2:
        return None
    try:
        file, number = asked.units_of()
        with library.source(file).opened() as (opened, _):
            step = WatchedStep(opened.step(number), Job())
            name = asked.text("table")
            table = step.tables[name] if name else step.table
            for place, cut in enumerate(cuts):
                try:
                    table.where(cut)
                except Error as problem:
                    return WrongCut(place, problem)
    except (Error, OSError):
        pass
    return None


def units_of(step: Any, table: str) -> dict[str, str]:
    """Independent. Return the units of the attributes of a step and of the columns of a table, by name.

    Those of attributes have also the name with @, which means the attribute if a column has the same name.
    """
    tables = step.tables
    columns = tables[table].columns if table else next(iter(tables.values())).columns if tables else {}
    attributes = {name: item.unit for name, item in step.attrs.info.items()}
    of_columns = {name: item.unit for name, item in columns.items()}
    return {**attributes, **{f"@{name}": unit for name, unit in attributes.items()}, **of_columns}


def converted(where: str, first: Mapping[str, str], own: Mapping[str, str], label: str) -> str:
    """Independent. Return a condition in the units of the first file as one in those of another file.

    >>> from quire.viewer.cuts import converted
    >>> converted("abs(x) < 2", {"x": "mm"}, {"x": "m"}, "run.h5")
    'abs((x * 1000.0)) < 2'
    """
    expression = Expression(where, reads_others=False)
    written = dict.fromkeys(map(name_of, TOKENS.finditer(expression.normal_form)))
    names = [name for name in written if name in first and name in own]
    if all(first[name] == own[name] for name in names):
        return where
    common = CommonUnits(dict(first))
    scales = common.scales([{"name": name, "unit": own[name]} for name in names], label)
    terms = {name: scale for name, scale in zip(names, scales, strict=True) if scale.factor != 1.0}
    return TOKENS.sub(lambda found: in_unit(found, terms), expression.normal_form)


def in_unit(found: re.Match[str], scales: Mapping[str, Scale]) -> str:
    """Independent. Return a part of a condition, and that of a name with its conversion."""
    scale = scales.get(name_of(found))
    if scale is None:
        return found[0]
    return f"({found[0]} {'/' if scale.divides else '*'} {scale.factor!r})"


def name_of(found: re.Match[str]) -> str:
    """Independent. Return the name that a part of a condition is, that of an attribute with its @."""
    name = (found["quoted"] or "").replace("``", "`") or found["name"]
    return f"{found['at']}{name}" if name else ""
