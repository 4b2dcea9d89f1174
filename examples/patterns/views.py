"""The ways in which the ranks of a program share one table of particles: what some libraries call views.

    mpiexec -n 4 python views.py by_list --output particles.h5

Each says which rows of the table this rank's particles are, and nothing else changes: the file is the same
for all of them, and for any number of ranks. Without mpi4py one process does all. views.c is the same in C,
and writes the same file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import quire
from quire.io.rows import Rows

PARTICLES = 1000
PARTICLE = np.dtype([("x", "f8"), ("id", "i8")])
UNITS = {"x": "m", "id": ""}


def by_range(rank: int, size: int) -> Rows:
    """Neighbouring rows for each rank; here the last rank has the first ones."""
    part = size - 1 - rank
    return slice(PARTICLES * part // size, PARTICLES * (part + 1) // size)


def by_stride(rank: int, size: int) -> Rows:
    """Every so many-th row for each rank."""
    return slice(rank, PARTICLES, size)


def by_list(rank: int, size: int) -> Rows:
    """Rows in any order: as the particles lie in memory, say, where each knows its number."""
    shuffled: np.ndarray[Any, Any] = np.random.default_rng(seed=1).permutation(PARTICLES)
    return shuffled[rank::size]


VIEWS: dict[str, Callable[[int, int], Rows]] = {
    "by_range": by_range,
    "by_stride": by_stride,
    "by_list": by_list,
}


def particles_of(rows: Rows) -> np.ndarray[Any, Any]:
    """Create the particles of these rows, contiguous in memory."""
    numbers = np.arange(PARTICLES)[rows]
    particles = np.empty(len(numbers), PARTICLE)
    particles["id"] = numbers
    particles["x"] = 0.001 * numbers
    return particles


def world() -> Any:
    """Return the communicator of all ranks, or None for a process alone."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    return MPI.COMM_WORLD


def main() -> int:
    """Write the table and read this rank's rows back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("view", choices=VIEWS)
    parser.add_argument("--output", required=True)
    given = parser.parse_args()
    comm = world()
    rank, size = (0, 1) if comm is None else (comm.Get_rank(), comm.Get_size())
    rows = VIEWS[given.view](rank, size)
    mine = particles_of(rows)
    with quire.create(given.output, comm=comm) as out, out.step(0) as step:
        step.rows_at(rows, total=PARTICLES)
        for name, unit in UNITS.items():
            step.put(name, mine[name], unit=unit)  # every second number in memory, and not copied
    with quire.open(given.output, comm=comm) as file:
        found = file[0].table.read(rows=rows)
        is_right = all(np.array_equal(found[name], mine[name]) for name in UNITS)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
