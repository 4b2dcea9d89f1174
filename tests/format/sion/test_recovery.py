"""Multifiles whose writers died, or with missing files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import quire
from quire.toolkit.recover import recover

DATA = Path(__file__).resolve().parents[2] / "data" / "sion"
PIECES = {0: [b"a" * 100, b"b" * 60], 1: [], 5: [b"c" * 30, b"d" * 30, b"\0" * 64]}


def die_writing(path: Path, keyed: bool, **options: Any) -> None:
    """Another process opens a step, writes all pieces, and ends before the commit."""
    program = f"""
import os, quire
out = quire.create({str(path)!r}, format="sion", keys={keyed}, block_size=64, **{options!r})
step = out.step(0)
pieces = {PIECES!r}
streams = {{task: step.stream(task, 64 if {keyed} else 128) for task in pieces}}
step.open()
for task, parts in pieces.items():
    for key, part in enumerate(parts):
        streams[task].write_record(key, part) if {keyed} else streams[task].write(part)
os._exit(7)
"""
    run = subprocess.run([sys.executable, "-c", program], timeout=60, check=False)
    assert run.returncode == 7


@pytest.mark.parametrize("options", [{}, {"stored_name": "other"}], ids=["one", "named"])
def test_pieces_that_were_written_survive_their_writer(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "dead.sion"
    die_writing(path, False, **options)
    assert (tmp_path / "dead.sion.notes").exists()
    with quire.open(path) as file:
        report = file.check()
        assert report.damage is not None
        assert "not closed" in report.damage.message
        assert report.salvageable
        with pytest.raises(quire.BadFileError, match="not closed"):
            file[0]
    with pytest.raises(quire.MissingError):
        recover(path, tmp_path / "none.sion")
    saved = tmp_path / "saved.sion"
    recover(path, saved, rows=True)
    with quire.open(saved) as file:
        assert file.check().damage is None
        assert file.layout["stored name"] == str(saved)
        for task, stream in file[0].streams.items():
            assert stream.readall() == b"".join(PIECES[task])


def die_writing_a_set(path: Path, files: int) -> None:
    """The same as die_writing() with five tasks in several files."""
    program = f"""
import os, quire
out = quire.create({str(path)!r}, files={files}, block_size=64)
step = out.step(0)
streams = [step.stream(task, 128) for task in range(5)]
step.open()
for task, stream in enumerate(streams):
    for size in (100, 50 * task % 128, 28):
        stream.write(bytes([task + 1]) * size)
