"""`step.beam()`: the quantities of the particles of a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.beam.moments import Ranks
from quire.beam.particles import ParticleTable
from quire.beam.passes import FirstPass, Passes
from quire.beam.quantities import BUNCHING, Quantity, State, definitions, matrix_names, robust_definitions
from quire.beam.robust import edges_of_charge, robust_of
from quire.beam.slices import Slices, slices_of
from quire.io.attributes import NamedItems

if TYPE_CHECKING:
    from quire.beam.request import BeamRequest
    from quire.beam.species import Species
    from quire.io.step import Step

Array = np.ndarray[Any, Any]

MOST_SHOWN = ("cov_",)
"""Quantities that `repr` leaves out begin with one of these."""

OFFSET_OF_FLOAT32 = 1e5
"""A mean beyond so many sigmas is a loss of precision in float32."""


class Beam(Mapping[str, float]):
    """The quantities of a beam, by name: `beam["emittance_x"]`, also `beam.emittance_x`.

    `beam.info(name)` has unit and definition, and the reason of a NaN. `repr(beam)` prints all.
    """

    def __init__(self, table: ParticleTable, state: State, request: BeamRequest) -> None:
        wanted = list(definitions(state))
        wanted += [BUNCHING] if request.wavelength is not None else []
        wanted += robust_definitions(state) if request.robust else []
        found = (one.quantity(state) for one in wanted)
        self._quantities: NamedItems[Quantity] = NamedItems(
            "quantity", "the beam", "", ((one.name, one) for one in found)
        )
        self._length = state.length
        self.slices: Slices | None = state.slices
        """Current profile and slice quantities; None if the beam has no length."""
        self.convention: str = table.convention.name
        """The name of the phase-space convention."""
        self.species: Species = state.species
        """Name, mass and charge of the particles."""
        self.has_weights: bool = table.has_weights
        """Whether the file states weights; otherwise each row is one particle."""
        self.warnings: list[str] = warnings_of(table, state)
        """What to know before the numbers are used."""

    def __getitem__(self, name: str) -> float:
        return self.info(name).value

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or name not in self._quantities:
            raise AttributeError(f"a beam has no quantity {name!r}", name=name, obj=self)
        return self._quantities[name].value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._quantities]

    def __iter__(self) -> Iterator[str]:
        return iter(self._quantities)

    def __len__(self) -> int:
        return len(self._quantities)

    def info(self, name: str) -> Quantity:
        """Independent. Return name, value, unit, description and the reason of a NaN. Raises MissingError."""
        return self._quantities[name]

    @property
    def quantities(self) -> list[Quantity]:
        """Independent. Return all quantities."""
        return list(self._quantities.values())

    @property
    def covariance(self) -> Array:
        """Independent. Return the covariances of x, xp, y, yp, z or t, and delta."""
        names = matrix_names(self._length)
        return np.array(
            [
                [self[f"cov_{a}_{b}" if names.index(a) <= names.index(b) else f"cov_{b}_{a}"] for b in names]
                for a in names
            ]
        )

    def _shown(self) -> list[tuple[str, str, str, str]]:
        """Return names, values, units and descriptions of the quantities that are shown."""
        return [
            (one.name, f"{one.value:.6g}", one.unit, one.reason or one.description)
            for one in self._quantities.values()
            if not one.name.startswith(MOST_SHOWN)
        ]

    def _title(self) -> str:
        return f"{self.particles:.0f} {self.species.name}s, convention {self.convention}"

    def _repr_html_(self) -> str:
        from quire.io.html import beam_html

        return beam_html(self._title(), self._shown(), self.warnings)

    def __repr__(self) -> str:
        title = f"<Beam: {self._title()}"
        rows = self._shown()
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            f"  {name:<{widths[0]}}  {value:>{widths[1]}} {unit:<{widths[2]}}  {text}".rstrip()
            for name, value, unit, text in rows
        ]
        return "\n".join([title, *lines, *(f"  warning: {one}" for one in self.warnings)]) + ">"


def beam_of_step(step: Step, request: BeamRequest, ranks: Ranks | None = None) -> Beam:
    """Collective if the ranks are several. Return the quantities of the particles of a step."""
    shared = ranks or Ranks()

    def particles() -> ParticleTable:
        return ParticleTable(step.tables[request.table] if request.table else step.table, request)

    table = shared.agreed(particles)
    passes = Passes(table, shared)
    first = passes.first()
    length = length_of(table, first)
    state = State(table.species, first, None, None, length)
    if state.count >= 2 and state.weight > 0:
        edges = edges_of_charge(passes, first, length, request.bins) if request.has_equal_charges else None
        second = passes.second(first, length, request.bins, edges, request.wavelength)
        robust = (
            robust_of(passes, first) if request.robust and np.all(np.isfinite(first.covariances)) else None
        )
        state = State(table.species, first, second, slices_of(table.species, first, second), length, robust)
    return Beam(table, state, request)


def length_of(table: ParticleTable, first: FirstPass) -> str:
    """Independent. Return `t` if the particles are at one place, `z` if they are at one time."""
    if "z" not in table.coordinates:
        return "t"
    if "t" not in table.coordinates or first.moments is None:
        return "z"
    return "t" if first.covariance("z", "z") == 0 else "z"


def warnings_of(table: ParticleTable, state: State) -> list[str]:
    """Independent. Return warnings about weights and precision."""
    found = []
    for name in ("x", "y", "z", "t") if table.float32_columns and state.second is not None else ():
        if name not in state.first.names or not state.sigma(name) > 0:
            continue
        offset = abs(state.mean(name)) / state.sigma(name)
        if offset > OFFSET_OF_FLOAT32:
            found.append(
                f"the mean of {name} is {offset:.1g} times its rms, "
                "and columns are float32: the rms is not exact"
            )
    return found
