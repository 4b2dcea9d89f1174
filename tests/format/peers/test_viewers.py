"""Files written for viewers: VTK's reader of particles finds every step, and VisIt's attributes exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.peers.test_peers import worker

import quire
from quire.errors import Error, MissingError
from quire.toolkit.convert import copy
from quire.toolkit.request import Observer

pytestmark = pytest.mark.peer
ROWS = 6


def write(path: Path, **more: Any) -> None:
    """A planar beam of a code: steps 10, 20, 30, mixed types, short integers, no identifiers."""
    with quire.create(path) as out:
        out.set("code", "tracker")
        for number in (10, 20, 30):
            with out.step(number) as step:
                step.set("time", 0.25 * number, unit="s")
                step.set("energy", 5.0 + number, unit="MeV")
                step.put("x", (np.arange(ROWS) + number).astype(np.float32), unit="m")
                step.put("y", np.arange(ROWS) * 2.0, unit="m")
                step.put("bin", np.arange(ROWS, dtype=np.uint16))
                for name, values in more.items():
                    step.put(name, values)


def convert(source: Path, target: Path, losses: list[str] | None = None) -> list[str]:
    """Write for viewers; return the changes."""
    changes: list[str] = []
    lost = [] if losses is None else losses

    def note(kind: str, sentence: str) -> None:
        (lost if kind == "lost" else changes).append(sentence)

    copy(source, target, program="viewers", observer=Observer(change=note))
    return changes


def seen(path: Path, step: int) -> dict[str, Any]:
    """A step as VTK's reader returns it."""
    found: dict[str, Any] = json.loads(worker("vtk_worker.py", str(path), str(step)))
    return found


