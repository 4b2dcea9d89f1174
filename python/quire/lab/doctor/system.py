"""Properties of a directory and of this node from the operating system."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from quire.lab.doctor.record import FileSystem

OCTAL = re.compile(r"\\([0-7]{3})")
SECONDS_FOR_A_TOOL = 10.0

CLASSES = {
    "parallel": ("lustre", "gpfs", "beegfs", "pvfs2", "orangefs", "panfs", "daos", "wekafs"),
    "network": ("nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "fuse.sshfs"),
    "memory": ("tmpfs", "ramfs"),
    "local": ("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "overlay"),
}
"""What file systems have in common, by the types that the operating system names."""


def mounts(table: str) -> list[tuple[str, str, str]]:
    """Independent. Mount point, type and options of each line of /proc/self/mountinfo, the topmost last."""
    found = []
    for line in table.splitlines():
        before, dash, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if not dash or len(left) < 6 or len(right) < 3:
            continue
        point = OCTAL.sub(lambda code: chr(int(code[1], 8)), left[4])
        options = list(dict.fromkeys([*left[5].split(","), *right[2].split(",")]))
        found.append((point, right[0], ",".join(options)))
    return found


def mount_of(path: Path, table: str) -> tuple[str, str, str]:
    """Independent. Mount point, type and options of the file system of a path; or "unknown"."""
    best = ("/", "unknown", "")
    for point, kind, options in mounts(table):
        if path.is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, kind, options)
    return best


def stripes_of(path: Path) -> tuple[int | None, int | None]:
    """Independent. Stripe count and size of new files in a directory, by `lfs getstripe` where it exists."""
    if shutil.which("lfs") is None:
        return None, None
    numbers: list[int | None] = []
    for option in ("-c", "-S"):
        try:
            done = subprocess.run(
                ["lfs", "getstripe", "-d", option, str(path)],
                capture_output=True,
                text=True,
                timeout=SECONDS_FOR_A_TOOL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None, None
        found = re.search(r"-?\d+", done.stdout) if done.returncode == 0 else None
        numbers.append(int(found[0]) if found else None)
    return numbers[0], numbers[1]


def file_system_of(path: str | Path) -> FileSystem:
    """Independent. The file system of an existing path. Raises OSError."""
    real = Path(path).resolve(strict=True)
    try:
        table = Path("/proc/self/mountinfo").read_text(errors="replace")
    except OSError:
        table = ""
    point, kind, options = mount_of(real, table)
    state = os.statvfs(real)
    count, size = stripes_of(real)
    return FileSystem(kind, point, options, state.f_bavail * state.f_frsize, state.f_bsize, count, size)


def available_memory() -> int:
    """Independent. Bytes of free memory of this node; 0 if it is unknown."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return 0
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
