"""A small compressed file of very many empty pages takes bounded memory, also outside of Python."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

HEADER = b"SDDS1\n! little-endian\n&column name=x, type=double &end\n&data mode=binary &end\n"
EMPTY_PAGE = bytes(4)
FEW = 1000
MANY = 20_000
MOST_MORE = 4 << 20

# Prints the greatest memory of the process, of which the command is the only work.
PROGRAM = """
import os, sys
from quire.cli.main import app

sys.stdout = open(os.devnull, "w")
try:
    app(sys.argv[1:], standalone_mode=False)
except SystemExit:
    pass
status = open("/proc/self/status").read()
print(status.split("VmHWM:")[1].split()[0], file=sys.__stdout__)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Compressed files of few and of many pages."""
    folder = tmp_path_factory.mktemp("pages")
    made = {pages: folder / f"{pages}.sdds.gz" for pages in (FEW, MANY)}
    for pages, path in made.items():
        path.write_bytes(gzip.compress(HEADER + EMPTY_PAGE * pages))
    assert made[MANY].stat().st_size < 1000
    return made


def memory_of(*words: str | Path) -> int:
    """Bytes of a process with a command."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, words)], stdout=subprocess.PIPE, check=True
    )
    return int(run.stdout) * 1024


@pytest.mark.parametrize("command", ["info --json", "sum", "diff", "convert"])
def test_pages_without_rows_take_bounded_memory(files: dict[int, Path], tmp_path: Path, command: str) -> None:
    memory = {}
    for pages, path in files.items():
        others = {"diff": [path], "convert": [tmp_path / f"{pages}.sdds"]}
        memory[pages] = memory_of(*command.split(), path, *others.get(command, []))
    assert memory[MANY] - memory[FEW] < MOST_MORE
