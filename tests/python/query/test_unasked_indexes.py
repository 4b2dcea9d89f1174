"""Writers make indexes of large tables without being asked (zones=auto), and without a word."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.query.indexed import rows_of
from tests.python.support.files import path_for, step_formats, table_formats
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import format_infos, is_series
from quire.io.origin import TICK
from quire.io.sidecar import ColumnKey, Sidecar, is_unasked
from quire.toolkit.indexing import are_equal, zones_of_steps

LARGE = 1 << 23
"""Rows from which on a table has limits unasked."""


def sidecar_of(path: Path) -> Path:
    return Path(f"{path}.qix")


def ramp(rows: int, first: int = 0) -> Any:
    return np.arange(first, first + rows, dtype=np.float32)


def write(path: Path, *steps: int, **options: Any) -> Any:
    """Write steps with a ramp of as many rows each; returns the writer after its end."""
    with quire.create(path, quire.SELF, **({"zones": "auto"} | options)) as out:
        for number, rows in enumerate(steps):
            with out.step(number) as step:
                step.put("x", ramp(rows))
    return out


def quiet_rows(path: Path, condition: str = "x < 3", step: int = 0) -> Any:
    """Return rows that satisfy a condition, of which no warning may come."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return rows_of(path, condition, step)


def is_indexed(path: Path, step: int = 0) -> bool:
    """Return whether readers use limits of the column x."""
    with quire.open(path) as file:
        return file.step(step).table.indexed("x") is not None


def limited(path: Path) -> list[ColumnKey]:
    """Assert that the index is right and that it was not asked for; returns its columns."""
    sidecar = Sidecar(str(sidecar_of(path)))
    with quire.open(path, quire.SELF) as file:
        expected = dict(zones_of_steps(file))
    for key in sidecar.keys:
        zones = sidecar.zones(key)
        assert zones is not None
        assert are_equal(zones, expected[key]), key
    assert quire.index_faults(path) == []
    info = quire.index_info(path)
    assert info.is_current
    assert not info.is_asked_for
    return list(sidecar.keys)


@pytest.mark.parametrize("format_name", table_formats())
def test_large_tables_have_an_index(tmp_path: Path, format_name: str) -> None:
    for rows in (LARGE - 1, LARGE):
        path = path_for(tmp_path, format_name, str(rows))
        assert write(path, rows).remarks == []
        assert sidecar_of(path).exists() == (rows == LARGE)
        assert quiet_rows(path) == [0, 1, 2]
        assert is_indexed(path) == (rows == LARGE)
    assert len(limited(path)) == 1


