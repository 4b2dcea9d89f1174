"""Indexes to which new steps are appended."""

from __future__ import annotations

import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.query.indexed import rows_of, write
from tests.python.support.files import path_for, step_formats

import quire
from quire.io.origin import TICK, sidecar_path
from quire.io.sidecar import BLOCK_ROWS, HEADER, MAGIC, VERSION
from quire.io.value_list import digest
from quire.toolkit import indexing

ROWS = 3 * BLOCK_ROWS + 5
X = np.arange(float(ROWS))
IDS = np.random.default_rng(1).permutation(ROWS)
STORED: dict[str, Any] = {"columns": ["x"], "ids": "id", "append": True}


def values(step: int) -> dict[str, Any]:
    """The columns of a step."""
    return {"x": X + 10_000 * step, "id": (IDS + step) % ROWS}


def add(path: Path, step: int, columns: dict[str, Any] | None = None) -> None:
    """Append a step to a file."""
    time.sleep(2 * TICK / 1e9)
    with quire.append(path) as out, out.step(step) as made:
        for name, column in (columns or values(step)).items():
            made.put(name, column)


@pytest.fixture(params=step_formats())
def grown(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A file of three steps, of which two are in the index beside it."""
    path = path_for(tmp_path, request.param)
    write(path, values(0), values(1))
    quire.build_index(path, **STORED)
    add(path, 2)
    return path


def indexed_steps(path: Path, monkeypatch: pytest.MonkeyPatch, **stored: Any) -> list[int]:
    """The steps that are read to make an index."""
    seen = []
    read = indexing.zones_of_table

    def noted(table: Any, *others: Any) -> Any:
        seen.append(table._step.description.number)
        return read(table, *others)

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "zones_of_table", noted)
        quire.build_index(path, **stored)
    return seen


def require_right(path: Path) -> None:
    """Fail unless the index of a file of three steps is used, and right."""
    assert quire.index_faults(path) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(3):
            assert rows_of(path, f"x < {10_000 * step + 5}", step) == list(range(5))
            assert rows_of(path, "id == 7", step) == np.flatnonzero(values(step)["id"] == 7).tolist()


def test_only_new_steps_are_indexed(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path(sidecar_path(grown)).read_bytes()
    assert indexed_steps(grown, monkeypatch, **STORED) == [2]
    after = Path(sidecar_path(grown)).read_bytes()
    assert after[HEADER.size : len(before)] == before[HEADER.size :]
    info = quire.index_info(grown)
    assert (info.steps, info.columns, info.rows, info.is_current) == (3, 6, 3 * ROWS, True)
    assert list(info.lists) == ["x"]
    assert info.ids == {"id": ["inverse"]}
    require_right(grown)


def test_without_append_all_steps_are_read(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert indexed_steps(grown, monkeypatch, **STORED | {"append": False}) == [0, 1, 2]
    require_right(grown)


def test_steps_are_appended_one_after_another(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in range(3, 7):
        assert indexed_steps(grown, monkeypatch, **STORED) == [step - 1]
        add(grown, step)
    assert indexed_steps(grown, monkeypatch, **STORED) == [6]
    require_right(grown)
    size = os.path.getsize(sidecar_path(grown))
    quire.remove_index(grown)
    quire.build_index(grown, **STORED)
    assert size < os.path.getsize(sidecar_path(grown)) + 7 * 600


@pytest.mark.parametrize("stored", [{}, {"columns": ["x"]}, {"columns": ["x", "id"], "ids": "id"}])
def test_an_index_with_other_lists_is_made_anew(
    grown: Path, monkeypatch: pytest.MonkeyPatch, stored: dict[str, Any]
) -> None:
    assert indexed_steps(grown, monkeypatch, **stored) == [0, 1, 2]
    require_right(grown)


def test_steps_that_were_changed_are_indexed_again(
    grown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other" / grown.name
    other.parent.mkdir()
    write(other, values(0), values(1) | {"x": -X}, values(2), values(3))
    other.replace(grown)
    assert indexed_steps(grown, monkeypatch, **STORED) == [0, 1, 2, 3]
    assert quire.index_faults(grown) == []


def test_an_index_that_is_current_is_made_anew(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quire.build_index(grown, **STORED)
    assert indexed_steps(grown, monkeypatch, **STORED) == [0, 1, 2]


def test_a_writer_that_is_killed_leaves_an_index_that_is_ignored(grown: Path) -> None:
    place = Path(sidecar_path(grown))
    before = place.read_bytes()
    quire.build_index(grown, **STORED)
    after = place.read_bytes()
    ends = [*range(len(before), len(after), (len(after) - len(before)) // 20), len(after)]
    torn = [before[: HEADER.size] + after[HEADER.size : end] for end in ends]
    torn += [
        after[:some] + before[some : HEADER.size] + after[HEADER.size :] for some in range(1, HEADER.size)
    ]
    for content in torn:
        place.write_bytes(content)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert rows_of(grown, "x < 20005", 2) == list(range(5))
        assert len(caught) <= 1
        assert caught or content == after
    for content in (torn[10], torn[40]):
        place.write_bytes(content)
        quire.build_index(grown, **STORED)
        require_right(grown)


def test_what_fails_leaves_the_index_before(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path(sidecar_path(grown))
    before = place.read_bytes()

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "write_lists", fail)
        with pytest.raises(KeyboardInterrupt):
            quire.build_index(grown, **STORED)
    assert place.read_bytes()[: len(before)] == before
    assert indexed_steps(grown, monkeypatch, **STORED) == [2]
    require_right(grown)


def test_directories_in_a_circle_are_damage(grown: Path) -> None:
    place = Path(quire.build_index(grown, **STORED).path)
    content = bytearray(place.read_bytes())
    *_, offset, length, _, flags = HEADER.unpack(content[: HEADER.size])
    directory = json.loads(content[offset : offset + length])
    directory["before"][0] = offset
    text = json.dumps(directory).encode()
    content[offset:] = text
    content[: HEADER.size] = HEADER.pack(MAGIC, VERSION, HEADER.size, offset, len(text), digest(text), flags)
    place.write_bytes(content)
    with pytest.warns(quire.IndexWarning, match="wrong order"):
        assert rows_of(grown, "x < 5") == list(range(5))
