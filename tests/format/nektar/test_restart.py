"""Written by some ranks, read by others: every element arrives bit for bit, wherever it is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.nektar.made import VARIABLES, all_ids, check_block, part_of_mesh
from tests.python.support.mpi import run_ranks

import quire

pytestmark = pytest.mark.mpi

LAYOUTS = ("hdf5", "xml", "directory")
STAMP = "01-Jan-2024 00:00:00"


def write_mesh(comm: Any, path: str, layout: str, mixed: bool) -> int:
    with (
        quire.create(path, comm, "nektar", layout=layout, timestamp=STAMP, deadline=40) as out,
        out.step(4) as step,
    ):
        step.set("Time", 0.1)
        part = part_of_mesh(mixed, comm.rank, comm.size)
        step.put_elements(part)
        return len(part)


def read_mesh(comm: Any, path: str, mixed: bool) -> list[list[int]]:
    """Return the ids that this rank got, by each way to ask for them."""
    everything = all_ids(mixed)
    with quire.open(path, comm, deadline=40) as file:
        step = file[0]
        assert step.number == 4
        assert step.attributes["Time"].value == "0.1"
        ways: list[list[int]] = []

        def got(elements: quire.Elements, variables: tuple[str, ...] = VARIABLES) -> None:
            assert list(elements.repeated) == []
            ways.append([id for block in elements for id in check_block(block, mixed, variables)])

        got(step.read_elements())
        got(step.read_elements(partition="everything"))
        weights = [0.0 if rank == 1 else 1.0 + rank for rank in range(comm.size)]
        got(step.read_elements(partition=weights))
        got(step.read_elements(variables=["v"]), ("v",))
        wanted = [id for id in everything if id % 5 % comm.size == comm.rank]
        found = step.read_elements(ids=[*reversed(wanted), 100000 + comm.rank, *wanted])
        assert found.missing.tolist() == [100000 + comm.rank]
        got(found)
        assert sorted(ways[-1]) == wanted
        got(step.read_elements(ids=[] if comm.rank == 0 else everything))
        return ways


def check_read(results: list[list[list[int]]], mixed: bool) -> None:
    everything = all_ids(mixed)
    for way in (0, 2, 3, 4):
        assert sorted(id for rank in results for id in rank[way]) == everything
    sizes = [len(rank[0]) for rank in results]
    assert max(sizes) - min(sizes) <= 1
    for rank, ways in enumerate(results):
        assert sorted(ways[1]) == everything
        assert sorted(ways[5]) == ([] if rank == 0 else everything)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("writers", "readers"), [(1, 3), (3, 1), (2, 4), (4, 2)])
def test_elements_reach_whoever_wants_them(
    tmp_path: Path, layout: str, mixed: bool, writers: int, readers: int
) -> None:
    path = str(tmp_path / "mesh.chk")
    run_ranks(write_mesh, writers, path, layout, mixed)
    if readers > 1:
        check_read(run_ranks(read_mesh, readers, path, mixed), mixed)
    with quire.open(path) as file:
        assert file.check().damage is None
        assert [fact for fact in file.layout.values() if "xml" in fact or "hdf5" in fact]
        by_hand = [id for expansion in file[0].expansions for id in expansion.ids]
        assert sorted(by_hand) == all_ids(mixed)
        for expansion in file[0].expansions:
            assert sum(expansion.counts()) == len(expansion.table)
            one = int(expansion.ids[-1])
            alone = file[0].read_elements(ids=[one])
            assert np.array_equal(alone[0].element(one)["p"], expansion.element(one)["p"])


def write_twice(comm: Any, path: str) -> str:
    part = part_of_mesh(False, 0, 1)
    try:
        with quire.create(path, comm, "nektar", deadline=30) as out, out.step(0) as step:
            step.put_elements([part[0]] if comm.rank == 0 else [])
            step.put_elements([])
            if comm.rank == 1:
                step.put("x", np.arange(3))
    except quire.Error as error:
        return type(error).__name__
    return ""


def test_other_tables_are_refused_on_every_rank(tmp_path: Path) -> None:
    told = run_ranks(write_twice, 2, str(tmp_path / "mesh.chk"))
    assert told[0] == told[1] != ""
