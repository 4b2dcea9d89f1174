"""Tables of simulated accesses to storage, with one column for each method."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quire.cli.command import answer
from quire.cli.output import columns_of_text, plural, remark, say, say_json

if TYPE_CHECKING:
    from quire.lab.plan.estimate import Estimate
    from quire.lab.plan.simulation import Machine, Refusal, Report

    Found = Report | Refusal

LONGEST_NAME = 28


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The options of a simulation."""

    workload: str
    methods: Sequence[str]
    ranks: int
    machine: Machine
    row_bytes: int = 0
    measured: str | None = None
    """A record of `quire doctor`."""
    durable: bool = False


@dataclasses.dataclass(frozen=True)
class Question:
    """The question, for the report."""

    workload: Mapping[str, Any]
    words: str
    """The workload as text."""
    ranks: int
    machine: Machine
    calibration: str = ""
    """The source of the costs of single operations."""


def show_simulation(wanted: Wanted, *, as_json: bool) -> None:
    """Independent. Print the accesses of each method, and estimated times. Exits with 1 if no method can
    write the workload.
    """
    from quire.lab.doctor import load
    from quire.lab.plan.estimate import caution, estimate
    from quire.lab.plan.simulation import Report, compare, parse_method, parse_workload
    from quire.lab.workloads import describe_workload

    record = load(wanted.measured) if wanted.measured is not None else None
    made = parse_workload(wanted.workload)
    methods = [parse_method(one) for one in wanted.methods]
    found = compare(methods, made, wanted.ranks, wanted.machine, row_bytes=wanted.row_bytes)
    times = [
        estimate(one, record, wanted.machine, durable=wanted.durable)
        if record and isinstance(one, Report)
        else None
        for one in found
    ]
    if record is not None and (doubt := caution(wanted.ranks, record, wanted.machine)):
        remark(doubt)
    words = f"streams of {made['bytes']} bytes" if made["kind"] == "streams" else describe_workload(made)
    question = Question(made, words, wanted.ranks, wanted.machine, wanted.measured or "")
    (print_json if as_json else print_reports)(question, found, times)
    if not any(isinstance(one, Report) for one in found):
        answer(False)


def print_reports(question: Question, found: Sequence[Found], estimates: Sequence[Estimate | None]) -> None:
    """Independent. Print a column for each method that can write the workload, a line for each other one."""
    from quire.lab.plan.simulation import Report

    say(f"{question.words} on {plural(question.ranks, 'rank')}")
    reports = [one for one in found if isinstance(one, Report)]
    times = [time for one, time in zip(found, estimates, strict=True) if isinstance(one, Report)]
    names = [one.method.name for one in reports]
    heads = [name if len(name) <= LONGEST_NAME else f"[{i + 1}]" for i, name in enumerate(names)]
    for head, name in zip(heads, names, strict=True):
        if head != name:
            say(f"{head} {name}")
    if reports:
        say()
        for line in columns_of_text(list(rows(heads, reports, times))):
            say(line)
    for one in found:
        if not isinstance(one, Report):
            say(f"{one.method.name}: not possible: {one.reason}")
    if any(one.sampled < 1 for one in reports):
        say(
            "~ estimated from a sample of the lock units, "
            + ", ".join(f"{one.sampled:.2g}" for one in reports)
            + " of all"
        )
    if question.calibration:
        from quire.lab.plan.estimate import MODEL_FACTOR

        say(
            f"times from {question.calibration}: limits from its quartiles, from all in parallel to all in "
            f"sequence, and a factor of {MODEL_FACTOR:g} for the model"
        )


