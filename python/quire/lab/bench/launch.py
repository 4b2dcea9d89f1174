"""Run a plan: start the driver for each pass or cell, store its output, resume after interruptions."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from quire import starters
from quire.errors import ConflictError, InputOutputError, UsageError
from quire.lab.bench.activity import Activity
from quire.lab.bench.cells import Cell, is_read
from quire.lab.bench.files import files_of
from quire.lab.bench.plan import Plan
from quire.lab.bench.records import VERSION, read_results, whole_bytes
from quire.lab.doctor.known import start_environment

DRIVER = "quire-bench"
PREFIX = "quire-bench-"
"""The prefix of the names of data directories."""
MARKER = "made-by-quire-bench"
"""A file in a data directory that identifies its plan: a kill leaves both."""
LAST_WORDS = 6
SECONDS_TO_END = 10.0
PASSES_OF_LAUNCH = 5
"""At most, where cells are repeated: passes of a launch share its memory, which affects all their times."""
GOOD_CODES = (0, 1)
"""Exit codes after which all cells were run; 1: one of them has wrong values, as its line states."""


@dataclass
class Launcher:
    """How the driver is started. `command` has `{ranks}` for their number, and may have `{nodes}`.

    `silence` is how many seconds the driver may say nothing before it is ended.
    """

    command: str = ""
    driver: str = ""
    silence: float = 600.0
    ranks_per_node: int = 0

    def arguments(self, ranks: int) -> list[str]:
        """Independent. The words before the arguments of the driver. Raises UsageError."""
        driver = self.driver or find_driver()
        if not self.command:
            self.command = os.environ.get("QUIRE_MPIEXEC", "") or find_starter(driver, ranks)
        return [*starters.Launcher.from_text(self.command, self.ranks_per_node).command(ranks), driver]


@dataclass
class Outcome:
    """The outcome of a run."""

    cells: int = 0
    wrong: list[str] = field(default_factory=list)
    """The identifiers of cells with errors or wrong values."""
    refused: list[str] = field(default_factory=list)
    """Cells beyond a limit, with the reason."""
    stopped: str = ""
    """Why the run ended early; empty if it did not."""


@dataclass(frozen=True)
class Setting:
    """The setting of a run."""

    plan: Plan
    directory: Path
    results: Path
    launcher: Launcher
    day: str
    on_line: Callable[[dict[str, Any]], None] = lambda line: None
    """Called with each line of the driver."""


def find_starter(driver: str, ranks: int) -> str:
    """Independent. The first launcher whose ranks are in one world: one that belongs to the MPI of the
    driver. Raises UsageError.
    """
    failures = []
    for name in starters.candidates():
        launcher = starters.Launcher.from_text(name)
        if launcher.is_there:
            failure = failure_of([*launcher.command(ranks), driver], ranks)
            if not failure:
                return name
            failures.append(f"{name}: {failure}")
    reasons = "; ".join(failures) or f"there is none of {', '.join(starters.candidates())}"
    raise UsageError(
        f"no starter of MPI programs starts {ranks} ranks: {reasons}",
        advice="give --launcher 'mpiexec -n {ranks}'",
    )


def failure_of(words: Sequence[str], ranks: int) -> str:
    """Independent. Why a launcher does not start one world of this number of ranks; empty if it does.

    The last word is the driver. Raises UsageError if it is one of another version.
    """
    try:
        done = subprocess.run(
            [*words, "list"],
            env={**os.environ, **start_environment()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=starters.SECONDS_TO_START,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {starters.SECONDS_TO_START:g} s"
    except OSError as problem:
        return str(problem.strerror)
    worlds = [world_of(line, words[-1]) for line in done.stdout.splitlines() if line.startswith("{")]
    if not worlds:
        return f"ended with {done.returncode}: {' '.join(done.stderr.split())[:200]}"
    if worlds == [str(ranks)]:
        return ""
    return starters.many_worlds(len(worlds), " and ".join(sorted(set(worlds))), ranks, "")


def world_of(line: str, driver: str) -> str:
    """Independent. The number of ranks that a driver reports. Raises UsageError."""
    with suppress(ValueError):
        ranks = json.loads(line).get("ranks")
        if ranks is not None:
            return str(ranks)
    raise UsageError(
        f"does not say of how many ranks it is, as drivers of this version do: {line[:80]}",
        file=driver,
        advice="give the driver of this version by --driver or QUIRE_BENCH_DRIVER",
    )


def find_driver() -> str:
    """Independent. The program that measures. Raises UsageError."""
    given = os.environ.get("QUIRE_BENCH_DRIVER", "")
    if given:
        return given
    found = [Path(sys.executable).parent / DRIVER]
    compiled = importlib.util.find_spec("quire._core")
    if compiled is not None and compiled.origin:
        # In a working copy the compiled module leads to the build that made it.
        found.insert(0, Path(compiled.origin).resolve().parent.parent / "bench" / "driver" / DRIVER)
    for candidate in (str(found[0]), shutil.which(DRIVER) or "", str(found[-1])):
        if candidate and Path(candidate).is_file():
            return candidate
    raise UsageError(
        f"the program {DRIVER} is not found", advice="give --driver, QUIRE_BENCH_DRIVER or add it to the PATH"
    )


def prepare(plan: Plan, directory: Path, results: Path, resume: bool, force: bool) -> set[tuple[int, str]]:
    """Independent. Create the directory and the results, or read the results of an interrupted run.

    Raises UsageError for a directory that is not empty, and ConflictError for results of another plan.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if results.exists():
        if not resume:
            raise UsageError("exists already", file=str(results), advice="--resume continues it")
        found = read_results([results])
        if found.plan.get("fingerprint") != plan.fingerprint:
            raise ConflictError(
                "belongs to another plan", file=str(results), advice="give the options of the first start"
            )
        os.truncate(results, whole_bytes(results))
        return found.done()
    require_empty(directory, force)
    free = shutil.disk_usage(directory).free
    if free < 2 * plan.largest_payload:
        raise InputOutputError(
            f"has {free} bytes left, and {2 * plan.largest_payload} may be needed",
            file=str(directory),
            advice="choose a smaller --scale",
        )
    results.parent.mkdir(parents=True, exist_ok=True)
    with results.open("x", encoding="utf-8") as out:
        out.write(json.dumps({"kind": "plan", "version": VERSION, **plan.as_json()}) + "\n")
    return set()


