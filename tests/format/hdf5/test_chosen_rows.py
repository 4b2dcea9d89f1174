"""Rows chosen when a table is written, checked with h5py."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.mpi import run_ranks

import quire

KINDS: list[tuple[str, dict[str, Any], str]] = [
    ("h5part", {}, "Step#0/x"),
    ("h5part", {"chunk": "7"}, "Step#0/x"),
    ("hdf5", {}, "x"),
    ("hdf5", {"chunk": "5"}, "x"),
]


def stored(path: Path, name: str) -> np.ndarray[Any, Any]:
    with h5py.File(path) as file:
        return np.asarray(file[name])


@pytest.mark.parametrize(("format_name", "options", "name"), KINDS)
@given(st.data())
@settings(max_examples=25)
def test_any_list_of_rows_is_stored_as_by_numpy(
    format_name: str, options: dict[str, Any], name: str, data: st.DataObject
) -> None:
    total = data.draw(st.integers(0, 40))
    rows = data.draw(st.lists(st.integers(0, total - 1), unique=True)) if total else []
    says_total = data.draw(st.booleans())
    type_name = data.draw(st.sampled_from(["float64", "int16", "uint8"]))
    values = np.arange(1, len(rows) + 1).astype(type_name)
    wanted = np.zeros(total if says_total else max(rows, default=-1) + 1, type_name)
    wanted[np.array(rows, int)] = values
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.h5"
        with quire.create(path, format=format_name, **options) as out, out.step(0) as step:
            step.rows_at(rows, total=total if says_total else None).put("x", values)
        np.testing.assert_array_equal(stored(path, name), wanted)


@pytest.mark.parametrize(
    ("rows", "total", "places"),
    [
        (slice(3, 6), None, [3, 4, 5]),
        (slice(None, None, 4), 10, [0, 4, 8]),
        (slice(-2, None), 10, [8, 9]),
        (slice(None, None, -3), 10, [9, 6, 3, 0]),
        ((2, 3), None, [2, 3, 4]),
        (range(7, 0, -3), None, [7, 4, 1]),
        ([5, -1, 0], 7, [5, 6, 0]),
        (np.array([True, False, True]), None, [0, 2]),
        (np.array([4, 2], np.uint8), None, [4, 2]),
        ((4, 0), None, []),
    ],
)
def test_rows_are_specified_as_for_reading(
    tmp_path: Path, rows: Any, total: int | None, places: list[int]
) -> None:
    path = tmp_path / "rows.h5"
    values = np.arange(1.0, len(places) + 1)
    with quire.create(path) as out, out.step(0) as step:
        step.rows_at(rows, total=total).put("x", values)
    wanted = np.zeros(total or max(places, default=-1) + 1)
    wanted[places] = values
    np.testing.assert_array_equal(stored(path, "Step#0/x"), wanted)
    if total is not None:
        with quire.open(path) as file:
            np.testing.assert_array_equal(file[0].table.read(rows=rows)["x"], values)


def write_shuffled(comm: Any, path: str, options: dict[str, Any]) -> None:
    """Ten steps, in each of which the rows are distributed over the ranks anew; some rows are not written."""
    with quire.create(path, comm, deadline=30, **options) as out:
        for number in range(10):
            dealt = np.random.default_rng(number)
            rows = dealt.permutation(57)[: 57 - 3 * number]
            owners = dealt.integers(0, comm.size, len(rows))
            mine = rows[owners == comm.rank]
            with out.step(number) as step:
                step.rows_at(mine, total=57 if comm.rank == number % comm.size else None)
                step.put("x", mine + 0.5 * number)
                step.put("id", mine.astype(np.int32))


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("options", [{}, {"chunk": "8"}], ids=["contiguous", "chunks"])
def test_rows_dealt_to_ranks(tmp_path: Path, ranks: int, options: dict[str, Any]) -> None:
    path = tmp_path / "rows.h5"
    run_ranks(write_shuffled, ranks, str(path), options)
    for number in range(10):
        rows = np.random.default_rng(number).permutation(57)[: 57 - 3 * number]
        wanted = np.zeros(57)
        wanted[rows] = rows + 0.5 * number
        np.testing.assert_array_equal(stored(path, f"Step#{number}/x"), wanted)
        np.testing.assert_array_equal(
            np.flatnonzero(stored(path, f"Step#{number}/id")), np.sort(rows[rows > 0])
        )


def write_tables(comm: Any, path: str, layout: str) -> None:
    """More tables than one exchange of the ranks holds, every third with contiguous rows."""
    with quire.create(path, comm, "hdf5", deadline=30, layout=layout) as out, out.step(0) as step:
        for number in range(8):
            rows = np.arange(comm.rank, 10 + number, comm.size)[::-1]
            if number % 3 != 2:
                step.rows_at(rows, table=f"t{number}")
            step.put("a", rows + 100.0 * number, table=f"t{number}")
            step.put("b", -1.0 * rows, table=f"t{number}")


@pytest.mark.mpi
@pytest.mark.parametrize("layout", ["columns", "matrix"])
def test_many_tables(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "rows.hdf5"
    run_ranks(write_tables, 2, str(path), layout)
    with quire.open(path) as file:
        for number in range(8):
            rows = np.arange(10 + number)
            if number % 3 == 2:
                rows = np.concatenate([rows[rank::2][::-1] for rank in range(2)])
            found = file[0].tables[f"t{number}"].read()
            np.testing.assert_array_equal(found["a"], rows + 100.0 * number)
            np.testing.assert_array_equal(found["b"], -1.0 * rows)


@pytest.mark.parametrize("format_name", ["h5part", "hdf5"])
def test_compressed_chunks_have_no_places(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "rows.h5"
    with quire.create(path, format=format_name, chunk=8, filter="deflate") as out:
        step = out.step(0)
        step.rows_at([3, 1]).put("x", np.ones(2))
        with pytest.raises(quire.UnsupportedError, match=r"compressed.*without filter"):
            step.commit()
        with out.step(0) as usual:
            usual.put("x", np.ones(2))
    with quire.open(path) as file:
        assert file.numbers == [0]


def test_a_step_that_grows_takes_its_rows_in_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.h5"
    with quire.create(path, chunk=8, grow=True) as out:
        with out.step(0) as step:
            step.rows_at([9, 0]).put("x", np.ones(2))
        more = out.step(0)
        more.rows_at([0]).put("x", np.ones(1))
        with pytest.raises(quire.UnsupportedError, match="grows"):
            more.commit()
        with out.step(0) as usual:
            usual.put("x", np.ones(2))
    assert stored(path, "Step#0/x").tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(("format_name", "options", "name"), KINDS)
def test_chosen_rows_of_a_step_in_pieces(
    tmp_path: Path, format_name: str, options: dict[str, Any], name: str
) -> None:
    path = tmp_path / "rows.h5"
    rows = np.arange(30)[1:30:3]
    with quire.create(path, format=format_name, **options) as out, out.step(0) as step:
        step.rows_at(slice(1, 30, 3), total=30).declare("x", "float64").open()
        for first, end in ((0, 1), (1, 6), (6, 10)):
            step.write(first, {"x": rows[first:end] + 0.5})
    wanted = np.zeros(30)
    wanted[rows] = rows + 0.5
    np.testing.assert_array_equal(stored(path, name), wanted)


def test_invalid_rows_are_refused(tmp_path: Path) -> None:
    with quire.create(tmp_path / "rows.h5") as out:
        step = out.step(0)
        for rows in (slice(3, None), slice(-3, 5), [-1], slice(9, 3, -1)):
            with pytest.raises(quire.UsageError, match="total="):
                step.rows_at(rows)
        with pytest.raises(quire.MissingError, match="no row 5"):
            step.rows_at([5], total=5)
        with pytest.raises(quire.UsageError, match="-1 rows"):
            step.rows_at([], total=-1)
        step.rows_at([2, 4, 2]).put("x", np.ones(3))
        with pytest.raises(quire.UsageError, match="row 2 is in the list twice"):
            step.commit()
