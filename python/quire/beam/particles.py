"""The particles of a table in canonical form, in blocks of rows that do not depend on ranks or memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.beam.binding import Binding, Source, attributes_of, units_of
from quire.beam.blocks import block_count, filled, fixed_blocks
from quire.beam.conventions import PHASE_SPACE, Convention
from quire.beam.species import C_LIGHT, Species
from quire.errors import Placing, UsageError

if TYPE_CHECKING:
    from quire.beam.request import BeamRequest
    from quire.io.table import Table

Array = np.ndarray[Any, Any]


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

    Raises the errors of `Binding`.
    """

    def __init__(self, table: Table, request: BeamRequest) -> None:
        self.table = table
        self.where = request.where
        self.rows = request.rows
        self.screen = request.screen
        with Placing(table._path):
            source = Source(
                units_of(table), attributes_of(table), len(table), self._first_row, self._selected_row
            )
            self.binding = Binding(source, request.convention, request.species)
            if self.screen is not None and "z" not in self.binding.formulae.names:
                raise UsageError(
                    "the particles have no z, so they are at one place already", advice="leave out screen"
                )

    @property
    def convention(self) -> Convention:
        """The phase-space convention."""
        return self.binding.convention

    @property
    def species(self) -> Species:
        """The species of the particles."""
        return self.binding.species

    @property
    def coordinates(self) -> list[str]:
        """The names of the coordinates."""
        known = {*self.binding.formulae.names, *(() if self.screen is None else ("t",))}
        return [name for name in PHASE_SPACE if name in known]

    @property
    def has_weights(self) -> bool:
        """Whether the file states how many real particles a row represents."""
        return "weight" in self.binding.formulae.names

    @property
    def has_status(self) -> bool:
        """Whether the file states which particles are lost."""
        return "alive" in self.binding.formulae.names

    @property
    def float32_columns(self) -> list[str]:
        """The columns that are used and have type float32."""
        return [name for name in self.binding.needs if self.table[name].type == "float32"]

    def blocks(self, first: int, last: int) -> Iterator[tuple[int, Particles | None]]:
        """Independent. Yield number and particles of the blocks from `first` to `last`, excluded, in order.

        None are the particles of a block without any.
        """
        blocks = fixed_blocks(self.table, self.binding.needs, self.where, first, last, self.rows)
        made = ((number, self._particles(numbers, values)) for number, numbers, values in blocks)
        return filled(first, last, ((number, one) for number, one in made if len(one) or one.lost))

    def _particles(self, numbers: Array, values: Mapping[str, Array]) -> Particles:
        """Return the particles of rows."""
        with Placing(self.table._path):
            results = self.binding.canonical(values, numbers)
        alive = results.get("alive")
        weight = results.get("weight")
        weight = np.ones(len(numbers)) if weight is None else np.abs(weight)
        coordinates = {name: results[name] for name in self.coordinates if name in results}
        found = Particles(coordinates, weight, 0)
        if alive is not None and not np.all(alive):
            kept = alive != 0
            lost = int(len(kept) - np.count_nonzero(kept))
            found = Particles({name: one[kept] for name, one in coordinates.items()}, weight[kept], lost)
        return found if self.screen is None else drifted(found, self.screen)

    def _first_row(self, names: list[str]) -> Mapping[str, Array]:
        return self.table.read(names, (0, 1))

    def _selected_row(self, names: list[str]) -> Mapping[str, Array]:
        for _, _, values in fixed_blocks(
            self.table, names, self.where, 0, block_count(self.table), self.rows
        ):
            return {name: one[:1].copy() for name, one in values.items()}
        return {}


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
