"""Completion in zsh and fish themselves, by the scripts that are installed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.support.mpi import ROOT

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

LINES = [
    ("quire conv", {"convert"}),
    ("quire show beam.h5 --columns ", {"x", "px", "id"}),
    ("quire show beam.h5 --columns x,p", {"x,px", "x,pz"}),
    ("quire show beam.h5 --steps 1", {"10", "15"}),
    ("quire get beam.h5 rms_", {"rms_x", "rms_y"}),
    ("quire run beam.h5 / so", {"sort"}),
    ("quire show be", {"beam.h5"}),
]
"""Lines, and words that a shell offers for the last one."""

PROGRAM = f"""#!/bin/sh
exec {sys.executable} -c 'import sys; sys.argv[0] = "quire"; from quire.cli.main import main; main()' "$@"
"""


@pytest.fixture
def scripts(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the scripts, in the environment of a shell whose home has one data file."""
    folder = tmp_path / "share"
    subprocess.run([sys.executable, ROOT / "scripts" / "write_completion.py", folder], check=True)
    program = tmp_path / "bin" / "quire"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    assert run("example", "beam").code == 0
    for name, value in {
        "HOME": str(home),
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "TERM": "dumb",
    }.items():
        monkeypatch.setenv(name, value)
    return folder


def test_summaries_are_not_cut(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_QUIRE_COMPLETE", "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for line in ("quire ", "quire bench "):
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        program = "from quire.cli.main import main; import sys; sys.argv[0] = 'quire'; main()"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        words = done.stdout.splitlines()
        assert len(words) > 2
        assert not [word for word in words if word.endswith("...")]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes_names_of_the_file(scripts: Path) -> None:
    script = scripts / "fish" / "vendor_completions.d" / "quire.fish"
    for line, expected in LINES:
        command = ["fish", "-c", f"source {script}; complete -C '{line}'"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        words = {word.partition("\t")[0] for word in done.stdout.splitlines()}
        assert expected <= words, line


class Terminal:
    """A shell in a terminal of its own."""

    def __init__(self, *command: str) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvp(command[0], command)

    def type(self, text: str, *expected: str) -> str:
        """Type a text; returns what is shown until all expected words are."""
        os.write(self.terminal, text.encode())
        shown, last = "", time.monotonic() + 30
        while not all(word in shown for word in expected) and time.monotonic() < last:
            if select.select([self.terminal], [], [], 0.1)[0]:
                shown += os.read(self.terminal, 1 << 16).decode(errors="replace")
        return shown

    def close(self) -> None:
        """End the shell."""
        os.close(self.terminal)
        os.waitpid(self.process, 0)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_names_of_the_file(scripts: Path) -> None:
    shell = Terminal("zsh", "-f", "-i")
    functions = scripts / "zsh" / "site-functions"
    try:
        shell.type(f"PS1='> '; fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -D\n")
        assert "ready" in shell.type("echo rea''dy\n", "ready\r\n")
        for line, expected in LINES:
            shown = shell.type(f"{line}\t", *expected)
            assert all(word in shown for word in expected), (line, shown)
            shell.type("\x15")  # an empty line
    finally:
        shell.close()
