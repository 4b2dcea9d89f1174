"""Opens and checks damaged files in a process whose memory may grow only a little.

python damaged_worker.py [SOUND...] -- DAMAGED...
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import quire

BUDGET = 64 << 20


def examine(path: str) -> str:
    """Open and check a file. Return the kind of the error, or an empty text."""
    try:
        with quire.open(path) as file:
            damage = file.check().damage
            return damage.kind if damage is not None else ""
    except quire.Error as error:
        return error.kind


def stored_bytes(path: str) -> int:
    """The size of a file without its holes."""
    status = Path(path).stat()
    return min(status.st_size, 512 * status.st_blocks)


def mapped_bytes() -> int:
    """The size of this process's address space."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main(arguments: list[str]) -> int:
    """Print the files that used too much memory. Return 1 if there are any."""
    border = arguments.index("--")
    sound, damaged = arguments[:border], arguments[border + 1 :]
    for path in sound:
        examine(path)  # allocates the memory that the library keeps
    too_much = []
    for path in damaged:
        resource.setrlimit(resource.RLIMIT_AS, (mapped_bytes() + BUDGET + stored_bytes(path), -1))
        try:
            kind = examine(path)
        except MemoryError:
            kind = "memory"
        if kind == "memory":
            too_much.append(path)
    print(*too_much, sep="\n")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
