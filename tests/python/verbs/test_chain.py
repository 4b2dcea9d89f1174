"""Chains of verbs: what they keep, what they read, and what they write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, MissingError, UsageError
from quire.toolkit.definitions import Definition

ROWS = 50


@pytest.fixture(params=step_formats())
def beam(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Three steps of particles, in each format."""
    path = path_for(tmp_path, request.param)
    random = np.random.default_rng(1)
    with quire.create(path, format=request.param) as out:
        out.set("code", "tracker")
        for number in (1, 4, 9):
            with out.step(number) as step:
                step.set("s", number * 0.5, unit="m")
                step.put("x", random.normal(size=ROWS), unit="m")
                step.put("z", random.normal(size=ROWS), unit="m")
                step.put("id", np.arange(ROWS, dtype=np.int32))
    return path


def test_a_chain_writes_any_format(beam: Path, tmp_path: Path) -> None:
    for format in step_formats():
        target = path_for(tmp_path / format, format)
        target.parent.mkdir()
        with quire.chain(beam) as chain:
            report = chain.filter("x > 0").define("r=hypot(x, z)").sort("r").write(target, format=format)
        assert report.losses == []
        with quire.open(beam) as given, quire.open(target) as found:
            assert found.attrs["code"] == "tracker"
            assert [step.number for step in found] == [1, 4, 9]
            for step, made in zip(given, found, strict=True):
                kept = step["x"][:] > 0
                r = np.hypot(step["x"][:], step["z"][:])[kept]
                np.testing.assert_array_equal(made["r"][:], np.sort(r))
                np.testing.assert_array_equal(made["id"][:], step["id"][:][kept][np.argsort(r)])
                assert (made["r"].unit, made["id"].type, made.attrs["s"]) == ("m", "int32", step.attrs["s"])


def test_only_the_columns_that_are_used_are_read(beam: Path, columns_read: set[str]) -> None:
    with quire.chain(beam) as chain:
        changed = chain.filter("x > 0").select(["id", "x"]).sort("x").rows(slice(0, 2))
        assert columns_read == set()
        assert len(changed.stats("count(id)").read(["id_count"])["id_count"]) == 3
    assert columns_read == {"x", "id"}


def test_the_steps_of_groups_make_one_table_each(beam: Path, tmp_path: Path) -> None:
    target = path_for(tmp_path / "out", step_formats()[0])
    target.parent.mkdir()
    with quire.chain(beam) as chain:
        chain.group("half=bin(id, 2)").stats("mean(x)", "n=count(x)").write(target)
    with quire.open(beam) as given, quire.open(target) as found:
        assert len(found) == 3
        for step, made in zip(given, found, strict=True):
            assert made["n"][:].tolist() == [25, 25]
            np.testing.assert_allclose(made["half"][:], [12.25, 36.75])
            np.testing.assert_allclose(made["x_mean"][:], step["x"][:].reshape(2, 25).mean(axis=1))
            assert made["x_mean"].unit == "m"


def test_expressions_after_other_verbs_know_the_step_and_the_rows(beam: Path) -> None:
    with quire.chain(beam) as chain:
        made = chain.sort("z").filter("step > 1 and row < rows - 2").define("s2=step * s")
        assert [len(step.table) for step in made] == [0, ROWS - 2, ROWS - 2]
        assert [step.attrs["s2"] for step in made] == [0.5, 8.0, 40.5]


def test_expressions_use_the_results_of_reductions_before(beam: Path) -> None:
    with quire.chain(beam, steps=4) as chain, quire.open(beam) as file:
        found = chain.reduced("s=max(x)").define("below=s - x").filter("x < s").reduced("s=max(x)")
        x = np.sort(file[1]["x"][:])
        np.testing.assert_array_equal(np.sort(found.read()["below"]), (x[-1] - x[:-1])[::-1])
        assert next(iter(found.define("t=s"))).attrs["t"] == x[-2]


def test_rows_become_attributes_and_back(beam: Path) -> None:
    with quire.chain(beam, steps="4") as chain:
        rows = chain.expand()
        assert [step.attrs["id"] for step in rows] == list(range(ROWS))
        back = rows.collapse().read()
        given = chain.read()
    assert back["x"].tolist() == given["x"].tolist()
    assert set(back["s"].tolist()) == {2.0}