@pytest.mark.parametrize("format_name", table_formats())
def test_the_file_is_the_same_without_an_index(tmp_path: Path, format_name: str) -> None:
    written = []
    for zones in ("auto", "false", "true"):
        (tmp_path / zones).mkdir()
        path = path_for(tmp_path / zones, format_name)
        write(path, LARGE, zones=zones)
        written.append(path.read_bytes())
        assert sidecar_of(path).exists() == (zones != "false")
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize("format_name", step_formats())
def test_only_large_steps_have_limits(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    assert write(path, 10, LARGE, 0, LARGE + 5000, 20).remarks == []
    assert {step for step, _, _ in limited(path)} == {1, 3}
    for step in range(5):
        with quire.open(path) as file:
            rows = np.flatnonzero(file.step(step)["x"][:] < 3).tolist()
        assert quiet_rows(path, "x < 3", step) == rows
    assert (is_indexed(path, 0), is_indexed(path, 3)) == (False, True)


def formats_of_several_tables() -> list[str]:
    return [info.name for info in format_infos() if info.tables and holds_two_tables(info.name)]


def holds_two_tables(format_name: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            write_tables(path_for(Path(folder), format_name), {"one": 3, "other": 3})
        except quire.Error:
            return False
    return True


def write_tables(path: Path, tables: dict[str, int], **options: Any) -> Any:
    with quire.create(path, quire.SELF, **({"zones": "auto"} | options)) as out, out.step(0) as step:
        for name, rows in tables.items():
            step.put("x", ramp(rows), table=name)
    return out


@pytest.mark.parametrize("format_name", formats_of_several_tables())
def test_only_large_tables_have_limits(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    assert write_tables(path, {"first": 100, "large": LARGE, "last": LARGE - 1}).remarks == []
    assert {table for _, table, _ in limited(path)} == {"large"}


def test_constants_alone_have_no_index(tmp_path: Path) -> None:
    for format_name in [info.name for info in format_infos() if info.holds_constants]:
        for zones in ("auto", "true"):
            path = path_for(tmp_path, format_name, f"{format_name}_{zones}")
            with quire.create(path, quire.SELF, zones=zones) as out, out.step(0) as step:
                step.rows(1 << 48)
                step.put_constant("q", -1.5)
            assert any("more than 64 MiB" in remark for remark in out.remarks) == (zones == "true")
    assert not list(tmp_path.glob("*.qix"))


@pytest.mark.parametrize("format_name", formats_of_several_tables())
def test_a_step_of_many_tables_takes_no_further_collective(tmp_path: Path, format_name: str) -> None:
    tables = {f"t{number}": 3 for number in range(70)} | {"large": LARGE}
    collectives = [
        write_tables(path_for(tmp_path, format_name, zones), tables, zones=zones).counters.collectives
        for zones in ("auto", "false")
    ]
    assert collectives[0] == collectives[1]
    assert not list(tmp_path.glob("*.qix"))


@pytest.mark.parametrize("format_name", step_formats())
def test_small_files_take_no_further_collective(tmp_path: Path, format_name: str) -> None:
    counts = [
        write(path_for(tmp_path, format_name, zones), 5, 5000, zones=zones).counters
        for zones in ("auto", "false")
    ]
    assert counts[0].collectives == counts[1].collectives
    assert counts[0].bytes_written == counts[1].bytes_written


def write_share(comm: Any, path: str, format_name: str, steps: list[list[int]]) -> bool:
    """Write steps of which this rank has a share of the rows; returns whether there are remarks."""
    with quire.create(path, comm, format_name, zones="auto", deadline=30) as out:
        for number, shares in enumerate(steps):
            before = sum(shares[: comm.rank])
            with out.step(number) as step:
                step.put("x", ramp(shares[comm.rank], before))
                step.put("k", np.full(shares[comm.rank], comm.rank, np.int32))
    return bool(out.remarks)


@pytest.mark.mpi
@pytest.mark.parametrize(
    "steps",
    [
        [[LARGE]],
        [[LARGE // 2, LARGE // 2], [LARGE // 2 - 1, LARGE // 2]],
        [[0, LARGE], [LARGE, 0], [0, 0]],
        [[0, LARGE // 2, LARGE // 2], [5, 6, 7], [LARGE - 7, 7, 0], [0, 0, 0], [0, LARGE + 9, 0]],
    ],
)
def test_ranks_decide_alike(tmp_path: Path, steps: list[list[int]]) -> None:
    for format_name in step_formats():
        path = path_for(tmp_path, format_name, format_name)
        assert not any(run_ranks(write_share, len(steps[0]), str(path), format_name, steps))
        large = {number for number, shares in enumerate(steps) if sum(shares) >= LARGE}
        assert {step for step, _, _ in limited(path)} == large
        for step in large:
            assert quiet_rows(path, "x < 3", step) == [0, 1, 2]


def leave_at_second(comm: Any, path: str) -> str:
    """Rank 1 leaves the file in the second step; returns the error of this rank."""
    try:
        with quire.create(path, comm, zones="auto", deadline=30) as out:
            for number in range(2):
                with out.step(number) as step:
                    step.put("x", ramp(LARGE))
                    if number == 1 and comm.rank == 1:
                        raise ValueError("left")
    except (ValueError, quire.Error) as problem:
        return type(problem).__name__
    return ""


@pytest.mark.mpi
def test_a_rank_that_leaves_costs_the_index(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    assert "ValueError" in run_ranks(leave_at_second, 2, str(path))
    assert os.listdir(tmp_path) == [path.name]
    assert len(quiet_rows(path)) == 6


def test_nothing_is_said_of_files_without_an_index(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0], "compressed")
    assert write(path, LARGE, compression="gzip", compression_level=0).remarks == []
    for info in format_infos():
        pattern = tmp_path / f"{info.name}_%T{info.suffixes[0]}"
        if info.tables and is_series(pattern, info.name):
            assert write(pattern, LARGE, LARGE, format=info.name).remarks == []
            with quire.open(pattern) as file:
                assert len(file) == 2
    assert not list(tmp_path.glob("*.qix"))


@pytest.mark.parametrize("format_name", step_formats())
def test_a_full_disk_costs_the_index_only(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    Path(f"{sidecar_of(path)}.partial").symlink_to("/dev/full")
    assert write(path, LARGE).remarks == []
    assert os.listdir(tmp_path) == [path.name]
    assert quiet_rows(path) == [0, 1, 2]


def test_what_has_the_name_of_the_index_stays(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    sidecar_of(path).write_text("notes")
    assert write(path, LARGE).remarks == []
    assert sidecar_of(path).read_text() == "notes"
    sidecar_of(path).unlink()
    (sidecar_of(path) / "something").mkdir(parents=True)
    assert write(path, LARGE).remarks == []
    quire.copy(path, path_for(tmp_path, step_formats()[0], "copy"))
    assert sorted(os.listdir(tmp_path / sidecar_of(path).name)) == ["something"]


@pytest.mark.parametrize("replacement", ["direct", "whole"])
@pytest.mark.parametrize("format_name", table_formats())
def test_the_index_of_an_older_file_goes_away(tmp_path: Path, format_name: str, replacement: str) -> None:
    path = path_for(tmp_path, format_name)
    for rows in (LARGE, LARGE + 1):
        write(path, rows)
        assert len(limited(path)) == 1
    for zones in ("auto", "false"):
        write(path, LARGE)
        write(path, 10, replacement=replacement, zones=zones)
        assert os.listdir(tmp_path) == [path.name]
    assert quiet_rows(path) == [0, 1, 2]


def test_a_replacement_that_fails_leaves_the_old_index(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, LARGE)
    out = quire.create(path, quire.SELF, zones="auto", replacement="whole")
    with out.step(0) as step:
        step.put("x", ramp(10))
    out.abort("on purpose")
    assert len(limited(path)) == 1
    assert quiet_rows(path) == [0, 1, 2]


def test_copies_replace_unasked_indexes(tmp_path: Path) -> None:
    large, small, target = (
        path_for(tmp_path, step_formats()[0], name) for name in ("large", "small", "copy")
    )
    write(large, LARGE)
    write(small, 10)
    quire.copy(large, target, options={"zones": "auto"})
    assert len(limited(target)) == 1
    quire.copy(large, target, overwrite=True, options={"zones": "auto"})
    assert len(limited(target)) == 1
    quire.copy(small, target, overwrite=True)
    assert not sidecar_of(target).exists()
    assert quiet_rows(target) == [0, 1, 2]
    assert not list(tmp_path.glob(".quire*"))


@pytest.mark.parametrize("rows", [10, LARGE])
@pytest.mark.parametrize("is_copied", [False, True])
def test_an_index_that_was_asked_for_stays(tmp_path: Path, rows: int, is_copied: bool) -> None:
    path, source = (path_for(tmp_path, step_formats()[0], name) for name in ("file", "source"))
    write(path, 5000)
    quire.build_index(path, columns=["x"])
    content = sidecar_of(path).read_bytes()
    if is_copied:
        write(source, rows, zones="false")
        quire.copy(source, path, overwrite=True, options={"zones": "auto"})
    else:
        assert write(path, rows).remarks == []
    assert sidecar_of(path).read_bytes() == content
    assert not list(tmp_path.glob(".quire*"))
    with pytest.warns(quire.IndexWarning, match="the file was changed after it"):
        assert rows_of(path, "x < 3") == [0, 1, 2]


def test_zones_that_were_asked_for_keep_their_warning(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, 5000, zones=True)
    assert not is_unasked(sidecar_of(path))
    os.utime(path, ns=(0, 0))
    with pytest.warns(quire.IndexWarning, match="the file was changed after it"):
        assert rows_of(path, "x < 3") == [0, 1, 2]


def test_quire_index_replaces_an_unasked_index(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    for append in (False, True):
        write(path, LARGE)
        assert not quire.index_info(path).is_asked_for
        assert quire.build_index(path, append=append).is_asked_for
        sidecar_of(path).unlink()


def test_an_outdated_index_is_ignored_quietly(tmp_path: Path) -> None:
    path, copy = (path_for(tmp_path, step_formats()[0], name) for name in ("file", "copy"))
    write(path, LARGE)
    shutil.copy(path, copy)
    shutil.copy(sidecar_of(path), sidecar_of(copy))
    os.utime(path, ns=(0, 0))
    for one in (path, copy):
        assert not is_indexed(one)
        assert quiet_rows(one) == [0, 1, 2]
        assert not quire.index_info(one).is_current


def test_a_damaged_index_is_ignored_quietly(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, LARGE)
    content = bytearray(sidecar_of(path).read_bytes())
    for place in (8, 100, len(content) - 1):  # the version, values, the directory
        damaged = content.copy()
        damaged[place] ^= 1
        sidecar_of(path).write_bytes(damaged)
        assert quiet_rows(path) == [0, 1, 2]
        assert quiet_rows(path, f"x > {LARGE - 4}") == [LARGE - 3, LARGE - 2, LARGE - 1]


def test_a_change_of_an_open_file_is_noticed_quietly(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, LARGE)
    with quire.open(path) as file, warnings.catch_warnings():
        warnings.simplefilter("error")
        table = file.step(0).table
        assert table.where("x < 3").numbers().tolist() == [0, 1, 2]
        content = path.read_bytes()
        with path.open("r+b") as changed:
            changed.seek(content.index(ramp(2, 70_000).tobytes()))
            changed.write(np.float32(-1).tobytes())
        sidecar_of(path).unlink()
        assert table.where("x < 3").numbers().tolist() == [0, 1, 2, 70_000]


def change_sixth(name: str, dataset: Any) -> None:
    if getattr(dataset, "shape", None) == (LARGE,):
        dataset[5] = -1


def test_other_programs_may_change_the_file(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    changed = 0
    for format_name in table_formats():
        path = path_for(tmp_path, format_name, format_name)
        write(path, LARGE)
        if not h5py.is_hdf5(path):
            continue
        with h5py.File(path, "r+") as file:
            file.visititems(change_sixth)
        assert quiet_rows(path) == [0, 1, 2, 5]
        changed += 1
    assert changed


@pytest.mark.parametrize("format_name", step_formats())
def test_appending_removes_the_index(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    write(path, LARGE)
    with quire.append(path, quire.SELF) as out, out.step(1) as step:
        step.put("x", ramp(10))
    assert os.listdir(tmp_path) == [path.name]
    assert quiet_rows(path, "x < 3", 1) == [0, 1, 2]


@pytest.mark.parametrize("format_name", step_formats())
def test_a_killed_writer_leaves_no_index_of_its_own(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    program = f"""
import numpy, os, quire
out = quire.create({str(path)!r}, zones="auto")
with out.step(0) as step:
    step.put("x", numpy.arange({LARGE}, dtype="f4"))
os._exit(7)
"""
    for has_older in (False, True):
        if has_older:
            write(path, LARGE + 1)
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 7
        assert sidecar_of(path).exists() == has_older
        assert not is_indexed(path)
        assert quiet_rows(path) == [0, 1, 2]


def test_arrays_that_are_lent_have_limits_on_request(tmp_path: Path) -> None:
    x = ramp(LARGE)
    for format_name in step_formats():
        for zones in ("auto", "true"):
            path = path_for(tmp_path, format_name, f"{format_name}_{zones}")
            with quire.create(path, quire.SELF, zones=zones) as out:
                step = out.step(0)
                step.put("x", x)
                step.commit_async(borrow=True)
                out.wait()
            assert sidecar_of(path).exists() == (zones == "true"), format_name
        path = path_for(tmp_path, format_name, f"{format_name}_copied")
        with quire.create(path, quire.SELF, zones="auto") as out, out.step(0, overlap=True) as step:
            step.put("x", x)
        assert len(limited(path)) == 1


def formats_of_continued_steps() -> list[str]:
    return [info.name for info in format_infos() if "existing" in {one.name for one in info.write_options}]


@pytest.mark.parametrize("format_name", formats_of_continued_steps())
def test_a_step_of_several_commits_has_no_index(tmp_path: Path, format_name: str) -> None:
    path = path_for(tmp_path, format_name)
    out = quire.create(path, quire.SELF, zones="auto", existing="add")
    for name, sign in (("x", 1), ("y", -1)):
        with out.step(0) as step:
            step.put(name, sign * ramp(LARGE))
    out.close()
    assert out.remarks == []
    assert not sidecar_of(path).exists()
    assert quiet_rows(path, "y > -3") == [0, 1, 2]


def test_a_file_that_is_opened_at_once_uses_its_index(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write(path, LARGE)
    assert is_indexed(path)
    time.sleep(2 * TICK / 1e9)
    os.chmod(path, 0o600)
    assert quiet_rows(path) == [0, 1, 2]


def test_names_of_a_series_do_not_match_indexes(tmp_path: Path) -> None:
    for info in format_infos():
        pattern = tmp_path / f"run_%T{info.suffixes[0]}"
        if not info.tables or not is_series(pattern, info.name):
            continue
        write(pattern, 5, 5, format=info.name)
        for member in list(tmp_path.glob("run_*")):
            shutil.copy(member, sidecar_of(member))
        with quire.open(pattern) as file:
            assert [step.number for step in file] == [0, 1]
            assert not any(name.endswith(".qix") for name in file.members)


def test_zones_are_automatic_by_default(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    with quire.create(path, quire.SELF) as out:
        for number, rows in enumerate((10, LARGE)):
            with out.step(number) as step:
                step.put("x", ramp(rows))
    assert out.remarks == []
    assert {step for step, _, _ in limited(path)} == {1}
