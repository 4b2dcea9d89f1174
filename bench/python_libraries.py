"""Python libraries side by side: each a process of its own, all of them in every pass, in a drawn order."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
WORKER: Final = ROOT / "bench" / "peers" / "python_worker.py"


class Worker:
    """A process that answers operations by the seconds they took."""

    def __init__(self, library: str, columns: int, rows: int) -> None:
        """Start it; a peer finds its package in its own folder of the environment."""
        peers = Path(sys.prefix) / "peers" / library
        paths = [str(peers), *os.environ.get("PYTHONPATH", "").split(os.pathsep), str(ROOT / "python")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        self.library = library
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), library, str(columns), str(rows)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, operation: str, path: Path, layout: str) -> float:
        """Let it do one thing; return the seconds."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if operation == "write":
            path.unlink(missing_ok=True)
        try:
            print(operation, path, layout, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
            return float(answer)
        except (OSError, ValueError) as problem:
            lines = self.process.communicate()[1].strip().splitlines()[-3:]
            raise RuntimeError(f"{self.library}: {' / '.join(lines) or problem}") from problem

    def stop(self) -> None:
        """End it."""
        self.process.communicate()


def measure(run: dict[str, Any], folder: Path, megabytes: float, passes: int, seed: int) -> dict[str, Any]:
    """Return the seconds of every alternative of a run, "LIBRARY" or "LIBRARY:OPERATION", pass by pass.

    All read one file, which the first library has written.
    """
    columns = int(run["columns"])
    rows = int(megabytes * 1e6 / 8 / columns)
    libraries = [name.partition(":")[0] for name in run["methods"]]
    workers = {library: Worker(library, columns, rows) for library in dict.fromkeys(libraries)}
    layout, suffix, drawn = run["layout"], run.get("suffix", ""), random.Random(seed)
    seconds: dict[str, list[float]] = {name: [] for name in run["methods"]}
    try:
        shared = folder / f"shared{suffix}"
        workers[libraries[0]].ask("write", shared, layout)
        for number in range(passes + 1):
            names = list(run["methods"])
            drawn.shuffle(names)
            for name in names:
                library, _, operation = name.partition(":")
                operation = operation or run["operation"]
                path = shared if operation != "write" else folder / f"fresh{suffix}"
                took = workers[library].ask(operation, path, layout)
                if number > 0:
                    seconds[name].append(took)
    finally:
        for worker in workers.values():
            worker.stop()
    return seconds


def ratios(seconds: dict[str, list[float]], own: str, reference: str) -> tuple[float, float]:
    """Return how much faster one alternative is than another: of the medians, and paired in each pass."""
    medians = statistics.median(seconds[reference]) / statistics.median(seconds[own])
    paired = statistics.median(
        theirs / ours for ours, theirs in zip(seconds[own], seconds[reference], strict=True)
    )
    return medians, paired