def require_empty(directory: Path, force: bool) -> None:
    """Independent. Raises UsageError for a directory that is not empty, unless that is forced."""
    if any(directory.iterdir()) and not force:
        raise UsageError(
            "is not empty", file=str(directory), advice="choose another directory, or add --force"
        )


def check_limits(plan: Plan) -> None:
    """Independent. Raises UsageError if a cell is larger than the limits of its plan allow."""
    if plan.largest_payload > plan.limits["bytes"]:
        raise UsageError(
            f"a cell writes {plan.largest_payload} bytes, more than the limit of {plan.limits['bytes']:.0f}",
            advice="choose a smaller --scale, or a larger --most-bytes",
        )
    most = max(plan.cells, key=files_of)
    if files_of(most) > plan.limits["files"]:
        raise UsageError(
            f"{most.id} may make {files_of(most)} files, more than the limit of {plan.limits['files']:.0f}",
            advice="choose a larger --most-files",
        )


@dataclass(frozen=True)
class Pass:
    """The cells of a pass in a launch, in their order."""

    number: int
    cells: Sequence[Cell]


def launches(plan: Plan, done: set[tuple[int, str]]) -> Iterator[list[Pass]]:
    """Independent. What is left of the passes of each launch, in the order of the plan."""
    left = [
        Pass(number, [cell for cell in plan.order(number) if (number, cell.id) not in done])
        for number in range(1, plan.passes + 1)
    ]
    if plan.mode == "repeated":
        for first in range(0, plan.passes, PASSES_OF_LAUNCH):
            yield from repeated(left[first : first + PASSES_OF_LAUNCH])
        return
    for one in left:
        if plan.mode == "launch":
            yield from ([Pass(one.number, [cell])] for cell in one.cells)
        elif one.cells:
            yield [one]


