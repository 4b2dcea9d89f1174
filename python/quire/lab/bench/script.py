"""Batch scripts for clusters: printed, never submitted."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SYSTEMS = ("slurm", "pbs")


@dataclass(frozen=True)
class Job:
    """The resources and options of a job."""

    name: str
    ranks: int
    ranks_per_node: int
    hours: float
    command: Sequence[str]
    """The words after `quire bench run`, without --launcher."""
    launcher: str = ""
    """The launcher; empty: that of the batch system."""

    @property
    def nodes(self) -> int:
        """Independent. How many nodes hold all ranks."""
        return math.ceil(self.ranks / self.ranks_per_node)

    @property
    def time(self) -> str:
        """Independent. Hours, minutes and seconds."""
        seconds = round(self.hours * 3600)
        return f"{seconds // 3600:02d}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"


def batch_script(system: str, job: Job) -> str:
    """Independent. A script for `slurm` or `pbs` that runs a plan and continues an earlier job."""
    head = slurm_head(job) if system == "slurm" else pbs_head(job)
    # Fewer ranks than the job has fill as few nodes as possible: by default srun distributes them over all.
    starter = job.launcher or ("srun -n {ranks} -N {nodes}" if system == "slurm" else "mpiexec -n {ranks}")
    words = ["--launcher", starter, "--ranks-per-node", str(job.ranks_per_node), "--resume"]
    command = shlex.join(["quire", "bench", "run", *job.command, *words])
    lines = [
        "#!/bin/bash",
        *head,
        "# Jobs of several days may use the same directory: --resume goes on with what is left.",
        "# Give each day a --directory of its own to compare them: quire bench report A B -o all.html",
        "set -e",
        command,
    ]
    return "\n".join(lines) + "\n"


def words_of(given: Mapping[str, Any]) -> list[str]:
    """Independent. Options of a command as words, without None; each item of a list is a separate option."""
    words: list[str] = []
    for name, value in given.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        for one in values:
            words += [f"--{name}", f"{one:.17g}" if isinstance(one, float) else str(one)]
    return words


def slurm_head(job: Job) -> list[str]:
    """Independent. The directives for Slurm."""
    return [
        f"#SBATCH --job-name={job.name}",
        f"#SBATCH --nodes={job.nodes}",
        f"#SBATCH --ntasks={job.ranks}",
        f"#SBATCH --ntasks-per-node={min(job.ranks, job.ranks_per_node)}",
        f"#SBATCH --time={job.time}",
        "#SBATCH --exclusive",
        "#SBATCH --output=%x-%j.log",
    ]


def pbs_head(job: Job) -> list[str]:
    """Independent. The directives for PBS."""
    each = min(job.ranks, job.ranks_per_node)
    return [
        f"#PBS -N {job.name}",
        f"#PBS -l select={job.nodes}:ncpus={each}:mpiprocs={each}",
        f"#PBS -l walltime={job.time}",
        "#PBS -l place=scatter:excl",
        "#PBS -j oe",
        'cd "$PBS_O_WORKDIR"',
    ]
