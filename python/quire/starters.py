"""Programs that start ranks: how they are written, and which are tried where none is named."""

from __future__ import annotations

import math
import os
import shlex
import shutil
from dataclasses import dataclass

CANDIDATES = ("mpiexec.mpich", "mpiexec.openmpi", "mpiexec", "mpirun", "srun")
"""Starters that are tried where none is named; plain names may belong to any MPI."""
SECONDS_TO_START = 20.0
"""After which a starter that is tried counts as one that does not work."""


@dataclass(frozen=True)
class Launcher:
    """A command that starts programs on ranks; `{ranks}` stands for how many, `{nodes}` for that of nodes."""

    words: tuple[str, ...]
    ranks_per_node: int = 0
    """How many ranks a node takes; 0: all of them."""

    @classmethod
    def from_text(cls, text: str, ranks_per_node: int = 0) -> Launcher:
        """Independent. As a user writes it: `srun -N 2`, `mpiexec -np {ranks} --bind-to none`."""
        return cls(tuple(shlex.split(text)), ranks_per_node)

    def command(self, ranks: int) -> list[str]:
        """Independent. The words in front of the program."""
        if not self.words:
            return []
        words = self.words
        if not any("{ranks}" in word for word in words):
            words = (*words, "-n", "{ranks}")
        nodes = math.ceil(ranks / (self.ranks_per_node or ranks))
        return [word.replace("{ranks}", str(ranks)).replace("{nodes}", str(nodes)) for word in words]

    @property
    def is_there(self) -> bool:
        """Independent. Whether the program exists."""
        return bool(self.words) and shutil.which(self.words[0]) is not None

    def __str__(self) -> str:
        """Independent. As a user would type it."""
        return shlex.join(self.words) or "no launcher"


def candidates() -> list[str]:
    """Independent. The starters to try. `srun` only inside of a job: elsewhere it would queue one."""
    return [name for name in CANDIDATES if name != "srun" or "SLURM_JOB_ID" in os.environ]


def many_worlds(worlds: int, size: str, ranks: int, library: str) -> str:
    """Independent. What is wrong with a starter whose ranks do not find each other."""
    return (
        f"{worlds} worlds of {size} start instead of one of {ranks}, for it belongs to another MPI "
        f"than this build ({library or 'none'})"
    )
