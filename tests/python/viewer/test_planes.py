"""Planes of a field between points in space."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import FIRST, Answer, Client, Serve, View

import quire

EXTENTS = (4, 5, 6)


def write_points(path: Path, **columns: str) -> Path:
    """Write particles in a box, by their columns and units, and a field around them, which rises along x."""
    random = np.random.default_rng(3)
    with quire.create(path) as out, out.step(0) as step:
        for name, unit in (columns or {"x": "m", "y": "m", "z": "m"}).items():
            step.put(name, random.uniform(-2.0, 2.0, 400), unit=unit)
        values = np.broadcast_to(np.arange(EXTENTS[2], dtype=float), EXTENTS)
        place = quire.Grid(origin=(-3.0, -2.0, -2.5), spacing=(2.0, 1.0, 1.0))
        step.put_field("rho", values, place, unit="C")
        step.put_field("v", np.ones((*EXTENTS, 3)), replace(place, components=3))
    return path


@pytest.fixture(name="field")
def fixture_field(tmp_path: Path) -> Path:
    return write_points(tmp_path / "field.h5")


def answer_of(client: Client, **asked: Any) -> Answer:
    return client.last("points", sources=FIRST, x="x", y="y", z="z", withField=True, **asked)


def test_planes_have_values_and_places_between_the_points(serve: Serve, field: Path) -> None:
    found = answer_of(serve(field), planes="z=0.9,x=@5")
    assert [(axis["low"], axis["high"]) for axis in found.content["axes"]] == [(-3, 3), (-2.5, 2.5), (-4, 4)]
    first, second = found.content["field"]["planes"]
    assert (first["name"], first["node"], first["nodes"], first["position"]) == ("z", 2, 4, 1.0)
    assert (first["axis"], first["others"], first["place"]) == (2, [1, 0], pytest.approx(5 / 8))
    assert (second["axis"], second["others"]) == (0, [2, 1])
    cloud, values, up, across, others, *_ = found.arrays
    assert cloud.shape == (400, 3)
    assert values.tolist() == [[0, 1, 2, 3, 4, 5]] * 5
    np.testing.assert_allclose(up, np.linspace(0, 1, 6))
    np.testing.assert_allclose(across, np.linspace(0, 1, 7))
    assert others.tolist() == [[5.0] * 5] * 4
    assert found.content["field"]["slices"] == "z=0.9,x=@5"


def test_the_plane_in_the_middle_is_usual(serve: Serve, field: Path) -> None:
    found = answer_of(serve(field)).content["field"]
    assert (found["slices"], found["value"]["name"], found["value"]["unit"]) == ("z=@2", "rho", "C")
    assert answer_of(serve(field), field="v", component=1).content["field"]["value"]["name"] == "v[1]"


def test_without_it_there_is_no_field(client: Client) -> None:
    assert client.last("points", sources=FIRST, x="x", y="y", z="z").content["field"] is None


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"z": "2 * z"}, "the axes of the field 'rho' are z, y, x"),
        ({"planes": "q=0"}, "q"),
        ({"planes": "z=99"}, "no place in the field"),
        ({"planes": "z"}, "not a slice"),
        ({"field": "phi"}, "phi"),
    ],
)
def test_the_points_are_shown_without_planes_that_cannot_be(
    serve: Serve, field: Path, asked: dict[str, str], words: str
) -> None:
    found = serve(field).last(
        "points", sources=FIRST, withField=True, **{"x": "x", "y": "y", "z": "z", **asked}
    )
    assert words in found.content["field"]["error"]
    assert [one.shape for one in found.arrays] == [(400, 3)]


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


@pytest.fixture(name="address")
def fixture_address(view: View, field: Path, tmp_path: Path) -> str:
    return view(field.name, write_points(tmp_path / "flat.h5", x="m", y="m", u="m").name)


VIRIDIS = [(68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37)]
"""The colours of 0 to 5 from 0 to 5."""


def counts_of(tab: Tab) -> tuple[list[int], int]:
    """Return how many pixels have the colours of the cells, and how many those of points."""
    found = tab.colours(0, 60, 140, 60)
    red, green, blue, counts = found.T
    points = counts[(red > 200) & (green < 160) & (blue > 150)].sum()
    is_cell = np.abs(found[:, None, :3] - VIRIDIS).max(axis=2) < 2
    return (counts @ is_cell).tolist(), int(points)


@needs_chromium
def test_planes_are_drawn_among_the_points(tab: Tab, address: str) -> None:
    tab.open(address, "view=space&turn=[0,0,1]")
    assert tab.page.is_hidden("#planes")
    before, _ = counts_of(tab)
    tab.click("#withField")
    assert tab.page.input_value("#planes") == "z=@2"
    assert tab.text("#note") == "400 rows; rho at z = 1 m"
    cells, few = counts_of(tab)
    assert min(cells) > 1000 > before[0]
    tab.fill("planes", "z=-3")
    assert "rho at z = -3 m" in tab.text("#note")
    _, all_points = counts_of(tab)
    tab.page.locator("#plane-sliders input").fill("3")
    assert "rho at z = 3 m" in tab.settled().text("#note")
    _, none = counts_of(tab)
    assert none == 0 < few < all_points  # those after the plane are hidden
    tab.fill("planes", "x=@5,y=0,z=@0")
    assert tab.page.locator("#plane-sliders input").count() == 3
    link = tab.page.url
    tab.page.goto("about:blank")
    assert "rho at x = 2.5 m, y = 0 m, z = -3 m" in tab.open(link).text("#note")
    tab.page.select_option("#field", "v")
    tab.settled().page.select_option("#component", "1")
    assert re.search(r"v\[1\] at z = 1 m$", tab.settled().text("#note"))
    tab.fill("colour", "x")
    tab.page.select_option("#palette", "magma")
    assert tab.settled().saved("#save-png")[:4] == b"\x89PNG"
    assert len(tab.numbers()) == 401


@needs_chromium
def test_planes_that_cannot_be_shown_are_explained(tab: Tab, address: str) -> None:
    tab.open(address, "view=space&files=[1]&withField=true")
    assert "the axes of the field 'rho' are z, y, x" in tab.text("#alert")
    assert tab.text("#note") == "400 rows"
