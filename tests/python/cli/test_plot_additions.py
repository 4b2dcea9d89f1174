"""quire plot draws over histograms what the page of quire view draws: fits, sums, and lines around shares."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from tests.python.cli.conftest import Run

import quire
from quire.toolkit import distribution_picture
from quire.toolkit.examples import EXAMPLES, write_example

BEAM = EXAMPLES["beam"].name
FITTED = ("--histogram", "x", "--fit", "gauss", "--steps", "0", "--data", "numbers.csv")


@pytest.fixture(name="figures")
def fixture_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are drawn, in a folder with a beam."""
    monkeypatch.chdir(tmp_path)
    write_example("beam", BEAM)
    found: list[Any] = []
    draw = distribution_picture.draw_distribution

    def keep(*parts: Any) -> Any:
        found.append(draw(*parts))
        return found[-1]

    monkeypatch.setattr("quire.toolkit.distribution_picture.draw_distribution", keep)
    return found


def legend_of(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def numbers() -> list[dict[str, str]]:
    with open("numbers.csv", newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_a_fit_has_its_parameters_in_the_legend(run: Run, figures: list[Any]) -> None:
    assert run("plot", BEAM, *FITTED, "--bins", "40", "x.png").code == 0
    rows, fit = legend_of(figures[0])
    assert rows == "rows"
    number = r"(-?[\d.]+) ± [\d.]+"
    found = re.fullmatch(rf"amplitude {number}, mean {number} µm, sigma {number} µm", fit)
    assert found
    with quire.open(BEAM) as file:
        x = file.step(0).table["x"].read()
    assert float(found[3]) == pytest.approx(1e6 * x.std(), rel=0.1)
    assert sum(float(row["fit"]) for row in numbers()) == pytest.approx(2000, rel=0.1)


def test_sums_end_at_all_rows_and_those_of_the_fit_follow(run: Run, figures: list[Any]) -> None:
    assert run("plot", BEAM, *FITTED, "--cumulative", "x.png").code == 0
    assert float(numbers()[-1]["cumulative"]) == 2000
    axes = figures[0].axes[0]
    assert axes.get_ylabel() == "rows up to the end of each bin"
    [line] = axes.lines
    assert line.get_ydata()[-1] == pytest.approx(2000, rel=0.15)


def test_a_fit_has_the_name_of_the_model_as_well(run: Run, figures: list[Any]) -> None:
    for name in ("gauss", "gaussian"):
        assert run("plot", BEAM, "--histogram", "x", "--fit", name, "--steps", "0", f"{name}.png").code == 0
    short, long = map(legend_of, figures)
    assert short == long


def test_each_file_has_its_fit(run: Run, figures: list[Any]) -> None:
    assert run("plot", BEAM, BEAM, "--histogram", "x", "--fit", "gauss", "--steps", "0", "x.png").code == 0
    assert len(legend_of(figures[0])) == 4
    assert legend_of(figures[0])[2].startswith(f"{BEAM}: amplitude ")


def test_a_fit_that_does_not_converge_is_reported(run: Run, figures: list[Any]) -> None:
    outcome = run("plot", BEAM, "--histogram", "id", "--bins", "3", "--fit", "gauss", "--steps", "0", "x.png")
    assert "; no Gaussian: it needs 4 bins with rows, and finds 3" in outcome.output
    assert len(figures[0].axes[0].lines) == 0


NOISE = (3, 7, 2, 4, 2, 2)
"""Counts whose Gaussian has a sigma that is smaller than its error."""


def test_a_fit_that_means_nothing_has_a_remark(run: Run, figures: list[Any]) -> None:
    with quire.create("noise.h5") as out, out.step(0) as step:
        step.put("x", np.repeat(np.arange(6.0), NOISE))
    outcome = run("plot", "noise.h5", "--histogram", "x", "--bins", "6", "--fit", "gauss", "x.png")
    remark = "the error of sigma is larger than sigma, so the fit means nothing"
    assert outcome.output.endswith(f"; Gaussian: {remark}\n")
    assert legend_of(figures[0])[1].endswith(f"\n{remark}")


def test_lines_around_shares_of_the_rows(run: Run, figures: list[Any]) -> None:
    assert run("plot", BEAM, "--histogram", "x,px", "--shares", "50,90", "--steps", "0", "x.png").code == 0
    axes = figures[0].axes[0]
    assert legend_of(figures[0]) == ["50 % of the rows", "90 % of the rows"]
    inner, outer = (one for one in axes.collections if isinstance(one, LineCollection))
    widths = [np.ptp(np.concatenate(one.get_segments())[:, 0]) for one in (inner, outer)]
    assert 1.1 < widths[1] / widths[0] < 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--histogram", "x", "--shares", "50"],
            "shares of the rows have lines in a histogram of two columns",
        ),
        (["--histogram", "x,px", "--fit", "gauss"], "a fit is drawn in a histogram of one column"),
        (["--histogram", "x,px", "--cumulative"], "sums are drawn in a histogram of one column"),
        (
            ["--histogram", "x", "--fit", "gausian"],
            "there is no fit of a histogram 'gausian' (nearest: gaussian, gauss); there are: gauss, gaussian",
        ),
        (["--histogram", "x,px", "--shares", "50,much"], "'50,much' are no shares"),
        (["--histogram", "x,px", "--shares", "120"], "120 is no share of the rows"),
        (["-x", "x", "-y", "px", "--cumulative"], "--cumulative belongs to the bins of --histogram"),
        (["-x", "x", "-y", "px", "--weight", "x"], "--weight belongs to the bins of --histogram"),
    ],
)
def test_wrong_additions_are_refused(run: Run, figures: list[Any], arguments: list[str], words: str) -> None:
    outcome = run("plot", BEAM, *arguments, "x.png")
    assert outcome.code != 0
    assert words in outcome.errors
    assert not Path("x.png").exists()


