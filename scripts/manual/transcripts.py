"""Run the commands of console blocks, and compare their output with that of the page."""

from __future__ import annotations

import io
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from manual.blocks import Command

ANYTHING = "..."
"""In the output of a page: any text of a line, or any lines if it is alone."""
COLUMNS = "100"
TIME_LIMIT = 200.0
TOLERANCE = 1e-9
"""Relative, of numbers with a point or an exponent: libraries of mathematics differ in the last digits."""

QUOTED = re.compile(r"'[^']*'|\"[^\"$`]*\"")
SPECIAL = set("|&;<>()$`*?{}~#\n=")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d*(?:e[-+]?\d+)?(?![\w.])|(?<![\w.])[-+]?\d+e[-+]?\d+(?![\w.])")


def needs_shell(command: str) -> bool:
    """Return whether a command is more than `quire` with its arguments."""
    return not command.startswith("quire ") or bool(SPECIAL & set(QUOTED.sub("", command)) - {"="})


def run_here(command: str) -> str:
    """Run a command of quire in this process, and return what it prints on both streams."""
    from quire.cli.main import app

    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream), suppress(SystemExit):
        app(shlex.split(command)[1:], prog_name="quire")
    stream.seek(0)
    return stream.read()


def run_in_shell(command: str, folder: Path, programs: Path) -> str:
    """Run a command in a shell, with `programs` before the PATH; return what it prints."""
    environment = os.environ | {
        "PATH": os.pathsep.join([str(programs), os.environ.get("PATH", "")]),
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIME_LIMIT,
        check=False,
    )
    return done.stdout.decode(errors="replace")


def run_command(command: Command, folder: Path, programs: Path) -> list[str]:
    """Run a command in a folder, which is the current one, and return the lines that it prints."""
    text = command.text.replace("\\\n", " ")
    printed = run_in_shell(command.text, folder, programs) if needs_shell(text) else run_here(text)
    return [line.rstrip() for line in printed.splitlines()]


def install_programs(folder: Path) -> Path:
    """Write quire, the programs of `quire shims`, python and the launcher of MPI of this environment into a
    folder, and return it.
    """
    from quire.legacy.install import install

    folder.mkdir()
    install(folder, shadow=True)
    python = shlex.quote(sys.executable)
    starts = {"quire": f"{python} -m quire", "python": python}
    launcher = os.environ.get("QUIRE_MPIEXEC") or shutil.which("mpiexec.mpich")
    if launcher:
        starts |= {"mpiexec": launcher, "mpiexec.mpich": launcher}
    for name, start in starts.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {start} "$@"\n')
        program.chmod(0o755)
    return folder


def agree(shown: list[str], printed: list[str]) -> bool:
    """Return whether an output is the one of the page."""
    shown, printed = trimmed(shown), trimmed(printed)
    # Rows of a table: whether the first lines of one agree with the first ones of the other.
    reached = [True] + [False] * len(printed)
    for line in shown:
        if line.strip() == ANYTHING:
            reached = [any(reached[: count + 1]) for count in range(len(reached))]
        else:
            reached = [False] + [
                before and alike(line, other) for before, other in zip(reached, printed, strict=False)
            ]
    return reached[-1]


def trimmed(lines: list[str]) -> list[str]:
    """Return lines without white space at their ends, and without empty ones at the ends of all."""
    return "\n".join(line.rstrip() for line in lines).strip("\n").splitlines()


def alike(shown: str, printed: str) -> bool:
    """Return whether a line is the one of the page, numbers within the tolerance."""
    if shown == printed:
        return True
    if ANYTHING in shown:
        pattern = ".*".join(re.escape(part) for part in shown.split(ANYTHING))
        return re.fullmatch(pattern, printed) is not None
    if NUMBER.sub("", shown) != NUMBER.sub("", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=TOLERANCE) for a, b in pairs)
