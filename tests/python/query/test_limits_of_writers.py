"""Writers make indexes with the limits that quire index finds, on any number of ranks."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.query.indexed import SPECIAL, TYPES, is_in, rows_of
from tests.python.support.files import path_for, step_formats, table_formats
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import FormatInfo, format_infos, is_series, transports
from quire.io.sidecar import BLOCK_ROWS, Sidecar
from quire.toolkit.indexing import are_equal, zones_of_steps

Columns = dict[str, Any]
TYPE_NAMES = {"f8": "float64", "i8": "int64"}


def sidecar_of(path: Path) -> Path:
    return Path(f"{path}.qix")


def write(path: Path, *steps: Columns, **options: Any) -> list[str]:
    """Write a file with its index; returns the remarks."""
    with quire.create(path, quire.SELF, zones=True, **options) as out:
        for number, columns in enumerate(steps):
            with out.step(number) as step:
                for name, values in columns.items():
                    step.put(name, values)
    return out.remarks


def assert_limits(path: Path) -> int:
    """Assert that the index has the limits of all columns of numbers; returns the number of columns."""
    sidecar = Sidecar(str(sidecar_of(path)))
    with quire.open(path, quire.SELF) as file:
        expected = dict(zones_of_steps(file))
    assert set(sidecar.keys) == set(expected)
    for key, true in expected.items():
        zones = sidecar.zones(key)
        assert zones is not None, key
        assert are_equal(zones, true), key
    assert quire.index_faults(path) == []
    assert quire.index_info(path).is_current
    return len(expected)


def values_of(type: str, rows: int, seed: int) -> Any:
    """Some values, few of which are special, with blocks of NaN."""
    dtype, random = np.dtype(type), np.random.default_rng(seed)
    special = [one for one in SPECIAL[dtype.kind] if dtype.kind == "f" or is_in(one, dtype)]
    values = random.integers(0, 100, rows).astype(dtype)
    places = random.integers(0, max(rows, 1), 5 if rows else 0)
    values[places] = np.array(
        [special[one % len(special)] for one in random.integers(0, 99, len(places))], dtype
    )
    if dtype.kind == "f" and seed % 2:
        values[BLOCK_ROWS : 2 * BLOCK_ROWS] = np.nan
    return values


ROWS = st.sampled_from([0, 1, 7, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 5])


@pytest.mark.parametrize("format_name", step_formats())
@settings(max_examples=25)
@given(
    types=st.lists(st.sampled_from(TYPES[:-1]), min_size=1, max_size=3), rows=ROWS, seed=st.integers(0, 99)
)
def test_limits_are_those_of_the_values(
    tmp_path_factory: pytest.TempPathFactory, format_name: str, types: list[str], rows: int, seed: int
) -> None:
    path = path_for(tmp_path_factory.getbasetemp(), format_name, "limits")
    columns = {f"c{place}": values_of(type, rows, seed + place) for place, type in enumerate(types)}
    columns["every"] = np.repeat(columns["c0"], 2)[::2]
    assert write(path, columns, {name: values[::-1] for name, values in columns.items()}) == []
    assert_limits(path)


def test_limits_of_long_double_enclose_them(tmp_path: Path) -> None:
    values = np.array([1, 1e300, np.nan, -2], "g") * (1 + np.finfo("g").eps)
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        write(path, {"x": values * np.longdouble("1e4000")}, {"x": values}, lossy=True)
        assert_limits(path)


@pytest.mark.parametrize("format_name", step_formats())
def test_rows_that_cannot_match_are_not_read(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    x = np.arange(20.0 * BLOCK_ROWS + 7)
    write(path, {"x": x}, {"x": -x})
    with quire.open(path) as file, warnings.catch_warnings():
        warnings.simplefilter("error")
        table = file.step(0).table
        rows = table.candidates(quire.expression("x > 81924"), (0, len(table)))
        assert rows == [(20 * BLOCK_ROWS, 7)]
        assert table.where("x > 81924").numbers().tolist() == [81925, 81926]


def write_share(
    comm: Any, path: str, format_name: str, shares: list[int], in_parts: bool, has_text: bool
) -> list[int]:
    """Write two steps of which this rank has a share of the rows; returns the number of collectives."""
    edges = np.cumsum([0, *shares])
    mine = slice(*map(int, edges[comm.rank : comm.rank + 2]))
    counts = []
    for zones in (False, True):
        with quire.create(path, comm, format_name, zones=zones, deadline=30) as out:
            for number in (2, 9):
                with out.step(number) as step:
                    columns = {type: values_of(type, sum(shares), number)[mine] for type in ("f8", "i8")}
                    if has_text:
                        columns["S"] = np.array(["proton"] * len(columns["f8"]), "U")
                    if in_parts:
                        step.rows(len(columns["f8"]))
                        for name in columns:
                            step.declare(name, TYPE_NAMES[name])
                        step.open()
                        for first in range(0, len(columns["f8"]), 1500):
                            step.write(
                                first, {name: one[first : first + 1500] for name, one in columns.items()}
                            )
                    else:
                        for name, values in columns.items():
                            step.put(name, values)
            counts.append(out.counters.collectives)
    return counts


@pytest.mark.mpi
@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize(
    "shares",
    [
        [9000],
        [0, 5000, 5000],
        [5000, 1000, 9000, 0],
        [3000, 0, 20, 7000],
        [0, 0],
        [4096, 4096],
        [10, 10, 10, 10],
    ],
)
def test_ranks_share_blocks(tmp_path: Path, shares: list[int], in_parts: bool) -> None:
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        has_text = format_name == step_formats()[0] and not in_parts
        for without, with_limits in run_ranks(
            write_share, len(shares), str(path), format_name, shares, in_parts, has_text
        ):
            assert without == with_limits  # before close(); limits cost no collective of a commit
        assert_limits(path)


def write_much(comm: Any, path: str, format_name: str, transport: str, rows: int) -> None:
    with quire.create(path, comm, format_name, transport=transport, zones=True, deadline=60) as out:
        for number in range(2):
            with out.step(number) as step:
                for name, type in (("x", "f8"), ("k", "i4"), ("y", "f4")):
                    step.put(name, values_of(type, rows + comm.rank, 2 * number + comm.rank))


@pytest.mark.mpi
@pytest.mark.parametrize("transport", transports())
def test_limits_follow_pieces_of_every_transport(tmp_path: Path, transport: str) -> None:
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        run_ranks(write_much, 2, str(path), format_name, transport, 200_000)
        assert assert_limits(path) == 6


def test_a_file_of_one_step_has_an_index(tmp_path: Path) -> None:
    for format_name in set(table_formats()) - set(step_formats()):
        path = path_for(tmp_path, format_name, format_name)
        assert write(path, {"x": np.arange(9000.0)}) == []
        assert assert_limits(path) == 1


@pytest.mark.parametrize("format_name", step_formats())
def test_copies_have_an_index(tmp_path: Path, format_name: str) -> None:
    source, target = path_for(tmp_path, format_name, "source"), path_for(tmp_path, format_name, "target")
    write(source, {"x": np.arange(9000.0)})
    for overwrite in (False, True):
        quire.copy(source, target, overwrite=overwrite, options={"zones": "true"})
        assert assert_limits(target) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert rows_of(target, "x > 8998") == [8999]
    assert sorted(os.listdir(tmp_path)) == sorted(
        place.name for path in (source, target) for place in (path, sidecar_of(path))
    )


def test_compressed_chunks_have_limits(tmp_path: Path) -> None:
    for format_name in step_formats()[1:]:
        path = path_for(tmp_path, format_name, format_name)
        assert write(path, {"x": values_of("f8", 9000, 3)}, filter="deflate", chunk=1000) == []
        assert assert_limits(path) == 1


def test_constants_have_limits(tmp_path: Path) -> None:
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        with quire.create(path, zones=True) as out, out.step(1) as step:
            step.put("x", np.arange(5000.0))
            step.put_constant("q", -1.5)
        assert_limits(path)


def test_limits_of_more_than_64_mib_are_not_stored(tmp_path: Path) -> None:
    blocks = (64 << 20) // (8 + 8 + 2)
    for format_name in [info.name for info in format_infos() if info.holds_constants and not info.one_step]:
        for is_over in (False, True):
            path = path_for(tmp_path, format_name, f"{format_name}_{is_over}")
            with quire.create(path, zones=True) as out, out.step(0) as step:
                step.rows((blocks + 1 if is_over else blocks * 9 // 10) * BLOCK_ROWS)
                step.put_constant("q", -1.5)
            assert any("more than 64 MiB" in remark for remark in out.remarks) == is_over
            assert sidecar_of(path).exists() != is_over


@pytest.mark.parametrize("rows", [5000, 700_000])
def test_steps_in_flight_have_limits(tmp_path: Path, rows: int) -> None:
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        with quire.create(path, zones=True) as out:
            for number in range(3):
                x = np.arange(float(rows)) + number
                with out.step(number, overlap=True) as step:
                    step.put("x", x)
                x[:] = 0
        assert_limits(path)


def test_columns_that_share_memory_have_limits(tmp_path: Path) -> None:
    matrix = np.arange(4 * 150_001.0).reshape(4, -1)
    matrix[2, 5] = np.nan
    columns = {"a": matrix[0], "b": matrix[1], "again": matrix[0], "half": matrix[0][:75_000].repeat(2)}
    columns |= {"last": matrix[3], "c": matrix[2], "late": matrix.reshape(-1)[1000:151_000]}
    columns = {name: values[:150_000] for name, values in columns.items()}
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        assert write(path, columns, {name: values[:40_000] for name, values in columns.items()}) == []
        assert assert_limits(path) == 2 * len(columns)


def test_a_step_that_fails_has_no_limits(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    with quire.create(path, zones=True) as out:
        for number in range(3):
            try:
                with out.step(number) as step:
                    step.put("x", np.arange(5000.0) + number)
                    if number == 1:
                        raise ValueError
            except ValueError:
                continue
    assert_limits(path)


def test_chosen_rows_have_no_limits(tmp_path: Path) -> None:
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        with quire.create(path, zones=True) as out, out.step(0) as step:
            step.rows_at(np.arange(5000)[::-1], 5000)
            step.put("x", np.arange(5000.0))
        assert quire.index_info(path).columns == 0


@pytest.mark.parametrize(("options", "reason"), [({"compression": "gzip"}, "compressed as a whole")])
def test_what_has_no_limits_says_so(tmp_path: Path, options: dict[str, Any], reason: str) -> None:
    path = path_for(tmp_path, step_formats()[0])
    (remark,) = write(path, {"x": np.arange(5.0)}, **options)
    assert reason in remark
    assert not sidecar_of(path).exists()


@pytest.mark.parametrize("info", [info for info in format_infos() if info.tables], ids=lambda info: info.name)
def test_a_series_has_no_index(tmp_path: Path, info: FormatInfo) -> None:
    pattern = tmp_path / f"run_%T{info.suffixes[0]}"
    if not is_series(pattern, info.name):
        return
    remarks = write(pattern, {"x": np.arange(5.0)}, {"x": np.arange(5.0)}, format=info.name)
    assert "set of files" in remarks[0]
    assert len(os.listdir(tmp_path)) == 2


def test_an_index_that_cannot_be_written_costs_a_remark(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    (sidecar_of(path) / "something").mkdir(parents=True)
    (remark,) = write(path, {"x": np.arange(5.0)})
    assert "zones" in remark
    with pytest.warns(quire.IndexWarning, match="Is a directory"):
        assert rows_of(path, "x > 3") == [4]
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, sidecar_of(path).name])


def test_no_index_is_made_of_a_file_that_is_moved_there(tmp_path: Path) -> None:
    for format_name in table_formats():
        path, other = path_for(tmp_path, format_name, "target"), path_for(tmp_path, format_name, "other")
        for name in (path, other):
            with quire.create(name, quire.SELF, format_name) as out, out.step(0) as step:
                step.put("x", np.arange(9000.0) + (1e6 if name == other else 0))
        out = quire.create(path, quire.SELF, format_name, zones=True)
        with out.step(0) as step:
            step.put("x", np.arange(9000.0))
        os.replace(other, path)
        try:
            out.close()
        except quire.ConflictError:
            assert format_name in step_formats()
        else:
            assert any("zones" in remark for remark in out.remarks), format_name
        assert not sidecar_of(path).exists()
        assert len(rows_of(path, "x > 1e6")) == 8999


def test_a_file_without_steps_has_no_index(tmp_path: Path) -> None:
    for format_name in table_formats():
        with quire.create(path_for(tmp_path, format_name, format_name), zones=True) as out:
            pass
        assert not any("zones" in remark for remark in out.remarks)
    assert not list(tmp_path.glob("*.qix"))


def test_a_copy_whose_index_cannot_be_moved_is_complete(tmp_path: Path) -> None:
    path, target = path_for(tmp_path, step_formats()[0], "source"), path_for(tmp_path, step_formats()[0])
    write(path, {"x": np.arange(9000.0)})
    (sidecar_of(target) / "something").mkdir(parents=True)
    target.write_bytes(b"")
    with pytest.warns(quire.IndexWarning, match="cannot be moved"):
        quire.copy(path, target, overwrite=True, options={"zones": "true"})
    with quire.open(target) as file:
        assert len(file.step(0).table) == 9000
    assert not list(tmp_path.glob(".quire*"))


def test_the_index_of_an_older_file_is_replaced(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    for rows in (5000, 9000):
        write(path, {"x": np.arange(rows)}, replacement="whole")
        assert_limits(path)


def test_an_index_is_not_used_after_steps_are_appended(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, {"x": np.arange(9000.0)})
    with quire.append(path) as out, out.step(1) as step:
        step.put("x", np.arange(9000.0) + 9000)
    with quire.open(path) as file, pytest.warns(quire.IndexWarning, match="the file was changed after it"):
        assert len(file.step(1).table.where("x > 17990")["x"]) == 9
    assert quire.build_index(path, append=True).steps == 2
    assert_limits(path)


def test_a_writer_that_is_killed_leaves_no_index(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    program = f"""
import os, quire
out = quire.create({str(path)!r}, zones=True)
with out.step(0) as step:
    step.put("x", list(range(5000)))
os._exit(7)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 7
    assert os.listdir(tmp_path) == [path.name]
    assert rows_of(path, "x > 4998") == [4999]
