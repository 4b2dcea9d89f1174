"""Measure files with very many columns and attributes: time must grow in proportion to their number.

    bench/many_names.py [COUNT]

For every format that holds tables of any columns: COUNT columns (100000 if not given) of one row, and COUNT
attributes; for formats of elements COUNT variables, in every layout. Each command runs in this process, whose
processor time is printed. `growth` is the ratio of this time to that for half as many: about 2 where time is
linear, 4 where it is quadratic. Numbers rise by factors of two up to COUNT; what takes too long, or has no
place in the format, ends before.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import quire
from quire.cli.main import app
from quire.errors import Error
from quire.io.formats import FormatInfo, format_infos

COUNT = 100_000
SHARES = (8, 4, 2, 1)
"""What part of the names is measured in turn."""
MOST_SECONDS = 20.0
"""What takes longer to write or to read is not tried with twice as many."""
ONE_ROW = np.array([1.0])

Write = Callable[[quire.WriteStep, int], None]


def put_columns(step: quire.WriteStep, count: int) -> None:
    """Independent. So many columns of one row."""
    for i in range(count):
        step.put(f"column{i}", ONE_ROW)


def set_attributes(step: quire.WriteStep, count: int) -> None:
    """Independent. So many attributes, and a column."""
    for i in range(count):
        step.set(f"attribute{i}", i)
    step.put("x", ONE_ROW)


def put_variables(step: quire.WriteStep, count: int) -> None:
    """Independent. One element with so many variables."""
    values = {f"variable{i}": np.arange(4.0) for i in range(count)}
    basis = ("Modified_A", "Modified_A")
    step.put_elements([quire.ElementBlock("Quadrilateral", basis, np.array([2, 2]), np.array([0]), values)])


def cases(info: FormatInfo) -> dict[str, tuple[Write, dict[str, Any]]]:
    """Independent. What a format can hold many of, with the options to write it."""
    if info.holds_streams:
        return {}
    if info.tables:
        return {"columns": (put_columns, {}), "attributes": (set_attributes, {})}
    layouts = next((option.choices for option in info.write_options if option.name == "layout"), ())
    return {f"variables, {layout}": (put_variables, {"layout": layout}) for layout in layouts}


def seconds(action: Callable[[], object]) -> float:
    """Independent. The processor time of an action whose output is lost."""
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        begin = time.process_time()
        with contextlib.suppress(SystemExit):
            action()
        return time.process_time() - begin


def measure(
    info: FormatInfo, write: Write, options: dict[str, Any], count: int, folder: Path
) -> dict[str, float]:
    """Independent. Seconds of each command on a file with so many names. Raises what writing raises."""
    path, copy = folder / f"file-{count}", folder / f"copy-{count}"

    def make() -> None:
        with quire.create(path, format=info.name, **options) as out, out.step(0) as step:
            write(step, count)

    def run(*words: str | Path) -> Callable[[], object]:
        return lambda: app([str(word) for word in words], standalone_mode=False)

    into = ["--format", info.name]
    for name, value in options.items():
        into += ["--option", f"{name}={value}"]
    return {
        "write": seconds(make),
        "info": seconds(run("info", path)),
        "sum": seconds(run("sum", path)),
        "convert": seconds(run("convert", path, copy, *into)),
        "diff": seconds(run("diff", path, copy)),
    }


def print_case(info: FormatInfo, what: str, write: Write, options: dict[str, Any], count: int) -> None:
    """Independent. Measure more and more names, and print the lines of the most that were measured."""
    before: dict[str, float] = {}
    taken: dict[str, float] = {}
    done, end = 0, ""
    for part in SHARES:
        if max(taken.values(), default=0.0) > MOST_SECONDS:
            end = "twice as many take too long"
            break
        try:
            with tempfile.TemporaryDirectory() as folder:
                found = measure(info, write, options, count // part, Path(folder))
        except Error as problem:
            end = problem.message
            break
        before, taken, done = taken, found, count // part
    for command, time_taken in taken.items():
        growth = time_taken / before[command] if before else float("nan")
        print(f"{info.name:10} {done:7} {what:22} {command:8} {time_taken:8.2f} {growth:7.2f}", flush=True)
    if end:
        print(f"{info.name:10} {'':7} {what:22} {end}", flush=True)


def main(arguments: list[str]) -> None:
    """Measure and print the table."""
    count = int(arguments[0]) if arguments else COUNT
    print(f"{'format':10} {'number':>7} {'of':22} {'command':8} {'seconds':>8} {'growth':>7}")
    for info in format_infos():
        for what, (write, options) in cases(info).items():
            print_case(info, what, write, options, count)


if __name__ == "__main__":
    main(sys.argv[1:])
