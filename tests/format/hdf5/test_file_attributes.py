"""Attributes of the file that are set in an existing file, or after the first commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError, UnsupportedError, UsageError

PLAIN: dict[str, Any] = {"format": "hdf5", "grow": True, "chunk": 16}


def write(path: Path, **options: Any) -> None:
    with quire.create(path, **options) as out:
        out.set("code", "tracker").set("energy", 5.0, unit="MeV")
        with out.step(0) as step:
            step.put("x", np.arange(20.0))


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    path = tmp_path / "m.h5"
    write(path)
    return path


def values(path: Path) -> dict[str, Any]:
    with quire.open(path) as file:
        assert file.check().is_whole
        return dict(file.attrs)


def test_an_attribute_is_added_at_close(steps: Path) -> None:
    with quire.append(steps) as out:
        out.set("new", 1).set("list", [1.0, 2.0], unit="mm")
    assert values(steps)["new"] == 1
    with quire.open(steps) as file:
        assert file.numbers == [0]
        assert file.attrs.info["list"].unit == "mm"
        assert file.attrs.info["energy"].unit == "MeV"
    with h5py.File(steps) as file:
        assert file.attrs["new"].shape == (1,)


def test_an_attribute_is_written_with_the_next_step(steps: Path) -> None:
    with quire.append(steps) as out:
        out.set("new", 1)
        with out.step(1) as step:
            step.put("x", np.arange(3.0))
        assert values(steps)["new"] == 1
        out.set("late", "text")
        assert "late" not in values(steps)
        with out.step(2) as step:
            step.put("x", np.arange(3.0))
        assert values(steps)["late"] == "text"
    with quire.open(steps) as file:
        assert file.numbers == [0, 1, 2]


def test_a_new_file_accepts_attributes_after_its_first_commit(tmp_path: Path) -> None:
    path = tmp_path / "m.h5"
    with quire.create(path) as out:
        out.set("n", 1)
        with out.step(0) as step:
            step.put("x", [1.0])
        out.set("n", 2).set("more", 3)
    assert values(path) == {"n": 2, "more": 3}


@pytest.mark.parametrize("how", [{}, {"existing": "add"}, {"existing": "replace"}])
def test_existing_attributes_are_not_replaced_by_default(steps: Path, how: dict[str, Any]) -> None:
    before = steps.read_bytes()
    with (
        quire.append(steps, **how) as out,
        pytest.raises(ConflictError, match="existing=overwrite") as raised,
    ):
        out.set("code", "other")
    assert raised.value.object == "code"
    assert steps.read_bytes() == before


def test_existing_attributes_are_replaced_on_request(steps: Path) -> None:
    with quire.append(steps, existing="overwrite") as out:
        out.set("code", 7).set("energy", 6.0, unit="GeV")
    found = values(steps)
    assert (found["code"], found["energy"]) == (7, 6.0)
    with quire.open(steps) as file:
        assert file.attrs.info["energy"].unit == "GeV"


def test_an_attribute_is_kept_for_the_next_step_after_a_failure(steps: Path) -> None:
    with quire.append(steps) as out:
        out.set("new", 1)
        with pytest.raises(ConflictError), out.step(0) as step:
            step.put("x", [1.0])
        assert "new" not in values(steps)
    assert values(steps)["new"] == 1


def test_a_growing_plain_file_accepts_new_attributes(tmp_path: Path) -> None:
    path = tmp_path / "m.hdf5"
    write(path, **PLAIN)
    with quire.append(path, grow=True) as out:
        with pytest.raises(ConflictError):
            out.set("code", "other")
        out.set("new", 1)
    with h5py.File(path) as file:
        assert int(file.attrs["new"].ravel()[0]) == 1


def test_other_formats_give_advice(tmp_path: Path) -> None:
    path = tmp_path / "m.sdds"
    write(path)
    with quire.append(path) as out, pytest.raises(UnsupportedError, match="in a new file"):
        out.set("new", 1)
    with quire.open(path) as file:
        assert file.numbers == [0]


def add_together(comm: Any, path: str) -> list[str]:
    """The errors for an existing attribute, and for one that differs between the ranks."""
    raised: list[str] = []
    with quire.append(path, comm) as out:
        try:
            out.set("code", "other")
        except ConflictError as error:
            raised.append(error.object)
        out.set("new", 1)
        with out.step(1) as step:
            step.put("x", [float(comm.rank)])
        out.set("last", 2)
    with quire.append(path, comm) as out:
        out.set("rank", comm.rank)
        try:
            with out.step(2) as step:
                step.put("x", [1.0])
        except ConflictError as error:
            raised.append(error.object)
        out.set("rank", 9)
    return raised


@pytest.mark.mpi
def test_all_ranks_know_the_attributes(steps: Path) -> None:
    reported = ["code", "attribute rank"]
    assert run_ranks(add_together, 2, str(steps)) == [reported, reported]
    found = values(steps)
    assert (found["new"], found["last"], found["rank"]) == (1, 2, 9)


def test_a_closed_file_accepts_no_attributes(steps: Path) -> None:
    out = quire.append(steps)
    out.close()
    with pytest.raises(UsageError):
        out.set("new", 1)


def test_attributes_of_steps_that_are_read_differently_are_remarked_once(tmp_path: Path) -> None:
    path = tmp_path / "steps.h5"
    with quire.create(path) as out:
        for number in range(3):
            with out.step(number) as step:
                step.set("names", ["a", "b"]).set("title", "one text").set("energy", 5.0)
                step.set("flag", np.int8(number)).put("x", np.arange(3.0))
        found = out.remarks
    assert found == [
        "attribute names: the H5Part library reads only the first of its texts",
        "attribute flag: type int8 becomes int16",
    ]
    with quire.open(path) as file:
        assert list(file[2].attrs["names"]) == ["a", "b"]
        assert file[2].attrs["flag"] == 2


def test_an_attribute_that_becomes_a_list_of_texts_is_remarked(tmp_path: Path) -> None:
    with quire.create(tmp_path / "steps.h5") as out:
        for number, names in enumerate(["a", ["a", "b"]]):
            with out.step(number) as step:
                step.set("names", names).put("x", np.arange(3.0))
            assert len(out.remarks) == number
