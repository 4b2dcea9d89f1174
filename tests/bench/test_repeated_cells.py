"""Cells in several passes of one launch, and what targets need beside times."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.bench.driver import ELEMENTS, RAW, TABLE, cell, holders, run

from quire.lab.bench.plan import presets, read_preset

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]

NUMBERS = TABLE | {"columns": "3xfloat64"}
ON_TWO = {"ranks": 2, "readers": 2}


def method_of(about: str) -> dict[str, Any]:
    """Return the first method of the library in the preset that is about something."""
    (preset,) = [name for name, words in presets().items() if words.startswith(about)]
    found = next(one for one in read_preset(preset)["method"] if "format" in one)
    return {"name": about, "format": found["format"]}


ROWS = method_of("Tables")
STEPS = method_of("Six attributes")
PARALLEL = {"name": "parallel", "engine": "hdf5", "options": {"datasets": "in turn", "alignment": 1}}


def passes(count: int, cells: int) -> list[dict[str, Any]]:
    """Return a pass that does not count and others, each in another order."""
    places = list(range(cells))
    return [{"pass": one, "cells": places if one % 2 else places[::-1]} for one in range(count + 1)]


def has_parallel_hdf5(program: str) -> bool:
    """Return whether this build has parallel HDF5."""
    known = json.loads(subprocess.run([program, "list"], capture_output=True, check=True).stdout)
    return "hdf5" in known["engines"]


def test_the_first_of_several_passes_does_not_count(folder: Path, program: str) -> None:
    """It verifies the data; all passes are measured with processor time, and without a sync."""
    methods = [*RAW, *holders(program, TABLE)[:2]]
    cells = [cell(method, TABLE, operation) for method in methods for operation in ("write", "read")]
    cells += [cell(one, ELEMENTS, "rewrite") for one in holders(program, ELEMENTS)]
    lines = run(program, folder, cells, passes=passes(2, len(cells)))
    assert [line["pass"] for line in lines] == [number for number in range(3) for _ in cells]
    for line in lines:
        assert line["verified"], line
        assert line["kind"] == ("repetition" if line["pass"] else "warm-up")
        assert line["times"]["durable"] is None
        assert len(line["processor"]) == 3
        assert "peak" not in line


def test_cells_that_were_wrong_stay_wrong(folder: Path, program: str) -> None:
    """Passes that verify nothing are no data points after one that found wrong data."""
    table = TABLE | {"rows": 5000, "steps": 1}
    cells = [cell(RAW[0], table, "write", fault={"kind": "spoil"}), cell(RAW[1], table, "write")]
    lines = run(program, folder, cells, code=1, passes=passes(2, 2))
    assert [line["verified"] for line in lines if line["id"] == cells[0]["id"]] == [False] * 3
    assert [line["verified"] for line in lines if line["id"] == cells[1]["id"]] == [True] * 3


def test_files_of_other_methods_are_read(folder: Path, program: str) -> None:
    """By raw transfers, by the library into memory of any place in its page, and by parallel HDF5."""
    aligned = STEPS | {"name": "aligned", "memory": "aligned"}
    cells = [
        cell(RAW[0], NUMBERS, "read", maker=ROWS, id="raw", **ON_TWO),
        cell(aligned, NUMBERS, "read", maker=STEPS, id="aligned", **ON_TWO),
    ]
    if has_parallel_hdf5(program):
        cells += [
            cell(PARALLEL, NUMBERS, "read", maker=STEPS, id="peer", **ON_TWO),
            cell(STEPS, NUMBERS, "read", maker=PARALLEL, id="foreign", **ON_TWO),
        ]
    assert all(line["verified"] for line in run(program, folder, cells, ranks=2))
    own = cell(RAW[0], NUMBERS, "read", maker=RAW[1], **ON_TWO)
    (line,) = run(program, folder, [own], ranks=2, code=1)
    assert "makes one file" in line["error"]
    assert not line["verified"]


def test_parallel_hdf5_writes_elements_and_data_sets_in_turn(folder: Path, program: str) -> None:
    """Elements of one order are one block of each variable; other options and orders are errors."""
    if not has_parallel_hdf5(program):
        pytest.skip("this build has no parallel HDF5")
    elements = ELEMENTS | {"modes": [3]}
    good = [cell(PARALLEL, one, "write", id=str(one["name"]), **ON_TWO) for one in (NUMBERS, elements)]
    good.append(cell(PARALLEL, elements | {"elements": 1}, "read", id="empty rank", **ON_TWO))
    assert all(line["verified"] for line in run(program, folder, good, ranks=2))
    bad = [
        cell(PARALLEL, ELEMENTS, "write", id="orders", **ON_TWO),
        cell(PARALLEL | {"options": {"order": "x"}}, NUMBERS, "write", id="options", **ON_TWO),
    ]
    orders, options = run(program, folder, bad, ranks=2, code=1)
    assert "tables and fields" in orders["error"]
    assert "no option" in options["error"]


def test_raw_writes_are_durable_on_request(folder: Path, program: str) -> None:
    """The time of the sync is inside of the total."""
    cells = [cell(one | {"options": {"durable": True}}, TABLE, "write") for one in RAW]
    for line in run(program, folder, cells):
        assert line["verified"], line
        assert len(line["phases"]["commit_sync"]) == 3
        assert max(line["phases"]["commit_sync"]) <= line["times"]["returned"]


def test_a_subset_has_as_many_columns_as_requested(folder: Path, program: str) -> None:
    """Two of four columns are read, of different types; their bytes are the payload."""
    table = TABLE | {"columns": "1xfloat64+3xint32", "subset": 2}
    lines = run(program, folder, [cell(one, table, "read-subset") for one in (ROWS, RAW[1])])
    assert [line["bytes"]["payload"] for line in lines] == [2 * 103 * 12] * 2
    assert all(line["verified"] for line in lines)


def test_memory_is_measured_on_request(folder: Path, program: str) -> None:
    """The peak of each rank beyond the data: less than a second copy of the data of 8 MB a rank."""
    large = NUMBERS | {"rows": 1_000_000, "steps": 1}
    cells = [cell(ROWS, large, one, peak=True, **ON_TWO) for one in ("write", "read")]
    for line in run(program, folder, cells, ranks=2, passes=passes(1, 2)):
        assert len(line["peak"]) == 2
        if line["kind"] == "repetition":
            assert max(line["peak"]) < 8_000_000


def test_collectives_of_steps_are_counted(folder: Path, program: str) -> None:
    """Of the first step, and the most of any later one, on all ranks together."""
    (line,) = run(program, folder, [cell(ROWS, NUMBERS | {"steps": 3}, "write", **ON_TWO)], ranks=2)
    first, later = (line["counters"][f"collectives_of_{one}"] for one in ("first_step", "later_steps"))
    assert 2 <= later <= first <= 2 * 4
    assert first + 2 * later <= line["counters"]["collectives"]
