"""How much of the output of a simulation is hidden while it computes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from quire.lab.bench.records import Repetition
from quire.lab.bench.statistics import Summary, summarise
from quire.lab.bench.summary import CellSummary, Study, pass_key, seconds_text

COMMIT = "commit"
"""The option of a method that commits steps in the background."""
HEADS = ("operation", "method", "compared with", "compute", "output", "left", "copies", "hidden")


@dataclass(frozen=True)
class Overlap:
    """A method that writes in the background beside the same one that does not; medians of the same passes.

    `output` is what the slowest rank needs for output by the other method, `left` what this one needs beyond
    the same computing, `copies` what the arrays wait for. `share` is that of the output that is saved, pass
    by pass: below 0 the program became slower.
    """

    cell: CellSummary
    other: CellSummary
    compute: float
    output: float
    left: float
    copies: float
    share: Summary

    @property
    def texts(self) -> list[str]:
        """Independent. What tables show, in the order of HEADS."""
        times = (self.compute, self.output, self.left, self.copies)
        interval = "" if self.share.low is None else f" [{self.share.low:.0%} {self.share.high:.0%}]"
        return [
            self.cell.group.title,
            self.cell.method,
            self.other.method,
            *(seconds_text(time) if time else "0" for time in times),
            f"{self.share.median:.0%}{interval}",
        ]

    def as_json(self) -> dict[str, Any]:
        """Independent. All numbers."""
        times = {name: getattr(self, name) for name in ("compute", "output", "left", "copies")}
        return {"cell": self.cell.key, "other": self.other.method, **times, "hidden": asdict(self.share)}


def overlaps_of(study: Study, case: str) -> Iterator[Overlap]:
    """Independent. All methods of a case that commit in the background beside those that do not."""
    cells = study.of_case(case)
    for cell in cells:
        if cell.repetitions and COMMIT in options_of(cell):
            others = [one for one in cells if one.group == cell.group and is_same_at_once(one, cell)]
            yield from (found for other in others if (found := overlap_of(cell, other)) is not None)


def options_of(cell: CellSummary) -> dict[str, str]:
    """Independent. The options of the method of a cell."""
    return dict(cell.repetitions[0].cell["method"].get("options") or {})


def is_same_at_once(one: CellSummary, cell: CellSummary) -> bool:
    """Independent. Whether a cell is that of the same method without commits in the background."""
    return bool(one.repetitions) and COMMIT not in options_of(one) and essence(one) == essence(cell)


def essence(cell: CellSummary) -> str:
    """Independent. A method without its name and without its way to commit."""
    method = {**cell.repetitions[0].cell["method"], "options": options_of(cell)}
    method.pop("name")
    method["options"].pop(COMMIT, None)
    return json.dumps(method, sort_keys=True)


def overlap_of(cell: CellSummary, other: CellSummary) -> Overlap | None:
    """Independent. The comparison of the same passes; None without any that computed and wrote."""
    of_other = {pass_key(one): one for one in other.repetitions}
    pairs = [(one, of_other[pass_key(one)]) for one in cell.repetitions if pass_key(one) in of_other]
    pairs = [(own, theirs) for own, theirs in pairs if 0 < longest(theirs, "compute") < total(theirs)]
    if not pairs:
        return None
    outputs = [total(theirs) - longest(theirs, "compute") for _, theirs in pairs]
    saved = [total(theirs) - total(own) for own, theirs in pairs]
    shares = [less / output for less, output in zip(saved, outputs, strict=True)]
    return Overlap(
        cell,
        other,
        median(longest(theirs, "compute") for _, theirs in pairs),
        median(outputs),
        median(output - less for less, output in zip(saved, outputs, strict=True)),
        median(longest(own, "copy") for own, _ in pairs),
        summarise(shares, f"{cell.key}:{other.method}/hidden"),
    )


def total(one: Repetition) -> float:
    """Independent. Seconds until the last rank was back."""
    return one.seconds("returned") or 0.0


def longest(one: Repetition, phase: str) -> float:
    """Independent. The most seconds of a rank in a phase; 0 if there is no such phase."""
    seconds: Sequence[float] = one.phase(phase)
    return max(seconds, default=0.0)