def repeated(passes: Sequence[Pass]) -> Iterator[list[Pass]]:
    """Independent. Of each case on the same ranks the passes of one launch, writes and reads apart."""

    def conditions(cell: Cell) -> tuple[str, int, int, bool]:
        return (str(cell.workload["name"]), cell.ranks, cell.readers, is_read(cell.operation))

    every = [cell for one in passes for cell in one.cells]
    for wanted in sorted({conditions(cell) for cell in every}):
        here = [
            Pass(one.number, [cell for cell in one.cells if conditions(cell) == wanted]) for one in passes
        ]
        yield [one for one in here if one.cells]


def run(setting: Setting, done: set[tuple[int, str]]) -> Outcome:
    """Independent. Measure the remaining cells of a plan.

    Raises InputOutputError if the driver fails, and ConflictError while another run adds to the results.
    """
    outcome = Outcome()
    check_limits(setting.plan)
    with alone_with(setting.results):
        # A directory of our own: what is in it at the end is ours to remove, also after a kill of the driver.
        remove_leftovers(setting)
        data = Path(tempfile.mkdtemp(prefix=PREFIX, dir=setting.directory))
        try:
            (data / MARKER).write_text(mark_of(setting), encoding="utf-8")
            run_launches(setting, data, done, outcome)
        except InputOutputError:
            if not done and outcome.cells == 0:
                setting.results.unlink()  # else the next start, by a launcher that works, would be refused
            raise
        finally:
            shutil.rmtree(data, ignore_errors=True)
    return outcome


def mark_of(setting: Setting) -> str:
    """Independent. The identification of a data directory: the plan and the file of its results."""
    return f"{setting.plan.fingerprint} {setting.results.resolve()}\n"


def remove_leftovers(setting: Setting) -> None:
    """Independent. Remove the data of killed runs of this plan. No other process may be measuring."""
    for data in setting.directory.glob(f"{PREFIX}*"):
        mark = data / MARKER
        if mark.is_file() and mark.read_text(encoding="utf-8", errors="replace") == mark_of(setting):
            shutil.rmtree(data, ignore_errors=True)


@contextmanager
def alone_with(results: Path) -> Iterator[None]:
    """Independent. No other process adds to the results at the same time. Raises ConflictError."""
    with results.open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConflictError(
                "is being written by another run", file=str(results), advice="wait for its end"
            ) from None
        except OSError:
            pass  # a file system without locks
        yield


def run_launches(setting: Setting, data: Path, done: set[tuple[int, str]], outcome: Outcome) -> None:
    """Independent. Start the driver for the remaining cells until the time limit."""
    started = time.monotonic()
    for passes in launches(setting.plan, done):
        left = setting.plan.limits["seconds"] - (time.monotonic() - started)
        if left <= 0:
            outcome.stopped = f"the limit of {setting.plan.limits['seconds']:g} s is over"
            return
        run_one(setting, data, passes, left, outcome)


def content_of(setting: Setting, passes: Sequence[Pass], left: float) -> dict[str, Any]:
    """Independent. The plan of a launch. Repeated cells begin with a pass of all that does not count."""
    plan = setting.plan
    cells = list({cell.id: cell for one in passes for cell in one.cells}.values())
    content = {
        "version": VERSION,
        "seed": plan.seed,
        "pass": passes[0].number,
        "mode": plan.mode,
        "day": setting.day,
        "limits": {**plan.limits, "seconds": left},
        "cells": [{**cell.as_json(), "files": files_of(cell)} for cell in cells],
    }
    if plan.mode != "repeated":
        return content
    places = {cell.id: place for place, cell in enumerate(cells)}
    orders = [Pass(0, cells), *passes]
    listed = [{"pass": one.number, "cells": [places[cell.id] for cell in one.cells]} for one in orders]
    return {**content, "passes": listed}


