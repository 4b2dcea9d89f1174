"""Fields that are declared and written part by part from Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, table_formats

import quire

SHAPE = (5, 4, 3)
VALUES = np.arange(180.0).reshape(*SHAPE, 3) / 7


def declared(step: quire.WriteStep, **changes: Any) -> quire.WriteStep:
    wanted: dict[str, Any] = {"extents": SHAPE, "components": 3} | changes
    return step.declare_field("E", "float64", quire.Grid(**wanted), unit="V/m")


def opened(step: quire.WriteStep, values: Any = VALUES) -> None:
    step.agree_on_rows()
    step.weigh_field("E", (0, 0, 0), values)
    step.open()


def test_parts_are_the_whole(tmp_path: Path, format_name: str) -> None:
    whole, parted = (path_for(tmp_path, format_name, stem) for stem in ("whole", "parted"))
    with quire.create(whole, format=format_name) as out, out.step(0) as step:
        step.put_field("E", VALUES, quire.Grid(components=3, origin=[1, 2, 3], spacing=[1, 1, 2]), unit="V/m")
    with quire.create(parted, format=format_name) as out, out.step(0) as step:
        declared(step, origin=[1, 2, 3], spacing=[1, 1, 2])
        opened(step)
        for layer in range(5):
            # Any memory will do.
            part = np.asfortranarray(VALUES[layer : layer + 1]).astype(">f8")
            step.write_field("E", (layer, 0, 0), part)
    assert parted.read_bytes() == whole.read_bytes()


def test_a_field_that_was_read_gives_its_properties(tmp_path: Path) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with quire.create(source) as out, out.step(0) as step:
        step.put_field("E", VALUES, quire.Grid(components=3, origin=[1, 2, 3], spacing=[1, 1, 2]), unit="V/m")
    with quire.open(source) as file, quire.create(target) as out, out.step(0) as step:
        field = file[0].fields["E"]
        step.declare_field("E", like=field)
        opened(step)
        step.write_field("E", (0, 0, 0), field[...])
    assert target.read_bytes() == source.read_bytes()


def test_chunks_are_known_before_boxes_are_chosen(tmp_path: Path) -> None:
    with quire.create(tmp_path / "a.h5", chunk=5, field_chunk="2x4x1", filter="deflate") as out:
        with out.step(0) as step:
            assert step.field_chunk("E", "float64", quire.Grid(SHAPE)) == (2, 4, 1)
            step.put_field("E", VALUES, quire.Grid(components=3))
        with quire.open(tmp_path / "a.h5") as file:
            assert file[0].fields["E"].location().chunk[-3:] == (2, 4, 1)
    with quire.create(tmp_path / "b.h5") as out, out.step(0) as step:
        assert step.field_chunk("E", "float64", quire.Grid(SHAPE)) == ()
        step.put_field("E", VALUES, quire.Grid(components=3))
    with quire.open(tmp_path / "b.h5") as file:
        assert file[0].fields["E"].location().chunk == ()


def test_chunks_of_a_field_of_a_group_are_those_that_it_has(tmp_path: Path) -> None:
    path = tmp_path / "a.hdf5"
    values = VALUES[..., 0]
    with quire.create(path, field_chunk="3x2x3", grow=True) as out, out.step(0) as step:
        step.put_field("E", values, group="run")
    with quire.open(path) as file, quire.append(path, grow=True) as out:
        (field,) = file[0].fields.values()
        assert field.group == "run"
        with out.step(0) as step:
            grown = (9, *SHAPE[1:])
            with pytest.raises(quire.ConflictError, match="no such field"):
                step.field_chunk("E", "float64", quire.Grid(grown))
            assert step.field_chunk("E", "float64", quire.Grid(grown), group="run") == (3, 2, 3)
            assert step.field_chunk(field.name, grid=quire.Grid(grown), like=field) == (3, 2, 3)
            with pytest.raises(quire.UsageError, match="needs a type and extents"):
                step.field_chunk("E")
            step.declare_field(field.name, grid=quire.Grid(grown, box=[(5, 4), (0, 4), (0, 3)]), like=field)
            step.agree_on_rows()
            step.weigh_field(field.name, (5, 0, 0), values[:4])
            step.open()
            step.write_field(field.name, (5, 0, 0), values[:4])
    with quire.open(path) as file:
        np.testing.assert_array_equal(file[0].fields[field.name][...], np.concatenate([values, values[:4]]))


def write_step(out: quire.Writer, number: int, action: Callable[[quire.WriteStep], object]) -> None:
    with out.step(number) as step:
        declared(step)
        opened(step)
        action(step)


def write_twice(step: quire.WriteStep, start: tuple[int, ...]) -> None:
    step.write_field("E", (0, 0, 0), VALUES[:2])
    step.write_field("E", start, VALUES)


WRONG: dict[str, tuple[Callable[[quire.WriteStep], object], str]] = {
    "another shape": (lambda step: step.write_field("E", (0, 0, 0), VALUES[0]), "the part has 2 axes"),
    "other components": (lambda step: step.write_field("E", (0, 0, 0), VALUES[..., :2]), "the 3 components"),
    "a negative start": (lambda step: step.write_field("E", (-1, 0, 0), VALUES), "cannot start"),
    "another name": (lambda step: step.write_field("B", (0, 0, 0), VALUES), "was declared"),
    "declared late": (lambda step: declared(step), "too late"),
    "weighed late": (lambda step: step.weigh_field("E", (0, 0, 0), VALUES), "too late"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_raised_at_once(tmp_path: Path, name: str) -> None:
    action, words = WRONG[name]
    path = tmp_path / "file.h5"
    with quire.create(path) as out:
        with out.step(0) as step:
            step.put_field("E", VALUES, quire.Grid(components=3))
        with pytest.raises(quire.UsageError, match=words):
            write_step(out, 1, action)
    with quire.open(path) as file:
        assert file.numbers == [0]


def test_errors_of_the_core_are_raised_by_the_commit(tmp_path: Path) -> None:
    with quire.create(tmp_path / "file.h5") as out:
        for number, (start, words) in enumerate(
            {(1, 0, 0): "not inside this rank's declared box", (0, 0, 0): "were already written"}.items()
        ):
            with pytest.raises(quire.UsageError, match=words):
                write_step(out, number, partial(write_twice, start=start))


def test_declarations_that_cannot_be(tmp_path: Path) -> None:
    with quire.create(tmp_path / "file.h5") as out, out.step(0) as step:
        declared(step, box=[(0, 2), slice(0, 4), slice(None)])
        with pytest.raises(quire.UsageError, match="put twice"):
            declared(step)
        with pytest.raises(quire.UsageError, match="needs a type and extents"):
            step.declare_field("B")
        with pytest.raises(quire.UsageError, match="without steps"):
            step.declare_field(
                "B", "float64", quire.Grid(SHAPE, box=[slice(0, 5, 2), slice(0, 4), slice(None)])
            )
        with pytest.raises(quire.UsageError, match="before open"):
            step.write_field("E", (0, 0, 0), VALUES)
        opened(step, VALUES[:2])
        step.write_field("E", (0, 0, 0), VALUES[:2])


@pytest.fixture(params=table_formats())
def format_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name
