"""Kills a parallel run at random moments, many times for each format, and looks at what is left.

    tests/soak/run.py [--kills 100] [--ranks 2] [--seed 1]

Every step whose commit had returned must be whole; after `quire recover` the file must be whole, and still
hold them. The last line reads `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import quire
from quire.io.formats import format_infos

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("QUIRE_BUILD", PROJECT / "build" / "mpich"))
CLIENT = BUILD / "examples" / "fodo" / "fodo"
MPIEXEC = os.environ.get("QUIRE_MPIEXEC", "mpiexec.mpich")
LONGEST_RUN = 1.5  # seconds until the kill, drawn evenly from 0


def killed_run(path: Path, ranks: int, delay: float) -> int:
    """Start a run, kill all of it after the delay, and return how many commits it had told."""
    command = [MPIEXEC, "-n", str(ranks), str(CLIENT), "--particles", "20000", "--cells", "100000"]
    command += ["--every", "1", "--output", str(path)]
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(delay)
        kill_session(process.pid)
        process.wait()
        told.seek(0)
        return sum(line.startswith(b"cell") and line.endswith(b"\n") for line in told)


def kill_session(leader: int) -> None:
    """Kill every process of a session: the starter of MPI puts ranks into groups of their own."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            session = int((entry / "stat").read_text().rpartition(")")[2].split()[3])
            if (
                session == leader
                or int(entry.name) == leader
                or str(CLIENT) in (entry / "cmdline").read_text()
            ):
                os.kill(int(entry.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue


def complaint(path: Path, committed: int) -> str:
    """Return what is wrong with the file that a kill has left; an empty text if nothing."""
    if not path.exists() or path.stat().st_size == 0:
        return "" if committed == 0 else "the file is missing"
    try:
        with quire.open(path) as file:
            whole = file.check().whole_steps
    except quire.BadFileError as error:
        return "" if committed == 0 else f"{committed} steps were committed: {error}"
    if whole < committed:
        return f"{whole} whole steps of {committed} committed ones"
    quire.repair(path)
    with quire.open(path) as file:
        report = file.check()
        if report.damage is not None or report.whole_steps != whole:
            return f"after recovery {report.whole_steps} whole steps of {whole}: {report.damage}"
        if whole:
            file[-1].table.read()
    return ""


def main() -> int:
    """Run all kills and say how many files were as they must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="for each format")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    passed = failed = 0
    for info in (info for info in format_infos() if not info.one_step):
        for kill in range(options.kills):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / ("beam" + info.suffixes[0])
                delay = draw.uniform(0, LONGEST_RUN)
                committed = killed_run(path, options.ranks, delay)
                wrong = complaint(path, committed)
            passed += not wrong
            failed += bool(wrong)
            if wrong:
                print(f"{info.name}, kill {kill} after {delay:.3f} s: {wrong}", file=sys.stderr)
        print(f"{info.name}: {options.kills} kills, seed {options.seed}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
