"""Results: lines of JSON. First the plan; then for each launch its environment, its repetitions, its end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quire.errors import BadFileError, MissingFileError
from quire.kinds import (
    Shape,
    either,
    is_number,
    is_table,
    is_text,
    is_truth,
    is_whole,
    list_of,
    misfit,
    or_nothing,
    table_of,
)
from quire.lab.bench.cells import OPERATIONS
from quire.lab.bench.plan_types import check_types
from quire.lab.workloads import describe_workload, payload_of

VERSION = 1
REPETITION_KEYS = ("id", "cell", "pass", "times")


@dataclass(frozen=True)
class Repetition:
    """One measured cell of one pass, as the driver reported it, and where it was measured."""

    line: Mapping[str, Any]
    source: str = ""
    environment: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Independent. Of the cell."""
        return str(self.line["id"])

    @property
    def cell(self) -> Mapping[str, Any]:
        """Independent. The cell as requested."""
        cell: Mapping[str, Any] = self.line["cell"]
        return cell

    @property
    def number(self) -> int:
        """Independent. Of the pass."""
        return int(self.line["pass"])

    @property
    def day(self) -> str:
        """Independent. The label of the day, or the date."""
        return str(self.line.get("day") or str(self.line.get("started", ""))[:10])

    @property
    def hosts(self) -> list[str]:
        """Independent. Where its ranks were."""
        return [str(host) for host in self.environment.get("hosts", [])]

    @property
    def good(self) -> bool:
        """Independent. Whether every value is correct; others are errors, not points."""
        return bool(self.line.get("verified")) and not self.line.get("error")

    @property
    def reason(self) -> str:
        """Independent. The error of a repetition that is not good."""
        return " ".join(str(self.line.get("error") or "values differ").split())

    def seconds(self, kind: str) -> float | None:
        """Independent. Until the last rank was back (`returned`), or all was on storage (`durable`)."""
        value = self.line["times"].get(kind)
        return None if value is None else float(value)

    def phase(self, name: str) -> list[float]:
        """Independent. The seconds of each rank in a phase; nothing if the method does not measure it."""
        return [float(one) for one in self.line.get("phases", {}).get(name, [])]

    def work(self) -> list[float]:
        """Independent. The own time of each rank: all but waiting for the others at the end."""
        total, barrier = self.phase("total"), self.phase("barrier")
        if len(barrier) != len(total):
            return total
        return [one - waited for one, waited in zip(total, barrier, strict=True)]


@dataclass(frozen=True)
class Results:
    """What one or more files of results hold."""

    plan: Mapping[str, Any]
    repetitions: Sequence[Repetition]
    environments: Sequence[Mapping[str, Any]]
    sources: Sequence[str]

    def done(self) -> set[tuple[int, str]]:
        """Independent. Pass and cell of everything that was measured."""
        return {(one.number, one.id) for one in self.repetitions}


