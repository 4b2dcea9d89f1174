"""QUIRE_TRACE=1: where the time of a command went."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

from quire.cli.output import remark
from quire.cli.parallel import launched_rank


def trace(file: Any) -> None:
    """Independent. If QUIRE_TRACE=1, a line on standard error with the seconds and calls of a file or
    writer.
    """
    if os.environ.get("QUIRE_TRACE") != "1":
        return
    rank = launched_rank()
    who = f"rank {rank}: " if rank is not None else ""
    timing = file.timing
    seconds = ", ".join(f"{one.name} {getattr(timing, one.name):.3f} s" for one in fields(timing))
    counters = file.counters
    remark(
        f"trace: {who}{file.path}: {seconds}; "
        f"{counters.reads} reads of {counters.bytes_read} bytes, "
        f"{counters.writes} writes of {counters.bytes_written} bytes"
    )
