"""Simulation of the accesses to storage of a program on any number of ranks, without writing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from quire import _core
from quire.errors import Error, UsageError
from quire.io.formats import FormatInfo, format_info
from quire.lab.workloads import MOST_BYTES, column_types, make_workload, payload_of
from quire.sizes import parse_size

MADE_SHAPE = ("Hexahedron", ("Modified_A", "Modified_A", "Modified_A"))
"""The numbers of modes of generated elements, as in the benchmark."""

STREAM_SIZES = ("bytes", "pieces", "chunk")


@dataclass(frozen=True)
class Method:
    """A format and the options for writing it."""

    format: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Independent. Return the method as text: `FORMAT:option=value,...`."""
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.format}:{options}" if options else self.format


@dataclass(frozen=True)
class Machine:
    """The storage, and which ranks write. Sizes are in bytes."""

    stripe_count: int = 1
    stripe_size: int = 1 << 20
    targets: int = 0
    """Number of all storage targets; 0: as many as a file has stripes."""
    lock_size: int = 0
    """Unit of locks of the file system; 0: a stripe."""
    request_size: int = 4 << 20
    """Longer extents are written by several requests."""
    ranks_per_node: int = 0
    """One rank of each node writes for all of them; 0: each writes for itself."""
    aggregators: int = 0
    """Number of aggregators, each of which writes an equal part of the file for all ranks; 0: none."""

    def as_core(self) -> dict[str, int]:
        """Independent. Return the machine for the core."""
        return {
            "stripes": self.stripe_count,
            "stripe_bytes": self.stripe_size,
            "targets": self.targets or self.stripe_count,
            "lock_bytes": self.lock_size,
            "request_bytes": self.request_size,
            "ranks_per_node": self.ranks_per_node,
            "aggregators": self.aggregators,
        }


@dataclass(frozen=True)
class Spread:
    """The distribution of a quantity over ranks."""

    least: int
    most: int
    most_at: int
    """The first rank with the most."""
    sum: int
    count: int

    @property
    def mean(self) -> float:
        """Independent. Return the mean of a rank."""
        return self.sum / self.count if self.count else 0.0


@dataclass(frozen=True)
class Load:
    """The load of one storage target or aggregator."""

    bytes: int
    requests: int


@dataclass(frozen=True)
class SizeClass:
    """Requests of more than half of `limit` bytes, up to all of it."""

    limit: int
    requests: int
    bytes: int


@dataclass(frozen=True)
class Report:
    """The counts. In formats of one step, each step is a file."""

    method: Method
    ranks: int
    steps: int
    payload: int
    """Bytes of values in the memory of the program."""
    encoded_bytes: int
    """Bytes that are formatted or compressed to determine their size."""
    file_bytes: int
    files: int
    bytes: int
    """Written bytes; more than the size of the files if bytes are written twice."""
    extents: int
    requests: int
    sizes: list[SizeClass]
    bytes_of_rank: Spread
    requests_of_rank: Spread
    writers: int
    targets: list[Load]
    crossings: int
    """Number of stripe boundaries inside extents."""
    crossing: int
    """Extents with such boundaries."""
    shared_units: int
    """Lock units that two or more ranks write to."""
    conflicts: int
    """Minimum number of transfers of locks between ranks."""
    most_sharers: int
    """Ranks that write to the same lock unit."""
    sampled: float
    """The share of lock units that was counted; below 1 the three numbers before are estimates."""
    opens: int
    """Opens of all ranks; each opens the files that it writes to."""
    guard_writes: int
    """Writes of rank 0 before the data of a step, which make readers refuse it."""
    publish_writes: int
    publish_bytes: int
    publish_syncs: int
    """Flushes in commits, if durability is requested."""
    resizes: int
    aggregators: list[Load]
    messages: int
    message_bytes: int

    @property
    def payload_share(self) -> float:
        """Independent. Return the share of values in the bytes of the files."""
        return self.payload / self.file_bytes if self.file_bytes else 0.0


