"""Figures stay readable: one slow method, one number of ranks, axes over many powers of ten."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.bench.studies import run_trial, study_of, trial

from quire.lab.bench.export import figures_of
from quire.lab.bench.figures.axes import Scale
from quire.lab.bench.figures.phases import phase_figure
from quire.lab.bench.figures.scene import MARKS, Circle, Polygon, Scene, Text, corners_of
from quire.lab.bench.summary import Group


def widths(scene: Scene) -> dict[str, float]:
    """Return the width of the bar of each method, over all its phases."""
    found: dict[str, float] = {}
    for shape in scene.shapes:
        if isinstance(shape, Polygon) and ", data: " in shape.title:
            across = [x for x, _ in shape.points]
            found[shape.title.split(",")[0]] = max(across) - min(across)
    return found


def phases_of(**seconds: float) -> Scene:
    """Return the figure of methods that move data for this long."""
    group = Group("case", "write", "none", 2, 2)
    cells = [
        SimpleNamespace(group=group, method=name, phases={"data": time}) for name, time in seconds.items()
    ]
    study = SimpleNamespace(of_case=lambda case: cells)
    scene = phase_figure(cast(Any, study), "case", "write")
    assert scene is not None
    return scene


def words(scene: Scene) -> str:
    """Return all text of a figure."""
    return "|".join(shape.text for shape in scene.shapes if isinstance(shape, Text))


def test_one_slow_method_does_not_hide_the_phases_of_others() -> None:
    """Bars show times, but shares if one is much longer than most; then the sums are printed."""
    near, far = phases_of(a=1.0, b=2.0, c=4.0), phases_of(a=1.0, b=2.0, c=40.0)
    bars = widths(near)
    assert bars["c"] == pytest.approx(4 * bars["a"])
    assert "time of the slowest rank, mean over passes, s" in words(near)
    bars = widths(far)
    assert bars["c"] == pytest.approx(bars["a"])
    assert "share of the time of the slowest rank, mean over passes, %" in words(far)
    assert "40.0 s" in words(far)


def test_methods_on_one_number_of_ranks_are_drawn_side_by_side(tmp_path: Path) -> None:
    """Without lines, overlapping marks could not be distinguished."""
    run_trial(tmp_path, trial(passes=1))
    study = study_of(tmp_path)
    one = [figure.scene for figure in figures_of(study, study.cases[0]) if "read-other" in figure.name]
    found: dict[str, set[float]] = {}
    for shape in one[0].shapes:
        if isinstance(shape, Circle | Polygon) and ": best " in shape.title:
            points = [shape.centre] if isinstance(shape, Circle) else shape.points
            centre = (min(x for x, _ in points) + max(x for x, _ in points)) / 2
            if centre < one[0].width / 2:  # the right half shows another operation
                found.setdefault(shape.title.split(":")[0], set()).add(round(centre, 1))
    places = [place for some in found.values() for place in some]
    assert len(found) == 4
    assert len(set(places)) == len(places)


def test_logarithmic_axes_have_marks_between_their_numbers() -> None:
    """Over many powers of ten only these have numbers; linear axes have no marks in between."""
    scale = Scale(0.5, 2000.0, True)
    assert scale.ticks() == [1, 10, 100, 1000]
    between = scale.between_ticks()
    assert len(between) == 5 + 8 * 3 + 1
    assert not set(between) & set(scale.ticks())
    assert all(scale.low <= value <= scale.high for value in between)
    assert Scale(0.0, 5.0).between_ticks() == []


def test_outliers_have_distinct_marks() -> None:
    """An arrow differs from the marks of methods, and points to the position of the value."""
    assert not {"arrow up", "arrow down"} & set(MARKS)
    up, down = corners_of("arrow up", (0, 0), 4.0), corners_of("arrow down", (0, 0), 4.0)
    assert [point for point in up if point[1] == min(y for _, y in up)] == [(0.0, -6.0)]
    assert sorted((x, -y) for x, y in up) == sorted(down)
