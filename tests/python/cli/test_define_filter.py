"""quire define and quire filter: the right values in any format, on any number of ranks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.support.files import formats_of_uneven_steps, path_for

import quire
from quire.toolkit import share
from quire.toolkit.define import define

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def test_filter_keeps_the_rows_in_any_format(
    run: Run, beam: Path, make: Make, other_format: str, values: Values
) -> None:
    target = make(other_format, "target", numbers=[2])
    outcome = run("filter", beam, target, "px > 0 && x < 1e-3", "--overwrite", "--json")
    assert outcome.code == 0, outcome.errors
    kept = {n: np.flatnonzero((values(n)["px"] > 0) & (values(n)["x"] < 1e-3)) for n in (1, 4, 9)}
    assert json.loads(outcome.output) == {
        "path": str(target),
        "steps": 3,
        "rows": sum(map(len, kept.values())),
        "losses": [],
    }
    with quire.open(target) as file:
        assert file.format == other_format
        assert file.numbers == [1, 4, 9]
        assert file.attrs["code"] == "tracker"
        for number, rows in kept.items():
            step = file.step(number)
            assert step.attrs["turn"] == number
            assert step["x"].unit == "m"
            for name, column in values(number).items():
                np.testing.assert_array_equal(step[name][:], column[rows])


def test_a_filter_that_keeps_no_row_says_so(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("none")
    outcome = run("filter", one_beam, target, "id > 1000")
    assert (outcome.code, outcome.output) == (1, f"{target}: 3 steps, 0 rows\n")
    assert outcome.errors == f"quire: {one_beam}: no row satisfies id > 1000\n"


def test_losses_are_reported_after_the_condition_is_checked(run: Run, tmp_path: Path) -> None:
    assert run("example", "beam", tmp_path / "beam.h5").code == 0
    source, target = tmp_path / "beam.h5", path_for(tmp_path, quire.formats()[1], "part")
    with quire.open(source) as file, quire.create(tmp_path / "text.h5") as out, out.step(0) as step:
        step.put("x", file[0]["x"][:]).set("note", np.array(["a", "b"]))
    assert run("convert", tmp_path / "text.h5", target).errors.startswith("reshaped: ")
    outcome = run("convert", tmp_path / "text.h5", target, "--overwrite", "--where", "q > 0")
    assert outcome.code == 1
    assert outcome.errors.startswith("quire: ")


def test_blocks_do_not_change_what_is_filtered(
    run: Run, beam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, pieces = tmp_path / f"whole{beam.suffix}", tmp_path / f"pieces{beam.suffix}"
    assert run("filter", beam, whole, "id % 3 == 0").code == 0
    monkeypatch.setattr(share, "BLOCK_BYTES", 500)
    assert run("filter", beam, pieces, "id % 3 == 0").code == 0
    assert whole.read_bytes() == pieces.read_bytes()


def test_steps_without_rows(run: Run, beam: Path, tmp_path: Path) -> None:
    kept, dropped = tmp_path / f"kept{beam.suffix}", tmp_path / f"dropped{beam.suffix}"
    assert run("filter", beam, kept, "step == 4 and id <= 5").code == 0
    with quire.open(kept) as file:
        assert [(step.number, len(step.table)) for step in file] == [(1, 0), (4, 5), (9, 0)]
    outcome = run("filter", beam, dropped, "step == 4 and id <= 5", "--drop-empty")
    assert outcome.output == f"{dropped}: 1 step, 5 rows, dropped steps: 2\n"
    with quire.open(dropped) as file:
        assert [(step.number, len(step.table)) for step in file] == [(4, 5)]


def test_the_exit_code_states_that_no_row_is_left(run: Run, beam: Path, tmp_path: Path) -> None:
    target = tmp_path / f"none{beam.suffix}"
    assert run("filter", beam, target, "id < 0").code == 1
    with quire.open(target) as file:
        assert [len(step.table) for step in file] == [0, 0, 0]
    assert run("convert", beam, target, "--where", "id < 0", "--overwrite").code == 0


def test_define_computes_columns_and_attributes_in_any_format(
    run: Run, beam: Path, make: Make, other_format: str, values: Values
) -> None:
    target = make(other_format, "target", numbers=[2])
    outcome = run(
        "define", beam, target, "--overwrite", "r=sqrt(x**2 + (s*1e-3)**2)", "p2 [mc^2] = px*px", "good=px>0",
        "twice = 2 * p2", "ds=2*s", "per_turn=s/turn", "tag=id % 7", "--description", "r=a radius",
        "--type", "tag=int32",
    )  # fmt: skip
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        for number in (1, 4, 9):
            step, before = file.step(number), values(number)
            p2 = before["px"] * before["px"]
            s = 0.5 * number
            expected = {
                **before,
                "r": np.sqrt(before["x"] ** 2 + (s * 1e-3) ** 2),
                "p2": p2,
                "good": (before["px"] > 0).astype(np.int32),
                "twice": 2 * p2,
                "tag": (before["id"] % 7).astype(np.int32),
            }
            assert set(step.table.columns) == set(expected)
            for name, column in expected.items():
                assert step[name].dtype == column.dtype, name
                np.testing.assert_array_equal(step[name][:], column)
            assert step["p2"].unit == "mc^2"
            assert step["twice"].unit == "mc^2"
            assert step["r"].unit == "m"
            assert step.attrs["ds"] == 2 * s
            assert step.attrs["per_turn"] == 0.5


def test_existing_names_are_replaced_only_with_an_option(
    run: Run, beam: Path, tmp_path: Path, values: Values
) -> None:
    target = tmp_path / f"target{beam.suffix}"
    outcome = run("define", beam, target, "x=x*1e3")
    assert outcome.code == 1
    assert "--replace" in outcome.errors
    assert not target.exists()
    outcome = run("define", beam, target, "x[mm]=x*1e3", "y=x", "turn=turn + 1", "--replace")
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        step = file.step(4)
        np.testing.assert_array_equal(step["x"][:], values(4)["x"] * 1e3)
        np.testing.assert_array_equal(step["y"][:], values(4)["x"] * 1e3)
        assert (step["x"].unit, step["y"].unit) == ("mm", "mm")
        assert step.attrs["turn"] == 5


@pytest.mark.parametrize("value", ["1", "max(x)"])
def test_a_constant_replaces_a_column_of_its_name(run: Run, tmp_path: Path, format: str, value: str) -> None:
    source, target = (path_for(tmp_path, format, name) for name in ("in", "out"))
    assert run("new", source, "x=0.5,1", "y=1,2", "--format", format).code == 0
    refused = run("define", source, target, f"x={value}", "--format", format)
    assert (
        refused.code,
        "x: there is a column or attribute of this name" in refused.errors.replace('"', ""),
    ) == (
        1,
        True,
    )
    assert run("define", source, target, f"x={value}", "--replace", "--format", format).code == 0
    with quire.open(target) as file:
        assert file[0]["x"][:].tolist() == [1, 1]
        assert "x" not in file[0].attrs


def test_rows_can_be_filtered_by_defined_columns(beam: Path, tmp_path: Path, values: Values) -> None:
    target = tmp_path / f"target{beam.suffix}"
    report = define(beam, target, ["half=id / 2", "place=row"], where="half > 30 and place % 2 == 0")
    expected = [row for row in range(100) if (row + 1) / 2 > 30 and row % 2 == 0]
    assert report.rows == 3 * len(expected)
    with quire.open(target) as file:
        assert file.step(4)["place"][:].tolist() == expected
        assert file.step(4)["half"][:].tolist() == [(row + 1) / 2 for row in expected]


def test_columns_of_constants_and_of_row_numbers(run: Run, beam: Path, tmp_path: Path) -> None:
    target = tmp_path / f"target{beam.suffix}"
    assert run("define", beam, target, "one=1", "n=turn", "--as", "column").code == 0
    with quire.open(target) as file:
        assert file.step(9)["one"][:].tolist() == [1] * 100
        assert file.step(9)["n"][:].tolist() == [9] * 100
    assert run("define", beam, target, "place=row*2", "--overwrite").code == 0
    with quire.open(target) as file:
        assert file.step(9)["place"][:].tolist() == list(range(0, 200, 2))


@pytest.mark.parametrize(
    ("definition", "code", "said"),
    [
        ("r", 2, "NAME=EXPRESSION"),
        ("r=x +", 2, "r: the expression ends"),
        ("r=y", 1, 'r: there is no column or attribute "y"'),
        ("r=x + s*px", 2, "r: the units differ"),
        ("r=x + 1 == 2 and 3 ++", 2, "ends"),
        ("code=1", 1, "attribute of the file"),
        ("big=id * 9223372036854775807", 1, "in row 1: the result is beyond int64"),
    ],
)
def test_wrong_definitions_leave_no_file(
    run: Run, one_beam: Path, tmp_path: Path, definition: str, code: int, said: str
) -> None:
    target = tmp_path / f"target{one_beam.suffix}"
    outcome = run("define", one_beam, target, definition)
    assert outcome.code == code
    assert said in outcome.errors
    assert not target.exists()


def test_texts_of_names_that_are_not_defined(run: Run, one_beam: Path, tmp_path: Path) -> None:
    outcome = run("define", one_beam, tmp_path / f"t{one_beam.suffix}", "r=x", "--unit", "q=m")
    assert outcome.code == 2
    assert "'q'" in outcome.errors


def test_an_attribute_cannot_depend_on_rows(run: Run, one_beam: Path, tmp_path: Path) -> None:
    outcome = run("define", one_beam, tmp_path / f"t{one_beam.suffix}", "r=x", "--as", "attribute")
    assert outcome.code == 2
    assert "cannot be an attribute" in outcome.errors


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", first_daily([3, 1, 2, 4]))
def test_the_result_does_not_depend_on_the_number_of_ranks(
    start: Start, run: Run, beam: Path, tmp_path: Path, ranks: int
) -> None:
    for place, (name, arguments) in enumerate(
        (
            ("filter", ["px > 1 and id < 60"]),
            ("filter", ["x > mean(x) and px > lag(px)"]),
            ("define", ["c=cumsum(x - mean(x))", "last=max(c) * median(px)", "next=lead(id, 3, 0)"]),
            ("define", ["r=hypot(x, px*as_unit(1.0, 'm')/as_unit(1.0, 'm$be$nc'))", "n=row", "c=turn+1"]),
        )
    ):
        alone, together = tmp_path / f"{place}1{beam.suffix}", tmp_path / f"{place}n{beam.suffix}"
        outcome = run(name, beam, alone, *arguments)
        assert outcome.code == 0, outcome.errors
        process = start(name, beam, together, *arguments, ranks=ranks)
        assert process.returncode == 0, process.stderr
        assert process.stdout.decode().startswith(f"{together}: 3 steps")
        assert alone.read_bytes() == together.read_bytes()


@pytest.mark.mpi
def test_an_error_of_one_rank_ends_all(start: Start, one_beam: Path, tmp_path: Path) -> None:
    target = tmp_path / f"target{one_beam.suffix}"
    overflow = "id * where(id > 70, 9223372036854775807, 1)"
    process = start("filter", one_beam, target, f"{overflow} > 0", ranks=3)
    assert process.returncode == 1
    assert process.stderr.decode().count("in row 70: the result is beyond int64") == 1
    process = start("define", one_beam, target, f"big={overflow}", ranks=3)
    assert process.returncode != 0
    assert b"in row 70: the result is beyond int64" in process.stderr
    assert not target.exists()


@pytest.mark.parametrize("format", formats_of_uneven_steps())
def test_steps_without_the_table_are_unchanged(run: Run, tmp_path: Path, format: str) -> None:
    path, target = path_for(tmp_path, format), path_for(tmp_path, format, "target")
    with quire.create(path, format=format) as out:
        for number in (1, 2):
            step = out.step(number).set("s", 0.5)
            if number == 2:
                step.put("x", np.arange(2.0))
            step.commit()
    outcome = run("define", path, target, "y=2*x", "i=row", "t=2*s")
    assert outcome.code == 0
    assert outcome.errors == "changed: a step without the table does not get the definitions that use it\n"
    with quire.open(target) as file:
        assert [list(step.attrs) for step in file] == [["s", "t"], ["s", "t"]]
        assert [list(step.tables) for step in file] == [[], list(file[1].tables)]
        assert list(file[1]["y"].read()) == [0.0, 2.0]
    assert run("filter", path, target, "x > 0", "--overwrite").output.endswith("2 steps, 1 row\n")
    for words in (
        ["define", "y=2*q"],
        ["define", "y=x", "--steps", "1"],
        ["filter", "x > 0", "--table", "no"],
    ):
        missing = tmp_path / "missing"
        assert run(words[0], path, missing, "--format", format, *words[1:]).code == 1
        assert not missing.exists()


def test_define_prints_what_each_definition_made(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("more")
    outcome = run("define", one_beam, target, "r=hypot(x, x)", "gap[mm]=3", "even=id % 2 == 0")
    assert outcome.output.splitlines()[1:] == [
        "  r     column     float64  m",
        "  gap   attribute  int64    mm  (one value per step; --as column makes a column)",
        "  even  column     int32",
    ]
    outcome = run("define", one_beam, target, "gap[mm]=3", "--as", "column", "--overwrite")
    assert outcome.output.splitlines()[1:] == ["  gap  column  int64  mm"]
    outcome = run("define", one_beam, target, "gap=3", "--as", "attribute", "--overwrite", "--json")
    made = {"name": "gap", "kind": "attribute", "type": "int64", "unit": ""}
    assert json.loads(outcome.output)["defined"] == [made]


def test_units_and_types_of_several_definitions_may_be_one_list(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("more")
    words = ["a=x", "b=x", "--unit", "a=mm,b=um", "--type", "a=float32,b=float64"]
    assert run("define", one_beam, target, *words).code == 0
    with quire.open(target) as file:
        assert [(file[0][name].unit, file[0][name].type) for name in "ab"] == [
            ("mm", "float32"),
            ("um", "float64"),
        ]


def test_a_target_with_an_equals_sign_and_a_known_suffix_is_a_file(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("k=3 and more")
    assert run("filter", one_beam, target, "x > 0").code == 0
    assert target.exists()
