"""Steps that have only attributes, and units of quantities that only later steps have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.cli.conftest import run as run  # a fixture

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run


def write_attributes(path: Path) -> None:
    """A file whose first step has no table."""
    with quire.create(path, format="h5part") as out:
        out.set("LUnit", "not a unit of anything")
        with out.step(0) as step:
            step.set("time", 1.0, "s").set("name", "before the first turn").set("counts", [3, 4])


def test_units_of_later_quantities_are_not_attributes(tmp_path: Path) -> None:
    path = tmp_path / "late.h5part"
    write_attributes(path)
    with quire.append(path) as out:
        out.step(1).set("time", 2.0, "s").commit()
        for number in range(2, 40):
            out.step(number).set("time", 3.0, "s").put("x", [1.0], unit="m").commit()
        out.step(40).put("p", [2.0], unit="eV").commit()
    with quire.open(path) as file:
        assert list(file.attrs) == ["LUnit"]
        assert file[2]["x"].unit == "m"
        assert file[40]["p"].unit == "eV"


@pytest.mark.parametrize("target", ["there.h5part", "there.hdf5"])
def test_a_step_of_attributes_is_converted_back(tmp_path: Path, target: str, run: Run) -> None:
    source = tmp_path / "source.h5part"
    write_attributes(source)
    there = tmp_path / target
    assert run("convert", source, there).code == 0
    with quire.open(there) as file:
        assert file.format == there.suffix[1:]
        assert file.numbers == [0]
        assert file[0].attrs.info["time"].unit == "s"
        assert file[0].attrs["counts"].tolist() == [3, 4]
        assert not file.warnings
        assert not file[0].warnings
        assert file.check().damage is None
    back = tmp_path / "back.h5part"
    assert run("convert", there, back).code == 0
    assert run("diff", there, back).code == 0
    with quire.open(back) as file:
        assert file[0].attrs["name"] == "before the first turn"


def test_files_without_steps_remain_files_of_steps(tmp_path: Path) -> None:
    path = tmp_path / "none.h5part"
    with quire.create(path) as out:
        out.set("code", "tracker")
    with quire.open(path) as file:
        assert (file.format, file.numbers) == ("h5part", [])
        assert file.attrs["code"] == "tracker"
