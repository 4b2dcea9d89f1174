"""Particles from one phase-space convention to another, through the canonical form in SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quire.beam.binding import Binding, Source, constants_of_species
from quire.beam.conventions import Convention, convention_named
from quire.beam.formulae import BoundFormulae
from quire.beam.particles import Particles, drifted
from quire.beam.species import C_LIGHT, Species
from quire.errors import ConflictError, UsageError
from quire.io.attributes import Attribute

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Columns:
    """Particles as named columns in memory. Units and attributes that are left out are those of the
    convention.
    """

    values: Mapping[str, Array]
    units: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True)
class Canonical:
    """Particles in SI units: `x`, `y`, `z`, `t`, and `ux`, `uy`, `uz`, which are beta gamma; `weight` if
    known.
    """

    values: Mapping[str, Array]
    species: Species

    def __len__(self) -> int:
        return len(self.values["x"])

    def means(self) -> dict[str, float]:
        """Independent. Return what reference quantities are computed from."""
        if not len(self):
            return {}
        values = self.values
        weight = values.get("weight", np.ones(len(self)))
        momentum = np.sqrt(values["ux"] ** 2 + values["uy"] ** 2 + values["uz"] ** 2)
        known = {"mean_p": momentum} | {f"mean_{name}": values[name] for name in "zt" if name in values}
        means = {name: float(np.average(one, weights=weight)) for name, one in known.items()}
        if "weight" in values:
            means["total_charge"] = float(np.sum(weight)) * abs(self.species.charge)
        return means


def to_canonical(columns: Columns, convention: str | None = None, species: str | None = None) -> Canonical:
    """Independent. Return particles in canonical form.

    The convention is recognised from the names and units unless it is given. Lost particles stay. Raises
    UsageError if convention or species are not certain, ConflictError for units that do not fit, MissingError
    for attributes.
    """
    values = {name: np.asarray(one) for name, one in columns.values.items()}
    rows = len(next(iter(values.values()))) if values else 0

    def first(names: list[str]) -> dict[str, Array]:
        return {name: values[name][:1] for name in names} if rows else {}

    units = {name: columns.units.get(name, "") for name in values}
    binding = Binding(Source(units, columns.attributes, rows, first, first), convention, species)
    results = binding.canonical({name: values[name] for name in binding.needs}, np.arange(rows))
    kept = ("x", "y", "z", "t", "ux", "uy", "uz", "weight")
    return Canonical({name: results[name] for name in kept if name in results}, binding.species)


def from_canonical(
    particles: Canonical, target: str, reference: Mapping[str, float] | None = None
) -> Columns:
    """Independent. Return particles in the columns, units and attributes of a convention.

    `reference` are attributes of the convention, such as those of a reference particle. Those that are left
    out follow from the means of the particles. Raises UsageError if the particles lack a coordinate,
    ConflictError if the convention cannot describe them.
    """
    convention = convention_named(target)
    constants = constants_of_species(particles.species)
    references = BoundFormulae(convention.reference, [], constants | particles.means())
    stated = {name: float(one[0]) for name, one in references.evaluate({}, np.zeros(1, np.int64)).items()}
    stated |= reference or {}
    constants |= stated
    numbers = np.arange(len(particles))
    given = dict(particles.values)
    check_requirements(convention, given, constants)
    if len(particles):
        first = BoundFormulae(convention.from_first, given, constants)
        row = {name: one[:1] for name, one in given.items()}
        constants |= {name: float(one[0]) for name, one in first.evaluate(row, numbers[:1]).items()}
    else:
        constants |= dict.fromkeys(convention.from_first, 0.0)
    formulae = BoundFormulae(convention.from_, given, constants)
    lacking = sorted(convention.required - set(formulae.names))
    if lacking:
        raise UsageError(
            f"the convention {target} needs {', '.join(lacking)}, which does not follow from "
            f"{', '.join(given)} of these particles",
            advice="particles at one place have no z, those at one time no t: see at_place and at_time",
        )
    results = formulae.evaluate(given, numbers)
    values = {name: results[name] for name in convention.columns if name in results}
    units = {name: convention.columns[name].unit for name in values}
    attributes = {
        name: Attribute(name, value, "float64", convention.attributes[name].unit)
        for name, value in stated.items()
        if name in convention.attributes
    }
    return Columns(values, units, attributes)


def at_place(particles: Canonical, place: float) -> Canonical:
    """Independent. Return particles that drift to a plane of constant z in m, with the times of their
    arrival.

    Those of which no time is known start at time 0. Raises UsageError if they have no z.
    """
    if "z" not in particles.values:
        raise UsageError("the particles have no z: they are at one place already")
    moved = drifted(Particles(particles.values, np.ones(len(particles)), 0), place)
    return Canonical(moved.coordinates, particles.species)


def at_time(particles: Canonical, time: float, place: float = 0.0) -> Canonical:
    """Independent. Return particles as they are at one time in s, if they move freely.

    Those of which no z is known are at `place` (m) at their times. Raises UsageError if they have no time.
    """
    if "t" not in particles.values:
        raise UsageError("the particles have no time: they are at one time already")
    found = dict(particles.values)
    momentum = np.sqrt(found["ux"] ** 2 + found["uy"] ** 2 + found["uz"] ** 2)
    # The speed is c u / gamma.
    flight = C_LIGHT * (time - found["t"]) / np.sqrt(1.0 + momentum**2)
    found["x"] = found["x"] + found["ux"] * flight
    found["y"] = found["y"] + found["uy"] * flight
    found["z"] = found.get("z", place) + found["uz"] * flight
    found["t"] = np.full(len(particles), time)
    return Canonical(found, particles.species)


def check_requirements(
    convention: Convention, given: Mapping[str, Array], constants: Mapping[str, float]
) -> None:
    """Independent. Raises ConflictError if particles cannot be described in a convention."""
    texts = {f"requirement {place}": text for place, text in enumerate(convention.from_requires)}
    formulae = BoundFormulae(texts, given, constants)
    found = formulae.evaluate(given, np.arange(len(given["x"])))
    for satisfied, reason in zip(found.values(), convention.from_requires.values(), strict=True):
        if not np.all(satisfied):
            raise ConflictError(reason, object=convention.name, advice="leave them out by a condition")


def convert_columns(
    columns: Columns,
    target: str,
    *,
    convention: str | None = None,
    species: str | None = None,
    reference: Mapping[str, float] | None = None,
) -> Columns:
    """Independent. Return particles of one convention in another one; see `to_canonical` and
    `from_canonical`.
    """
    return from_canonical(to_canonical(columns, convention, species), target, reference)