def test_swapped_steps_have_the_rows_of_one_number(beam: Path) -> None:
    with quire.chain(beam) as chain:
        before = [step.table.read(["x", "id"]) for step in chain]
        steps = list(chain.swap())
        assert [step.number for step in steps] == list(range(ROWS))
        for row in (0, ROWS - 1):
            table = steps[row].table
            np.testing.assert_array_equal(table.read(["x"])["x"], [one["x"][row] for one in before])
            assert table.read(["s", "id"])["s"].tolist() == [0.5, 2, 4.5]
            assert table["s"].unit == "m"
            assert steps[row].attrs["row_number"] == row
        reduced = chain.swap().stats("min(x)", "slope(x, versus=s)").read()
        least = np.min([one["x"] for one in before], axis=0)
        np.testing.assert_array_equal(reduced["x_min"], least)
        assert reduced["row_number"].tolist() == list(range(ROWS))
        again = chain.swap().swap().read(["x"])["x"]
        np.testing.assert_array_equal(again, np.concatenate([one["x"] for one in before]))


def test_steps_of_different_lengths_are_not_swapped(beam: Path) -> None:
    with quire.chain(beam) as chain:
        with pytest.raises(ConflictError, match="the steps differ in their numbers of rows"):
            list(chain.filter("x > 0").swap())
        assert list(chain.rows(slice(0, 0)).swap()) == []


@pytest.mark.parametrize(
    ("by", "sizes"),
    [
        ("every(20)", [20, 20, 10]),
        ("gap(id, 0.5)", [1] * ROWS),
        ("gap(id)", [ROWS]),
        ("half=bin(id, 2)", [25, 25]),
    ],
)
def test_the_ways_to_group(beam: Path, by: str, sizes: list[int]) -> None:
    with quire.chain(beam, steps="1") as chain:
        assert [len(step.table) for step in chain.group(by)] == sizes


def test_columns_are_chosen_renamed_cast_and_converted(beam: Path) -> None:
    with quire.chain(beam, steps="1") as chain:
        made = chain.select(
            ["id", "x"], rename={"x": "position"}, cast={"id": "int64"}, unit={"position": "mm"}
        )
        table = next(iter(made)).table
        assert [(one.name, one.type, one.unit) for one in table.columns.values()] == [
            ("id", "int64", ""),
            ("position", "float64", "mm"),
        ]
        np.testing.assert_array_equal(made.read()["position"], chain.read()["x"] * 1000)


def test_reductions_have_names_units_and_qualifiers(beam: Path) -> None:
    with quire.chain(beam, steps="1") as chain:
        made = chain.stats(
            "max(x)", "p=percentile(x, 90)", "slope(x, versus=z)", "low=count(x, top=0)", "rms(*)"
        )
        columns = made.read()
        units = {name: one.unit for name, one in next(iter(made)).table.columns.items()}
        x, z = (chain.read()[name] for name in ("x", "z"))
    assert columns["x_max"][0] == x.max()
    assert columns["p"][0] == np.percentile(x, 90, method="lower")
    assert columns["x_slope"][0] == pytest.approx(np.polyfit(z, x, 1)[0])
    assert columns["low"][0] == np.sum(x <= 0)
    assert units["x_slope"] == ""
    assert list(columns)[-3:] == ["x_rms", "z_rms", "id_rms"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda chain: chain.sort("q"), MissingError, "no column 'q'"),
        (lambda chain: chain.sort("x:down"), UsageError, "'down' in 'x:down'"),
        (lambda chain: chain.select(["y"]), MissingError, "no column 'y'"),
        (lambda chain: chain.select(rename={"x": "z"}), ConflictError, "two columns"),
        (
            lambda chain: chain.define(Definition("w", quire.expression("x*1e300"), type="float32")),
            quire.TypeMismatchError,
            "too large for float32",
        ),
        (lambda chain: chain.select(rename={"*x*": "*y*"}), UsageError, "one \\* on both sides"),
        (lambda chain: chain.define("w=x*1e300").select(cast={"w": "float32"}), quire.TypeMismatchError, "w"),
        (lambda chain: chain.select(cast={"x": "int32"}), quire.TypeMismatchError, "which is no int32"),
        (lambda chain: chain.group("bin(x)"), UsageError, "is no group"),
        (lambda chain: chain.group(""), UsageError, "group needs a column"),
        (lambda chain: chain.melt([]), UsageError, "melt needs a column"),
        (lambda chain: chain.group("k"), MissingError, "k"),
        (lambda chain: chain.stats("mean(q)"), MissingError, "no column 'q'"),
        (lambda chain: chain.melt("x,z").stats("mean(name)"), quire.TypeMismatchError, "mean is of numbers"),
        (lambda chain: chain.stats("average_of(x)"), UsageError, "reduction"),
        (lambda chain: chain.stats("slope(x)"), UsageError, "needs another column"),
        (lambda chain: chain.stats("min(x, z)"), UsageError, "min is of one column, not of x and z"),
        (lambda chain: chain.stats("std(x, versus=z)"), UsageError, "std is of one column, not of x and z"),
        (lambda chain: chain.stats("slope(x, z, id)"), UsageError, "gives versus twice"),
        (lambda chain: chain.stats("mean(x, head=1, head=2)"), UsageError, "gives head twice"),
        (lambda chain: chain.pivot("id", "q"), MissingError, "no column 'q'"),
        (lambda chain: chain.split(0), UsageError, "cannot have 0 rows"),
        (lambda chain: chain.join(chain, "id"), ConflictError, "both files have this column"),
        (lambda chain: chain.join(chain, "id", how="outer"), UsageError, "no manner to join 'outer'"),
    ],
)
def test_mistakes_name_what_is_wrong(beam: Path, change: Any, error: Any, message: str) -> None:
    with quire.chain(beam) as chain, pytest.raises(error, match=message):
        change(chain).read()


