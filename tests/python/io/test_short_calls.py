"""Attributes by value, assignments of values, and the objects that calls take."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.python.support.files import path_for

import quire

WITH_TEXTS = quire.formats()[0]
"""A format with titles, texts of columns, and columns of texts."""
VALUES = np.arange(24.0).reshape(2, 3, 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.h5"


def test_attributes_are_values_and_have_information(path: Path) -> None:
    with quire.create(path) as out, out.step(0) as step:
        out.attrs["code"] = "fodo"
        step.attrs["turns"] = 100
        step.attrs["tunes"] = [0.25, 0.75]
        step.set("time", 2.5, quire.Texts("s", description="since the start"))
        step.put_field("phi", VALUES, attributes={"gain": 2.0})
    with quire.open(path) as file:
        read, field = file[0], file[0].fields["phi"]
        assert (file.attrs["code"], file.attrs.info["code"].type) == ("fodo", "string")
        assert list(read.attrs) == list(read.attrs.info) == ["turns", "tunes", "time"]
        assert (read.attrs["turns"], read.attrs.info["turns"].type) == (100, "int64")
        assert read.attrs["tunes"].tolist() == [0.25, 0.75]
        assert (read.attrs["time"], read.attrs.info["time"].unit) == (2.5, "s")
        assert (field.attrs["gain"], field.attrs.info["gain"].value) == (2.0, 2.0)
        for mapping in (read.attrs, read.attrs.info):
            assert mapping.get("tune") is None
            with pytest.raises(quire.MissingError, match=r'no attribute "tune".*the nearest: tunes'):
                mapping["tune"]


def test_an_attribute_that_was_read_keeps_its_type_and_texts(path: Path) -> None:
    copy = path.with_name("copy.h5")
    with quire.create(path) as out, out.step(0) as step:
        step.set("time", 2.5, unit="s", type="float32").put("x", [1.0])
    with quire.open(path) as file, quire.create(copy) as out, out.step(0) as step:
        step.attrs["time"] = file[0].attrs.info["time"]
        step["x"] = [1.0]
    assert copy.read_bytes() == path.read_bytes()


def test_assigned_values_are_columns_or_fields(tmp_path: Path) -> None:
    path, put = (path_for(tmp_path, WITH_TEXTS, stem) for stem in ("assigned", "put"))
    with quire.create(path) as out, out.step(0) as step:
        step["x"] = [1.0, 2.0]
        step["name"] = ["a", "bc"]
        step["phi"] = VALUES
    with quire.create(put) as out, out.step(0) as step:
        step.put("x", [1.0, 2.0]).put("name", ["a", "bc"]).put_field("phi", VALUES)
    assert path.read_bytes() == put.read_bytes()
    with (
        pytest.raises(quire.UsageError, match=r"neither a column nor a field.*step\.attrs") as caught,
        quire.create(path) as out,
        out.step(0) as step,
    ):
        step["time"] = 0.5
    assert (caught.value.file, caught.value.object) == (str(path), "time")


def test_texts_that_are_not_given_are_those_of_another_object(tmp_path: Path) -> None:
    path, copy = (path_for(tmp_path, WITH_TEXTS, stem) for stem in ("a", "b"))
    with quire.create(path) as out, out.step(0) as step:
        step.put("px", [1.0], quire.Texts("m$be$nc", "p$bx$n", "momentum", "%9.3f"))
    with quire.open(path) as file, quire.create(copy) as out, out.step(0) as step:
        px = file[0]["px"]
        assert px.texts == quire.Texts("m$be$nc", "p$bx$n", "momentum", "%9.3f")
        step.put("a", [1.0], quire.Texts(description="another"), like=px)
        step.put("b", [1.0], "m", like=px)
        step.put("c", [1.0], px.texts)
        step.put("d", [1.0], quire.Texts(symbol="d"))
    with quire.open(copy) as file:
        found = {name: dataclasses.astuple(file[0][name].texts) for name in "abcd"}
    assert found == {
        "a": ("m$be$nc", "p$bx$n", "another", "%9.3f"),
        "b": ("m", "p$bx$n", "momentum", "%9.3f"),
        "c": ("m$be$nc", "p$bx$n", "momentum", "%9.3f"),
        "d": ("", "d", "", ""),
    }


def test_the_grid_of_a_field_that_was_read_is_written(path: Path) -> None:
    put, declared = path.with_name("put.h5"), path.with_name("declared.h5")
    vectors = np.stack([VALUES, -VALUES], axis=-1)
    grid = quire.Grid(components=2, origin=(1, 2, 3), spacing=(4, 5, 6))
    with quire.create(path) as out, out.step(0) as step:
        step.put_field("E", vectors, grid, unit="V/m")
    with quire.open(path) as file:
        field = file[0].fields["E"]
        assert (field.grid.extents, field.grid.components) == ((2, 3, 4), 2)
        with quire.create(put) as out, out.step(0) as step:
            step.put_field("E", field[...], field.grid, unit=field.texts)
        with quire.create(declared) as out, out.step(0) as step:
            step.declare_field("E", field.type, field.grid, unit=field.texts).open()
            step.write_field("E", (0, 0, 0), field[...])
    assert put.read_bytes() == path.read_bytes()
    assert declared.read_bytes() == path.read_bytes()


def test_a_grid_is_a_grid(path: Path) -> None:
    with quire.create(path) as out, out.step(0) as step:
        with pytest.raises(quire.TypeMismatchError, match=r"a quire\.Grid, not a tuple.*extents, start"):
            step.put_field("phi", VALUES, (2, 3, 4))  # type: ignore[arg-type]
        for grid in (quire.Grid((2, 3, 4), start=(0, 0, 0)), quire.Grid((2, 3, 4), boxes=[])):
            with pytest.raises(quire.UsageError, match="given by box"):
                step.declare_field("phi", "float64", grid)
        step["phi"] = VALUES


def test_titles_come_before_the_first_step(tmp_path: Path) -> None:
    path = path_for(tmp_path, WITH_TEXTS)
    with quire.create(path) as out:
        out.title, out.contents = "a bunch", "beam"
        assert (out.title, out.contents) == ("a bunch", "beam")
        out.step(0).put("x", [1.0]).commit()
        with pytest.raises(quire.UsageError, match="too late"):
            out.title = "another"
        assert out.title == "a bunch"
    with quire.open(path) as file:
        assert (file.title, file.contents) == ("a bunch", "beam")


def test_copies_know_their_keywords(path: Path) -> None:
    target = path.with_name("copy.h5")
    with quire.create(path) as out:
        for number in range(3):
            with out.step(number) as step:
                step["x"] = np.arange(4.0) + number
                step["y"] = np.zeros(4)
                step["px"] = np.zeros(4)
    quire.copy(path, target, columns="y,p*")
    with quire.open(target) as file:
        assert sorted(file[0].table.columns) == ["px", "y"]
    quire.copy(path, target, overwrite=True, steps="1-2", where="x > 3", options={"filter": "deflate"})
    with quire.open(target) as file:
        assert [step["x"][:].tolist() for step in file] == [[4.0], [4.0, 5.0]]
    with pytest.raises(quire.UsageError, match=r"no keyword filter.*options=\{'filter': \.\.\.\}"):
        quire.copy(path, target, overwrite=True, filter="deflate")  # type: ignore[call-arg]
