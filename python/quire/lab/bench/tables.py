"""Tables of the page. Every number is in the attribute `data-value`, and rounded in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from quire.lab.bench.findings import HEADS, findings_of
from quire.lab.bench.overlap import HEADS as OVERLAP_HEADS
from quire.lab.bench.overlap import overlaps_of
from quire.lab.bench.summary import (
    ALL_PHASES,
    CellSummary,
    Ratio,
    Study,
    Timing,
    outlier_words,
    rate_text,
    seconds_text,
    short,
)

LONG_TEXT = 60
SIZES = ("<=4KiB", "<=64KiB", "<=1MiB", "<=4MiB", ">4MiB")
"""Of calls, as the driver sorts them."""
STATISTICS = ("n", "min", "Q1", "median", "Q3", "max", "mean", "sd", "low", "high")


@dataclass(frozen=True)
class Number:
    """A number and how it is shown."""

    value: float | None
    text: str
    name: str = ""


Content = str | Number


def seconds(value: float | None, name: str = "") -> Number:
    """Independent. A time."""
    return Number(value, seconds_text(value).replace("us", "\N{MICRO SIGN}s"), name)


def plain(value: float | None, name: str = "", form: str = "g") -> Number:
    """Independent. A number without a unit."""
    return Number(value, "" if value is None else format(value, form), name)


def rate(cell: CellSummary, time: float) -> Number:
    """Independent. Megabytes of payload in a second, if it takes this time."""
    value = cell.rate(time)
    return Number(value, rate_text(value), "rate")


def row(cells: Sequence[Content], style: str = "", **data: str) -> str:
    """Independent. A line of a table; `style` is its class, `data` its attributes data-..."""
    attributes = f' class="{style}"' if style else ""
    attributes += "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())
    return f"<tr{attributes}>{''.join(map(cell_html, cells))}</tr>"


def cell_html(content: Content) -> str:
    """Independent. One field of a table."""
    if isinstance(content, str):
        style = "text wrap" if len(content) > LONG_TEXT else "text"
        return f'<td class="{style}">{escape(content)}</td>'
    if content.value is None:
        return "<td></td>"
    name = f' data-name="{escape(content.name)}"' if content.name else ""
    return f'<td{name} data-value="{content.value!r}">{escape(content.text)}</td>'


def table(title: str, heads: Sequence[str], rows: Sequence[str], texts: int = 2, last: bool = False) -> str:
    """Independent. A table, the first columns of which hold text, and perhaps the last."""
    words = {*range(texts), *([len(heads) - 1] if last else [])}
    head = "".join(
        f'<th class="text">{escape(name)}</th>' if place in words else f"<th>{escape(name)}</th>"
        for place, name in enumerate(heads)
    )
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table><caption>{escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
    )


def statistics_of(timing: Timing, *, kept: bool) -> list[Content]:
    """Independent. The summary of all points, or of those that are no outliers."""
    one = timing.kept if kept else timing.every
    values = (
        one.minimum, one.first_quartile, one.median, one.third_quartile, one.maximum, one.mean, one.deviation,
        one.low, one.high,
    )  # fmt: skip
    return [
        plain(one.count, "n", "d"),
        *(seconds(value, name) for value, name in zip(values, STATISTICS[1:], strict=True)),
    ]


def short_table(study: Study) -> str | None:
    """Independent. The fastest methods on the most ranks of each case and operation; None without methods."""
    rows = []
    for best in study.best():
        cell = best.cell
        if cell.returned is None:
            continue
        texts: list[Content] = [cell.group.case, cell.group.title, cell.method]
        numbers: list[Content] = [seconds(cell.returned.every.median, "median")]
        for name in study.baselines:
            ratio = cell.ratios.get(name)
            value = ratio.summary.median if ratio else None
            numbers.append(Number(value, "" if value is None else short(value), f"to {name}"))
        equal: list[Content] = [", ".join(best.equal)]
        rows.append(row([*texts, *numbers, *equal], cell=cell.key, kind="short", equal="|".join(best.equal)))
    heads = ["case", "operation", "fastest", "median", *(f"to {name}" for name in study.baselines)]
    title = "In short: the smallest median on the most ranks"
    return table(title, [*heads, "not distinguishable from it"], rows, 3, last=True) if rows else None


def times_table(study: Study, case: str, kind: str) -> str | None:
    """Independent. Times of a kind, with and without outliers; None if there are none."""
    rows = []
    before = ""
    for cell in study.of_case(case):
        timing = cell.timing(kind)
        if timing is None:
            continue
        title = cell.group.title
        changed = "group" if title != before else ""
        facts: list[Content] = [
            plain(len(timing.outliers), "outliers", "d"),
            rate(cell, timing.every.median),
        ]
        first: list[Content] = [title if changed else "", cell.method]
        rows.append(
            row(
                [*first, *statistics_of(timing, kept=False), *facts],
                changed,
                cell=cell.key,
                kind=kind,
                set="all",
            )
        )
        if timing.outliers:
            without: list[Content] = ["", "\N{EM DASH} without outliers", *statistics_of(timing, kept=True)]
            without += [plain(0, "outliers", "d"), rate(cell, timing.kept.median)]
            rows.append(row(without, "kept", cell=cell.key, kind=kind, set="kept"))
        before = title
    if not rows:
        return None
    words = (
        "until the last rank was back (returned)"
        if kind == "returned"
        else "until all was on storage (durable)"
    )
    heads = [
        "operation",
        "method",
        "n",
        "min",
        "Q1",
        "median",
        "Q3",
        "max",
        "mean",
        "sd",
        "median from",
        "to",
        "out",
    ]
    return table(f"Times {words}", [*heads, "payload MB/s at the median"], rows)


def facts_table(study: Study, case: str) -> str:
    """Independent. Bytes, files and system calls of the first repetition, and how ranks differ."""
    names = (
        "files",
        "opens",
        "creates",
        "stats",
        "writes",
        "reads",
        "collectives",
        "messages",
        "message_bytes",
    )
    rows = []
    before = ""
    for cell in study.of_case(case):
        if cell.returned is None:
            continue
        title = cell.group.title
        numbers: list[Content] = [plain(cell.bytes(kind), kind, "d") for kind in ("payload", "file")]
        numbers += [plain(cell.counter(name), name) for name in names]
        numbers += [seconds(cell.median_rank, "median_rank"), seconds(cell.slowest_rank, "slowest_rank")]
        numbers += [plain(cell.not_cold, "not_cold", "d")]
        changed = "group" if title != before else ""
        rows.append(
            row([title if changed else "", cell.method, *numbers], changed, cell=cell.key, kind="facts")
        )
        before = title
    heads = [
        "operation",
        "method",
        "payload bytes",
        "file bytes",
        *(name.replace("_", " ") for name in names),
    ]
    heads += ["median rank", "slowest rank", "not cold"]
    return table("Bytes, calls and ranks", heads, rows)


def findings_table(study: Study) -> str | None:
    """Independent. What was found about the targets of the plan; None without any."""
    rows = [
        row([*one.texts[:6], plain(one.measured, "measured", ".2f"), *one.texts[7:]], kind="finding")
        for one in findings_of(study.results)
    ]
    return table("Targets", list(HEADS), rows) if rows else None


def overlap_table(study: Study, case: str) -> str | None:
    """Independent. What is hidden of the output; None if no method commits in the background."""
    rows = [
        row(
            [*one.texts[:-1], plain(one.share.median, "hidden", ".0%")],
            cell=one.cell.key,
            kind="overlap",
            other=one.other.method,
        )
        for one in overlaps_of(study, case)
    ]
    return table("Output while computing", OVERLAP_HEADS, rows, 7) if rows else None


def calls_table(study: Study, case: str) -> str | None:
    """Independent. How many calls of which sizes wrote and read; None if nothing is known of any."""
    rows = []
    for cell in study.of_case(case):
        for kind in ("write", "read"):
            calls = cell.calls(kind)
            if not any(calls.values()):
                continue
            numbers = [plain(calls.get(size, 0), size, "d") for size in SIZES]
            rows.append(
                row([cell.group.title, cell.method, kind, *numbers], cell=cell.key, kind=f"{kind}-calls")
            )
    heads = [size.replace("<=", "\N{LESS-THAN OR EQUAL TO} ").replace(">", "> ") for size in SIZES]
    title = "Calls of all ranks by their sizes"
    return table(title, ["operation", "method", "calls", *heads], rows, 3) if rows else None


def ratio_numbers(ratio: Ratio) -> list[Content]:
    """Independent. Count, median and interval of a ratio."""
    one = ratio.summary
    return [
        plain(one.count, "n", "d"),
        plain(one.median, "median", ".3f"),
        plain(one.low, "low", ".3f"),
        plain(one.high, "high", ".3f"),
    ]


def ratios_table(study: Study, case: str) -> str | None:
    """Independent. Paired ratios to the baselines; None if there are none."""
    rows = [
        row(
            [cell.group.title, cell.method, ratio.other, *ratio_numbers(ratio)],
            cell=cell.key,
            kind="ratio",
            other=ratio.other,
        )
        for cell in study.of_case(case)
        for ratio in cell.ratios.values()
    ]
    heads = ["operation", "method", "to", "passes", "median ratio", "from", "to"]
    title = "Time of a method for each second of the raw baseline in the same pass"
    return table(title, heads, rows, 3) if rows else None


def pairs_table(study: Study, case: str) -> str | None:
    """Independent. Paired ratios of any two methods; None if there is one method."""
    rows = [
        row(
            [cell.group.title, cell.method, ratio.other, *ratio_numbers(ratio)],
            cell=cell.key,
            kind="pair",
            other=ratio.other,
        )
        for cell, ratio in study.pairs
        if cell.group.case == case
    ]
    heads = ["operation", "method", "to", "passes", "median ratio", "from", "to"]
    return table("Ratios of any two methods in the same pass", heads, rows, 3) if rows else None


def phases_table(study: Study, case: str) -> str | None:
    """Independent. Mean phases of the slowest rank; None if nothing is known."""
    cells = [cell for cell in study.of_case(case) if cell.phases]
    names = [name for name in ALL_PHASES if any(name in cell.phases for cell in cells)]
    rows = [
        row(
            [cell.group.title, cell.method, *(seconds(cell.phases.get(name), name) for name in names)],
            cell=cell.key,
            kind="phases",
        )
        for cell in cells
    ]
    title = "Phases of the slowest rank, mean over the passes without outliers"
    heads = [name.replace("_", " ") for name in names]
    return table(title, ["operation", "method", *heads], rows) if rows else None


def days_table(study: Study, case: str) -> str | None:
    """Independent. Medians of single days where there are several."""
    if len(study.days) < 2:
        return None
    rows = []
    for cell in study.of_case(case):
        numbers: list[Content] = []
        for day in study.days:
            summary = cell.of_day(day)
            numbers.append(seconds(summary.median if summary else None, f"median {day}"))
        rows.append(row([cell.group.title, cell.method, *numbers], cell=cell.key, kind="days"))
    return table("Medians of single days (returned)", ["operation", "method", *study.days], rows)


def outliers_table(study: Study) -> str:
    """Independent. All points above the limit, with where and when they were measured."""
    rows = []
    for cell in study.cells:
        for kind in ("returned", "durable"):
            timing = cell.timing(kind)
            for point in timing.outliers if timing else []:
                words = outlier_words(point)
                texts: list[Content] = [
                    cell.key,
                    kind,
                    str(words["day"]),
                    str(words["hosts"]),
                    str(words["source"]),
                ]
                limit = timing.limit if timing else None
                numbers = [
                    plain(words["pass"], "pass", "d"),
                    seconds(point.seconds, "seconds"),
                    seconds(limit, "limit"),
                ]
                rows.append(row([*texts, *numbers], cell=cell.key, kind="outlier"))
    if not rows:
        return "<p>There are none.</p>"
    return table("Outliers", ["cell", "time", "day", "hosts", "file", "pass", "value", "limit"], rows, 5)


def errors_table(study: Study) -> Iterator[str]:
    """Independent. Cells with wrong values; nothing if there are none."""
    rows = [row([one.id, one.day, one.reason, plain(one.number, "pass", "d")]) for one in study.errors]
    if rows:
        yield table("Wrong values and failures: no data points", ["cell", "day", "error", "pass"], rows, 3)
