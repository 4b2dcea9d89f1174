"""Summaries of repetitions for reports, with and without outliers, and paired ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from quire.lab.bench.cells import COLD_CACHES, OPERATIONS, RAW_ENGINES, is_read
from quire.lab.bench.records import Repetition, Results
from quire.lab.bench.statistics import (
    READ_FACTOR,
    WRITE_FACTOR,
    Summary,
    outlier_limit,
    quantile,
    summarise,
)

BUSY_FROM = 1.0
"""The load of other programs above which times are not significant."""
ENOUGH_POINTS = 6
"""Of 5, resamples whose median is the smallest point are 6 %, more than an interval of 95 % leaves out."""
KINDS = ("returned", "durable")
PHASES = ("compute", "plan", "create", "metadata", "data", "copy", "wait", "commit_sync", "close")
"""The parts of the own time of a rank that are measured, in their order; `wait` is for others inside of a
commit."""
ALL_PHASES = (*PHASES, "other", "barrier", "sync")


@dataclass(frozen=True)
class Rule:
    """Interquartile ranges above the third quartile above which a point is an outlier."""

    read_factor: float = READ_FACTOR
    write_factor: float = WRITE_FACTOR

    def factor(self, operation: str) -> float:
        """Independent. That of an operation."""
        return self.read_factor if is_read(operation) else self.write_factor


@dataclass(frozen=True, order=True)
class Group:
    """The conditions in which methods are compared."""

    case: str
    operation: str
    cache: str
    ranks: int
    readers: int

    @property
    def title(self) -> str:
        """Independent. In words, without the case."""
        return f"{self.aspect}, {ranks_text(self.ranks, self.readers)}"

    @property
    def aspect(self) -> str:
        """Independent. The operation and what it finds in the cache."""
        return self.operation if self.cache == "none" else f"{self.operation}, {self.cache}"

    @property
    def sort_key(self) -> tuple[str, int, str, int, int]:
        """Independent. By case, operation, cache, ranks."""
        return (self.case, OPERATIONS.index(self.operation), self.cache, self.ranks, self.readers)


@dataclass(frozen=True)
class Point:
    """One number of one repetition."""

    seconds: float
    repetition: Repetition
    is_outlier: bool


@dataclass(frozen=True)
class Timing:
    """All points of a cell, summarised with and without those above the limit."""

    points: Sequence[Point]
    limit: float | None
    every: Summary
    kept: Summary

    @property
    def outliers(self) -> list[Point]:
        """Independent. The points above the limit."""
        return [point for point in self.points if point.is_outlier]

    @property
    def kept_points(self) -> list[Point]:
        """Independent. The others."""
        return [point for point in self.points if not point.is_outlier]


@dataclass(frozen=True)
class Ratio:
    """Seconds of a method for each second of another one in the same pass."""

    other: str
    values: Sequence[float]
    summary: Summary


@dataclass(frozen=True)
class CellSummary:
    """The results of one method in a group."""

    group: Group
    method: str
    repetitions: Sequence[Repetition]
    """The good ones, in the order of time."""
    failed: int
    returned: Timing | None
    durable: Timing | None
    ratios: Mapping[str, Ratio] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Independent. A text that identifies it, and seeds its bootstraps."""
        group = self.group
        ranks = f"{group.ranks}-{group.readers}"
        return f"{group.case}/{self.method}/{group.operation}/{ranks}/{group.cache}"

    def timing(self, kind: str) -> Timing | None:
        """Independent. That of `returned` or `durable`."""
        return self.returned if kind == "returned" else self.durable

    def bytes(self, kind: str) -> int:
        """Independent. Of the payload or the file; 0 if unknown."""
        return int(self.repetitions[0].line.get("bytes", {}).get(kind) or 0) if self.repetitions else 0

    def counter(self, name: str) -> int | None:
        """Independent. The counts of the first repetition, or None."""
        value = self.repetitions[0].line.get("counters", {}).get(name) if self.repetitions else None
        return value if isinstance(value, int) else None

    def calls(self, kind: str) -> Mapping[str, int]:
        """Independent. Calls that `write` or `read`, by sizes, of the first repetition; empty if unknown."""
        found = (
            self.repetitions[0].line.get("counters", {}).get(f"{kind}_sizes") if self.repetitions else None
        )
        return found if isinstance(found, Mapping) else {}

    def rate(self, seconds: float) -> float:
        """Independent. Megabytes (10^6) of payload in a second."""
        return self.bytes("payload") / 1e6 / seconds if seconds > 0 else 0.0

    def of_day(self, day: str) -> Summary | None:
        """Independent. The summary of the points of one day; None without any."""
        points = self.returned.points if self.returned else []
        values = [point.seconds for point in points if point.repetition.day == day]
        return summarise(values, f"{self.key}/{day}") if values else None

    @property
    def not_cold(self) -> int:
        """Independent. How many of the points that should read from storage found their bytes in memory."""
        asked = self.group.cache in COLD_CACHES
        return sum(asked and one.line.get("cache", {}).get("cold") is not True for one in self.repetitions)

    @cached_property
    def median_rank(self) -> float | None:
        """Independent. The median over passes of the median over ranks of their own time."""
        found = [quantile(work, 0.5) for one in self.repetitions if (work := one.work())]
        return quantile(found, 0.5) if found else None

    @cached_property
    def slowest_rank(self) -> float | None:
        """Independent. The median over passes of the longest own time of a rank."""
        found = [max(work) for one in self.repetitions if (work := one.work())]
        return quantile(found, 0.5) if found else None

    @cached_property
    def phases(self) -> dict[str, float]:
        """Independent. Mean seconds over the passes of the rank with the longest own time, phase by phase.

        `other` is what no phase explains, `barrier` its wait at the end, `sync` what durability takes beyond.
        Repetitions that are outliers are left out.
        """
        return mean_phases(self.phase_repetitions)

    @property
    def phase_repetitions(self) -> list[Repetition]:
        """Independent. Those whose phases are drawn."""
        points = self.returned.kept_points if self.returned else []
        return [point.repetition for point in points if point.repetition.phase("total")]


