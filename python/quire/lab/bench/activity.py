"""How busy other programs keep this machine, by the counters of Linux."""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass, field
from pathlib import Path


def busy_seconds() -> float | None:
    """Independent. The seconds in which any processors were not idle since the start; None if unknown."""
    try:
        words = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    except OSError:
        return None
    ticks = [int(word) for word in words]
    idle = ticks[3] + ticks[4]
    guests = sum(ticks[8:])  # counted among the users already
    return (sum(ticks) - idle - guests) / float(os.sysconf("SC_CLK_TCK"))


def seconds_of_children() -> float:
    """Independent. The processor time of everything this process has started and that has ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Activity:
    """The state of the counters when the object was made."""

    started: float = field(default_factory=time.monotonic)
    all_seconds: float | None = field(default_factory=busy_seconds)
    own_seconds: float = field(default_factory=seconds_of_children)

    def foreign(self) -> float | None:
        """Independent. How many processors others have used since then on average; None if unknown."""
        busy = busy_seconds()
        if busy is None or self.all_seconds is None:
            return None
        elapsed = max(time.monotonic() - self.started, 1e-3)
        own = seconds_of_children() - self.own_seconds
        return max(0.0, (busy - self.all_seconds - own) / elapsed)
