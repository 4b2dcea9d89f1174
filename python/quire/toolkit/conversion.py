"""Definitions that convert the particles of a table to another phase-space convention, while a file is
copied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quire import units
from quire.beam.binding import attributes_of, number_of, units_of
from quire.beam.blocks import block_count
from quire.beam.conventions import (
    PHASE_SPACE,
    Convention,
    Formulae,
    convention_named,
    convention_names,
    recognise,
)
from quire.beam.formulae import ROW, BoundFormulae
from quire.beam.particles import ParticleTable
from quire.beam.passes import FirstPass, Passes
from quire.errors import DataError, Error, MissingError, UsageError
from quire.io.expression import Expression
from quire.toolkit.conventions import check_requirements
from quire.toolkit.definitions import Definition, define_command
from quire.toolkit.visible import TIMES
from quire.units import Scale

if TYPE_CHECKING:
    from quire.beam.request import BeamRequest
    from quire.io.table import Table

# A name that is no function, no part of a number and not quoted; or a quoted name.
NAME = re.compile(r"`([^`]*)`|(?<![\w.`])([^\W\d]\w*)(?!\w|\s*\()")

Texts = Mapping[str, str]

SPECIES = "species"
"""The value of an attribute that is the name of the species."""

ROW_0 = np.zeros(1, np.int64)
"""The number of the row for which constants are evaluated."""

TO_ONE_TIME: Formulae = {
    "flight": "c_light * (mean_t - t) / sqrt(1.0 + ux**2 + uy**2 + uz**2)",
    "x": "x + ux * flight",
    "y": "y + uy * flight",
    "z": ["z + uz * flight", "uz * flight"],
}
"""Particles as they are at their mean time if they move freely; without z they are at z = 0 at their
times.
"""

TO_ONE_PLACE: Formulae = {
    "distance": "mean_z - z",
    "x": "x + distance * (ux / uz)",
    "y": "y + distance * (uy / uz)",
    "flight": "distance * sqrt(1.0 + ux**2 + uy**2 + uz**2) / (c_light * uz)",
    "t": ["t + flight", "flight"],
}
"""Particles as they pass the plane of their mean z; without times they are at their places at t = 0."""


@dataclass(frozen=True)
class TargetAttribute:
    """An attribute of the table: an expression of what is known of the particles, its type and unit.

    The expression `species` is the name of the species. Others use the attributes of the convention, `mass`,
    `charge`, `mc`, the means `mean_x` ... `mean_uz`, and of the rows that are copied their number `particles`
    and `selected_charge`, the magnitude of their charge. With `keep` a table that has the convention already
    keeps its own value.
    """

    value: str
    type: str = "float64"
    unit: str = ""
    keep: bool = False


@dataclass(frozen=True)
class ConversionTarget:
    """What particles become: columns of a convention, in these types, and attributes.

    `table` is the name of the table, which precedes those of its attributes. With a `reference_row` the row
    of a reference particle precedes the particles: their mean, without charge.
    """

    convention: Convention
    types: Mapping[str, str] = field(default_factory=dict)
    table: str = ""
    attributes: Mapping[str, TargetAttribute] = field(default_factory=dict)
    reference_row: bool = False

    def name_of(self, attribute: str) -> str:
        """Independent. Return the name of an attribute of the table in a step."""
        return f"{self.table}/{attribute}" if self.table else attribute


@dataclass
class Conversion:
    """Definitions in order; those named in `columns` are columns of the target, with the text of their
    formula.

    The others are not copied. `condition` selects living particles. `notes` state what else changes, `losses`
    what the target cannot describe. `reference_row` precedes the rows, by the names of the columns.
    """

    definitions: list[Definition] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    attributes: list[str] = field(default_factory=list)
    condition: str = ""
    notes: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    reference_row: Mapping[str, float] = field(default_factory=dict)


def known_condition(table: Table, where: str | None) -> str | None:
    """Independent. Return a condition if it uses names of the table, None if it uses those of the target."""
    try:
        return None if where is None else table.where(where).condition.text
    except MissingError:
        return None


def is_convertible(table: Table, target: Convention) -> bool:
    """Independent. Return whether the columns of a table are those of a convention.

    If it is uncertain which, raises DataError, unless they can be those of the target.
    """
    found = units_of(table)
    try:
        recognise(found)
    except DataError:
        if target.fits(found) or not any(convention_named(name).fits(found) for name in convention_names()):
            return False
        raise
    return True


class Converter:
    """Makes the definitions for one table. If only a part of its rows is copied, no charge is stated."""

    def __init__(
        self, table: Table, wanted: ConversionTarget, request: BeamRequest, is_part: bool = False
    ) -> None:
        self.particles = ParticleTable(table, replace(request, where=known_condition(table, request.where)))
        self.is_any_condition_unknown = (request.where is None) != (self.particles.where is None)
        self.is_part = is_part
        self.wanted = wanted
        self.target = wanted.convention
        self.constants: Mapping[str, float] = self.particles.binding.constants
        self.result = Conversion()

    def convert(self) -> Conversion:
        """Independent. Return the definitions; no columns if the table has the convention already.

        Reads the particles if means or their weights are needed. Raises UsageError if a coordinate cannot be
        made.
        """
        source = self.particles.binding.convention
        # Rows that refer to the first one are made again if that may be left out.
        is_whole = not self.is_part or not source.to_first
        if source.coordinates != self.target.coordinates or not is_whole:
            self.require()
            self.make_columns(self.canonical())
        elif self.wanted.attributes:
            self.constants = {**self.constants, **self.means}
        self.make_attributes()
        return self.result

    def canonical(self) -> dict[str, str]:
        """Independent. Add the definitions of the canonical form, drift included; return their names."""
        binding = self.particles.binding
        given = {
            name: self.add(f"in {name}", scaled(binding.names[name], binding.scales[name]))
            for name in binding.names
        }
        canonical = self.add_all("canonical", binding.formulae, given, binding.constants)
        if "alive" in canonical:
            self.result.condition = f"{canonical['alive']} != 0.0"
        constants = {**binding.constants, **self.means}
        names = {name for one in self.target.from_.values() for name in names_of(one)}
        for wanted, known, texts, note in (
            ("z", "t", TO_ONE_TIME, "particles drift from one place to their mean time"),
            ("t", "z", TO_ONE_PLACE, "particles drift from one time to the plane of their mean z"),
        ):
            if wanted not in names or known not in canonical:
                continue
            if known in names:
                if wanted not in canonical:
                    canonical[wanted], constants[f"mean_{wanted}"] = self.add_constant(wanted)
            elif wanted not in canonical or not self.is_constant(known):
                moved = BoundFormulae(texts, canonical, constants)
                canonical = canonical | self.add_all("drifted", moved, canonical, constants)
                del canonical[known]  # it is where or when they are now
                constants.setdefault(f"mean_{wanted}", 0.0)
                self.result.notes.append(note)
        self.constants = constants
        return canonical

    def add_constant(self, name: str) -> tuple[str, float]:
        """Independent. Add the coordinate that all particles share; return its definition and value."""
        value, what = 0.0, "place"
        if name == "t":
            value, what = time_of(self.particles.table), "time"
        unit = {"z": "m", "t": "s"}[name]
        self.result.notes.append(f"particles are at one {what}, which is taken as {name} = {value:g} {unit}")
        return self.add(f"canonical {name}", repr(value)), value

    def require(self) -> None:
        """Independent. Raises ConflictError for particles that the target cannot describe."""
        if self.target.from_requires:
            for _, one in self.particles.blocks(0, block_count(self.particles.table)):
                if one is not None:
                    check_requirements(self.target, one.coordinates, self.particles.binding.constants)

    def make_columns(self, canonical: Texts) -> None:
        """Independent. Add the columns and attributes of the target, and report what it lacks."""
        reference = BoundFormulae(self.target.reference, [], self.constants)
        found = {name: float(one[0]) for name, one in reference.evaluate({}, ROW_0).items()}
        for name, value in found.items():
            if name in self.wanted.attributes:
                continue  # it is made with the others
            self.add_attribute(
                name, TargetAttribute(repr(value), "float64", self.target.attributes[name].unit)
            )
        self.constants = known = {**self.constants, **found}
        places: Texts = {}
        if self.wanted.reference_row:
            known = known | self.add_reference_row(canonical)
            places = {ROW: f"({ROW} + 1)"}
        formulae = BoundFormulae(self.target.from_, canonical, known)
        lacking = sorted(self.target.required - set(formulae.names))
        if lacking:
            raise UsageError(
                f"{self.target.name} needs {', '.join(lacking)}, which does not follow from the particles",
                file=self.particles.table._path,
                object=self.particles.table.name,
                advice=self.advice_of_charge(),
            )
        self.add_all("", formulae, {**canonical, **places}, known)
        used = {name for one in formulae.formulae for name in names_of(one.text)}
        for name in ("z", "t", "weight"):
            if name in canonical and name not in used and not self.is_kept(name):
                self.result.losses.append(name)

    def add_reference_row(self, canonical: Texts) -> dict[str, float]:
        """Independent. Add the row of the reference particle; return the constants of the first row."""
        mean = {name: np.array([self.constants.get(f"mean_{name}", 0.0)]) for name in PHASE_SPACE}
        mean = {name: value for name, value in mean.items() if name in canonical} | {"weight": np.zeros(1)}
        first = BoundFormulae(self.target.from_first, mean, self.constants).evaluate(mean, ROW_0)
        constants = {**self.constants, **{name: float(one[0]) for name, one in first.items()}}
        row = BoundFormulae(self.target.from_, mean, constants).evaluate(mean, ROW_0)
        columns = {name: row[name] for name in self.target.columns if name in row}
        # The sum has no negative zero.
        self.result.reference_row = {name: float(one[0]) + 0.0 for name, one in columns.items()}
        self.result.notes.append("the first row is a reference particle, the mean of all, without charge")
        return {name: float(one[0]) for name, one in first.items()}

    def make_attributes(self) -> None:
        """Independent. Add the attributes of the table that the target needs."""
        attributes = self.wanted.attributes
        if attributes and self.is_any_condition_unknown:
            raise UsageError(
                f"the condition uses columns that are made, so {', '.join(attributes)} cannot be stated",
                advice="write the condition with the columns of the source",
            )
        given = {} if self.result.columns else attributes_of(self.particles.table)
        for name, one in attributes.items():
            if one.keep and number_of(given, name):
                self.add_attribute(name, replace(one, value=repr(number_of(given, name))))
            elif one.value == SPECIES:
                self.add_attribute(name, replace(one, value=f"'{self.particles.species.name}'"))
            else:
                self.add_attribute(name, replace(one, value=self.number(name, one)))

    def number(self, name: str, one: TargetAttribute) -> str:
        """Independent. Return the value of an attribute. Raises UsageError if it is not known."""
        formula = BoundFormulae({name: one.value}, [], self.constants)
        if not formula.names:
            raise UsageError(
                f"{name} does not follow from the particles, whose charge is not known",
                file=self.particles.table._path,
                object=self.particles.table.name,
                advice=self.advice_of_charge(),
            )
        value = float(formula.evaluate({}, ROW_0)[name][0])
        return repr(value) if one.type.startswith("float") else repr(int(value))

    def advice_of_charge(self) -> str:
        """Independent. Return the command that adds the charge that the source lacks."""
        source, path = self.particles.binding.convention, self.particles.table._path
        used = names_of(source.to.get("weight", ()))
        if name := next((one for one in source.columns if one in used), ""):
            unit = source.columns[name].unit
            value = "1e-15" if unit else "1e6"
            command = define_command(path, name, unit, value, "--as", "column")
            return f"add a column of it, such as {value} {unit or 'particles'} in each row, by: {command}"
        if name := next((one for one in source.attributes if one in used), ""):
            unit = source.attributes[name].unit
            return (
                f"add it, such as 1e-10 {unit} for all rows, by: {define_command(path, name, unit, '1e-10')}"
            )
        return f"the convention {source.name} has none: choose one that has by convention=NAME"

    def add_attribute(self, name: str, one: TargetAttribute) -> None:
        """Independent. Add the definition of an attribute of the table, unless it has this value."""
        name = self.wanted.name_of(name)
        known = attributes_of(self.particles.table).get(name)
        made = Expression(one.value)
        if known is not None and known.type == one.type and np.array_equal(known.value, made()):
            return
        self.result.definitions.append(Definition(name, made, one.unit, one.type, kind="attribute"))
        self.result.attributes.append(name)

    def is_kept(self, name: str) -> bool:
        """Independent. Return whether a coordinate needs no column: equal weights and a stated charge."""
        if name == "weight":
            stated = any("total_charge" in names_of(text) for text in self.target.reference.values())
            if not stated or self.is_part:
                return False
        return self.is_constant(name)

    def is_constant(self, name: str) -> bool:
        """Independent. Return whether a coordinate or the weight is the same for all particles."""
        return len(set(self.limits(name))) == 1

    def limits(self, name: str) -> list[float]:
        """Independent. Return the least and the greatest value of a coordinate or the weight."""
        low, high = np.inf, -np.inf
        for _, one in self.particles.blocks(0, block_count(self.particles.table)):
            if one is not None and len(one):
                values = one.weight if name == "weight" else one.coordinates[name]
                low, high = min(low, float(values.min())), max(high, float(values.max()))
        return [low, high]

    @cached_property
    def means(self) -> dict[str, float]:
        """The means of the particles, their number and charge, if that is known."""
        first: FirstPass = Passes(self.particles).first()
        if first.moments is None:
            return dict.fromkeys(("mean_p", "mean_z", "mean_t", "particles", "selected_charge"), 0.0)
        known = ("p", *PHASE_SPACE)
        found = {f"mean_{name}": first.means[name] for name in known if name in first.means}
        found["particles"] = float(first.moments.count[0]) + (0 if self.result.condition else first.lost or 0)
        if self.particles.has_weights:
            charge = float(first.moments.weight[0]) * abs(self.particles.species.charge)
            found["selected_charge"] = charge
            if not self.is_part:
                found["total_charge"] = charge
        return found

    def message(self, name: str, unit: str, text: str) -> str:
        """Independent. Return how a column of the target is converted; empty if it is that of the source."""
        source = self.particles.table.columns.get(name)
        unchanged = {one.name for one in self.particles.binding.formulae.formulae if one.same_as == one.name}
        if text != name or name not in unchanged or self.result.notes or source is None:
            origin = self.particles.binding.convention.name
            return f"from the phase space of {origin} to that of {self.target.name}"
        type = self.wanted.types.get(name, "float64")
        return representation((source.unit, unit), (source.type, type))

    def add(self, name: str, text: str, unit: str | None = None) -> str:
        """Independent. Add a definition of a column, and return its quoted name."""
        type = "float64" if unit is None else self.wanted.types.get(name, "float64")
        self.result.definitions.append(Definition(name, Expression(text), unit or "", type, kind="column"))
        return f"`{name}`"

    def add_all(
        self, prefix: str, formulae: BoundFormulae, given: Texts, constants: Mapping[str, float]
    ) -> dict[str, str]:
        """Independent. Add the definitions of formulae, and return the quoted names of their results.

        Without a prefix results that are columns of the target get their names.
        """
        made: dict[str, str] = {}
        for one in formulae.formulae:
            text = renamed(one.text, {**made, **given}, constants)
            is_column = not prefix and one.name in self.target.columns
            name = one.name if is_column else f"{prefix or 'out'} {one.name}"
            unit = self.target.columns[one.name].unit if is_column else None
            made[one.name] = self.add(name, text, unit)
            if is_column:
                self.result.columns[name] = self.message(name, unit or "", one.text)
        return made


def time_of(table: Table) -> float:
    """Independent. Return the time of a table in s, from one of `TIMES` with a unit of time; else 0."""
    found = attributes_of(table)
    for name in TIMES:
        if number_of(found, name) and found[name].unit:
            try:
                return float(units.scale(found[name].unit, "s")(number_of(found, name)))
            except Error:
                continue
    return 0.0


def representation(units: tuple[str, str], types: tuple[str, str], factor: float = 1.0) -> str:
    """Independent. Return how unit and type of a column change; empty if they do not."""
    changes = []
    if units[0] != units[1]:
        before, after = (unit or "no unit" for unit in units)
        changes.append(f"from {before} to {after}" + ("" if factor == 1.0 else f", values times {factor:g}"))
    if types[0] != types[1]:
        changes.append(f"from {types[0]} to {types[1]}")
    return "; ".join(changes)


def scaled(name: str, scale: Scale) -> str:
    """Independent. Return the expression of a column as a number in the unit of a convention."""
    quoted = name.replace("`", "``")
    number = f'float(as_unit(`{quoted}`, ""))'
    if scale.factor == 1.0:
        return number
    return f"{number} {'/' if scale.divides else '*'} {scale.factor!r}"


def names_of(texts: str | Sequence[str]) -> set[str]:
    """Independent. Return the names in formulae."""
    return {a or b for text in ([texts] if isinstance(texts, str) else texts) for a, b in NAME.findall(text)}


def renamed(text: str, names: Texts, constants: Mapping[str, float]) -> str:
    """Independent. Return a formula with other names, and constants as numbers."""

    def replace(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name in names:
            return names[name]
        return f"({constants[name]!r})" if name in constants else found[0]

    return NAME.sub(replace, text)
