"""The places of the two files of a split one: none is mistaken for another, and no other file is removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.hdf5.pairs import ROWS, names_in, raw_of, write

import quire
from quire.errors import BadFileError, ConflictError, MissingError, UsageError
from quire.io.formats import named_members
from quire.toolkit.recover import recover

STRANGE = b"something that somebody still needs"


def expect(path: Path, steps: int = 2, first: float = 0.0) -> None:
    with quire.open(path) as file:
        assert file.numbers == list(range(steps))
        for step in file:
            np.testing.assert_array_equal(step["x"][:], np.arange(ROWS) + first + step.number)


# ---- Names


@pytest.mark.parametrize("name", ["beam.h5", "beam-r.h5", "-m.h5", "beam.hdf5"])
def test_other_names_than_those_of_hdf5_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"-m\.h5"):
        write(tmp_path / name, format="h5part")
    source = write(tmp_path / "one.h5", split=False)
    with pytest.raises(UsageError, match=r"-m\.h5"):
        quire.copy(source, tmp_path / name, format="h5part", options={"split": True})
    assert names_in(tmp_path) == ["one.h5"]


def test_the_first_file_names_the_other(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    assert named_members(path) == ["x-r.h5"]
    raw_of(path).unlink()
    assert named_members(path) == ["x-r.h5"], "also a missing one"
    assert named_members(write(tmp_path / "one.h5", split=False)) == []
    assert named_members(tmp_path) == []
    assert named_members(tmp_path / "nothing-m.h5") == []


# ---- A file at the place of the raw data


def strangers_of(path: Path, tmp_path: Path) -> dict[str, Callable[[], Any]]:
    source = write(tmp_path / "source.h5", split=False)
    pair = write(tmp_path / "source-m.h5")
    return {
        "create": lambda: write(path),
        "replacement": lambda: write(path, replacement="whole"),
        "copy": lambda: quire.copy(source, path, options={"split": True}),
        "overwrite": lambda: quire.copy(source, path, overwrite=True, options={"split": True}),
        "recover": lambda: recover(pair, path, overwrite=True),
    }


@pytest.mark.parametrize("first", ["nothing", "one file", "no file of HDF5", "empty"])
@pytest.mark.parametrize("way", ["create", "replacement", "copy", "overwrite", "recover"])
def test_orphaned_raw_data_are_not_overwritten(tmp_path: Path, way: str, first: str) -> None:
    path = tmp_path / "x-m.h5"
    if first == "one file":
        write(path, split=False)
    elif first != "nothing":
        path.write_bytes(b"" if first == "empty" else STRANGE)
    before = path.read_bytes() if path.exists() else None
    raw_of(path).write_bytes(STRANGE)
    work = strangers_of(path, tmp_path)[way]
    with pytest.raises(ConflictError) as caught:
        work()
    if way != "copy" or first == "nothing":
        assert "x-r.h5" in str(caught.value)
    assert raw_of(path).read_bytes() == STRANGE
    assert (path.read_bytes() if path.exists() else None) == before
    assert not [name for name in names_in(tmp_path) if ".quire-" in name]


def test_an_empty_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x-m.h5"
    raw_of(path).touch()
    expect(write(path))
    expect(write(path, replacement="whole"))


@pytest.mark.parametrize("options", [{}, {"replacement": "whole"}], ids=["direct", "whole"])
def test_a_pair_replaces_a_pair(tmp_path: Path, options: dict[str, Any]) -> None:
    path = write(tmp_path / "x-m.h5", steps=3)
    expect(write(path, first=0.5, **options), first=0.5)
    with raw_of(path).open("r+b") as raw:
        raw.truncate(10)
    expect(write(path, first=1.5, **options), first=1.5)
    raw_of(path).unlink()
    expect(write(path, first=2.5, **options), first=2.5)
    assert names_in(tmp_path) == ["x-m.h5", "x-r.h5"]


def test_one_file_replaces_both(tmp_path: Path) -> None:
    path = tmp_path / "x-m.h5"
    source = write(tmp_path / "one.h5", split=False, first=0.5)
    for work in (
        lambda: write(path, split=False, first=0.5),
        lambda: write(path, split=False, first=0.5, replacement="whole"),
        lambda: quire.copy(source, path, overwrite=True),
        lambda: recover(source, path, overwrite=True),
    ):
        write(path)
        work()
        expect(path, first=0.5)
        assert names_in(tmp_path) == ["one.h5", "x-m.h5"]


def test_a_file_named_by_a_crafted_file_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    path.write_bytes(path.read_bytes().replace(b"%s-r.h5", b"no%stes"))
    raw_of(path).unlink()
    notes = tmp_path / "noxtes"
    notes.write_bytes(STRANGE)
    expect(write(path, first=0.5), first=0.5)
    assert notes.read_bytes() == STRANGE


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_copy_never_replaces_its_source(tmp_path: Path, overwrite: bool) -> None:
    path = write(tmp_path / "x-m.h5")
    for target in (path, raw_of(path)):
        with pytest.raises(ConflictError):
            quire.copy(path, target, overwrite=overwrite)
        with pytest.raises(ConflictError):
            recover(path, target, overwrite=overwrite)
    expect(path)


def test_raw_data_of_other_names_are_not_taken_from_their_pair(tmp_path: Path) -> None:
    source = tmp_path / "x.h5"
    with h5py.File(tmp_path / "x", "w", driver="split", meta_ext=b".h5", raw_ext=b"-r.h5") as file:
        file["Step#0/x"] = np.arange(ROWS) + 0.0
    for work in (
        lambda: recover(source, tmp_path / "x-m.h5", overwrite=True),
        lambda: quire.copy(source, tmp_path / "x-m.h5", options={"split": True}),
        lambda: write(tmp_path / "x-m.h5"),
    ):
        with pytest.raises((ConflictError, UsageError), match="x-"):
            work()
    expect(source, steps=1)


# ---- The search for raw data


def test_linked_steps_find_their_own_raw_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path / "x-m.h5")
    write(tmp_path / "sub" / "x-m.h5", first=1000.5)
    with h5py.File(tmp_path / "main.h5", "w") as file:
        for number in range(2):
            file[f"Step#{number}"] = h5py.ExternalLink("sub/x-m.h5", f"/Step#{number}")
    expect(tmp_path / "main.h5", first=1000.5)
    (tmp_path / "elsewhere").mkdir()
    os.rename(tmp_path / "main.h5", tmp_path / "elsewhere" / "main.h5")
    monkeypatch.chdir(tmp_path)
    expect(tmp_path / "elsewhere" / "main.h5", first=1000.5)
    raw_of(tmp_path / "sub" / "x-m.h5").unlink()
    with (
        quire.open(tmp_path / "elsewhere" / "main.h5") as file,
        pytest.raises(MissingError, match=r"x-r\.h5"),
    ):
        file[0]["x"][:]


def test_raw_data_elsewhere_are_those_of_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    path = write(tmp_path / "sub" / "x-m.h5")
    os.rename(raw_of(path), tmp_path / "x-r.h5")
    monkeypatch.chdir(tmp_path)
    for work in (lambda: quire.open(path), lambda: quire.append(path), lambda: recover(path)):
        with pytest.raises(MissingError, match=r"x-r\.h5"):
            work()


def test_a_file_that_names_itself_is_damaged(tmp_path: Path) -> None:
    path = write(tmp_path / "m-m.h5")
    whole = path.read_bytes().replace(b"%s-r.h5", b"m-%s.h5") + bytes(5000)
    path.write_bytes(whole)
    for work in (lambda: quire.open(path), lambda: quire.append(path), lambda: recover(path)):
        with pytest.raises(BadFileError, match="names itself"):
            work()
    assert path.read_bytes() == whole


def test_values_are_located_in_their_file(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    with quire.open(path) as file:
        place = file[1]["x"].location()
    assert (place.member, place.is_contiguous) == ("x-r.h5", True)
    values = np.fromfile(raw_of(path), place.type, ROWS, offset=place.offset)
    np.testing.assert_array_equal(values, np.arange(ROWS) + 1)


def test_both_files_get_stripes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "lfs"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nfor file; do :; done\n: > "$file"\necho "$file" >> {tmp_path}/striped\n')
    tool.chmod(0o700)
    monkeypatch.setenv("PATH", str(tool.parent))
    path = write(tmp_path / "x-m.h5", stripe_count=4)
    assert sorted((tmp_path / "striped").read_text().split()) == [str(path), str(raw_of(path))]
    expect(path)


# ---- Raw data that are longer, shorter or linked


def test_bytes_of_no_step_are_reported_and_kept_until_the_next(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    whole = raw_of(path).read_bytes()
    raw_of(path).write_bytes(whole + STRANGE)
    with quire.open(path) as file:
        (warning,) = file.check().warnings
        assert f"{len(STRANGE)} bytes at the end of x-r.h5" in warning
        assert "another x-m.h5" in warning
    quire.append(path).close()
    assert raw_of(path).read_bytes() == whole + STRANGE
    with quire.append(path) as out, out.step(2) as step:
        step.put_field("phi", np.ones(2))
    now = raw_of(path).read_bytes()
    assert now.startswith(whole)
    assert now.endswith(np.ones(2).tobytes())
    assert STRANGE not in now


def test_missing_elements_are_zeros_over_old_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    with raw_of(path).open("ab") as raw:
        raw.write(b"\xff" * 4096)
    with quire.append(path) as out, out.step(2) as step:
        step.put_field("phi", np.ones(2), quire.Grid((50,), (3,)))
    with quire.open(path) as file:
        phi = file[2].fields["phi"].read()
    np.testing.assert_array_equal(np.flatnonzero(phi), [3, 4])


def test_raw_data_that_are_cut_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    with raw_of(path).open("r+b") as raw:
        raw.truncate(10)
    works = ((lambda: quire.open(path), "cut=true"), (lambda: quire.append(path), "copy it again"))
    for work, advice in works:
        with pytest.raises(BadFileError, match=r"x-r\.h5 has 10 bytes") as caught:
            work()
        assert advice in str(caught.value)


def test_a_link_to_raw_data_stays(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5", steps=3)
    (tmp_path / "fast").mkdir()
    os.rename(raw_of(path), tmp_path / "fast" / "values")
    raw_of(path).symlink_to("fast/values")
    expect(path, steps=3)
    write(path, first=0.5)
    assert raw_of(path).is_symlink()
    expect(path, first=0.5)
    (tmp_path / "fast" / "values").unlink()
    write(path, first=0.5)
    assert raw_of(path).is_symlink(), "also a dangling one"
    expect(path, first=0.5)
    source = write(tmp_path / "one.h5", split=False)
    with pytest.raises(ConflictError, match="symbolic link"):
        quire.copy(source, path, overwrite=True, options={"split": True})
    expect(path, first=0.5)


def test_appended_steps_keep_the_alignment_of_a_pair(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    with pytest.raises(UsageError, match="power of two"):
        quire.append(path, alignment=24)
    expect(path)


# ---- Checksums


def test_checksums_are_compared_after_both_were_renamed(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5", steps=1, format="hdf5", checksums=True)
    moved = tmp_path / "other-m.h5"
    for old, new in ((path, moved), (raw_of(path), raw_of(moved))):
        os.rename(old, new)
    os.rename(f"{path}.quire-sums", f"{moved}.quire-sums")
    with quire.open(moved) as file:
        assert file.check().damage is None
    values = bytearray(raw_of(moved).read_bytes())
    values[ROWS] ^= 1
    raw_of(moved).write_bytes(values)
    with quire.open(moved) as file:
        report = file.check()
    assert report.is_changed
    assert "other-r.h5" in str(report.damage)
