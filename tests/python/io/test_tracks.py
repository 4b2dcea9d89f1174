"""The same particles in several steps, compared with a search by hand."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats

import quire
from quire.io.sidecar import BLOCK_ROWS


def write(path: Path, *steps: dict[str, Any]) -> Path:
    """Write steps with numbers 0, 10, 20 ..."""
    with quire.create(path) as out:
        for number, values in enumerate(steps):
            with out.step(10 * number) as step:
                for name, column in values.items():
                    step.put(name, column, unit="m" if name == "x" else "")
    return path


@settings(max_examples=50)
@given(data=st.data())
def test_tracks_are_those_of_a_search(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    kind = np.dtype(data.draw(st.sampled_from(["i8", "i4", "u8", "u1", "f8"])))
    steps = []
    for _ in range(data.draw(st.integers(1, 4))):
        ids = np.array(data.draw(st.lists(st.integers(0, 30), unique=True)), kind)
        steps.append({"id": ids, "x": np.arange(len(ids)) + 0.5, "n": np.arange(len(ids), dtype=np.int32)})
    path = write(path_for(tmp_path_factory.getbasetemp(), step_formats()[0], "tracks"), *steps)
    wanted = data.draw(st.lists(st.integers(-2, 300), unique=True))
    if data.draw(st.booleans()):
        quire.build_index(path)
    else:
        quire.remove_index(path)
    with quire.open(path) as file:
        tracks = file.track(wanted)
    assert tracks.ids.tolist() == wanted
    assert tracks.steps.tolist() == [10 * place for place in range(len(steps))]
    for place, step in enumerate(steps):
        rows = {int(one): row for row, one in enumerate(step["id"].tolist())}
        expected = [rows.get(one) for one in wanted]
        assert tracks.present[place].tolist() == [row is not None for row in expected]
        for name in ("x", "n"):
            found = [np.nan if row is None else float(step[name][row]) for row in expected]
            np.testing.assert_array_equal(tracks[name][place], found)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Three steps with ids in different orders; the last step has lost a particle."""
    return write(
        path_for(tmp_path, step_formats()[0]),
        {"id": np.array([1, 2, 3]), "x": np.array([0.1, 0.2, 0.3]), "name": ["a", "b", "c"]},
        {"id": np.array([3, 1, 2]), "x": np.array([1.3, 1.1, 1.2]), "name": ["c", "a", "b"]},
        {"id": np.array([2, 3]), "x": np.array([2.2, 2.3]), "name": ["b", "c"]},
    )


def test_absent_particles_are_marked(run: Path) -> None:
    with quire.open(run) as file:
        tracks = file.track([3, 1])
        assert tracks.present.tolist() == [[True, True], [True, True], [True, False]]
        np.testing.assert_array_equal(tracks["x"], [[0.3, 0.1], [1.3, 1.1], [2.3, np.nan]])
        assert tracks["name"].tolist() == [["c", "a"], ["c", "a"], ["c", ""]]
        assert (tracks.columns["x"].unit, list(tracks)) == ("m", ["x", "name"])
        with pytest.raises(quire.MissingError):
            tracks["y"]


def test_a_condition_chooses_particles_in_one_step(run: Path) -> None:
    with quire.open(run) as file:
        assert file.track(where="x > 2.25", at=20).ids.tolist() == [3]
        assert file.track(where="x > 0.15", steps=[0, 20])["x"].tolist() == [[0.2, 0.3], [2.2, 2.3]]
        assert file.track(where="x > 9")["x"].shape == (3, 0)
        with pytest.raises(quire.MissingError, match="step 5"):
            file.track(where="x > 2", at=5)


def test_one_column_is_named_by_a_text(tmp_path: Path) -> None:
    path = write(path_for(tmp_path, step_formats()[0]), {"id": np.array([1, 2]), "px": np.array([3.0, 4])})
    with quire.open(path) as file:
        assert list(file.track([2], columns="px")) == ["px"]


def test_integers_stay_where_no_particle_is_absent(tmp_path: Path) -> None:
    large = np.array([(1 << 53) + 1, 5])
    path = write(
        path_for(tmp_path, step_formats()[0]),
        {"id": np.array([1, 2]), "n": large},
        {"id": np.array([2]), "n": large[:1]},
    )
    with quire.open(path) as file:
        found = file.track([2, 1], steps=[0])["n"]
        assert found.dtype == np.dtype(np.int64)
        assert found.tolist() == [[5, (1 << 53) + 1]]
        assert file.track([2], steps=[10])["n"].tolist() == [[(1 << 53) + 1]]
        with pytest.raises(quire.TypeMismatchError, match="integers would be rounded"):
            file.track([2, 1])
        with pytest.raises(quire.TypeMismatchError, match="integers would be rounded"):
            file.track([1])  # also those of a step that has them all


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_ids_that_a_column_of_floats_rounds_are_absent(tmp_path: Path, kind: str) -> None:
    exact = 1 << np.finfo(kind).nmant + 1
    ids = np.array([exact, 5, np.nan, np.inf], kind)
    path = write(path_for(tmp_path, step_formats()[0]), {"id": ids, "x": np.arange(4.0)})
    for _ in range(2):
        with quire.open(path) as file:
            found = file.track([exact + 1, exact, 5])
        assert found.ids.tolist() == [exact + 1, exact, 5]
        np.testing.assert_array_equal(found["x"], [[np.nan, 0.0, 1.0]])
        quire.build_index(path)


