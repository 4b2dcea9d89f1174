"""Valid and invalid arguments for reading and writing elements."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.python.cli.conftest import run as run  # a fixture
from tests.python.support.mpi import run_ranks

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

SMALL = Path(__file__).resolve().parents[2] / "data" / "nektar" / "tiny.fld"


@pytest.mark.parametrize("ids", [[-1], [1 << 40], [1.5], [[0, 1]], ["1"]])
def test_invalid_ids_are_refused(ids: Any) -> None:
    with quire.open(SMALL) as file, pytest.raises(quire.UsageError):
        file[0].read_elements_all(ids=ids)


WRONG_ON_ONE_RANK: dict[str, dict[str, Any]] = {
    'this rank for elements with "nope"': {"variables": ["nope"]},
    "the name of a variable must be a string": {"variables": [5]},
    'there is no partition "nope"': {"partition": "nope"},
    "could not convert": {"partition": ["a", "b"]},
    "ids of elements": {"ids": [1.5]},
    "inhomogeneous": {"ids": [[1], [2, 3]]},
    "this rank for elements by their ids": {"ids": [1]},
    "this rank for elements without exception": {"partition": "everything"},
    "this rank for elements by weights 1, 2.5": {"partition": [1, 2.5]},
}


def ask_wrongly(comm: Any, path: str) -> list[str]:
    """Read elements with wrong arguments on rank 1 only; return the errors of this rank."""
    errors = []
    with quire.open(path, comm, deadline=20) as file:
        for wrong in WRONG_ON_ONE_RANK.values():
            try:
                file[0].read_elements_all(**(wrong if comm.rank == 1 else {}))
            except quire.Error as error:
                errors.append(str(error))
        assert len(file[0].read_elements_all(ids=[] if comm.rank else [0]).missing) in (0, 1)
    return errors


@pytest.mark.mpi
def test_a_wrong_argument_on_one_rank_does_not_block_the_others() -> None:
    for errors in run_ranks(ask_wrongly, 2, str(SMALL), time_limit=40):
        assert len(errors) == len(WRONG_ON_ONE_RANK)
        for text, reason in zip(errors, WRONG_ON_ONE_RANK, strict=True):
            assert reason in text
            assert "[rank 1]" in text


def test_no_ids_give_no_elements() -> None:
    with quire.open(SMALL) as file:
        found = file[0].read_elements_all(ids=[])
        assert len(found) == 0
        assert len(found.missing) == 0


def test_elements_have_a_short_repr() -> None:
    with quire.open(SMALL) as file:
        found = file[0].read_elements_all()
    elements = sum(len(block.ids) for block in found)
    assert repr(found) == f"<Elements: {elements} in {len(found)} blocks, 0 missing>"
    assert f"{found[0].shape}: {len(found[0].ids)} elements" in repr(found[0])
    assert "array" not in repr(found[0])


def test_only_blocks_can_be_put(tmp_path: Path) -> None:
    with quire.open(SMALL) as file:
        block = file[0].read_elements_all()[0]
    for parts in (block, "blocks", [np.zeros(3)]):
        with (
            pytest.raises(quire.UsageError, match="sequence of blocks"),
            quire.create(tmp_path / "new.fld") as out,
            out.step(0) as step,
        ):
            step.put_elements(parts)  # type: ignore[arg-type]


def test_an_unknown_shape_is_a_usage_error(tmp_path: Path) -> None:
    """The caller passes an unknown name: no file is damaged."""
    with quire.open(SMALL) as file:
        block = file[0].read_elements_all()[0]
    with (
        pytest.raises(quire.UsageError, match="Blob"),
        quire.create(tmp_path / "new.fld") as out,
        out.step(0) as step,
    ):
        step.put_elements([dataclasses.replace(block, shape="Blob")])


@pytest.mark.parametrize("dimensions", [0, 2, 3])
def test_coefficients_must_have_one_dimension(tmp_path: Path, dimensions: int) -> None:
    """A row for each element is a natural guess: the error states this shape and the expected one."""
    with quire.open(SMALL) as file:
        block = file[0].read_elements_all()[0]
    name, flat = next(iter(block.values.items()))
    shape = {0: (), 2: (len(block), len(flat) // len(block)), 3: (1, 1, len(flat))}[dimensions]
    shaped = np.resize(flat, shape)
    with (
        pytest.raises(quire.UsageError, match=r"one dimension, element after element") as caught,
        quire.create(tmp_path / "new.fld") as out,
        out.step(0) as step,
    ):
        step.put_elements([dataclasses.replace(block, values={**block.values, name: shaped})])
    assert str(shape) in str(caught.value)
    assert caught.value.object == name


@pytest.mark.parametrize("ids", [[[0], [1]], [-1, 0], [0.5, 1.0]])
def test_ids_of_elements_must_be_integers(tmp_path: Path, ids: Any) -> None:
    with quire.open(SMALL) as file:
        block = file[0].read_elements_all()[0]
    with (
        pytest.raises(quire.UsageError, match=r"the ids of elements|no element has the id"),
        quire.create(tmp_path / "new.fld") as out,
        out.step(0) as step,
    ):
        step.put_elements([dataclasses.replace(block, ids=np.array(ids))])


def test_directories_of_too_many_ranks_are_refused(run: Run) -> None:
    outcome = run(
        "plan", "--workload", "elements:1000", "--method", "nektar:layout=directory", "--ranks", "131072"
    )
    assert outcome.code != 0
    assert "131071 ranks at most" in outcome.output + outcome.errors


@pytest.mark.parametrize("parameter", ["lossy", "tolerant"])
def test_texts_are_not_booleans(parameter: str) -> None:
    options: dict[str, Any] = {parameter: "true"}
    with pytest.raises(quire.UsageError, match="True or False"):
        quire.open(SMALL, **options)


def test_a_loss_of_a_table_without_a_name_is_reported_without_one(tmp_path: Path, run: Run) -> None:
    source = tmp_path / "lines.h5part"
    with quire.create(source) as out:
        out.step(0).set("t", 1.0).put("x", [1.0]).commit()
    done = run("convert", source, tmp_path / "lines.fld")
    assert "lost: table: left out: its rows are not coefficients of elements" in done.output + done.errors
