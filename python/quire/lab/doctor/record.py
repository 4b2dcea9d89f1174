"""The record of `quire doctor`, as it is saved and loaded.

The file is JSON, one object: the fields of `Record` by their names, `schema` "quire-doctor" and `version` 1.
Times are in seconds, sizes in bytes. `costs` maps the name of an operation to its `median`, its quartiles
`low` and `high`, and how many `samples` there are; the names are those of `OPERATIONS`.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire.kinds import (
    Shape,
    is_count,
    is_number,
    is_text,
    is_truth,
    is_whole,
    list_of,
    misfit,
    or_nothing,
    some_of,
    table_of,
)

SCHEMA = "quire-doctor"
VERSION = 1

OPERATIONS = {
    "polite_barrier": "barrier of all ranks as Quire waits: test, give way, sleep",
    "barrier": "blocking barrier of all ranks, MPI's own",
    "message_there_and_back": "8 bytes from rank 0 to the last rank and back",
    "message_1mib_there_and_back": "1 MiB from rank 0 to the last rank and back",
    "print_1mib": "print 1 MiB of float64 as text, in memory",
    "deflate_1mib": "compress 1 MiB of random float64 (deflate, level 6), in memory",
    "make_16_objects": "make 16 arrays by the HDF5 library, in a file of memory",
    "create": "make and close an empty file",
    "open": "open and close a file",
    "stat": "look up a file",
    "fsync": "open a small file, write 4 KiB, make them durable",
    "unlink": "remove a file of 4 KiB",
    "write_1mib": "write 1 MiB of a new file by one rank alone",
    "read_1mib": "read it again, from the memory of the node",
    "write_1mib_own_files": "write 1 MiB by all ranks at once, each to its own file",
    "write_1mib_shared_file": "write 1 MiB by all ranks at once, all to one file",
    "read_1mib_shared_file": "read it again, all ranks at once",
}
"""The operations that are measured. A record of one rank has no messages."""

COST: Shape = {"median": is_number, "low": is_number, "high": is_number, "samples": is_whole}
CHECK: Shape = {
    "group": is_text, "subject": is_text, "check": is_text, "outcome": is_text, "detail": is_text,
    "default": is_truth,
}  # fmt: skip
FINDING: Shape = {"severity": is_text, "text": is_text, "advice": is_text, "source": is_text}
SHAPE: Shape = {
    "when": is_text, "directory": is_text, "ranks": is_count, "launcher": list_of(is_text),
    "hosts": some_of(is_text), "cores": is_count, "quire": is_text, "mpi": is_text, "mpi_name": is_text,
    "mpi_version": is_text, "mpi_io": is_text, "big_request": is_whole,
    "costs": table_of(lambda cost: not misfit(cost, COST)),
    "checks": list_of(lambda check: not misfit(check, CHECK)),
    "findings": list_of(lambda finding: not misfit(finding, FINDING)),
    "file_system": {
        "type": is_text, "mount": is_text, "options": is_text, "free_bytes": is_whole,
        "block_bytes": is_whole, "stripe_count": or_nothing(is_whole), "stripe_bytes": or_nothing(is_whole),
    },
}  # fmt: skip
"""Of a record of any age: what is missing is found missing later."""

OUTCOMES = (
    "right",
    "wrong",  # other bytes than written, or another result
    "error",  # a call failed and said so
    "hang",  # it did not end in time
    "crash",  # the program died
    "missing",  # a component that this MPI has not
    "unsupported",  # locks that the file system has not
    "refused",  # a second writer was kept out,
    "allowed",  # or was not
    "skipped",  # nothing to see with so few ranks
)
"""The outcomes of a check."""

BAD_OUTCOMES = frozenset({"wrong", "error", "hang", "crash"})


@dataclass(frozen=True)
class Cost:
    """The time of an operation in seconds."""

    median: float
    low: float
    high: float
    samples: int


@dataclass(frozen=True)
class Check:
    """One test."""

    group: str
    """"transport", "mpi-io", "reductions", "locks", "file locking" or "costs"."""
    subject: str
    check: str
    outcome: str
    detail: str = ""
    default: bool = True
    """Whether this is the default of programs."""

    @property
    def is_bad(self) -> bool:
        """Independent. Whether it failed."""
        return self.outcome in BAD_OUTCOMES


@dataclass(frozen=True)
class Finding:
    """A finding for the user."""

    severity: str
    """"unsafe", "caution" or "note"."""
    text: str
    advice: str = ""
    source: str = ""


@dataclass(frozen=True)
class FileSystem:
    """The file system of the directory."""

    type: str
    mount: str
    options: str
    free_bytes: int
    block_bytes: int
    stripe_count: int | None = None
    """Of new files in the directory, if the file system reports stripes; -1 for all servers."""
    stripe_bytes: int | None = None


@dataclass(frozen=True)
class Record:
    """Everything about one directory, one MPI and one number of ranks."""

    when: str
    directory: str
    ranks: int
    launcher: list[str]
    hosts: list[str]
    cores: int
    quire: str
    mpi: str
    """The version text of the MPI library."""
    mpi_name: str
    mpi_version: str
    mpi_io: str
    """The implementation of MPI-IO that is the default here: "romio", "ompio", or empty."""
    file_system: FileSystem
    big_request: int
    """Bytes of the largest request that was tried; 0 if none."""
    costs: dict[str, Cost] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def safe(self) -> bool:
        """Independent. Whether nothing that programs get by default was found to be unsafe."""
        return all(finding.severity != "unsafe" for finding in self.findings)


def as_dictionary(record: Record) -> dict[str, Any]:
    """Independent. The record as a JSON object."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "safe": record.safe,
        **dataclasses.asdict(record),
    }


def from_dictionary(document: Any) -> Record:
    """Independent. The record of a JSON document. Raises UsageError with the reason if it is not a record."""
    from quire.errors import UsageError

    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(
            "this is not a record of quire doctor", advice="create one with quire doctor --save FILE"
        )
    if document.get("version") != VERSION:
        raise UsageError(f"the record has version {document.get('version')}, this Quire reads {VERSION}")
    if wrong := misfit(document, SHAPE):
        raise UsageError(f"'{wrong}' of the record has a value of another kind")
    known = {one.name for one in dataclasses.fields(Record)}
    values = {name: value for name, value in document.items() if name in known}
    try:
        values["file_system"] = FileSystem(**values["file_system"])
        values["costs"] = {name: Cost(**cost) for name, cost in values["costs"].items()}
        values["checks"] = [Check(**check) for check in values["checks"]]
        values["findings"] = [Finding(**finding) for finding in values["findings"]]
        return Record(**values)
    except (KeyError, TypeError, AttributeError) as problem:
        raise UsageError(f"the record of quire doctor is not complete: {problem}") from None


def save(record: Record, path: str | Path) -> None:
    """Independent. Write the record as JSON."""
    Path(path).write_text(json.dumps(as_dictionary(record), indent=2, allow_nan=False) + "\n")


def load(path: str | Path) -> Record:
    """Independent. Read a record. Raises UsageError for what is none, MissingFileError and InputOutputError
    for what cannot be read.
    """
    from quire.errors import InputOutputError, MissingFileError, UsageError

    try:
        document = json.loads(Path(path).read_text())
    except FileNotFoundError:
        raise MissingFileError("there is no such record of quire doctor", file=str(path)) from None
    except OSError as problem:
        raise InputOutputError(f"cannot be read: {problem.strerror}", file=str(path)) from None
    except (UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise UsageError(f"{path} is not JSON: {problem}") from None
    return from_dictionary(document)
