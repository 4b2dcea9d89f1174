"""--where in show, get, convert and plot, on every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Start, Values

CONDITION = "px > 0.5 and id % 2 == 1"


def kept(values: Values, number: int) -> np.ndarray:
    found = values(number)
    return np.flatnonzero((found["px"] > 0.5) & (found["id"] % 2 == 1))


def test_show_prints_the_rows_under_their_own_numbers(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--step", "4", "--columns", "id", "--where", CONDITION)
    rows = kept(values, 4)
    lines = outcome.output.splitlines()
    assert outcome.code == 0
    assert lines[0] == f"step 4: 100 rows, {len(rows)} of them with {CONDITION}"
    assert [line.split() for line in lines[2:22]] == [[str(row), str(row + 1)] for row in rows[:20]]
    assert len(lines) == 2 + min(len(rows), 20) + (len(rows) > 20)


def test_show_counts_in_the_rows_that_are_asked_for(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--step", "4", "--where", CONDITION, "--rows", "50:60")
    count = sum(50 <= row < 60 for row in kept(values, 4))
    assert outcome.output.splitlines()[0] == f"step 4: 100 rows, {count} of rows 50 to 59 with {CONDITION}"


def test_show_for_programs(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--columns", "id", "--csv", "--where", CONDITION, "--rows", "50:")
    rows = list(csv.reader(io.StringIO(outcome.output)))[1:]
    expected = [[str(n), str(row + 1)] for n in (1, 4, 9) for row in kept(values, n) if row >= 50]
    assert rows == expected
    outcome = run("show", beam, "--columns", "id", "--json", "--where", "s > 1 and id == 7")
    found = {table["step"]: table["rows"] for table in json.loads(outcome.output)["tables"]}
    assert found == {1: [], 4: [[7]], 9: [[7]]}


def test_get_prints_values_of_the_rows(run: Run, beam: Path, values: Values) -> None:
    outcome = run("get", beam, "x", "--index", "1", "--where", CONDITION)
    assert [float(line) for line in outcome.output.split()] == values(4)["x"][kept(values, 4)].tolist()
    outcome = run("get", beam, "id", "--where", "row < 2", "--json")
    assert json.loads(outcome.output)["value"] == [1, 2]


def test_plot_draws_the_rows(run: Run, beam: Path, values: Values, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    arguments = ("plot", beam, "--steps", "4", "-o", picture, "--overwrite", "--where", CONDITION)
    outcome = run(*arguments, "--histogram", "x")
    assert outcome.output == f"{picture}: {len(kept(values, 4))} rows\n"
    assert run(*arguments, "-x", "id", "-y", "x").code == 0
    assert run(*arguments, "--attributes", "s").code == 2


@pytest.mark.parametrize("command", [("show",), ("get", "x")])
def test_errors_show_the_place(run: Run, one_beam: Path, command: tuple[str, ...]) -> None:
    name, *rest = command
    outcome = run(name, one_beam, *rest, "--where", "px > 0 and  idd < 3")
    assert outcome.code == 1
    first, text, caret = outcome.errors.splitlines()
    assert first.startswith(f'quire: {one_beam}: there is no column or attribute "idd" (nearest: id')
    assert text == "    px > 0 and  idd < 3"
    assert caret == "                ^^^"
    assert run(name, one_beam, *rest, "--where", "x + 1").code == 2


def test_a_table_finds_its_rows_lazily(beam: Path, values: Values) -> None:
    with quire.open(beam) as file:
        table = file.step(4).table
        matches = table.where(CONDITION)
        rows = kept(values, 4)
        assert matches.numbers().tolist() == rows.tolist()
        assert len(matches) == matches.count() == len(rows)
        assert matches.read("x")["x"].tolist() == values(4)["x"][rows].tolist()
        parts = list(matches.blocks(["id"], rows_per_block=7))
        assert np.concatenate([numbers for numbers, _ in parts]).tolist() == rows.tolist()
        assert np.concatenate([block["id"] for _, block in parts]).tolist() == (rows + 1).tolist()
        assert table.where("id > 0", (10, 5)).numbers().tolist() == [10, 11, 12, 13, 14]
        assert len(table.where("row between 3 and 5 and step == 4 and code == 'tracker'")) == 3
        assert len(table.where("false")) == 0
        with pytest.raises(quire.UsageError, match="not a condition"):
            table.where("x + 1")


def test_columns_of_one_table_are_searched_together(run: Run, one_beam: Path) -> None:
    for words in (["x", "px", "--json"], ["x", "px"], ["x", "2*x", "--json"]):
        outcome = run("get", one_beam, *words, "--where", "x > 9")
        assert outcome.errors == f"quire: {one_beam}: 0 of 100 rows satisfy x > 9\n"
    outcome = run("get", one_beam, "x", "px", "--json", "--where", "x > 9", "--steps", "1,4")
    assert outcome.errors == f"quire: {one_beam}: 0 of 200 rows satisfy x > 9\n"


def test_a_chain_without_rows_is_reported_as_a_condition_that_none_satisfies(
    run: Run, one_beam: Path
) -> None:
    outcome = run("run", one_beam, "/", "filter", "x > 9", "/", "get", "x")
    assert (outcome.code, outcome.output) == (1, "")
    assert outcome.errors == f"quire: {one_beam}: no row is left\n"
    assert run("run", one_beam, "/", "filter", "x > 9", "/", "get", "turn").output == "1\n4\n9\n"
    assert run("run", one_beam, "/", "filter", "step == 4", "/", "get", "x").code == 0


def test_errors_of_a_chain_name_standard_input(start: Start, one_beam: Path) -> None:
    for words in (
        ["filter", "x > 9", "/", "get", "x"],
        ["get", "q"],
        ["sort", "q"],
        ["deriv", "x", "--versus", "x"],
    ):
        done = start("run", "-", "/", *words, stdin=one_beam.read_bytes())
        assert done.returncode == 1
        assert done.stderr.startswith(b"quire: standard input: ")
