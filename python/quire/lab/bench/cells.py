"""What is measured: a cell is one method, operation and workload on one number of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OPERATIONS = ("write", "rewrite", "read", "read-other", "read-subset", "convert")
READS = ("read", "read-other", "read-subset")
CACHES = ("warm", "shifted", "evicted", "direct")
"""What reads find: their bytes in memory, those that another node wrote, or nothing."""
COLD_CACHES = ("shifted", "evicted", "direct")
"""Of which the driver says whether it was so."""
RAW_ENGINES = ("raw-shared", "raw-own")
ENGINES = ("library", *RAW_ENGINES, "mpiio", "hdf5", "pnetcdf")


@dataclass(frozen=True)
class Method:
    """A way to move bytes, as the driver knows it; `options` are those of the library's writer."""

    name: str
    engine: str = "library"
    format: str = ""
    transport: str = ""
    transfer: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    fault: Mapping[str, Any] | None = None
    """What the driver does wrong on purpose, for tests of the benchmark itself."""
    least_ranks: int = 1
    """On fewer ranks it makes no sense and is left out."""
    to: str = ""
    """The name of the method by which `convert` writes what it reads by this one."""
    of: str = ""
    """The name of the method whose file is read; empty: its own."""
    memory: str = ""
    """`aligned`: what is read goes to memory with the place in its page that the data have in the file."""

    def as_json(self) -> dict[str, Any]:
        """Independent. The entry of the plan of a launch, without empty values."""
        given: dict[str, Any] = {"name": self.name, "engine": self.engine}
        for key in ("format", "transport", "transfer", "memory"):
            if getattr(self, key):
                given[key] = getattr(self, key)
        return {**given, "options": dict(self.options)}


@dataclass(frozen=True)
class Cell:
    """One thing to measure; every pass does it once."""

    method: Method
    operation: str
    workload: Mapping[str, Any]
    ranks: int
    readers: int
    cache: str = "none"
    fault: Mapping[str, Any] | None = None
    to: Method | None = None
    """By what a conversion writes."""
    maker: Method | None = None
    """By what the file that is read was written, if not by `method`."""
    peak: bool = False
    """Whether the peak of memory is measured."""

    @property
    def id(self) -> str:
        """Independent. A text that identifies the cell in its plan."""
        ranks = f"{self.ranks}" if self.readers == self.ranks else f"{self.ranks}-{self.readers}"
        parts = [str(self.workload["name"]), self.method.name, self.operation, ranks]
        return "/".join([*parts, self.cache] if self.cache != "none" else parts)

    @property
    def world(self) -> int:
        """Independent. How many ranks it needs."""
        return max(self.ranks, self.readers)

    def as_json(self) -> dict[str, Any]:
        """Independent. The entry of the plan of a launch."""
        target = {} if self.to is None else {"to": self.to.as_json()}
        maker = {} if self.maker is None else {"maker": self.maker.as_json()}
        peak = {"peak": True} if self.peak else {}
        return {
            "id": self.id,
            "method": self.method.as_json(),
            "operation": self.operation,
            "workload": dict(self.workload),
            "ranks": self.ranks,
            "readers": self.readers,
            "cache": self.cache,
            "repetition": 0,
            "fault": None if self.fault is None else dict(self.fault),
            **target,
            **maker,
            **peak,
        }


def is_read(operation: str) -> bool:
    """Independent. Whether the clock of an operation measures reading only."""
    return operation in READS


def option_text(value: Any) -> str:
    """Independent. The value of an option as the registry takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
