"""Write a series of files of one step each until the process is killed, with contents that can be verified.

    mpiexec -n 2 python tests/soak/series.py DIRECTORY FORMAT [--pieces]

`run.py` kills it, for formats whose files hold one step of tables or of streams. With --pieces the streams
are written piece by piece, otherwise all of them in the commit. Rank 0 prints a line when it begins and when
a file is complete.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any

import numpy as np

import quire
from quire.io.formats import FormatInfo, format_info
from quire.io.types import Array

ROWS = 40_000
PIECE = 8192
PIECES = 20
# Chunks whose use was not recorded may have been full.
FULL_CHUNK = 4 * PIECE
ROOMY_CHUNK = 30_000


def file_of(folder: Path, info: FormatInfo, number: int) -> Path:
    """Return the path of the file with this number."""
    return folder / f"run_{number}{info.suffixes[0]}"


def stream_bytes(number: int, rank: int) -> Array:
    """Return the contents of the stream of a rank; all files and streams differ."""
    return ((np.arange(PIECE * PIECES) + 7 * number + 3 * rank) % 251).astype(np.uint8)


def column(number: int) -> Array:
    """Return the only column of a file of tables."""
    return np.arange(ROWS) + 0.5 * number


def write(comm: Any, path: Path, info: FormatInfo, number: int, in_pieces: bool) -> None:
    """Collective. Write one file."""
    with quire.create(path, comm=comm, format=info.name) as out, out.step(number) as step:
        if not info.holds_streams:
            step.put("x", np.array_split(column(number), comm.size)[comm.rank])
            return
        stream = step.stream(rank=comm.rank, chunk_size=ROOMY_CHUNK if in_pieces else FULL_CHUNK)
        if in_pieces:
            step.open()
        for piece in np.split(stream_bytes(number, comm.rank), PIECES):
            stream.write(piece)


def wrong_table(file: quire.File, number: int) -> str:
    """Independent. Return the error in the column of a file; an empty text if there is none."""
    return "" if np.array_equal(file[0].table["x"].read(), column(number)) else "the column has other values"


def wrong_streams(file: quire.File, number: int, ranks: int, is_whole: bool, in_pieces: bool) -> str:
    """Independent. Return the error in the streams of a file; an empty text if there is none.

    After a kill, the beginnings of streams whose pieces were recorded are enough. The length of others is
    unknown: they may contain zeros.
    """
    streams = file[0].streams
    for rank in range(ranks) if is_whole else streams.ranks:
        found = np.frombuffer(streams[rank].read(), np.uint8)
        expected = stream_bytes(number, rank)
        if not is_whole and in_pieces:
            expected = expected[: len(found)]
        elif not is_whole:
            length = max(len(found), len(expected))
            found, expected = (np.pad(values, (0, length - len(values))) for values in (found, expected))
            found = np.where(found == 0, expected, found)
        if not np.array_equal(found, expected):
            return f"stream {rank} has other bytes"
    return ""


def main() -> None:
    """Write until the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("format")
    parser.add_argument("--pieces", action="store_true")
    options = parser.parse_args()

    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    info = format_info(options.format)
    comm.Barrier()
    if comm.rank == 0:
        print("begins", flush=True)
    for number in itertools.count():
        write(comm, file_of(options.directory, info, number), info, number, options.pieces)
        if comm.rank == 0:
            print(f"complete: {number}", flush=True)


if __name__ == "__main__":
    main()
