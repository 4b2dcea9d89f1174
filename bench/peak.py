"""Run the command line of the package and say how much memory the process ever had.

    mpiexec -n 2 python bench/peak.py convert IN OUT ...

The last line on standard error of each rank is `peak BYTES`: everything, the interpreter included.
"""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path

from quire.cli.main import main


def peak() -> int:
    """Return the largest resident memory of this process so far, in bytes."""
    found = re.search(r"^VmHWM:\s*(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    code: str | int | None = 0
    try:
        main()
    except SystemExit as leaving:
        code = leaving.code
    with contextlib.suppress(BrokenPipeError):
        # One write with its line end: print makes two, and the lines of two ranks run together.
        sys.stderr.write(f"peak {peak()}\n")
    sys.exit(code)
