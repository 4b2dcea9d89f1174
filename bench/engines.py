"""Engines for relational work side by side: DuckDB, polars' streaming engine, and NumPy in memory.

    python bench/engines.py [ROWS] [PASSES] [FOLDER]

Each case is a process of its own, all of them in every pass, in a drawn order. The input is an Arrow IPC file
in FOLDER, read as record batches; the result is read batch by batch and dropped. Printed are the medians of
wall and CPU time and the greatest anonymous memory, the interpreter included. `limit` is a memory limit of a
quarter of the table, which polars does not have.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROWS = 10_000_000
BATCH = 1 << 19
GROUPS = 1000
ROWS_OF_BLOCK = 1 << 16

CASES = ("sort one key", "sort two keys", "join", "group")
ENGINES = ("duckdb", "duckdb limit", "polars", "numpy")

KEYS = {"sort one key": ("x",), "sort two keys": ("k", "x")}


def make(rows: int, left: Path, right: Path) -> None:
    """Write the tables: five columns of 8 bytes, and one value for each id in another order."""
    import numpy as np
    import pyarrow

    drawn = np.random.default_rng(1)
    ids = drawn.permutation(rows)
    columns: dict[str, Any] = {"id": ids, "k": drawn.integers(0, GROUPS, rows)}
    columns |= {name: drawn.normal(size=rows) for name in ("x", "px", "y")}
    for path, table in (
        (left, pyarrow.table(columns)),
        (right, pyarrow.table({"id": drawn.permutation(rows), "q": drawn.normal(size=rows)})),
    ):
        with pyarrow.OSFile(str(path), "wb") as out, pyarrow.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table, BATCH)


def batches(path: str) -> Any:
    """Return a reader of the record batches of a file, of which one at a time is in memory."""
    import pyarrow

    opened = pyarrow.ipc.open_file(pyarrow.OSFile(path))
    found = (opened.get_batch(place) for place in range(opened.num_record_batches))
    return pyarrow.RecordBatchReader.from_batches(opened.schema, found)


def consume(found: Iterable[Any]) -> int:
    """Return the number of rows of all batches."""
    return sum(batch.num_rows for batch in found)


def duckdb(case: str, left: str, right: str, limit: int) -> int:
    """Run a case on DuckDB."""
    import duckdb

    with tempfile.TemporaryDirectory(dir=Path(left).parent) as folder:
        engine = duckdb.connect(config={"temp_directory": folder})
        if limit:
            engine.execute(f"SET memory_limit = '{limit}B'")
        engine.register("l", batches(left))
        if case == "join":
            engine.register("r", batches(right))
        query = {
            "join": "SELECT l.*, r.q FROM l JOIN r USING (id)",
            "group": "SELECT k, count(*), avg(x), stddev(px), max(y) FROM l GROUP BY k ORDER BY k",
        }.get(case) or f"SELECT * FROM l ORDER BY {', '.join(KEYS[case])}"
        return consume(engine.sql(query).to_arrow_reader(BATCH))


def polars(case: str, left: str, right: str, limit: int) -> int:
    """Run a case on polars."""
    import polars

    table = polars.scan_ipc(left)
    if case == "join":
        made = table.join(polars.scan_ipc(right), on="id")
    elif case == "group":
        x, px, y = (polars.col(name) for name in ("x", "px", "y"))
        made = table.group_by("k").agg(polars.len(), x.mean(), px.std(), y.max()).sort("k")
    else:
        made = table.sort(KEYS[case], maintain_order=True)
    return sum(len(frame) for frame in made.collect_batches(engine="streaming"))


def numpy(case: str, left: str, right: str, limit: int) -> int:
    """Run a case in memory, as the verbs do it."""
    import numpy as np

    from quire.numeric.group_numbers import GroupNumbers
    from quire.numeric.pairs import equal_pairs
    from quire.numeric.tally import NumberedGroups, Tally
    from quire.verbs.order import Key, order_of

    read = batches(left).read_all()
    table = {name: read[name].to_numpy() for name in read.column_names}
    if case == "join":
        found = batches(right).read_all()
        pairs = equal_pairs([table["id"]], [found["id"].to_numpy()])
        made = {name: values.take(pairs.left) for name, values in table.items()}
        made["q"] = found["q"].to_numpy().take(pairs.right)
        return len(made["q"])
    if case == "group":
        groups = GroupNumbers(1)
        tallies = {"x": Tally(["mean"]), "px": Tally(["std"]), "y": Tally(["max"])}
        for start in range(0, len(table["k"]), ROWS_OF_BLOCK):
            rows = slice(start, start + ROWS_OF_BLOCK)
            block = NumberedGroups(groups.of([table["k"][rows]]), len(groups))
            for name, tally in tallies.items():
                tally.add(block, table[name][rows])
        return len(np.argsort(groups.values([table["k"].dtype])[0]))
    order = order_of(table, [Key(name) for name in KEYS[case]])
    return len({name: values.take(order) for name, values in table.items()}["x"])


RUN: dict[str, Callable[[str, str, str, int], int]] = {"duckdb": duckdb, "polars": polars, "numpy": numpy}


def anonymous() -> int:
    """Return the anonymous memory of this process in bytes: without pages of files."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    return 0


def case(engine: str, what: str, left: str, right: str) -> None:
    """Run a case, and print wall and CPU seconds and the greatest memory in MB."""
    name, _, limited = engine.partition(" ")
    limit = Path(left).stat().st_size // 4 if limited else 0
    most, done = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.005):
            most = max(most, anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    begin, cpu = time.perf_counter(), time.process_time()
    try:
        RUN[name](what, left, right, limit)
    finally:
        done.set()
    print(time.perf_counter() - begin, time.process_time() - cpu, most / 1e6)


def main(arguments: list[str]) -> None:
    """Measure all cases, and print a table."""
    rows = int(arguments[0]) if arguments else ROWS
    passes = int(arguments[1]) if len(arguments) > 1 else 3
    parent = arguments[2] if len(arguments) > 2 else None
    found: dict[tuple[str, str], list[list[float]]] = {}
    drawn = random.Random(1)
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        left, right = Path(folder, "left.arrow"), Path(folder, "right.arrow")
        make(rows, left, right)
        todo = [(engine, what) for what in CASES for engine in ENGINES]
        for _ in range(passes):
            drawn.shuffle(todo)
            for engine, what in todo:
                words = [sys.executable, __file__, "case", engine, what, str(left), str(right)]
                run = subprocess.run(words, capture_output=True, text=True, check=False)
                answer = run.stdout.split()
                if run.returncode or len(answer) != 3:
                    print(f"{what}, {engine}: {' '.join(run.stderr.split())[-400:]}")
                    continue
                found.setdefault((what, engine), []).append([float(word) for word in answer])
        print(f"{rows} rows, {passes} passes, {left.stat().st_size / 1e6:.0f} MB")
        print(f"{'':16}{'':14}{'s':>8}{'s CPU':>8}{'MB':>8}")
        for what in CASES:
            for engine in ENGINES:
                if results := found.get((what, engine)):
                    wall, cpu, memory = (list(one) for one in zip(*results, strict=True))
                    print(
                        f"{what:16}{engine:14}{statistics.median(wall):8.2f}"
                        f"{statistics.median(cpu):8.2f}{max(memory):8.0f}"
                    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["case"]:
        case(*sys.argv[2:])
    else:
        main(sys.argv[1:])
