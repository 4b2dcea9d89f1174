"""The particles of a table in canonical form, in blocks of rows that do not depend on ranks or memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quire import units
from quire.beam.blocks import fixed_blocks
from quire.beam.conventions import OPTION, PHASE_SPACE, Convention, convention_named, recognise
from quire.beam.formulae import BoundFormulae
from quire.beam.species import C_LIGHT, E_CHARGE, Species, known_species, species_named
from quire.errors import ConflictError, MissingError, UsageError
from quire.io.attributes import Attribute, attribute_from_core

if TYPE_CHECKING:
    from quire.beam.request import BeamRequest
    from quire.io.table import Table

Array = np.ndarray[Any, Any]

SPECIES_ATTRIBUTES: Final = ("speciesType", "species")
"""Texts of a file that name the species."""


@dataclass(frozen=True)
class Particles:
    """Living particles of a block: coordinates in SI units, u = beta gamma, and the number of real particles.

    `coordinates` has `x`, `y`, `ux`, `uy`, `uz`, and `z`, `t` or both.
    """

    coordinates: Mapping[str, Array]
    weight: Array
    lost: int

    def __len__(self) -> int:
        return len(self.weight)


class ParticleTable:
    """A table whose rows are particles. A handle: blocks are read on request.

    Parameters
    ----------
    table : the table
    request : which rows, and what they mean if the table does not state it

    Raises UsageError for an unknown convention or species, ConflictError for units that do not fit.
    """

    def __init__(self, table: Table, request: BeamRequest) -> None:
        self.table = table
        self.screen = request.screen
        found = {name: column.unit for name, column in table.columns.items() if column.dtype.kind in "iuf"}
        try:
            chosen = request.convention
            self.convention = checked(chosen, found) if chosen else recognise(found)
        except (UsageError, ConflictError) as problem:
            problem.place(table._path)
            raise
        self.where = request.where
        self.scales = {
            name: units.scale(unit or self.convention.columns[name].unit, self.convention.columns[name].unit)
            for name, unit in found.items()
            if name in self.convention.columns
        }
        attributes = attributes_of(table)
        constants = {"rows": float(len(table)), **constants_of(self.convention, attributes)}
        self.species = self._species(request.species, constants, attributes)
        constants |= constants_of_species(self.species)
        self.constants = constants | self._first(constants)
        # Mass and charge are known now, but rows of another species must be noticed.
        self.formulae = BoundFormulae(self.convention.to, self.scales, self.constants)
        if self.screen is not None and "z" not in self.formulae.names:
            raise UsageError(
                "the particles have no z, so they are at one place already",
                file=table._path,
                advice="leave out screen",
            )
        if any(name not in self.formulae.names for name in ("x", "y", "ux", "uy", "uz")):
            raise MissingError(
                f"the convention {self.convention.name} needs attributes that the file does not have: "
                + ", ".join(self.convention.attributes),
                file=table._path,
            )

    @property
    def coordinates(self) -> list[str]:
        """The names of the coordinates."""
        known = {*self.formulae.names, *(() if self.screen is None else ("t",))}
        return [name for name in PHASE_SPACE if name in known]

    @property
    def has_weights(self) -> bool:
        """Whether the file states how many real particles a row represents."""
        return "weight" in self.formulae.names

    @property
    def float32_columns(self) -> list[str]:
        """The columns that are used and have type float32."""
        return [name for name in self.formulae.needs if self.table[name].type == "float32"]

    def blocks(self, first: int, last: int) -> Iterator[tuple[int, Particles | None]]:
        """Independent. Yield number and particles of the blocks from `first` to `last`, excluded, in order.

        None are the particles of a block without any.
        """
        due = first
        names = self.formulae.needs
        for number, numbers, values in fixed_blocks(self.table, names, self.where, first, last):
            for empty in range(due, number):
                yield empty, None
            found = self._particles(numbers, values)
            yield number, found if len(found) or found.lost else None
            due = number + 1
        for empty in range(due, last):
            yield empty, None

    def _particles(self, numbers: Array, values: Mapping[str, Array]) -> Particles:
        """Return the particles of rows."""
        results = self.formulae.evaluate(self._scaled(values), numbers)
        alive = results.get("alive")
        weight = results.get("weight")
        weight = np.ones(len(numbers)) if weight is None else np.abs(weight)
        for name, expected in (("mass", self.species.mass), ("charge", self.species.charge)):
            other = results.get(name)
            if other is not None and not np.all(other == other[0]):
                raise ConflictError(
                    f"the rows differ in {name}: species are not mixed",
                    file=self.table._path,
                    advice=f"select one by a condition; the first has {expected:.8g}",
                )
        coordinates = {name: results[name] for name in self.coordinates if name in results}
        found = Particles(coordinates, weight, 0)
        if alive is not None and not np.all(alive):
            kept = alive != 0
            lost = int(len(kept) - np.count_nonzero(kept))
            found = Particles({name: one[kept] for name, one in coordinates.items()}, weight[kept], lost)
        return found if self.screen is None else drifted(found, self.screen)

    def _scaled(self, values: Mapping[str, Array]) -> dict[str, Array]:
        return {name: self.scales[name](one.astype(np.float64, copy=False)) for name, one in values.items()}

    def _first_row(self) -> dict[str, Array]:
        """Return the values of the first row."""
        return self._scaled(self.table.read(list(self.scales), (0, min(1, len(self.table)))))

    def _first(self, constants: Mapping[str, float]) -> dict[str, float]:
        """Return the constants that are values of the first row."""
        if not self.convention.to_first or not len(self.table):
            return dict.fromkeys(self.convention.to_first, math.nan)
        formulae = BoundFormulae(self.convention.to_first, self.scales, constants)
        found = formulae.evaluate(self._first_row(), np.zeros(1, np.int64))
        return {name: float(values[0]) for name, values in found.items()}

    def _species(
        self, chosen: str | None, constants: Mapping[str, float], attributes: Mapping[str, Attribute]
    ) -> Species:
        """Return the species that is chosen, else that of the file, else that of the convention."""
        if chosen is not None:
            return species_named(chosen)
        texts = {name: self.convention.to[name] for name in ("mass", "charge") if name in self.convention.to}
        formulae = BoundFormulae(texts, self.scales, constants)
        row = self._first_row() if formulae.needs else {}
        rows = 1 if not formulae.needs else min(1, len(self.table))
        found = formulae.evaluate(row, np.zeros(rows, np.int64)) if rows else {}
        stated = {name: float(values[0]) for name, values in found.items()}
        named = next((str(attributes[one].value) for one in SPECIES_ATTRIBUTES if one in attributes), "")
        base = known_species().get(named) or known_species().get(self.convention.species)
        mass = stated.get("mass", base.mass if base else math.nan)
        charge = stated.get("charge", base.charge if base else -E_CHARGE if "mass" in stated else math.nan)
        if not mass > 0 or not charge:
            raise UsageError(
                "the species of the particles is not known",
                file=self.table._path,
                advice="choose it, as in --species electron",
            )
        alike = (one for one in known_species().values() if math.isclose(one.mass, mass, rel_tol=1e-6))
        named = next((one.name for one in alike if one.charge * charge > 0), "particle")
        return Species(named, mass, charge)


def checked(name: str, found: Mapping[str, str]) -> Convention:
    """Independent. Return a convention that the user chooses for a table. Raises errors if it does not
    fit.
    """
    convention = convention_named(name)
    lacking = sorted(convention.required - found.keys())
    if lacking:
        raise UsageError(
            f"the convention {name} needs columns that are missing: {', '.join(lacking)}",
            advice=f"leave out {OPTION} to recognise the convention",
        )
    if wrong := convention.contradiction(found):
        raise ConflictError(f"the units are not those of the convention {name}: {wrong}")
    return convention


def constants_of_species(species: Species) -> dict[str, float]:
    """Independent. Return what formulae know of the species; `mc` is the unit of momentum in eV/c."""
    return {"mass": species.mass, "charge": species.charge, "mc": species.rest_energy}


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


def drifted(particles: Particles, place: float) -> Particles:
    """Independent. Return particles that move freely to a plane of constant z, in m, at their times of
    arrival.
    """
    found = dict(particles.coordinates)
    distance = place - found["z"]
    with np.errstate(all="ignore"):
        found["x"] = found["x"] + distance * (found["ux"] / found["uz"])
        found["y"] = found["y"] + distance * (found["uy"] / found["uz"])
        square = found["ux"] ** 2 + found["uy"] ** 2 + found["uz"] ** 2
        flight = distance * np.sqrt(1.0 + square) / (C_LIGHT * found["uz"])
    found["t"] = found["t"] + flight if "t" in found else flight
    found["z"] = np.full(len(particles), place)
    return Particles(found, particles.weight, particles.lost)


def energy_of(momentum: Any) -> Any:
    """Independent. Return gamma - 1 of the total momentum beta gamma, without cancellation."""
    square = momentum * momentum
    return square / (1.0 + np.sqrt(1.0 + square))
