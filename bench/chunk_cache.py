"""Measure what it is worth that chunks stay decoded between requests: deflated chunks, read piece by piece.

    bench/chunk_cache.py [FOLDER]

A column in chunks of 10^5 rows, 1000 rows at a time; four such columns in turn; and a field of 200 x 200 x
200 in chunks of 40 x 40 x 40, every fourth plane across them. Medians of 5 passes, in which the sizes of the
cache take turns. docs/knobs.md says what came out.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np

import quire

ROWS, CHUNK, BLOCK = 400_000, 100_000, 1_000
SIDE = 200
SIZES = {"none": 0, "1 MiB": 1 << 20, "2 MiB": 2 << 20, "4 MiB": 4 << 20, "16 MiB": 16 << 20}
PASSES = 5


def write_columns(path: Path) -> None:
    random = np.random.default_rng(1)
    with quire.create(path, format="hdf5", chunk=CHUNK, filter="deflate") as out, out.step(0) as step:
        for name in "abcd":
            step.put(name, np.cumsum(random.integers(-9, 10, ROWS)).astype("f8"))


def write_field(path: Path) -> None:
    values = np.cumsum(np.random.default_rng(2).integers(-9, 10, SIDE**3)).astype("f8")
    with quire.create(path, format="hdf5", field_chunk="40", filter="deflate") as out, out.step(0) as step:
        step.put_field("phi", values.reshape(SIDE, SIDE, SIDE))


def read_rows(file: quire.File, names: str, rows: int) -> None:
    table = file[0].table
    for first in range(0, rows, BLOCK):
        for name in names:
            table[name][first : first + BLOCK]


def read_planes(file: quire.File) -> None:
    field = file[0].fields["phi"]
    for plane in range(0, SIDE, 4):
        field[plane]


Read = Callable[[quire.File], None]


def seconds(path: Path, read: Read, size: int) -> float:
    with quire.open(path, chunk_cache=size) as file:
        begin = time.perf_counter()
        read(file)
        return time.perf_counter() - begin


@contextmanager
def scratch(folder: str | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=folder) as made:
        yield Path(made)


def main(arguments: list[str]) -> None:
    cases: dict[str, tuple[str, Read]] = {
        "a column": ("columns.h5", lambda file: read_rows(file, "a", ROWS)),
        "four columns in turn": ("columns.h5", lambda file: read_rows(file, "abcd", CHUNK)),
        "planes of a field": ("field.h5", read_planes),
    }
    with scratch(arguments[0] if arguments else None) as folder:
        write_columns(folder / "columns.h5")
        write_field(folder / "field.h5")
        for name, (file, read) in cases.items():
            passes = [
                {label: seconds(folder / file, read, size) for label, size in SIZES.items()}
                for _ in range(PASSES)
            ]
            for label in SIZES:
                times = median(one[label] for one in passes)
                factor = median(one["none"] / one[label] for one in passes)
                print(f"{name:22} {label:8} {times:8.3f} s  {factor:6.2f} times as fast as none")


if __name__ == "__main__":
    main(sys.argv[1:])
