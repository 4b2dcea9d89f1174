"""Checksums of a plain HDF5 file: the table does not depend on the number of ranks, as the file."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire

ROWS = 200_000
CELL = 1 << 20
"""Pieces of ranks are joined in cells of this size."""
HEAD = 32  # bytes before the entries of a table

OPTIONS: dict[str, dict[str, Any]] = {
    "columns": {},
    "matrix": {"layout": "matrix"},
    "chunks": {"chunk": 1000, "filter": "deflate"},
    "split": {"split": True},
    "replaced directly": {"replacement": "direct"},
}


def write(comm: Any, path: str, options: dict[str, Any]) -> None:
    first, last = (ROWS * rank // comm.size for rank in (comm.rank, comm.rank + 1))
    values = np.arange(first, last) + 0.25
    with quire.create(path, comm=comm, format="hdf5", checksums=True, **options) as out, out.step(0) as step:
        for name in ("x", "px"):
            step.put(name, values)
        step.put("x", np.arange(first, last, dtype=np.int32), table="other")


def path_in(folder: Path) -> Path:
    folder.mkdir()
    return folder / "run-m.h5"


def entries_of(path: Path) -> list[tuple[int, ...]]:
    table = Path(f"{path}.quire-sums").read_bytes()
    return [struct.unpack("<4Q", table[at : at + 32]) for at in range(HEAD, len(table), 32)]


@pytest.mark.mpi
@pytest.mark.parametrize("name", OPTIONS)
def test_the_table_does_not_depend_on_the_number_of_ranks(tmp_path: Path, name: str) -> None:
    tables, contents = [], []
    for ranks in (1, 2, 3):
        path = path_in(tmp_path / str(ranks))
        run_ranks(write, ranks, str(path), OPTIONS[name])
        with quire.open(path) as file:
            assert file.check().damage is None
        tables.append(Path(f"{path}.quire-sums").read_bytes())
        contents.append([part.read_bytes() for part in sorted(path.parent.glob("*.h5"))])
        ends = [(offset, offset + length) for _, offset, length, _ in entries_of(path)]
        assert all(begin // CELL == (end - 1) // CELL for begin, end in ends)
    assert contents[1:] == contents[:1] * 2
    assert tables[1:] == tables[:1] * 2


@pytest.mark.mpi
@pytest.mark.parametrize("name", OPTIONS)
def test_a_changed_byte_of_any_cell_is_found(tmp_path: Path, name: str) -> None:
    path = path_in(tmp_path / "run")
    run_ranks(write, 2, str(path), OPTIONS[name])
    data = max(path.parent.glob("*.h5"), key=lambda part: part.stat().st_size)
    content = data.read_bytes()
    for _, offset, length, _ in entries_of(path):
        for place in (offset, offset + length - 1):
            with data.open("r+b") as file:
                file.seek(place)
                file.write(bytes([content[place] ^ 1]))
            with quire.open(path) as changed:
                damage = changed.check().damage
            assert damage is not None
            data.write_bytes(content)
    with quire.open(path) as file:
        assert file.check().damage is None


def test_a_file_that_grows_has_no_checksums(tmp_path: Path) -> None:
    path = tmp_path / "run.hdf5"
    with pytest.raises(quire.UnsupportedError, match="does not grow"):
        quire.create(path, checksums=True, grow=True, chunk=16)
    with quire.create(path, checksums=True, chunk=16) as out, out.step(0) as step:
        step.put("x", np.arange(20.0))
    assert entries_of(path)
    with quire.append(path, grow=True, chunk=16) as out, out.step(0) as step:
        step.put("x", np.arange(20.0, 40.0))
    with quire.open(path) as file:
        assert file.check().damage is None
        assert file[0]["x"][:].tolist() == list(range(40))
    assert not Path(f"{path}.quire-sums").exists()
