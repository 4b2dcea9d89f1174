"""The program and the number in the metadata of a checkpoint, and values that cannot be written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, TRIANGLES, block_of
from tests.python.cli.conftest import run as run  # a fixture

import quire
from quire.io.elements import ElementBlock

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

LAYOUTS = ["hdf5", "xml", "directory", "streams"]
VERSION = "Provenance/NektarVersion"


def write(path: Path, layout: str, block: ElementBlock, number: int = 0, version: str = "") -> None:
    with quire.create(path, layout=layout) as out, out.step(number) as step:
        if version:
            step.set(VERSION, version)
        step.put_elements([block])


def version_in(path: Path) -> str:
    with quire.open(path) as file:
        return str(file[0].attrs[VERSION])


@pytest.mark.parametrize(
    ("layout", "kind", "is_kept"),
    [
        ("xml", QUADRILATERALS, True),
        ("directory", QUADRILATERALS, True),
        ("hdf5", QUADRILATERALS, False),
        ("streams", QUADRILATERALS, False),
        ("hdf5", TRIANGLES, True),
    ],
)
def test_an_old_version_is_restored_from_every_layout(
    tmp_path: Path, layout: str, kind: dict[str, object], is_kept: bool
) -> None:
    old, copy, back = tmp_path / "old.fld", tmp_path / "copy.fld", tmp_path / "back.fld"
    write(old, "xml", block_of(kind, [1, 2], np.array([3, 4])), version="4.0.0")
    report = quire.copy(old, copy, options={"layout": layout})
    change = (
        f"attribute {VERSION}: 5.6.0 replaces 4.0.0, which is kept in another attribute: "
        "bases are numbered as since version 5"
    )
    assert (report.losses, report.reshaped) == ([], [] if is_kept else [change])
    assert version_in(copy) == "4.0.0"
    quire.copy(copy, back, options={"layout": "xml"})
    assert back.read_bytes() == old.read_bytes()


def test_other_programs_find_the_version_of_the_numbering(tmp_path: Path) -> None:
    path = tmp_path / "new.fld"
    write(path, "hdf5", block_of(QUADRILATERALS, [1, 2], np.array([3, 4])), version="4.0.0")
    with h5py.File(path) as file:
        provenance = dict(file["NEKTAR/Metadata/Provenance"].attrs)
    assert text_of(provenance["NektarVersion"]) == "5.6.0"
    assert text_of(provenance["FormerNektarVersion"]) == "4.0.0"


def text_of(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


ADDED = f"attribute {VERSION}: 5.6.0 is added: the metadata have no version"


def write_without_version(path: Path) -> None:
    write(path, "xml", block_of(TRIANGLES, [1, 2], np.array([3, 4])))
    line = "<NektarVersion>5.6.0</NektarVersion>"
    text = path.read_text()
    assert line in text
    path.write_text(text.replace(line, ""))


def test_an_added_version_is_reported(tmp_path: Path) -> None:
    full, bare, copy = tmp_path / "full.fld", tmp_path / "bare.fld", tmp_path / "copy.fld"
    write(full, "xml", block_of(TRIANGLES, [1, 2], np.array([3, 4])))
    report = quire.copy(full, copy)
    assert (report.losses, report.changes) == ([], [])
    write_without_version(bare)
    report = quire.copy(bare, copy, overwrite=True)
    assert (report.losses, report.changes) == ([], [ADDED])


def test_a_dry_run_reports_an_addition_which_is_no_loss(run: Run, tmp_path: Path) -> None:
    bare, copy = tmp_path / "bare.fld", tmp_path / "copy.fld"
    write_without_version(bare)
    dry = run("convert", bare, copy, "--dry-run")
    assert (dry.code, dry.errors) == (0, f"added: {ADDED}\n")
    assert not copy.exists()
    wet = run("convert", bare, copy)
    assert (wet.code, wet.errors) == (0, dry.errors)


def test_a_dry_run_reports_a_version_that_is_replaced(run: Run, tmp_path: Path) -> None:
    old, copy = tmp_path / "old.fld", tmp_path / "copy.fld"
    write(old, "xml", block_of(QUADRILATERALS, [1, 2], np.array([3, 4])), version="4.0.0")
    dry = run("convert", old, copy, "--option", "layout=hdf5", "--dry-run")
    assert dry.code == 0
    assert dry.errors.startswith(f"reshaped: attribute {VERSION}: 5.6.0 replaces 4.0.0")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_are_not_negative(tmp_path: Path, layout: str) -> None:
    with pytest.raises(quire.UsageError, match="cannot be negative"):
        write(tmp_path / "a.fld", layout, block_of(TRIANGLES, [1], np.array([3, 4])), number=-1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unknown_bases_are_not_written(tmp_path: Path, layout: str) -> None:
    block = block_of({"shape": "Quadrilateral", "basis": ("Foo", "Foo")}, [1], np.array([3, 4]))
    with pytest.raises(quire.UsageError, match='unknown basis "Foo"'):
        write(tmp_path / "a.fld", layout, block)


def test_a_directory_replaces_a_file_only_on_request(tmp_path: Path) -> None:
    path, block = tmp_path / "a.fld", block_of(TRIANGLES, [1], np.array([3, 4]))
    write(path, "hdf5", block)
    with pytest.raises(quire.ConflictError, match="replacement=whole"):
        write(path, "directory", block)
    with quire.create(path, layout="directory", replacement="whole") as out, out.step(0) as step:
        step.put_elements([block])
    assert path.is_dir()