os._exit(7)
"""
    run = subprocess.run([sys.executable, "-c", program], timeout=60, check=False)
    assert run.returncode == 7


def test_a_set_survives_with_all_its_files(tmp_path: Path) -> None:
    path = tmp_path / "dead.sion"
    die_writing_a_set(path, 2)
    recover(path, tmp_path / "saved.sion", rows=True)
    with quire.open(tmp_path / "saved.sion") as file:
        found = {task: stream.readall() for task, stream in file[0].streams.items()}
        assert list(file[0].table["file"].read()) == [0, 0, 1, 1, 1]
    assert found == {task: bytes([task + 1]) * (128 + 50 * task % 128) for task in range(5)}
    recover(path, rows=True)
    with quire.open(path) as file:
        assert found == {task: stream.readall() for task, stream in file[0].streams.items()}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "dead.sion",
        "dead.sion.000001",
        "saved.sion",
        "saved.sion.000001",
    ]
    os.truncate(path, 1000)
    with pytest.raises(quire.Error):
        recover(path, tmp_path / "none.sion", rows=True)


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("notes", [False, True])
def test_a_set_whose_last_file_was_closed_before_the_kill_is_kept(
    tmp_path: Path, tolerant: bool, notes: bool
) -> None:
    """The first file is closed last: only its sizes are missing."""
    dead = tmp_path / "dead.sion"
    die_writing_a_set(dead, 2)
    kept_notes = Path(f"{dead}.notes").read_bytes()
    with quire.create(dead, files=2, block_size=64) as out, out.step(0) as step:
        for task in range(5):
            stream = step.stream(task, 128)
            for size in (100, 50 * task % 128, 28):
                stream.write(bytes([task + 1]) * size)
    with quire.open(dead) as file:
        whole = {task: stream.readall() for task, stream in file[0].streams.items()}
    if notes:
        Path(f"{dead}.notes").write_bytes(kept_notes)
    data = bytearray(dead.read_bytes())
    assert data[1112:1120] != bytes(8)
    data[1112:1120] = bytes(8)
    dead.write_bytes(data)
    with quire.open(dead, tolerant=tolerant) as opened:
        step_found = opened.salvage(0)
        assert step_found is not None
        found = {task: stream.readall() for task, stream in step_found.streams.items()}
        assert list(step_found.table["bytes"].read()) == [len(found[task]) for task in range(5)]
    assert {task: found[task] for task in (2, 3, 4)} == {task: whole[task] for task in (2, 3, 4)}
    assert found.keys() == whole.keys()
    if notes:
        assert found == whole
    recover(dead, tmp_path / "saved.sion", rows=True)
    with quire.open(tmp_path / "saved.sion") as file:
        assert {task: stream.readall() for task, stream in file[0].streams.items()} == found


@pytest.mark.parametrize(("missing", "left"), [(2, [0, 1]), (1, [0])])
def test_the_remaining_files_of_a_set_are_kept(tmp_path: Path, missing: int, left: list[int]) -> None:
    path = tmp_path / "dead.sion"
    die_writing_a_set(path, 3)
    (tmp_path / f"dead.sion.00000{missing}").unlink()
    recover(path, tmp_path / "saved.sion", rows=True)
    with quire.open(tmp_path / "saved.sion") as file:
        assert file[0].streams.ranks == left
        assert len(file.members) == (len(left) if len(left) > 1 else 0)


@pytest.mark.parametrize("notes", [True, False])
def test_records_survive_also_without_notes(tmp_path: Path, notes: bool) -> None:
    path = tmp_path / "dead.sion"
    die_writing(path, True, notes=notes)
    assert (tmp_path / "dead.sion.notes").exists() == notes
    recover(path, tmp_path / "saved.sion", rows=True)
    with quire.open(tmp_path / "saved.sion") as file:
        for task, pieces in PIECES.items():
            stream = file[0].streams[task]
            assert [stream.value(key) for key in stream.keys()] == pieces  # noqa: SIM118


def test_notes_are_removed_with_a_complete_file_and_belong_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "dead.sion"
    die_writing(path, False)
    notes = (tmp_path / "dead.sion.notes").read_bytes()
    with quire.create(path, block_size=64) as out, out.step(0) as step:
        stream = step.stream(0, 64)
        step.open()
        stream.write(b"x")
        assert (tmp_path / "dead.sion.notes").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["dead.sion"]
    shutil.copy(DATA / "x05_notclosed.sion", path)
    (tmp_path / "dead.sion.notes").write_bytes(notes)
    with quire.open(path) as file:
        step_found = file.salvage(0)
        assert step_found is not None
        assert "full size" in step_found.warnings[0], "the notes are those of another file"


@pytest.mark.parametrize("missing", ["", ".000001"])
def test_copies_replace_missing_files(tmp_path: Path, missing: str) -> None:
    for file in DATA.glob("b04_buddy.sion*"):
        shutil.copy(file, tmp_path)
    path = tmp_path / "b04_buddy.sion"
    Path(f"{path}{missing}").unlink()
    with pytest.raises(quire.Error):
        quire.open(path)
    truth = json.loads((DATA / "b04_buddy.json").read_text())
    with quire.open(path, buddy=True) as opened:
        assert [len(opened[0].streams[task["globalrank"]]) for task in truth["tasks"]] == [
            task["bytes"] for task in truth["tasks"]
        ]
        assert opened.check().damage is None


def test_a_file_of_a_set_shows_its_own_tasks(tmp_path: Path) -> None:
    shutil.copy(DATA / "m05_mapped.sion.000001", tmp_path / "part.sion")
    with quire.open(tmp_path / "part.sion") as file:
        assert file.warnings
        assert file[0].streams.ranks == [1, 3, 4]
        assert len(file[0].streams[3]) == 80


def test_chunks_that_run_over_are_read_on_request(tmp_path: Path) -> None:
    path = tmp_path / "over.sion"
    with quire.create(path, block_size=64) as out, out.step(0) as step:
        for task in (0, 1):
            step.stream(task, 64).write(b"x" * (60 if task == 0 else 0))
    data = bytearray(path.read_bytes())
    second = int.from_bytes(data[1088 + 32 - 8 : 1088 + 32], "little")
    data[second + 16] = 100
    path.write_bytes(data)
    with pytest.raises(quire.BadFileError, match="room for 64"):
        quire.open(path)
    with quire.open(path, lenient=True) as file:
        assert len(file[0].streams[0]) == 100
    data[second + 16] = 200
    path.write_bytes(data)
    with pytest.raises(quire.BadFileError, match="runs into"):
        quire.open(path, lenient=True)


@pytest.mark.parametrize("name", ["b04_buddy.sion", "m05_mapped.sion", "m04_groups.sion"])
@pytest.mark.parametrize("rows", [False, True])
def test_a_whole_set_is_kept_with_the_bytes_of_all_its_files(tmp_path: Path, name: str, rows: bool) -> None:
    saved = tmp_path / "saved.sion"
    result = recover(DATA / name, saved, rows=rows)
    assert result.kept == [0]
    with quire.open(DATA / name) as source, quire.open(saved) as file:
        assert len(source.members) > 1
        assert len(file.members) == len(source.members)
        for column in ("file", "index"):
            assert list(file[0].table[column].read()) == list(source[0].table[column].read())
        assert file.check().damage is None
        assert file[0].streams.ranks == source[0].streams.ranks
        for task, stream in source[0].streams.items():
            assert file[0].streams[task].readall() == stream.readall()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["saved.sion", "saved.sion.000001"]


def test_missing_files_of_a_set_are_reported_by_the_names_of_the_user(tmp_path: Path) -> None:
    shutil.copy(DATA / "m05_mapped.sion", tmp_path)
    with pytest.raises(quire.Error) as caught:
        recover(tmp_path / "m05_mapped.sion", tmp_path / "saved.sion")
    assert "m05_mapped.sion.000001" in str(caught.value)
    assert ".quire-" not in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == ["m05_mapped.sion"]


def run_command(*words: Any) -> tuple[int, str]:
    """The exit code and the output of a command."""
    run = subprocess.run(
        [sys.executable, "-m", "quire", *map(str, words)],
        timeout=60,
        check=False,
        capture_output=True,
        text=True,
    )
    return run.returncode, run.stdout


def test_kept_streams_and_bytes_are_reported(tmp_path: Path) -> None:
    saved = tmp_path / "saved.sion"
    code, output = run_command("recover", "--rows", DATA / "x05_notclosed.sion", "-o", saved)
    with quire.open(saved) as file:
        size = sum(len(stream) for stream in file[0].streams.values())
        count = len(file[0].streams)
    assert code == 0
    assert size > 0
    assert f"and {count} streams of {size} bytes of step 0, which was truncated" in output
    assert "0 rows" not in output


@pytest.mark.parametrize(("name", "advised"), [("x05_notclosed.sion", True), ("x11_key_len.sion", False)])
def test_recovery_is_advised_if_something_can_be_kept(tmp_path: Path, name: str, advised: bool) -> None:
    code, output = run_command("check", DATA / name)
    assert code == 1
    assert "damaged" in output
    assert ("--rows keeps what is whole" in output) is advised
    assert ("quire recover" in output) is advised
    code, _ = run_command("recover", "--rows", DATA / name, "-o", tmp_path / "saved.sion")
    assert (code == 0) is advised


def test_streams_may_be_larger_than_32_bits_count(tmp_path: Path) -> None:
    path = tmp_path / "sparse.sion"
    giga = 1 << 30
    with quire.create(path, block_size=4096) as out, out.step(0) as step:
        streams = [step.stream(task, 6 * giga) for task in (0, 1)]
        step.open()
        for stream in streams:
            stream.write(b"head")
    sizes = [5 * giga + 3, 4 * giga + 7]
    with path.open("r+b") as file:
        file.seek(1080 + 2 * 16)
        second = int.from_bytes(file.read(8), "little")
        assert second == 4096 + 12 * giga
        file.seek(second + 16)
        file.write(b"".join(size.to_bytes(8, "little") for size in sizes))
        for task, size in enumerate(sizes):
            file.seek(4096 + 6 * giga * task + size - 3)
            file.write(b"end")
    assert path.stat().st_blocks < 1000, "the file has holes"
    with quire.open(path) as opened:
        assert opened.check().damage is None
        assert list(opened[0].table["bytes"].read()) == sizes
        for task, size in enumerate(sizes):
            piece = opened[0].streams[task]
            assert piece.read(4) == b"head"
            assert piece.seek(-4, 2) == size - 4
            assert piece.read() == b"\0end"


@pytest.mark.parametrize(("files", "trailing"), [(1, b""), (1, bytes(4)), (2, b"")])
def test_sizes_at_the_end_of_a_file_that_was_not_closed_are_no_data(
    tmp_path: Path, files: int, trailing: bytes
) -> None:
    path, saved = tmp_path / "open.sion", tmp_path / "saved.sion"
    wanted = {task: bytes([task + 1]) * (150 + 37 * task) for task in range(4)}
    with quire.create(path, format="sion", block_size=64, files=files) as out, out.step(0) as step:
        for task, content in wanted.items():
            stream = step.stream(task, 128)
            for first in range(0, len(content), 100):
                stream.write(content[first : first + 100])
    # The writer has ended after the sizes and before their offset in the header.
    with path.open("r+b") as file:
        file.seek(1076 + 16 * (4 // files))
        file.write(bytes(12))
        file.seek(0, 2)
        file.write(trailing)
    with quire.open(path) as file:
        assert "not closed" in str(file.check().damage)
    found = recover(path, saved, rows=True)
    assert any("sizes of all chunks" in text for text in found.lost), found.lost
    with quire.open(saved) as file:
        assert {task: bytes(stream.readall()) for task, stream in file[0].streams.items()} == wanted
