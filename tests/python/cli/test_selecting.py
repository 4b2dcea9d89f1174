"""Selections of steps, rows and columns have the same options and the same meaning in every command."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import typer

import quire
from quire.cli.main import app
from quire.cli.verbs import VERBS
from quire.toolkit.selection import blocks_of

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Values

SELECTING = {
    "show": {"steps", "index", "columns", "rows", "where"},
    "get": {"steps", "index", "rows", "where"},
    "stats": {"steps", "index", "columns", "rows", "where"},
    "plot": {"steps", "index", "rows", "where"},
    "convert": {"steps", "index", "columns", "rows", "where"},
    "export": {"steps", "index", "columns", "rows", "where"},
    "diff": {"steps", "index", "columns", "rows", "where"},
    "sum": {"steps", "index", "columns", "rows", "where"},
    "filter": {"steps", "index", "columns", "rows"},
    "define": {"steps", "index", "columns", "rows", "where"},
    "thin": {"steps", "index", "columns", "rows", "where"},
    "concat": {"steps", "columns", "rows", "where"},
    "run": {"steps", "index", "columns", "rows", "where"},
    "track": {"steps", "index", "columns", "rows"},
    **{name: {"steps", "index", "rows", "where"} for name in VERBS if name != "track"},
}
CHOSEN = ["--index", "-1", "--rows", "-60:-10", "--where", "px > 0"]


def chosen(values: Values) -> dict[str, np.ndarray[Any, Any]]:
    """The rows that CHOSEN selects."""
    found = {name: column[-60:-10] for name, column in values(9).items()}
    return {name: column[found["px"] > 0] for name, column in found.items()}


def rows_of(text: str) -> list[list[float]]:
    """The numbers of CSV below its header."""
    return [[float(cell) for cell in row] for row in list(csv.reader(io.StringIO(text)))[1:]]


def test_options_that_select_are_the_same_everywhere() -> None:
    helps: dict[str, set[str]] = {}
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for command, names in SELECTING.items():
        options = {one.name: one for one in commands[command].params}
        assert names <= options.keys(), command
        for name in names:
            helps.setdefault(name, set()).add(options[name].help)
    assert {name: len(texts) for name, texts in helps.items()} == dict.fromkeys(helps, 1)


def test_printed_rows_are_those_selected(run: Run, one_beam: Path, values: Values) -> None:
    wanted = chosen(values)
    shown = run("show", one_beam, *CHOSEN, "--columns", "id,x", "--csv", "--bare")
    assert [float(line.split(",")[0]) for line in shown.output.splitlines()] == wanted["id"].tolist()
    exported = run("export", one_beam, "-", *CHOSEN, "--columns", "id,x")
    assert rows_of(exported.output) == np.column_stack([wanted["id"], wanted["x"]]).tolist()
    got = run("get", one_beam, "id", *CHOSEN)
    assert [int(line) for line in got.output.split()] == wanted["id"].tolist()


def test_statistics_are_of_the_selected_rows(run: Run, one_beam: Path, values: Values) -> None:
    outcome = run("stats", one_beam, *CHOSEN, "--json")
    (step,) = json.loads(outcome.output)["steps"]
    wanted = chosen(values)
    assert step["step"] == 9
    assert step["columns"]["x"]["count"] == len(wanted["x"])
    assert step["columns"]["x"]["maximum"] == wanted["x"].max()
    (few,) = json.loads(run("stats", one_beam, "--index", "0", "--rows", "5", "--json").output)["steps"]
    assert (few["columns"]["id"]["count"], few["columns"]["id"]["mean"]) == (1, 6.0)


@pytest.mark.parametrize("drawn", [["-x", "id", "-y", "x"], ["--histogram", "x", "--bins", "3"]])
def test_plots_are_of_the_selected_rows(run: Run, one_beam: Path, values: Values, drawn: list[str]) -> None:
    outcome = run("plot", one_beam, *drawn, *CHOSEN, "--data", "-", one_beam.with_name("a.png"))
    assert outcome.code == 0, outcome.errors
    rows, wanted = rows_of(outcome.output), chosen(values)
    if drawn[0] == "-x":
        assert rows == np.column_stack([wanted["id"], wanted["x"]]).tolist()
    else:
        assert sum(row[-1] for row in rows) == len(wanted["x"])


COPIES = [
    ["convert"], ["filter"], ["thin", "--fraction", "1"], ["define", "late = id > 50"], ["sort", "id"],
    ["smooth", "x", "--points", "3"],
]  # fmt: skip


@pytest.mark.parametrize("command", COPIES, ids=" ".join)
def test_copies_are_of_the_selected_rows(
    run: Run, one_beam: Path, values: Values, command: list[str]
) -> None:
    target = one_beam.with_stem("copy")
    name, *others = command
    rest = [*CHOSEN[:4], "px > 0"] if name == "filter" else CHOSEN
    outcome = run(name, one_beam, target, *rest, *others)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert file.numbers == [9]
        np.testing.assert_array_equal(file[0]["id"][:], chosen(values)["id"])


def test_a_chain_begins_with_the_selected_rows(run: Run, one_beam: Path, values: Values) -> None:
    target = one_beam.with_stem("copy")
    stages = ["/", "sort", "id:desc", "/", "write", str(target)]
    outcome = run("run", *CHOSEN, "--columns", "id,x", one_beam, *stages)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        (step,) = file
        assert list(step.columns) == ["id", "x"]
        np.testing.assert_array_equal(step["id"][:], chosen(values)["id"][::-1])
    refused = run("run", *CHOSEN, "new", "x=1", "/", "write", str(target))
    assert (refused.code, "belong to a file" in refused.errors) == (2, True)


def test_rows_in_a_condition_are_numbered_in_the_whole_table(run: Run, one_beam: Path) -> None:
    words = ["--index", "0", "--rows", "10:20", "--where", "row >= 18"]
    shown = run("show", one_beam, *words, "--columns", "id", "--csv", "--bare").output.split()
    outcome = run("run", *words, one_beam, "/", "get", "id")
    assert outcome.output.split() == shown == ["19", "20"]


def test_definitions_are_copied_beside_the_named_columns(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("copy")
    words = ["big = x / max(x)", "n = 3", "--columns", "id", "--rows", "0:5", "--index", "0"]
    outcome = run("define", one_beam, target, *words)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file, quire.open(one_beam) as source:
        (step,) = file
        assert sorted(step.columns) == ["big", "id"]
        x = source[0]["x"][:]
        np.testing.assert_array_equal(step["big"][:], x[:5] / x.max())
    assert run("define", one_beam, target, *words, "--columns", "absent", "--overwrite").code == 1


def test_joined_files_have_the_selected_rows(run: Run, one_beam: Path, values: Values) -> None:
    target = one_beam.with_stem("copy")
    words = ["--renumber", "--columns", "id", "--rows", "-60:-10", "--where", "px > 0"]
    outcome = run("concat", one_beam, one_beam, target, *words)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert len(file) == 6
        np.testing.assert_array_equal(file[-1]["id"][:], chosen(values)["id"])


def test_sums_of_selected_rows_are_those_of_a_file_with_these_rows(
    run: Run, one_beam: Path, tmp_path: Path
) -> None:
    target = one_beam.with_stem("copy")
    assert run("convert", one_beam, target, *CHOSEN).code == 0
    part = json.loads(run("sum", one_beam, *CHOSEN, "--details", "--json").output)
    whole = json.loads(run("sum", target, "--details", "--json").output)
    for answer in (part, whole):
        for file in answer["files"]:
            file.pop("path")
    assert part == whole


def test_diff_compares_the_selected_rows(run: Run, one_beam: Path, tmp_path: Path) -> None:
    other = one_beam.with_stem("other")
    assert run("define", one_beam, other, "--replace", "x = where(px > 0, x, 0.0)").code == 0
    assert run("diff", one_beam, other).code == 1
    assert run("diff", one_beam, other, "--where", "px > 0").code == 0
    assert run("diff", one_beam, other, *CHOSEN).code == 0
    outcome = run("diff", one_beam, other, "--index", "0", "--rows", "90:", "--where", "px <= 0", "--json")
    assert outcome.code == 1
    record = next(one for one in json.loads(outcome.output)["columns"] if one["name"] == "x")
    assert record["different"] == record["compared"] > 0
    shorter = one_beam.with_stem("shorter")
    assert run("filter", one_beam, shorter, "id <= 90").code == 0
    assert run("diff", one_beam, shorter, "--rows", "0:90").code == 0
    assert "100 and 90 selected rows" in run("diff", one_beam, shorter, "--where", "id > 0").output


def test_blocks_of_matching_rows_have_the_asked_size() -> None:
    random = np.random.default_rng(1)
    pieces = np.split(np.arange(1000), np.sort(random.integers(0, 1000, 30)))
    blocks = list(blocks_of(((one, {"x": one * 2.0}) for one in pieces if len(one)), 64))
    assert [len(numbers) for numbers, _ in blocks] == [64] * 15 + [40]
    np.testing.assert_array_equal(np.concatenate([numbers for numbers, _ in blocks]), np.arange(1000))
    np.testing.assert_array_equal(np.concatenate([block["x"] for _, block in blocks]), np.arange(1000) * 2.0)


@pytest.mark.parametrize(
    "command", ["show", "get", "stats", "export", "diff", "sum", "convert", "plot", "define", "sort"]
)
def test_rows_and_steps_that_do_not_exist_are_errors(run: Run, one_beam: Path, command: str) -> None:
    target = str(one_beam.with_stem("out"))
    shutil.copy(one_beam, one_beam.with_stem("same"))
    more = {
        "get": ["x"], "export": ["-"], "diff": [str(one_beam.with_stem("same"))], "convert": [target],
        "plot": ["-x", "x", "-y", "px", target + ".png"], "define": [target, "a = x"], "sort": [target, "x"],
    }.get(command, [])  # fmt: skip
    both = run(command, one_beam, *more, "--index", "0", "--steps", "1")
    assert (both.code, "give either --steps or --index" in both.errors) == (2, True)
    assert run(command, one_beam, *more, "--rows", "100:").code == 2
    assert run(command, one_beam, *more, "--rows", "5:3").code == 2
    assert run(command, one_beam, *more, "--index", "77").code == 1