REPEATED = (
    "payload", "encoded_bytes", "file_bytes", "files", "bytes", "extents", "requests", "crossings",
    "crossing", "shared_units", "conflicts", "opens", "guard_writes", "publish_writes", "publish_bytes",
    "publish_syncs", "resizes", "messages", "message_bytes",
)  # fmt: skip
"""Fields that are summed over files, if each step is a file."""


def parse_method(text: str) -> Method:
    """Independent. Parse `FORMAT` or `FORMAT:option=value,...`. Raises UsageError."""
    name, _, rest = text.partition(":")
    options: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise UsageError(f"'{part}' is not an option", advice="write FORMAT:option=value,...")
        options[key] = value
    return Method(format_info(name).name, options)


def parse_workload(text: str) -> dict[str, Any]:
    """Independent. Parse a workload: a name of the benchmark, `table:ROWSxCOLUMNS` of doubles,
    `field:NZxNYxNX`, `elements:COUNT` or `streams:BYTES` (of each rank). Sizes can be changed after commas:
    `particles,rows=1000000`. Raises UsageError.
    """
    what, *changes = text.split(",")
    given = dict(parse_change(change) for change in changes)
    kind, colon, size = what.partition(":")
    if not colon:
        return make_workload({"workload": kind, **given})
    given.setdefault("name", kind)
    if kind == "streams":
        return stream_workload({"bytes": parse_size(size), **given})
    if not re.fullmatch(r"\d+(x\d+)*", size):
        raise UsageError(f"'{size}' is not a size", advice="write sizes as 1000x8")
    numbers = [int(number) for number in size.split("x")]
    base: dict[str, Any] = {"kind": kind, "steps": 1}
    if kind == "table":
        base |= {"rows": numbers[0], "columns": f"{numbers[1] if len(numbers) > 1 else 1}xfloat64"}
    elif kind == "field":
        base |= {"extents": numbers, "components": 1, "fields": 1, "decomposition": "block3d"}
    else:
        base |= {"elements": numbers[0], "variables": 4, "modes": [4]}
    return make_workload({**base, **given})


