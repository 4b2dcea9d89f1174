"""Methods of a table of targets.toml side by side: what bench/engines.py and bench/knobs.py share."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import run

HEADS = ["ranks", "place", "method", "MB/s", "ratio", "paired", "c", "seconds"]


def parse(arguments: list[str], title: str, ranks: list[int], size: float) -> argparse.Namespace:
    """Understand the command line."""
    summary, _, rest = title.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=float, default=size, help=f"MB of every run (default {size:g})")
    parser.add_argument("--passes", type=int, default=5, help="after one that warms up (default 5)")
    parser.add_argument("--seed", type=int, default=20261122, help="of the order in every pass")
    parser.add_argument("--ranks", type=int, nargs="+", default=ranks, help="numbers of ranks")
    parser.add_argument("--place", nargs="+", choices=["disk", "tmpfs"], default=["disk", "tmpfs"])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="those whose name begins so")
    options = parser.parse_args(arguments)
    options.only_names, options.only = options.only, None
    return options


def rows_of(lines: list[dict[str, Any]], ranks: int, place: str) -> list[list[str]]:
    """Return the lines of the table for one run of the driver; ratios are to its first method."""
    methods = [line for line in lines if "name" in line]
    first = methods[0]["name"]
    return [
        [
            str(ranks),
            place,
            line["name"],
            f"{line['gb_per_second'] * 1000:.0f}",
            f"{line['ratio_of_medians'][first]:.2f}",
            f"{line['median_of_ratios'][first]:.2f}",
            f"{line['c']:.2f}",
            f"{line['median']:.3f}",
        ]
        for line in methods
    ]


def print_table(rows: list[list[str]]) -> None:
    """Print a table that is good Markdown, too."""
    table = [HEADS, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEADS))]
    table.insert(1, ["-" * width for width in widths])
    for row in table:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")


def measure(bench: run.Bench, entry: dict[str, Any], ranks: int, place: str) -> list[list[str]]:
    """Run all methods of an entry of the table."""
    options = bench.options
    arguments = ["--operation", entry.get("operation", "write"), "--columns", entry["columns"]]
    size = min(entry.get("size", options.size), options.size)
    arguments += ["--steps", str(entry.get("steps", 1)), "--size", str(size)]
    arguments += ["--passes", str(options.passes), "--seed", str(options.seed)]
    for method in entry["methods"]:
        arguments += ["--method", method]
    return rows_of(bench.drive(ranks, place, arguments), ranks, place)


def main(name: str, arguments: list[str], ranks: list[int], title: str, size: float = 256) -> int:
    """Measure every entry of one table and print what was found; exit code 2 if something could not be."""
    options = parse(arguments, title, ranks, size)
    bench = run.Bench(options)
    entries = [
        entry
        for entry in bench.table[name]
        if not options.only_names or any(entry["name"].startswith(only) for only in options.only_names)
    ]
    activity, load, failures = run.Activity(), os.getloadavg()[0], 0
    tables: dict[str, list[list[str]]] = {}
    for entry in entries:
        print(f"\n{entry['name']}\n", flush=True)
        rows: list[list[str]] = []
        for place in [one for one in entry.get("places", options.place) if one in options.place]:
            for count in entry.get("ranks", options.ranks):
                try:
                    rows += measure(bench, entry, count, place)
                except (RuntimeError, subprocess.TimeoutExpired) as problem:
                    failures += 1
                    print(f"NOT MEASURED on {count} ranks, {place}: {problem}", file=sys.stderr)
        print_table(rows)
        sys.stdout.flush()
        tables[entry["name"]] = rows
    print(
        f"\n{options.size:g} MB, {options.passes} passes, seed {options.seed}; load {load:.2f} before, "
        f"{os.getloadavg()[0]:.2f} after; others kept {activity.foreign():.2f} processors busy"
    )
    results = {
        "command": shlex.join([f"bench/{name}.py", *arguments]),
        "ended": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "heads": HEADS,
        "tables": tables,
        "runs": bench.records,
    }
    (bench.places["disk"] / f"results-{name}.json").write_text(json.dumps(results, indent=1) + "\n")
    return 2 if failures or not entries else 0
