"""Launchers of MPI programs: their commands, and the defaults to try."""

from __future__ import annotations

import math
import os
import shlex
import shutil
from dataclasses import dataclass

CANDIDATES = ("mpiexec.mpich", "mpiexec.openmpi", "mpiexec", "mpirun", "srun")
"""Launchers to try by default. Plain names may belong to any MPI."""
SECONDS_TO_START = 20.0
"""Time limit in seconds for trying a launcher."""


@dataclass(frozen=True)
class Launcher:
    """A command that starts programs on ranks. `{ranks}` and `{nodes}` are replaced by their numbers."""

    words: tuple[str, ...]
    ranks_per_node: int = 0
    """Ranks per node; 0: all on one node."""

    @classmethod
    def from_text(cls, text: str, ranks_per_node: int = 0) -> Launcher:
        """Independent. Parse a command such as `srun -N 2` or `mpiexec -np {ranks} --bind-to none`."""
        return cls(tuple(shlex.split(text)), ranks_per_node)

    def command(self, ranks: int) -> list[str]:
        """Independent. Return the words before the program."""
        if not self.words:
            return []
        words = self.words
        if not any("{ranks}" in word for word in words):
            words = (*words, "-n", "{ranks}")
        nodes = math.ceil(ranks / (self.ranks_per_node or ranks))
        return [word.replace("{ranks}", str(ranks)).replace("{nodes}", str(nodes)) for word in words]

    @property
    def is_there(self) -> bool:
        """Independent. Return whether the program exists."""
        return bool(self.words) and shutil.which(self.words[0]) is not None

    def __str__(self) -> str:
        """Independent. Return the command for a shell."""
        return shlex.join(self.words) or "no launcher"


def candidates() -> list[str]:
    """Independent. Return the launchers to try; `srun` only inside a job, since it would queue one
    elsewhere.
    """
    return [name for name in CANDIDATES if name != "srun" or "SLURM_JOB_ID" in os.environ]


def many_worlds(worlds: int, size: str, ranks: int, library: str) -> str:
    """Independent. Return the error message for a launcher whose ranks are not in one world."""
    return (
        f"{worlds} worlds of {size} start instead of one of {ranks}, for it belongs to another MPI "
        f"than this build ({library or 'none'})"
    )