def parse_change(text: str) -> tuple[str, Any]:
    """Independent. `rows=1000`, `extents=4x5`, `columns=6xfloat64`. Raises UsageError."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"'{text}' changes nothing", advice="write NAME=VALUE after a comma")
    if name in ("extents", "modes"):
        return name, [int(number) if number.isdigit() else 0 for number in value.split("x")]
    if name in ("columns", "decomposition", "name"):
        return name, value
    if name in ("content", "imbalance", "seed"):
        raise UsageError(f"a simulation has no {name}: no values, and the ranks share evenly")
    return name, parse_size(value)


def stream_workload(given: Mapping[str, Any]) -> dict[str, Any]:
    """Independent. Return a workload of one stream of this size per rank. Raises UsageError."""
    unknown = [name for name in given if name not in (*STREAM_SIZES, "name")]
    if unknown:
        raise UsageError(f"streams have no {unknown[0]}", advice=f"they have {', '.join(STREAM_SIZES)}")
    if any(isinstance(given[name], int) and given[name] > MOST_BYTES for name in given):
        raise UsageError("the size of streams exceeds 63 bits")
    return {"kind": "streams", "steps": 1, "pieces": 1, **given}


def grid_of(decomposition: str, ranks: int, axes: int) -> tuple[list[int], bool]:
    """Independent. Return the ranks along each axis of a field, and whether elements are cyclic."""
    ones = [1] * axes
    if decomposition == "row":
        return [ranks, *ones[1:]], False
    if decomposition == "column":
        return [*ones[1:], ranks], True
    cut = min(axes, 3 if decomposition == "block3d" else 2)
    parts = _core.balanced_grid(ranks, cut)
    grid = parts + ones[cut:] if decomposition == "block3d" else ones[cut:] + parts
    return grid, decomposition == "pattern"


def as_core(workload: Mapping[str, Any], ranks: int, info: FormatInfo) -> dict[str, Any]:
    """Independent. Return a workload for the core. In files of streams the values of a rank are its
    stream.
    """
    kind = workload["kind"]
    if kind == "streams":
        made = {"stream_bytes": workload["bytes"], "pieces": workload["pieces"]}
        return {**made, "chunk_bytes": workload["chunk"]} if "chunk" in workload else made
    if info.holds_streams:
        return {"stream_bytes": math.ceil(payload_of(workload) / workload["steps"] / ranks), "pieces": 1}
    if kind == "table":
        types = [name for count, name in column_types(workload["columns"]) for _ in range(count)]
        columns = [(f"c{number}", name) for number, name in enumerate(types)]
        return {"columns": columns, "rows": workload["rows"]}
    if kind == "field":
        grid, interleaved = grid_of(workload["decomposition"], ranks, len(workload["extents"]))
        names = [(f"f{number}", "float64", workload["components"]) for number in range(workload["fields"])]
        return {
            "fields": names,
            "extents": list(workload["extents"]),
            "grid": grid,
            "interleaved": interleaved,
        }
    return elements_as_core(workload)


def elements_as_core(workload: Mapping[str, Any]) -> dict[str, Any]:
    """Independent. Return a block of elements for each number of modes."""
    shape, basis = MADE_SHAPE
    counts: dict[int, int] = {}
    turns, rest = divmod(workload["elements"], len(workload["modes"]))
    for number, modes in enumerate(workload["modes"]):
        counts[modes] = counts.get(modes, 0) + turns + (1 if number < rest else 0)
    blocks = [(shape, list(basis), [modes] * len(basis), count) for modes, count in counts.items() if count]
    return {"elements": blocks, "variables": [f"v{number}" for number in range(workload["variables"])]}


def simulate(
    method: Method,
    workload: Mapping[str, Any],
    ranks: int,
    machine: Machine | None = None,
    *,
    row_bytes: int = 0,
) -> Report:
    """Independent. Simulate the write of a workload by one method, split evenly over the ranks.

    `row_bytes` is the size of a row in text formats; 0 is the usual width of numbers. Raises the errors of
    the program: UsageError for sizes and options, UnsupportedError for objects that the format cannot store.
    """
    info = format_info(method.format)
    made = as_core(workload, ranks, info)
    if row_bytes:
        made["row_bytes"] = row_bytes
    steps = int(workload["steps"])
    layout = (machine or Machine()).as_core()
    # In a format of one step, the next step is another file, which is written in the same way.
    files = steps if info.one_step else 1
    found = _core.simulate_write(
        info.name, dict(method.options), made, ranks, steps if files == 1 else 1, layout
    )
    for name in REPEATED:
        found[name] *= files
    for name in ("sizes", "targets", "aggregators"):
        entry = SizeClass if name == "sizes" else Load
        fixed = 1 if name == "sizes" else 0
        found[name] = [
            entry(*numbers[:fixed], *(number * files for number in numbers[fixed:]))
            for numbers in found[name]
        ]
    for name in ("bytes_of_rank", "requests_of_rank"):
        found[name] = Spread(**found[name])
    found["steps"] = steps
    known = {one.name for one in fields(Report)}
    return Report(
        method=method, ranks=ranks, **{name: value for name, value in found.items() if name in known}
    )


@dataclass(frozen=True)
class Refusal:
    """A method that cannot write a workload, and the reason."""

    method: Method
    reason: str


def compare(
    methods: Sequence[Method],
    workload: Mapping[str, Any],
    ranks: int,
    machine: Machine | None = None,
    *,
    row_bytes: int = 0,
) -> list[Report | Refusal]:
    """Independent. Simulate several methods; those that cannot write the workload give the reason. Raises
    UsageError for invalid arguments.
    """
    found: list[Report | Refusal] = []
    for method in methods:
        try:
            found.append(simulate(method, workload, ranks, machine, row_bytes=row_bytes))
        except UsageError:
            raise
        except Error as problem:
            found.append(Refusal(method, str(problem)))
    return found
