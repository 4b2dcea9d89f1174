"""The cases that are tested, each in a separate launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quire.lab.doctor.known import HintSet, Library, hint_sets

MEBIBYTE = 1 << 20
BIG_BLOCK = 4 * MEBIBYTE
FULL_BIG = (2 << 30) + BIG_BLOCK
"""The smallest request whose size exceeds 31 bits."""
SCALED_BIG = 64 * MEBIBYTE

CALLS = ("independent", "collective", "view", "cartesian")
"""How plain MPI-IO is used: a call for each piece, independent or collective, or one for all through a file
view, also on a communicator with a topology."""

LOCKING_VARIABLE = "HDF5_USE_FILE_LOCKING"
LOCKING_MODES = ("", "TRUE", "BEST_EFFORT", "FALSE")


@dataclass(frozen=True)
class Case:
    """A launch of the probe, and the group and subject of its checks."""

    group: str
    subject: str
    action: str
    arguments: Mapping[str, str | int] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    default: bool = True
    """Whether this is the default of programs."""
    may_be_missing: bool = False
    """A component of MPI-IO that this MPI may not have."""
    seconds: float | None = None
    """The time limit of this case."""


@dataclass(frozen=True)
class Extent:
    """The sizes of the tests."""

    quick: bool = False
    big: int = 0
    """Bytes of the big request; 0: none."""

    @property
    def sizes(self) -> dict[str, str | int]:
        """Sizes of the patterns as arguments of the probe."""
        return {"large": self.large, "big": self.big}

    @property
    def large(self) -> int:
        """Bytes of a large piece."""
        return MEBIBYTE if self.quick else 8 * MEBIBYTE

    def room(self, ranks: int) -> int:
        """Bytes of the largest file of a pattern: a large piece of each rank, or of every other one a
        sixteenth more than of the one before it.
        """
        uneven = (ranks // 2 + 1) ** 2 * self.large // 16
        return max(ranks * self.large, uneven) + MEBIBYTE


def transport_cases(transports: list[str], extent: Extent) -> list[Case]:
    """Independent. Every transport of this build."""
    return [
        Case(
            "transport",
            name,
            "patterns",
            {"method": f"transport:{name}", "pieces": 20 if extent.quick else 200, **extent.sizes},
        )
        for name in transports
    ]


def mpi_io_case(
    calls: str, extent: Extent, component: str = "", hints: HintSet | None = None, variable: str = ""
) -> Case:
    """Independent. Plain MPI-IO with one kind of calls."""
    # Each collective call waits several times inside of MPI, which is slow where ranks outnumber cores.
    pieces = 8 if calls == "collective" else 20 if extent.quick else 60
    arguments: dict[str, str | int] = {"method": f"mpi-io:{calls}", "pieces": pieces, **extent.sizes}
    words = [f"{calls} calls"]
    if component:
        words.insert(0, component if component[0] != "^" else f"not {component[1:]}")
    if calls in ("collective", "cartesian"):
        # Big requests take long, and the calls of a view take the same way.
        arguments["big"] = 0
    if hints:
        arguments |= {"hints": hints.hints, "big": 0}
        words.append(hints.name)
    return Case(
        "mpi-io",
        ", ".join(words),
        "patterns",
        arguments,
        {variable: component} if component else {},
        default=not component and hints is None,
        may_be_missing=bool(component),
    )


def mpi_io_cases(library: Library, extent: Extent) -> list[Case]:
    """Independent. MPI-IO with its defaults; unless quick, with every component and hints of known.toml."""
    cases = [mpi_io_case(calls, extent) for calls in CALLS]
    if extent.quick:
        return cases
    small = Extent(quick=True)
    variable = library.component_variable
    cases += [mpi_io_case(calls, small, one, None, variable) for one in library.components for calls in CALLS]
    romio = library.romio
    cases += [mpi_io_case(calls, small, romio, one, variable) for one in hint_sets() for calls in one.calls]
    return cases


def reductions_case() -> Case:
    """Independent. Maxima and minima of unsigned integers, from which programs compute offsets."""
    return Case("reductions", "unsigned words", "reductions")


def costs_case(repetitions: int) -> Case:
    """Independent. The times of small operations."""
    return Case("costs", "costs", "costs", {"repetitions": repetitions})


def room_for_costs(ranks: int, repetitions: int) -> int:
    """Independent. Bytes of the files that measuring costs makes: a mebibyte of one rank, of each to its own
    file and of each to one of all, every time.
    """
    return repetitions * (1 + 2 * ranks) * MEBIBYTE + MEBIBYTE


def locking_cases() -> list[Case]:
    """Independent. Locks of the operating system, and of the HDF5 library in each mode."""
    cases = [Case("locks", "operating system", "locks")]
    for mode in LOCKING_MODES:
        environment = {LOCKING_VARIABLE: mode} if mode else {}
        subject = f"{LOCKING_VARIABLE}={mode}" if mode else f"{LOCKING_VARIABLE} not set"
        cases.append(
            Case("file locking", subject, "library-locks", environment=environment, default=not mode)
        )
    return cases
