"""Open files repeatedly while another process writes them, and check that all committed data are found.

    tests/soak/readers.py [--commits 3000] [--opens 2000] [--only PART_OF_A_NAME]

Every open must succeed and find all data that were committed before it, with the right values. For each kind
of file that accepts several commits (steps, or rows of one step that grows), files of `--commits` commits are
written until `--opens` opens have run concurrently with a writer. `run.py` kills such writers. The last line
is `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import quire
from quire.io.formats import FormatInfo, format_infos
from quire.io.types import Array

ROWS = 8  # per commit
CHUNK = 5  # a commit ends inside a chunk
LINE = 10  # bytes that the writer prints per commit


@dataclass(frozen=True)
class Kind:
    """A kind of file that accepts several commits."""

    info: FormatInfo
    grows: bool
    """Whether each commit adds rows to one step, instead of a step."""
    split: bool = False
    """Whether raw data are stored in a separate file."""

    @property
    def name(self) -> str:
        """The name of the kind."""
        return self.info.name + (", growing" if self.grows else ", split" if self.split else "")

    @property
    def options(self) -> dict[str, Any]:
        """The options of its writer."""
        if self.split:
            return {"split": True}
        return {"grow": True, "chunk": CHUNK} if self.grows else {}

    def path(self, folder: Path) -> Path:
        """Return the path of a file of this kind."""
        # The files of a split file are called NAME-m.h5 and NAME-r.h5 in every format.
        return folder / ("concurrent-m" + (".h5" if self.split else self.info.suffixes[0]))


def kinds() -> Iterator[Kind]:
    """Return all kinds of files that accept several commits."""
    for info in format_infos():
        if info.tables and not info.one_step:
            yield Kind(info, grows=False)
            if any(option.name == "split" for option in info.write_options):
                yield Kind(info, grows=False, split=True)
        if any(option.name == "grow" for option in info.write_options):
            yield Kind(info, grows=True)


def column(first: int, rows: int) -> Array:
    """Return rows of the only column."""
    return np.arange(first, first + rows) + 0.5


def write(path: Path, kind: Kind, commits: int, comm: Any = None) -> None:
    """Collective. Write a file, and print a line of fixed length after each commit."""
    size, rank = (1, 0) if comm is None else (comm.size, comm.rank)
    with quire.create(path, comm=comm, format=kind.info.name, **kind.options) as out:
        for number in range(commits):
            step = out.step(0 if kind.grows else number)
            step.put("x", np.array_split(column(number * ROWS, ROWS), size)[rank])
            step.commit()
            if rank == 0:
                print(f"{number + 1:{LINE - 1}d}", flush=True)


def wrong(path: Path, kind: Kind, committed: int) -> str:
    """Return the error in a file that may still be written; an empty text if there is none.

    `committed` commits had returned before the call.
    """
    try:
        with quire.open(path) as file:
            if kind.grows:
                found, rest = divmod(len(file[0].table), ROWS)
                first = 0
            else:
                found, rest = len(file), 0
                first = (found - 1) * ROWS
                if file.numbers != list(range(found)):
                    return f"the numbers of {found} steps are not 0 to {found - 1}"
            if found < committed or rest:
                return f"{found} commits and {rest} rows are there, {committed} commits had returned"
            values = file[-1].table["x"].read()
            return "" if np.array_equal(values, column(first, len(values))) else "the values are wrong"
    except quire.Error as error:
        return f"{type(error).__name__}: {error}"


def start(path: Path, kind: Kind, commits: int, output: Any) -> subprocess.Popen[bytes]:
    """Start a process that writes a file and reports its commits in another file."""
    arguments = [
        sys.executable,
        __file__,
        "--write",
        str(path),
        "--only",
        kind.name,
        "--commits",
        str(commits),
    ]
    return subprocess.Popen(arguments, stdout=output)


def commits_in(output: Any) -> int:
    """Return the number of commits that a writer has reported."""
    return os.fstat(output.fileno()).st_size // LINE


def open_concurrently(kind: Kind, commits: int, opens: int) -> tuple[int, list[str]]:
    """Write a file and open it meanwhile; return the number of concurrent opens, and the errors."""
    complaints = []
    done = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        path = kind.path(Path(folder))
        writer = start(path, kind, commits, output)
        while commits_in(output) == 0 and writer.poll() is None:
            time.sleep(0.001)
        while writer.poll() is None and done < opens:
            committed = commits_in(output)
            complaint = wrong(path, kind, committed)
            if complaint:
                complaints.append(f"{kind.name}, open {done} after {committed} commits: {complaint}")
            done += 1
        if writer.wait() != 0:
            complaints.append(f"{kind.name}: the writer has failed")
        last = wrong(path, kind, commits)
        if last:
            complaints.append(f"{kind.name}, complete: {last}")
    return done, complaints


def main() -> int:
    """Open files of all kinds while they are written, and print how many opens were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=3000, help="of each file")
    parser.add_argument("--opens", type=int, default=2000, help="for each kind")
    parser.add_argument("--only", default="", help="kinds whose names contain this")
    parser.add_argument("--write", type=Path, help="write one file of the kind with this name")
    parser.add_argument("--ranks", action="store_true", help="write it on all ranks of MPI")
    options = parser.parse_args()
    if options.write:
        comm = None
        if options.ranks:
            from mpi4py import MPI

            comm = MPI.COMM_WORLD
        [kind] = [kind for kind in kinds() if kind.name == options.only]
        write(options.write, kind, options.commits, comm)
        return 0
    passed = failed = 0
    for kind in kinds():
        if options.only not in kind.name:
            continue
        opens = files = bad = 0
        begin = time.monotonic()
        while opens < options.opens:
            done, complaints = open_concurrently(kind, options.commits, options.opens - opens)
            for complaint in complaints:
                print(complaint, file=sys.stderr)
            opens, files, bad = opens + done, files + 1, bad + len(complaints)
        seconds = time.monotonic() - begin
        print(
            f"{kind.name}: {opens} opens during the writes of {files} files of {options.commits} commits "
            f"in {seconds:.0f} s, {bad} failed",
            flush=True,
        )
        passed, failed = passed + opens - bad, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
