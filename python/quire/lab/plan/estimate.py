"""Estimates of times of simulated accesses, from the record of `quire doctor`, with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from quire.errors import UsageError
from quire.io.formats import format_info
from quire.lab.doctor.record import Cost, Record
from quire.lab.doctor.system import CLASSES
from quire.lab.plan.simulation import Machine, Report

MIB = float(1 << 20)
MODEL_FACTOR = 4.0
"""The factor of uncertainty of the model, in addition to the spread of measurements."""

COLLECTIVES_OF_STEP = 2

BYTES_OF_OBJECT = 370
"""Bytes of an array in the commit of a step, if a library lays out the file."""
MEASURED_OBJECTS = 16


@dataclass(frozen=True)
class Seconds:
    """An estimate and its limits."""

    low: float
    likely: float
    high: float

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def times(self, low: float, likely: float, high: float) -> Seconds:
        """Independent. Multiply by a number."""
        return Seconds(self.low * low, self.likely * likely, self.high * high)


NOTHING = Seconds(0.0, 0.0, 0.0)


def between(low: float, high: float) -> tuple[float, float, float]:
    """Independent. Return two limits, all in parallel and all in sequence, and their geometric mean."""
    low = min(math.ceil(low), high)
    return low, math.sqrt(low * high), high


@dataclass(frozen=True)
class Estimate:
    """Seconds of one run, from the first open to the last close."""

    parts: Mapping[str, Seconds]
    """"metadata", "encoding", "data", "locks", "messages", "meetings" and, of durable runs, "sync"."""
    total: Seconds
    """The sum. Its limits include the uncertainty of the model."""


def estimate(report: Report, record: Record, machine: Machine, *, durable: bool = False) -> Estimate:
    """Independent. Estimate the time on more nodes of the machine of the record.

    The node of the record is the unit: its write rate is used for one node and for one storage target. Raises
    UsageError if the record lacks a cost.
    """
    costs = Costs(record)
    parts = {
        "metadata": costs.metadata(report),
        "encoding": costs.encoding(report),
        "data": costs.data(report, machine),
        "locks": costs.locks(report, machine),
        "messages": costs.messages(report),
        "meetings": costs.collectives(report),
    }
    if durable:
        parts["sync"] = costs.sync(report)
    total = sum(parts.values(), NOTHING)
    return Estimate(parts, Seconds(total.low / MODEL_FACTOR, total.likely, total.high * MODEL_FACTOR))


def nodes_of(ranks: int, record: Record, machine: Machine) -> int:
    """Independent. Return the number of nodes, from the given ranks per node or those of the record."""
    return math.ceil(ranks / (machine.ranks_per_node or max(record.ranks, 1)))


def caution(ranks: int, record: Record, machine: Machine) -> str:
    """Independent. Return a warning if the record does not apply to this number of ranks; else empty."""
    kind = record.file_system.type
    nodes = nodes_of(ranks, record, machine)
    if nodes < 2 or kind not in (*CLASSES["local"], *CLASSES["memory"]):
        return ""
    return (
        f"the record is of {kind}, storage of one node: {nodes} nodes that share storage were not measured, "
        "run quire doctor there"
    )


class Costs:
    """The costs of single operations in a record."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def _of(self, *names: str) -> Seconds:
        """Return the first of these costs that was measured. Raises an error if there is none."""
        cost: Cost | None = next(
            (self._record.costs[name] for name in names if name in self._record.costs), None
        )
        if cost is None:
            raise UsageError(f"the record has no cost of {names[0]}", advice="run quire doctor again")
        return Seconds(cost.low, cost.median, cost.high)

    def metadata(self, report: Report) -> Seconds:
        """Files that are created and opened, between all ranks in parallel and in sequence; and the writes of
        rank 0 before and after the data, where the library takes longer than the storage.
        """
        made = self._of("create").times(*between(report.files / max(report.writers, 1), report.files))
        others = max(0, report.opens - report.files)
        opened = self._of("open").times(*between(others / max(report.writers, 1), others))
        around = self._of("stat").times(*[report.guard_writes + report.publish_writes + report.resizes] * 3)
        objects = report.publish_bytes // BYTES_OF_OBJECT / MEASURED_OBJECTS
        return made + opened + around + self._of("make_16_objects", "create").times(*[objects] * 3)

    def encoding(self, report: Report) -> Seconds:
        """Values that are formatted, to measure and to write them, or compressed. It is not known which, so
        these are the limits.
        """
        if not report.encoded_bytes:
            return NOTHING
        share = report.bytes_of_rank.most / max(report.bytes_of_rank.mean, 1.0) / report.ranks
        amount = [report.encoded_bytes * share / MIB] * 3
        printed = self._of("print_1mib").times(2, 2, 2).times(*amount)
        packed = self._of("deflate_1mib").times(*amount)
        low, high = min(printed.low, packed.low), max(printed.high, packed.high)
        return Seconds(low, math.sqrt(printed.likely * packed.likely), high)

    def data(self, report: Report, machine: Machine) -> Seconds:
        """The slowest rank, node or target: a request costs a small call and its bytes."""
        call, alone = self._of("stat"), self._of("write_1mib")
        together = self._of(self._way_to_write(report), "write_1mib")
        # All ranks of the record wrote 1 MiB each at the same time.
        node = together.times(*[1 / (MIB * max(self._record.ranks, 1))] * 3)
        busiest = max(report.aggregators, key=lambda load: load.bytes, default=None)
        amount = busiest.bytes if busiest else report.bytes_of_rank.most * report.steps
        # A rank that writes for others may combine adjacent pieces.
        least = (
            busiest.bytes / machine.request_size if busiest else report.requests_of_rank.most * report.steps
        )
        most = busiest.requests if busiest else report.requests_of_rank.most * report.steps
        rank = call.times(*between(least, most)) + alone.times(*[amount / MIB] * 3)
        nodes = nodes_of(report.ranks, self._record, machine)
        target = max((load.bytes for load in report.targets), default=0)
        of_node = node.times(*[report.bytes / nodes] * 3)
        of_target = node.times(*[target] * 3)
        return Seconds(
            max(rank.low, of_node.low),
            max(rank.likely, of_node.likely, of_target.likely),
            max(rank.high, of_node.high, of_target.high),
        )

    def _way_to_write(self, report: Report) -> str:
        """Separate files of the ranks of a node are written in parallel."""
        at_once = report.files // report.steps if format_info(report.method.format).one_step else report.files
        is_own = at_once >= min(report.writers, self._record.ranks) > 1
        return "write_1mib_own_files" if is_own else "write_1mib_shared_file"

    def locks(self, report: Report, machine: Machine) -> Seconds:
        """Locks that move between ranks, in file systems with such locks: two messages each."""
        if self._record.file_system.type not in (*CLASSES["parallel"], *CLASSES["network"]):
            return NOTHING
        message = self._of("message_there_and_back", "polite_barrier")
        targets = machine.targets or machine.stripe_count
        return message.times(
            report.conflicts / report.ranks, report.conflicts / targets, float(report.conflicts)
        )

    def messages(self, report: Report) -> Seconds:
        """Bytes sent to aggregators, of which the busiest one determines the time."""
        if not report.message_bytes:
            return NOTHING
        message = self._of("message_1mib_there_and_back", "write_1mib")
        amount = report.message_bytes / max(len(report.aggregators), 1) / MIB
        return message.times(amount / 2, amount / 2, amount)

    def collectives(self, report: Report) -> Seconds:
        """Collectives, which grow with the logarithm of the ranks."""
        growth = math.log2(max(report.ranks, 2)) / math.log2(max(self._record.ranks, 2))
        count = COLLECTIVES_OF_STEP * report.steps * max(growth, 1.0)
        return self._of("polite_barrier").times(count, count, count)

    def sync(self, report: Report) -> Seconds:
        """Flushes of the data, the commit, and the directory."""
        each = 2 * report.steps + report.publish_syncs
        return self._of("fsync").times(each, each, each * max(1, report.files / report.steps))
