"""Figures stay readable: one slow method, one number of ranks, axes over many powers of ten."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from tests.bench.studies import run_trial, study_of, trial

from quire.lab.bench.export import figures_of
from quire.lab.bench.figures.phases import phase_figure
from quire.lab.bench.figures.picture import Picture
from quire.lab.bench.figures.scales import Scale
from quire.lab.bench.summary import Group


def widths(picture: Picture) -> dict[str, float]:
    """Return the width of the bar of each method that moves data."""
    bars = [one for one in picture.tipped(", data: ") if isinstance(one, Rectangle)]
    return {picture.tips[str(bar.get_gid())].split(",")[0]: bar.get_width() for bar in bars}


def phases_of(**seconds: float) -> Picture:
    """Return the figure of methods that move data for this long."""
    group = Group("case", "write", "none", 2, 2)
    cells = [
        SimpleNamespace(group=group, method=name, phases={"data": time}) for name, time in seconds.items()
    ]
    study = SimpleNamespace(of_case=lambda case: cells)
    picture = phase_figure(cast(Any, study), "case", "write")
    assert picture is not None
    return picture


def words(picture: Picture) -> str:
    """Return all text of a figure."""
    return "|".join(one.get_text() for one in picture.figure.findobj(Text) if isinstance(one, Text))


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
    picture, *_ = [
        figure.picture for figure in figures_of(study, study.cases[0]) if "read-other" in figure.name
    ]
    left = picture.figure.axes[2]  # after the legend and the upper panel
    found: dict[str, set[float]] = {}
    for one in picture.tipped(": best "):
        if one.axes is left and isinstance(one, Line2D):
            (place,) = np.asarray(one.get_xdata(), dtype=float)
            found.setdefault(picture.tips[str(one.get_gid())].split(":")[0], set()).add(round(place, 3))
    places = [place for some in found.values() for place in some]
    assert len(found) == 4
    assert len(set(places)) == len(places)


def test_logarithmic_axes_have_numbers_at_powers_of_ten() -> None:
    """Over many powers of ten only these have numbers; over fewer, more digits have."""
    assert Scale(0.5, 2000.0, True).ticks() == [1, 10, 100, 1000]
    assert Scale(0.5, 60.0, True).ticks() == [0.5, 1, 2, 5, 10, 20, 50]
    assert Scale(-2.0, 5.0).ticks() == [0, 1, 2, 3, 4, 5]


def test_pictures_are_the_same_each_time() -> None:
    """A page of the same results has the same bytes."""
    assert phases_of(a=1.0).svg() == phases_of(a=1.0).svg()
