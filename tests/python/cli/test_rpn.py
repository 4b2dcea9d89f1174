"""Expressions in reverse Polish notation in the commands, and quire explain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.support.files import path_for

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Table T of specs/sdds-toolkit.md, section 11."""
    path = path_for(tmp_path, quire.formats()[0], "T")
    with quire.create(path) as out, out.step(0) as step:
        step.set("p", 3.0, unit="m")
        step.put("x", np.arange(1.0, 7.0), unit="m").put("y", np.array([2.0, 4, 1, 8, 5, 9]), unit="T")
        step.put("n", np.array(["Q1", "Q2", "D1", "D2", "S1", "Q3"], dtype=object))
        step.put("k", np.array([1, 1, 2, 2, 3, 3]))
    return path


def test_conformance_cases_of_expressions(run: Run, table: Path, tmp_path: Path) -> None:
    target = tmp_path / f"target{table.suffix}"
    outcome = run(
        "define", table, target, "big=rpn: y 4 > ? 1 : 0 $", "total=rpn: y run + sto run", "infix=cumsum(y)",
        "first=rpn: 0 &y [", "median=median(y)", "stdev=std(y)", "spread=max(y) - min(y)",
        "slope=rpn: x p /", "where=at_max(n, y)",
    )  # fmt: skip
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        step = file[0]
        assert step["big"][:].tolist() == [0, 0, 0, 1, 1, 1]
        assert step["total"][:].tolist() == step["infix"][:].tolist() == [2, 6, 7, 15, 20, 29]
        assert step["total"].unit == "T"
        assert (step.attrs["first"], step.attrs["median"], step.attrs["spread"]) == (2, 5, 8)
        assert step.attrs["stdev"] == pytest.approx(3.188521078284832, abs=1e-15)
        assert step.attrs["where"] == "Q3"


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("rpn: x 0 < x 2 > || ! y 8 < y 9 > || ! ||", [1, 2, 4, 6]),
        ("rpn: x 2 < x 4 > ||", [1, 5, 6]),
        ('rpn: n "^Q*" strmatch', [3, 4, 5]),
        ('rpn: n "Q*" strmatch', [1, 2, 6]),
        ("rpn: y &y 0 swap [ >", [2, 4, 5, 6]),
        ("rpn: i_row 1 + n_rows ==", [6]),
    ],
)
def test_conditions_select_rows(
    run: Run, table: Path, tmp_path: Path, condition: str, rows: list[int]
) -> None:
    target = tmp_path / f"target{table.suffix}"
    assert run("filter", table, target, condition).code == 0
    assert run("get", target, "x").output.split() == [str(float(row)) for row in rows]
    found = run("get", table, "x", "--where", condition).output.split()
    assert found == run("get", target, "x").output.split()


def test_conditions_are_joined_with_others(run: Run, table: Path, tmp_path: Path) -> None:
    target = tmp_path / f"target{table.suffix}"
    assert run("thin", table, target, "--every", "2", "--where", "rpn: x 1 >").code == 0
    assert all(float(one) > 1 for one in run("get", target, "x").output.split())


def test_functions_of_the_user(run: Run, table: Path, tmp_path: Path) -> None:
    target, definitions = tmp_path / f"target{table.suffix}", tmp_path / "my.rpn"
    definitions.write_text("/* mine\nudf\ncube\n= = * *\n\n")
    options = ("--rpn-definitions", definitions)
    assert run("define", table, target, "c=rpn: x cube", *options).code == 0
    assert run("get", target, "c").output.split() == ["1.0", "8.0", "27.0", "64.0", "125.0", "216.0"]
    assert run("filter", table, target, "rpn: x cube 100 >", "--overwrite", *options).code == 0
    assert run("get", target, "x").output.split() == ["5.0", "6.0"]
    assert run("explain", "rpn: x cube", *options).output == "x * (x * x)\n"
    outcome = run("explain", "rpn: x cube", "--rpn-definitions", tmp_path / "none")
    assert outcome.code != 0
    assert "there is no such file of definitions" in outcome.errors


def test_explain_prints_the_infix_form(run: Run, table: Path) -> None:
    assert run("explain", "rpn: x 0 > ? x chs : y 2 pow $").output == "where(x > 0, -x, y ** 2)\n"
    assert run("explain", "((x)) + (y*`a b`)").output == "x + y * `a b`\n"
    outcome = run("explain", "rpn: x sqr p /", table)
    assert [line.split(None, 1) for line in outcome.output.splitlines()[1:]] == [
        ["kind", "column"], ["type", "float64"], ["unit", "m"], ["condition", "no"], ["columns", "x"],
    ]  # fmt: skip
    assert json.loads(run("explain", "max(k) > 2 or count(x) < p", table, "--json").output) == {
        "expression": "max(k) > 2 or count(x) < p",
        "kind": "attribute",
        "type": "int32",
        "unit": "",
        "condition": True,
        "columns": ["k", "x"],
    }


def test_explain_reports_errors_by_their_place(run: Run, table: Path) -> None:
    outcome = run("explain", "rpn: x rnd +")
    assert outcome.code == 2
    assert outcome.errors.splitlines()[1:] == ["    rpn: x rnd +", "           ^^^"]
    outcome = run("explain", "rpn: x z +", table)
    assert (outcome.code, "    x + z\n        ^" in outcome.errors) == (1, True)
