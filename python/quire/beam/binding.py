"""A phase-space convention, bound to columns with their units and to attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire import units
from quire.beam.conventions import Convention, convention_named, recognise
from quire.beam.formulae import BoundFormulae
from quire.beam.species import Species, known_species, species_named
from quire.errors import ConflictError, MissingError, UsageError
from quire.io.attributes import Attribute, attribute_from_core

if TYPE_CHECKING:
    from quire.io.table import Table

Array = np.ndarray[Any, Any]

SPECIES_ATTRIBUTES: Final = ("speciesType", "species")
"""Texts of a file that name the species."""

NEEDED: Final = ("x", "y", "ux", "uy", "uz")


@dataclass(frozen=True)
class Source:
    """Columns of particles: their units by name, the attributes, and the number of rows.

    `first` returns the values of some columns in row 0, `selected` those in the first row that is selected,
    or nothing if there is none.
    """

    units: Mapping[str, str]
    attributes: Mapping[str, Attribute]
    rows: int
    first: Callable[[list[str]], Mapping[str, Array]]
    selected: Callable[[list[str]], Mapping[str, Array]]


class Binding:
    """How rows of a source become particles.

    Raises UsageError for an unknown convention or species, DataError if the columns are those of no
    convention, ConflictError for units that do not fit, MissingError for attributes that it needs.
    """

    def __init__(self, source: Source, convention: str | None = None, species: str | None = None) -> None:
        self.source = source
        self.convention = checked(convention, source.units) if convention else recognise(source.units)
        self.names = self.convention.names_in(source.units)
        wanted = {name: self.convention.columns[name].unit for name in self.names}
        self.scales = {
            name: units.scale(source.units[actual] or wanted[name], wanted[name])
            for name, actual in self.names.items()
        }
        constants = {"rows": float(source.rows), **constants_of(self.convention, source.attributes)}
        self._stated: Mapping[str, float] = self._state(constants)
        self.species = self._species(species)
        constants |= constants_of_species(self.species)
        self.constants = constants | self._first(constants)
        self.formulae = BoundFormulae(self.convention.to, self.scales, self.constants)
        if any(name not in self.formulae.names for name in NEEDED):
            raise MissingError(
                f"the convention {self.convention.name} needs attributes that the file does not have: "
                + ", ".join(self.convention.attributes)
            )

    @property
    def needs(self) -> list[str]:
        """The columns of the source that are used."""
        return [self.names[name] for name in self.formulae.needs]

    def canonical(self, values: Mapping[str, Array], numbers: Array) -> dict[str, Array]:
        """Independent. Return the canonical form of rows of these numbers.

        Raises ConflictError if mass or charge are not those of the first row.
        """
        results = self.formulae.evaluate(self._scaled(values), numbers)
        for name, expected in self._stated.items():
            if name in results and not np.all(results[name] == expected):
                raise ConflictError(
                    f"the rows differ in {name}, and species are not mixed",
                    advice=f"select one species by a condition; the first has {expected:.8g}",
                )
        return results

    def _scaled(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Return columns of the source by their names in the convention, as float64 in its units."""
        return {
            name: self.scales[name](values[actual].astype(np.float64, copy=False))
            for name, actual in self.names.items()
            if actual in values
        }

    def _row(
        self, read: Callable[[list[str]], Mapping[str, Array]], formulae: BoundFormulae
    ) -> dict[str, Array]:
        """Return what formulae need of one row."""
        needed = [self.names[name] for name in formulae.needs]
        return self._scaled(read(needed)) if needed else {}

    def _state(self, constants: Mapping[str, float]) -> dict[str, float]:
        """Return mass and charge as the source states them."""
        texts = {name: self.convention.to[name] for name in ("mass", "charge") if name in self.convention.to}
        formulae = BoundFormulae(texts, self.scales, constants)
        row = self._row(self.source.selected, formulae)
        if formulae.needs and not row:
            return {}
        found = formulae.evaluate(row, np.zeros(1, np.int64))
        return {name: float(values[0]) for name, values in found.items()}

    def _first(self, constants: Mapping[str, float]) -> dict[str, float]:
        """Return the constants that are values of the first row."""
        formulae = BoundFormulae(self.convention.to_first, self.scales, constants)
        if not self.source.rows or not formulae.formulae:
            return dict.fromkeys(formulae.names, math.nan)
        found = formulae.evaluate(self._row(self.source.first, formulae), np.zeros(1, np.int64))
        return {name: float(values[0]) for name, values in found.items()}

    def _species(self, chosen: str | None) -> Species:
        """Return the species that is chosen, else that of the file, else that of the convention."""
        if chosen is not None:
            return species_named(chosen)
        attributes = self.source.attributes
        named = next((str(attributes[one].value) for one in SPECIES_ATTRIBUTES if one in attributes), "")
        base = known_species().get(named) or known_species().get(self.convention.species)
        mass = self._stated.get("mass", base.mass if base else math.nan)
        alike = [one for one in known_species().values() if math.isclose(one.mass, mass, rel_tol=1e-6)]
        implied = [one.charge for one in (*([base] if base in alike else []), *alike)]
        charge = self._stated.get("charge", implied[0] if implied else math.nan)
        if not mass > 0 or not charge or not math.isfinite(charge):
            raise UsageError(
                "the species of the particles is not known", advice='choose it, as in species="electron"'
            )
        return Species(next((one.name for one in alike if one.charge * charge > 0), "particle"), mass, charge)


