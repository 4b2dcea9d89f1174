"""Grids and contour lines: values, order, units, missing ones, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import quire
from quire.errors import DataError, Error, UsageError
from quire.numeric.maps import contour_lines, even_levels, exact_grid, interpolated_grid


def plane(rows: int = 400) -> quire.verbs.chain.Chain:
    """Return scattered points of a plane."""
    made = quire.new("x[m]=uniform(-1, 1)", "y[mm]=uniform(0, 3)", rows=rows, seed=3)
    return made.define('z[T]=2*as_unit(x, "") - as_unit(y, "") + 1')


def test_rows_of_a_grid_are_ordered() -> None:
    chain = quire.new("x=3,1,3,1,3,1", "y=0,5,5,0,9,9", "z=30,15,35,10,39,19")
    found = chain.map("x", "y", "z").read()
    assert [found[name].tolist() for name in "xyz"] == [
        [1, 1, 1, 3, 3, 3], [0, 5, 9, 0, 5, 9], [10, 15, 19, 30, 35, 39],
    ]  # fmt: skip


def test_a_plane_is_interpolated_exactly_and_missing_outside() -> None:
    chain = plane().map("x", "y", "z", points=[5, 4], limits=[(-0.5, 0.5), (1, 2)])
    found = chain.read()
    assert found["x"].tolist() == np.repeat(np.linspace(-0.5, 0.5, 5), 4).tolist()
    np.testing.assert_allclose(found["z"], 2 * found["x"] - found["y"] + 1, atol=1e-12)
    table = next(iter(chain)).table
    assert [table[name].unit for name in "xyz"] == ["m", "mm", "T"]
    outside = plane().map("x", "y", "z", points=[3], limits=[(5, 6)])
    assert np.isnan(outside.read()["z"]).all()
    assert "9 of 9 values of z are NaN" in next(iter(outside)).warnings[0]
    nearest = plane().map("x", "y", "z", points=[3], limits=[(5, 6)], method="nearest").read()["z"]
    assert np.isfinite(nearest).all()


def test_points_without_a_value_are_left_out() -> None:
    x, y = np.array([0.0, 1, 0, 1, 0.5]), np.array([0.0, 0, 1, 1, 0.5])
    grid = interpolated_grid(x, y, [0, 1, 0, 1, np.nan], (3, 3))
    np.testing.assert_allclose(grid.values[:, 1], [0, 0.5, 1])


def test_contours_of_a_cone_are_circles() -> None:
    places = np.linspace(-1, 1, 41)
    x, y = (one.reshape(-1) for one in np.meshgrid(places, places))
    chain = quire.new(columns={"x[m]": x, "y[m]": y, "z[T]": np.hypot(x, y)})
    made = chain.map("x", "y", "z", levels=[0.3, 0.6])
    found = made.read()
    np.testing.assert_allclose(np.hypot(found["x"], found["y"]), found["level"], atol=2e-3)
    assert sorted(set(found["line"].tolist())) == [0, 1]
    first = found["line"] == 0
    assert found["x"][first][0] == found["x"][first][-1]
    table = next(iter(made)).table
    assert [table[name].unit for name in table] == ["T", "", "m", "m"]
    even = chain.map("x", "y", "z", levels=3).read()["level"]
    assert sorted(set(even.tolist())) == pytest.approx([np.sqrt(2) * part for part in (0.25, 0.5, 0.75)])


def test_planes_of_fields_are_mapped(tmp_path: Path) -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    path = tmp_path / "field.h5"
    with quire.create(path) as out, out.step(0) as step:
        grid = quire.Grid(origin=(0.0, 10.0, -1.0), spacing=(1.0, 2.0, 0.5))
        step.put_field("rho", values, grid, unit="C")
    with quire.chain(path) as chain:
        made = chain.map(field="rho", at={"z": "@1"})
        found = made.read()
        assert list(found) == ["x", "y", "rho"]
        assert found["x"].tolist() == np.repeat([-1, -0.5, 0, 0.5], 3).tolist()
        assert found["y"].tolist() == [10, 12, 14] * 4
        assert found["rho"].tolist() == values[1].T.reshape(-1).tolist()
        assert next(iter(made)).table["rho"].unit == "C"
        summed = chain.map(field="rho", sums=["z"], points=[2, 2]).read()
        assert summed["rho"].tolist() == values.sum(axis=0).T[[0, 0, -1, -1], [0, -1, 0, -1]].tolist()
        lines = chain.map(field="rho", at={"z": "0"}, levels=[5.0]).read()
        assert set(lines["level"].tolist()) == {5}
        np.testing.assert_allclose(2 * (lines["x"] + 1) + 4 * (lines["y"] - 10) / 2, lines["level"])
        with pytest.raises(UsageError, match="these are left: z, y, x"):
            chain.map(field="rho").read()
        with pytest.raises(UsageError, match="columns, or of a field"):
            chain.map("x", field="rho")
        with pytest.raises(UsageError, match="are those of a field"):
            chain.map("x", "y", "z", sums=["z"])


def test_contours_avoid_missing_values_and_may_be_none() -> None:
    values = np.arange(9.0).reshape(3, 3)
    values[2, 2] = np.nan
    grid = exact_grid(np.repeat([0, 1, 2], 3), np.tile([0, 1, 2], 3), values.reshape(-1))
    assert all(np.isfinite(line.x).all() for line in contour_lines(grid, [1.5, 6.5]))
    assert contour_lines(grid, [100.0]) == []
    assert even_levels([np.nan], 3) == []
    assert even_levels([0.0, 4.0], 3) == [1, 2, 3]
    empty = quire.new("x=1,2", "y=1,2", "z=1,2").filter("x > 5").map("x", "y", "z", levels=2)
    assert {name: len(values) for name, values in empty.read().items()} == {
        "level": 0, "line": 0, "x": 0, "y": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ("0,1,0 0,0,1", {}, DataError, "3 points are no grid of 2 values of x and 2 of y"),
        ("0,1,0,0 0,0,1,0", {}, DataError, "4 points are no grid"),
        ("0,1,2 0,1,2", {"points": [2]}, DataError, "have no area between them"),
        ("0,1,nan 0,1,2", {"points": [2]}, DataError, "1 of 3 points have coordinates that are NaN"),
        ("0,1,0,1 0,0,1,1", {"points": [1]}, UsageError, "2 points or more along each axis"),
        ("0,1,2 0,0,0", {"levels": 2}, DataError, "contours need two values of x and of y"),
        ("0,1,0,1 0,0,1,1", {"levels": 0}, UsageError, "1 level or more"),
    ],
)
def test_what_is_no_map_is_refused(
    columns: str, options: dict[str, object], error: type[Error], message: str
) -> None:
    x, y = columns.split()
    chain = quire.new(f"x={x}", f"y={y}", "z=1.0").map("x", "y", "z", **options)  # type: ignore[arg-type]
    with pytest.raises(error, match=message):
        chain.read()
