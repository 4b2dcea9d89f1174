"""The page: figures and tables in one self-contained file without network access or scripts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from quire.errors import MissingFileError
from quire.lab.bench.export import figures_of, file_name
from quire.lab.bench.statistics import quantile
from quire.lab.bench.summary import ENOUGH_POINTS, Study, busy_text, few_text, load_of, seconds_text
from quire.lab.bench.tables import (
    Content,
    calls_table,
    days_table,
    errors_table,
    facts_table,
    findings_table,
    outliers_table,
    overlap_table,
    pairs_table,
    phases_table,
    ratios_table,
    row,
    short_table,
    table,
    times_table,
)
from quire.lab.bench.terminal import as_json, case_line
from quire.toolkit.replacing import naming

VARYING = ("kind", "load", "started", "scratch", "clocks")
"""Properties that differ between launches on the same machine."""


SHORT_TEXT = (
    "Not distinguishable: methods whose interval of the ratio to the fastest one, pass by pass, holds 1. "
    "Raw transfers are no candidates."
)


def write_page(study: Study, path: Path) -> None:
    """Independent. Write the page of a study. Raises MissingFileError without a directory for it."""
    if not path.absolute().parent.is_dir():
        raise MissingFileError("there is no such directory to write the page in", file=str(path.parent))
    text = page(study)
    with naming(path):
        path.write_text(text, encoding="utf-8")


def page(study: Study) -> str:
    """Independent. The page as HTML, well-formed also as XML."""
    style = (resources.files("quire.lab.bench") / "page.css").read_text(encoding="utf-8")
    numbers = itertools.count(1)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en" xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"/>',
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
        f"<title>{escape(study.title)}</title>",
        f"<style>{style}</style></head><body>",
        *head(study),
        *(part for case in study.cases for part in section(study, case, numbers)),
        "<h2>Outliers and errors</h2>",
        f"<p>{escape(rule_text(study))}</p>",
        outliers_table(study),
        *errors_table(study),
        "<h2>Conditions</h2>",
        *conditions(study),
        '<script type="application/json" id="numbers">',
        json.dumps(as_json(study), allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026"),
        "</script></body></html>",
    ]
    return "\n".join(parts) + "\n"


def head(study: Study) -> Iterator[str]:
    """Independent. Title, description, and links to the cases."""
    plan = study.results.plan
    yield f"<h1>{escape(study.title)}</h1>"
    if plan.get("about"):
        yield f"<p>{escape(str(plan['about']))}</p>"
    passes = sorted({(one.source, one.day, one.number) for one in study.results.repetitions})
    words = [
        f"{len(study.results.repetitions)} repetitions in {len(passes)} passes",
        f"on {', '.join(study.days)}" if study.days else "",
        f"order drawn from seed {plan['seed']}, {plan['mode']}" if plan else "",
        f"scale {plan['scale']:g}" if plan else "",
    ]
    yield f'<p class="quiet">{escape("; ".join(word for word in words if word))}</p>'
    if study.busy is not None:
        yield f'<p class="bad">{escape(busy_text(study.busy))}</p>'
    if 0 < study.fewest_points < ENOUGH_POINTS:
        yield f'<p class="bad">{escape(few_text(study.fewest_points))}</p>'
    if study.errors:
        count = len(study.errors)
        yield f'<p class="bad">{count} of the repetitions failed or moved wrong values; see below.</p>'
    links = "".join(f'<a href="#{file_name(case)}">{escape(case)}</a>' for case in study.cases)
    yield f"<nav>{links}</nav>"
    findings = findings_table(study)
    if findings is not None:
        yield findings
    short = short_table(study)
    if short is not None:
        yield short
        yield f'<p class="quiet">{escape(SHORT_TEXT)}</p>'


def section(study: Study, case: str, numbers: Iterator[int]) -> Iterator[str]:
    """Independent. Figures, with the next numbers, and tables of a case."""
    yield f'<h2 id="{file_name(case)}">{escape(case)}</h2>'
    yield f'<p class="quiet">{escape(case_line(study, case))}; MB = 10<sup>6</sup> bytes of payload</p>'
    for figure in figures_of(study, case):
        caption = f"<b>Figure {next(numbers)}.</b> {escape(figure.caption)}"
        yield f"<figure>{figure.picture.svg()}<figcaption>{caption}</figcaption></figure>"
    yield "<h3>Numbers</h3>"
    tables = [
        times_table(study, case, "returned"),
        times_table(study, case, "durable"),
        ratios_table(study, case),
        overlap_table(study, case),
        days_table(study, case),
        phases_table(study, case),
        facts_table(study, case),
    ]
    yield from (one for one in tables if one is not None)
    calls = calls_table(study, case)
    if calls is not None:
        yield f"<details><summary>Calls by size</summary>{calls}</details>"
    pairs = pairs_table(study, case)
    if pairs is not None:
        yield f"<details><summary>Ratios of any two methods</summary>{pairs}</details>"


def rule_text(study: Study) -> str:
    """Independent. The definition of an outlier."""
    rule = study.rule
    return (
        f"A point is an outlier above Q3 + k IQR, k = {rule.read_factor:g} for reads and "
        f"{rule.write_factor:g} for writes, of the points of its cell; with an interquartile range of 0 "
        "nothing is one. Quartiles are interpolated linearly between order statistics. Outliers stay in the "
        "data; tables say both summaries, with and without them. Intervals are 95 % percentile bootstrap "
        "intervals of the median, of 10000 resamples."
    )


def conditions(study: Study) -> Iterator[str]:
    """Independent. Methods, machine, plan."""
    yield methods_table(study)
    for environment, loads in environments(study):
        yield "<h3>Environment</h3><dl>"
        for name, value in flattened(environment):
            yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
        if loads:
            yield f"<dt>load at the start of launches</dt><dd>{min(loads):.2f} to {max(loads):.2f}</dd>"
        yield "</dl>"
    notes = list(cache_notes(study))
    yield from (f"<p>{escape(note)}</p>" for note in notes)
    sources = ", ".join(Path(source).name for source in study.results.sources)
    yield f'<p class="quiet">Results: {escape(sources)}</p>'
    plan = {key: value for key, value in study.results.plan.items() if key != "cells"}
    yield f"<details><summary>Plan</summary><pre>{escape(json.dumps(plan, indent=2))}</pre></details>"


def cache_notes(study: Study) -> Iterator[str]:
    """Independent. Notes about caches and first repetitions."""
    if any(environment.get("single_cache") for environment in study.results.environments):
        yield (
            "All ranks share one page cache: only evicted or direct reads are cold, others are not, reads of "
            "what another rank wrote (shifted) neither."
        )
    yield from clock_notes(study)
    first = sum(bool(one.line.get("first_in_process")) for one in study.results.repetitions)
    if study.results.plan.get("mode") != "in-process":
        yield "Each point was measured by processes of its own."
    elif first == len(study.results.repetitions):
        yield "The processes of a pass run each of its cells once; every pass has processes of its own."
    elif first:
        yield f"{first} of the points are the first repetition of their process."


def clock_notes(study: Study) -> Iterator[str]:
    """Independent. How far the clocks of ranks are apart, and when the ranks of a repetition began."""
    entries = [one.get("clocks") or {} for one in study.results.environments]
    clocks = [one for one in entries if one.get("offsets") and one.get("uncertainty")]
    if not clocks:
        return
    errors = [max(one["uncertainty"]) for one in clocks]
    apart = [max(one["offsets"]) - min(one["offsets"]) for one in clocks]
    yield (
        f"Clocks of ranks, compared by messages: up to {seconds_text(max(apart))} apart, known within "
        f"{seconds_text(max(errors))}; times are durations of one clock each and need no comparison."
    )
    began = [one.line["began"] for one in study.results.repetitions if one.line.get("began")]
    if began:
        late = quantile([max(one) - min(one) for one in began], 0.5)
        yield (
            f"The last rank left the barrier before the clock {seconds_text(late)} after the first one "
            f"(median over {len(began)} repetitions, on rank 0's clock)."
        )


def methods_table(study: Study) -> str:
    """Independent. The definitions of the methods."""
    found: dict[str, Mapping[str, Any]] = {}
    for one in study.results.repetitions:
        method = one.cell["method"]
        found.setdefault(str(method["name"]), method)
    rows = []
    for name in study.methods:
        method = found[name]
        options = ", ".join(f"{key}={value}" for key, value in dict(method.get("options") or {}).items())
        keys = ("engine", "format", "transport", "transfer")
        texts: list[Content] = [name, *(str(method.get(key) or "") for key in keys), options]
        rows.append(row(texts))
    return table("Methods", ["name", "engine", "format", "transport", "transfer", "options"], rows, 6)


def environments(study: Study) -> Iterator[tuple[dict[str, Any], list[float]]]:
    """Independent. Each environment once, with the loads of its launches."""
    found: dict[str, tuple[dict[str, Any], list[float]]] = {}
    for one in study.results.environments:
        fixed = {key: value for key, value in one.items() if key not in VARYING}
        system = fixed.get("file_system")
        if isinstance(system, dict):
            fixed["file_system"] = {key: value for key, value in system.items() if key != "free_bytes"}
        entry = found.setdefault(json.dumps(fixed, sort_keys=True), (fixed, []))
        load = load_of(one)
        entry[1].extend([] if load is None else [load])
    yield from found.values()


def flattened(content: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Independent. Names and values of nested objects."""
    for key, value in content.items():
        name = f"{before}{key.replace('_', ' ')}"
        if isinstance(value, dict):
            yield from flattened(value, f"{name}: ")
        elif isinstance(value, list):
            yield name, ", ".join(str(one) for one in value)
        elif value is not None:
            yield name, str(value)