def mean_phases(repetitions: Sequence[Repetition]) -> dict[str, float]:
    """Independent. See CellSummary.phases; nothing if nothing is known."""
    if not repetitions:
        return {}
    sums: dict[str, float] = {}
    for one in repetitions:
        work = one.work()
        slowest = work.index(max(work))
        parts = {name: values[slowest] for name in PHASES if len(values := one.phase(name)) > slowest}
        parts["other"] = max(0.0, work[slowest] - sum(parts.values()))
        for name in ("barrier", "sync"):
            values = one.phase(name)
            if len(values) > slowest:
                parts[name] = values[slowest]
        for name, seconds in parts.items():
            sums[name] = sums.get(name, 0.0) + seconds
    return {name: sums[name] / len(repetitions) for name in ALL_PHASES if name in sums}


@dataclass(frozen=True)
class Best:
    """The fastest method of a group, and the names of those that are not distinguishable from it."""

    cell: CellSummary
    equal: Sequence[str]


class Study:
    """The contents of a report."""

    def __init__(self, results: Results, rule: Rule | None = None, quantity: str | None = None) -> None:
        self.results = results
        self.rule = Rule() if rule is None else rule
        self.quantity = quantity or str(results.plan.get("quantity", "time"))
        self.baselines = self._baselines()
        self.cells = self._cells()

    @property
    def title(self) -> str:
        """Independent. Of the plan."""
        return str(self.results.plan.get("title", "benchmark"))

    @cached_property
    def errors(self) -> list[Repetition]:
        """Independent. Repetitions with wrong values or errors: no data points."""
        return [one for one in self.results.repetitions if not one.good]

    @cached_property
    def methods(self) -> list[str]:
        """Independent. All methods: the raw ones first, else in the order of the plan."""
        engines: dict[str, str] = {}
        planned = [cell["method"] for cell in self.results.plan.get("cells", [])]
        for method in (*planned, *(one.cell["method"] for one in self.results.repetitions)):
            engines.setdefault(str(method["name"]), str(method.get("engine", "")))
        measured = {cell.method for cell in self.cells}
        raw = [name for name, engine in engines.items() if engine in RAW_ENGINES]
        return [name for name in dict.fromkeys([*raw, *engines]) if name in measured]

    @cached_property
    def cases(self) -> list[str]:
        """Independent. In the order of the plan."""
        planned = [str(cell["workload"]["name"]) for cell in self.results.plan.get("cells", [])]
        measured = {cell.group.case for cell in self.cells}
        return [one for one in dict.fromkeys([*planned, *sorted(measured)]) if one in measured]

    @cached_property
    def busy(self) -> float | None:
        """Independent. The largest load with which a file of results begins; None if no machine was busy.

        Later launches find the load of earlier ones and do not count.
        """
        first: dict[str, float] = {}
        for one in self.results.repetitions:
            load = load_of(one.environment)
            if load is not None:
                first.setdefault(one.source, load)
        most = max(first.values(), default=0.0)
        return most if most > BUSY_FROM else None

    @cached_property
    def fewest_points(self) -> int:
        """Independent. Of any cell; 0 without cells."""
        counts = [cell.returned.every.count for cell in self.cells if cell.returned]
        return min(counts, default=0)

    @cached_property
    def days(self) -> list[str]:
        """Independent. The labels of the days, in the order of time."""
        ordered = sorted(self.results.repetitions, key=lambda one: str(one.line.get("started", "")))
        return list(dict.fromkeys(one.day for one in ordered))

    def best(self) -> list[Best]:
        """Independent. Of each case and operation the fastest method on the most ranks, raw ones left out."""
        found = []
        ratios = {(cell.key, ratio.other): ratio.summary for cell, ratio in self.pairs}
        for case in self.cases:
            for aspect in self.aspects(case):
                cells = [one for one in self.of_case(case) if one.group.aspect == aspect and one.returned]
                most = max((one.group.ranks, one.group.readers) for one in cells) if cells else None
                others = [
                    one
                    for one in cells
                    if (one.group.ranks, one.group.readers) == most and one.method not in self.baselines
                ]
                if others:
                    first = min(others, key=median_of)
                    known = [(one.method, ratios.get((one.key, first.method))) for one in others]
                    equal = [name for name, ratio in known if ratio and ratio.low and ratio.low <= 1]
                    found.append(Best(first, equal))
        return found

    def of_case(self, case: str) -> list[CellSummary]:
        """Independent. The cells of a case, group by group, methods in their order."""
        order = {name: place for place, name in enumerate(self.methods)}
        found = [cell for cell in self.cells if cell.group.case == case]
        return sorted(found, key=lambda cell: (cell.group.sort_key, order[cell.method]))

    def aspects(self, case: str) -> list[str]:
        """Independent. The operations of a case with their caches, in order."""
        return list(dict.fromkeys(cell.group.aspect for cell in self.of_case(case)))

    @cached_property
    def pairs(self) -> list[tuple[CellSummary, Ratio]]:
        """Independent. Every method with every other one of its group: the ratio in the same pass."""
        found: list[tuple[CellSummary, Ratio]] = []
        groups: dict[Group, list[CellSummary]] = {}
        for case in self.cases:
            for cell in self.of_case(case):
                groups.setdefault(cell.group, []).append(cell)
        for cells in groups.values():
            for cell in cells:
                for other in cells:
                    if other is not cell and (ratio := ratio_of(cell, other)) is not None:
                        found.append((cell, ratio))
        return found

    def _baselines(self) -> list[str]:
        """The methods of the plan, or the raw methods that were measured."""
        given = self.results.plan.get("baselines")
        if given is not None:
            return [str(name) for name in given]
        methods = [one.cell["method"] for one in self.results.repetitions]
        raw = [str(one["name"]) for one in methods if one.get("engine") in RAW_ENGINES]
        return list(dict.fromkeys(raw))

    def _cells(self) -> list[CellSummary]:
        """One summary for each method of each group."""
        found: dict[tuple[Group, str], list[Repetition]] = {}
        for one in self.results.repetitions:
            found.setdefault((group_of(one), str(one.cell["method"]["name"])), []).append(one)
        cells = {key: self._cell(*key, repetitions) for key, repetitions in found.items()}
        complete = []
        for (group, method), cell in cells.items():
            others = [cells[group, name] for name in self.baselines if (group, name) in cells]
            ratios = {
                other.method: ratio
                for other in others
                if other.method != method and (ratio := ratio_of(cell, other)) is not None
            }
            complete.append(
                CellSummary(group, method, cell.repetitions, cell.failed, cell.returned, cell.durable, ratios)
            )
        return complete

    def _cell(self, group: Group, method: str, repetitions: Sequence[Repetition]) -> CellSummary:
        """A summary without ratios."""
        good = sorted((one for one in repetitions if one.good), key=time_key)
        bare = CellSummary(group, method, good, len(repetitions) - len(good), None, None)
        factor = self.rule.factor(group.operation)
        returned, durable = (timing_of(good, kind, factor, bare.key) for kind in KINDS)
        return CellSummary(group, method, good, bare.failed, returned, durable)


