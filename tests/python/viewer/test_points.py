"""Points in space: which rows of a table are in the sample, and where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.conftest import FIRST, ROWS, Client, Serve, write_bunch

import quire
from quire.viewer import points, surveys

ASKED: dict[str, Any] = {"x": "x", "y": "y", "z": "z", "sources": FIRST}


def values_of(answer: Any, place: int = 0) -> np.ndarray[Any, Any]:
    """Return the points of a file with their units: a row for each."""
    axes = [*answer.content["axes"], *filter(None, [answer.content["colour"]])]
    low, high = (np.array([axis[end] for axis in axes]) for end in ("low", "high"))
    found: np.ndarray[Any, Any] = low + answer.arrays[place] * (high - low)
    return found


def expected(path: Path, step: int = 0) -> np.ndarray[Any, Any]:
    with quire.open(path) as file:
        return np.stack(list(file.step(step).table.read(["x", "y", "z"]).values()), axis=1)


def test_all_rows_of_a_small_table_are_points(client: Client, bunch: Path) -> None:
    answer = client.last("points", **ASKED)
    assert answer.arrays[0].dtype == np.float32
    np.testing.assert_allclose(values_of(answer), expected(bunch), atol=1e-10)
    assert answer.arrays[0].min(axis=0).tolist() == [0, 0, 0]
    assert answer.arrays[0].max(axis=0).tolist() == [1, 1, 1]
    assert [axis["unit"] for axis in answer.content["axes"]] == ["m", "m", "m"]
    [panel] = answer.content["panels"]
    assert (panel["rows"], panel["points"], panel["drawable"]) == (ROWS, ROWS, ROWS)


def test_a_sample_is_random_and_the_same_in_each_step(client: Client) -> None:
    chosen = []
    for step in (0, 10):
        answer = client.last(
            "points", **{**ASKED, "x": "id", "count": 500, "sources": [{"file": 0, "step": step}]}
        )
        assert answer.arrays[0].shape == (500, 3)
        assert (answer.content["panels"][0]["rows"], answer.content["panels"][0]["points"]) == (ROWS, 500)
        chosen.append(np.rint(values_of(answer)[:, 0]).astype(int).tolist())
    assert chosen[0] == chosen[1] == sorted(set(chosen[0]))
    shares = np.histogram(chosen[0], bins=5, range=(0, ROWS))[0]
    assert (np.abs(shares - 100) < 40).all()  # 4.5 standard deviations


def test_a_large_table_of_another_length_has_another_sample(tmp_path: Path) -> None:
    """As the documentation says."""
    found = []
    for place, rows in enumerate((100_000, 100_000, 99_000)):
        path = write_bunch(tmp_path / f"{place}.h5", seed=place, rows=rows, numbers=(0,))
        with quire.open(path) as file:
            found.append(set(points.runs(file[0].table, ["id"], 640)[0].astype(int)))
    first, same, shorter = found
    assert first == same
    assert len(first & shorter) < len(first) / 2


def test_a_sample_does_not_depend_on_blocks(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {**ASKED, "count": 100, "where": "x > 0"}
    before = client.last("points", **asked)
    reduce = points.Sample.reduce

    def add(sample: points.Sample, columns: Any, chances: Any) -> None:
        for first in range(0, len(chances), 7):
            some = slice(first, first + 7)
            sample.count += len(chances[some])
            sample.chances.append(chances[some])
            sample.values.append(np.array([one[some] for one in columns], np.float64))
            reduce(sample)

    monkeypatch.setattr(points.Sample, "add", add)
    after = client.last("points", **asked)
    np.testing.assert_array_equal(before.arrays[0], after.arrays[0])
    assert before.content["panels"] == after.content["panels"]


def test_a_cut_and_a_colour(client: Client, bunch: Path) -> None:
    answer = client.last("points", colour="hypot(x, y)", where="x > 1e-4", **ASKED)
    values = values_of(answer)
    x = expected(bunch)[:, 0]
    assert len(values) == (x > 1e-4).sum() == answer.content["panels"][0]["rows"]
    np.testing.assert_allclose(values[:, 3], np.hypot(values[:, 0], values[:, 1]), atol=1e-9)
    # The colours hold nearly all points.
    inside = (answer.arrays[0][:, 3] >= 0) & (answer.arrays[0][:, 3] <= 1)
    assert 0.97 < inside.mean() < 1
    assert answer.content["colour"]["name"] == "hypot(x, y)"


def test_a_large_table_is_read_in_runs(serve: Serve, bunch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "SAMPLED_ROWS", 64)
    monkeypatch.setattr(surveys, "SAMPLED_BLOCKS", 4)
    answer = serve(bunch).last("points", **{**ASKED, "x": "id", "count": 10 * points.RUN_ROWS})
    rows = np.rint(values_of(answer)[:, 0]).astype(int).reshape(10, -1)
    assert (np.diff(rows, axis=1) == 1).all()
    ends = np.linspace(0, ROWS - points.RUN_ROWS, 11)
    assert ((rows[:, 0] >= np.floor(ends[:-1])) & (rows[:, 0] <= ends[1:])).all()
    assert answer.content["panels"][0]["rows"] == ROWS


def test_files_share_axes_units_and_points(serve: Serve, tmp_path: Path) -> None:
    write_bunch(tmp_path / "m.h5", rows=50, numbers=(0,))
    with quire.create(tmp_path / "mm.h5") as out, out.step(0) as step:
        for name in ("x", "y", "z"):
            step.put(name, np.linspace(-9.0, 9.0, 60), unit="mm")
    with quire.create(tmp_path / "s.h5") as out, out.step(0) as step:
        for name in ("x", "y", "z"):
            step.put(name, np.ones(3), unit="s")
    client = serve(*(tmp_path / name for name in ("m.h5", "mm.h5", "s.h5")))
    sources = [{"file": file, "step": 0} for file in range(3)]
    answer = client.last("points", **{**ASKED, "sources": sources, "count": 90})
    assert 5e-3 < np.abs(values_of(answer, 1)).max() < 9.1e-3
    assert [len(one) for one in answer.arrays] == [30, 30]
    assert "is in s, and that of the first file is in m" in answer.content["failed"][0]["error"]


def test_wrong_requests_are_explained(client: Client) -> None:
    for part, words in (
        ({"x": ""}, "three axes"),
        ({"y": "hypot(x, y)", "z": "q"}, "no column"),
        ({"colour": "x >"}, "z, pz, id\n"),
        ({"count": 10**12}, "not a whole number from 1"),
        ({"count": float("nan")}, "not a whole number from 1"),
        ({"count": -1}, "not a whole number from 1"),
        ({"where": "x > > 1"}, "a value is expected"),
        ({"sources": []}, "no file is chosen"),
    ):
        assert words in client.last("points", **{**ASKED, **part}).content["error"] + "\n"


def test_points_without_a_place_are_left_out(serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "odd.h5") as out:
        for number, values in enumerate(([1.0, np.nan, np.inf, 2.0, 1e306], [np.nan] * 5, [3.0] * 5)):
            with out.step(number) as step:
                step.put("x", np.array(values))
        with out.step(3) as step:
            step.put("x", np.empty(0))
    client = serve(tmp_path / "odd.h5")
    asked = {"x": "x", "y": "x", "z": "x", "colour": "x"}
    for number, drawn in enumerate((2, 0, 5, 0)):
        answer = client.last("points", **asked, sources=[{"file": 0, "step": number}])
        assert answer.arrays[0].shape == (drawn, 4)
        assert np.isfinite(answer.arrays[0]).all()
        assert answer.content["panels"][0]["drawable"] == drawn
    assert client.last("points", **asked, where="x > 9", sources=[{"file": 0, "step": 2}]).arrays[0].size == 0
