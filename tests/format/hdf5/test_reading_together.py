"""Collective reads, and copies and checksums of files with collective transfers on several ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.toolkit import checksum as sums
from quire.toolkit import layers, share
from quire.toolkit.convert import carry_out
from quire.toolkit.request import Observer, Request
from quire.toolkit.selection import parse_steps

COLLECTIVE = {"transport": "mpi_collective"}
REQUESTS: dict[str, dict[str, dict[str, Any]]] = {
    "hdf5": {
        "all.sdds": {"format": "sdds", "options": {"mode": "ascii"}},
        "compressed.h5": {"format": "h5part", "options": {"chunk": 3, "filter": "deflate"}},
    },
    "h5part": {"some.sdds": {"format": "sdds", "where": "x > 2.5"}, "all.h5": {"format": "h5part"}},
}
"""The requests of copies, by the format of the source."""


def write_source(path: Path, format_name: str) -> Path:
    """A table, fields with many layers and with one; also texts in formats with such columns."""
    fields = {"layers": np.arange(60.0).reshape(5, 4, 3), "thin": np.arange(3.0).reshape(1, 1, 3)}
    if format_name == "hdf5":
        with h5py.File(path, "w") as file:
            file["x"] = np.arange(7.0)
            file["count"] = np.arange(7, dtype=np.int32)
            file["word"] = [f"{number} words" for number in range(7)]
            for name, values in fields.items():
                file[f"grid/{name}"] = values
        return path
    with quire.create(path, format=format_name) as out:
        for number in (3, 5):
            with out.step(number) as step:
                step.put("x", np.arange(7.0) * number)
                step.put("count", np.arange(7, dtype=np.int32))
                for name, values in fields.items():
                    step.put_field(name, values)
    return path


def small_blocks() -> None:
    """Few rows, single layers, fields in parts."""
    sums.BLOCK_BYTES = share.BLOCK_BYTES = layers.PART_BYTES = 32


def copy_all(source: str, format_name: str, folder: str, options: dict[str, Any], comm: Any = None) -> str:
    """Write a file for each request; return the checksum of the source."""
    small_blocks()
    for name, wanted in REQUESTS[format_name].items():
        request = Request(source_options=options, **wanted)
        carry_out(source, Path(folder, name), request, comm, Observer())
    return f"{sums.checksum(source, comm=comm, **options).whole:016x}"


def copy_on_ranks(comm: Any, source: str, format_name: str, folder: str, options: dict[str, Any]) -> str:
    return copy_all(source, format_name, folder, options, comm)


def fail_on_one_rank(comm: Any, source: str, folder: str, options: dict[str, Any]) -> list[str]:
    """Return the errors of this rank if rank 1 fails between two reads."""
    small_blocks()

    def stop(_: int) -> None:
        if comm.rank == 1:
            raise quire.UsageError("it is enough")

    errors = []
    for call in (
        lambda: sums.checksum(source, comm=comm, progress=stop, **options),
        lambda: carry_out(
            source,
            Path(folder, "stopped.sdds"),
            Request(source_options=options, steps=parse_steps("3")),
            comm,
            Observer(progress=stop),
        ),
    ):
        try:
            call()
            errors.append("")
        except quire.Error as error:
            errors.append(str(error))
    return errors


@pytest.mark.mpi
@pytest.mark.parametrize("format_name", ["hdf5", "h5part"])
def test_copies_and_sums_are_those_of_one_process(tmp_path: Path, format_name: str) -> None:
    source = write_source(tmp_path / "source.h5", format_name)
    (tmp_path / "alone").mkdir()
    (tmp_path / "together").mkdir()
    alone = copy_all(str(source), format_name, str(tmp_path / "alone"), {})
    ranks = 3 if format_name == "hdf5" else 2
    folder = str(tmp_path / "together")
    found = run_ranks(copy_on_ranks, ranks, str(source), format_name, folder, COLLECTIVE)
    assert found == [alone] * ranks
    for name in REQUESTS[format_name]:
        assert (tmp_path / "together" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name


@pytest.mark.mpi
def test_a_failure_between_reads_does_not_block_other_ranks(tmp_path: Path) -> None:
    source = write_source(tmp_path / "source.h5", "h5part")
    answers = run_ranks(fail_on_one_rank, 2, str(source), str(tmp_path), COLLECTIVE, time_limit=30)
    assert [one[0] for one in answers] == ["it is enough"] * 2
    assert all(one[1] for one in answers)
    assert answers[1][1] == "it is enough"
    assert not (tmp_path / "stopped.sdds").exists()


ASKED: dict[str, Callable[[quire.File, quire.Step], object]] = {
    "steps": lambda file, step: len(file),
    "numbers": lambda file, step: file.numbers,
    "a step": lambda file, step: file[1],
    "a number": lambda file, step: file.step(5),
    "damage": lambda file, step: file.check(),
    "rows": lambda file, step: step.table.read_all(),
    "elements of a field": lambda file, step: step.fields["thin"].read_all(),
    "streams": lambda file, step: step.streams.open([]),
    "elements": lambda file, step: step.read_elements_all(),
}
"""Collective queries of a file."""


def ask_what_one_rank_has_closed(comm: Any, path: str, options: dict[str, Any], name: str, early: int) -> str:
    """Close a file on one rank while the other queries it; return the error of this rank."""
    with quire.open(path, comm, deadline=10, **options) as file:
        step = file[0]
        if comm.rank != early:
            try:
                ASKED[name](file, step)
            except quire.Error as error:
                return type(error).__name__
    return ""


def ask_each(comm: Any, path: str, options: dict[str, Any]) -> dict[str, str]:
    """Return the errors of this rank when one rank queries and the other closes; the ranks take turns."""
    return {
        f"{name}, rank {early} closes": ask_what_one_rank_has_closed(comm, path, options, name, early)
        for name in ASKED
        for early in range(comm.size)
    }


def read_parts(comm: Any, source: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return what this rank reads together with others that read other parts."""
    with quire.open(source, comm, deadline=20, **options) as file:
        table, fields = file[0].table, file[0].fields
        share = table.share(comm.rank, comm.size)
        found: dict[str, Any] = {"x": table["x"].read_all(share).tolist()}
        # One rank reads rows, another one elements of a field, and the others nothing.
        if comm.rank == 0:
            found["any"] = table["x"].read_all([6, 0]).tolist()
        elif comm.rank == 1:
            found["any"] = fields["layers"].read_all(np.s_[4, ::-1, 1]).tolist()
        else:
            found["any"] = table.read_all("x", (0, 0))["x"].tolist()
        if comm.rank == 1:
            found["alone"] = fields["thin"].read().reshape(-1).tolist()
        failures = []
        for _ in range(2):
            with pytest.raises(quire.UsageError) as caught:
                table["x"].read_all(out=np.zeros(7 - comm.rank))
            failures.append(str(caught.value))
            with pytest.raises(quire.UsageError) as caught:
                fields["layers"].read_all([slice(None), (0, 4 + comm.rank), slice(None)])
            failures.append(str(caught.value))
        return {**found, "failures": failures}


