"""Files written by any number of ranks and read by any other: every element is read bit for bit on any rank.

One start of several ranks runs many examples, each on communicators of the first ranks. All ranks draw the
same examples, which do not depend on a clock, and every rank gets the results of all ranks: so a failing
example is also shrunk in the same way on all ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.format.nektar.made import (
    PLANES,
    QUADRILATERALS,
    TRIANGLES,
    VARIABLES,
    block_of,
    check_values,
    part_of_mesh,
)
from tests.python.support.mpi import run_ranks

import quire
from quire.io.elements import ElementBlock
from quire.io.formats import format_info

pytestmark = pytest.mark.mpi

STAMP = "01-Jan-2024 00:00:00"
LAYOUTS = next(option.choices for option in format_info("nektar").write_options if option.name == "layout")
EMPTY = ("none", "first", "last", "all but the first", "all but the last")
WAYS = ("ids", "contiguous", "weights", "everything", "one variable")


@dataclass(frozen=True)
class Example:
    """A mesh, the ranks that write its elements, and how they are read."""

    layout: str
    writers: int
    readers: int
    empty_writers: str
    empty_readers: str
    way: str
    mixed: bool
    seed: int
    elements: tuple[int, int, int]  # of each kind


def examples(most: int) -> st.SearchStrategy[Example]:
    """Return examples of files that at most `most` ranks write and read."""
    return st.builds(
        Example,
        layout=st.sampled_from(LAYOUTS),
        writers=st.integers(1, most),
        readers=st.integers(1, most),
        empty_writers=st.sampled_from(EMPTY),
        empty_readers=st.sampled_from(EMPTY),
        way=st.sampled_from(WAYS),
        mixed=st.booleans(),
        seed=st.integers(0, 999),
        elements=st.tuples(st.integers(0, 12), st.integers(0, 9), st.integers(0, 5)),
    )


def holders(size: int, empty: str) -> list[int]:
    """Return the ranks that have elements."""
    ranks = list(range(size))
    chosen = {
        "none": ranks,
        "first": ranks[1:],
        "last": ranks[:-1],
        "all but the first": ranks[:1],
        "all but the last": ranks[-1:],
    }[empty]
    return chosen or ranks


def mesh_of(example: Example) -> list[tuple[dict[str, Any], np.ndarray, np.ndarray]]:
    """Return all elements: kinds, ids in random order, modes."""
    rng = np.random.default_rng(example.seed)
    mesh: list[tuple[dict[str, Any], np.ndarray, np.ndarray]] = []
    for place, kind in enumerate((TRIANGLES, QUADRILATERALS, PLANES)):
        count = example.elements[place]
        ids = rng.permutation(3 * count)[:count] * 3 + place
        modes = np.array([[3, 4], [4, 4], [2, 3, 8]][place])
        if example.mixed and kind is TRIANGLES:
            low = rng.integers(2, 5, size=count)
            modes = np.stack([low, low + rng.integers(0, 2, size=count)], axis=1)
        mesh.append((kind, ids, modes))
    return mesh


def written_by(example: Example, rank: int) -> list[ElementBlock]:
    """Return the elements that one rank writes."""
    rng = np.random.default_rng(example.seed + 1)
    owners = holders(example.writers, example.empty_writers)
    blocks = []
    for kind, ids, modes in mesh_of(example):
        mine = rng.choice(owners, size=len(ids)) == rank
        if mine.any():
            blocks.append(block_of(kind, ids[mine], modes[mine] if modes.ndim == 2 else modes))
    return blocks


def modes_by_id(example: Example) -> dict[int, tuple[int, ...]]:
    """Return the modes of every element."""
    return {
        int(id): tuple(int(mode) for mode in row)
        for _, ids, modes in mesh_of(example)
        for id, row in zip(ids, modes if modes.ndim == 2 else np.tile(modes, (len(ids), 1)), strict=True)
    }


def read_and_check(example: Example, comm: Any, path: str) -> list[int]:
    """Check all coefficients that this rank reads; return their ids."""
    orders = modes_by_id(example)
    owners = holders(comm.size, example.empty_readers)
    variables: tuple[str, ...] = VARIABLES
    with quire.open(path, comm, deadline=40) as file:
        assert file[0].number == 4
        assert file[0].attrs["Time"] == "0.10000000000000001"
        # Blocks are described by kind, regardless of the number of ranks.
        assert len(file[0].expansions) == sum(count > 0 for count in example.elements), "one of each kind"
        if example.way == "ids":
            rng = np.random.default_rng(example.seed + 2)
            wanted = [id for id in orders if rng.choice(owners) == comm.rank]
            elements = file[0].read_elements_all(ids=[*reversed(wanted), 100000 + comm.rank, *wanted])
            assert elements.missing.tolist() == [100000 + comm.rank]
            assert sorted(id for block in elements for id in block.ids) == sorted(wanted)
        elif example.way == "weights":
            weights = [1.0 + rank if rank in owners else 0.0 for rank in range(comm.size)]
            elements = file[0].read_elements_all(partition=weights)
            assert comm.rank in owners or len(elements) == 0
        elif example.way == "everything":
            elements = file[0].read_elements_all(partition="everything")
        elif example.way == "one variable" and orders:
            variables = ("v",)
            elements = file[0].read_elements_all(variables=variables)
        else:
            elements = file[0].read_elements_all()
        assert elements.repeated.tolist() == []
        return [id for block in elements for id in check_values(block, orders, variables)]


def on_some(comm: Any, size: int, action: Any) -> list[Any]:
    """Return the results of an action on the first ranks, in order; an error of one is raised on all."""
    part = comm.Split(0 if comm.rank < size else 1, comm.rank)
    result, raised = None, None
    if comm.rank < size:
        try:
            result = action(part)
        except Exception as error:
            raised = f"rank {comm.rank} of {size}: {type(error).__name__}: {error}"
    part.Free()
    everything = comm.allgather((result, raised))
    errors = [error for _, error in everything if error]
    assert not errors, "\n".join(errors)
    return [result for result, _ in everything[:size]]


def restart(example: Example, comm: Any, path: str) -> None:
    """Write an example and read it again on other ranks."""

    def write(part: Any) -> None:
        with (
            quire.create(path, part, "nektar", deadline=40, layout=example.layout, timestamp=STAMP) as out,
            out.step(4) as step,
        ):
            step.set("Time", 0.1)
            step.put_elements(written_by(example, part.rank))

    on_some(comm, example.writers, write)
    got = on_some(comm, example.readers, lambda part: read_and_check(example, part, path))
    everything = sorted(modes_by_id(example))
    if example.way == "everything":
        assert [sorted(ids) for ids in got] == [everything] * example.readers
        return
    assert sorted(id for ids in got for id in ids) == everything
    if example.way in ("contiguous", "one variable"):
        sizes = [len(ids) for ids in got]
        assert max(sizes) - min(sizes) <= 1


def restart_many(comm: Any, folder: str, count: int) -> list[str]:
    """Run examples; return the layouts that occurred."""
    seen: list[str] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(example=examples(comm.size))
    def every_example(example: Example) -> None:
        seen.append(example.layout)
        restart(example, comm, str(Path(folder) / f"mesh_{len(seen)}.chk"))

    every_example()
    return sorted(set(seen))


def test_elements_are_read_on_any_rank(tmp_path: Path) -> None:
    assert run_ranks(restart_many, 4, str(tmp_path), 40) == [sorted(LAYOUTS)] * 4


@pytest.mark.nightly
@pytest.mark.timeout(960)  # the default is 120 s
def test_elements_are_read_on_any_of_more_ranks(tmp_path: Path) -> None:
    results = run_ranks(restart_many, 7, str(tmp_path), 400, time_limit=900)
    assert results == [sorted(LAYOUTS)] * 7


def test_one_process_reads_what_several_ranks_wrote(tmp_path: Path) -> None:
    example = Example("hdf5", 1, 1, "none", "none", "ids", True, 3, (9, 5, 3))
    path = tmp_path / "mesh.chk"
    for layout in LAYOUTS:
        with quire.create(path.with_suffix("." + layout), format="nektar", layout=layout) as out:
            out.step(0).put_elements(written_by(example, 0)).commit()
        with quire.open(path.with_suffix("." + layout)) as file:
            assert file.check().damage is None
            by_hand = [id for expansion in file[0].expansions for id in expansion.ids]
            assert sorted(by_hand) == sorted(modes_by_id(example))
            for expansion in file[0].expansions:
                assert sum(expansion.counts()) == len(expansion.table)
                one = int(expansion.ids[-1])
                alone = file[0].read_elements_all(ids=[one])
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
    errors = run_ranks(write_twice, 2, str(tmp_path / "mesh.chk"))
    assert errors[0] == errors[1] != ""
