"""Recovery of multifiles that are cut or damaged, or have missing files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import quire
from quire.toolkit.recover import recover

DATA = Path(__file__).resolve().parents[2] / "data" / "sion"


def damaged_copy(folder: Path, name: str, size: int | None = None, **changes: int) -> Path:
    """Copy all files of a vector; the first one is cut or has changed bytes: `at_OFFSET=byte`."""
    for file in DATA.glob(f"{name}*"):
        if file.suffix != ".json":
            shutil.copy(file, folder)
    path = folder / name
    data = bytearray(path.read_bytes()[:size])
    for at, byte in changes.items():
        data[int(at.removeprefix("at_"))] = byte
    path.write_bytes(data)
    return path


def contents(path: Path, **options: Any) -> dict[int, bytes]:
    """All streams of a file by the numbers of their tasks."""
    with quire.open(path, **options) as file:
        return {task: stream.readall() for task, stream in file[0].streams.items()}


def saved(path: Path) -> tuple[dict[int, bytes], list[str]]:
    """Recover a file that is refused. Return its streams and the messages about lost data."""
    with pytest.raises(quire.Error):
        quire.open(path)
    target = path.with_name("recovered.sion")
    result = recover(path, target, rows=True)
    assert result.damage is not None
    with quire.open(target) as file:
        assert file.check().damage is None
    return contents(target), result.lost


# The second metadata block of s03_serial_multi.sion begins at byte 2176; chunks have 128, 64 and 128 bytes.
def test_a_cut_after_the_data_loses_no_bytes(tmp_path: Path) -> None:
    whole = contents(DATA / "s03_serial_multi.sion")
    size = (DATA / "s03_serial_multi.sion").stat().st_size
    for left in (size - 1, size - 4, size - 5):
        path = damaged_copy(tmp_path, "s03_serial_multi.sion", left)
        if left >= size - 4:
            # The last number is not needed to read the streams.
            assert contents(path) == whole
            continue
        kept, lost = saved(path)
        assert kept[10] == whole[10]
        assert kept[42][: len(whole[42])] == whole[42]
        assert all("lost" not in text for text in lost), lost


@pytest.mark.parametrize("left", [1152 + 130, 1152 + 128, 1500, 2000, 2176])
def test_chunks_before_a_cut_are_kept_and_losses_are_reported_by_task(tmp_path: Path, left: int) -> None:
    name = "s03_serial_multi.sion"
    with quire.open(DATA / name) as file:
        chunks = {task: stream.chunks for task, stream in file[0].streams.items()}
        rooms = {task: stream.chunk_size for task, stream in file[0].streams.items()}
        whole = {task: stream.readall() for task, stream in file[0].streams.items()}
    path = damaged_copy(tmp_path, name, left)
    kept, lost = saved(path)
    for task, pieces in chunks.items():
        # Each chunk has its full size, because its length was lost with the metadata.
        done = read = 0
        for offset, length in pieces:
            there = max(0, min(length, left - offset))
            assert kept[task][done : done + there] == whole[task][read : read + there]
            done += max(0, min(rooms[task], left - offset))
            read += length
        assert [text for text in lost if text.startswith(f"task {task}: ")], lost
    if left < 2000:
        assert any("lost up to" in text for text in lost)


def test_streams_without_padding_lose_only_bytes_after_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "compact.sion"
    with quire.create(path, style="compact") as out, out.step(0) as step:
        for task, size in enumerate((100, 0, 300)):
            step.stream(task).write(bytes([task + 1]) * size)
    whole = contents(path)
    with quire.open(path) as file:
        [(offset, _)] = file[0].streams[2].chunks
    os.truncate(path, offset + 40)
    kept, lost = saved(path)
    assert kept == {0: whole[0], 1: b"", 2: whole[2][:40]}
    assert "task 2: lost up to 260 bytes" in lost


def test_records_before_a_cut_are_kept(tmp_path: Path) -> None:
    name = "k02_keyval.sion"
    path = damaged_copy(tmp_path, name, 1152 + 40)
    target = tmp_path / "recovered.sion"
    recover(path, target, rows=True)
    with quire.open(target) as file, quire.open(DATA / name) as before:
        stream = file[0].streams[0]
        assert [record.size for record in stream.records()] == [20]
        first = before[0].streams[0].records()[0]
        assert stream.value(1) == before[0].streams[0].read_at(first.offset, first.size)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("p03_three.sion", {"at_1124": 0, "at_1125": 0}),  # the number of blocks
        ("s03_serial_multi.sion", {"at_1128": 1}),  # where the second block is
        ("s03_serial_multi.sion", {"at_2176": 99}),  # the number of chunks of a task
        ("s03_serial_multi.sion", {"at_2200": 200}),  # the bytes of a chunk
    ],
)
def test_damaged_numbers_lose_no_bytes(tmp_path: Path, name: str, change: dict[str, int]) -> None:
    whole = contents(DATA / name)
    path = damaged_copy(tmp_path, name, **change)
    kept, _ = saved(path)
    assert kept.keys() == whole.keys()
    for task, data in whole.items():
        assert len(kept[task]) >= len(data)
        assert kept[task][:60] == data[:60]


@pytest.mark.parametrize("in_place", [False, True])
def test_the_other_files_of_a_set_are_kept_whole(tmp_path: Path, in_place: bool) -> None:
    name = "m05_mapped.sion"
    whole = contents(DATA / name)
    path = damaged_copy(tmp_path, name)
    (tmp_path / f"{name}.000001").unlink()
    with pytest.raises(quire.MissingError, match="000001 is missing"):
        quire.open(path)
    with quire.open(path, tolerant=True) as file:
        report = file.check()
        assert report.salvageable
        assert isinstance(report.damage, quire.MissingError)
        with pytest.raises(quire.MissingError):
            file[0]
    target = None if in_place else tmp_path / "saved.sion"
    result = recover(path, target, rows=True)
    assert "all streams of m05_mapped.sion.000001 are lost: tasks 1, 3, 4" in result.lost
    assert contents(target or path) == {task: whole[task] for task in (0, 2)}


def test_a_damaged_file_of_a_set_leaves_the_others_alone(tmp_path: Path) -> None:
    name = "m05_mapped.sion"
    whole = contents(DATA / name)
    path = damaged_copy(tmp_path, name)
    os.truncate(tmp_path / f"{name}.000001", 1536)  # before its second metadata block
    kept, lost = saved(path)
    for task in (0, 2):
        assert kept[task] == whole[task]
    assert {text.split(":")[0] for text in lost if "task" in text} == {"task 1", "task 3", "task 4"}
    os.truncate(tmp_path / f"{name}.000001", 100)
    (tmp_path / "recovered.sion").unlink()
    for file in tmp_path.glob("recovered*"):
        file.unlink()
    kept, lost = saved(path)
    assert kept == {task: whole[task] for task in (0, 2)}
    assert "all streams of m05_mapped.sion.000001 are lost: tasks 1, 3, 4" in lost


def test_a_set_without_its_table_of_all_tasks_is_kept(tmp_path: Path) -> None:
    name = "m05_mapped.sion"
    whole = contents(DATA / name)
    path = damaged_copy(tmp_path, name, (DATA / name).stat().st_size - 1)
    kept, _ = saved(path)
    assert kept == whole


@pytest.mark.parametrize("suffix", ["", ".000001"])
def test_copies_replace_damaged_files(tmp_path: Path, suffix: str) -> None:
    name = "b04_buddy.sion"
    whole = contents(DATA / name)
    path = damaged_copy(tmp_path, name)
    os.truncate(tmp_path / f"{name}{suffix}", 1120)
    with pytest.raises(quire.BadFileError):
        quire.open(path)
    assert contents(path, buddy=True) == whole


@pytest.mark.parametrize("lost", [1, 8, 20, 0])
def test_copies_replace_a_file_without_its_table_of_all_tasks(tmp_path: Path, lost: int) -> None:
    name = "b04_buddy.sion"
    whole = contents(DATA / name)
    path = damaged_copy(tmp_path, name)
    data = bytearray(path.read_bytes())
    entries = len(data) - 8 * len(whole) - 4
    assert int.from_bytes(data[entries : entries + 4], "little") == len(whole)
    if lost == 0:
        data[entries : entries + 4] = b"\xff" * 4
    path.write_bytes(data[: len(data) - lost])
    with pytest.raises(quire.BadFileError, match=r"table of all tasks|too early"):
        quire.open(path)
    assert contents(path, buddy=True) == whole
    Path(f"{path}_BUDDY_00").unlink()
    with pytest.raises(quire.BadFileError, match=r"table of all tasks|too early"):
        quire.open(path, buddy=True)


@pytest.mark.parametrize("suffix", ["", ".000001"])
def test_the_next_copy_is_used_if_one_is_damaged(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "copied.sion"
    with quire.create(path, files=3, copies=2, block_size=64) as out, out.step(0) as step:
        for task in range(6):
            step.stream(task).write(bytes([task + 1]) * 70)
    whole = contents(path)
    size = Path(f"{path}{suffix}").stat().st_size
    os.truncate(f"{path}{suffix}", 1000)
    os.truncate(f"{path}_BUDDY_00{suffix}", 1000)
    with quire.open(path, buddy=True) as file:
        assert [text.split(" ")[0] for text in file.warnings] == [f"copied.sion_BUDDY_01{suffix}"]
        assert {task: stream.readall() for task, stream in file[0].streams.items()} == whole
    # Without a whole copy the damage of the file itself is reported.
    os.truncate(f"{path}_BUDDY_01{suffix}", size - 1000)
    os.truncate(f"{path}{suffix}", 1001)
    with pytest.raises(quire.BadFileError, match="1001 bytes"):
        quire.open(path, buddy=True)


def test_a_file_that_ends_before_the_offset_of_its_sizes_was_not_closed(tmp_path: Path) -> None:
    # Its writer died after the chunk sizes of 2 tasks, before the last two fields.
    path = damaged_copy(tmp_path, "x05_notclosed.sion", 1076 + 2 * 16)
    with pytest.raises(quire.BadFileError, match="not closed"), quire.open(path) as file:
        file[0]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(quire.BadFileError, match="2 tasks, for which the file is too short"):
        quire.open(path)


def test_bytes_of_an_older_and_longer_file_after_the_end_are_ignored(tmp_path: Path) -> None:
    old, new = tmp_path / "old.sion", tmp_path / "new.sion"
    for path, size in ((old, 500), (new, 20)):
        with quire.create(path, mode="merge", style="compact", stored_name="x") as out, out.step(0) as step:
            for task in range(3):
                step.stream(task).write_together(bytes([task]) * size)
    stale = old.read_bytes()
    for name in ("c04_merge.sion", "m05_mapped.sion"):
        path = damaged_copy(tmp_path, name)
        data = path.read_bytes()
        path.write_bytes(data + stale[len(data) :] if len(data) < len(stale) else data + stale)
        assert contents(path) == contents(DATA / name)


def test_files_of_the_oldest_version_have_the_numbers_of_their_names(tmp_path: Path) -> None:
    """Version 2 has no file number and no modes, and chunk sizes are rounded up by the reader."""
    path = tmp_path / "v2.sion"
    whole = contents(DATA / "m05_mapped.sion")
    for name in ("m05_mapped.sion", "m05_mapped.sion.000001"):
        data = (DATA / name).read_bytes()
        old = bytearray(data[:32] + data[52:1152])
        old[16:20] = (2).to_bytes(4, "little")
        old += bytes(1152 - len(old)) + data[1152:]
        path.with_name(name.replace("m05_mapped", "v2")).write_bytes(old)
    assert contents(path) == whole
    with quire.open(path.with_name("v2.sion.000001")) as file:
        assert file[0].streams.ranks == [1, 3, 4]


def merged(path: Path, **options: Any) -> dict[int, bytes]:
    """Write a merged file with origins. Return the bytes of each task."""
    wanted = {task: b"%d" % task * (task + 3) for task in range(4)}
    with quire.create(path, mode="merge", origins="kept", **options) as out, out.step(0) as step:
        for task, text in wanted.items():
            step.stream(rank=task, chunk_size=20).write_together(text)
    assert contents(path) == wanted
    return wanted


@pytest.mark.parametrize("options", [{}, {"byte_order": "big"}, {"style": "compact", "collsize": 4}], ids=str)
def test_a_merged_file_without_its_origins_is_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "merged.sion"
    wanted = merged(path, **options)
    data = path.read_bytes()
    length = int.from_bytes(data[-24:-16], "little") + 24
    for left in (1, 8, 24, length - 1, length):
        path.write_bytes(data[:-left])
        with pytest.raises(quire.Error, match="origins of merged streams are missing"):
            quire.open(path)
        as_stored = contents(path, merged=True)
        assert as_stored == {0: b"".join(wanted.values()), 1: b"", 2: b"", 3: b""}
        with quire.open(path, merged=True) as file:
            assert any("the origins of merged streams are lost" in text for text in file.warnings)
        kept, lost = saved(path)
        assert kept == as_stored
        assert any("the origins of merged streams are lost" in text for text in lost)
        path.with_name("recovered.sion").unlink()
    # A byte after the end, and changed bytes of the origins.
    for damaged in (data + b"x", data[:-30] + b"x" + data[-29:], data[:-1] + b"x"):
        path.write_bytes(damaged)
        with pytest.raises(quire.Error, match="the origins of merged streams are"):
            quire.open(path)


@pytest.mark.parametrize("number", [0, 1])
def test_a_set_with_lost_origins_in_one_file_is_refused(tmp_path: Path, number: int) -> None:
    merged(tmp_path / "set.sion", files=2)
    path = tmp_path / ("set.sion.000001" if number else "set.sion")
    path.write_bytes(path.read_bytes()[:-1])
    for name in {"set.sion", path.name}:
        with pytest.raises(quire.Error, match="origins of merged streams are missing"):
            quire.open(tmp_path / name)
