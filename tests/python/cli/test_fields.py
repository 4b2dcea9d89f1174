"""Parts of fields in show and plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import quire
from quire.toolkit import field_values
from quire.toolkit.field_values import FieldRequest, values_of

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

EXTENTS = (4, 3, 5)
Array = np.ndarray[Any, Any]


@pytest.fixture
def gridded(tmp_path: Path) -> tuple[Path, Array, Array]:
    """A file with a scalar and a vector field on a grid, and their values."""
    random = np.random.default_rng(3)
    scalar, vector = random.normal(size=EXTENTS), random.normal(size=(*EXTENTS, 3))
    path = tmp_path / "field.h5"
    grid = quire.Grid(origin=(-1.0, 0.0, 10.0), spacing=(0.5, 1.0, 2.0))
    vectors = replace(grid, components=3)
    with quire.create(path) as out:
        for number in (0, 1):
            with out.step(number) as step:
                step.put_field("phi", scalar + number, grid=grid, unit="V")
                step.put_field("E", vector, grid=vectors, unit="V/m")
    return path, scalar, vector


def rows_of(output: str) -> Array:
    """The numbers of CSV output without its header and the numbers of steps."""
    return np.array([line.split(",")[1:] for line in output.splitlines()[1:]], dtype=float)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--slice", "z=0"], lambda phi: phi[2]),
        (["--slice", "z=-0.8,y=@-1"], lambda phi: phi[0, 2]),
        (["--slice", "x=@0", "--slice", "z=@3"], lambda phi: phi[3, :, 0]),
        (["--sum", "z"], lambda phi: phi.sum(axis=0)),
        (["--sum", "x,y"], lambda phi: phi.sum(axis=(1, 2))),
        (["--slice", "y=1", "--sum", "x"], lambda phi: phi[:, 1].sum(axis=1)),
        (["--slice", "x=14,y=1,z=-1"], lambda phi: phi[0, 1, 2]),
    ],
)
def test_parts_have_the_values_of_the_field(
    run: Run, gridded: tuple[Path, Array, Array], words: list[str], expected: Any
) -> None:
    path, scalar, _ = gridded
    outcome = run("show", path, "--field", "phi", "--steps", "0", "--csv", *words)
    assert outcome.code == 0, outcome.errors
    np.testing.assert_allclose(rows_of(outcome.output)[:, -1], np.ravel(expected(scalar)), rtol=1e-14)


def test_positions_are_those_of_the_grid(run: Run, gridded: tuple[Path, Array, Array]) -> None:
    found = rows_of(
        run("show", gridded[0], "--field", "phi", "--slice", "y=0", "--steps", "0", "--csv").output
    )
    np.testing.assert_array_equal(found[:5, 1], 10.0 + 2.0 * np.arange(5))
    np.testing.assert_array_equal(found[::5, 0], -1.0 + 0.5 * np.arange(4))


def test_components_and_magnitudes(run: Run, gridded: tuple[Path, Array, Array]) -> None:
    path, _, vector = gridded
    words = ("show", path, "--field", "E", "--steps", "0", "--csv")
    np.testing.assert_allclose(
        rows_of(run(*words).output)[:, -1], np.linalg.norm(vector, axis=-1).ravel(), rtol=1e-14
    )
    np.testing.assert_array_equal(
        rows_of(run(*words, "--component", "2").output)[:, -1], vector[..., 2].ravel()
    )


def test_sums_are_read_in_layers(gridded: tuple[Path, Array, Array], monkeypatch: pytest.MonkeyPatch) -> None:
    path, scalar, _ = gridded
    monkeypatch.setattr(field_values, "BLOCK_BYTES", 1)
    with quire.open(path) as file:
        for axes in (("z",), ("x",), ("z", "x"), ("x", "y", "z")):
            places = tuple("zyx".index(axis) for axis in axes)
            found = values_of(file[0].fields["phi"], FieldRequest({}, axes))
            np.testing.assert_allclose(found.values, scalar.sum(axis=places), rtol=1e-13)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--field", "psi"], 1, "psi"),
        (["--field", "phi", "--slice", "w=0"], 2, "there are: z, y, x"),
        (["--field", "phi", "--slice", "z=7"], 2, "z is from -1.25 to 0.75, or @0 to @3"),
        (["--field", "phi", "--slice", "z=@4"], 2, "@0 to @3"),
        (["--field", "phi", "--slice", "z"], 2, "z=0"),
        (["--field", "E", "--component", "3"], 2, "3 components"),
    ],
)
def test_wrong_parts_say_what_there_is(
    run: Run, gridded: tuple[Path, Array, Array], words: list[str], code: int, message: str
) -> None:
    outcome = run("show", gridded[0], *words)
    assert outcome.code == code
    assert message in outcome.errors
    assert outcome.errors.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--field", "phi", "--slice", "z=0", "--steps", "0"], 0),
        (["--field", "E", "--sum", "y", "--steps", "1", "--log", "z"], 0),
        (["--field", "phi", "--slice", "z=0,y=0"], 0),
        (["--field", "phi", "--slice", "z=0"], 2),  # two steps
        (["--field", "phi", "--steps", "0"], 2),  # three axes
        (["--field", "phi", "--slice", "x=10,y=0,z=0"], 2),  # none
    ],
)
def test_planes_and_lines_are_drawn(
    run: Run, gridded: tuple[Path, Array, Array], tmp_path: Path, words: list[str], code: int
) -> None:
    outcome = run("plot", gridded[0], *words, tmp_path / "field.png")
    assert outcome.code == code, outcome.errors
    assert (tmp_path / "field.png").exists() == (code == 0)


def look_of(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[Sequence[Any], str, list[str]]:
    """Draw a plane: return its axes, its title and the header of its numbers."""
    from quire.toolkit import picture

    found: list[Any] = []
    draw = picture.draw_plane

    def note(across: Any, up: Any, values: Any, quantity: Any, look: Any) -> Any:
        found.extend([(across, up), look.title])
        return draw(across, up, values, quantity, look)

    monkeypatch.setattr("quire.toolkit.picture.draw_plane", note)
    image = path.with_name("plane.png")
    outcome = run("plot", path, *words, "--steps", "0", "--data", "-", "--overwrite", image)
    assert outcome.code == 0, outcome.errors
    axes, title = found
    return axes, title, outcome.output.splitlines()[0].split(",")


def test_a_plane_says_where_it_is(
    run: Run, gridded: tuple[Path, Array, Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = gridded[0]
    words = ("--field", "phi", "--slice", "z=0.1")
    _, title, header = look_of(run, path, monkeypatch, *words)
    assert (title, header) == ("phi at z = 0, step 0", ["y", "x", "phi [V]"])
    _, title, _ = look_of(run, path, monkeypatch, "--field", "E", "--sum", "z")
    assert title == "sum of |E| over z, step 0"
    assert look_of(run, path, monkeypatch, *words, "--title", "mine")[1] == "mine"


def test_positions_have_the_unit_that_is_stated(
    run: Run, gridded: tuple[Path, Array, Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--field", "phi", "--slice", "z=-0.4", "--unit", "z=m", "--unit", "x=mm")
    (across, up), title, header = look_of(run, gridded[0], monkeypatch, *words)
    assert (across.unit, up.unit) == ("mm", "")
    assert title == "phi at z = -500 mm, step 0"
    assert header == ["y", "x [mm]", "phi [V]"]


def test_positions_in_metres_are_known_as_such(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "metres.h5"
    grid = quire.Grid(origin=(0.0, 0.0, 0.0), spacing=(1e-3, 2e-3, 1e-3))
    with quire.create(path) as out, out.step(0) as step:
        step.put_field("phi", np.ones((3, 4, 5)), grid, attributes={field_values.METRES: 1.0})
    (across, up), _, header = look_of(
        run, path, monkeypatch, "--field", "phi", "--sum", "z", "--unit", "x=mm"
    )
    assert (across.unit, up.unit) == ("m", "m")
    assert header == ["y [m]", "x [mm]", "sum of phi over z"]


def test_lines_of_several_steps_have_labels_in_the_numbers(
    run: Run, gridded: tuple[Path, Array, Array], tmp_path: Path
) -> None:
    words = ("--field", "phi", "--slice", "z=0,y=0", "--data", "-")
    outcome = run("plot", gridded[0], *words, tmp_path / "line.png")
    lines = outcome.output.splitlines()
    assert lines[0] == "curve,x,phi [V]"
    assert [line.partition(",")[0] for line in lines[1:]] == ["step 0"] * 5 + ["step 1"] * 5


def test_a_field_of_zeros_has_no_logarithm(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "zeros.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put_field("phi", np.zeros((3, 4)))
    assert (
        run("plot", path, "--field", "phi", "--slice", "z=@0", "--log", "z", tmp_path / "zeros.png").code == 0
    )


def test_axes_that_are_stored_fastest_first_are_named_in_order(tmp_path: Path) -> None:
    path = tmp_path / "labels.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put_field("a", np.zeros((2, 3, 4)), attributes={"axisLabels": ["x", "y", "z"], "dataOrder": "F"})
    with quire.open(path) as file:
        field = file[0].fields["a"]
        if "axisLabels" in field.attrs:  # the format keeps attributes of fields
            assert [axis.name for axis in field_values.axes_of(field)] == ["z", "y", "x"]
