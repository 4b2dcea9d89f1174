"""What the metadata of a checkpoint say of its program and its number, and what cannot be written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, TRIANGLES, block_of

import quire
from quire.io.elements import ElementBlock

LAYOUTS = ["hdf5", "xml", "directory", "streams"]
VERSION = "Provenance/NektarVersion"


def write(path: Path, layout: str, block: ElementBlock, number: int = 0, version: str = "") -> None:
    with quire.create(path, layout=layout) as out, out.step(number) as step:
        if version:
            step.set(VERSION, version)
        step.put_elements([block])


def version_in(path: Path) -> str:
    with quire.open(path) as file:
        return str(file[0].attributes[VERSION].value)


@pytest.mark.parametrize(
    ("layout", "kind", "version"),
    [
        ("xml", QUADRILATERALS, "4.0.0"),
        ("directory", QUADRILATERALS, "4.0.0"),
        ("hdf5", QUADRILATERALS, "5.6.0"),
        ("streams", QUADRILATERALS, "5.6.0"),
        ("hdf5", TRIANGLES, "4.0.0"),
    ],
)
def test_an_old_version_is_kept_or_its_end_is_told(
    tmp_path: Path, layout: str, kind: dict[str, object], version: str
) -> None:
    old, copy = tmp_path / "old.fld", tmp_path / "copy.fld"
    write(old, "xml", block_of(kind, [1, 2], np.array([3, 4])), version="4.0.0")
    report = quire.copy(old, copy, layout=layout)
    told = f"{VERSION} 4.0.0 becomes 5.6.0: bases are numbered as since version 5"
    assert report.losses == ([] if version == "4.0.0" else [told])
    assert version_in(copy) == version


def test_a_version_that_nobody_told_is_no_secret(tmp_path: Path) -> None:
    full, bare, copy = tmp_path / "full.fld", tmp_path / "bare.fld", tmp_path / "copy.fld"
    write(full, "xml", block_of(TRIANGLES, [1, 2], np.array([3, 4])))
    line = "<NektarVersion>5.6.0</NektarVersion>"
    text = full.read_text()
    assert line in text
    bare.write_text(text.replace(line, ""))
    assert quire.copy(full, copy).losses == []
    report = quire.copy(bare, copy, overwrite=True)
    assert report.losses == [f"{VERSION} 5.6.0 is added: the metadata tell no version"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_are_not_negative(tmp_path: Path, layout: str) -> None:
    with pytest.raises(quire.UsageError, match="no negative number"):
        write(tmp_path / "a.fld", layout, block_of(TRIANGLES, [1], np.array([3, 4])), number=-1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bases_that_nobody_knows_are_not_written(tmp_path: Path, layout: str) -> None:
    block = block_of({"shape": "Quadrilateral", "basis": ("Foo", "Foo")}, [1], np.array([3, 4]))
    with pytest.raises(quire.UsageError, match='nobody knows the basis "Foo"'):
        write(tmp_path / "a.fld", layout, block)


def test_a_directory_does_not_take_the_place_of_a_file_unasked(tmp_path: Path) -> None:
    path, block = tmp_path / "a.fld", block_of(TRIANGLES, [1], np.array([3, 4]))
    write(path, "hdf5", block)
    with pytest.raises(quire.ConflictError, match="replacement=whole"):
        write(path, "directory", block)
    with quire.create(path, layout="directory", replacement="whole") as out, out.step(0) as step:
        step.put_elements([block])
    assert path.is_dir()
