"""Kill a parallel run at random moments, many times for each format, and check the files that it leaves.

    tests/soak/run.py [--kills 100] [--ranks 2] [--seed 1] [--only PART_OF_A_NAME]

Every step whose commit had returned must be whole; after `quire recover` the file must be whole and still
contain them. A step that is written in the background counts when the next call has published it; of such
runs also one rank alone is killed, and the launcher ends the others. For formats with one step per file, a
series of files is written, for elements in each of their layouts: complete files must be whole, the last one
whole or refused, and the data recovered from it must be as written. Files that accept several commits are
also opened while they are written, and a repair is tried, which must be refused while the writer lives. The
last line is `N passed, N failed`.
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
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import quire
from quire.io.formats import FormatInfo, format_infos
from quire.toolkit.recover import recover
from readers import Kind, commits_in, kinds, wrong
from series import file_of, wrong_streams, wrong_table

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("QUIRE_BUILD", PROJECT / "build" / "mpich"))
WRITER = PROJECT / "tests" / "soak" / "series.py"
READERS = PROJECT / "tests" / "soak" / "readers.py"
CLIENT = BUILD / "examples" / "fodo" / "fodo"
SERIES = BUILD / "examples" / "checkpoint" / "checkpoint"
MPIEXEC = os.environ.get("QUIRE_MPIEXEC", "mpiexec.mpich")
LONGEST_RUN = 1.5  # seconds until the kill, uniformly distributed from 0
LONGEST_DEATH = 10.0
MARK = "QUIRE_SOAK_RUN"


@dataclass(frozen=True)
class Outcome:
    """The result of a killed run."""

    complete: int
    """Steps that it had reported as complete."""
    wrong: str
    """The errors in the files; an empty text if there are none."""


def killed_run(
    arguments: list[str],
    ranks: int,
    delay: float,
    first_line: bool = False,
    one_rank: bool = False,
    meanwhile: Callable[[Any], None] = lambda output: None,
) -> list[bytes]:
    """Start a run, kill all of its processes after the delay, and return the lines that it had printed.

    With `first_line` the delay begins at the first line of the run: for programs that are slow to start.
    With `one_rank` one rank is killed, and the launcher has time to end the others.
    During the delay `meanwhile` is called repeatedly, with the file of the lines.
    """
    command = [MPIEXEC, "-n", str(ranks), *arguments]
    token = str(uuid.uuid4())
    environment = os.environ | {MARK: token}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True, env=environment
        )
        while first_line and os.fstat(output.fileno()).st_size == 0 and process.poll() is None:
            time.sleep(0.01)
        if process.poll() is not None:
            raise SystemExit(f"the run ended by itself: {' '.join(command)}")
        end = time.monotonic() + delay
        while time.monotonic() < end:
            meanwhile(output)
            time.sleep(min(0.002, max(0.0, end - time.monotonic())))
        if process.poll() is not None:
            raise SystemExit(f"the run ended by itself: {' '.join(command)}")
        mark = f"{MARK}={token}".encode()
        if one_rank:
            running = [number for number in marked(mark) if is_running(number, arguments[0])]
            if running:
                kill([random.Random(delay).choice(running)])
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LONGEST_DEATH)
        while kill(marked(mark)):
            pass
        process.wait()
        output.seek(0)
        return [line for line in output if line.endswith(b"\n")]


def marked(mark: bytes) -> list[int]:
    """Return the processes that have inherited the mark.

    The launcher of MPI starts ranks in other groups and sessions, but they inherit its environment.
    """
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def is_running(process: int, program: str) -> bool:
    """Return whether a process runs a program, and not the launcher."""
    try:
        return Path(f"/proc/{process}/exe").resolve() == Path(program).resolve()
    except OSError:
        return False


def kill(processes: list[int]) -> int:
    """Kill processes, and return how many there were."""
    killed = 0
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
            killed += 1
    return killed


def repair_after_kill(path: Path) -> None:
    """Repair a file whose writer was killed: the kernel may release its locks some moments later."""
    end = time.monotonic() + LONGEST_DEATH
    while True:
        try:
            quire.repair(path)
            return
        except quire.ConflictError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def complaint(path: Path, committed: int) -> str:
    """Return the error in the file that a kill has left; an empty text if there is none."""
    if not path.exists() or path.stat().st_size == 0:
        return "" if committed == 0 else "the file is missing"
    try:
        with quire.open(path) as file:
            whole = file.check().whole_steps
    except quire.BadFileError as error:
        return "" if committed == 0 else f"{committed} steps were committed: {error}"
    if whole < committed:
        return f"{whole} whole steps of {committed} committed ones"
    repair_after_kill(path)
    with quire.open(path) as file:
        report = file.check()
        if report.damage is not None or report.whole_steps != whole:
            return f"after recovery {report.whole_steps} whole steps of {whole}: {report.damage}"
        for step in [file[i] for i in range(max(0, whole - 2), whole)]:
            ids = np.sort(step.table["id"].read())
            if not np.array_equal(ids, np.arange(len(ids))):
                return f"step {step.number} of {whole} has not the particles that were written"
    return ""


Content = Callable[[quire.File, int, bool], str]
"""The error in the contents of a file, given its number and whether all of it must exist."""


def wrong_elements(file: quire.File, number: int, is_whole: bool) -> str:
    """Return an error if elements of a file are missing; a file that is not whole may lack any."""
    found = file[0].read_elements_all(partition="everything")
    ids = sorted(int(id) for block in found for id in block.ids)
    return "" if not is_whole or (ids and ids == list(range(len(ids)))) else f"{len(ids)} elements are there"


def damage_of(path: Path, number: int, content: Content, is_whole: bool = True) -> str:
    """Return why the only step of a file is not whole, or not as written; an empty text if it is.

    A file that need not be whole may have no step at all.
    """
    try:
        with quire.open(path) as file:
            report = file.check()
            if report.damage is not None:
                return str(report.damage)
            if report.whole_steps == 0:
                return "there is no step" if is_whole else ""
            return content(file, number, is_whole)
    except quire.Error as error:
        return str(error)


def complaint_of_series(place: Callable[[int], Path], content: Content, complete: int) -> str:
    """Return the error in the files that a kill has left; an empty text if there is none."""
    for number in range(complete):
        wrong = damage_of(place(number), number, content)
        if wrong:
            return f"file {number} of {complete} that were complete: {wrong}"
    last = place(complete)
    if not last.exists() or not damage_of(last, complete, content):
        return ""
    try:
        with quire.open(last) as file:
            report = file.check()
        if report.damage is None and report.whole_steps > 0:
            return f"the last file is accepted as whole: {damage_of(last, complete, content)}"
    except quire.Error:
        pass
    try:
        damage = recover(last, rows=True).damage_left
    except quire.Error:
        return ""  # refused, and not accepted as whole
    wrong = damage_of(last, complete, content, is_whole=False)
    if damage is not None:
        return "" if wrong == str(damage) else f"recover reported {damage}, a check {wrong}"
    return f"after recovery of the last file: {wrong}" if wrong else ""


def kill_steps(
    info: FormatInfo,
    folder: Path,
    ranks: int,
    delay: float,
    in_background: bool = False,
    one_rank: bool = False,
) -> Outcome:
    """Kill a run that writes steps into one file.

    It prints a line when a commit returns. The last one of those in the background is still in flight.
    """
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
        *(["--async"] if in_background else []),
    ]
    lines = killed_run(command, ranks, delay, one_rank=one_rank)
    returned = sum(line.startswith(b"cell") for line in lines)
    committed = max(0, returned - 1) if in_background else returned
    return Outcome(committed, complaint(path, committed))


def kill_series(info: FormatInfo, options: list[str], folder: Path, ranks: int, delay: float) -> Outcome:
    """Kill a run that writes a file of elements for each step."""
    command = [str(SERIES), "--directory", str(folder), "--suffix", info.suffixes[0], *options]
    lines = killed_run([*command, "--elements", "3000", "--checkpoints", "100000"], ranks, delay)
    complete = sum(line.startswith(b"checkpoint") for line in lines)
    return Outcome(complete, complaint_of_series(partial(file_of, folder, info), wrong_elements, complete))


def kill_writer(info: FormatInfo, options: list[str], folder: Path, ranks: int, delay: float) -> Outcome:
    """Kill a run that writes a file of a table or of streams for each step."""
    command = [sys.executable, str(WRITER), str(folder), info.name, *options]
    lines = killed_run(command, ranks, delay, first_line=True)
    complete = sum(line.startswith(b"complete") for line in lines)

    def content(file: quire.File, number: int, is_whole: bool) -> str:
        if info.holds_streams:
            return wrong_streams(file, number, ranks, is_whole, in_pieces="--pieces" in options)
        return wrong_table(file, number)

    return Outcome(complete, complaint_of_series(partial(file_of, folder, info), content, complete))


def kill_read_run(kind: Kind, folder: Path, ranks: int, delay: float) -> Outcome:
    """Kill a run that writes a file with several commits while the file is read, and repair the file."""
    path = kind.path(folder)
    command = [sys.executable, str(READERS), "--ranks", "--write", str(path), "--only", kind.name]
    complaints = []

    def read(output: Any) -> None:
        committed = commits_in(output)
        complaint = wrong(path, kind, committed)
        if complaint:
            complaints.append(f"during the write, {committed} commits: {complaint}")
        try:
            quire.repair(path)
            complaints.append(f"during the write, {committed} commits: a repair was not refused")
        except quire.ConflictError:
            pass

    lines = killed_run([*command, "--commits", "1000000"], ranks, delay, first_line=True, meanwhile=read)
    complaints.append(wrong(path, kind, len(lines)))
    repair_after_kill(path)
    complaints.append(wrong(path, kind, len(lines)))
    with quire.open(path) as file:
        damage = file.check().damage
    complaints.append("" if damage is None else f"after recovery: {damage}")
    return Outcome(len(lines), "; ".join(complaint for complaint in complaints if complaint))


Case = tuple[str, Callable[[Path, int, float], Outcome]]


def cases() -> Iterator[Case]:
    """Return the cases: every format and layout, and every kind of file that is read meanwhile."""
    for kind in kinds():
        yield f"{kind.name}, with readers", partial(kill_read_run, kind)
    for info in format_infos():
        if not info.one_step:
            yield info.name, partial(kill_steps, info)
            in_background = partial(kill_steps, info, in_background=True)
            yield f"{info.name}, in the background", in_background
            yield f"{info.name}, in the background, one rank", partial(in_background, one_rank=True)
        elif info.tables:
            yield info.name, partial(kill_writer, info, [])
        elif info.holds_streams:
            yield f"{info.name}, at once", partial(kill_writer, info, [])
            yield f"{info.name}, in pieces", partial(kill_writer, info, ["--pieces"])
        else:
            layouts = [
                choice
                for option in info.write_options
                if option.name == "layout"
                for choice in option.choices
            ]
            for layout in layouts:
                yield f"{info.name}, {layout}", partial(kill_series, info, ["--option", f"layout={layout}"])


def main() -> int:
    """Run all kills and print how many files were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="for each case")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    passed = failed = 0
    for name, kill_once in cases():
        if options.only not in name:
            continue
        outcomes = []
        for kill in range(options.kills):
            with tempfile.TemporaryDirectory() as folder:
                delay = draw.uniform(0, LONGEST_RUN)
                outcome = kill_once(Path(folder), options.ranks, delay)
            outcomes.append(outcome)
            if outcome.wrong:
                print(f"{name}, kill {kill} after {delay:.3f} s: {outcome.wrong}", file=sys.stderr)
        wrong = sum(bool(outcome.wrong) for outcome in outcomes)
        begun = sum(outcome.complete > 0 for outcome in outcomes)
        steps = sum(outcome.complete for outcome in outcomes)
        print(
            f"{name}: {len(outcomes)} kills with seed {options.seed}, {begun} after a complete step, "
            f"{steps} such steps, {wrong} failed",
            flush=True,
        )
        failed += wrong
        passed += len(outcomes) - wrong
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
