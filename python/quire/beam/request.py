"""What is asked of the particles of a step."""

from __future__ import annotations

from dataclasses import dataclass

from quire.errors import UsageError

SLICES = 50
MOST_SLICES = 10_000


@dataclass(frozen=True)
class BeamRequest:
    """The arguments of `Step.beam`, which apply to every step of a file as well."""

    where: str | None = None
    table: str = ""
    convention: str | None = None
    species: str | None = None
    slices: int = SLICES
    screen: float | None = None
    robust: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.slices <= MOST_SLICES:
            raise UsageError(f"{self.slices} is not a number of slices; they are 1 to {MOST_SLICES}")