def checked(name: str, found: Mapping[str, str]) -> Convention:
    """Independent. Return a convention that the user chooses for a table. Raises errors if it does not
    fit.
    """
    convention = convention_named(name)
    lacking = sorted(convention.required - convention.names_in(found).keys())
    if lacking:
        raise UsageError(
            f"the convention {name} needs columns that are missing: {', '.join(lacking)}",
            advice="without convention=NAME it is recognised",
        )
    if wrong := convention.contradiction(found):
        raise ConflictError(f"the units are not those of the convention {name}: {wrong}")
    return convention


def constants_of_species(species: Species) -> dict[str, float]:
    """Independent. Return what formulae know of the species; `mc` is the unit of momentum in eV/c."""
    return {"mass": species.mass, "charge": species.charge, "mc": species.rest_energy}


def units_of(table: Table) -> dict[str, str]:
    """Independent. Return the units of the columns of numbers."""
    return {name: column.unit for name, column in table.columns.items() if column.dtype.kind in "iuf"}


def attributes_of(table: Table) -> dict[str, Attribute]:
    """Independent. Return the attributes of the file, the step and the table, by name; the last precede."""
    _, core, _ = table.scope()
    found = [attribute_from_core(one) for one in reversed(core)]
    prefix = f"{table.name}/"
    own = [(one.name.removeprefix(prefix), one) for one in found if one.name.startswith(prefix)]
    return {one.name: one for one in found} | (dict(own) if table.name else {})


def constants_of(convention: Convention, attributes: Mapping[str, Attribute]) -> dict[str, float]:
    """Independent. Return the values of the attributes of a convention, in its units.

    Zero and what is not finite count as missing, as programs write them for what they do not know.
    """
    found = {}
    for name, described in convention.attributes.items():
        value = number_of(attributes, name)
        if value:
            unit = attributes[name].unit or described.unit
            found[name] = units.scale(unit, described.unit)(value)
        elif described.default is not None:
            found[name] = described.default
    return found


def number_of(attributes: Mapping[str, Attribute], name: str) -> float:
    """Independent. Return a single finite number, 0 if there is none."""
    if name not in attributes:
        return 0.0
    value = np.asarray(attributes[name].value)
    if value.size != 1 or value.dtype.kind not in "iuf":
        return 0.0
    number = float(value.reshape(-1)[0])
    return number if math.isfinite(number) else 0.0
