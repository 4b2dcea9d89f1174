"""Collective sums and checks of streams: an error on one rank is raised on all ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.toolkit import checksum, values

pytestmark = pytest.mark.mpi


def errors_of_sums(comm: Any, path: str) -> list[str]:
    """Return the errors of a sum and a check if only the last rank cannot read its stream."""
    read = checksum.stream_sum

    def damaged_on_last(stream: quire.Stream) -> int:
        if stream.rank == comm.size - 1:
            raise quire.BadFileError("it cannot be read", object=f"stream {stream.rank}")
        return read(stream)

    checksum.stream_sum = damaged_on_last
    errors: list[str] = []
    try:
        checksum.checksum(path, comm=comm, deadline=30)
    except quire.BadFileError as problem:
        errors.append(problem.object)
    with quire.open(path, comm, deadline=30) as file:
        errors += [problem.object for problem in values.check(file).damaged.values()]
    return errors


def test_every_rank_reports_an_unreadable_stream(tmp_path: Path) -> None:
    path = tmp_path / "run.sion"
    with quire.create(path) as out, out.step(0) as step:
        for rank in range(2):
            step.stream(rank=rank, chunk_size=100).write(b"abc")
    assert run_ranks(errors_of_sums, 2, str(path)) == [["stream 1"] * 2] * 2
