"""Start the probe on many ranks, with a time limit: a hang is a result, too."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROBE = "quire-probe"
SECONDS_TO_CLEAN_UP = 3.0
GRACE_OF_RANKS = 5
"""Seconds after which ranks end by themselves if the launcher has ended without them."""


@dataclass(frozen=True)
class Answer:
    """The output of a launch and how it ended."""

    lines: list[list[str]] = field(default_factory=list)
    """The fields of the lines of the probe."""
    timed_out: bool = False
    code: int = 0
    noise: str = ""
    """The last other lines."""

    @property
    def is_complete(self) -> bool:
        """Independent. Whether the probe reported its end."""
        return ["end"] in self.lines

    def of(self, kind: str) -> list[list[str]]:
        """Independent. The fields after the first one of the lines of a kind."""
        return [line[1:] for line in self.lines if line[0] == kind]


def probe_path() -> Path | None:
    """Independent. The program of this build: QUIRE_PROBE, next to the package, or in the PATH."""
    named = os.environ.get("QUIRE_PROBE")
    if named:
        return Path(named) if Path(named).is_file() else None
    beside = Path(__file__).resolve().parents[2] / PROBE
    if beside.exists():
        return beside
    found = shutil.which(PROBE)
    return Path(found) if found else None


def launch(
    words: Sequence[str],
    action: str,
    arguments: Mapping[str, str | int],
    *,
    environment: Mapping[str, str] | None = None,
    seconds: float,
) -> Answer:
    """Independent. Start `words` with the action of the probe; end all of it after the time limit."""
    backstop = int(seconds) + GRACE_OF_RANKS
    command = [*words, action, f"seconds={backstop}"]
    command += [f"{name}={value}" for name, value in arguments.items()]
    try:
        process = subprocess.Popen(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as problem:
        return Answer(code=-1, noise=str(problem))
    timed_out = False
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
        output, errors = end(process)
    except BaseException:
        end(process)
        raise
    lines = [line[1:].split("\t") for line in output.splitlines() if line.startswith("@")]
    rest = [line for line in output.splitlines() if line.strip() and not line.startswith("@")]
    rest += [line for line in errors.splitlines() if line.strip()]
    return Answer(lines, timed_out, process.returncode, "\n".join(rest[-12:]))


def end(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Independent. Ask the launcher to end its ranks, then end its group; return their output."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        try:
            output, errors = process.communicate(timeout=SECONDS_TO_CLEAN_UP)
            return output or "", errors or ""
        except subprocess.TimeoutExpired:
            continue
    return "", ""