def test_ids_have_64_bits_of_either_sign(tmp_path: Path) -> None:
    largest = (1 << 64) - 1
    path = write(path_for(tmp_path, step_formats()[0]), {"id": np.array([-(1 << 63), 5]), "x": np.ones(2)})
    with quire.open(path) as file:
        found = file.track([5, largest])
        assert found.ids.tolist() == [5, largest]
        assert found.present.tolist() == [[True, False]]
        assert file.track([-(1 << 63)]).present.all()
        assert file.track(np.array([2.0**63, 5])).present.tolist() == [[False, True]]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({}, quire.UsageError, "by ids or by a condition"),
        ({"ids": [1], "where": "x > 0"}, quire.UsageError, "by ids or by a condition"),
        ({"ids": [1], "at": 0}, quire.UsageError, "only needed for a condition"),
        ({"ids": [1, 1]}, quire.ConflictError, "the id 1 occurs 2 times"),
        ({"ids": [1.5]}, quire.TypeMismatchError, "list of integers"),
        ({"ids": ["a"]}, quire.TypeMismatchError, "list of integers"),
        ({"ids": [[1, 2], [3]]}, quire.TypeMismatchError, "list of integers"),
        ({"ids": [np.inf]}, quire.TypeMismatchError, "list of integers"),
        ({"ids": [1e30]}, quire.TypeMismatchError, "list of integers"),
        ({"ids": [-1, (1 << 64) - 1]}, quire.TypeMismatchError, "list of integers"),
        ({"ids": [1], "key": "name"}, quire.TypeMismatchError, "the column has texts"),
        ({"ids": [1], "key": "q"}, quire.MissingError, "q"),
        ({"ids": [1], "columns": ["q"]}, quire.MissingError, "q"),
        ({"ids": [1], "steps": []}, quire.MissingError, "no step"),
    ],
)
def test_wrong_arguments_are_refused(
    run: Path, arguments: Any, kind: type[quire.Error], message: str
) -> None:
    with quire.open(run) as file, pytest.raises(kind, match=message):
        file.track(**arguments)


def test_ids_of_several_rows_are_refused(tmp_path: Path) -> None:
    ids = np.arange(3 * BLOCK_ROWS)
    ids[-1] = 7
    path = write(path_for(tmp_path, step_formats()[0]), {"id": ids, "x": ids * 1.0})
    with quire.open(path) as file, pytest.raises(quire.ConflictError, match="2 rows have the id 7"):
        file.track([9, 7])


def test_the_column_of_ids_is_found_by_its_name(tmp_path: Path) -> None:
    path = write(
        path_for(tmp_path, step_formats()[0]), {"particleID": np.array([4, 5]), "x": np.array([1.0, 2])}
    )
    with quire.open(path) as file:
        assert file.track([5])["x"].tolist() == [[2.0]]
    columns = {"x": np.array([1.0, 2]), "grid": np.array([5, 6]), "valid": np.array([5, 6])}
    path = write(path_for(tmp_path, step_formats()[0], "other"), columns)
    with quire.open(path) as file, pytest.raises(quire.DataError, match="name it by key=NAME"):
        file.track([5])


def test_an_index_leaves_blocks_without_the_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = np.arange(5 * BLOCK_ROWS)
    path = write(path_for(tmp_path, step_formats()[0]), {"id": ids, "x": ids * 1.0})
    quire.build_index(path)
    read: list[Any] = []
    blocks = quire.Table.blocks

    def recorded(table: quire.Table, names: list[str], rows: Any) -> Any:
        read.append(rows)
        return blocks(table, names, rows=rows)

    monkeypatch.setattr(quire.Table, "blocks", recorded)
    with quire.open(path) as file:
        assert file.track([BLOCK_ROWS + 1])["x"].tolist() == [[BLOCK_ROWS + 1.0]]
    assert read == [(BLOCK_ROWS, BLOCK_ROWS)]


def test_steps_of_different_units_are_not_mixed(tmp_path: Path) -> None:
    refused = 0
    for name in step_formats():
        path = path_for(tmp_path, name)
        with suppress(quire.ConflictError), quire.create(path, format=name) as out:
            for number, unit in enumerate(("m", "mm")):
                with out.step(number) as step:
                    step.put("id", np.arange(3)).put("x", np.arange(3.0), unit=unit)
        with quire.open(path) as file:
            if len({step["x"].unit for step in file}) == 1:
                continue  # the format stores one unit
            with pytest.raises(quire.ConflictError, match="step 1 has the unit 'mm', and the first one 'm'"):
                file.track([1])
            assert file.track([1], columns=[]).present.all()
        refused += 1
    assert refused > 0
