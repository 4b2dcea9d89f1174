"""Rows added to the columns of the last step, on any number of ranks, in new and in foreign files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.mpi import run_ranks

import quire
from quire.errors import ConflictError

PARTS = [7, 0, 1, 12, 3, 30]


def values(first: int, rows: int) -> dict[str, np.ndarray]:
    """Return rows of a step that grows."""
    line = np.arange(first, first + rows)
    return {"t": line * 0.25, "n": line.astype(np.int32) * 5}


def share(comm: Any, first: int, rows: int) -> dict[str, np.ndarray]:
    """Return this rank's part of some rows; rank 0 of several has none every other time."""
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    if size > 1 and rows % 2 == 0:
        rank, size = rank - 1, size - 1
    if rank < 0:
        return values(first, 0)
    begin, end = rows * rank // size, rows * (rank + 1) // size
    return values(first + begin, end - begin)


def grow(path: Path | str, comm: Any, parts: list[int], reopen: bool, **options: Any) -> None:
    """Write a step, then another one in parts."""
    out = quire.create(path, comm, deadline=30, grow=True, **options)
    out.step(0).put("t", share(comm, 0, 3)["t"]).put("n", share(comm, 0, 3)["n"]).commit()
    done = 0
    for number, rows in enumerate(parts):
        if reopen and number > 0:
            out.close()
            out = quire.append(path, comm, deadline=30, grow=True, **options)
        step = out.step(4)
        if number == 0:
            step.set("run", "A")
        for name, mine in share(comm, done, rows).items():
            step.put(name, mine)
        step.commit()
        done += rows
    out.close()


def check(path: Path | str, rows: int) -> None:
    """Compare with the written values, by h5py and by our own reader."""
    with h5py.File(path) as file:
        assert list(file) == ["Step#0", "Step#4"]
        for name, wanted in values(0, rows).items():
            np.testing.assert_array_equal(file["Step#4"][name][:], wanted)
        np.testing.assert_array_equal(file["Step#0/t"][:], [0, 0.25, 0.5])
    with quire.open(path) as file:
        assert file[1].attrs["run"] == "A"
        for name, wanted in values(0, rows).items():
            np.testing.assert_array_equal(file[1][name][:], wanted)


OPTIONS: list[dict[str, Any]] = [
    {"chunk": 4},
    {"chunk": 5, "filter": "deflate"},
    {"chunk": 100, "filter": "deflate"},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("reopen", [False, True])
def test_one_process(tmp_path: Path, options: dict[str, Any], reopen: bool) -> None:
    grow(tmp_path / "file.h5", None, PARTS, reopen, **options)
    check(tmp_path / "file.h5", sum(PARTS))


@settings(max_examples=30)
@given(
    parts=st.lists(st.integers(0, 12), min_size=1, max_size=6),
    chunk=st.integers(1, 20),
    name=st.sampled_from(["none", "deflate"]),
    reopen=st.booleans(),
)
def test_any_parts(
    tmp_path_factory: pytest.TempPathFactory, parts: list[int], chunk: int, name: str, reopen: bool
) -> None:
    path = tmp_path_factory.mktemp("any") / "file.h5"
    grow(path, None, parts, reopen, chunk=chunk, filter=name)
    check(path, sum(parts))


def grow_all(comm: Any, folder: str) -> None:
    for i, options in enumerate(OPTIONS):
        for reopen in (False, True):
            grow(Path(folder, f"{i}_{reopen}.h5"), comm, PARTS, reopen, **options)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_same_bytes_from_all_ranks(tmp_path: Path, ranks: int) -> None:
    (tmp_path / "serial").mkdir()
    grow_all(None, str(tmp_path / "serial"))
    run_ranks(grow_all, ranks, str(tmp_path))
    for i in range(len(OPTIONS)):
        for reopen in (False, True):
            name = f"{i}_{reopen}.h5"
            check(tmp_path / name, sum(PARTS))
            assert (tmp_path / name).read_bytes() == (tmp_path / "serial" / name).read_bytes(), name


def test_a_foreign_file_grows_with_its_own_layout(tmp_path: Path) -> None:
    path = tmp_path / "foreign.h5"
    with h5py.File(path, "w") as file:
        group = file.create_group("Step#4")
        group.attrs["run"] = "A"
        for name, data in values(0, 10).items():
            group.create_dataset(
                name, data=data, maxshape=(None,), chunks=(4,), compression=3, fletcher32=True
            )
        file.create_dataset("Step#0/t", data=[0, 0.25, 0.5])
    with quire.append(path, grow=True) as out, out.step(4) as step:
        for name, data in values(10, 9).items():
            step.put(name, data)
    check(path, 19)
    with h5py.File(path) as file:
        assert file["Step#4/t"].chunks == (4,)
        assert file["Step#4/t"].fletcher32
    if shutil.which("h5dump"):
        subprocess.run(["h5dump", "-H", str(path)], check=True, capture_output=True, timeout=30)


def test_objects_that_cannot_grow_report_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    with quire.create(path) as out:
        out.step(0).put("t", [1.0]).commit()
    with pytest.raises(ConflictError, match="it is not stored in chunks"):
        quire.append(path, grow=True)
    with quire.create(path, chunk=4) as out:
        out.step(0).put("t", [1.0]).commit()
        with pytest.raises(ConflictError, match="step 0 is already in the file"):
            out.step(0).put("t", [1.0]).commit()
    with quire.append(path, grow=True) as out:
        with pytest.raises(ConflictError, match="has no such column"):
            out.step(0).put("t", [1.0]).put("u", [1.0]).commit()
        with pytest.raises(ConflictError, match="has its attributes already"):
            out.step(0).set("a", 1).put("t", [1.0]).commit()
        out.step(0).put("t", [2.0]).commit()
        out.step(1).put("t", [3.0]).commit()
        with pytest.raises(ConflictError, match="step 0 is already in the file"):
            out.step(0).put("t", [1.0]).commit()
    with quire.open(path) as file:
        assert [step["t"][:].tolist() for step in file] == [[1, 2], [3]]
