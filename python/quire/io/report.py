"""What files and writers report: damage, times and counts."""

from __future__ import annotations

from dataclasses import dataclass

from quire.errors import Error


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `File.check` finds: whole steps, and the damage behind or between them."""

    whole_steps: int
    numbers: list[int]
    damage: Error | None
    """The first defect, if any."""
    damaged: dict[int, Error]
    """By number, steps that cannot be read, where whole ones may stand behind such a one."""
    salvageable: bool
    """Whether rows of the damaged step can be saved, see `File.salvage`."""
    is_changed: bool
    """Whole by its structure, but its bytes are not those whose checksums are kept."""
    warnings: list[str]
    is_undecoded: bool = False
    """Values are compressed, or have checksums, in pieces of which none was decoded: `quire.toolkit.values`
    does."""
    is_being_written: bool = False
    """A writer has the file open: what is reported as damage may be a step that it has not completed."""

    @property
    def cut_index(self) -> int:
        """Where `File.salvage` finds the step that was cut: behind the whole steps and the damaged ones."""
        return self.whole_steps + len(self.damaged)

    @property
    def is_whole(self) -> bool:
        """True if nothing is damaged."""
        return self.damage is None


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the time of a run went on this rank, in seconds."""

    plan: float
    wait: float
    encode: float
    transfer: float
    metadata: float


@dataclass(frozen=True, slots=True)
class Counters:
    """How many calls and bytes went to the operating system or MPI, and to other ranks, on this rank."""

    opens: int
    writes: int
    reads: int
    bytes_written: int
    bytes_read: int
    syncs: int
    encode_seconds: float
    transfer_seconds: float
    collectives: int
    """Meetings of the ranks of this file."""
    messages: int
    """What this rank gave to others there: parcels, and words of reductions and broadcasts."""
    message_bytes: int
