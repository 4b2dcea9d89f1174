"""Indexes of files: conditions have the same answers with them and without, whatever their state."""

from __future__ import annotations

import os
import shutil
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.query.indexed import columns, conditions, rows_of, small_blocks, write
from tests.python.support.files import path_for, step_formats

import quire
from quire.io import sidecar
from quire.io.origin import TICK, sidecar_path
from quire.io.sidecar import ColumnKey, SidecarWriter, Zones, zones_of
from quire.io.value_list import digest
from quire.toolkit import indexing


@settings(max_examples=40)
@given(st.data())
def test_answers_are_those_of_the_scan(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    values = data.draw(columns())
    path = path_for(tmp_path_factory.getbasetemp(), step_formats()[0], "indexed")
    write(path, values)
    quire.remove_index(path)
    texts = data.draw(st.lists(conditions(values), min_size=4, max_size=4))
    scanned = [rows_of(path, text) for text in texts]
    with small_blocks(), warnings.catch_warnings():
        warnings.simplefilter("error")
        quire.build_index(path)
        for text, expected in zip(texts, scanned, strict=True):
            assert rows_of(path, text) == expected, text
        assert quire.index_faults(path) == []


@pytest.fixture
def clustered(tmp_path: Path) -> Path:
    """Two steps of some blocks of rows in increasing order."""
    path = path_for(tmp_path, step_formats()[0])
    x = np.arange(5.0 * sidecar.BLOCK_ROWS + 7)
    write(path, {"x": x, "n": x.astype(np.int64)}, {"x": -x, "n": x.astype(np.int64)})
    return path


@pytest.mark.parametrize("format_name", step_formats())
def test_blocks_that_cannot_match_are_not_read(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    x = np.arange(5.0 * sidecar.BLOCK_ROWS + 7)
    write(path, {"x": x}, {"x": x[::-1]})
    info = quire.build_index(path)
    assert (info.steps, info.columns, info.rows) == (2, 2, 2 * len(x))
    for step, expected in ((0, [(0, 4096)]), (1, [(4 * 4096, 4096 + 7)])):
        with quire.open(path) as file:
            table = file[step].table
            assert table.candidates(quire.expression("x < 10"), (0, len(table))) == expected
            assert len(table.where("x < 10")) == 10


@pytest.mark.parametrize(
    ("condition", "read"), [("x >= 0", 0), ("x > 5 and n < 1e9", 4096), ("x + n > 1e9 or x < 17000", 4096)]
)
def test_blocks_that_must_match_are_not_read(clustered: Path, condition: str, read: int) -> None:
    quire.build_index(clustered)
    with quire.open(clustered) as file:
        table = file[0].table
        expected = np.flatnonzero(quire.expression(condition)(table.read())).tolist()
        found = table.where(condition)
        assert found.numbers().tolist() == expected
        assert found.report.rows_read == read
        assert found.count() == len(expected)
        assert found.report.rows_read == read
        assert found.read("x")["x"].tolist() == expected
        assert table.where(condition, slice(100, 20_000)).numbers().tolist() == [
            row for row in expected if 100 <= row < 20_000
        ]


def test_blocks_with_nan_may_not_match(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    x = np.arange(9.0 * sidecar.BLOCK_ROWS)
    x[5000] = np.nan
    write(path, {"x": x})
    quire.build_index(path)
    with quire.open(path) as file:
        found = file[0].table.where("x >= 0")
        assert found.count() == len(x) - 1
        assert found.report.rows_read == 2 * sidecar.BLOCK_ROWS


def test_the_index_says_what_it_contains(clustered: Path) -> None:
    info = quire.build_index(clustered)
    assert info == quire.index_info(clustered)
    assert (info.steps, info.columns, info.rows) == (2, 4, 2 * (5 * sidecar.BLOCK_ROWS + 7))
    assert info.bytes == os.path.getsize(info.path) < 4000
    assert quire.index_faults(clustered) == []
    assert quire.remove_index(clustered)
    assert not quire.remove_index(clustered)
    with pytest.raises(quire.MissingError, match="quire index makes one"):
        quire.index_info(clustered)


def test_limits_that_are_missing_are_a_fault(clustered: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = SidecarWriter.add

    def add_some(writer: SidecarWriter, key: ColumnKey, zones: Zones) -> None:
        if (key.step, key.column) != (0, "x"):
            add(writer, key, zones)

    monkeypatch.setattr(SidecarWriter, "add", add_some)
    quire.build_index(clustered)
    assert quire.index_faults(clustered) == ['step 0: column "x" has no limits in its index']


def test_limits_leave_out_nan_and_count_them() -> None:
    values = np.arange(3.0 * sidecar.BLOCK_ROWS)
    values[[0, 5000, 5001]] = np.nan
    values[2 * sidecar.BLOCK_ROWS :] = np.nan
    found = zones_of(values, "float64")
    assert found.lower[:2].tolist() == [1, 4096]
    assert found.upper[:2].tolist() == [4095, 8191]
    assert np.isnan([found.lower[2], found.upper[2]]).all()
    assert found.nans.tolist() == [1, 2, 4096]


def with_warning(path: Path, condition: str = "x < 10", step: int = 0) -> tuple[list[int] | str, list[str]]:
    """The rows of a step that satisfy a condition, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = rows_of(path, condition, step)
    return found, [str(one.message) for one in caught if one.category is quire.IndexWarning]


def test_an_index_of_a_file_that_was_changed_is_not_used(clustered: Path) -> None:
    quire.build_index(clustered)
    content = clustered.read_bytes()
    clustered.write_bytes(content.replace(np.float64(9).tobytes(), np.float64(11).tobytes(), 1))
    found, messages = with_warning(clustered)
    assert found == list(range(9))
    assert [message.split(": ")[2] for message in messages] == [
        "the file was changed after it; quire index makes a new one"
    ]
    assert quire.index_faults(clustered) == ["the file was changed after its index was made"]
    quire.build_index(clustered)
    assert with_warning(clustered) == (list(range(9)), [])


def test_an_index_is_not_used_after_an_open_file_was_changed(clustered: Path) -> None:
    quire.build_index(clustered)
    with quire.open(clustered) as file:
        table = file[0].table
        assert table.where("x < 10").numbers().tolist() == list(range(10))
        content = clustered.read_bytes()
        with clustered.open("r+b") as changed:
            changed.seek(content.index(np.float64(9).tobytes()))
            changed.write(np.float64(11).tobytes())
        with pytest.warns(quire.IndexWarning, match="the file was changed after it"):
            found = table.where("x < 12").numbers().tolist()
        assert found == [row for row, value in enumerate(table["x"][:]) if value < 12]
        assert table.where("x < 10").numbers().tolist() == list(range(9))


def test_an_index_of_a_file_that_grows_is_not_used(clustered: Path) -> None:
    quire.build_index(clustered)
    with quire.append(clustered) as out, out.step(7) as step:
        step.put("x", np.zeros(3)).put("n", np.zeros(3, np.int64))
    found, messages = with_warning(clustered, "x < 1", 2)
    assert (found, len(messages)) == ([0, 1, 2], 1)


def test_the_index_of_another_file_is_not_used(clustered: Path, tmp_path: Path) -> None:
    other = clustered.with_stem("other")
    write(
        other,
        {
            "x": np.full(5 * sidecar.BLOCK_ROWS + 7, 100.0),
            "n": np.zeros(5 * sidecar.BLOCK_ROWS + 7, np.int64),
        },
    )
    shutil.copy(quire.build_index(other).path, str(clustered) + ".qix")
    found, messages = with_warning(clustered)
    assert (found, len(messages)) == (list(range(10)), 1)


def other_file(path: Path) -> Path:
    """A file of the same size as `clustered`, in another folder, with its index; no x is below 10."""
    path.parent.mkdir()
    x = np.arange(5.0 * sidecar.BLOCK_ROWS + 7) + 10
    write(path, {"x": x, "n": x.astype(np.int64)}, {"x": x, "n": x.astype(np.int64)})
    quire.build_index(path)
    return path


def test_a_file_that_replaces_an_open_one_has_another_index(clustered: Path, tmp_path: Path) -> None:
    other = other_file(tmp_path / "folder" / clustered.name)
    with quire.open(clustered) as file:
        other.replace(clustered)
        Path(sidecar_path(other)).replace(sidecar_path(clustered))
        with pytest.warns(quire.IndexWarning, match="changed"):
            assert file[0].table.where("x < 10").numbers().tolist() == list(range(10))


def test_an_open_file_has_its_index_in_any_working_directory(
    clustered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = other_file(tmp_path / "folder" / clustered.name)
    time.sleep(2 * TICK / 1e9)
    monkeypatch.chdir(clustered.parent)
    with quire.open(clustered.name) as file:
        monkeypatch.chdir(other.parent)
        assert file[0].table.where("x < 10").numbers().tolist() == list(range(10))


def test_files_that_are_read_in_another_way_do_not_use_the_index(clustered: Path) -> None:
    quire.build_index(clustered)
    with quire.open(clustered, unconfirmed=True) as file:
        table = file[0].table
        assert table.candidates(quire.expression("x < 10"), (0, len(table))) == [(0, len(table))]


def test_damaged_indexes_change_no_answer(clustered: Path) -> None:
    place = Path(quire.build_index(clustered).path)
    content = place.read_bytes()
    damaged = [content[:length] for length in (*range(0, len(content), 211), len(content) - 1)]
    for position in range(0, len(content), 31):
        changed = bytearray(content)
        changed[position] ^= 1 << position % 7
        damaged.append(bytes(changed))
    for one in damaged:
        place.write_bytes(one)
        found, messages = with_warning(clustered)
        assert found == list(range(10))
        assert len(messages) <= 1
        if len(one) < len(content):
            assert messages or one == content[: len(one)]
        for examine in (quire.index_info, quire.index_faults):
            with suppress(quire.BadFileError):
                examine(clustered)
    place.write_bytes(content[:40])
    with pytest.raises(quire.BadFileError, match=r"truncated|damaged"):
        quire.index_info(clustered)


@pytest.mark.parametrize(
    "directory",
    [b"null", b"[" * 100_000, b'{"source": {"size": 0, "modified": 0, "options": {}}, "names": [], '
     b'"block_rows": 4096, "records": [0, -1], "records_digest": ""}'],
)  # fmt: skip
def test_strange_directories_are_damage(clustered: Path, directory: bytes) -> None:
    place = Path(sidecar_path(clustered))
    header = sidecar.HEADER.size
    fields = sidecar.MAGIC, sidecar.VERSION, header, header, len(directory), digest(directory), 0
    place.write_bytes(sidecar.HEADER.pack(*fields) + directory)
    found, messages = with_warning(clustered)
    assert found == list(range(10))
    assert len(messages) == 1
    with pytest.raises(quire.BadFileError):
        quire.index_info(clustered)


def test_a_pipe_is_no_index(clustered: Path) -> None:
    os.mkfifo(sidecar_path(clustered))
    found, messages = with_warning(clustered)
    assert found == list(range(10))
    assert len(messages) == 1


def test_a_directory_is_no_index(clustered: Path) -> None:
    Path(sidecar_path(clustered)).mkdir()
    found, messages = with_warning(clustered)
    assert found == list(range(10))
    reason = "the index is not used: Is a directory; quire index makes a new one"
    assert messages == [f"{sidecar_path(clustered)}: {reason}"]
    for examine in (quire.index_info, quire.index_faults):
        with pytest.raises(quire.InputOutputError, match="Is a directory") as raised:
            examine(clustered)
        assert raised.value.file == sidecar_path(clustered)
    with pytest.raises(IsADirectoryError) as refused:
        quire.build_index(clustered)
    assert refused.value.filename == sidecar_path(clustered)


def test_what_fails_leaves_the_old_index(clustered: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path(quire.build_index(clustered).path)
    content = place.read_bytes()

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sidecar.SidecarWriter, "finish", fail)
    with pytest.raises(KeyboardInterrupt):
        quire.build_index(clustered)
    assert place.read_bytes() == content
    assert sorted(one.name for one in clustered.parent.iterdir()) == sorted([clustered.name, place.name])


def test_a_file_that_changes_while_it_is_read_has_no_index(
    clustered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = indexing.zones_of_steps

    def changing(*arguments: Any) -> Any:
        yield from read(*arguments)
        os.utime(clustered)

    monkeypatch.setattr(indexing, "zones_of_steps", changing)
    with pytest.raises(quire.ConflictError, match="changed while its index was made"):
        quire.build_index(clustered)
    assert not Path(str(clustered) + ".qix").exists()


def test_names_of_files_are_those_of_open(clustered: Path) -> None:
    as_bytes: Any = os.fsencode(clustered)
    assert quire.build_index(as_bytes) == quire.index_info(str(clustered))
    assert quire.index_faults(as_bytes) == []
    assert quire.remove_index(as_bytes)
    nothing: Any = None
    for use in (quire.build_index, quire.index_info, quire.index_faults, quire.remove_index):
        with pytest.raises(quire.TypeMismatchError, match="path must be a string"):
            use(nothing)


def test_directories_have_no_index(tmp_path: Path) -> None:
    with pytest.raises(quire.Error):
        quire.build_index(tmp_path)