@pytest.mark.parametrize("suffix", [".h5", ".sdds"])
def test_every_step_is_seen(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / f"beam{suffix}", tmp_path / "view.h5part"
    write(source)
    changes = convert(source, target)
    for part in (
        "numbered anew, from 0 to 2",
        "TimeValue: the same as time",
        "x: from float32 to float64",
        "z: 0 in every row",
        "id: numbered from 0",
        "bin: from uint16 to int32",
        "attribute time: viewers take it for a time",
    ):
        assert any(part in sentence for sentence in changes), part
    for place, number in enumerate((10, 20, 30)):
        found = seen(target, place)
        points = np.column_stack([np.arange(ROWS) + number, np.arange(ROWS) * 2.0, np.zeros(ROWS)])
        np.testing.assert_array_equal(found["points"], points)
        assert found["arrays"]["id"] == list(range(ROWS))
        assert found["arrays"]["bin"] == list(range(ROWS))
    with h5py.File(target) as file:
        # Attributes of VisIt's reader.
        assert sorted(file) == ["Step#0", "Step#1", "Step#2"]
        for place, number in enumerate((10, 20, 30)):
            group = file[f"Step#{place}"]
            assert group.attrs["TimeValue"].tolist() == [0.25 * number]
            assert [name for name in group.attrs if name.lower().startswith("time")] == ["TimeValue"]
            assert group.attrs["energy"].tolist() == [5.0 + number]
            assert {group[name].dtype for name in "xyz"} == {np.dtype("<f8")}
            assert group["id"].dtype == np.dtype("<i8")
    with quire.open(target) as file:
        assert {file[0][name].unit for name in "xyz"} == {"m"}
        assert file.attrs["code"] == "tracker"


def test_suitable_columns_are_kept(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "view.h5part"
    with quire.create(source) as out:
        for number in (0, 1):
            with out.step(number) as step:
                step.set("TimeValue", 0.5 * number)
                for name in ("x", "y", "z", "px"):
                    step.put(name, np.arange(3.0, dtype=np.float32))
                step.put("id", np.array([5, 6, 7], dtype=np.int32))
    assert convert(source, target) == []
    with quire.open(target) as file:
        assert [file[1][name].type for name in ("x", "y", "z", "px", "id")] == ["float32"] * 4 + ["int32"]


def test_missing_columns_are_created_in_that_step_only(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "view.h5part"
    with quire.create(source) as out:
        for number in (0, 1, 2):
            with out.step(number) as step:
                step.put("x", np.arange(4.0), unit="m").put("y", np.arange(4.0), unit="m")
                if number != 1:
                    step.put("z", np.arange(4.0) + 7, unit="mm").put("id", np.arange(4) + 100)
    changes = convert(source, target)
    assert "step 1: column z: 0 in every row" in changes
    assert "step 1: column id: numbered from 0" in changes
    for number in (0, 1, 2):
        is_made = number == 1
        found = seen(target, number)
        assert [point[2] for point in found["points"]] == ([0, 0, 0, 0] if is_made else [7, 8, 9, 10])
        assert found["arrays"]["id"] == ([0, 1, 2, 3] if is_made else [100, 101, 102, 103])
    with quire.open(target) as file:
        assert [step["z"].unit for step in file] == ["mm"] * 3


@pytest.mark.parametrize("lacking", [0, 1])
def test_columns_missing_in_a_step_are_left_out_and_reported(tmp_path: Path, lacking: int) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "view.h5part"
    with quire.create(source) as out:
        for number in (0, 1, 2):
            with out.step(number) as step:
                for name in ("x", "y", "z", "px"):
                    step.put(name, np.arange(4.0))
                if number != lacking:
                    step.put("w", np.arange(4.0)).put("bin", np.arange(4, dtype=np.int16))
    losses: list[str] = []
    convert(source, target, losses)
    assert losses == ["columns w, bin: left out: not every step has it"]
    for number in (0, 1, 2):
        found = seen(target, number)
        assert len(found["points"]) == 4
        assert found["arrays"]["px"] == [0, 1, 2, 3]
        assert not {"w", "bin"} & set(found["arrays"])


def test_errors_of_values_name_their_column(tmp_path: Path) -> None:
    source = tmp_path / "beam.h5"
    with quire.create(source) as out, out.step(0) as step:
        step.put("x", [1.0]).put("y", [1.0]).put("big", np.array([1 << 63], dtype=np.uint64))
    with pytest.raises(Error, match="big"):
        convert(source, tmp_path / "view.h5part")


def test_problematic_names_and_numbers_are_reported(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "view.h5part"
    ids = np.array([1, 2, 3, 4, 5, 1 << 32])
    write(source, r=np.zeros(ROWS), Phi=np.zeros(ROWS), rms_1=np.zeros(ROWS), id=ids)
    changes = convert(source, target)
    for name in ("r", "Phi", "rms_1", "id"):
        assert any(re.match(rf"columns? (.*, )?{name}(, .*)?: stays", one) for one in changes), name


def test_files_without_positions_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "beam.h5"
    with quire.create(source) as out, out.step(0) as step:
        step.put("x", [1.0])
    with pytest.raises(MissingError, match="reads a column y"):
        convert(source, tmp_path / "view.h5part")


def test_missing_times_are_made_from_the_number(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "view.h5part"
    with quire.create(source) as out:
        for number in (4, 7):
            with out.step(number) as step:
                for name in "xyz":
                    step.put(name, [1.0])
    assert any("TimeValue: the number of the step" in sentence for sentence in convert(source, target))
    with quire.open(target) as file:
        assert file.numbers == [0, 1]
        assert [step.attrs["TimeValue"] for step in file] == [4.0, 7.0]


def test_fields_get_origin_and_spacing(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.h5", tmp_path / "view.h5part"
    with quire.create(source) as out, out.step(0) as step:
        step.put("x", np.zeros(ROWS)).put("y", np.zeros(ROWS))
        step.put_field("placed", np.zeros((2, 3, 4)), quire.Grid(origin=(1, 2, 3), spacing=(4, 5, 6)))
        step.put_field("rho", np.zeros((2, 3, 5)))
    changes = convert(source, target)
    assert any("field rho: gets origin 0 and spacing 1" in sentence for sentence in changes)
    assert not any("field placed" in sentence for sentence in changes)
    assert any("differ in their extents" in sentence for sentence in changes)
    with h5py.File(target) as file:
        block = file["Step#0/Block"]
        assert block["rho"].attrs["__Origin__"].tolist() == [0, 0, 0]
        assert block["rho"].attrs["__Spacing__"].tolist() == [1, 1, 1]
        assert block["placed"].attrs["__Origin__"].tolist() == [3, 2, 1]


def test_columns_of_texts_and_the_order_of_columns_do_not_disturb(tmp_path: Path) -> None:
    path = tmp_path / "names.h5part"
    with quire.create(path) as out, out.step(0) as step:
        # The texts are first by name: VTK takes the number of particles from the first column.
        for name in ("z", "y", "x"):
            step.put(name, np.arange(ROWS) + ord(name) * 1.0)
        step.put("Name", ["QF", "", "D1", "QD", "long name", "E"]).put("id", np.arange(ROWS))
    found = seen(path, 0)
    assert found["points"] == [[row + ord(name) * 1.0 for name in "xyz"] for row in range(ROWS)]
    assert found["arrays"].keys() == {"x", "y", "z", "id"}
