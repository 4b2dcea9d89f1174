"""Phase-space conventions: which columns contain the particles of a beam, in which units and signs.

Conventions are data, in the folder `conventions`. Each has formulae to and from one canonical form in SI
units: `x`, `y`, `z`, `t`, the momentum over m c `ux`, `uy`, `uz`, and `weight`, the number of real particles
of a row.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

from quire import units
from quire.errors import ConflictError, DataError, UsageError
from quire.near import there_is_no

SUFFIX: Final = ".toml"

PHASE_SPACE: Final = ("x", "y", "z", "t", "ux", "uy", "uz")

Formulae = Mapping[str, str | Sequence[str]]
"""Expressions by the name of their result, in the order of evaluation. Of several the first whose names
exist.
"""


@dataclass(frozen=True)
class ConventionColumn:
    """A column: the unit in which the formulae use it and in which it is written.

    Another unit of the same dimension is converted, a missing one is taken for this one. With `needs_unit` a
    table is only recognised if the column has a unit. `alias` is another name that is read.
    """

    unit: str
    optional: bool = False
    needs_unit: bool = False
    alias: str = ""


@dataclass(frozen=True)
class ConventionAttribute:
    """An attribute of the step or the file, with its unit and the value if it is missing."""

    unit: str
    default: float | None = None


@dataclass(frozen=True)
class StoredQuantity:
    """Where programs store a quantity of the beam: an attribute of the step, one of its elements if it is an
    array. With `is_magnitude` its sign is that of the charge, which the quantity does not have.
    """

    attribute: str
    element: int | None = None
    is_magnitude: bool = False

    @property
    def place(self) -> str:
        """The attribute with its element, as expressions write it."""
        return self.attribute if self.element is None else f"{self.attribute}[{self.element}]"


@dataclass(frozen=True)
class Convention:
    """A phase-space convention.

    `to` are the formulae of the canonical form, `from_` those of the columns, `to_first` and `from_first`
    values of the first row, which they use. `from_requires` are conditions on the canonical form with the
    reason. `reference` are formulae of attributes that a new file needs, from the means `mean_p`, `mean_z`,
    `mean_t`. `stored` are the quantities of the beam that programs store as attributes of steps.
    """

    name: str
    title: str
    columns: Mapping[str, ConventionColumn]
    to: Formulae
    from_: Formulae
    species: str = ""
    attributes: Mapping[str, ConventionAttribute] = field(default_factory=dict)
    to_first: Formulae = field(default_factory=dict)
    from_first: Formulae = field(default_factory=dict)
    from_requires: Mapping[str, str] = field(default_factory=dict)
    reference: Formulae = field(default_factory=dict)
    stored: Mapping[str, StoredQuantity] = field(default_factory=dict)

    @property
    def required(self) -> frozenset[str]:
        """The columns that a table must have."""
        return frozenset(name for name, column in self.columns.items() if not column.optional)

    def names_in(self, found: Collection[str]) -> dict[str, str]:
        """Independent. Return the names that the columns of the convention have in a table."""
        names = ((name, name if name in found else column.alias) for name, column in self.columns.items())
        return {name: actual for name, actual in names if actual in found}

    def fits(self, found: Collection[str]) -> bool:
        """Independent. Return whether a table has the columns that are required."""
        return self.required <= self.names_in(found).keys()

    @property
    def coordinates(self) -> dict[str, str | Sequence[str]]:
        """The formulae of the phase space, which two conventions may share."""
        kept = (
            *PHASE_SPACE,
            *(name for name in self.to if name not in ("weight", "mass", "charge", "alive")),
        )
        return {name: self.to[name] for name in kept if name in self.to}

    def contradiction(self, found: Mapping[str, str]) -> str:
        """Independent. Return why the units of a table are not those of the convention; empty if they can
        be.
        """
        for name, actual in self.names_in(found).items():
            try:
                units.scale(found[actual] or self.columns[name].unit, self.columns[name].unit)
            except (ConflictError, UsageError) as problem:
                return f"column {actual}: {problem.message}"
        return ""

    def lacking_units(self, found: Mapping[str, str]) -> list[str]:
        """Independent. Return the columns without a unit that are not recognised without one."""
        actual = self.names_in(found)
        return [actual[name] for name in actual if self.columns[name].needs_unit and not found[actual[name]]]


def convention_names() -> list[str]:
    """Independent. Return the names of the conventions."""
    folder = resources.files("quire") / "conventions"
    return sorted(item.name.removesuffix(SUFFIX) for item in folder.iterdir() if item.name.endswith(SUFFIX))


@cache
def convention_named(name: str) -> Convention:
    """Independent. Return a convention. Raises UsageError that lists the names."""
    if name not in convention_names():
        raise UsageError(there_is_no("convention", name, convention_names()))
    text = (resources.files("quire") / "conventions" / f"{name}{SUFFIX}").read_text(encoding="utf-8")
    content: dict[str, Any] = tomllib.loads(text)
    columns = {one: ConventionColumn(**described) for one, described in content.pop("columns").items()}
    attributes = {
        one: ConventionAttribute(**described) for one, described in content.pop("attributes", {}).items()
    }
    stored = {one: StoredQuantity(**described) for one, described in content.pop("stored", {}).items()}
    content["from_"] = content.pop("from")
    return Convention(name=name, columns=columns, attributes=attributes, stored=stored, **content)


def recognise(found: Mapping[str, str]) -> Convention:
    """Independent. Return the convention of a table, from the names of its columns with their units.

    Nothing is guessed: raises DataError that names the candidates if there are several, or if columns lack
    the units that distinguish them.
    """
    named = [one for one in map(convention_named, convention_names()) if one.fits(found)]
    reasons = {one.name: one.contradiction(found) for one in named}
    possible = [one for one in named if not reasons[one.name]]
    if not possible:
        contradictions = "; ".join(f"not {name}: {reason}" for name, reason in reasons.items())
        raise DataError(
            "the columns are those of no phase-space convention"
            + (f" ({contradictions})" if reasons else ""),
            advice=nearest(found),
        )
    certain = most_specific([one for one in possible if not one.lacking_units(found)])
    if certain and all(one.coordinates == certain[0].coordinates for one in certain):
        return certain[0]
    lacking = sorted({name for one in possible for name in one.lacking_units(found)})
    why = "the columns fit several of them" if certain else f"columns {', '.join(lacking)} have no unit"
    raise DataError(
        f"the phase-space convention is not certain: {why}; "
        f"candidates are {', '.join(one.name for one in certain or possible)}",
        advice="choose one by convention=NAME",
    )


def nearest(found: Collection[str]) -> str:
    """Independent. Return the names of the conventions, and what the table lacks for the one of which it has
    most columns, or for any.
    """
    known = f"the conventions are {', '.join(convention_names())}"
    one = max(
        map(convention_named, convention_names()),
        key=lambda one: len(one.names_in(found).keys() & one.required),
    )
    lacking = one.required - one.names_in(found).keys()
    if 2 * len(lacking) > len(one.required):
        return f"{known}; a beam has a row for each particle, and columns such as x, y, z, px, py, pz"
    columns = ", ".join(
        f"{name} [{one.columns[name].unit or '1'}]"
        for name in one.columns
        if name in (lacking or one.required)
    )
    return f"{known}; the nearest is {one.name}{', which also needs' if lacking else ':'} {columns}"


def most_specific(found: Iterable[Convention]) -> list[Convention]:
    """Independent. Return the conventions whose columns are no part of those of another one."""
    given = list(found)
    return [one for one in given if not any(one.required < other.required for other in given)]
