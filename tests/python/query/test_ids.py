"""Ids in indexes: each is found in its row, whatever the order of the rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.query.indexed import forged, lists_preferred, small_blocks, write
from tests.python.support.files import path_for, step_formats

import quire
from quire.io import id_map, permutation
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
    "far apart": ("permutation", (SCATTERED - 100) * 10**12),
    "beyond 2^53": ("permutation", 2**62 + 3 * SCATTERED),
    "at both ends": ("permutation", np.where(SCATTERED % 2, -(2**63) + SCATTERED, 2**63 - 1 - SCATTERED)),
    "beyond 2^63": ("permutation", np.uint64(2**64 - 1) - (7 * SCATTERED).astype("u8")),
    "of many processes": ("permutation", (SCATTERED % 7 << 40) + SCATTERED),
    "equal": ("permutation", SCATTERED // 2),
    "all equal": ("permutation", np.full(ROWS, -7)),
    "floats, ascending": ("sorted", np.arange(ROWS) * 0.5 - 100),
    "floats, scattered": ("permutation", SCATTERED - 100.0),
    "small floats": ("permutation", (SCATTERED % 9999).astype("f4")),
    "one row": ("identity", np.array([2**60])),
    "one row of float": ("sorted", np.array([2.5])),
    "none": ("identity", np.empty(0, "i8")),
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
    some = ids[np.unique(np.array([5, 0, len(ids) - 1, 4096, 11]).clip(0, max(len(ids) - 1, 0)))[: len(ids)]]
    least, most = (int(ids.min()), int(ids.max())) if len(ids) else (0, 0)
    absent = [one for one in (most + 1, least - 1, 123_456_789_012) if -(2**63) < one < 2**63]
    listed = [*some.tolist(), *absent]
    with lists_preferred(), quire.open(path) as file:
        table = file[0].table
        expected = np.flatnonzero(np.isin(ids, some)).tolist()
        for condition in (
            "id in ({})".format(", ".join(str(one) for one in listed)),
            "x >= 0 and ({})".format(" or ".join(f"id == {one}" for one in listed)),
        ):
            matches = table.where(condition)
            assert matches.numbers().tolist() == expected
            assert matches.report.columns == (["id"] if len(ids) else [])
            assert table.where(condition).count() == len(expected)


WHOLE = [name for name, (_, ids) in ORDERS.items() if ids.dtype.kind != "f" or (ids % 1 == 0).all()]


@pytest.mark.parametrize("name", WHOLE)
def test_rows_of_ids_are_found(tmp_path: Path, name: str) -> None:
    _, ids = ORDERS[name]
    path = file_of(tmp_path, ids)
    whole = ids.astype("i8") if ids.dtype.kind == "f" else ids
    unique, first, counts = np.unique(whole, return_index=True, return_counts=True)
    wanted = RANDOM.permutation(len(unique))[:2000]
    kind = "u8" if whole.dtype.kind == "u" else "i8"
    absent = np.array([one for one in (3, 10**15 + 1, 2**62) if one not in whole], kind)
    asked = np.append(unique[wanted], absent)
    expected = np.append(first[wanted], np.full(len(absent), -1))
    quire.build_index(path, ids="id")
    with quire.open(path) as file:
        table = file[0].table
        if (counts[wanted] > 1).any():
            times = counts[wanted].max()
            with pytest.raises(quire.ConflictError, match=f"{times} rows have the id"):
                table.rows_of(asked)
            asked, expected = absent, np.full(len(absent), -1)
        assert table.rows_of(asked).tolist() == expected.tolist()
        assert table.rows_of([]).tolist() == []
        tracks = file.track(asked, columns=["x"])
        assert tracks.present[0].tolist() == (expected >= 0).tolist()
        assert tracks["x"][0][expected >= 0].tolist() == expected[expected >= 0].tolist()


@pytest.mark.parametrize("form", ["inverse", "permutation"])
def test_ids_are_found_without_their_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    ids = {"inverse": SCATTERED, "permutation": 10 * SCATTERED}[form]
    path = file_of(tmp_path, ids)
    assert quire.build_index(path, ids="id").ids == {"id": [form]}
    monkeypatch.setattr(quire.Table, "read", None)
    monkeypatch.setattr(quire.Table, "blocks", None)
    with quire.open(path) as file:
        assert file[0].table.rows_of(ids[[7, 3, 29_999]]).tolist() == [7, 3, 29_999]


def test_many_rows_that_may_have_ids_are_searched_in_the_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(tmp_path, SCATTERED // 2)
    quire.build_index(path, ids="id")
    monkeypatch.setattr(permutation, "MOST_PAIRS", 10)
    with quire.open(path) as file, pytest.raises(quire.ConflictError, match="2 rows"):
        file[0].table.rows_of(range(100))


def test_each_step_may_have_another_order(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    orders = [np.arange(ROWS), 10 * SCATTERED, SCATTERED, 10 * SCATTERED[::-1]]
    write(path, *({"x": np.arange(ROWS, dtype="f8"), "id": ids} for ids in orders[:2]))
    quire.build_index(path, ids="id")
    with quire.append(path) as out:
        for number, ids in enumerate(orders[2:], 2):
            with out.step(number) as step:
                step.put("x", np.arange(ROWS, dtype="f8"))
                step.put("id", ids)
    info = quire.build_index(path, ids="id", append=True)
    assert info.ids == {"id": ["identity", "permutation", "inverse"]}
    assert quire.index_faults(path) == []
    with quire.open(path) as file:
        tracks = file.track([70, 10, 4])
    for place, ids in enumerate(orders):
        present = tracks.present[place]
        assert present.tolist() == [one in ids for one in (70, 10, 4)]
        assert (
            ids[tracks["x"][place][present].astype(int)].tolist() == np.array([70, 10, 4])[present].tolist()
        )


def test_another_permutation_is_a_fault(tmp_path: Path) -> None:
    path = file_of(tmp_path, 10 * SCATTERED)
    place = Path(quire.build_index(path, ids="id").path)
    (tmp_path / "other").mkdir()
    changed = 10 * SCATTERED
    changed[[8, 9]] = changed[[9, 8]]
    other = file_of(tmp_path / "other", changed)
    content = Path(quire.build_index(other, ids="id").path).read_bytes()
    with forged(place) as (mine, records):
        ids = records[records["kind"] == IDS][0]
        begin, end = int(ids["offset"]), int(ids["offset"] + ids["length"])
        mine[begin:end] = content[begin:end]
        head = permutation.head_bytes(ROWS)
        ids["digest"] = np.void(digest(bytes(mine[begin : begin + head])))
        records[records["kind"] == IDS] = ids
    assert quire.index_faults(path) == ['step 0: column "id" has other ids than its index']


def test_few_ids_read_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(tmp_path, SCATTERED)
    quire.build_index(path, ids="id")
    monkeypatch.setattr("quire.io.tracks.blocks_with", None)
    with quire.open(path) as file:
        found = file.track([3, 29_999], columns=["x"])["x"]
    assert found.tolist() == [[int(np.flatnonzero(one == SCATTERED)[0]) for one in (3, 29_999)]]


@pytest.mark.parametrize("factor", [1, 10])
def test_damaged_maps_change_no_answer(tmp_path: Path, factor: int) -> None:
    ids = SCATTERED * factor
    path = file_of(tmp_path, ids)
    place = Path(quire.build_index(path, ids="id").path)
    content = place.read_bytes()
    warned = 0
    for position in range(0, len(content), len(content) // 100):
        changed = bytearray(content)
        changed[position] ^= 1 << position % 7
        place.write_bytes(bytes(changed))
        with warnings.catch_warnings(record=True) as caught, quire.open(path) as file:
            warnings.simplefilter("always")
            assert file.track(ids[:50], columns=["x"])["x"].tolist() == [list(range(50))]
        warned += len(caught)
    assert warned > 30


@pytest.mark.parametrize("factor", [1, 10])
def test_a_map_of_a_few_bytes_is_a_warning(tmp_path: Path, factor: int) -> None:
    scattered = SCATTERED * factor
    path = file_of(tmp_path, scattered)
    place = Path(quire.build_index(path, ids="id").path)
    with forged(place) as (content, records):
        ids = records[records["kind"] == IDS]
        ids["length"], ids["digest"] = 4, np.void(digest(bytes(content[int(ids["offset"][0]) :][:4])))
        records[records["kind"] == IDS] = ids
    with quire.open(path) as file, pytest.warns(quire.IndexWarning, match="truncated"):
        assert file.track(scattered[:50], columns=["x"])["x"].tolist() == [list(range(50))]


def test_only_numbers_of_8_bytes_are_ids(tmp_path: Path) -> None:
    path = file_of(tmp_path, np.arange(5, dtype="g"))
    with pytest.raises(quire.TypeMismatchError, match="numbers of up to 8 bytes"):
        quire.build_index(path, ids="id")
    with pytest.raises(quire.MissingError, match="id2"):
        quire.build_index(path, ids="id2")


@settings(max_examples=60)
@given(st.data())
def test_answers_are_those_of_the_scan(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    kind: Any = np.dtype(data.draw(st.sampled_from(["i8", "u8", "i4", "u1", "f8", "f4"])))
    limits = np.iinfo(kind if kind.kind in "iu" else "i4")
    near = st.integers(max(-20, int(limits.min)), 20)
    far = st.integers(int(limits.min), int(limits.max))
    special = st.sampled_from([np.nan, np.inf, -0.0, 0.5] if kind.kind == "f" else [0])
    listed = data.draw(
        st.lists(st.one_of(near, near, far, special), max_size=40, unique=data.draw(st.booleans()))
    )
    ids = np.array(sorted(listed) if data.draw(st.booleans()) else listed, kind)
    wanted = data.draw(st.lists(st.one_of(near, far, st.sampled_from(listed or [0])), min_size=1, max_size=5))
    texts = [
        f"id in ({', '.join(map(str, wanted))})",
        f"id >= {min(wanted)} and id <= {max(wanted)}",
        f"not (id == {wanted[0]})",
        f"id == {wanted[0]} or x == 3",
    ]
    path = file_of(tmp_path_factory.getbasetemp(), ids)
    pages = mock.patch.object(permutation, "PAGE_ROWS", 5)
    with small_blocks(), pages, lists_preferred(), warnings.catch_warnings():
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
