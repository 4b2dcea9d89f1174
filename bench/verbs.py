"""Measure verbs: those that scan beside reading their columns, relational ones beside their engine alone.

    bench/verbs.py [--rows N] [--passes N] [FOLDER]

Makes an HDF5 file of N rows (default 10^7) with four columns of float64 and two of integers. Each pass runs
a verb and its rival alternately. Rivals of `stats`, `filter` and `hist` are the reading of their columns;
those of `sort`, `group` and `join` are the query of DuckDB on an Arrow table in memory, with its result as an
Arrow table (specs/performance.md, D1 and D2). Verbs keep the order of rows: that of equal ones in a sort, and
that of all in a join, which the queries do not. The rivals `in order` do the same by numbers of rows.

Printed are medians of wall time, and the ratio of the CPU time, which depends less on other work: of all
threads, of which the verb has fewer than the engine. Then rows are sorted, grouped and joined by processes
that may use a quarter of the size of the table, but the least that the engine takes: printed is their peak of
memory, less that of a process which sorts a table of one row by the engine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import quire
from quire.toolkit.engine import ENGINE_SHARE, LEAST_MEMORY

ROOT = Path(__file__).resolve().parent.parent
GROUPS = 100
COLUMNS = ("x", "px", "y", "py", "id", "cell")
STD_OF_4 = [f"std({name})" for name in COLUMNS[:4]]
ROW_BYTES = 4 * 8 + 8 + 4


@dataclass(frozen=True)
class Pair:
    """A verb and what it is compared with."""

    name: str
    verb: Callable[[], Any]
    rival: Callable[[], Any]
    limit: float
    """How many times the time of the rival the verb may take."""


def make_beam(path: Path, rows: int, seed: int) -> None:
    """Write rows in random order."""
    random = np.random.default_rng(seed)
    with quire.create(path) as out, out.step(0) as step:
        for column in COLUMNS[:4]:
            step.put(column, random.standard_normal(rows))
        step.put("id", random.permutation(rows).astype(np.int64))
        step.put("cell", random.integers(0, GROUPS, rows, dtype=np.int32))


def scans(beam: Path) -> Iterator[Pair]:
    """Yield the verbs that read each row once."""

    def reading(*names: str) -> Callable[[], Any]:
        def read() -> None:
            with quire.open(beam) as opened:
                for name in names:
                    opened[0][name].read()

        return read

    def with_chain(act: Callable[[Any], Any]) -> Callable[[], Any]:
        def run() -> Any:
            with quire.chain(beam) as chain:
                return act(chain)

        return run

    yield Pair("stats of 1", with_chain(lambda c: c.stats("std(x)").read()), reading("x"), 2)
    yield Pair("stats of 4", with_chain(lambda c: c.stats(*STD_OF_4).read()), reading(*COLUMNS[:4]), 2)
    yield Pair("filter 1/3", with_chain(lambda c: c.filter("x > 0.43").read(["x"])), reading("x"), 2)
    yield Pair("hist", with_chain(lambda c: c.hist("x", bins=100).read()), reading("x"), 2)
    yield Pair(
        "hist joint", with_chain(lambda c: c.hist("x", "px", joint=True).read()), reading("x", "px"), 2
    )


def relations(beam: Path, other: Path) -> Iterator[Pair]:
    """Yield the verbs that the engine carries out."""
    import duckdb

    def arrow(path: Path) -> Any:
        with quire.chain(path) as chain:
            return chain.to_arrow()

    left, right = arrow(beam), arrow(other)

    def query(text: str) -> Callable[[], Any]:
        def run() -> Any:
            with duckdb.connect() as engine:
                engine.register("l", left)
                engine.register("r", right)
                return engine.sql(text).to_arrow_table()

        return run

    def sort() -> Any:
        with quire.chain(beam) as chain:
            return chain.sort("x").to_arrow()

    def group() -> Any:
        with quire.chain(beam) as chain:
            return chain.group("cell").stats("mean(x)").to_arrow()

    def join() -> Any:
        with quire.chain(beam) as chain, quire.chain(other) as partner:
            return chain.join(partner, "id", take=["y"], suffix="_after").to_arrow()

    numbered = "(select *, row_number() over () as row from l)"
    yield Pair("sort", sort, query("select * from l order by x"), 1.3)
    yield Pair("  in order", sort, query(f"select * exclude row from {numbered} order by x, row"), 1.3)
    yield Pair("group", group, query("select cell, avg(x) from l group by cell order by cell"), 1.3)
    joined = "select l.* {}, r.y as y_after from {} l join r using (id)"
    yield Pair("join", join, query(joined.format("", "l")), 1.3)
    yield Pair("  in order", join, query(joined.format("exclude row", numbered) + " order by l.row"), 1.3)


def timed(act: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds that a call takes, and those of all cores."""
    begin, begin_of_cores = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - begin, time.process_time() - begin_of_cores


def compare(pair: Pair, passes: int) -> None:
    """Print the medians of a verb and its rival, after a run of each that does not count."""
    pair.rival()
    pair.verb()
    times = [(timed(pair.verb), timed(pair.rival)) for _ in range(passes)]
    verb, rival = (median(one[i][0] for one in times) for i in (0, 1))
    wall, cores = (median(one[i] / other[i] for one, other in times) for i in (0, 1))
    print(
        f"{pair.name:12} {verb:8.3f} s, rival {rival:8.3f} s: {wall:5.2f} times (CPU {cores:5.2f}), "
        f"target {pair.limit}",
        flush=True,
    )


def peak(*words: str) -> int:
    """Return the largest memory of a command, in bytes."""
    command = [sys.executable, str(ROOT / "bench" / "peak.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1800)
    return int(done.stderr.rsplit("peak ", 1)[1])


def measure_memory(beam: Path, other: Path, rows: int, folder: Path) -> None:
    """Print the memory of verbs that may use a quarter of the size of the table."""
    limit, least = rows * ROW_BYTES // 4, LEAST_MEMORY / ENGINE_SHARE
    single = folder / "single.h5"
    make_beam(single, 1, 3)
    base = peak("sort", str(single), str(folder / "row.h5"), "x", "--memory", "1B")
    join = ["join", str(other), "--on", "id", "--take", "y", "--suffix", "_after"]
    for words in (["sort", "x"], ["group", "cell"], join):
        stages = ["run", str(beam), "/", *words, "--memory", str(limit), "/", "write", str(folder / "out.h5")]
        used = peak(*stages, "--overwrite") - base
        allowed = f"allowed {limit / 1e6:.0f} MB" + (
            f", at least {least / 1e6:.0f} MB" if limit < least else ""
        )
        print(f"{words[0]:12} uses {used / 1e6:6.0f} MB more than one row, {allowed}")


def main() -> None:
    """Print a line for each verb."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--passes", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        beam, other = folder / "beam.h5", folder / "other.h5"
        make_beam(beam, given.rows, 1)
        make_beam(other, given.rows, 2)
        for pair in (*scans(beam), *relations(beam, other)):
            compare(pair, given.passes)
        measure_memory(beam, other, given.rows, folder)


if __name__ == "__main__":
    main()
