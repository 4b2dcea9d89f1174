"""`-` as standard input and output: files are read at any offset, so streams pass through temporary files."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quire.cli.parallel import communicator

STANDARD = "-"


def communicator_for(*paths: str) -> Any:
    """Collective. The communicator of `parallel.communicator` for work on these files.

    Raises UsageError for standard input or output, which several ranks cannot share.
    """
    comm = communicator()
    if comm is not None and comm.size > 1 and STANDARD in paths:
        from quire.errors import UsageError

        raise UsageError("several ranks cannot share standard input or output: name files")
    return comm


@contextmanager
def readable(path: str) -> Iterator[str]:
    """Independent. The path itself, or for `-` a temporary file with all of standard input."""
    if path != STANDARD:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="quire-") as folder:
        spooled = Path(folder, "standard-input")
        with spooled.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield str(spooled)


@contextmanager
def writable(path: str) -> Iterator[str]:
    """Independent. The path itself, or for `-` a temporary file that goes to standard output at the end.

    Raises UsageError for a terminal.
    """
    if path != STANDARD:
        yield path
        return
    if sys.stdout.isatty():
        from quire.errors import UsageError

        raise UsageError("data files are not written to a terminal; redirect standard output")
    with tempfile.TemporaryDirectory(prefix="quire-") as folder:
        spooled = Path(folder, "standard-output")
        yield str(spooled)
        with spooled.open("rb") as copy:
            shutil.copyfileobj(copy, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def display_name(path: str) -> str:
    """Independent. What to call an input in output for people."""
    return "standard input" if path == STANDARD else os.fspath(path)
