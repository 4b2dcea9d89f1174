"""Opens and checks damaged files in a process that may take only a little more memory than it has.

python damaged_worker.py [SOUND...] -- DAMAGED...
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import quire

BUDGET = 64 << 20


def examine(path: str) -> str:
    """Open and check a file; return the kind of error that it meets, or an empty text."""
    try:
        with quire.open(path) as file:
            damage = file.check().damage
            return damage.kind if damage is not None else ""
    except quire.Error as error:
        return error.kind


def stored_bytes(path: str) -> int:
    """The size of a file without its holes, of which nobody needs to remember anything."""
    status = Path(path).stat()
    return min(status.st_size, 512 * status.st_blocks)


def mapped_bytes() -> int:
    """The size of this process's address space."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main(arguments: list[str]) -> int:
    """Say which files took too much; 1 if any."""
    border = arguments.index("--")
    sound, damaged = arguments[:border], arguments[border + 1 :]
    for path in sound:
        examine(path)  # what the library keeps for itself is there now
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
