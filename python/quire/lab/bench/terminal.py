"""The report as text for a terminal, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from quire.lab.bench.findings import HEADS, Finding, findings_of
from quire.lab.bench.overlap import HEADS as OVERLAP_HEADS
from quire.lab.bench.overlap import Overlap, overlaps_of
from quire.lab.bench.summary import (
    ENOUGH_POINTS,
    CellSummary,
    Ratio,
    Study,
    Timing,
    busy_text,
    few_text,
    outlier_words,
    rate_text,
    seconds_text,
    short,
)
from quire.lab.workloads import describe_workload, payload_of

MOST_CHARACTERS = 10_000
COLUMNS = ("min", "Q1", "median", "Q3", "max")


def print_study(study: Study, console: Console | None = None) -> None:
    """Independent. Tables of all cases, then outliers and errors."""
    console = console or Console(highlight=False)
    plan = study.results.plan
    passes = f", {plan['passes']} passes, order seed {plan['seed']}, {plan['mode']}" if plan else ""
    console.print(f"[bold]{study.title}[/bold]{passes}", soft_wrap=True)
    if study.busy is not None:
        console.print(busy_text(study.busy), soft_wrap=True)
    if 0 < study.fewest_points < ENOUGH_POINTS:
        console.print(few_text(study.fewest_points), soft_wrap=True)
    for case in study.cases:
        console.print(f"\n{case_line(study, case)}", soft_wrap=True)
        print_whole(console, case_table(study, case))
        if overlaps := list(overlaps_of(study, case)):
            console.print("\noutput while computing")
            print_whole(console, table_of(OVERLAP_HEADS, overlaps))
    if findings := findings_of(study.results):
        console.print("\ntargets")
        print_findings(findings, console)
    for line in remarks(study):
        console.print(line, soft_wrap=True, markup=False)


def print_findings(findings: Sequence[Finding], console: Console | None = None) -> None:
    """Independent. A table of what was found about targets, and how many are reached."""
    console = console or Console(highlight=False)
    print_whole(console, table_of(HEADS, findings))
    console.print(f"{sum(one.good for one in findings)} of {len(findings)} targets passed", soft_wrap=True)


def table_of(heads: Sequence[str], lines: Sequence[Finding | Overlap]) -> Table:
    """Independent. A table of texts."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in heads:
        table.add_column(name, no_wrap=True)
    for one in lines:
        table.add_row(*one.texts)
    return table


def print_whole(console: Console, table: Table) -> None:
    """Independent. A table as wide as it must be: cut numbers are of no use."""
    options = console.options.update(width=MOST_CHARACTERS)
    wide = max(console.width, Measurement.get(console, options, table).maximum)
    Console(file=console.file, width=wide, highlight=False).print(table, crop=False)


def case_line(study: Study, case: str) -> str:
    """Independent. What a case is: its sizes and its payload, of each number of ranks if they differ."""
    sizes: dict[str, str] = {}
    for one in study.results.repetitions:
        workload = one.cell["workload"]
        if workload["name"] == case and "kind" in workload:
            megabytes = payload_of(workload) / 1e6
            sizes.setdefault(describe_workload(workload), f"{rate_text(megabytes)} MB")
    found = [f"{words} = {megabytes}" for words, megabytes in sizes.items()]
    return f"{case}: {found[0] if len(found) == 1 else f'from {found[0]} to {found[-1]}'}" if found else case


