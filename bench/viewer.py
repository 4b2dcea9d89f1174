"""Measure the server of `quire view`: densities beside their kernel, the first picture, and its memory.

    bench/viewer.py [--rows N] [--large N] [--passes N] [FOLDER]

Makes a file of N rows (default 10^7) with six columns of float64. Each pass asks a server for the density of
two of them, and counts the same values in memory by the kernel alone; the first pass does not count. Then a
server shows a file of 10^8 rows (--large 0 leaves it out): printed are the time until the picture of a sample
and until that of all rows, and the largest memory of each server. The rows in the pictures are counted.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import quire
from quire.io.bin_counts import BinCounts
from quire.numeric.histograms import Bins

COLUMNS = ("x", "px", "y", "py", "z", "pz")
PART = 10**6
LOW, HIGH = -6.0, 6.0


def make_bunch(path: Path, rows: int) -> None:
    """Write normally distributed columns, a million rows at a time."""
    random = np.random.default_rng(1)
    with quire.create(path) as out, out.step(0) as step:
        for name in COLUMNS:
            step.declare(name, "float64")
        step.rows(rows).open()
        for first in range(0, rows, PART):
            count = min(PART, rows - first)
            step.write(first, {name: random.standard_normal(count) for name in COLUMNS})


class Server:
    """A server of its own process."""

    def __init__(self, path: Path) -> None:
        """Start it, and wait for its address."""
        command = [sys.executable, "-m", "quire", "view", str(path), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                self.address = urlsplit(found[0])
                return
        raise RuntimeError("the server did not start")

    def pictures(self, bins: int) -> Iterator[tuple[float, dict[str, Any], int]]:
        """Yield the pictures of a density: seconds since the request, content, and counted rows."""
        asked = {"plot": "bench", "x": "x", "y": "px", "bins": [bins, bins], "limits": [[LOW, HIGH]] * 2,
                 "sources": [{"file": 0, "step": 0}]}  # fmt: skip
        begin = time.perf_counter()
        connection = http.client.HTTPConnection(str(self.address.hostname), self.address.port, timeout=600)
        with contextlib.closing(connection):
            connection.request("POST", f"{self.address.path}api/distribution", json.dumps(asked))
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            while head := answer.read(8):
                head_bytes, bytes_left = struct.unpack("<II", head)
                content = json.loads(answer.read(head_bytes))
                counts = np.frombuffer(answer.read(bytes_left), "<u4")
                if content["kind"] != "progress":
                    yield time.perf_counter() - begin, content, int(counts.sum())

    def peak(self) -> float:
        """Return the largest resident memory so far, in MB."""
        found = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) / 1000 if found else 0.0

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait()


def kernel_seconds(columns: list[np.ndarray[Any, Any]], bins: int) -> float:
    """Return the time to count values in memory."""
    begin = time.perf_counter()
    counts = BinCounts([Bins.between(LOW, HIGH, bins)] * 2, is_weighted=False)
    counts.add(columns)
    return time.perf_counter() - begin


def measure_density(path: Path, rows: int, passes: int) -> None:
    """Compare densities with the kernel, alternately."""
    with quire.open(path) as file:
        columns = [file[0][name].read() for name in ("x", "px")]
    server = Server(path)
    try:
        served, alone = [], []
        for number in range(passes + 1):
            bins = 300 + number  # no picture is the one before
            *_, (seconds, _, counted) = server.pictures(bins)
            assert counted == rows, f"{counted} rows are in the picture"
            served.append(seconds)
            alone.append(kernel_seconds(columns, bins))
        ratio = median(a / b for a, b in zip(served[1:], alone[1:], strict=True))
        seconds, least = median(served[1:]), median(alone[1:])
        print(
            f"density of {rows:.0e} rows {seconds:.3f} s, kernel {least:.3f} s: {ratio:.2f} times, target 3"
        )
        print(f"first density {served[0]:.2f} s, server {server.peak():.0f} MB, target 300")
    finally:
        server.stop()


def measure_first(path: Path, rows: int) -> None:
    """Print when the pictures of a large file come."""
    server = Server(path)
    try:
        for place in ("first", "again"):
            for seconds, content, counted in server.pictures(300 if place == "first" else 301):
                kind = "a sample" if counted < rows else "all rows"
                assert content["kind"] != "failure", content
                print(f"{place}: {kind} of {rows:.0e} after {seconds:.2f} s")
        print(f"server {server.peak():.0f} MB, target 300")
    finally:
        server.stop()


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description="Measure the server of quire view.")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--large", type=int, default=10**8)
    parser.add_argument("--passes", type=int, default=7)
    parser.add_argument("folder", nargs="?", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for rows in filter(None, (options.rows, options.large)):
            path = Path(name) / f"bunch{rows}.h5"
            make_bunch(path, rows)
            if rows == options.rows:
                measure_density(path, rows, options.passes)
            else:
                measure_first(path, rows)


if __name__ == "__main__":
    main()