def test_rows_after_a_filter_are_those_that_are_kept() -> None:
    kept = quire.new("x=1,2,3,4").filter("x > 1")
    assert kept.define("y=(row + 1) / rows").read()["y"].tolist() == [1 / 3, 2 / 3, 1]
    assert kept.filter("x < 4").define("y=0 * x + rows").read()["y"].tolist() == [2, 2]


def test_renumbered_steps_are_known_to_expressions(tmp_path: Path) -> None:
    with quire.create(tmp_path / "steps.h5") as out:
        for number in (5, 2):
            with out.step(number) as step:
                step.set("k", -number).put("x", np.arange(2.0))
    with quire.chain(tmp_path / "steps.h5") as chain:
        for made in (chain.renumber(), chain.sort_steps("k"), chain.renumber().filter("x >= 0")):
            assert made.define("n=step + 0 * x").read()["n"].tolist() == [0, 0, 1, 1]


def test_a_row_with_the_name_of_the_column_of_old_names_is_not_transposed() -> None:
    rows = quire.new("label=name,b", "x=1,2")
    with pytest.raises(ConflictError, match="--old-names"):
        rows.transpose().read()
    assert list(rows.transpose(old_names="old").read()) == ["old", "name", "b"]


def test_steps_that_do_not_exist_are_an_error(beam: Path, tmp_path: Path) -> None:
    target = path_for(tmp_path / "out", step_formats()[0])
    target.parent.mkdir()
    with (
        quire.chain(beam, steps="99") as chain,
        pytest.raises(MissingError, match="no step has one"),
    ):
        chain.sort("x").write(target)
    assert not target.exists()


def test_units_go_along_to_pandas_and_arrow(beam: Path) -> None:
    with quire.chain(beam) as chain:
        frame, table = chain.sort("x").to_pandas(["x", "id"]), chain.sort("x").to_arrow(["x", "id"])
        assert len(frame) == table.num_rows == 3 * ROWS
        assert frame.attrs["units"] == {"x": "m"}
        assert table.schema.field("x").metadata == {b"unit": b"m"}
        np.testing.assert_array_equal(frame["x"].to_numpy(), table["x"].to_numpy())
        assert frame.index.names == ["step", "row"]


def test_names_are_a_list_or_a_text_with_commas(beam: Path) -> None:
    with quire.chain(beam) as chain:
        assert list(chain.select("x, id").read()) == ["x", "id"]
        assert list(chain.select(drop="x,z").read()) == ["id"]
        assert list(chain.read("x,id")) == ["x", "id"]
        assert chain.rows("1:3").read("id")["id"][:2].tolist() == [1, 2]
        assert chain.melt("x,z").read("name")["name"][:2].tolist() == ["x", "z"]


@pytest.mark.parametrize(
    ("name", "message"), [("pages", "collapse, expand, merge"), ("steps", "quire.chain"), ("get", "read")]
)
def test_words_of_the_command_line_that_are_no_methods_are_explained(
    beam: Path, name: str, message: str
) -> None:
    with (
        quire.chain(beam) as chain,
        pytest.raises(AttributeError, match=f"'Chain'.*'{name}'; write {message}"),
    ):
        getattr(chain, name)


def test_keys_may_name_the_usual_order() -> None:
    table = quire.new("x=2,1,3", "y=1,1,0")
    for key in ("x:asc", "y,x:asc", "x:asc:abs"):
        assert (
            table.sort(key).read()["x"].tolist() == table.sort(key.replace(":asc", "")).read()["x"].tolist()
        )