def run_one(setting: Setting, data: Path, passes: Sequence[Pass], left: float, outcome: Outcome) -> None:
    """Independent. One launch of the driver, whose lines are written to the results at once."""
    path = data / "plan.json"
    path.write_text(json.dumps(content_of(setting, passes, left)), encoding="utf-8")
    ranks = max(cell.world for one in passes for cell in one.cells)
    command = [*setting.launcher.arguments(ranks), "cells", "--directory", str(data), "--plan", str(path)]
    wanted = {cell.id for one in passes for cell in one.cells}
    activity = Activity()
    said = said_by(command, setting.launcher.silence)
    with setting.results.open("a", encoding="utf-8") as out, closing(said):
        for line in said:
            out.write(json.dumps(line) + "\n")
            out.flush()
            setting.on_line(line)
            if line.get("kind") == "refused":
                wanted.discard(str(line.get("id")))
                outcome.refused.append(f"{line.get('id')}: {line.get('error')}")
            if line.get("kind") == "repetition":
                outcome.cells += 1
                wanted.discard(str(line.get("id")))
                if line.get("error") or not line.get("verified"):
                    outcome.wrong.append(str(line.get("id")))
        out.write(json.dumps({"kind": "activity", "foreign_processors": activity.foreign()}) + "\n")
    if wanted:
        raise InputOutputError(f"the driver left out {len(wanted)} cells, as {sorted(wanted)[0]}")


def said_by(command: Sequence[str], silence: float) -> Generator[dict[str, Any], None, None]:
    """Independent. The lines of JSON that a driver prints. Raises InputOutputError.

    The driver and its ranks are a group of processes, which ends with this one's interest in it.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as words:
        try:
            process = subprocess.Popen(
                command,
                env={**os.environ, **start_environment()},
                stdout=subprocess.PIPE,
                stderr=words,
                text=True,
                start_new_session=True,
            )
        except OSError as problem:
            raise InputOutputError(f"cannot be started: {problem.strerror}", file=command[0]) from None
        try:
            assert process.stdout is not None
            is_whole = False
            for line in lines_in_time(process.stdout, silence, command):
                is_whole = is_whole or line.get("kind") == "end"
                yield line
            code = process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            raise InputOutputError("the driver closed its output and did not end") from None
        finally:
            end(process)
            if process.stdout is not None:
                process.stdout.close()
        # Starters that refuse to start end by 1 as well, but have not said that it is the end.
        if code not in GOOD_CODES or not is_whole:
            words.seek(0)
            spoken = words.read().strip().splitlines()
            own = [line for line in spoken if line.startswith((f"{DRIVER}:", f"{DRIVER},"))]
            # Ranks say the same, starters what fits every failure.
            last = " | ".join(list(dict.fromkeys(own or spoken))[-LAST_WORDS:])
            raise InputOutputError(f"{shlex.join(command)}: exit code {code}: {last}")


def lines_in_time(stream: IO[str], silence: float, command: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Independent. Lines of JSON as they are printed; other lines are ignored. Raises InputOutputError."""
    lines: queue.Queue[str | None] = queue.Queue()

    def collect() -> None:
        with suppress(ValueError):  # closed, because no thread waits any more
            for line in stream:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=collect, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=silence)
        except queue.Empty:
            raise InputOutputError(f"{shlex.join(command)}: said nothing for {silence:g} s") from None
        if line is None or not line.endswith("\n"):
            return
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except ValueError:
                raise InputOutputError(f"the driver said what is no JSON: {line.strip()[:200]}") from None


def end(process: subprocess.Popen[str]) -> None:
    """Independent. End a driver that still runs, first by a request to clean up."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        try:
            os.killpg(process.pid, number)
            process.wait(SECONDS_TO_END)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def today() -> str:
    """Independent. The default label of a day."""
    return datetime.now(UTC).date().isoformat()
