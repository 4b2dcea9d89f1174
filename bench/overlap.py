"""Measure how much of the output of a simulation is hidden while it computes: examples/fodo with --async.

    bench/overlap.py [FOLDER]

Runs on 1, 2 and 4 ranks, with steps in the page cache and durable ones, alternately with and without
--async. Output is the time in which rank 0 waits for commits and close. The hidden share is that of the
output which --async saves, less the time by which tracking becomes slower: it needs a processor, or a device,
that is idle while the ranks compute. Copies are those to the pool. Medians of 5 passes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts")]

from run_tests import cache_entry  # noqa: E402

BUILD = Path(os.environ.get("QUIRE_BUILD", ROOT / "build" / os.environ.get("QUIRE_PRESET", "mpich")))
PARTICLES, CELLS, EVERY = 500_000, 240, 10
RANKS = (1, 2, 4)
PASSES = 5
NUMBER = re.compile(r"(track|output|encode) ([\d.]+) s")


def times(ranks: int, *options: str) -> dict[str, float]:
    """Run the simulation and return the seconds of rank 0."""
    command = [cache_entry(BUILD, "MPIEXEC_EXECUTABLE"), "-n", str(ranks)]
    command += [str(BUILD / "examples" / "fodo" / "fodo"), "--cells", str(CELLS), "--every", str(EVERY)]
    command += ["--particles", str(PARTICLES), *options]
    environment = {**os.environ, "QUIRE_TRACE": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=600)
    return {name: float(seconds) for name, seconds in NUMBER.findall(done.stdout.splitlines()[-1])}


def hidden(at_once: dict[str, float], overlapping: dict[str, float]) -> float:
    """Return the share of the output of `at_once` that the other run saves."""
    slower = max(0.0, overlapping["track"] - at_once["track"])
    return 1 - (overlapping["output"] + slower) / at_once["output"]


def main(arguments: list[str]) -> None:
    """Print a line for each number of ranks and manner."""
    with tempfile.TemporaryDirectory(dir=arguments[0] if arguments else None) as folder:
        for ranks in RANKS:
            for manner in ([], ["--durable"]):
                to = ["--output", str(Path(folder) / "beam.h5"), *manner]
                passes = [(times(ranks, *to), times(ranks, *to, "--async")) for _ in range(PASSES)]
                output, copied = (median(one[i]["output"] for one in passes) for i in (0, 1))
                copy = median(after["encode"] - before["encode"] for before, after in passes)
                share = median(hidden(*one) for one in passes)
                track = median(before["track"] for before, _ in passes)
                name = "durable" if manner else "page cache"
                print(
                    f"{ranks} ranks, {name:10}: tracking {track:.2f} s, output {output:.3f} s, with --async "
                    f"{copied:.3f} s, of which copies {copy:.3f} s; hidden {share:.0%}",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