def median_of(cell: CellSummary) -> float:
    """Independent. The median of all points until the last rank was back; infinite without points."""
    return cell.returned.every.median if cell.returned else float("inf")


def load_of(environment: Mapping[str, Any]) -> float | None:
    """Independent. How many processes wanted a processor in the minute before a launch; None if unknown."""
    load = environment.get("load")
    if isinstance(load, list) and load:
        load = load[0]
    return float(load) if isinstance(load, int | float) else None


def busy_text(load: float) -> str:
    """Independent. The note about a busy machine."""
    return f"The machine was busy (load {load:.1f} at the start): only ratios inside a pass mean something."


def few_text(points: int) -> str:
    """Independent. The note about intervals of few points."""
    return (
        f"Some cells have {points} point{'s' * (points != 1)}: with fewer than {ENOUGH_POINTS} the interval "
        "of a median is no more than the smallest and the largest of them."
    )


def time_key(one: Repetition) -> tuple[str, str, int, int]:
    """Independent. Sorts repetitions by time."""
    return (str(one.line.get("started", "")), one.source, one.number, int(one.line.get("order", 0)))


def group_of(one: Repetition) -> Group:
    """Independent. The group of a repetition."""
    cell = one.cell
    ranks = int(cell["ranks"])
    return Group(
        str(cell["workload"]["name"]),
        str(cell["operation"]),
        str(cell.get("cache") or "none"),
        ranks,
        int(cell.get("readers") or ranks),
    )


