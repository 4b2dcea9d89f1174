"""The particles near a plane of a field."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import FIRST, Answer, Client, Serve, View

import quire
from quire.cli.main import main
from quire.io.expression import Expression
from quire.toolkit.examples import EXAMPLES, write_example
from quire.toolkit.field_values import FieldAxis, axes_of
from quire.units import Scale
from quire.viewer.near_plane import BINS, Plane, slab_condition

BEAM = EXAMPLES["beam"].name


@pytest.fixture(name="beam")
def fixture_beam(tmp_path: Path) -> Path:
    write_example("beam", str(tmp_path / BEAM))
    return tmp_path / BEAM


def write_flat(path: Path) -> Path:
    """Write a step with a field of three axes, and particles that have two coordinates."""
    random = np.random.default_rng(6)
    with quire.create(path) as out, out.step(0) as step:
        for name in "xy":
            step.put(name, random.uniform(-1.0, 1.0, 500), unit="m")
        step.put_field("rho", np.zeros((4, 5, 6)))
    return path


def expected_of(path: Path, low: float, high: float) -> np.ndarray[Any, Any]:
    """Return the particles of the first step between two z, in bins over the field."""
    with quire.open(path) as file:
        values = file[0].table.read()
        [_, up, across] = axes_of(file[0].fields["rho"])
    kept = (values["z"] >= low) & (values["z"] < high)
    limits = [tuple(across.edges[[0, -1]]), tuple(up.edges[[0, -1]])]
    found = np.histogram2d(values["x"][kept], values["y"][kept], BINS, limits)[0]
    return np.asarray(found)


def particles_of(client: Client, **asked: Any) -> Answer:
    return client.last("field", sources=FIRST, particles=True, **asked)


def test_the_particles_of_the_cell_are_counted(serve: Serve, beam: Path) -> None:
    client = serve(beam)
    with quire.open(beam) as file:
        z = axes_of(file[0].fields["rho"])[0]
    found = particles_of(client, at="z=@3")
    low, high = z.edges[3:5]
    assert found.content["slab"] == pytest.approx([low, high])
    np.testing.assert_array_equal(found.arrays[0], expected_of(beam, low, high))
    assert found.content["count"] == found.arrays[0].sum() > 0
    assert found.content["assumed"] == ["x", "y", "z"]
    # The cells of all planes have each particle of the field once.
    total = sum(particles_of(client, at=f"z=@{node}").content["count"] for node in range(len(z.positions)))
    inside = expected_of(beam, z.edges[0], z.edges[-1]).sum()
    assert total == inside


def test_a_thickness_and_a_cut_are_heeded(serve: Serve, beam: Path) -> None:
    client = serve(beam)
    found = particles_of(client, at="z=0", thickness="1e-3")
    place = float(np.mean(found.content["slab"]))
    assert np.diff(found.content["slab"]) == pytest.approx(1e-3)
    np.testing.assert_array_equal(found.arrays[0], expected_of(beam, place - 5e-4, place + 5e-4))
    cut = particles_of(client, at="z=0", thickness="1e-3", where="x > 0 or y > 0")
    assert 0 < cut.content["count"] < found.content["count"]
    assert cut.content["where"].startswith("(x > 0 or y > 0) and z >= ")
    for wrong in ("0", "-1", "wide", "nan", "inf"):
        assert "is no thickness" in particles_of(client, thickness=wrong).content["error"]


def test_the_field_is_shown_without_particles_if_they_have_no_place(serve: Serve, tmp_path: Path) -> None:
    client = serve(write_flat(tmp_path / "flat.h5"))
    frames = client.frames("field", sources=FIRST, particles=True)
    assert [one.content["kind"] for one in frames] == ["field", "particles"]
    assert "no column z" in frames[1].content["error"]
    assert len(client.frames("field", sources=FIRST)) == 1
    assert len(client.frames("field", sources=FIRST, particles=True, at="z=0,y=0")) == 1  # a line


def test_columns_in_another_unit_are_converted(serve: Serve, tmp_path: Path) -> None:
    """The particles in mm have the places of those in m."""
    found = []
    for unit, factor in (("m", 1.0), ("mm", 1e3), ("s", 1.0)):
        random = np.random.default_rng(6)
        with quire.create(tmp_path / f"{unit}.h5") as out, out.step(0) as step:
            for name in "xyz":
                step.put(name, factor * random.uniform(0.0, 3.0, 500), unit=unit)
            step.put_field("rho", np.zeros((4, 4, 4)), attributes={"gridUnitSI": 1.0})
        found.append(particles_of(serve(tmp_path / f"{unit}.h5"), at="z=1"))
    assert found[0].content["count"] > 0
    np.testing.assert_array_equal(found[0].arrays[0], found[1].arrays[0])
    assert found[1].content["slab"] == [0.5, 1.5]
    assert found[1].content["where"] == "z >= 500.0 and z < 1500.0"
    assert found[1].content["assumed"] == []
    assert "in s, and the axis of the field in m" in found[2].content["error"]


@pytest.mark.parametrize("name", ["z", "z pos", "E-x", "a`b", "and"])
def test_a_thin_slab_far_from_zero_has_its_particles(name: str) -> None:
    place = 1000.0
    normal = FieldAxis(name, np.array([place]))
    low, high = Plane((), normal, (0.0, 1.0)).slab(1e-10)
    condition = slab_condition(normal, Scale(1.0), low, high)
    values = {name: np.array([place - 1e-9, place, place + 1e-9])}
    assert Expression(condition)(values).tolist() == [False, True, False]


def test_it_is_said_where_the_particles_are(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "far.h5"
    with quire.create(path) as out, out.step(0) as step:
        for name in "xyz":
            step.put(name, np.array([4.0, 6.0]))
        step.put_field("rho", np.zeros((2, 2, 2)))
    found = particles_of(serve(path), at="z=@0").content
    assert found["count"] == 0
    assert found["elsewhere"] == [4.0, 6.0]
    assert found["assumed"] == []  # neither has a unit


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


@pytest.fixture(name="address")
def fixture_address(view: View, beam: Path, tmp_path: Path) -> str:
    return view(beam.name, write_flat(tmp_path / "flat.h5").name)


@pytest.mark.nightly
@needs_chromium
def test_particles_are_drawn_over_the_plane(
    tab: Tab, address: str, beam: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tab.open(address, "view=fields")
    picture = "() => document.querySelector('#plot canvas').toDataURL()"
    before = tab.page.evaluate(picture)
    assert tab.page.is_hidden("#thickness")
    tab.click("#onField")
    assert tab.page.evaluate(picture) != before
    note = tab.text("#note")
    count = int(note.split(" of ")[0])
    assert " of 2\u2009000 particles with z from " in note
    assert "if x, y, z of the field are in m;" in note
    assert tab.saved("#save-svg").decode().count("<image") == 2
    tab.fill("thickness", "2e-3").press("Tab")
    assert int(tab.settled().text("#note").split(" of ")[0].replace("\u2009", "")) > count
    tab.fill("where", "x > 0").page.locator("#slider").fill("2")
    lines = tab.settled().text("#line").split("; ")
    drawn = int(tab.text("#note").split(" of ")[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [*shlex.split(lines[1]), "--data", "counts.csv"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    rows = Path("counts.csv").read_text().splitlines()[1:]
    assert sum(int(row.split(",")[-1]) for row in rows) == drawn


@needs_chromium
def test_a_table_without_the_coordinate_is_explained(tab: Tab, address: str) -> None:
    tab.open(address, "view=fields&files=[1]&onField=true")
    assert "the table has no column z" in tab.text("#alert")
    assert tab.page.get_attribute("#plot canvas", "aria-label") == "field rho"
