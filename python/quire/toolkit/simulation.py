"""What storage would see of a program on any number of ranks, counted without writing anything."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from quire import _core
from quire.advise.situation import parse_size
from quire.errors import Error, UsageError
from quire.io.formats import FormatInfo, format_info

MADE_SHAPE = ("Hexahedron", ("Modified_A", "Modified_A", "Modified_A"))
"""Of made-up elements, as the benchmark has them."""

STREAM_SIZES = ("bytes", "pieces", "chunk")


@dataclass(frozen=True)
class Method:
    """A format and the options with which it is written."""

    format: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Independent. As it was asked for: `FORMAT:option=value,...`."""
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.format}:{options}" if options else self.format


@dataclass(frozen=True)
class Machine:
    """The storage, and which ranks write. Sizes are in bytes."""

    stripe_count: int = 1
    stripe_size: int = 1 << 20
    targets: int = 0
    """Storage targets in all; 0: as many as a file has stripes."""
    lock_size: int = 0
    """What the file system locks at once; 0: a stripe."""
    request_size: int = 4 << 20
    """Longer extents go in several requests."""
    ranks_per_node: int = 0
    """One rank of each node writes for all of them; 0: each writes for itself."""
    aggregators: int = 0
    """So many ranks write an equal part of the file each, for all others; 0: none do."""

    def as_core(self) -> dict[str, int]:
        """Independent. As the core takes it."""
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
    """How something is spread over ranks."""

    least: int
    most: int
    most_at: int
    """The first rank that has the most."""
    sum: int
    count: int

    @property
    def mean(self) -> float:
        """Independent. Of one rank."""
        return self.sum / self.count if self.count else 0.0


@dataclass(frozen=True)
class Load:
    """What one storage target or aggregator has to do."""

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
    """What was counted. Of formats of one step, all steps in files of their own."""

    method: Method
    ranks: int
    steps: int
    payload: int
    """Bytes of values in the memory of the program."""
    encoded_bytes: int
    """Those of them that are printed or compressed to know how many bytes they take."""
    file_bytes: int
    files: int
    bytes: int
    """That are written; more than the files have where something is written twice."""
    extents: int
    requests: int
    sizes: list[SizeClass]
    bytes_of_rank: Spread
    requests_of_rank: Spread
    writers: int
    targets: list[Load]
    crossings: int
    """How often an extent goes over the end of a stripe."""
    crossing: int
    """Extents that do."""
    shared_units: int
    """Lock units that two ranks or more touch."""
    conflicts: int
    """How often a lock must go from one rank to another, at least."""
    most_sharers: int
    """Ranks that touch one lock unit."""
    sampled: float
    """The share of lock units that was told apart; below 1 the three numbers before are estimates."""
    opens: int
    """By all ranks; each opens the files that it writes to."""
    guard_writes: int
    """By rank 0 before the data of a step, so that readers refuse it."""
    publish_writes: int
    publish_bytes: int
    publish_syncs: int
    """Inside publications, where durability is asked for."""
    resizes: int
    aggregators: list[Load]
    messages: int
    message_bytes: int

    @property
    def payload_share(self) -> float:
        """Independent. Of the bytes of the files."""
        return self.payload / self.file_bytes if self.file_bytes else 0.0


REPEATED = (
    "payload", "encoded_bytes", "file_bytes", "files", "bytes", "extents", "requests", "crossings",
    "crossing", "shared_units", "conflicts", "opens", "guard_writes", "publish_writes", "publish_bytes",
    "publish_syncs", "resizes", "messages", "message_bytes",
)  # fmt: skip
"""Sums over files, where each step is one."""


def parse_method(text: str) -> Method:
    """Independent. `FORMAT` or `FORMAT:option=value,...`. Raises UsageError."""
    name, _, rest = text.partition(":")
    options: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise UsageError(f"'{part}' is not an option", advice="write FORMAT:option=value,...")
        options[key] = value
    return Method(format_info(name).name, options)


def parse_workload(text: str) -> dict[str, Any]:
    """Independent. A workload of the benchmark by its name, `table:ROWSxCOLUMNS` of doubles,
    `field:NZxNYxNX`, `elements:COUNT` or `streams:BYTES` (of each rank), with sizes changed behind commas:
    `particles,rows=1000000`. Raises UsageError.
    """
    from quire.bench.workloads import make_workload

    what, *changes = text.split(",")
    given = dict(parse_change(change) for change in changes)
    kind, colon, size = what.partition(":")
    if not colon:
        return make_workload({"workload": kind, **given})
    given.setdefault("name", kind)
    if kind == "streams":
        return stream_workload({"bytes": parse_size(size), **given})
    if not re.fullmatch(r"\d+(x\d+)*", size):
        raise UsageError(f"'{size}' are no sizes", advice="write them as 1000x8")
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
        raise UsageError(f"'{text}' changes nothing", advice="write NAME=VALUE behind a comma")
    if name in ("extents", "modes"):
        return name, [int(number) if number.isdigit() else 0 for number in value.split("x")]
    if name in ("columns", "decomposition", "name"):
        return name, value
    if name in ("content", "imbalance", "seed"):
        raise UsageError(f"a simulation has no {name}: no values, and the ranks share evenly")
    return name, parse_size(value)


def stream_workload(given: Mapping[str, Any]) -> dict[str, Any]:
    """Independent. Streams of so many bytes, one a rank. Raises UsageError."""
    from quire.bench.workloads import MOST_BYTES

    unknown = [name for name in given if name not in (*STREAM_SIZES, "name")]
    if unknown:
        raise UsageError(f"streams have no {unknown[0]}", advice=f"they have {', '.join(STREAM_SIZES)}")
    if any(isinstance(given[name], int) and given[name] > MOST_BYTES for name in given):
        raise UsageError("streams are larger than 63 bits can count")
    return {"kind": "streams", "steps": 1, "pieces": 1, **given}


def grid_of(decomposition: str, ranks: int, axes: int) -> tuple[list[int], bool]:
    """Independent. Ranks along each axis of a field, and whether each has every so many-th element."""
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
    """Independent. A workload as the core takes it. Files of streams take the values of each rank as its
    stream.
    """
    from quire.bench.workloads import column_types, payload_of

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
    """Independent. A block of elements for each number of modes."""
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
    """Independent. What one method makes of a workload on so many ranks, split evenly.

    `row_bytes` is what a row takes where rows are text, as numbers of usual width if 0. Raises what the
    program would raise: UsageError for sizes and options, UnsupportedError for what a format does not hold.
    """
    info = format_info(method.format)
    made = as_core(workload, ranks, info)
    if row_bytes:
        made["row_bytes"] = row_bytes
    steps = int(workload["steps"])
    layout = (machine or Machine()).as_core()
    # A format of one step has the next one in another file, which is written alike.
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
    """A method that cannot write a workload, and why."""

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
    """Independent. The same for several methods; those that cannot write it say why. Raises UsageError for
    what is wrong with the question.
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
