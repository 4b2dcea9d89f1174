"""quire query."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.cli.conftest import Run, Start, columns
from tests.python.support.files import path_for, step_formats, write_table

import quire

NUMBERS = (1, 4, 9)


def rows_above(number: int, limit: float) -> list[int]:
    """The rows of a step of the beam with a greater x."""
    return np.flatnonzero(columns(number)["x"] > limit).tolist()


@pytest.mark.parametrize("indexed", [False, True])
def test_it_counts_and_names_rows(run: Run, one_beam: Path, indexed: bool) -> None:
    if indexed:
        quire.build_index(one_beam)
    found = {number: rows_above(number, 1e-3) for number in NUMBERS}
    counts = [f"step {number}: {len(rows)} of 100 rows" for number, rows in found.items()]
    assert run("query", one_beam, "x > 1e-3").output.splitlines() == counts
    rows = run("query", one_beam, "x > 1e-3", "--steps", 4, "--numbers").output.split()
    assert [int(row) for row in rows] == found[4]
    ids = run("query", one_beam, "x > 1e-3", "--ids").output.splitlines()
    expected = [
        [title, *(str(row + 1) for row in rows)] for title, rows in zip(counts, found.values(), strict=True)
    ]
    assert ids == [line for lines in expected for line in lines]
    explained = run("query", one_beam, "x > 9", "--explain", "--index", 0).output
    read = "0 rows of x, by the index: 0 bytes of 800 bytes" if indexed else "all rows of x: 800 bytes"
    assert explained == f"step 1: 0 of 100 rows\n  reads {read}\n"


def test_a_scan_of_all_rows_is_not_explained_by_the_index(run: Run, one_beam: Path) -> None:
    quire.build_index(one_beam)
    some = run("query", one_beam, "x > 1e-3", "--explain", "--index", 0).output.splitlines()
    assert some[1] == "  reads all rows of x: 800 bytes; no block is excluded by the index"


def test_it_prints_json(run: Run, one_beam: Path) -> None:
    answer = json.loads(run("query", one_beam, "x > 1e-3", "--steps", 9, "--numbers", "--json").output)
    rows = rows_above(9, 1e-3)
    plan = {
        "columns": ["x"], "limits": "", "lists": [],
        "rows": 100, "rows_expected": 100, "rows_read": 100, "aggregated": [],
        "bytes": 800, "bytes_expected": 800, "bytes_read": 800,
    }  # fmt: skip
    step = {"step": 9, "rows": 100, "count": len(rows), "plan": plan, "found": rows}
    assert answer == {"expression": "x > 1e-3", "steps": [step]}


@pytest.mark.parametrize(
    ("ids", "lines", "values"),
    [
        (np.array([1234567.0, 2.5, np.nan, -np.inf]), ["1234567", "2.5", "nan", "-inf"],
         [1234567.0, 2.5, "nan", "-inf"]),
        (np.array([16777216, 0.1], "f4"), ["16777216", "0.1"], [16777216.0, float(np.float32(0.1))]),
        (["a\nb", "\x1b[31m"], ["a\\x0ab", "\\x1b[31m"], ["a\nb", "\x1b[31m"]),
    ],
)  # fmt: skip
def test_ids_have_all_digits(run: Run, tmp_path: Path, ids: Any, lines: list[str], values: list[Any]) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write_table(path, step_formats()[0], {"id": ids})
    assert run("query", path, "row >= 0", "--ids").output.splitlines() == lines
    answer = json.loads(run("query", path, "row >= 0", "--ids", "--json").output)
    assert answer["steps"][0]["found"] == values


def test_long_doubles_are_ids(run: Run, tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    write_table(path, step_formats()[0], {"id": np.array([2**60 + 1, 0.5], np.longdouble)})
    assert run("query", path, "row >= 0", "--ids").output.split() == [str(2**60 + 1), "5e-01"]
    answer = json.loads(run("query", path, "row >= 0", "--ids", "--json").output)
    assert answer["steps"][0]["found"] == ["1.152921504606846977e+18", "5e-01"]


@pytest.mark.mpi
def test_ranks_share_the_rows(run: Run, start: Start, one_beam: Path) -> None:
    words = ("query", one_beam, "x > 1e-3", "--ids")
    assert start(*words, ranks=3).stdout.decode() == run(*words).output


def test_wrong_requests_are_refused(run: Run, one_beam: Path) -> None:
    assert run("query", one_beam, "x > 0", "--numbers", "--ids").code == 2
    assert "is not a condition" in run("query", one_beam, "x").errors
    assert 'no column or attribute "q"' in run("query", one_beam, "q > 1").errors
    assert run("query", one_beam, "x > 0", "--steps", 77).code == 1
