"""Kills a parallel run at random moments, many times for each format, and looks at what is left.

    tests/soak/run.py [--kills 100] [--ranks 2] [--seed 1] [--only PART_OF_A_NAME]

Every step whose commit had returned must be whole; after `quire recover` the file must be whole, and still
hold them. Of formats whose files are one step of elements a series of files is written, in each of their
layouts: those that were complete must be whole, the last one whole or not there. The last line reads
`N passed, N failed`.
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
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import quire
from quire.io.formats import FormatInfo, format_infos
from quire.toolkit.recover import recover

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("QUIRE_BUILD", PROJECT / "build" / "mpich"))
CLIENT = BUILD / "examples" / "fodo" / "fodo"
SERIES = BUILD / "examples" / "checkpoint" / "checkpoint"
MPIEXEC = os.environ.get("QUIRE_MPIEXEC", "mpiexec.mpich")
LONGEST_RUN = 1.5  # seconds until the kill, drawn evenly from 0


def killed_run(arguments: list[str], ranks: int, delay: float) -> list[bytes]:
    """Start a run, kill all of it after the delay, and return the lines that it had told."""
    command = [MPIEXEC, "-n", str(ranks), *arguments]
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(delay)
        kill_session(process.pid, arguments[0])
        process.wait()
        told.seek(0)
        return [line for line in told if line.endswith(b"\n")]


def kill_session(leader: int, client: str) -> None:
    """Kill every process of a session: the starter of MPI puts ranks into groups of their own."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            session = int((entry / "stat").read_text().rpartition(")")[2].split()[3])
            if session == leader or int(entry.name) == leader or client in (entry / "cmdline").read_text():
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


def damage_of(path: Path) -> str:
    """Return why the one step of a file is not whole; an empty text if it is, with all its elements."""
    try:
        with quire.open(path) as file:
            damage = file.check().damage
            if damage is not None:
                return str(damage)
            found = file[0].read_elements(partition="everything")
            ids = sorted(int(id) for block in found for id in block.ids)
            return "" if ids == list(range(len(ids))) and ids else f"{len(ids)} elements are there"
    except quire.Error as error:
        return str(error)


def complaint_of_series(folder: Path, suffix: str, complete: int) -> str:
    """Return what is wrong with the files that a kill has left; an empty text if nothing."""
    for number in range(complete):
        wrong = damage_of(folder / f"run_{number}{suffix}")
        if wrong:
            return f"file {number} of {complete} that were complete: {wrong}"
    last = folder / f"run_{complete}{suffix}"
    if not last.exists() or not damage_of(last):
        return ""
    try:
        recover(last, rows=True)
    except quire.Error:
        return ""  # refused, and not taken for a whole one
    with quire.open(last) as file:
        damage = file.check().damage
        return "" if damage is None else f"after recovery of the last file: {damage}"


def kill_steps(info: FormatInfo, folder: Path, ranks: int, delay: float) -> str:
    """Kill a run that writes steps into one file; return what is wrong with that."""
    path = folder / ("beam" + info.suffixes[0])
    command = [
        str(CLIENT),
        "--particles",
        "20000",
        "--cells",
        "100000",
        "--every",
        "1",
        "--output",
        str(path),
    ]
    told = killed_run(command, ranks, delay)
    return complaint(path, sum(line.startswith(b"cell") for line in told))


def kill_series(info: FormatInfo, options: list[str], folder: Path, ranks: int, delay: float) -> str:
    """Kill a run that writes a file for each step; return what is wrong with these."""
    command = [str(SERIES), "--directory", str(folder), "--suffix", info.suffixes[0], *options]
    told = killed_run([*command, "--elements", "3000", "--checkpoints", "100000"], ranks, delay)
    return complaint_of_series(folder, info.suffixes[0], sum(line.startswith(b"checkpoint") for line in told))


Case = tuple[str, Callable[[Path, int, float], str]]


def cases() -> Iterator[Case]:
    """Return what is killed: every format of steps, and every layout of formats of elements."""
    for info in format_infos():
        if not info.one_step:
            yield info.name, partial(kill_steps, info)
        elif not info.holds_streams and not info.tables:
            layouts = [
                choice
                for option in info.write_options
                if option.name == "layout"
                for choice in option.choices
            ]
            for layout in layouts:
                yield f"{info.name}, {layout}", partial(kill_series, info, ["--option", f"layout={layout}"])


def main() -> int:
    """Run all kills and say how many files were as they must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="for each case")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="the cases that have this in their names")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    passed = failed = 0
    for name, kill_once in cases():
        if options.only not in name:
            continue
        for kill in range(options.kills):
            with tempfile.TemporaryDirectory() as folder:
                delay = draw.uniform(0, LONGEST_RUN)
                wrong = kill_once(Path(folder), options.ranks, delay)
            passed += not wrong
            failed += bool(wrong)
            if wrong:
                print(f"{name}, kill {kill} after {delay:.3f} s: {wrong}", file=sys.stderr)
        print(f"{name}: {options.kills} kills, seed {options.seed}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
