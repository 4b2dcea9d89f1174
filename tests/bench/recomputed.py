"""The statistics of the reports, computed again from the raw lines of JSON by other means."""

from __future__ import annotations

import json
import statistics
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

Lines = list[dict[str, Any]]
Key = str


def good_lines(*paths: Path) -> Lines:
    """Return the verified repetitions in time order, each with the name of its file."""
    found = []
    for path in paths:
        for text in path.read_text().splitlines():
            line = json.loads(text)
            if line["kind"] == "repetition" and line["verified"] and not line["error"]:
                found.append({**line, "file": str(path)})
    return sorted(found, key=lambda line: (line["started"], line["file"], line["pass"], line["order"]))


def key_of(line: dict[str, Any]) -> Key:
    """Return the text that names a cell in the report."""
    cell = line["cell"]
    ranks = f"{cell['ranks']}-{cell['readers']}"
    name = f"{cell['workload']['name']}/{cell['method']['name']}"
    return f"{name}/{cell['operation']}/{ranks}/{cell['cache']}"


def by_cell(lines: Lines) -> dict[Key, Lines]:
    """Return the repetitions of each cell."""
    found: dict[Key, Lines] = defaultdict(list)
    for line in lines:
        found[key_of(line)].append(line)
    return found


def interval(values: list[float], seed: str) -> tuple[float, float] | tuple[None, None]:
    """Return the percentile bootstrap interval of the median, resample by resample."""
    if len(values) < 2:
        return None, None
    draws = np.random.default_rng(zlib.crc32(seed.encode())).integers(0, len(values), (10_000, len(values)))
    medians = sorted(statistics.median([values[i] for i in row]) for row in draws.tolist())
    low, high = (inclusive(medians, share) for share in (0.025, 0.975))
    return low, high


def inclusive(ordered: list[float], share: float) -> float:
    """Return a quantile by linear interpolation between order statistics."""
    return float(np.interp(share * (len(ordered) - 1), range(len(ordered)), ordered))


def summary(values: list[float], seed: str) -> dict[str, float | None]:
    """Return all numbers of a line of the table."""
    ordered = sorted(values)
    low, high = interval(values, seed)
    quarter = statistics.quantiles(ordered, n=4, method="inclusive") if len(values) > 1 else ordered * 3
    return {
        "n": len(values),
        "min": ordered[0],
        "Q1": quarter[0],
        "median": statistics.median(ordered),
        "Q3": quarter[2],
        "max": ordered[-1],
        "mean": statistics.fmean(ordered),
        "sd": statistics.stdev(ordered) if len(values) > 1 else None,
        "low": low,
        "high": high,
    }


def flags(values: list[float], operation: str, factors: tuple[float, float] = (20, 12)) -> list[bool]:
    """Return for each value whether it is an outlier by the rule of its operation."""
    if len(values) < 2:
        return [False] * len(values)
    first, _, third = statistics.quantiles(sorted(values), n=4, method="inclusive")
    factor = factors[0] if operation.startswith("read") else factors[1]
    return [third > first and value > third + factor * (third - first) for value in values]


def times(lines: Lines, key: Key, kind: str) -> dict[str, dict[str, float | None]]:
    """Return the summaries of all points of a cell and of those that are not outliers."""
    values = [line["times"][kind] for line in lines if line["times"][kind] is not None]
    if not values:
        return {}
    out = flags(values, lines[0]["cell"]["operation"])
    kept = [value for value, is_out in zip(values, out, strict=True) if not is_out]
    megabytes = lines[0]["bytes"]["payload"] / 1e6
    every = {**summary(values, f"{key}/{kind}"), "outliers": sum(out)}
    rest = {**summary(kept, f"{key}/{kind}/kept"), "outliers": 0}
    for one in (every, rest):
        assert one["median"] is not None
        one["rate"] = megabytes / one["median"]
    return {"all": every, "kept": rest} if any(out) else {"all": every}


def ratio(lines: Lines, others: Lines, seed: str) -> dict[str, float | None]:
    """Return the summary of the ratios within each pass."""
    of_other = {(one["file"], one["day"], one["pass"]): one["times"]["returned"] for one in others}
    values = [
        line["times"]["returned"] / of_other[line["file"], line["day"], line["pass"]]
        for line in lines
        if (line["file"], line["day"], line["pass"]) in of_other
    ]
    found = summary(values, seed)
    return {name: found[name] for name in ("n", "median", "low", "high")}


def own_times(line: dict[str, Any]) -> list[float]:
    """Return the times of the ranks without their waits at the end."""
    phases = line["phases"]
    return [total - wait for total, wait in zip(phases["total"], phases["barrier"], strict=True)]


OWN_PHASES = ("compute", "plan", "create", "metadata", "data", "copy", "wait", "commit_sync", "close")


def phases(lines: Lines) -> dict[str, float]:
    """Return the mean phases of the slowest rank, without outliers."""
    values = [line["times"]["returned"] for line in lines]
    out = flags(values, lines[0]["cell"]["operation"])
    sums: dict[str, list[float]] = defaultdict(list)
    for line, is_out in zip(lines, out, strict=True):
        if is_out:
            continue
        own = own_times(line)
        rank = int(np.argmax(own))
        known = {name: line["phases"][name][rank] for name in OWN_PHASES if name in line["phases"]}
        for name, seconds in known.items():
            sums[name].append(seconds)
        sums["other"].append(own[rank] - sum(known.values()))
        for name in ("barrier", "sync"):
            if name in line["phases"]:
                sums[name].append(line["phases"][name][rank])
    return {name: statistics.fmean(some) for name, some in sums.items()}


def calls(lines: Lines) -> dict[str, float]:
    """Return the calls of each size, 0 where there are none."""
    sizes = ("<=4KiB", "<=64KiB", "<=1MiB", "<=4MiB", ">4MiB")
    return {size: lines[0]["counters"]["write_sizes"].get(size, 0) for size in sizes}


def facts(lines: Lines) -> dict[str, float]:
    """Return bytes, calls and times of ranks."""
    first = lines[0]
    others = ("write_sizes", "collectives_of_first_step", "collectives_of_later_steps")
    counters = {name: count for name, count in first["counters"].items() if name not in others}
    return {
        "payload": first["bytes"]["payload"],
        "file": first["bytes"]["file"],
        **counters,
        "median_rank": statistics.median([statistics.median(own_times(line)) for line in lines]),
        "slowest_rank": statistics.median([max(own_times(line)) for line in lines]),
        "not_cold": sum(
            line["cell"]["cache"] in ("evicted", "direct") and line["cache"]["cold"] is not True
            for line in lines
        ),
    }
