"""Quantities of the particles of every step of a file, shared by ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import quire
from quire.beam.quantities import Quantity
from quire.beam.request import BeamRequest
from quire.beam.result import Beam, beam_of_step
from quire.io.attributes import Attribute, Attributes
from quire.io.communicator import core_comm
from quire.io.refusal import agreed
from quire.toolkit.agreement import ranks_of
from quire.toolkit.selection import (
    StepSelection,
    is_pattern,
    raise_unreadable,
    require_found,
    select_names,
    select_steps,
)

if TYPE_CHECKING:
    from quire import Step


@dataclass(frozen=True)
class StepBeam:
    """The beam of a step, with the attributes of the step, and the charge of the first step."""

    step: Step
    beam: Beam
    first_charge: float

    @property
    def number(self) -> int:
        """The number of the step."""
        return self.step.number

    @property
    def quantities(self) -> list[Quantity]:
        """The quantities of the beam, and `transmission`, the charge over that of the first step."""
        transmitted = self.beam.charge / self.first_charge if self.first_charge > 0 else math.nan
        reason = "" if self.first_charge > 0 else "the first step has no charge"
        text = "charge over the charge of the first step"
        return [*self.beam.quantities, Quantity("transmission", transmitted, "", text, reason)]

    @property
    def attrs(self) -> Attributes:
        """The attributes of the step and the quantities of the beam, which precede."""
        quantities = [
            Attribute(one.name, one.value, "float64", one.unit, description=one.description)
            for one in self.quantities
        ]
        return Attributes(f"step {self.number}", "", [*self.step.attrs.info.values(), *quantities])

    def chosen(self, names: Sequence[str] | None) -> list[Quantity]:
        """Independent. Return the quantities of these names or patterns, all for None. The beginning of
        several, such as `emittance`, means these. Raises MissingError.
        """
        known = {one.name: one for one in self.quantities}
        wanted = None if names is None else [self.meant(name, known) for name in names]
        return [known[name] for name in select_names(wanted, list(known), "quantity")]

    def meant(self, name: str, known: Iterable[str]) -> str:
        """Independent. Return a name or a pattern for what is asked for. Raises MissingError."""
        if is_pattern(name) or name in known:
            return name
        if any(one.startswith(f"{name}_") for one in known):
            return f"{name}_*"
        self.beam.info(name)  # raises the error with similar names
        return name


def beam_of(step: Step, request: BeamRequest | None = None, comm: Any = None) -> Beam:
    """Collective. Return the quantities of the particles of a step. The ranks share the rows.

    The result has the same bits on all ranks and for any number of ranks.
    """
    return beam_of_step(step, request or BeamRequest(), ranks_of(comm))


def with_beams(
    steps: Iterable[Step], request: BeamRequest | None = None, comm: Any = None
) -> Iterator[StepBeam]:
    """Collective. Yield steps with the quantities of their particles."""
    first_charge = None
    for step in steps:
        beam = beam_of(step, request, comm)
        first_charge = beam.charge if first_charge is None else first_charge
        yield StepBeam(step, beam, first_charge)


def beams(
    path: str | Path,
    request: BeamRequest | None = None,
    *,
    comm: Any = None,
    steps: StepSelection | None = None,
    observe: Callable[[Any], None] | None = None,
    **options: Any,
) -> Iterator[StepBeam]:
    """Collective. Yield the beam of each selected step of a file, in bounded memory.

    `comm` is an mpi4py communicator whose ranks share the rows of each step. `observe` is called with the
    file before it is closed. Raises errors of opening and reading, MissingError for missing steps and tables,
    and those of `Step.beam`.
    """
    asked = request or BeamRequest()
    agreed(core_comm(comm), "the beam of", lambda: (asked, steps))
    count = 0
    with quire.open(path, comm=comm, **options) as file:
        for one in with_beams((step for _, step in select_steps(file, steps)), asked, comm):
            yield one
            count += 1
        raise_unreadable(file, steps)
        require_found(count, steps, path)
        if observe is not None:
            observe(file)
