"""Plots of one step read its columns once, while there is room for them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.conftest import FIRST, NUMBERS, ROWS, Client, Serve, write_bunch

import quire
from quire.io.table import Table
from quire.viewer import along, shared_columns
from quire.viewer.asked import Asked
from quire.viewer.jobs import Job, Stopped
from quire.viewer.library import Library
from quire.viewer.shared_columns import SharedColumns

Array = np.ndarray[Any, Any]
PLOTS: list[tuple[str, dict[str, Any]]] = [
    ("distribution", {"x": "x", "y": "px", "bins": [20, 20]}),
    ("distribution", {"x": "hypot(x, y)", "bins": [20]}),
    ("quantities", {}),
    ("points", {"x": "x", "y": "y", "z": "z"}),
    ("distribution", {"x": "pz", "bins": [20], "where": "x > 0"}),
    ("quantities", {"where": "x > 0"}),
    ("along", {"ys": ["sigma_x"]}),
]


@pytest.fixture(name="read")
def fixture_read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many values of each column are read from the file in blocks."""
    counts: Counter[str] = Counter()
    fetch = Table._fetch

    def counting(table: Table, targets: Mapping[str, Array], first: int, count: int) -> None:
        counts.update(dict.fromkeys(targets, count))
        fetch(table, targets, first, count)

    monkeypatch.setattr(Table, "_fetch", counting)
    return counts


def asked(client: Client) -> list[Any]:
    """Return what all plots of the first step answer."""
    found = [client.last(name, sources=FIRST, **body) for name, body in PLOTS]
    return [[one.content, [array.tolist() for array in one.arrays]] for one in found]


def test_plots_of_a_step_read_each_column_once(
    serve: Serve, tmp_path: Path, read: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bunch = write_bunch(tmp_path / "bunch.h5", numbers=(0,))
    shared = asked(serve(bunch))
    few = 10  # rows of which units and types are taken
    assert all(ROWS <= read[name] <= ROWS + few for name in ("x", "px", "y", "py", "z", "pz")), read
    monkeypatch.setattr(shared_columns, "MOST_BYTES", 0)
    read.clear()
    assert asked(serve(bunch)) == shared
    assert read["x"] > 9 * ROWS


def test_a_file_that_was_changed_is_read_again(client: Client, bunch: Path) -> None:
    before = asked(client)
    write_bunch(bunch, seed=5)
    after = asked(client)
    assert all(one != other for one, other in zip(before, after, strict=True))
    with quire.open(bunch) as file:
        x = file.step(0).table["x"].read()
    assert after[0][0]["panels"][0]["means"][0] == pytest.approx(x.mean())


def test_a_job_that_reads_a_replaced_file_leaves_nothing_to_the_new_one(
    bunch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(along, "SENT_EVERY", -1.0)
    library = Library([str(bunch)])
    request = Asked({"ys": ["sigma_x", "mean_x"], "sources": FIRST})
    frames = along.along(library, request, Job())
    next(frames)
    write_bunch(bunch.with_name("next.h5"), seed=5).replace(bunch)
    with library.sources[0].opened():  # notices that the file was replaced
        list(frames)
    *_, found = along.along(library, request, Job())
    *_, expected = along.along(Library([str(bunch)]), request, Job())
    np.testing.assert_array_equal(found.arrays[0], expected.arrays[0])


def test_large_steps_and_few_rows_are_not_kept(
    serve: Serve, bunch: Path, read: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(bunch)
    client.last("rows", sources=FIRST)
    assert 0 < read["x"] < 200
    monkeypatch.setattr(shared_columns, "MOST_BYTES", 8 * ROWS)
    client = serve(bunch)
    read.clear()
    for _ in range(2):
        client.last("distribution", sources=FIRST, x="x", bins=[20], weight="id")
        client.last("distribution", sources=FIRST, x="x", bins=[21])
    assert read["x"] >= 4 * ROWS


def test_text_is_not_kept(serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "text.h5") as out, out.step(0) as step:
        step.put("x", np.arange(3.0))
        step.put("name", np.array(["a", "b", "c"]))
    client = serve(tmp_path / "text.h5")
    for _ in range(2):
        assert client.last("rows", sources=FIRST).content["rows"][2] == ["2", "c"]
        assert client.last("rows", sources=FIRST, where='name == "b"').content["rows"] == [["1", "b"]]


def column(names: Sequence[str]) -> dict[str, Array]:
    return {name: np.arange(4.0) for name in names}


def nothing() -> None:
    """The check of a job that goes on."""


def test_the_columns_used_last_are_kept() -> None:
    shared = SharedColumns(most=3 * 32)
    for name in "abc":
        shared.found("place", [name], column, nothing)
    shared.found("place", ["a"], column, nothing)
    shared.found("place", ["d"], column, nothing)
    assert [name for name in "abcd" if shared.has("place", [name])] == ["a", "c", "d"]
    assert not shared.has("other", ["a"])


def test_one_thread_reads_and_the_others_wait() -> None:
    shared, begun, go = SharedColumns(), threading.Event(), threading.Event()
    reads: list[list[str]] = []
    results: list[dict[str, Array]] = []

    def slowly(names: Sequence[str]) -> dict[str, Array]:
        reads.append(list(names))
        begun.set()
        assert go.wait(10)
        return column(names)

    def ask(*names: str) -> None:
        results.append(shared.found("place", names, slowly, nothing))

    first = threading.Thread(target=ask, args=("x", "y"))
    first.start()
    assert begun.wait(10)
    second = threading.Thread(target=ask, args=("y", "x"))
    second.start()
    go.set()
    first.join(10)
    second.join(10)
    assert reads == [["x", "y"]]
    assert all(results[0][name] is results[1][name] for name in "xy")
    assert not results[0]["x"].flags.writeable


@pytest.mark.parametrize("problem", [Stopped(), OSError("gone")])
def test_the_columns_of_a_reader_that_ends_are_read_by_another(problem: Exception) -> None:
    shared, begun, go = SharedColumns(), threading.Event(), threading.Event()
    raised: list[BaseException] = []

    def ending(names: Sequence[str]) -> dict[str, Array]:
        begun.set()
        assert go.wait(10)
        raise problem

    def ask() -> None:
        try:
            shared.found("place", ["x"], ending, nothing)
        except Exception as found:
            raised.append(found)

    first = threading.Thread(target=ask)
    first.start()
    assert begun.wait(10)
    checked: list[int] = []

    def check() -> None:
        checked.append(1)
        go.set()

    assert shared.found("place", ["x"], column, check)["x"].tolist() == [0, 1, 2, 3]
    first.join(10)
    assert raised == [problem]
    assert checked


def test_one_that_waits_ends_with_its_own_job() -> None:
    shared, begun, go = SharedColumns(), threading.Event(), threading.Event()

    def slowly(names: Sequence[str]) -> dict[str, Array]:
        begun.set()
        assert go.wait(10)
        return column(names)

    def stopped() -> None:
        raise Stopped

    first = threading.Thread(target=shared.found, args=("place", ["x"], slowly, nothing))
    first.start()
    assert begun.wait(10)
    with pytest.raises(Stopped):
        shared.found("place", ["x"], column, stopped)
    go.set()
    first.join(10)
    assert shared.has("place", ["x"])


def test_steps_are_not_mixed(client: Client, bunch: Path) -> None:
    for number in NUMBERS:
        answer = client.last("distribution", x="x", bins=[5], sources=[{"file": 0, "step": number}])
        with quire.open(bunch) as file:
            x = file.step(number).table["x"].read()
        assert answer.content["panels"][0]["means"][0] == pytest.approx(x.mean())
