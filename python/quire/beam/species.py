"""Mass and charge of the particles of a beam."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from quire import units
from quire.errors import UsageError

C_LIGHT: Final = 299792458.0
"""In m/s, exact."""

E_CHARGE: Final = 1.602176634e-19
"""In C, exact."""


@dataclass(frozen=True)
class Species:
    """Mass in kg and charge in C of one particle."""

    name: str
    mass: float
    charge: float

    @property
    def rest_energy(self) -> float:
        """The rest energy in eV."""
        return self.mass * C_LIGHT**2 / E_CHARGE


@cache
def known_species() -> Mapping[str, Species]:
    """Independent. Return the species with names."""
    text = (resources.files("quire") / "species.toml").read_text(encoding="utf-8")
    return {
        name: Species(name, values["mass"], values["charge"] * E_CHARGE)
        for name, values in tomllib.loads(text).items()
    }


def species_named(text: str) -> Species:
    """Independent. Return a species by its name, or by mass and charge such as `938.272 MeV/c^2, 1`.

    Without a charge it is 1 elementary charge. Raises UsageError.
    """
    if text in known_species():
        return known_species()[text]
    mass, comma, charge = text.partition(",")
    number, _, unit = mass.strip().partition(" ")
    try:
        scale = units.scale(unit.strip(), "kg")
        found = Species(text, scale(float(number)), float(charge if comma else 1) * E_CHARGE)
    except Exception:
        found = Species(text, 0.0, 0.0)
    if not found.mass > 0 or not found.charge:
        raise UsageError(
            f"'{text}' is not a species; there are {', '.join(known_species())}",
            advice="or give mass and charge, as in '938.272 MeV/c^2, 1'",
        )
    return found
