"""The contents of a file as dictionaries: the output of `quire info --json`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import UNREADABLE, Error
from quire.toolkit.selection import StepSelection, select_steps

if TYPE_CHECKING:
    from quire import Attribute, Column, Field, File, Step, Table


def plain(value: Any) -> Any:
    """Independent. Return a value for JSON: lists, numbers, texts.

    Numbers that JSON does not support are converted to texts: "nan", "inf", "-inf", and longdouble to its
    shortest exact digits.
    """
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.longdouble):
        return np.format_float_scientific(value, unique=True, trim="-") if np.isfinite(value) else str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def flat(value: Any) -> list[Any]:
    """Independent. The single values of a scalar or of an array of any shape, the last axis fastest."""
    return list(value.ravel()) if isinstance(value, np.ndarray) else [value]


def quantity(item: Attribute | Column | Field) -> dict[str, Any]:
    """Independent. Name, type and texts of an attribute, column or field."""
    return {
        "name": item.name,
        "type": item.type,
        "unit": item.unit,
        "symbol": item.symbol,
        "description": item.description,
        "display": item.display,
    }


def attributes(items: Mapping[str, Attribute]) -> list[dict[str, Any]]:
    """Independent. Attributes with their values, in the order of the file."""
    return [quantity(item) | {"value": plain(item.value)} for item in items.values()]


def expansion(item: Table) -> dict[str, Any] | None:
    """Independent. What the rows of a table are coefficients of; nothing for other tables."""
    found = getattr(item, "expansion", None)  # a table with definitions has none
    if found is None:
        return None
    lists = ("basis", "modes", "lengths", "y_ids", "z_ids", "strip_ids")
    others = ("shape", "strips", "points", "point_counts")
    return {name: getattr(found, name) for name in others} | {
        name: list(getattr(found, name)) for name in lists
    }


def table(item: Table) -> dict[str, Any]:
    """Independent. A table: name, rows, columns, and what these are coefficients of.

    `zones` is the table with the limits of blocks of its rows; empty if there is none.
    """
    return {
        "name": item.name,
        "rows": len(item),
        "zones": getattr(item, "zones", ""),
        "columns": [quantity(column) for column in item.columns.values()],
        "expansion": expansion(item),
    }


def field(item: Field) -> dict[str, Any]:
    """Independent. A field: quantity, extents, components, group, attributes, where its elements lie."""
    axes = item.coordinates
    return quantity(item) | {
        "extents": [int(extent) for extent in item.extents],
        "components": item.components,
        "group": item.group,
        "attributes": attributes(item.attrs.info),
        "origin": None if item.origin is None else list(item.origin),
        "spacing": None if item.spacing is None else list(item.spacing),
        "coordinates": None if axes is None else [None if axis is None else axis.tolist() for axis in axes],
    }


def step(index: int, item: Step) -> dict[str, Any]:
    """Independent. A step: its place in the file, number, attributes, tables, fields, warnings."""
    return {
        "index": index,
        "number": item.number,
        "attributes": attributes(item.attrs.info),
        "tables": [table(one) for one in item.tables.values()],
        "fields": [field(one) for one in item.fields.values()],
        "streams": len(item.streams),
        "warnings": list(item.warnings),
    }


def declared(file: File) -> dict[str, Any] | None:
    """Independent. What a file says of all its steps apart from them; values are None."""
    if file.declared is None:
        return None
    known = step(0, file.declared)
    return {kind: known[kind] for kind in ("attributes", "tables", "fields")}


def damage(problem: Error) -> dict[str, Any]:
    """Independent. An error that a file causes: kind, message, place and advice."""
    return {
        "kind": problem.kind,
        "message": problem.message,
        "object": problem.object or None,
        "offset": problem.offset,
        "advice": problem.advice or None,
    }


class Summary:
    """The contents of a file, one step at a time, since a file may have millions of steps.

    Damage after the whole steps is not raised: it is in `damage`, and that of single steps, with their
    numbers, in `damaged`.
    """

    def __init__(self, file: File, selection: StepSelection | None = None) -> None:
        self.file = file
        self.selection = selection
        self.problem: Error | None = None
        self.has_steps = False
        self.text = ""
        """The title of the beam in text of which the file was made, if it was."""

    def head(self) -> dict[str, Any]:
        """Independent. Everything about the file but its steps and warnings."""
        file = self.file
        return {
            "path": str(file.path),
            "format": self.text or file.format,
            "title": file.title,
            "contents": file.contents,
            "layout": dict(file.layout),
            "attributes": attributes(file.attrs.info),
            "attachments": [{"name": name, "bytes": size} for name, size in file.attachments.items()],
        }

    def steps(self) -> Iterator[dict[str, Any]]:
        """Collective. Everything about the selected steps but the values of columns."""
        try:
            for index, item in select_steps(self.file, self.selection):
                self.has_steps = True
                yield step(index, item)
        except UNREADABLE as raised:
            self.problem = raised

    def declared(self) -> dict[str, Any] | None:
        """Independent. If no step was found: what the file says of its steps all the same."""
        return None if self.has_steps else declared(self.file)

    def warnings(self) -> list[str]:
        """Independent. The warnings about the file; after the last step also why the data end."""
        return list(self.file.warnings)

    def damage(self) -> dict[str, Any] | None:
        """Independent. After the last step: the first damage, or None."""
        problem = self.problem or next(iter(self.file.unreadable.values()), None)
        return None if problem is None else damage(problem)

    def damaged(self) -> list[dict[str, Any]]:
        """Independent. After the last step: the damage of single steps."""
        return [{"number": number} | damage(one) for number, one in self.file.unreadable.items()]