def parse_lines(path: Path) -> list[dict[str, Any]]:
    """Independent. The lines of a file; the last one may be cut, as a kill leaves it. Raises BadFileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingFileError("there are no such results", file=str(path)) from None
    except UnicodeDecodeError as problem:
        raise BadFileError("is no text", file=str(path), offset=problem.start) from None
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(checked(json.loads(line)))
        except (ValueError, KeyError, TypeError, OverflowError) as problem:
            if number == len(lines):  # no line end: cut
                break
            raise BadFileError(f"line {number} is no result: {problem}", file=str(path)) from None
    return found


METHOD: Shape = {"name": is_text, "engine": is_text, "options": or_nothing(is_table)}
CELL: Shape = {
    "method": METHOD,
    "operation": lambda value: value in OPERATIONS,
    "workload": {"name": is_text, "steps": is_whole},
    "ranks": is_whole,
    "readers": or_nothing(is_whole),
    "cache": or_nothing(is_text),
}


def has_names(cell: Mapping[str, Any]) -> bool:
    """Independent. Whether a cell of a plan says what its method and its workload are called."""
    return "name" in cell.get("method", ()) and "name" in cell.get("workload", ())


SHAPES: Mapping[str, Shape] = {
    "plan": {
        "title": is_text, "about": is_text, "seed": is_whole, "passes": is_whole, "mode": is_text,
        "scale": is_number, "quantity": is_text, "baselines": list_of(is_text),
        "cells": list_of(lambda cell: not misfit(cell, CELL) and has_names(cell)),
        "targets": or_nothing(list_of(is_table)),
    },
    "environment": {
        "hosts": list_of(is_text),
        "load": or_nothing(either(is_number, list_of(is_number))),
        "clocks": {"offsets": list_of(is_number), "uncertainty": list_of(is_number)},
    },
    "activity": {"foreign_processors": or_nothing(is_number)},
    "repetition": {
        "id": is_text, "cell": CELL, "pass": is_whole, "order": is_whole, "seed": is_whole,
        "day": or_nothing(is_text), "started": is_text, "verified": is_truth, "error": or_nothing(is_text),
        "first_in_process": is_truth,
        "times": {"returned": or_nothing(is_number), "durable": or_nothing(is_number)},
        "phases": table_of(list_of(is_number)), "began": or_nothing(list_of(is_number)),
        "processor": or_nothing(list_of(is_number)), "peak": or_nothing(list_of(is_number)),
        "bytes": table_of(or_nothing(is_whole)), "counters": table_of(either(is_whole, table_of(is_whole))),
        "cache": {"resident_before": or_nothing(is_number), "cold": or_nothing(is_truth)},
    },
}  # fmt: skip
"""Of the kinds of lines: what is not named, or missing and not asked for below, is of no use to a report."""


def checked(line: Any) -> dict[str, Any]:
    """Independent. A line with all that is needed of it, each of its kind. Raises ValueError, KeyError,
    TypeError or UsageError.
    """
    if not isinstance(line, dict):
        raise ValueError("it is no object")
    kind = str(line.get("kind"))
    if wrong := misfit(line, SHAPES.get(kind, {})):
        raise ValueError(f"'{wrong}' has a value of another kind")
    if kind == "repetition":
        for key in REPETITION_KEYS:
            if key not in line:
                raise ValueError(f"it lacks '{key}'")
        cell = line["cell"]
        _ = (cell["method"]["name"], cell["operation"], cell["workload"]["name"], int(cell["ranks"]))
        if "kind" in cell["workload"]:
            check_types(cell["workload"], "workload")
            _ = (describe_workload(cell["workload"]), payload_of(cell["workload"]))
        if not line.get("error"):
            _ = float(line["times"]["returned"])
    return line


def read_results(paths: Sequence[str | Path]) -> Results:
    """Independent. The results of several files as those of one: sets of several days are pooled so.

    Raises BadFileError if a file holds no results.
    """
    plan: Mapping[str, Any] = {}
    repetitions: list[Repetition] = []
    environments: list[Mapping[str, Any]] = []
    for path in paths:
        environment: dict[str, Any] = {}
        lines = parse_lines(Path(path))
        for line in lines:
            kind = line.get("kind")
            if kind == "plan":
                plan = plan or line
            elif kind == "environment":
                environment = line
                environments.append(line)
            elif kind == "activity":
                environment["foreign_processors"] = line.get("foreign_processors")
            elif kind == "repetition":
                repetitions.append(Repetition(line, str(path), environment))
        if not any(line.get("kind") in ("plan", "repetition") for line in lines):
            raise BadFileError("holds no results of a benchmark", file=str(path))
    return Results(plan, repetitions, environments, [str(path) for path in paths])


def whole_bytes(path: Path) -> int:
    """Independent. How many bytes of a file are whole lines."""
    content = path.read_bytes()
    return content.rfind(b"\n") + 1
