"""Cuts of several files are in the units of the first one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.viewer.conftest import Client, Serve

import quire
from quire.viewer.cuts import converted

BOTH = [{"file": 0, "step": 0}, {"file": 1, "step": 0}]


def write_in(path: Path, unit: str, factor: float) -> Path:
    """Write electrons whose positions are in a unit."""
    random = np.random.default_rng(4)
    with quire.create(path) as out, out.step(0) as step:
        step.set("size", 2.0 * factor, unit=unit)
        step.set("y", 2.0 * factor, unit=unit)  # also the name of a column
        for name in ("x", "y", "z"):
            step.put(name, factor * random.normal(size=500), unit=unit)
        for name, mean in (("px", 0.0), ("py", 0.0), ("pz", 100.0)):
            step.put(name, mean + random.normal(size=500), unit="m$be$nc")
        step.put("x pos", factor * np.arange(500.0), unit=unit)
        step.put("label", np.array(["x", "y"] * 250))
    return path


@pytest.fixture(name="client")
def fixture_client(serve: Serve, tmp_path: Path) -> Client:
    """The server of the same particles in mm and in m."""
    return serve(write_in(tmp_path / "mm.h5", "mm", 1.0), write_in(tmp_path / "m.h5", "m", 1e-3))


@pytest.mark.parametrize(
    "where",
    [
        "x > 0.5",
        "abs(x) < 1 and `x pos` > 30.5",
        'x > size / 4 and label == "x"',
        "x > @size / 4 and x > @y / 4",
        "rpn: x 0.25 > y -1e-1 < &&",
        "x > 0.25 * max(x) or px < 0",
    ],
)
def test_a_cut_selects_the_same_rows_of_each_file(client: Client, where: str) -> None:
    asked: dict[str, Any] = {"where": where, "sources": BOTH}
    counts = client.last("distribution", x="x", y="px", bins=[10, 10], **asked)
    rows = [panel["rows"] for panel in counts.content["panels"]]
    assert rows[0] == rows[1]
    assert 0 < rows[0] < 500
    curves = client.frames("curves", x="x", ys=["px"], **asked)
    points = client.last("points", x="x", y="y", z="z", **asked)
    assert [one.content["rows"] for one in curves] == rows
    assert [one["rows"] for one in points.content["panels"]] == rows
    for source in BOTH:
        numbers = client.last("quantities", where=where, sources=[source], unitsOf=BOTH[0])
        found = {one["name"]: one["value"] for one in numbers.content["quantities"]}
        assert found["particles"] == rows[0]
    frames = [one for one in client.frames("along", ys=["particles"], **asked) if one.content["isLast"]]
    assert [frame.arrays[0][1].tolist() for frame in frames] == [[rows[0]]] * 2


def test_the_cut_in_the_units_of_each_file_is_answered(client: Client) -> None:
    counts = client.last("distribution", x="px", bins=[9], where="x > 0.5", sources=BOTH)
    assert [one["where"] for one in counts.content["panels"]] == ["x > 0.5", "(x * 1000.0) > 0.5"]
    alone = client.last("distribution", x="px", bins=[9], where="x > 0.5", sources=BOTH[1:])
    assert [one["where"] for one in alone.content["panels"]] == ["x > 0.5"]
    assert alone.content["panels"][0]["rows"] == 0


def test_a_cut_in_a_unit_of_another_dimension_leaves_a_file_out(serve: Serve, tmp_path: Path) -> None:
    client = serve(write_in(tmp_path / "m.h5", "m", 1.0), write_in(tmp_path / "s.h5", "s", 1.0))
    counts = client.last("distribution", x="px", bins=[9], where="x > 0.5", sources=BOTH)
    [failed] = counts.content["failed"]
    assert "x is in s, and that of the first file is in m" in failed["error"]
    assert [one["file"] for one in counts.content["panels"]] == [0]
    numbers = client.last("quantities", where="x > 0.5", sources=BOTH[1:], unitsOf=BOTH[0]).content
    assert "x is in s" in numbers["error"]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("x>1e-3", "(x / 1000.0) > 1e-3"),
        ("`x pos` < 1e+3 and x1 > 1", "(`x pos` / 1000.0) < 1e+3 and x1 > 1"),
        ('label == "x" and x > 0', 'label == "x" and (x / 1000.0) > 0'),
        ("max(x) > x ** 2", "max((x / 1000.0)) > (x / 1000.0) ** 2"),
        ("y > 1", "y > 1"),
        ("unknown > 1", "unknown > 1"),
        ("x > @x", "(x / 1000.0) > (@x * 1000.0)"),
        ("y > @lim", "y > (@lim * 1000.0)"),
        ("y > lim", "y > (lim * 1000.0)"),
        ("y > @`lim``1`", "y > (@`lim``1` * 1000.0)"),
        ('label == "a\\" and x > 0', 'label == "a\\" and (x / 1000.0) > 0'),
    ],
)
def test_names_are_converted_and_nothing_else(where: str, expected: str) -> None:
    first = {"x": "m", "x pos": "m", "label": "", "y": "m", "x1": ""}
    own = {"x": "mm", "x pos": "mm", "label": "", "y": "m", "x1": ""}
    for name in ("@x", "lim", "@lim", "@lim`1"):  # attributes
        first[name], own[name] = "mm", "m"
    assert converted(where, first, own, "run.h5") == expected
