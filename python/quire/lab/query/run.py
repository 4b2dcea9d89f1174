"""Measure the goals of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

import quire
from quire.errors import UsageError
from quire.lab.query.data import KINDS, LISTED, ORDERS, SHARES, Layout, make_columns
from quire.lab.query.expressions import wrong_answers
from quire.lab.query.goals import FULL_ROWS, Line, line_of
from quire.lab.query.rivals import rivals_of
from quire.lab.query.timing import Work, best_times, seconds_of

Array = np.ndarray[Any, Any]

EXPRESSIONS: Final = 100_000
BINS: Final = 256
LEAST_PASSES: Final = 5


@dataclass(frozen=True)
class Setting:
    """What is measured: the number of rows, the passes, and the directory of the files."""

    folder: Path
    rows: int = FULL_ROWS
    passes: int = LEAST_PASSES
    seed: int = 42
    report: Callable[[str], None] = print
    """Gets words about what is done."""

    @property
    def expressions(self) -> int:
        """The number of random expressions."""
        return max(10, EXPRESSIONS * self.rows // FULL_ROWS)


class Bench:
    """The work of one run: what is timed, and what it returned if that is wrong."""

    def __init__(self, setting: Setting, stack: ExitStack) -> None:
        self.setting = setting
        self.work: dict[str, Work] = {}
        self.wrong: list[str] = []
        self.lines: list[Line] = []
        self.missing: dict[str, str] = {}
        self.layouts = {}
        self.tables: dict[tuple[str, str], Any] = {}
        self.files: dict[tuple[str, str], quire.File] = {}
        for order in ORDERS:
            setting.report(f"writing {setting.rows} rows in {order} order")
            layout = Layout(order, make_columns(setting.rows, order, setting.seed), setting.folder)
            layout.write()
            self.layouts[order] = layout
            self.index(layout)
            for kind in KINDS:
                file = stack.enter_context(quire.open(layout.path(kind)))
                self.files[order, kind] = file
                self.tables[order, kind] = file[0].table

    def index(self, layout: Layout) -> None:
        """Independent. Make the indexes of a file; note their sizes, and the time of the lists."""
        self.setting.report(f"indexing {layout.order} order")
        zones = quire.build_index(layout.path("zones"))
        build = {
            "zones": lambda: quire.build_index(layout.path("zones")),
            "lists": lambda: quire.build_index(layout.path("lists"), columns=LISTED[:1]),
        }
        best = {
            kind: min(seconds_of(one, 1) for _ in range(self.setting.passes)) for kind, one in build.items()
        }
        listed = quire.index_info(layout.path("lists"))
        if layout.order == ORDERS[0]:
            rows = self.setting.rows
            of_all = len(layout.columns) * layout.column_bytes
            self.lines += [
                line_of("G6", "zones", 100 * zones.bytes / of_all, rows),
                line_of("G6", "lists", 100 * (listed.bytes - zones.bytes) / layout.column_bytes, rows),
                line_of("G7", "", rows / FULL_ROWS / max(best["lists"] - best["zones"], 1e-9), rows),
            ]
        quire.build_index(layout.path("lists"), columns=LISTED, ids="id")

    def add(self, name: str, work: Work, expected: Array | None = None) -> None:
        """Independent. Add work, whose result must be these numbers."""
        self.setting.report(f"verifying {name}")
        found = work()
        if expected is not None and not np.array_equal(np.asarray(found), expected):
            self.wrong.append(name)
        self.work[name] = work

    def rows_by(self, order: str, kind: str, condition: str) -> Work:
        """Independent. Return what finds the rows of a condition."""
        table = self.tables[order, kind]
        return lambda: table.where(condition).numbers()


def measured(setting: Setting) -> tuple[list[Line], list[str]]:
    """Independent. Return the lines of the table, and the names of what returned wrong rows."""
    if setting.passes < 1:
        raise UsageError("there is no pass to measure")
    with ExitStack() as stack:
        bench = Bench(setting, stack)
        comparisons = [*queries(bench), *others(bench)]
        times = best_times(
            bench.work,
            setting.passes,
            setting.seed,
            lambda done: setting.report(f"pass {done} of {setting.passes}"),
        )
        for goal, case, ours, other in comparisons:
            ratio = times[other] / times[ours]
            pair = (times[ours], times[other])
            if goal:
                bench.lines.append(line_of(goal, case, ratio, setting.rows, pair))
            else:
                bench.lines.append(Line("", f"{other} / Quire", ratio, None, None, *pair))
        bench.lines.append(worst_plan(bench, times))
        bench.lines += [Line("", f"{name}", None, note=reason) for name, reason in bench.missing.items()]
        bench.lines += read_lines(bench)
    wrong = wrong_answers(
        setting.folder, setting.expressions, setting.seed, every(setting, "random expressions")
    )
    bench.lines.append(line_of("G12", "", float(len(wrong)), setting.rows))
    order = {line.goal: int(line.goal[1:]) for line in bench.lines if line.goal}
    return sorted(bench.lines, key=lambda line: order.get(line.goal, len(order) + 1)), [*bench.wrong, *wrong]


def every(setting: Setting, what: str) -> Callable[[int], None]:
    """Independent. Return what reports each tenth of the random expressions."""
    part = max(1, setting.expressions // 10)
    return lambda done: setting.report(f"{done} {what}") if done % part == 0 else None


Comparison = tuple[str, str, str, str]
"""A goal, or none; its case; and the names of what is compared, Quire first."""


def queries(bench: Bench) -> Iterator[Comparison]:
    """Independent. Yield the comparisons of queries for rows, with the scan and with other libraries."""
    for order, layout in bench.layouts.items():
        rivals = rivals_of(layout)
        bench.missing |= {name: find for name, find in rivals.items() if isinstance(find, str)}
        for columns, make in (("1 column", layout.one), ("2 columns", layout.two)):
            for share, number in SHARES.items():
                condition, expected = make(number)
                case = f"{order}, {columns}, {share}"
                for kind in KINDS:
                    bench.add(f"{kind}, {case}", bench.rows_by(order, kind, condition), expected)
                for name, find in rivals.items():
                    if isinstance(find, str):
                        continue
                    bench.add(f"{name}, {case}", partial(find, condition), expected)
                    yield "", case, f"lists, {case}", f"{name}, {case}"
                yield from goals_of(order, columns, share, case, rivals)
        condition, expected = layout.box()
        for kind in KINDS:
            bench.add(f"{kind}, {order}, box", bench.rows_by(order, kind, condition), expected)


def goals_of(order: str, columns: str, share: str, case: str, rivals: dict[str, Any]) -> Iterator[Comparison]:
    """Independent. Yield the goals that a query belongs to."""
    if order == "random":
        if columns == "1 column" and share in ("1e-6", "1e-4", "1e-2"):
            yield "G2", share, f"lists, {case}", f"plain, {case}"
        if columns == "2 columns" and share in ("1e-6", "1e-4"):
            yield "G3", share, f"lists, {case}", f"plain, {case}"
        if (columns, share) == ("1 column", "1e-4") and not isinstance(rivals["h5py and NumPy"], str):
            yield "G9", "", f"lists, {case}", f"h5py and NumPy, {case}"
    elif f"{columns}, {share}" in ("1 column, 1e-4", "1 column, 1e-2", "1 column, 0.3", "2 columns, 1e-4"):
        yield "G4", f"{columns}, {share}", f"zones, {case}", f"plain, {case}"


def others(bench: Bench) -> Iterator[Comparison]:
    """Independent. Yield the comparisons in memory, of ids and of histograms."""
    layout = bench.layouts["random"]
    condition, expected = layout.one(SHARES["1e-2"])
    bound = quire.expression(condition).compile(bench.tables["random", "plain"].scope()[0])
    px = {"px": layout.columns["px"]}
    bench.add("scan in memory", lambda: bound.select(px), expected)
    yield "G1", "", "scan in memory", "NumPy in memory, random, 1 column, 1e-2"

    yield from of_ids(bench, layout)

    condition, rows = layout.one(SHARES["1e-4"])
    limits = (-1e-3, 1e-3)
    counts = np.histogram(layout.columns["x"][rows], BINS, limits)[0]
    for kind in ("lists", "plain"):
        counted = partial(frequencies, bench.tables["random", kind], condition, limits)
        bench.add(f"{kind}, histogram", counted, counts)
    yield "G11", "", "lists, histogram", "plain, histogram"


def frequencies(table: Any, condition: str, limits: tuple[float, float]) -> Array:
    """Independent. Return how many rows that satisfy a condition are in each bin of x."""
    found: Array = table.where(condition).histogram("x", BINS, limits).frequency
    return found


def of_ids(bench: Bench, layout: Layout) -> Iterator[Comparison]:
    """Independent. Yield the comparisons of ids: their rows, and values of these."""
    ids, every_id, x = layout.ids(bench.setting.seed), layout.columns["id"], layout.columns["x"]
    rows = np.argsort(every_id)[ids]
    table, file = bench.tables["random", "lists"], bench.files["random", "lists"]
    bench.add("1000 ids", lambda: table.rows_of(ids), rows)
    bench.add("numpy.isin", lambda: np.flatnonzero(np.isin(every_id, ids)), np.sort(rows))
    yield "G10", "", "1000 ids", "numpy.isin"
    bench.add("values of 1000 ids", lambda: file.track(ids, columns=["x"], steps=[0])["x"][0], x[rows])
    bench.add("values by numpy.isin", lambda: x[np.isin(every_id, ids)], x[np.sort(rows)])
    yield "", "", "values of 1000 ids", "values by numpy.isin"


def worst_plan(bench: Bench, times: dict[str, float]) -> Line:
    """Independent. Return the line of the query that an index makes slowest, in comparison with the scan."""
    pairs = {
        name: (seconds, times[name.replace("lists", "plain", 1)])
        for name, seconds in times.items()
        if name.startswith("lists, ") and name != "lists, histogram"
    }
    ours, scan = max(pairs.values(), key=lambda pair: pair[0] / pair[1])
    return line_of("G5", "", ours / scan, bench.setting.rows, (ours, scan))


def read_lines(bench: Bench) -> list[Line]:
    """Independent. Return the lines of bytes that a new process would read for a query of one column."""
    layout = bench.layouts["random"]
    lines = []
    for share in ("1e-6", "1e-4", "1e-2"):
        condition, _ = layout.one(SHARES[share])
        before = bytes_read()
        with quire.open(layout.path("lists")) as file:
            file[0].table.where(condition).count()
        lines.append(
            line_of("G8", share, 100 * (bytes_read() - before) / layout.column_bytes, bench.setting.rows)
        )
    return lines


def bytes_read() -> int:
    """Independent. Return the bytes that this process has read of files."""
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(dict(line.split(": ") for line in lines)["rchar"])