def test_rows_that_are_left_out_are_counted(
    run: Run, figures: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (
        "plot",
        BEAM,
        "-x",
        "x",
        "-y",
        "px,pz",
        "--steps",
        "0,5",
        "x.png",
        "--data",
        "numbers.csv",
        "--overwrite",
    )
    assert run(*words).output == "x.png: 4 curves\n"
    monkeypatch.setattr("quire.toolkit.curves.MOST_POINTS", 500)
    outcome = run(*words)
    assert outcome.output == "x.png: 4 curves, 1000 of 4000 rows\n"
    assert "numbers.csv: 1000 of 4000 rows" in outcome.errors
    quiet = run(*words, "--quiet")
    assert (quiet.output, quiet.errors) == ("", "numbers.csv: 1000 of 4000 rows\n")
    with quire.open(BEAM) as file:
        figure = file.plot.line("x", "px", steps=0, title="phase space")
        assert figure.get_suptitle() == "phase space\n500 of 2000 rows"
        assert file.plot.line("id", "px", steps=0, where="id < 500").get_suptitle() == ""


@pytest.mark.parametrize("axes", [("x",), ("x", "px")])
def test_ranges_are_in_the_unit_that_is_shown(run: Run, figures: list[Any], axes: tuple[str, ...]) -> None:
    options = ("--histogram", ",".join(axes), "--bins", "10", "--steps", "0", "--data", "numbers.csv")
    outcome = run("plot", BEAM, *options, "--unit", "x=mm", "--range=-0.5:0.5", "x.png")
    assert outcome.code == 0, outcome.errors
    edges = [float(row["x from [mm]"]) for row in numbers()]
    assert sorted(set(edges)) == pytest.approx(np.arange(-0.5, 0.5, 0.1))
    with quire.open(BEAM) as file:
        x = file.step(0).table["x"].read()
    assert sum(int(row["rows"]) for row in numbers()) == np.count_nonzero(np.abs(x) <= 0.5e-3)


def test_ranges_of_the_method_are_in_the_unit_that_is_shown(figures: list[Any]) -> None:
    with quire.open(BEAM) as file:
        shown: Any = file.plot.hist("x", bins=10, steps=0, range=[(-0.5, 0.5)], units={"x": "mm"})
        plain: Any = file.plot.hist("x", bins=10, steps=0, range=[(-0.5e-3, 0.5e-3)])
    heights = [[patch.get_data().values.tolist() for patch in one.axes[0].patches] for one in (shown, plain)]
    assert heights[0] == heights[1]


def test_the_method_draws_the_same(figures: list[Any]) -> None:
    with quire.open(BEAM) as file:
        fitted = file.plot.hist("x", fit="gauss", cumulative=True, steps=0)
        lined = file.plot.hist("x", "px", shares=[50], steps=0)
    assert legend_of(fitted)[1].startswith("amplitude ")
    assert legend_of(lined) == ["50 % of the rows"]
