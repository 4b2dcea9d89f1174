"""Aggregates, windows, page and rows in the commands, on every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quire
from quire.io import row_source
from quire.toolkit import share

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Values


def test_define_makes_columns_and_attributes(
    run: Run, beam: Path, tmp_path: Path, values: Values, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / f"target{beam.suffix}"
    monkeypatch.setattr(row_source, "BLOCK_ROWS", 7)
    monkeypatch.setattr(share, "BLOCK_BYTES", 500)
    outcome = run(
        "define", beam, target, "scaled=x / max(abs(x))", "widest=max(abs(x))", "total=cumsum(id)",
        "again=max(total) - lag(total, 1, 0)", "place=page", "many=rows",
    )  # fmt: skip
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        for place, number in enumerate((1, 4, 9)):
            step, x, numbers = file.step(number), values(number)["x"], values(number)["id"].astype(np.int64)
            np.testing.assert_array_equal(step["scaled"][:], x / np.abs(x).max())
            assert step.attrs["widest"] == np.abs(x).max()
            assert step.attrs.info["widest"].unit in ("m", "")
            assert step["total"][:].tolist() == np.cumsum(numbers).tolist()
            before = np.concatenate([[0], np.cumsum(numbers)[:-1]])
            assert step["again"][:].tolist() == (numbers.sum() - before).tolist()
            assert (step.attrs["place"], step.attrs["many"]) == (place + 1, len(x))


def test_replacing_a_column_uses_its_old_values(
    run: Run, one_beam: Path, tmp_path: Path, values: Values
) -> None:
    target = tmp_path / f"target{one_beam.suffix}"
    outcome = run("define", one_beam, target, "x=x - mean(x)", "centre=mean(x)", "--replace")
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        x = values(4)["x"]
        np.testing.assert_allclose(file.step(4)["x"][:], x - x.mean(), 1e-14, 1e-18)
        assert abs(file.step(4).attrs["centre"]) < 1e-18


def test_conditions_compare_with_all_rows(run: Run, one_beam: Path, tmp_path: Path, values: Values) -> None:
    x = values(4)["x"]
    rows = np.flatnonzero(x > x.mean() + x.std(ddof=1))
    condition = "x > mean(x) + std(x)"
    outcome = run("get", one_beam, "id", "--step", "4", "--where", condition)
    assert [int(one) for one in outcome.output.split()] == (rows + 1).tolist()
    # The mean is that of the table, also if only some rows are selected.
    outcome = run(
        "show", one_beam, "--step", "4", "--rows", "20:", "--where", condition, "--columns", "id", "--json"
    )
    found = json.loads(outcome.output)["tables"][0]["rows"]
    assert found == [[row + 1] for row in rows if row >= 20]
    outcome = run("stats", one_beam, "--step", "4", "--where", condition, "--json")
    assert json.loads(outcome.output)["steps"][0]["columns"]["x"]["count"] == len(rows)
    target = tmp_path / f"kept{one_beam.suffix}"
    assert run("filter", one_beam, target, f"page == 2 and {condition}").code == 0
    with quire.open(target) as file:
        assert [len(step.table) for step in file] == [0, len(rows), 0]
        assert file.step(4)["id"][:].tolist() == (rows + 1).tolist()


def test_plots_draw_them(run: Run, one_beam: Path, values: Values, tmp_path: Path) -> None:
    table = tmp_path / "curve.txt"
    term = "cumsum(x)/sum(abs(x))"
    outcome = run(
        "plot", one_beam, "--steps", "4", "-x", "id", "-y", term, "--data", table, "-o", tmp_path / "a.svg"
    )
    assert outcome.code == 0, outcome.errors
    x = values(4)["x"]
    found = [float(line.split(",")[-1]) for line in table.read_text().splitlines()[-len(x) :]]
    np.testing.assert_allclose(found, np.cumsum(x) / np.abs(x).sum(), 1e-5)


def test_joined_files_are_one_table(run: Run, make: Make, tmp_path: Path, values: Values) -> None:
    format = quire.formats()[0]
    first, second = (make(format, name, numbers=[4]) for name in ("first", "second"))
    target = tmp_path / f"both{first.suffix}"
    outcome = run(
        "concat", first, second, target, "--join-rows", "--where", "row > mean(row) and rows == 200"
    )
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert file[0]["id"][:].tolist() == values(4)["id"].tolist()


def test_empty_pages_have_no_largest_integer(run: Run, make: Make, tmp_path: Path) -> None:
    source = make(quire.formats()[0], "empty", rows=0)
    target = tmp_path / f"target{source.suffix}"
    outcome = run("define", source, target, "widest=max(x)", "scaled=id / max(id)", "many=count(x)")
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert np.isnan(file[0].attrs["widest"])
        assert (file[0].attrs["many"], len(file[0]["scaled"])) == (0, 0)
    outcome = run("define", source, target, "most=max(id)", "--overwrite")
    assert outcome.code == 1
    assert "max(id) has no value, since the table has no rows" in outcome.errors
