"""Definitions that convert the particles of a table to another phase-space convention, while a file is
copied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from quire.beam.binding import units_of
from quire.beam.blocks import block_count
from quire.beam.conventions import Convention, convention_named, convention_names, recognise
from quire.beam.formulae import BoundFormulae
from quire.beam.particles import ParticleTable
from quire.beam.passes import FirstPass, Passes
from quire.errors import MissingError, UsageError
from quire.io.expression import Expression
from quire.toolkit.conventions import check_requirements
from quire.toolkit.definitions import Definition
from quire.units import Scale

if TYPE_CHECKING:
    from quire.beam.request import BeamRequest
    from quire.io.table import Table

# A name that is no function, no part of a number and not quoted; or a quoted name.
NAME = re.compile(r"`([^`]*)`|(?<![\w.`])([^\W\d]\w*)(?!\w|\s*\()")

Texts = Mapping[str, str]

TO_ONE_TIME: Texts = {
    "flight": "c_light * (mean_t - t) / sqrt(1.0 + ux**2 + uy**2 + uz**2)",
    "x": "x + ux * flight",
    "y": "y + uy * flight",
    "z": "uz * flight",
}
"""Particles at one place, z = 0, as they are at their mean time if they move freely."""

TO_ONE_PLACE: Texts = {
    "distance": "mean_z - z",
    "x": "x + distance * (ux / uz)",
    "y": "y + distance * (uy / uz)",
    "t": "distance * sqrt(1.0 + ux**2 + uy**2 + uz**2) / (c_light * uz)",
}
"""Particles at one time, t = 0, as they pass the plane of their mean z."""


@dataclass
class Conversion:
    """Definitions in order; those named in `columns` are columns of the target, with the text of their
    formula.

    The others are not copied. `condition` selects living particles. `notes` state what else changes, `losses`
    what the target cannot describe.
    """

    definitions: list[Definition] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    attributes: list[str] = field(default_factory=list)
    condition: str = ""
    notes: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)


def known_condition(table: Table, where: str | None) -> str | None:
    """Independent. Return a condition if it uses names of the table, None if it uses those of the target."""
    try:
        return None if where is None else table.where(where).condition.text
    except MissingError:
        return None


def is_convertible(table: Table, target: Convention) -> bool:
    """Independent. Return whether the columns of a table are those of a convention.

    If it is uncertain which, raises UsageError, unless they can be those of the target.
    """
    found = units_of(table)
    try:
        recognise(found)
    except UsageError:
        if target.fits(found) or not any(convention_named(name).fits(found) for name in convention_names()):
            return False
        raise
    return True


class Converter:
    """Makes the definitions for one table. If only a part of its rows is copied, no charge is stated."""

    def __init__(self, table: Table, target: Convention, request: BeamRequest, is_part: bool = False) -> None:
        self.particles = ParticleTable(table, replace(request, where=known_condition(table, request.where)))
        self.is_part = is_part
        self.target = target
        self.result = Conversion()

    def convert(self) -> Conversion:
        """Independent. Return the definitions, or no columns if the table has the convention already.

        Reads the particles if means or their weights are needed. Raises UsageError if a coordinate cannot be
        made.
        """
        binding = self.particles.binding
        source = binding.convention
        if source.coordinates == self.target.coordinates:
            return self.result
        self.require()
        given = {
            name: self.add(f"in {name}", scaled(binding.names[name], binding.scales[name]))
            for name in binding.names
        }
        canonical = self.add_all("canonical", binding.formulae, given, binding.constants)
        if "alive" in canonical:
            self.result.condition = f"{canonical['alive']} != 0.0"
        means = self.means()
        constants = {**binding.constants, **means}
        names = {name for one in self.target.from_.values() for name in names_of(one)}
        for wanted, known, texts, note in (
            ("z", "t", TO_ONE_TIME, "particles drift from one place to their mean time"),
            ("t", "z", TO_ONE_PLACE, "particles drift from one time to the plane of their mean z"),
        ):
            if wanted in names and wanted not in canonical and known in canonical:
                moved = BoundFormulae(texts, canonical, constants)
                canonical = canonical | self.add_all("drifted", moved, canonical, constants)
                del canonical[known]  # it is where or when they are now
                self.result.notes.append(note)
        self.make_columns(canonical, constants)
        return self.result

    def require(self) -> None:
        """Independent. Raises ConflictError for particles that the target cannot describe."""
        if self.target.from_requires:
            for _, one in self.particles.blocks(0, block_count(self.particles.table)):
                if one is not None:
                    check_requirements(self.target, one.coordinates, self.particles.binding.constants)

    def make_columns(self, canonical: Texts, constants: Mapping[str, float]) -> None:
        """Independent. Add the columns and attributes of the target, and report what it lacks."""
        reference = BoundFormulae(self.target.reference, [], constants)
        found = {name: float(one[0]) for name, one in reference.evaluate({}, np.zeros(1, np.int64)).items()}
        known = {**constants, **found}
        for name, value in found.items():
            unit = self.target.attributes[name].unit
            self.result.definitions.append(
                Definition(name, Expression(repr(value)), unit, "float64", kind="attribute")
            )
            self.result.attributes.append(name)
        formulae = BoundFormulae(self.target.from_, canonical, known)
        lacking = sorted(self.target.required - set(formulae.names))
        if lacking:
            raise UsageError(
                f"{self.target.name} needs {', '.join(lacking)}, which does not follow from the particles",
                object=self.particles.table.name,
            )
        self.add_all("", formulae, canonical, known)
        used = {name for one in formulae.formulae for name in names_of(one.text)}
        for name in ("z", "t", "weight"):
            if name in canonical and name not in used and not self.is_kept(name):
                self.result.losses.append(name)

    def is_kept(self, name: str) -> bool:
        """Independent. Return whether a coordinate needs no column: equal weights and a stated charge."""
        if name == "weight":
            stated = any("total_charge" in names_of(text) for text in self.target.reference.values())
            if not stated or self.is_part:
                return False
        return len(set(self.limits(name))) == 1

    def limits(self, name: str) -> list[float]:
        """Independent. Return the least and the greatest value of a coordinate or the weight."""
        low, high = np.inf, -np.inf
        for _, one in self.particles.blocks(0, block_count(self.particles.table)):
            if one is not None and len(one):
                values = one.weight if name == "weight" else one.coordinates[name]
                low, high = min(low, float(values.min())), max(high, float(values.max()))
        return [low, high]

    def means(self) -> dict[str, float]:
        """Independent. Return means of the particles, their number and charge, if the target uses any."""
        first: FirstPass = Passes(self.particles).first()
        if first.moments is None:
            return dict.fromkeys(("mean_p", "mean_z", "mean_t"), 0.0)
        found = {f"mean_{name}": first.means[name] for name in ("p", "z", "t") if name in first.means}
        if self.particles.has_weights and not self.is_part:
            found["total_charge"] = float(first.moments.weight[0]) * abs(self.particles.species.charge)
        return found

    def message(self, name: str, unit: str, text: str) -> str:
        """Independent. Return how a column of the target is made; empty if it is that of the source."""
        source = self.particles.table.columns.get(name)
        unchanged = {one.name for one in self.particles.binding.formulae.formulae if one.same_as == one.name}
        if text != name or name not in unchanged or self.result.notes or source is None:
            return f"made from the particles: {text}"
        changes = [f'unit "{source.unit}" becomes "{unit}"'] if source.unit != unit else []
        changes += [f"{source.type} becomes float64"] if source.type != "float64" else []
        return "; ".join(changes)

    def add(self, name: str, text: str, unit: str | None = None) -> str:
        """Independent. Add a definition of a column, and return its quoted name."""
        self.result.definitions.append(
            Definition(name, Expression(text), unit or "", "float64", kind="column")
        )
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
