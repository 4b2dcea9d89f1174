"""A run that writes a series of checkpoints, and restarts from the last one on fewer ranks, in Python.

    mpiexec -n 4 python checkpoint.py run --readers 3 --option layout=directory

writes run/run_0.chk and so on. The files are those of the program in C++ (../main.cpp) on as many ranks.
Without mpi4py one process does all.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import mesh

import quire


def time_of(number: int) -> float:
    """Return the time of a checkpoint."""
    return 0.125 * number


def path_of(given: argparse.Namespace, number: int) -> Path:
    """Return the path of a checkpoint."""
    return Path(given.directory) / f"run_{number}{given.suffix}"


def write_series(given: argparse.Namespace, comm: Any) -> None:
    """Collective. Write all checkpoints."""
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    mine = mesh.make_mesh(given.elements, rank, size)
    options = dict(one.split("=", 1) for one in given.option)
    layout = quire.ElementLayout()  # the partition never changes: it is exchanged once
    for number in range(given.checkpoints):
        parts = mesh.at_time(mine, time_of(number))
        with quire.create(path_of(given, number), comm, **options) as out, out.step(number) as step:
            step.set("Time", time_of(number))
            step.put_elements(parts, layout)
        if rank == 0:
            print(f"checkpoint {number}: layout {'as before' if layout.reused else 'exchanged'}")


def wrong_elements(given: argparse.Namespace, comm: Any) -> int:
    """Collective. Return how many of the elements that this rank wants are not as they were written: others
    than it wrote, first all variables and then one.
    """
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    wanted = range(rank, given.elements, size)
    last = given.checkpoints - 1
    wrong = 0
    with quire.open(path_of(given, last), comm) as file:
        for variables in (None, ["p"]):
            elements = file.step(last).read_elements_all(list(wanted), variables)
            wrong += len(wanted) - mesh.right_elements(elements, time_of(last))
            wrong += len(elements.missing) + len(elements.repeated)
    return wrong


def run(given: argparse.Namespace, comm: Any) -> bool:
    """Collective. Write and restart; true if every coefficient is the one that was written."""
    if comm is None or comm.rank == 0:
        Path(given.directory).mkdir(parents=True, exist_ok=True)
    if comm is None:
        write_series(given, None)
        return wrong_elements(given, None) == 0
    comm.Barrier()
    write_series(given, comm)
    part = comm.Split(0 if comm.rank < given.readers else 1, comm.rank)
    wrong = comm.allreduce(wrong_elements(given, part))
    part.Free()
    return bool(wrong == 0)


def world() -> Any:
    """Return the communicator of all ranks, or None for a process alone."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    return MPI.COMM_WORLD


def main() -> int:
    """Run the example; 1 for wrong values, 2 after an error, which every rank raises."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", help="where the checkpoints go")
    parser.add_argument("--suffix", default=".chk", help="of the checkpoints, which chooses the format")
    parser.add_argument("--elements", type=int, default=300)
    parser.add_argument("--checkpoints", type=int, default=3)
    parser.add_argument("--readers", type=int, default=1, help="ranks of the restart")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the format")
    given = parser.parse_args()
    comm = world()
    is_first = comm is None or comm.rank == 0
    try:
        is_right = run(given, comm)
    except quire.Error as error:
        if is_first:
            print(f"checkpoint: {error}", file=sys.stderr)
        return 2
    if is_first:
        verdict = "every coefficient is the one that was written" if is_right else "wrong values"
        print(f"{given.checkpoints} checkpoints of {given.elements} elements: {verdict}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