def case_table(study: Study, case: str) -> Table:
    """Independent. One line a method and group: seconds until returned, durable, files, ratios to raw."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("operation", "method"):
        table.add_column(name, no_wrap=True)
    for name in (*COLUMNS, "out", "durable", "payload MB/s", "files"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in study.baselines:
        table.add_column(f"to {name}", no_wrap=True)
    before = ""
    for cell in study.of_case(case):
        title = cell.group.title
        table.add_row(
            "" if title == before else title,
            cell.method,
            *cell_texts(cell, study.baselines),
            end_section=False,
        )
        before = title
    return table


def cell_texts(cell: CellSummary, baselines: list[str]) -> list[str]:
    """Independent. The numbers of a line."""
    timing = cell.returned
    if timing is None:
        return [""] * (len(COLUMNS) + 4 + len(baselines))
    every = timing.every
    values = (every.minimum, every.first_quartile, every.median, every.third_quartile, every.maximum)
    durable = seconds_text(cell.durable.every.median) if cell.durable else ""
    files = cell.counter("files")
    return [
        *(seconds_text(value) for value in values),
        str(len(timing.outliers)),
        durable,
        rate_text(cell.rate(every.median)),
        "" if files is None else str(files),
        *(ratio_text(cell.ratios.get(name)) for name in baselines),
    ]


def ratio_text(ratio: Ratio | None) -> str:
    """Independent. `1.38 [1.30 1.47]`."""
    if ratio is None:
        return ""
    one = ratio.summary
    if one.low is None or one.high is None:
        return short(one.median)
    return f"{short(one.median)} [{short(one.low)} {short(one.high)}]"


def remarks(study: Study) -> Iterator[str]:
    """Independent. Outliers, points that were not cold, wrong values: nothing is left out silently."""
    for cell in study.cells:
        for kind in ("returned", "durable"):
            timing = cell.timing(kind)
            for point in timing.outliers if timing else []:
                words = outlier_words(point)
                yield (
                    f"outlier: {cell.key}: {kind} {seconds_text(point.seconds)} in pass {words['pass']} "
                    f"on {words['day']}, {words['hosts']}"
                )
            if timing is not None and timing.outliers:
                kept = timing.kept
                yield (
                    f"  without: min {seconds_text(kept.minimum)}, median {seconds_text(kept.median)}, "
                    f"mean {seconds_text(kept.mean)} (with: {seconds_text(timing.every.mean)})"
                )
        if cell.not_cold:
            yield f"not cold: {cell.key}: {cell.not_cold} of {len(cell.repetitions)} points"
    for one in study.errors:
        yield f"wrong: {one.id}, pass {one.number}: {one.reason}"


def as_json(study: Study) -> dict[str, Any]:
    """Independent. Every number of the report."""
    return {
        "title": study.title,
        "days": study.days,
        "sources": list(study.results.sources),
        "baselines": study.baselines,
        "rule": asdict(study.rule),
        "cells": [cell_json(cell) for case in study.cases for cell in study.of_case(case)],
        "pairs": [
            {"cell": cell.key, **ratio_json(ratio)} for cell, ratio in study.pairs
        ],
        "overlaps": [one.as_json() for case in study.cases for one in overlaps_of(study, case)],
        "findings": [finding.as_json() for finding in findings_of(study.results)],
        "errors": [
            {"id": one.id, "pass": one.number, "day": one.day, "error": one.reason}
            for one in study.errors
        ],
    }  # fmt: skip


def cell_json(cell: CellSummary) -> dict[str, Any]:
    """Independent. The numbers of one method in one group."""
    return {
        "key": cell.key,
        **asdict(cell.group),
        "method": cell.method,
        "failed": cell.failed,
        "not_cold": cell.not_cold,
        "payload": cell.bytes("payload"),
        "file": cell.bytes("file"),
        "returned": timing_json(cell.returned),
        "durable": timing_json(cell.durable),
        "median_rank": cell.median_rank,
        "slowest_rank": cell.slowest_rank,
        "phases": cell.phases,
        "ratios": [ratio_json(ratio) for ratio in cell.ratios.values()],
    }


def timing_json(timing: Timing | None) -> dict[str, Any] | None:
    """Independent. Summaries with and without outliers, and these."""
    if timing is None:
        return None
    return {
        "limit": timing.limit,
        "every": asdict(timing.every),
        "kept": asdict(timing.kept),
        "outliers": [dict(outlier_words(point)) for point in timing.outliers],
    }


def ratio_json(ratio: Ratio) -> dict[str, Any]:
    """Independent. A ratio to another method."""
    return {"other": ratio.other, "values": list(ratio.values), **asdict(ratio.summary)}
