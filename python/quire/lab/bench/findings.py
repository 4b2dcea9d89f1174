"""What was found about targets: how many times as fast methods are as their references, and what they use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean, median
from typing import Any

from quire.lab.bench.records import Repetition, Results
from quire.lab.bench.summary import pass_key
from quire.lab.bench.targets import Target, place_of_type, target_of

BUSY_FROM = 0.5
"""If others use more processors than this, times prove nothing, only ratios inside a pass do."""
DISTURBED_FROM = 0.10
"""If the ratio of medians and the median of ratios differ by more than this, the run was disturbed."""
MEBIBYTE = 1 << 20
HEADS = (
    "target", "what", "ranks", "place", "must", "aim",
    "measured", "launches", "paired", "c", "c ref", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """What was found about a target."""

    target: str
    what: str
    ranks: int
    place: str
    must: float
    aim: str
    measured: float
    """Times as fast as the reference, or what was counted."""
    is_limit: bool = False
    """Whether `must` may not be exceeded, instead of must be reached."""
    unit: str = ""
    paired: float | None = None
    """The median of the ratios inside each pass."""
    processor: float | None = None
    """Seconds of processor time of all ranks per GB of payload."""
    processor_of_reference: float | None = None
    least: float | None = None
    """The least of several launches, of which the middle one is `measured`."""
    most: float | None = None
    busy: bool = False
    disturbed: bool = False

    @property
    def good(self) -> bool:
        """Independent. Whether the target is reached."""
        return self.measured <= self.must if self.is_limit else self.measured >= self.must

    @property
    def missed(self) -> bool:
        """Independent. Whether it is not, and no other program is a possible reason."""
        return not self.good and not self.busy

    @property
    def verdict(self) -> str:
        """Independent. In words."""
        notes = ["passed" if self.good else "MISSED"]
        notes += ["busy"] if self.busy else []
        notes += ["disturbed"] if self.disturbed else []
        return ", ".join(notes)

    @property
    def texts(self) -> list[str]:
        """Independent. What tables show, in the order of HEADS."""
        unit = f" {self.unit}" if self.unit else ""
        several = self.least is not None and self.most is not None
        sides = (self.paired, self.processor, self.processor_of_reference)
        return [
            self.target,
            self.what,
            str(self.ranks),
            self.place,
            f"{'<= ' if self.is_limit else ''}{self.must:g}{unit}",
            self.aim,
            f"{self.measured:.2f}{unit}",
            f"{self.least:.2f}-{self.most:.2f}" if several else "",
            *("" if side is None else f"{side:.2f}" for side in sides),
            self.verdict,
        ]

    def as_json(self) -> dict[str, Any]:
        """Independent. All of it, with the verdict."""
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True)
class Times:
    """Seconds of a method and its reference in the same passes, and whether others kept the machine busy."""

    own: Sequence[float]
    reference: Sequence[float]
    busy: bool = False

    @property
    def ratio(self) -> float:
        """Independent. Of medians: above 1 the method is faster."""
        return median(self.reference) / median(self.own)

    @property
    def paired(self) -> float:
        """Independent. The median of the ratios inside each pass."""
        return median(theirs / ours for ours, theirs in zip(self.own, self.reference, strict=True))

    @property
    def disturbed(self) -> bool:
        """Independent. Whether the two differ too much."""
        return abs(self.ratio / self.paired - 1) > DISTURBED_FROM


def judged(bare: Finding, launches: Sequence[Times]) -> Finding:
    """Independent. A finding with the ratio of the middle launch, the lower one of an even number.

    Where the memory of a launch is decides up to a tenth, whatever the number of passes: they share it.
    """
    busy = any(times.busy for times in launches)
    ordered = sorted(launches, key=lambda times: times.paired if busy else times.ratio)
    values = [times.paired if busy else times.ratio for times in ordered]
    middle = (len(ordered) - 1) // 2
    several = len(ordered) > 1
    return replace(
        bare,
        measured=values[middle],
        paired=ordered[middle].paired,
        least=values[0] if several else None,
        most=values[-1] if several else None,
        busy=busy,
        disturbed=ordered[middle].disturbed,
    )


def findings_of(results: Results) -> list[Finding]:
    """Independent. About all targets of the plan, as far as their cells were measured."""
    good = [one for one in results.repetitions if one.good]
    found: list[Finding] = []
    for target in map(target_of, results.plan.get("targets", [])):
        mine = [one for one in good if one.cell["workload"]["name"] == target.workload]
        for place in target.places:
            here = [one for one in mine if place_of(one) == place]
            found += counted(target, place, here) if target.count else compared(target, place, here)
    return found


def place_of(one: Repetition) -> str:
    """Independent. The kind of file system that a repetition was measured on."""
    system = one.environment.get("file_system") or {}
    return place_of_type(str(system.get("type", "")))


def compared(target: Target, place: str, repetitions: Sequence[Repetition]) -> Iterator[Finding]:
    """Independent. A method beside its reference, for each number of ranks."""
    for ranks in target.ranks:
        here = [one for one in repetitions if one.cell["ranks"] == ranks]
        others = {pass_key(one): one for one in here if named(one) == target.compared}
        for method in target.methods:
            own = [one for one in here if named(one) == (target.operation, method)]
            pairs = [(one, others[pass_key(one)]) for one in own if pass_key(one) in others]
            if not pairs:
                continue
            which = f": {method}" if len(target.methods) > 1 else ""
            what = f"{target.what}{which}, to {target.reference}"
            bare = Finding(target.id, what, ranks, place, target.must, target.aim, 0.0)
            processor, of_reference = (median(map(processor_of, side)) for side in zip(*pairs, strict=True))
            yield replace(
                judged(bare, times_of(pairs)), processor=processor, processor_of_reference=of_reference
            )


def named(one: Repetition) -> tuple[str, str]:
    """Independent. Operation and method of a repetition."""
    return (str(one.cell["operation"]), str(one.cell["method"]["name"]))


def times_of(pairs: Sequence[tuple[Repetition, Repetition]]) -> list[Times]:
    """Independent. The times of each launch: what one environment belongs to."""
    launches: dict[int, list[tuple[Repetition, Repetition]]] = {}
    for pair in pairs:
        launches.setdefault(id(pair[0].environment), []).append(pair)
    return [
        Times(
            [own.seconds("returned") or 0.0 for own, _ in launch],
            [other.seconds("returned") or 0.0 for _, other in launch],
            (launch[0][0].environment.get("foreign_processors") or 0) > BUSY_FROM,
        )
        for launch in launches.values()
    ]


def processor_of(one: Repetition) -> float:
    """Independent. Seconds of processor time of all ranks per GB of payload."""
    seconds = sum(float(rank) for rank in one.line.get("processor") or [])
    return seconds / (float(one.line["bytes"]["payload"]) / 1e9)


def counted(target: Target, place: str, repetitions: Sequence[Repetition]) -> Iterator[Finding]:
    """Independent. The most that any method uses on any number of ranks."""
    found = [
        (count_of(target.count, one), one)
        for one in repetitions
        if one.cell["ranks"] in target.ranks
        and str(one.cell["operation"]) == target.operation
        and named(one)[1] in target.methods
    ]
    if not found:
        return
    most, one = max(found, key=lambda pair: pair[0])
    what, ranks = f"{target.what}: {named(one)[1]}", int(one.cell["ranks"])
    bare = Finding(target.id, what, ranks, place, target.must, target.aim, most, is_limit=True)
    yield replace(bare, unit="MiB" if target.count.endswith("peak") else "")


def count_of(count: str, one: Repetition) -> float:
    """Independent. What is counted of a repetition."""
    if count.endswith("peak"):
        peaks = [float(peak) / MEBIBYTE for peak in one.line["peak"]]
        return fmean(peaks) if count == "mean peak" else max(peaks)
    return float(one.line["counters"][count]) / int(one.cell["ranks"])
