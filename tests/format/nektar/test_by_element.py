"""Elements are compared and summed by their ids, regardless of blocks, order and layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.format.nektar.made import PLANES, QUADRILATERALS, TRIANGLES, block_of, made_mesh
from tests.python.cli.conftest import run as run  # a fixture
from tests.python.support.mpi import run_ranks

import quire
from quire.io.elements import ElementBlock
from quire.toolkit import checksum as sums
from quire.toolkit import difference as engine
from quire.toolkit.checksum import checksum
from quire.toolkit.difference import Difference, difference
from quire.toolkit.value_difference import Rules

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

LAYOUTS = ("xml", "directory", "hdf5", "streams")


def mesh(mixed: bool, parts: int, seed: int) -> list[ElementBlock]:
    """Return all elements in blocks and in random order."""
    rng = np.random.default_rng(seed)
    blocks = []
    for kind, ids, modes in made_mesh(mixed):
        order = rng.permutation(len(ids))
        for chosen in np.array_split(order, parts):
            blocks.append(block_of(kind, ids[chosen], modes[chosen] if modes.ndim == 2 else modes))
    return blocks


def write(path: Path, blocks: list[ElementBlock], layout: str = "xml") -> Path:
    """Write elements as a checkpoint."""
    with quire.create(path, format="nektar", layout=layout) as out:
        out.step(4).set("Time", 0.5).put_elements(blocks).commit()
    return path


def changed(block: ElementBlock, **values: Any) -> ElementBlock:
    """Return a block with other arrays."""
    fields = {name: getattr(block, name) for name in ("shape", "basis", "modes", "ids", "values", "lengths")}
    fields |= {name: getattr(block, name) for name in ("y_ids", "z_ids")}
    return ElementBlock(**(fields | values))


@pytest.mark.parametrize("mixed", [False, True])
def test_the_same_elements_are_the_same_in_any_blocks_and_layout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mixed: bool
) -> None:
    files = [
        write(tmp_path / f"{layout}.chk", mesh(mixed, 1 + seed, seed), layout)
        for seed, layout in enumerate(LAYOUTS)
    ]
    for bytes_at_once in (64, 8 << 20):
        monkeypatch.setattr(engine, "BLOCK_BYTES", bytes_at_once)
        monkeypatch.setattr(sums, "BLOCK_BYTES", bytes_at_once)
        found = difference(files[0], files[-1])
        assert found.same, found.problems
        assert {column.table for column in found.columns} == {"Triangle", "Quadrilateral"}
        assert sum(column.compared for column in found.columns) == values_in(files[0])
        assert len({checksum(path).whole for path in (files[0], files[2])}) == 1
    for path in files[1:]:
        assert difference(path, files[0]).same
        assert checksum(path).whole == checksum(files[0]).whole
    assert not difference(files[0], files[1], Rules(as_stored=True)).same
    whole = checksum(files[1], as_stored=True).whole
    assert checksum(files[1], as_stored=True, blocks="each").whole != whole
    assert checksum(files[1], blocks="each").whole == checksum(files[1]).whole


def values_in(path: Path) -> int:
    """Return the number of coefficients in a file."""
    with quire.open(path) as file:
        return sum(len(block.table) * len(block.variables) for block in file[0].expansions)


def test_elements_that_differ_are_named(tmp_path: Path, run: Run) -> None:
    blocks = mesh(False, 2, 1)
    one = write(tmp_path / "one.chk", blocks)
    values = {name: array.copy() for name, array in blocks[2].values.items()}
    first, last = blocks[2].offsets[3:5]
    values["v"][first + 2] += 0.5
    values["v"][last:] += 1.0
    blocks[2] = changed(blocks[2], values=values)
    two = write(tmp_path / "two.chk", list(reversed(blocks)), "hdf5")
    outcome = run("diff", "--json", one, two)
    assert outcome.code == 1
    answer = json.loads(outcome.output)
    assert answer["problems"] == []
    (column,) = (column for column in answer["columns"] if column["different"])
    assert (column["table"], column["name"]) == ("Quadrilateral", "v")
    named = [int(id) for id in blocks[2].ids[3:]]
    assert column["elements"] == named[:10]
    assert column["different_elements"] == len(named)
    assert column["first"]["element"] == named[0]
    assert column["first"]["row"] == 2
    printed = run("diff", one, two).output
    assert f"step 4 element {named[0]} coefficient 2" in printed
    assert f"differs in {len(named)} elements: {named[0]}, " in printed
    assert run("diff", "--atol", "1", one, two).code == 0
    assert run("diff", "--columns", "u", one, two).code == 0
    assert checksum(one, columns=["u"]).whole == checksum(two, columns=["u"]).whole
    assert checksum(one).whole != checksum(two).whole


def difference_of(tmp_path: Path, left: list[ElementBlock], right: list[ElementBlock]) -> Difference:
    """Compare elements; the sums of their files must differ."""
    paths = write(tmp_path / "left.chk", left), write(tmp_path / "right.chk", right, "hdf5")
    assert checksum(paths[0]).whole != checksum(paths[1]).whole
    found = difference(*paths)
    assert not found.same
    return found


def test_elements_in_one_file_only_are_named(tmp_path: Path) -> None:
    modes = np.array([2, 3])
    left = block_of(TRIANGLES, [1, 2, 3, 9], modes)
    found = difference_of(tmp_path, [left], [block_of(TRIANGLES, [7, 3, 2, 1], modes)])
    assert [problem.split(": ", 1)[1] for problem in found.problems] == [
        f"1 Triangle element is only in {tmp_path / 'left.chk'}: 9",
        f"1 Triangle element is only in {tmp_path / 'right.chk'}: 7",
    ]
    assert all(column.different == 0 for column in found.columns)


def test_elements_of_another_order_or_basis_are_reported(tmp_path: Path) -> None:
    left = [block_of(TRIANGLES, [1, 2], np.array([2, 3])), block_of(QUADRILATERALS, [3], np.array([2, 2]))]
    right = [block_of(TRIANGLES, [2, 1], np.array([[2, 4], [2, 3]])), left[1]]
    (problem,) = difference_of(tmp_path, left, right).problems
    assert problem == "step 4: 1 Triangle element differs in modes: 2; those of 2 are (2, 3) and (2, 4)"
    other = changed(left[1], basis=("Modified_A", "Modified_A"))
    (problem,) = difference_of(tmp_path, left, [left[0], other]).problems
    assert "the bases of Quadrilateral element 3 are" in problem


def test_elements_are_distinguished_by_their_planes(tmp_path: Path) -> None:
    modes = np.array([2, 2, 4])
    left = block_of(PLANES, [1, 2], modes)
    right = block_of({**PLANES, "z_ids": (0, 1)}, [1, 2], modes)
    assert len(difference_of(tmp_path, [left], [right]).problems) == 2
    both = write(tmp_path / "both.chk", [left, right])
    assert difference(both, write(tmp_path / "again.chk", [right, left], "hdf5")).same


def test_variables_of_one_file_only_are_reported(tmp_path: Path) -> None:
    modes = np.array([2, 3])
    left, right = (block_of(TRIANGLES, [1, 2], modes, names) for names in (("u", "v"), ("u", "p")))
    found = difference_of(tmp_path, [left], [right])
    assert [problem.split(" is only")[0] for problem in found.problems] == [
        "step 4: variable of Triangle elements 'v'",
        "step 4: variable of Triangle elements 'p'",
    ]
    assert [column.name for column in found.columns] == ["u"]
    # Both variables in a file, of the same elements, in either order.
    one = block_of(TRIANGLES, [2, 1], modes, ("p",))
    paths = write(tmp_path / "a.chk", [left, one]), write(tmp_path / "b.chk", [one, left], "streams")
    assert difference(*paths).same


def sum_on(comm: Any, path: str) -> int:
    return checksum(path, comm=comm).whole


@pytest.mark.mpi
def test_ranks_share_the_sum_of_elements(tmp_path: Path) -> None:
    path = write(tmp_path / "mesh.chk", mesh(True, 2, 5))
    assert run_ranks(sum_on, 3, str(path)) == [checksum(path).whole] * 3
