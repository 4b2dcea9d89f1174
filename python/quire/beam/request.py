"""What is asked of the particles of a step."""

from __future__ import annotations

from dataclasses import dataclass, field

from quire.errors import UsageError

SLICES = 50
MOST_SLICES = 10_000
BY_CHARGE = ":charge"
"""The end of a number of slices of equal charge."""


@dataclass(frozen=True)
class BeamRequest:
    """The arguments of `Step.beam`, which apply to every step of a file as well."""

    where: str | None = None
    table: str = ""
    convention: str | None = None
    species: str | None = None
    slices: int | str = SLICES
    screen: float | None = None
    robust: bool = False
    wavelength: float | None = None
    rows: slice = field(default_factory=lambda: slice(None))

    def __post_init__(self) -> None:
        if not 1 <= self.bins <= MOST_SLICES:
            raise UsageError(f"{self.slices} is not a number of slices; they are 1 to {MOST_SLICES}")
        if self.wavelength is not None and not self.wavelength > 0:
            raise UsageError(f"{self.wavelength} is not a wavelength in m")

    @property
    def bins(self) -> int:
        """The number of slices. Raises UsageError for text that is none."""
        number = str(self.slices).removesuffix(BY_CHARGE)
        if not number.isdigit():
            raise UsageError(
                f"'{self.slices}' is not a number of slices; write for example 50 or 20{BY_CHARGE}"
            )
        return int(number)

    @property
    def has_equal_charges(self) -> bool:
        """Whether the slices have equal charges, else equal lengths."""
        return str(self.slices).endswith(BY_CHARGE)
