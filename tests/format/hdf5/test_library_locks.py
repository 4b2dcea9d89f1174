"""HDF5's own file locks: our writers and those of HDF5 exclude each other; readers are allowed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import quire
from quire.toolkit.recover import recover
from quire.toolkit.replacing import replacement

ROWS = 100


def write(out: quire.Writer, number: int) -> None:
    with out.step(number) as step:
        step.put("x", np.full(ROWS, number + 1.0))


def replace(path: Path) -> None:
    with replacement(path) as beside:
        beside.write_bytes(b"else")


CHANGES: dict[str, Callable[[Path], Any]] = {
    "append": quire.append,
    "create": quire.create,
    "create_whole": lambda path: quire.create(path, replacement="whole"),
    "repair": quire.repair,
    "recover": recover,
    "replacement": replace,
}


@pytest.fixture(params=[{}, {"split": True}], ids=["one", "pair"])
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(request.param)


@pytest.fixture
def path(tmp_path: Path, options: dict[str, Any]) -> Path:
    path = tmp_path / "beam-m.h5"
    with quire.create(path, **options) as out:
        write(out, 0)
    return path


def opened(path: Path, mode: str, options: dict[str, Any], **more: Any) -> Any:
    """Open the same file with HDF5."""
    if options:
        return h5py.File(path.with_name("beam"), mode, driver="split", **more)
    return h5py.File(path, mode, **more)


@pytest.mark.parametrize("change", CHANGES)
def test_files_open_in_hdf5_are_not_changed(path: Path, options: dict[str, Any], change: str) -> None:
    with opened(path, "r+", options) as theirs:
        with pytest.raises(quire.ConflictError, match="another writer"):
            CHANGES[change](path)
        theirs["Step#0/x"][...] = 7.0
    with quire.open(path) as file:
        assert set(file[0]["x"][:]) == {7.0}


@pytest.mark.parametrize("begin", ["create", "append"])
def test_files_being_written_are_locked_for_hdf5(path: Path, options: dict[str, Any], begin: str) -> None:
    with quire.create(path, **options) if begin == "create" else quire.append(path) as out:
        write(out, 1)
        with pytest.raises(OSError, match="lock"):
            opened(path, "r+", options)
        write(out, 2)
    with quire.open(path) as file:
        assert file.numbers[-2:] == [1, 2]
    opened(path, "r+", options).close()


def test_readers_with_hdf5_work_before_and_after_a_writer(path: Path, options: dict[str, Any]) -> None:
    with opened(path, "r", options) as before, quire.append(path) as out:
        write(out, 1)
        assert set(before["Step#0/x"][:]) == {1.0}
    with quire.append(path) as out:
        write(out, 2)
        with opened(path, "r", options) as after:
            assert set(after["Step#2/x"][:]) == {3.0}


def test_a_check_reports_that_hdf5_writes(path: Path, options: dict[str, Any]) -> None:
    with opened(path, "r+", options), quire.open(path) as file:
        assert file.check().is_being_written
    with opened(path, "r", options), quire.open(path) as file:
        assert not file.check().is_being_written


@pytest.mark.parametrize("value", ["FALSE", "0"])
def test_locks_of_hdf5_can_be_turned_off(
    path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    with opened(path, "r+", options):
        monkeypatch.setenv("HDF5_USE_FILE_LOCKING", value)
        quire.append(path).close()
        monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "BEST_EFFORT")
        with pytest.raises(quire.ConflictError):
            quire.append(path)
    with quire.append(path), opened(path, "r+", options, locking=False):
        pass


def test_raw_data_being_written_are_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "beam-m.h5"
    for number in (0, 1):
        with quire.append(path) if number else quire.create(path, split=True) as out:
            with pytest.raises(quire.ConflictError, match="another writer"):
                quire.create(tmp_path / "beam-r.h5")
            write(out, number)
    with quire.open(path) as file:
        assert [set(step["x"][:]) for step in file] == [{1.0}, {2.0}]
