"""Targets of a plan: what methods must reach in comparison with another one, or may use at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quire.errors import UsageError
from quire.lab.bench.cells import Cell
from quire.lab.bench.plan_types import check_types
from quire.lab.doctor.system import CLASSES, file_system_of

PLACES = ("disk", "memory")
"""Kinds of file systems."""
COUNTS = ("peak", "mean peak", "collectives_of_first_step", "collectives_of_later_steps")
"""What is counted of a cell: memory in MiB, of the rank with the most or the mean; collectives."""
KEYS = {
    "id", "what", "workload", "operation", "methods", "reference", "reference_operation", "count", "ranks",
    "places", "must", "aim",
}  # fmt: skip
NEEDED = ("id", "what", "workload", "methods", "ranks", "must")


@dataclass(frozen=True)
class Target:
    """How many times as fast as its reference a method must be in a case, or what it may use at most."""

    id: str
    what: str
    workload: str
    methods: Sequence[str]
    """Each of them must reach it."""
    ranks: Sequence[int]
    must: float
    operation: str = "write"
    reference: str = ""
    reference_operation: str = ""
    count: str = ""
    places: Sequence[str] = PLACES
    aim: str = ""

    def needs(self, cell: Cell) -> bool:
        """Independent. Whether a cell is one of those that it compares."""
        if cell.workload["name"] != self.workload or cell.ranks not in self.ranks:
            return False
        found = (cell.operation, cell.method.name)
        return found in [*((self.operation, one) for one in self.methods), self.compared]

    @property
    def compared(self) -> tuple[str, str]:
        """Independent. Operation and method of the reference."""
        return (self.reference_operation or self.operation, self.reference)

    def as_json(self) -> dict[str, Any]:
        """Independent. The entry of the results."""
        return asdict(self)


def target_of(given: Mapping[str, Any]) -> Target:
    """Independent. A target as a plan or results have it. Raises UsageError."""
    name = str(given.get("id", "?"))
    if unknown := sorted(set(given) - KEYS):
        raise UsageError(f"a target has no '{unknown[0]}'", object=name)
    if missing := [key for key in NEEDED if key not in given]:
        raise UsageError(f"a target needs '{missing[0]}'", object=name)
    check_types(given, "target")
    target = Target(**given)
    if bool(target.reference) == bool(target.count):
        raise UsageError("a target has either a reference or a count", object=name)
    if target.count and target.count not in COUNTS:
        raise UsageError(f"there is no count '{target.count}'", advice=f"one of {', '.join(COUNTS)}")
    if unknown := sorted(set(target.places) - set(PLACES)):
        raise UsageError(f"there is no place '{unknown[0]}'", advice=f"one of {', '.join(PLACES)}")
    return target


def targets_of(content: Mapping[str, Any], chosen: Sequence[str] | None, place: str | None) -> list[Target]:
    """Independent. The targets of a plan, or those of them that are chosen by name and place.

    Raises UsageError.
    """
    every = [target_of(one) for one in content.get("target", [])]
    names = list(dict.fromkeys(target.id for target in every))
    if unknown := [name for name in chosen or () if name not in names]:
        known = f"one of {', '.join(names)}" if names else "it has no targets at all"
        raise UsageError(f"the plan has no target '{unknown[0]}'", advice=known)
    found = [one for one in every if chosen is None or one.id in chosen]
    found = [one for one in found if place is None or place in one.places]
    if every and not found:
        raise UsageError(f"there is no such target for files on {place}")
    return found


def place_of_type(file_system: str) -> str:
    """Independent. The kind of a file system, of its type."""
    return "memory" if file_system in CLASSES["memory"] else "disk"


def place_of_directory(path: str | Path) -> str:
    """Independent. The kind of file system of a directory that may not exist yet."""
    there = next(one for one in (Path(path).absolute(), *Path(path).absolute().parents) if one.exists())
    return place_of_type(file_system_of(there).type)
