"""The page of the viewer with files that differ: units, steps and contents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import write_bunch

import quire
from quire.viewer.library import Library
from quire.viewer.serving import Viewer

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


def write_in(path: Path, unit: str, factor: float = 1.0) -> Path:
    """Write a step with a column and an attribute in a unit."""
    with quire.create(path) as out, out.step(0) as step:
        step.set("size", 2.0 * factor, unit=unit)
        step.put("x", factor * np.array([-1.0, 2.0, 4.0]), unit=unit)
    return path


def test_files_in_other_units_are_shown_in_that_of_the_first(tab: Tab, tmp_path: Path) -> None:
    paths = [write_in(tmp_path / f"{unit}.h5", unit, factor) for unit, factor in (("mm", 1), ("m", 1e-3))]
    viewer = Viewer(Library([str(path) for path in [*paths, write_in(tmp_path / "s.h5", "s")]]))
    viewer.start()
    try:
        tab.open(viewer.address, "view=histogram&of=x&files=[0,1]")
        title = tab.text("#plot .chart-title")
        assert title.count("mean 1.6667 mm, rms 2.0548 mm") == 2
        assert tab.quantities()["mean_x"] == ["1.67 mm", "1.67 mm", ""]
        assert tab.text("#attributes-of-step").split() == ["size", "2", "mm", "2", "mm"]
        tab.open(f"{viewer.address}?", 'view=run&ys=["size"]&files=[0,1,2]')
        assert "size is in s, and that of the first file is in mm" in tab.text("#alert")
        assert [row[1:] for row in tab.numbers()] == [["step", "size [mm]"], ["0", "2"], ["0", "2"]]
    finally:
        viewer.stop()


def test_along_the_run_a_file_that_is_gone_leaves_the_others(tab: Tab, tmp_path: Path) -> None:
    paths = [write_bunch(tmp_path / name, rows=50) for name in ("gone.h5", "here.h5")]
    viewer = Viewer(Library([str(path) for path in paths]))
    viewer.start()
    try:
        tab.open(viewer.address, "files=[0,1]")
        paths[0].unlink()
        tab.press("4")
        assert "the file is gone" in tab.text("#alert")
        assert {Path(row[0]).name for row in tab.numbers()[1:]} == {"here.h5"}
    finally:
        viewer.stop()
