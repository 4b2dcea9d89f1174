"""Reports of files and writers: damage, times and counts."""

from __future__ import annotations

from dataclasses import dataclass

from quire.errors import Error


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of `File.check`: whole steps, and the damage after or between them.

    >>> with quire.open("beam.h5") as file:
    ...     report = file.check()
    >>> report.whole_steps, report.damage
    (5, None)
    """

    whole_steps: int
    numbers: list[int]
    damage: Error | None
    """The first damage, if any."""
    damaged: dict[int, Error]
    """Damaged steps by number, in formats where whole steps may follow them."""
    salvageable: bool
    """Whether rows of the damaged step can be saved, see `File.salvage`."""
    is_changed: bool
    """Whether bytes differ from their stored checksums although the structure is whole."""
    warnings: list[str]
    is_undecoded: bool = False
    """Whether there are compressed values or values with checksums that were not decoded; see
    `quire.toolkit.values`."""
    is_being_written: bool = False
    """Whether a writer has the file open: the reported damage may be a step that is not complete yet."""

    @property
    def cut_index(self) -> int:
        """The index of the truncated step for `File.salvage`, after the whole and the damaged steps."""
        return self.whole_steps + len(self.damaged)

    @property
    def is_whole(self) -> bool:
        """True if nothing is damaged."""
        return self.damage is None


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of this rank, in seconds.

    >>> with quire.open("beam.h5") as file:
    ...     _ = file[0]["x"][:]
    ...     file.timing.transfer >= 0
    True
    """

    plan: float
    wait: float
    encode: float
    transfer: float
    metadata: float


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of calls and bytes of this rank to the operating system, MPI, and other ranks.

    >>> with quire.open("beam.h5") as file:
    ...     _ = file[0]["x"][:]
    ...     file.counters.bytes_read >= 2000 * 8
    True
    """

    opens: int
    writes: int
    reads: int
    bytes_written: int
    bytes_read: int
    syncs: int
    encode_seconds: float
    transfer_seconds: float
    collectives: int
    """Collective operations of the ranks of this file."""
    messages: int
    """Messages of this rank to other ranks, including words of reductions and broadcasts."""
    message_bytes: int
