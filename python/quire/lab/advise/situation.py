"""What is to be written, by how many ranks, where: the facts that rules of advice ask for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import quire
from quire.errors import Error, MissingFileError, UnsupportedError, UsageError
from quire.io.formats import format_infos
from quire.io.types import dtype_of
from quire.lab.doctor.record import FileSystem, Record
from quire.lab.doctor.system import CLASSES, file_system_of
from quire.lab.plan.simulation import Method, simulate
from quire.lab.plan.simulation import parse_workload as sizes_of
from quire.lab.workloads import MOST_BYTES, column_types, payload_of
from quire.sizes import parse_size

TEXT_BYTES = 16
"""The assumed size of a text, whose length is known only from its bytes."""
MOST_STEPS = 20
"""Steps of a file that are looked at."""
KINDS = ("table", "field", "elements", "streams")
"""Kinds of what a step holds."""


@dataclass(frozen=True)
class Load:
    """What one step holds."""

    kind: str
    bytes: int
    columns: int = 1
    """Columns, components or variables: how many arrays a rank puts."""
    steps: int = 1


@dataclass(frozen=True)
class Situation:
    """Everything that rules may ask for."""

    path: Path
    load: Load
    ranks: int
    nodes: int
    cores: int
    """Of a node."""
    where: FileSystem
    targets: int | None = None
    """Servers of a parallel file system, if known."""
    format: str | None = None
    measured: Record | None = None
    arrays_apart: int | None = None
    """In how many places of the file the arrays of a step lie; None: each in one of its own."""
    bad_ways: frozenset[str] = field(default_factory=frozenset)
    """Transports that gave wrong data, failed or hung where it was measured."""

    @property
    def is_measured_elsewhere(self) -> bool:
        """Independent. Whether the record is of another file system than this one."""
        if self.measured is None:
            return False
        other = self.measured.file_system
        return (other.type, other.mount) != (self.where.type, self.where.mount)

    @property
    def ranks_per_node(self) -> int:
        """Independent. On the fullest node."""
        return -(-self.ranks // self.nodes)

    @property
    def bytes_per_rank(self) -> int:
        """Independent. Of a step, on average."""
        return self.load.bytes // self.ranks

    @property
    def storage(self) -> str:
        """Independent. The class of the file system: parallel, network, memory, local or unknown."""
        kind = self.where.type.removeprefix("fuse.") if self.where.type != "fuse.sshfs" else self.where.type
        return next((name for name, types in CLASSES.items() if kind in types), "unknown")


def parse_workload(text: str, ranks: int = 1) -> Load:
    """Independent. What a step holds: a size, with or without a kind (`5.5GB`, `elements:2GiB`), or anything
    that `quire plan` takes (`table:ROWSxCOLUMNS`, `particles,rows=1000000`); streams are of each rank.

    Raises UsageError.
    """
    kind, colon, size = text.partition(":")
    if not colon and text[:1].isdigit():
        return load_of_size("table", text)
    if colon and kind not in KINDS:
        raise UsageError(f"'{kind}' is no kind of data", advice=f"there are {', '.join(KINDS)}")
    if colon and kind != "streams" and re.fullmatch(r"\d+(\.\d+)?\s*[A-Za-z]+", size):
        return load_of_size(kind, size)
    made = sizes_of(text)
    steps = int(made["steps"])
    if made["kind"] == "streams":
        return checked(Load("streams", int(made["bytes"]) * ranks, steps=steps))
    return checked(Load(made["kind"], payload_of(made) // steps, arrays_of(made), steps))


def load_of_size(kind: str, size: str) -> Load:
    """Independent. So many bytes of a kind. Raises UsageError."""
    return checked(Load(kind, parse_size(size)))


def checked(load: Load) -> Load:
    """Independent. The load itself. Raises UsageError for one of no bytes, or of more than 63 bits count."""
    if load.bytes < 1:
        raise UsageError("there is nothing to write")
    if load.bytes > MOST_BYTES:
        raise UsageError("the workload is larger than 63 bits can count")
    return load


def arrays_of(workload: Mapping[str, Any]) -> int:
    """Independent. Columns, components of all fields or variables: how many arrays a rank puts."""
    if workload["kind"] == "table":
        return sum(count for count, _ in column_types(str(workload["columns"])))
    if workload["kind"] == "field":
        return int(workload["fields"]) * int(workload["components"])
    return int(workload["variables"])


def quantity_bytes(types: Iterable[str]) -> int:
    """Independent. The bytes of one value of each of these types."""
    sizes = (dtype_of(name).itemsize if name != "string" else TEXT_BYTES for name in types)
    return sum(sizes)


def load_of_step(step: quire.Step) -> Load:
    """Independent. What a step holds, by its description alone; streams have no size there."""
    columns = 0
    table_bytes = 0
    for table in step.tables.values():
        columns += len(table.columns)
        table_bytes += len(table) * quantity_bytes(column.type for column in table.columns.values())
    field_bytes = 0
    for one in step.fields.values():
        elements = 1
        for extent in one.extents:
            elements *= int(extent)
        field_bytes += elements * one.components * quantity_bytes([one.type])
    kind = "field" if field_bytes > table_bytes else "elements" if step.expansions else "table"
    return Load(kind, table_bytes + field_bytes, columns + len(step.fields))


def load_of_file(path: Path) -> tuple[Load, str]:
    """Independent. What the largest of the first steps of a file holds, and the name of its format."""
    with quire.open(path, quire.SELF) as file:
        steps = len(file)
        loads = [load_of_step(file[index]) for index in range(min(steps, MOST_STEPS))]
        streams = steps > 0 and len(file[0].streams) > 0
        members = [path.parent / name for name in file.members] or [path]
        if streams:
            size = sum(member.stat().st_size for member in members if member.is_file())
            return Load("streams", size, len(file[0].streams)), file.format
        largest = max(loads, key=lambda load: load.bytes, default=Load("table", 0))
        return Load(largest.kind, largest.bytes, largest.columns, steps), file.format


def bad_ways(record: Record | None) -> frozenset[str]:
    """Independent. The transports that a record found to be bad."""
    if record is None:
        return frozenset()
    return frozenset(check.subject for check in record.checks if check.group == "transport" and check.is_bad)


def is_file_of_ours(path: Path) -> bool:
    """Independent. Whether a path is read as a data file: a file, or a directory that a format knows."""
    if path.is_file():
        return True
    try:
        with quire.open(path, quire.SELF):
            return True
    except (Error, OSError):
        return False


def usual_format(kind: str) -> str | None:
    """Independent. The format for what only one kind of format holds; None where the user has the choice."""
    return next((info.name for info in format_infos() if kind == "streams" and info.holds_streams), None)


LEAST_OF_KIND = {
    "table": "table:1x1",
    "field": "field:1x1x1",
    "elements": "elements:1",
    "streams": "streams:1",
}


SAMPLE_OF_KIND = {"table": ("table:4096x8", 8), "elements": ("elements:64", 4)}
"""What shows whether a format keeps arrays apart, and how many arrays it has."""
SAMPLE_RANKS = 4


def arrays_apart(format: str, load: Load) -> int:
    """Independent. In how many places the arrays of a step lie: one where a format puts what a rank has of
    all of them side by side, as rows do. Fields and streams have as many as there are.
    """
    if load.kind not in SAMPLE_OF_KIND:
        return load.columns
    sample, arrays = SAMPLE_OF_KIND[load.kind]
    found = simulate(Method(format), sizes_of(sample), SAMPLE_RANKS)
    return load.columns if found.extents >= arrays * SAMPLE_RANKS else 1


def require_holder(format: str, load: Load) -> None:
    """Independent. Raises UsageError for a format that does not exist, or holds no such data at all."""
    try:
        simulate(Method(format), sizes_of(LEAST_OF_KIND[load.kind]), 1)
    except UnsupportedError as problem:
        raise UsageError(
            f"a {format} file does not hold this ({load.kind}): {problem.message}",
            advice="choose another --format",
        ) from None


def situation_of(
    path: Path,
    ranks: int,
    *,
    nodes: int | None = None,
    cores: int | None = None,
    workload: str | None = None,
    targets: int | None = None,
    format: str | None = None,
    measured: Record | None = None,
) -> Situation:
    """Independent. The facts about a data file, or about a directory and a workload.

    Raises UsageError for a directory without a workload, for more nodes than ranks and for a format that
    cannot hold the data, MissingFileError for what does not exist.
    """
    if nodes is not None and nodes > ranks:
        raise UsageError(
            f"{ranks} ranks cannot be on {nodes} nodes", advice="give --ranks of all nodes together"
        )
    if not path.exists():
        raise MissingFileError("there is no such file or directory", file=str(path))
    found = workload is None and is_file_of_ours(path)
    if workload is not None:
        load = parse_workload(workload, ranks)
    elif found:
        load, own_format = load_of_file(path)
        format = format or own_format
    else:
        raise UsageError(
            f"{path} is a directory: say by --workload what a step holds", advice="--workload 5.5GB"
        )
    format = format or usual_format(load.kind)
    if format is not None:
        require_holder(format, load)
    folder = path.parent if path.is_file() or found else path
    hosts = len(measured.hosts) if measured is not None else 1
    return Situation(
        path=path,
        load=load,
        ranks=ranks,
        nodes=nodes or min(ranks, hosts),
        cores=cores or (measured.cores if measured is not None else len(os.sched_getaffinity(0))),
        where=file_system_of(folder if str(folder) else "."),
        targets=targets,
        format=format,
        measured=measured,
        arrays_apart=arrays_apart(format, load) if format is not None else None,
        bad_ways=bad_ways(measured),
    )
