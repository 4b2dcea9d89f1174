"""The ways in which the ranks of a program share one array: those of the tutorial of Parallel HDF5.

    mpiexec -n 4 python patterns.py by_columns --output array.h5

Each is an index, and nothing else changes. Without mpi4py one process does all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import quire
from quire.io.formats import format_for_path, format_info

EXTENTS = (12, 16)
CHUNK = (3, 4)
ROWS, COLUMNS = np.indices(EXTENTS)
ARRAY = ROWS + 0.01 * COLUMNS

Index = tuple[slice, slice]


def share(count: int, part: int, parts: int) -> slice:
    """Return the places of one of several even parts."""
    low, more = divmod(count, parts)
    first = part * low + min(part, more)
    return slice(first, first + low + (part < more))


def grid_of(size: int) -> tuple[int, int]:
    """Return rows and columns of a grid of this many ranks, as square as it gets."""
    rows = max(divisor for divisor in range(1, int(size**0.5) + 1) if size % divisor == 0)
    return rows, size // rows


def by_rows(rank: int, size: int) -> Index:
    """Neighbouring rows for each rank: one contiguous piece of the file."""
    return share(EXTENTS[0], rank, size), slice(0, EXTENTS[1])


def by_columns(rank: int, size: int) -> Index:
    """Every so many-th column for each rank: single elements at equal distances."""
    return slice(0, EXTENTS[0]), slice(min(rank, EXTENTS[1]), EXTENTS[1], size)


def by_pattern(rank: int, size: int) -> Index:
    """Every so many-th element of every so many-th row."""
    rows, columns = grid_of(size)
    row, column = divmod(rank, columns)
    return slice(row, EXTENTS[0], rows), slice(column, EXTENTS[1], columns)


def by_chunks(rank: int, size: int) -> Index:
    """A block of neighbouring chunks for each rank: no chunk belongs to two ranks."""
    rows, columns = grid_of(size)
    row, column = divmod(rank, columns)
    down = share(EXTENTS[0] // CHUNK[0], row, rows)
    across = share(EXTENTS[1] // CHUNK[1], column, columns)
    return (
        slice(down.start * CHUNK[0], down.stop * CHUNK[0]),
        slice(across.start * CHUNK[1], across.stop * CHUNK[1]),
    )


PATTERNS: dict[str, Callable[[int, int], Index]] = {
    "by_rows": by_rows,
    "by_columns": by_columns,
    "by_pattern": by_pattern,
    "by_chunks": by_chunks,
}


OPTIONS = {"by_chunks": {"field_chunk": "x".join(map(str, CHUNK))}}
"""What the format is asked for, if it knows it."""


def options_of(example: str, output: str, given: dict[str, str]) -> dict[str, str]:
    """Add those that the format has, unless somebody has said otherwise."""
    format = format_for_path(output)
    if format is None:
        return given
    known = {option.name for option in format_info(format).write_options}
    wanted = OPTIONS.get(example, {})
    return {name: value for name, value in wanted.items() if name in known} | given


def reading(output: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the reader has, too: who moves the bytes, and how."""
    format = format_for_path(output)
    known = {"transport"} | (
        {option.name for option in format_info(format).read_options} if format else set()
    )
    return {name: value for name, value in given.items() if name in known}


def world() -> Any:
    """Return the communicator of all ranks, or None for a process alone."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    return MPI.COMM_WORLD


def write_and_read(mine: Index, output: str, comm: Any, **options: Any) -> bool:
    """Write the array, each rank its part, and read this rank's part back; true if it is right."""
    with quire.create(output, comm=comm, **options) as out, out.step(0) as step:
        step.put_field("array", ARRAY[mine], quire.Grid(EXTENTS, box=mine))
    with quire.open(output, comm=comm, **reading(output, options)) as file:
        # The file may hold it with axes of one element in front: the last two are ours.
        found = file[0].fields["array"][..., *mine]
    return np.array_equal(found.reshape(ARRAY[mine].shape), ARRAY[mine])


def several_files(output: str, comm: Any, **options: Any) -> bool:
    """Write a file for each of two groups of ranks, at the same time."""
    rank, size = (0, 1) if comm is None else (comm.Get_rank(), comm.Get_size())
    group = rank % min(size, 2)
    part = None if comm is None else comm.Split(group, rank)
    own = (0, 1) if part is None else (part.Get_rank(), part.Get_size())
    stem, _, suffix = output.rpartition(".")
    return write_and_read(by_rows(*own), f"{stem}.{group}.{suffix}", part, **options)


def own_data_sets(output: str, comm: Any, **options: Any) -> bool:
    """Write a data set for each rank into one file: each says what all are, and puts its own."""
    rank, size = (0, 1) if comm is None else (comm.Get_rank(), comm.Get_size())
    values = (1e-3 * np.arange(1000)).reshape(1, 1, 1000)
    with quire.create(output, comm=comm, **options) as out, out.step(0) as step:
        for number in range(size):
            mine = values + number if number == rank else values[:, :, :0]
            step.put_field(f"of_rank_{number}", mine, quire.Grid(values.shape, (0, 0, 0)))
    with quire.open(output, comm=comm, **reading(output, options)) as file:
        neighbour = (rank + 1) % size
        found = file[0].fields[f"of_rank_{neighbour}"].read()
        return np.array_equal(found, values + neighbour)


def main() -> int:
    """Run one example."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("example", choices=[*PATTERNS, "own_data_sets", "several_files"])
    parser.add_argument("--output", required=True)
    parser.add_argument("--transport", default="posix")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the format")
    given = parser.parse_args()
    options = {"transport": given.transport} | dict(option.split("=", 1) for option in given.option)
    comm = world()
    rank, size = (0, 1) if comm is None else (comm.Get_rank(), comm.Get_size())
    if given.example in PATTERNS:
        is_right = write_and_read(
            PATTERNS[given.example](rank, size),
            given.output,
            comm,
            **options_of(given.example, given.output, options),
        )
    else:
        example = {"own_data_sets": own_data_sets, "several_files": several_files}[given.example]
        is_right = example(given.output, comm, **options)
    if comm is not None:
        is_right = all(comm.allgather(is_right))
    if rank == 0:
        print(f"{given.example} on {size} ranks: {'right' if is_right else 'wrong'}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