@pytest.mark.mpi
@pytest.mark.parametrize("options", [{}, COLLECTIVE], ids=["posix", "mpi_collective"])
def test_ranks_read_together_and_alone(tmp_path: Path, options: dict[str, Any]) -> None:
    source = write_source(tmp_path / "source.h5", "h5part")
    answers = run_ranks(read_parts, 3, str(source), options, time_limit=30)
    assert [x for one in answers for x in one["x"]] == (np.arange(7.0) * 3).tolist()
    assert answers[0]["any"] == [18.0, 0.0]
    assert answers[1]["any"] == np.arange(60.0).reshape(5, 4, 3)[4:5, ::-1, 1:2].tolist()
    assert answers[2]["any"] == []
    assert answers[1]["alone"] == [0.0, 1.0, 2.0]
    for one in answers[1:]:
        assert one["failures"] == answers[0]["failures"]
        assert all("[rank 1]" in failure for failure in one["failures"])


@pytest.mark.mpi
def test_a_rank_that_closes_releases_ranks_that_query_the_file(tmp_path: Path) -> None:
    source = write_source(tmp_path / "source.h5", "h5part")
    answers = run_ranks(ask_each, 2, str(source), COLLECTIVE, time_limit=40)
    for rank, raised in enumerate(answers):
        asking = {what: "" if f"rank {rank}" in what else "AbortedError" for what in raised}
        assert raised == asking
