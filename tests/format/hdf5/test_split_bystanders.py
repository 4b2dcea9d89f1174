"""Files next to a split file that do not belong to it are neither truncated, nor written to, nor replaced."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.format.hdf5.pairs import ROWS, names_in, raw_of, write, write_file

import quire
from quire import sdds
from quire.errors import BadFileError, ConflictError, Error, MissingError, UnsupportedError, UsageError
from quire.toolkit.recover import recover
from quire.toolkit.text_export import ExportRequest, export_text


def write_another_step(path: Path) -> None:
    with quire.append(path) as out, out.step(9) as step:
        step.put("x", np.arange(ROWS) + 9.0)


def contents_of(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


WAYS: dict[str, Callable[[Path], Any]] = {
    "append": write_another_step,
    "drop": lambda path: quire.append(path, after=quire.After(0, "drop")).close(),
    "recover": recover,
    "repair": quire.repair,
}


# ---- Links to the first file


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_a_link_to_the_first_file_is_not_its_raw_data(tmp_path: Path, link: str, way: str) -> None:
    path = write(tmp_path / "a-m.h5", steps=1)
    assert path.stat().st_size > raw_of(path).stat().st_size, "otherwise it is too short for raw data"
    raw_of(path).unlink()
    raw_of(path).symlink_to(path.name) if link == "symbolic" else os.link(path, raw_of(path))
    before = path.read_bytes()
    with pytest.raises(BadFileError, match=r"names itself.*a-r\.h5"):
        WAYS[way](path)
    assert path.read_bytes() == before


# ---- Names stored only in the first file


def crafted(folder: Path, end_is_true: bool) -> tuple[Path, Path]:
    """A first file that names another file next to it as its raw data."""
    path = write(folder / "x-m.h5")
    path.write_bytes(path.read_bytes().replace(b"%s-r.h5", b"no%stes"))
    raw, notes = raw_of(path), folder / "noxtes"
    os.rename(raw, notes)
    if not end_is_true:
        notes.write_bytes(notes.read_bytes() + bytes(80000))
    return path, notes


@pytest.mark.parametrize("unfinished", [False, True])
@pytest.mark.parametrize("end_is_true", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_file_with_a_crafted_name_is_kept(
    tmp_path: Path, way: str, end_is_true: bool, unfinished: bool
) -> None:
    path, notes = crafted(tmp_path, end_is_true)
    if unfinished:
        path.write_bytes(path.read_bytes() + bytes(500))
    before = notes.read_bytes()
    if way in ("append", "drop"):
        with pytest.raises(UnsupportedError, match="noxtes") as caught:
            WAYS[way](path)
        assert "NAME-m.h5 and NAME-r.h5" in caught.value.advice
    else:
        WAYS[way](path)
    assert notes.read_bytes() == before
    with quire.open(path) as file:
        assert file.numbers == [0, 1]


def test_pairs_of_other_names_are_read_and_copied(tmp_path: Path) -> None:
    path = tmp_path / "z.meta"
    with h5py.File(tmp_path / "z", "w", driver="split", meta_ext=b".meta", raw_ext=b".raw") as file:
        file["Step#0/x"] = np.arange(ROWS) + 0.0
    before = contents_of(tmp_path)
    with pytest.raises(UnsupportedError, match=r"z\.raw"):
        write_another_step(path)
    assert contents_of(tmp_path) == before
    quire.copy(path, tmp_path / "z-m.h5", format="h5part", options={"split": True})
    write_another_step(tmp_path / "z-m.h5")
    with quire.open(tmp_path / "z-m.h5") as file:
        assert file.numbers == [0, 9]


# ---- Raw data of another pair


def test_raw_data_of_another_pair_are_not_cut_by_recover(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    (tmp_path / "long").mkdir()
    long = write(tmp_path / "long" / "x-m.h5", steps=8)
    os.replace(raw_of(long), raw_of(path))
    before = raw_of(path).read_bytes()
    result = recover(path)
    assert not result.changed
    assert any("belong to no step" in text for text in result.warnings)
    assert raw_of(path).read_bytes() == before


def test_recover_reports_dropped_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5")
    whole = contents_of(tmp_path)
    for one in (path, raw_of(path)):
        one.write_bytes(one.read_bytes() + bytes(600))
    result = recover(path)
    assert (result.changed, result.damage) == (True, None)
    assert any("600 bytes after the last published step" in text for text in result.warnings)
    assert any("600 bytes at the end of x-r.h5" in text for text in result.warnings)
    assert contents_of(tmp_path) == whole
    again = recover(path)
    assert (again.changed, again.warnings) == (False, [])


# ---- The raw data of a pair as a target


@pytest.mark.parametrize("suffixes", [("-m.h5", "-r.h5"), (".meta", ".raw")])
def test_raw_data_are_not_replaced_alone(tmp_path: Path, suffixes: tuple[str, str]) -> None:
    first, raw = (tmp_path / f"a{suffix}" for suffix in suffixes)
    meta_ext, raw_ext = (suffix.encode() for suffix in suffixes)
    with h5py.File(tmp_path / "a", "w", driver="split", meta_ext=meta_ext, raw_ext=raw_ext) as file:
        file["Step#0/x"] = np.arange(ROWS) + 0.0
    source = write(tmp_path / "o.h5", split=False)
    before = contents_of(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(raw.name)
    for target in (raw, link):
        for work in (
            lambda target=target: quire.copy(source, target, format="h5part", overwrite=True),
            lambda target=target: recover(source, target, overwrite=True),
        ):
            with pytest.raises(ConflictError, match=f"part of {first.name}"):
                work()
    link.unlink()
    assert contents_of(tmp_path) == before
    first.unlink()
    quire.copy(source, raw, format="h5part", overwrite=True)


# ---- Raw data of a pair that is replaced


def test_raw_data_are_removed_with_a_replaced_pair(tmp_path: Path) -> None:
    path = tmp_path / "a-m.h5"
    source = write(tmp_path / "one.h5", steps=1, split=False)
    link = tmp_path / "link"
    works: dict[str, Callable[[], Any]] = {
        "copy": lambda: quire.copy(source, path, overwrite=True),
        "another format": lambda: quire.copy(source, path, overwrite=True, format="sdds"),
        "a writer": lambda: write_file(path, format="sdds"),
        "a whole writer": lambda: write_file(path, format="sdds", replacement="whole"),
        "pages": lambda: sdds.save(sdds.DataSet().column("x", [[1.0, 2.0]]), path),
        "a link": lambda: quire.copy(source, link, overwrite=True, format="h5part"),
        "a compressed copy": lambda: quire.copy(
            source, path, overwrite=True, options={"compression": "gzip"}
        ),
        "a compressed writer": lambda: write_file(path, compression="xz"),
        "a text": lambda: export_text(source, path, overwrite=True),
        "a text through a link": lambda: export_text(source, link, overwrite=True),
    }
    values = np.arange(ROWS) + 0.0
    for name, work in works.items():
        write(path)
        link.symlink_to(path.name)
        work()
        link.unlink()
        assert names_in(tmp_path) == ["a-m.h5", "one.h5"], name
        if "text" in name:
            np.testing.assert_array_equal(np.loadtxt(path, skiprows=1), values)
            continue
        with quire.open(path) as file:
            assert file.members == [], name


def link_raw_data(path: Path) -> Path:
    write(path)
    stored = path.parent / "stored"
    os.rename(raw_of(path), stored)
    raw_of(path).symlink_to(stored.name)
    return stored


@pytest.mark.parametrize("way", ["compressed", "text"])
def test_only_a_link_to_raw_data_is_removed(tmp_path: Path, way: str) -> None:
    path = tmp_path / "a-m.h5"
    stored = link_raw_data(path)
    before = stored.read_bytes()
    if way == "text":
        export_text(write(tmp_path / "one.h5", split=False), path, overwrite=True)
    else:
        write_file(path, compression="gzip")
    assert not raw_of(path).is_symlink()
    assert stored.read_bytes() == before


@pytest.mark.parametrize("way", ["one file", "whole", "compressed", "text"])
def test_only_the_raw_data_of_the_pair_are_removed(tmp_path: Path, way: str) -> None:
    """With another name, next to a file that is not the first of a pair, or a directory."""
    one = write(tmp_path / "one.h5", split=False)

    def replace(path: Path) -> None:
        options: dict[str, Any] = {"whole": {"replacement": "whole"}, "compressed": {"compression": "gzip"}}
        if way == "text":
            export_text(one, path, overwrite=True)
        else:
            write_file(path, **options.get(way, {}))

    path, notes = crafted(tmp_path, end_is_true=True)
    before = notes.read_bytes()
    replace(path)
    assert notes.read_bytes() == before
    raw_of(path).write_bytes(before)
    replace(path)
    assert raw_of(path).read_bytes() == before
    raw_of(path).unlink()
    write(path)
    raw_of(path).unlink()
    raw_of(path).mkdir()
    (raw_of(path) / "notes").write_bytes(before)
    replace(path)
    assert (raw_of(path) / "notes").read_bytes() == before


def test_a_text_that_cannot_be_written_leaves_the_pair(tmp_path: Path) -> None:
    path = write(tmp_path / "a-m.h5")
    one = write(tmp_path / "one.h5", split=False)
    before = contents_of(tmp_path)
    with pytest.raises(MissingError):
        export_text(one, path, ExportRequest(columns=["nothing"]), overwrite=True)
    assert contents_of(tmp_path) == before


def test_another_format_keeps_files_named_by_a_crafted_file(tmp_path: Path) -> None:
    path, notes = crafted(tmp_path, end_is_true=False)
    before = notes.read_bytes()
    source = write(tmp_path / "one.h5", steps=1, split=False)
    quire.copy(source, path, overwrite=True, format="sdds")
    assert notes.read_bytes() == before


# ---- Advice


def test_recover_in_place_advises_another_target(tmp_path: Path) -> None:
    path = write(tmp_path / "x-m.h5", steps=3)
    (tmp_path / "fast").mkdir()
    os.rename(raw_of(path), tmp_path / "fast" / "values")
    raw_of(path).symlink_to("fast/values")
    os.truncate(tmp_path / "fast" / "values", raw_of(path).stat().st_size - 1)
    foreign = tmp_path / "z.meta"
    with h5py.File(tmp_path / "z", "w", driver="split", meta_ext=b".meta", raw_ext=b".raw") as file:
        for number in range(3):
            file[f"Step#{number}/x"] = np.arange(ROWS) + 0.0
    os.truncate(tmp_path / "z.raw", (tmp_path / "z.raw").stat().st_size - 1)
    for one, kind in ((path, ConflictError), (foreign, UsageError)):
        before = contents_of(tmp_path / "fast"), one.read_bytes()
        with pytest.raises(Error) as caught:
            recover(one, rows=True)
        assert isinstance(caught.value, kind)
        assert caught.value.advice == "recover it to another name: -o OUTPUT"
        assert (contents_of(tmp_path / "fast"), one.read_bytes()) == before
        assert recover(one, tmp_path / "saved-m.h5", overwrite=True).kept == [0, 1]
