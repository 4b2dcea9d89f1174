"""Columns of column-major binary files begin at multiples of 64 bytes: the header is padded with blanks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.mpi import run_ranks

import quire

ROWS = 16  # 128 bytes of a column of float64


def write(path: Path | str, comm: Any = None, title: str = "", number: int = 0, **options: Any) -> None:
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    with (
        quire.create(path, comm, major_order="column", **options) as out,
        out.step(number) as step,
    ):
        out.title, out.attrs["code"] = title, "fodo"
        step.set("note", "n" * number)
        if number % 2:
            step.put_field("E", np.zeros(3 if rank == 0 else 0), quire.Grid((3,), (0,)))
        for name in "xy":
            step.put(name, np.arange(float(ROWS))[rank * ROWS // size : (rank + 1) * ROWS // size])


def header_of(path: Path) -> bytes:
    content = path.read_bytes()
    return content[: content.index(b"&end\n", content.index(b"&data ")) + len(b"&end\n")]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("length", [1, 17, 63, 64, 65])
def test_columns_begin_at_multiples_of_a_cache_line(tmp_path: Path, length: int, number: int) -> None:
    path = tmp_path / "aligned.sdds"
    write(path, title="t" * length, number=number)
    with quire.open(path) as file:
        for name in "xy":
            assert file[0][name].location().offset % 64 == 0
            assert list(file[0][name][:]) == list(range(ROWS))
    assert header_of(path).count(b" " * 65) == 0


def test_canonical_headers_have_no_blanks(tmp_path: Path) -> None:
    lines = set()
    for length in (1, 2):
        path = tmp_path / f"{length}.sdds"
        write(path, title="t" * length, canonical=True)
        lines.add(header_of(path).splitlines()[-1])
    assert lines == {b"&data mode=binary, endian=little, column_major_order=1, &end"}


@pytest.mark.parametrize("options", [{"major_order": "row"}, {"mode": "ascii"}])
def test_only_columns_of_numbers_are_aligned(tmp_path: Path, options: dict[str, Any]) -> None:
    for length in (1, 2):
        path = tmp_path / "plain.sdds"
        with quire.create(path, **options) as out, out.step(0) as step:
            out.title = "t" * length
            step.put("x", np.zeros(ROWS))
        assert b"  &end" not in header_of(path).splitlines()[-1]


def write_together(comm: Any, path: str) -> None:
    write(path, comm, number=3)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_write_the_same_blanks(tmp_path: Path, ranks: int) -> None:
    write(tmp_path / "one.sdds", number=3)
    run_ranks(write_together, ranks, str(tmp_path / "many.sdds"))
    assert (tmp_path / "many.sdds").read_bytes() == (tmp_path / "one.sdds").read_bytes()


def test_files_with_blanks_are_continued(tmp_path: Path) -> None:
    path = tmp_path / "aligned.sdds"
    write(path, number=1)
    with quire.append(path) as out, out.step(3) as step:
        step.set("note", "second")
        step.put_field("E", np.ones(3))
        for name in "xy":
            step.put(name, np.zeros(2))
    with quire.open(path) as file:
        assert file.numbers == [1, 3]
        assert list(file[0]["y"][:]) == list(range(ROWS))
        assert list(file[1]["y"][:]) == [0, 0]


def test_columns_after_strings_of_a_field_are_not_aligned(tmp_path: Path) -> None:
    lines = set()
    for length in (1, 2):
        path = tmp_path / "plain.sdds"
        with quire.create(path, major_order="column") as out, out.step(0) as step:
            out.title = "t" * length
            step.put_field("names", np.array(["a", "bc"]))
            step.put("x", np.arange(float(ROWS)))
        lines.add(header_of(path).splitlines()[-1])
        with quire.open(path) as file:
            assert list(file[0]["x"][:]) == list(range(ROWS))
    assert len(lines) == 1
