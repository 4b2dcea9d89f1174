"""Pictures of open files: `file.plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import quire
from quire.toolkit.examples import EXAMPLES


@pytest.fixture(scope="module", name="beam")
def fixture_beam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example of a beam, whose file no test changes."""
    path = tmp_path_factory.mktemp("plots") / "beam.h5"
    EXAMPLES["beam"].write(path)
    return path


def test_histograms_count_the_rows_of_a_condition(beam: Path) -> None:
    with quire.open(beam) as file:
        figure = file.plot.hist("x*1e3", bins=20, range=[(-0.5, 0.5)], where="px > 0", steps=[0, 20])
        rows = [file.step(number).table.read(["x", "px"]) for number in (0, 20)]
    assert isinstance(figure, Figure)
    drawn = figure.axes[0].patches[0].get_data()  # type: ignore[attr-defined]
    x, px = (np.concatenate([one[name] for one in rows]) for name in ("x", "px"))
    assert drawn.values.tolist() == np.histogram(x[px > 0] * 1e3, 20, (-0.5, 0.5))[0].tolist()


def test_bins_suit_the_number_of_rows(beam: Path) -> None:
    def bins_of(**options: Any) -> int:
        return len(file.plot.hist("x", **options).axes[0].patches[0].get_data().values)

    with quire.open(beam) as file:
        found = [bins_of(steps=0), bins_of(), bins_of(steps=0, where="px > 0 and x > 0")]
        # 2.5 times the cube root of 2000 and of 10,000 rows, and not fewer than 24.
        assert found == [31, 54, 24]
        (mesh,) = file.plot.hist("x", "px", steps=0).axes[0].collections
        assert mesh.get_array().size == 48 * 48
        (mesh,) = file.plot.hist("x", "px", bins=np.array([5, 6]), steps=0).axes[0].collections
        assert mesh.get_array().size == 5 * 6


def test_curves_have_the_values_of_the_steps(beam: Path) -> None:
    with quire.open(beam) as file:
        figure = file.plot.attributes("rms_x", x="s", units={"rms_x": "mm"})
        expected = [(step.attrs["s"], step.attrs["rms_x"] * 1e3) for step in file]
        [line] = figure.axes[0].lines
        np.testing.assert_allclose(np.transpose(line.get_data()), expected)
        followed = file.plot.line("s", "x", where="id == 17", steps="5-")
        assert len(followed.axes[0].lines[0].get_xdata()) == 4
        points = file.plot.scatter("x", "px", steps=20, title="at the end")
        assert points.get_suptitle() == "at the end"


def test_requests_that_fit_nothing_are_refused(beam: Path) -> None:
    with quire.open(beam) as file:
        with pytest.raises(quire.MissingError, match="'q'"):
            file.plot.hist("q")
        with pytest.raises(quire.MissingError, match="step 7"):
            file.plot.hist("x", steps=7)
        with pytest.raises(quire.UsageError, match="an entry for each of 2 axes"):
            file.plot.hist("x", "px", bins=[3])
        with pytest.raises(quire.UsageError, match="a plane is of one step, and 5 are selected"):
            file.plot.field("rho", sums=["z"])
        with pytest.raises(quire.UsageError, match="these are left: z, y, x"):
            file.plot.field("rho", steps=0)
        with pytest.raises(quire.UsageError, match="colours are of one step"):
            file.plot.scatter("x", "px", colour="pz")
