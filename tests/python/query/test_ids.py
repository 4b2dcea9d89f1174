"""Ids in indexes: each is found in its row, whatever the order of the rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.query.indexed import forged, lists_preferred, small_blocks, write
from tests.python.support.files import path_for, step_formats

import quire
from quire.io import id_map
from quire.io.sidecar import IDS
from quire.io.value_list import digest

ROWS = 30_000
RANDOM = np.random.default_rng(1)
SCATTERED = RANDOM.permutation(ROWS)
ORDERS: dict[str, tuple[str, Any]] = {
    "consecutive": ("identity", np.arange(7, ROWS + 7)),
    "consecutive from below 0": ("identity", np.arange(-100, ROWS - 100).astype("i4")),
    "consecutive up to the last one": ("identity", np.arange(ROWS, dtype="u8") + np.uint64(2**64 - ROWS)),
    "ascending": ("sorted", np.cumsum(RANDOM.integers(1, 9, ROWS))),
    "ascending, beyond 2^53": ("sorted", 2**60 + 5 * np.arange(ROWS)),
    "scattered": ("inverse", SCATTERED.astype("u4")),
    "scattered, with gaps": ("inverse", 2 * SCATTERED - 50),
    "far apart": ("list", (SCATTERED - 100) * 10**12),
    "equal": ("list", SCATTERED // 2),
}


def file_of(folder: Path, ids: Any) -> Path:
    """A file of particles with these ids."""
    path = path_for(folder, step_formats()[0])
    write(path, {"x": np.arange(len(ids), dtype="f8"), "id": ids})
    return path


@pytest.mark.parametrize("name", ORDERS)
def test_each_id_is_in_its_row(tmp_path: Path, name: str) -> None:
    form, ids = ORDERS[name]
    path = file_of(tmp_path, ids)
    info = quire.build_index(path, ids="id")
    assert info.ids == {"id": [form]}
    assert quire.index_faults(path) == []
    rows = np.array([5, 0, len(ids) - 1, 4096, 11])
    others = [int(ids.max()) + 1, int(ids.min()) - 1]
    absent = [one for one in others if -(2**63) <= one < 2**63]
    with lists_preferred(), quire.open(path) as file:
        table = file[0].table
        condition = "id in ({})".format(", ".join(str(one) for one in [*ids[rows].tolist(), *absent]))
        expected = np.flatnonzero(np.isin(ids, ids[rows]))
        matches = table.where(condition)
        assert matches.numbers().tolist() == expected.tolist()
        assert matches.report.columns == ["id"]
        assert matches.count() == len(expected)
        assert len(table.where(f"id == {int(ids[77])} and x >= 0")) == len(np.flatnonzero(ids == ids[77]))
        if name != "equal":
            tracks = file.track(np.append(ids[rows], np.array(absent[:1], ids.dtype)), columns=["x"])
            assert tracks["x"][0, : len(rows)].tolist() == rows.tolist()
            assert not tracks.present[0, len(rows) :].any()
        else:
            with pytest.raises(quire.ConflictError, match="2 rows"):
                file.track([3])


def test_few_ids_read_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(tmp_path, SCATTERED)
    quire.build_index(path, ids="id")
    monkeypatch.setattr("quire.io.tracks.blocks_with", None)
    with quire.open(path) as file:
        found = file.track([3, 29_999], columns=["x"])["x"]
    assert found.tolist() == [[int(np.flatnonzero(one == SCATTERED)[0]) for one in (3, 29_999)]]


def test_damaged_maps_change_no_answer(tmp_path: Path) -> None:
    path = file_of(tmp_path, SCATTERED)
    place = Path(quire.build_index(path, ids="id").path)
    content = place.read_bytes()
    warned = 0
    for position in range(0, len(content), len(content) // 100):
        changed = bytearray(content)
        changed[position] ^= 1 << position % 7
        place.write_bytes(bytes(changed))
        with warnings.catch_warnings(record=True) as caught, quire.open(path) as file:
            warnings.simplefilter("always")
            assert file.track(SCATTERED[:50], columns=["x"])["x"].tolist() == [list(range(50))]
        warned += len(caught)
    assert warned > 30


def test_a_map_of_a_few_bytes_is_a_warning(tmp_path: Path) -> None:
    path = file_of(tmp_path, SCATTERED)
    place = Path(quire.build_index(path, ids="id").path)
    with forged(place) as (content, records):
        ids = records[records["kind"] == IDS]
        ids["length"], ids["digest"] = 4, np.void(digest(bytes(content[int(ids["offset"][0]) :][:4])))
        records[records["kind"] == IDS] = ids
    with quire.open(path) as file, pytest.warns(quire.IndexWarning, match="truncated"):
        assert file.track(SCATTERED[:50], columns=["x"])["x"].tolist() == [list(range(50))]


def test_only_integers_are_ids(tmp_path: Path) -> None:
    path = file_of(tmp_path, np.arange(5))
    with pytest.raises(quire.TypeMismatchError, match="ids are integers"):
        quire.build_index(path, ids="x")
    with pytest.raises(quire.MissingError, match="id2"):
        quire.build_index(path, ids="id2")


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_answers_are_those_of_the_scan(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    kind: Any = np.dtype(data.draw(st.sampled_from(["i8", "u8", "i4", "u1"])))
    limits = np.iinfo(kind)
    near = st.integers(max(-20, int(limits.min)), 20)
    far = st.integers(int(limits.min), int(limits.max))
    listed = data.draw(st.lists(st.one_of(near, near, far), max_size=40, unique=data.draw(st.booleans())))
    ids = np.array(sorted(listed) if data.draw(st.booleans()) else listed, kind)
    wanted = data.draw(st.lists(st.one_of(near, far, st.sampled_from(listed or [0])), min_size=1, max_size=5))
    texts = [
        f"id in ({', '.join(map(str, wanted))})",
        f"id >= {min(wanted)} and id <= {max(wanted)}",
        f"not (id == {wanted[0]})",
        f"id == {wanted[0]} or x == 3",
    ]
    path = file_of(tmp_path_factory.getbasetemp(), ids)
    with small_blocks(), lists_preferred(), warnings.catch_warnings():
        warnings.simplefilter("error")
        quire.build_index(path, columns=["x"], ids="id")
        assert quire.index_faults(path) == []
        x = np.arange(len(ids), dtype="f8")
        for text in texts:
            expected = quire.expression(text)(id=ids, x=x).nonzero()[0].tolist()
            with quire.open(path) as file:
                assert file[0].table.where(text).numbers().tolist() == expected
                assert file[0].table.where(text).count() == len(expected)


def test_an_inverse_is_made_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(tmp_path, SCATTERED)
    whole = Path(quire.build_index(path, ids="id").path).read_bytes()
    monkeypatch.setattr(id_map, "WINDOW_IDS", 4 * id_map.PAGE_IDS)
    assert Path(quire.build_index(path, ids="id").path).read_bytes() == whole