def rows(
    heads: Sequence[str], reports: Sequence[Report], estimates: Sequence[Estimate | None]
) -> list[list[str]]:
    """Independent. Return the rows of the table, with its header."""
    table = [["", *heads]]

    def add(name: str, cell: Callable[[Report], str]) -> None:
        cells = [cell(one) for one in reports]
        if any(cells):
            table.append([name, *(text or "-" for text in cells)])

    add("files", lambda one: f"{one.files} of {size(one.file_bytes)} in all")
    add("payload", lambda one: f"{100 * one.payload_share:.2f} % of the files")
    add("ranks that write", lambda one: str(one.writers))
    add("bytes of a rank", bytes_of_rank)
    add("extents", lambda one: str(one.extents))
    add("requests", lambda one: f"{one.requests}, {size(one.bytes / max(one.requests, 1))} each")
    add("requests of a rank", lambda one: f"up to {one.requests_of_rank.most}")
    for limit in sorted({size_class.limit for one in reports for size_class in one.sizes}):
        add(f"  up to {limit_text(limit)}", functools.partial(of_class, limit))
    add("busiest target", lambda one: busiest(one.targets))
    add("stripe ends crossed", lambda one: f"{one.crossings} by {plural(one.crossing, 'extent')}")
    add("lock conflicts", conflicts)
    add("busiest aggregator", lambda one: busiest(one.aggregators))
    add(
        "sent to aggregators",
        lambda one: f"{size(one.message_bytes)} in {one.messages}" if one.aggregators else "",
    )
    add("creates, opens", lambda one: f"{one.files}, {one.opens}")
    add("to guard, to publish", acts)
    if any(estimates):
        parts = sorted({name for one in estimates if one for name in one.parts})
        for name in ["total", *parts]:
            cells = [span(one, name) if one else "" for one in estimates]
            table.append(["seconds" if name == "total" else f"  {name}", *cells])
    return table


def bytes_of_rank(report: Report) -> str:
    """Independent. Return the least and the most bytes, and the rank with the most."""
    spread = report.bytes_of_rank
    return f"{size(spread.least)} to {size(spread.most)} (rank {spread.most_at})"


def of_class(limit: int, report: Report) -> str:
    """Independent. Return the number of requests of a size class."""
    return next((str(one.requests) for one in report.sizes if one.limit == limit), "")


def busiest(loads: Sequence[Any]) -> str:
    """Independent. Return the most bytes of one of these, and the imbalance."""
    if not loads:
        return ""
    most = max(load.bytes for load in loads)
    mean = sum(load.bytes for load in loads) / len(loads)
    return f"{size(most)} of {len(loads)}, {most / mean if mean else 1:.2f} x the mean"


def conflicts(report: Report) -> str:
    """Independent. Return the conflicts of ranks in the same lock unit."""
    if not report.conflicts:
        return "0"
    mark = "~" if report.sampled < 1 else ""
    units = plural(report.shared_units, "unit")
    return f"{mark}{report.conflicts} in {mark}{units}, up to {report.most_sharers} ranks"


def acts(report: Report) -> str:
    """Independent. Return the writes of rank 0 before and after the data."""
    resizes = f", {plural(report.resizes, 'resize')}" if report.resizes else ""
    guards = plural(report.guard_writes, "write")
    return f"{guards}, {report.publish_writes} of {size(report.publish_bytes)}{resizes}"


def span(estimate: Estimate, name: str) -> str:
    """Independent. Return seconds with their limits."""
    found = estimate.total if name == "total" else estimate.parts.get(name)
    return "" if found is None else f"{found.likely:.3g} ({found.low:.2g} to {found.high:.2g})"


def size(bytes: float) -> str:
    """Independent. Return bytes in powers of 1000."""
    for factor, unit in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if bytes >= factor:
            return f"{bytes / factor:.3g} {unit}"
    return f"{round(bytes)} B"


def limit_text(bytes: int) -> str:
    """Independent. Return a power of two with a fitting unit."""
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if bytes >= 1 << power:
            return f"{bytes >> power} {unit}"
    return f"{bytes} B"


def print_json(question: Question, found: Sequence[Found], estimates: Sequence[Estimate | None]) -> None:
    """Independent. Print everything as JSON."""
    from quire.lab.plan.simulation import Report

    methods = []
    for one, time in zip(found, estimates, strict=True):
        entry: dict[str, Any] = {"format": one.method.format, "options": dict(one.method.options)}
        if isinstance(one, Report):
            counted = dataclasses.asdict(one)
            del counted["method"]
            entry |= {"report": counted | {"payload_share": one.payload_share}}
            entry |= {"estimate": dataclasses.asdict(time) if time else None}
        else:
            entry |= {"refused": one.reason}
        methods.append(entry)
    say_json(
        {
            "ranks": question.ranks,
            "workload": dict(question.workload),
            "machine": dataclasses.asdict(question.machine),
            "methods": methods,
        }
    )