def timing_of(repetitions: Sequence[Repetition], kind: str, factor: float, key: str) -> Timing | None:
    """Independent. The points of a kind of time; None if there is none."""
    known = [(one, seconds) for one in repetitions if (seconds := one.seconds(kind)) is not None]
    if not known:
        return None
    values = [seconds for _, seconds in known]
    limit = outlier_limit(values, factor)
    points = [Point(seconds, one, limit is not None and seconds > limit) for one, seconds in known]
    kept = [point.seconds for point in points if not point.is_outlier]
    return Timing(points, limit, summarise(values, f"{key}/{kind}"), summarise(kept, f"{key}/{kind}/kept"))


def ratio_of(cell: CellSummary, other: CellSummary) -> Ratio | None:
    """Independent. Pass by pass, all points: a median of ratios needs none left out. None without a pass."""
    if cell.returned is None or other.returned is None:
        return None
    of_other = {pass_key(point.repetition): point.seconds for point in other.returned.points}
    values = [
        point.seconds / of_other[key]
        for point in cell.returned.points
        if (key := pass_key(point.repetition)) in of_other
    ]
    if not values:
        return None
    return Ratio(other.method, values, summarise(values, f"{cell.key}:{other.method}"))


def pass_key(one: Repetition) -> tuple[str, str, int]:
    """Independent. What two repetitions of the same pass share."""
    return (one.source, one.day, one.number)


def ranks_text(ranks: int, readers: int) -> str:
    """Independent. `1 rank`, `4 ranks`, `4 ranks, read by 2`."""
    text = f"{ranks} rank{'s' * (ranks != 1)}"
    return text if readers == ranks else f"{text}, read by {readers}"


def seconds_text(seconds: float | None) -> str:
    """Independent. Three digits, in s, ms or us."""
    if seconds is None:
        return ""
    if abs(seconds) >= 1000:
        return f"{seconds:.0f} s"
    for factor, unit in ((1, "s"), (1e-3, "ms")):
        if abs(seconds) >= factor:
            return f"{seconds / factor:#.3g} {unit}".replace(". ", " ")
    return f"{seconds / 1e-6:#.3g} us".replace(". ", " ")


def rate_text(number: float) -> str:
    """Independent. Megabytes, or those of a second: four digits, and no powers of ten for large numbers."""
    return f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"


def short(ratio: float) -> str:
    """Independent. Three digits, two of them after the point of small numbers."""
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}" if ratio < 100 else f"{ratio:.0f}"


def outlier_words(point: Point) -> Mapping[str, Any]:
    """Independent. The description of an outlier: when, where and how long."""
    one = point.repetition
    hosts = ", ".join(one.hosts[:4]) + (", ..." if len(one.hosts) > 4 else "")
    return {
        "seconds": point.seconds,
        "pass": one.number,
        "day": one.day,
        "hosts": hosts,
        "source": one.source,
    }
