"""Particle patches: written by the ranks on request, and used to read only rows that can match."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import UnsupportedError
from quire.io.zones import limits_of
from quire.toolkit.convert import copy
from quire.toolkit.request import Observer

ROWS = 20_000
PATCHES = 8
KINDS: list[dict[str, Any]] = [{}, {"chunk": 1000}, {"chunk": 1500, "filter": "deflate"}]


def positions(rank: int, rows: int) -> np.ndarray[Any, Any]:
    """The positions of a rank, which are apart from those of other ranks."""
    return np.random.default_rng(rank).uniform(10.0 * rank, 10.0 * rank + 9, rows)


def write_patches(comm: Any, path: str, counts: list[int], options: dict[str, Any]) -> None:
    """Each rank writes so many particles."""
    rows = counts[comm.rank]
    with (
        quire.create(path, comm, format="openpmd", patches=True, **options) as out,
        out.step(0) as step,
    ):
        step.put("x", positions(comm.rank, rows), unit="mm", table="electrons")
        step.put("y", np.arange(rows, dtype=np.float32), unit="m", table="electrons")
        step.put("px", np.arange(rows) * 1.0, unit="kg m/s", table="electrons")


def copy_on_ranks(comm: Any, source: str, target: str, options: dict[str, Any]) -> None:
    """Copy a file with the patches of the ranks."""
    copy(source, target, comm=comm, format="openpmd", options={"patches": True, **options})


def write_by_blocks(path: Path, unit: str = "mm", **changes: np.ndarray[Any, Any]) -> None:
    """Several patches by one process, as another program writes them."""
    x = np.concatenate([positions(rank, ROWS) for rank in range(PATCHES)])
    patches = {
        "numParticles": np.full(PATCHES, ROWS, np.uint64),
        "numParticlesOffset": np.arange(PATCHES, dtype=np.uint64) * ROWS,
        "offset_x": np.arange(PATCHES) * 10.0,
        "extent_x": np.full(PATCHES, 9.0),
    }
    with quire.create(path, format="openpmd") as out, out.step(0) as step:
        step.put("x", x, unit="mm", table="electrons")
        step.put("id", np.arange(len(x)), table="electrons")
        for name, values in (patches | changes).items():
            in_space = unit if name.endswith("_x") else ""
            step.put(name, values, unit=in_space, table="electrons/particlePatches")


def bytes_and_rows(path: Path, condition: str, **options: Any) -> tuple[int, np.ndarray[Any, Any]]:
    """The bytes that a condition reads, and the numbers of the rows that it finds."""
    with quire.open(path, **options) as file:
        table = file[0].tables["electrons"]
        before = file.counters.bytes_read
        found = table.where(condition).numbers()
        return file.counters.bytes_read - before, found


@pytest.mark.mpi
@pytest.mark.parametrize("options", KINDS)
def test_each_rank_with_particles_is_a_patch(tmp_path: Path, options: dict[str, Any]) -> None:
    path, counts = tmp_path / "run.h5", [3000, 0, 2500]
    run_ranks(write_patches, 3, str(path), counts, options)
    with h5py.File(path) as file:
        patches = file["data/0/particles/electrons/particlePatches"]
        assert patches["numParticles"][:].tolist() == [3000, 2500]
        assert patches["numParticlesOffset"][:].tolist() == [0, 3000]
        assert patches["numParticles"].dtype == np.uint64
        for rank, place in ((0, 0), (2, 1)):
            x = positions(rank, counts[rank])
            lower, upper = (patches[f"{name}/x"][place] for name in ("offset", "extent"))
            upper += lower
            assert lower == x.min()
            assert x.max() < upper <= np.nextafter(x.max(), np.inf, dtype=float) * (1 + 1e-15)
        assert patches["offset/x"].attrs["unitSI"] == 1e-3
        assert patches["offset/y"].dtype == patches["extent/y"].dtype == np.float32
        last = patches["offset/y"][1] + patches["extent/y"][1]
        assert np.float32(2499) < last <= np.nextafter(np.float32(2499), np.float32(np.inf))


@pytest.mark.mpi
@pytest.mark.parametrize("options", KINDS)
def test_a_copy_in_parts_has_the_patches_of_its_ranks(tmp_path: Path, options: dict[str, Any]) -> None:
    source, target = tmp_path / "run.h5", tmp_path / "copy.h5"
    with quire.create(source) as out, out.step(0) as step:
        step.put("x", np.arange(3001.0), unit="m").put("id", np.arange(3001))
    run_ranks(copy_on_ranks, 3, str(source), str(target), options)
    with quire.open(target) as file:
        patches = file[0].tables["beam/particlePatches"]
        assert patches["numParticles"][:].tolist() == [1001, 1000, 1000]
        assert patches["numParticlesOffset"][:].tolist() == [0, 1001, 2001]
        assert patches["offset_x"][:].tolist() == [0.0, 1001.0, 2001.0]
        np.testing.assert_array_equal(file[0].tables[""]["x"][:], np.arange(3001.0))
        assert file[0].tables[""].where("x >= 2000 and x < 2002").numbers().tolist() == [2000, 2001]


def test_calls_over_rows_use_the_rows_of_all_patches(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    write_by_blocks(path)
    with quire.open(path) as file:
        table = file[0].table
        x = table["x"][:]
        before = np.concatenate([[np.nan], x[:-1]])
        for text, holds in {
            "x > 60 and x < lag(x)": (x > 60) & (x < before),
            "x < 10 and x > mean(x)": (x < 10) & (x > x.mean()),
            "x > 71 and cumsum(x) < 0.95 * sum(x)": (x > 71) & (np.cumsum(x) < 0.95 * x.sum()),
        }.items():
            assert table.where(text).numbers().tolist() == np.flatnonzero(holds).tolist(), text


def test_without_the_option_there_are_no_patches(tmp_path: Path) -> None:
    for patches in (False, True):
        with quire.create(tmp_path / "run.h5", format="openpmd", patches=patches) as out, out.step(0) as step:
            step.put("x", np.zeros(3), unit="m")
            step.put("q", np.zeros(3), table="without positions")
        with quire.open(tmp_path / "run.h5") as file:
            assert ("beam/particlePatches" in file[0].tables) == patches
            assert len(file[0].tables) == 2 + patches


def test_patches_that_are_put_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with quire.create(path, format="openpmd", patches=True) as out, out.step(0) as step:
        step.put("x", np.arange(4.0), unit="m", table="e")
        step.put("numParticles", np.array([1, 3], np.uint64), table="e/particlePatches")
    with quire.open(path) as file:
        assert list(file[0].tables["e/particlePatches"]) == ["numParticles"]


def test_chosen_rows_are_no_patch(tmp_path: Path) -> None:
    with (
        pytest.raises(UnsupportedError, match="no blocks whose limits"),
        quire.create(tmp_path / "run.h5", format="openpmd", patches=True) as out,
        out.step(0) as step,
    ):
        step.rows_at([3, 1]).put("x", np.zeros(2))


@pytest.mark.parametrize(
    "values",
    [[], [np.nan], [np.nan, 2.0], [np.inf, -np.inf], [1.7e308, -1.7e308], [0.1], [5e-324], [1e16, 1e16 + 2]],
)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_limits_contain_all_numbers(tmp_path: Path, values: list[float], kind: Any) -> None:
    path = tmp_path / "run.h5"
    with np.errstate(over="ignore"):
        x = np.array(values, kind)
    with quire.create(path, format="openpmd", patches=True) as out, out.step(0) as step:
        step.put("x", x, table="electrons")
    with quire.open(path) as file:
        for condition in ("x >= 0.1", "x < 3", "x == 1e16", "x != 2", "not (x > 0)", "isnan(x)", "-x > 9e99"):
            expected = np.flatnonzero(quire.expression(condition)(x=x)) if len(x) else np.empty(0)
            found = file[0].tables["electrons"].where(condition).numbers()
            np.testing.assert_array_equal(found, expected, err_msg=condition)


@pytest.mark.parametrize(
    ("condition", "patches"),
    [
        ("x >= 20 and x < 25", 1),
        ("x between 29.5 and 31", 1),
        ("x < 5 or x > 71", 2),
        ("x > 100", 0),
        ("abs(x - 44) < 3", 1),
        ("x ** 2 < 36", 1),
        ("sqrt(x) > 8.35", 1),
        ("2 * x + 1 > 141 and id % 2 == 0", 1),
        ("not (x < 70)", PATCHES),  # NaN have no limits
        ("id < 3", PATCHES),
        ("x * id >= 0", PATCHES),
    ],
)
@pytest.mark.filterwarnings("ignore::quire.UnitWarning")
def test_a_condition_reads_only_patches_that_can_match(tmp_path: Path, condition: str, patches: int) -> None:
    path = tmp_path / "run.h5"
    write_by_blocks(path)
    all_bytes, expected = bytes_and_rows(path, condition, patches=False)
    read, found = bytes_and_rows(path, condition)
    np.testing.assert_array_equal(found, expected)
    columns = all_bytes // (8 * PATCHES * ROWS)
    assert columns * 8 * patches * ROWS <= read <= columns * 8 * patches * ROWS + 4096


def test_limits_of_other_programs_are_rounded() -> None:
    for seed in range(200):
        x = np.random.default_rng(seed).normal(size=50).astype(np.float32)
        (begin,), (end,) = limits_of(x.min(keepdims=True), (x.max() - x.min()).reshape(1))
        assert begin <= x.min() <= x.max() <= end


def test_a_negative_extent_excludes_nothing() -> None:
    _, (end,) = limits_of(np.array([1.0]), np.array([-1.0]))
    assert np.isnan(end)


def test_rows_and_conditions_are_not_those_of_the_patches(tmp_path: Path) -> None:
    write_by_blocks(tmp_path / "run.h5")
    runner = CliRunner()
    rows = re.search(r"rows +(\d+) in all", runner.invoke(app, ["info", str(tmp_path / "run.h5")]).output)
    assert rows is not None
    assert int(rows[1]) == PATCHES * ROWS
    for command in ("sum", "show", "stats"):
        outcome = runner.invoke(app, [command, str(tmp_path / "run.h5"), "--where", "x < 5"])
        assert outcome.exit_code == 0, outcome.output


def test_rows_and_counts_agree_with_all_rows(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    write_by_blocks(path)
    with quire.open(path) as file, quire.open(path, patches=False) as plain:
        table, other = file[0].tables["electrons"], plain[0].tables["electrons"]
        assert table.zones == "electrons/particlePatches"
        assert other.zones == ""
        done: list[tuple[int, int]] = []
        for rows in (slice(None), slice(15_000, 47_001), slice(5, 5)):
            condition = "x > 18 and x < 22"
            mine, all_rows = table.where(condition, rows), other.where(condition, rows)
            assert mine.count() == all_rows.count()
            np.testing.assert_array_equal(mine.read("id")["id"], all_rows.read("id")["id"])
        for _ in table.where("x > 68").blocks("id", progress=lambda *so_far: done.append(so_far)):
            pass
        assert {total for _, total in done} == {PATCHES * ROWS}
        assert [one for one, _ in done] == sorted(one for one, _ in done)


@pytest.mark.parametrize(
    "changes",
    [
        {"numParticlesOffset": np.zeros(PATCHES, np.uint64)},  # they overlap
        {"numParticles": np.full(PATCHES, ROWS + 1, np.uint64)},  # the last one ends after the rows
        {"offset_x": np.full(PATCHES, np.nan)},
        {"unit": "m"},
    ],
)
def test_patches_that_cannot_be_used_are_not(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = tmp_path / "run.h5"
    write_by_blocks(path, **changes)
    read, found = bytes_and_rows(path, "x >= 20 and x < 25")
    assert read >= 8 * PATCHES * ROWS
    assert len(found) > ROWS // 3


def test_rows_outside_of_patches_are_read(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    counts = np.full(PATCHES, ROWS, np.uint64)
    counts[4] = ROWS // 2
    write_by_blocks(path, numParticles=counts)
    # The second half of the fifth block belongs to no patch.
    read, found = bytes_and_rows(path, "x >= 20 and x < 49")
    _, expected = bytes_and_rows(path, "x >= 20 and x < 49", patches=False)
    np.testing.assert_array_equal(found, expected)
    read, found = bytes_and_rows(path, "x > 100")
    assert (len(found), read <= 8 * ROWS // 2 + 4096) == (0, True)


def test_positions_with_an_offset_have_no_limits(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    write_by_blocks(path)
    with h5py.File(path, "r+") as file:
        file["data/0/particles/electrons/positionOffset/x"].attrs["value"] = 1000.0
    with quire.open(path) as file:
        assert file[0].tables["electrons"].zones == ""


def test_copies_of_other_rows_have_no_patches_of_the_source(tmp_path: Path) -> None:
    source, target = tmp_path / "run.h5", tmp_path / "copy.h5"
    write_by_blocks(source)
    lost: list[str] = []
    observer = Observer(change=lambda kind, sentence: lost.append(f"{kind}: {sentence}"))
    for number, request in enumerate(({"where": "x > 65"}, {"rows": slice(0, 100)})):
        lost.clear()
        copy(source, target, format="openpmd", observer=observer, overwrite=True, **request)  # type: ignore[arg-type]
        with quire.open(target) as file:
            assert list(file[0].tables) == ["electrons"], number
        why = "left out: it describes the rows of the source"
        assert lost == [f"lost: table electrons/particlePatches: {why}"]
    copy(source, target, format="openpmd", overwrite=True)
    with quire.open(target) as file:
        assert file[0].tables["electrons"].zones == "electrons/particlePatches"
