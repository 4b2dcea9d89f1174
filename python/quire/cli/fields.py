"""The options of all commands that show parts of fields, and the values as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from quire import Step
    from quire.toolkit.field_values import FieldRequest, FieldValues
    from quire.toolkit.wanted_units import WantedUnits

Slices = Annotated[
    list[str] | None,
    typer.Option("--slice", metavar="AXIS=PLACE", help="With --field: z=0 is a position, z=@5 a node."),
]
Sums = Annotated[
    list[str] | None, typer.Option("--sum", metavar="AXES", help="With --field: sum over these axes.")
]
Component = Annotated[
    int | None,
    typer.Option("--component", metavar="N", help="With --field: component, from 0. Default: the magnitude."),
]


def field_request(
    name: str, slices: list[str] | None, sums: list[str] | None, component: int | None
) -> tuple[str, FieldRequest]:
    """Return the name of a field and the part of it. Raises UsageError."""
    from quire.toolkit.field_values import FieldRequest, parse_slices
    from quire.toolkit.selection import parse_names

    return name, FieldRequest(parse_slices(slices), parse_names(sums) or (), component)


def field_of(step: Step, name: str, request: FieldRequest) -> FieldValues:
    """Read the part of the field of a step. Raises MissingError if the step has no such field."""
    from quire.toolkit.field_values import values_of
    from quire.toolkit.selection import select_names

    (found,) = select_names([name], list(step.fields), "field")[:1]
    return values_of(step.fields[found], request)


def numbers_of_field(found: FieldValues, units: WantedUnits) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    """Return headings and rows of a part of a field: the position on each axis, and the value."""
    import itertools

    from quire.toolkit.axes import heading

    places = itertools.product(*(units.convert(axis, axis.positions).tolist() for axis in found.axes))
    rows = zip(places, units.convert(found, found.values).ravel().tolist(), strict=True)
    heads = [heading(units.of(item)) for item in (*found.axes, found)]
    return heads, ((*place, value) for place, value in rows)
