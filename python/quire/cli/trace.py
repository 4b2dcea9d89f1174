"""QUIRE_TRACE=1: print the times of a command."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

from quire.cli.output import remark
from quire.cli.parallel import launched_rank


def trace(file: Any, name: str | None = None) -> None:
    """Independent. If QUIRE_TRACE=1, print a line on standard error about a file or writer.

    It contains the times and calls of this rank. `name` is the user's name of the file if it differs.
    """
    if os.environ.get("QUIRE_TRACE") != "1":
        return
    rank = launched_rank()
    who = f"rank {rank}: " if rank is not None else ""
    timing = file.timing
    seconds = ", ".join(f"{one.name} {getattr(timing, one.name):.3f} s" for one in fields(timing))
    counters = file.counters
    remark(
        f"trace: {who}{name or file.path}: {seconds}; "
        f"{counters.reads} reads of {counters.bytes_read} bytes, "
        f"{counters.writes} writes of {counters.bytes_written} bytes"
    )
