"""Gaussians that fit histograms, and histograms that are summed up."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import FIRST, ROWS, Client, Serve, write_bunch

import quire
from quire.numeric.histograms import Bins
from quire.toolkit.bin_fits import gaussian
from quire.viewer.library import Library
from quire.viewer.serving import Viewer

NOISE = (3, 7, 2, 4, 2, 2)
"""Counts whose Gaussian has a sigma that is smaller than its error."""


def counts_of(mean: float, sigma: float, rows: int = 100_000, bins: int = 60) -> tuple[Bins, np.ndarray]:
    """Return the counts of random numbers of a normal distribution."""
    values = np.random.default_rng(4).normal(mean, sigma, rows)
    counts, edges = np.histogram(values, bins)
    return Bins.between(edges[0], edges[-1], bins), counts


@pytest.mark.parametrize(("mean", "sigma"), [(0.0, 1.0), (3.0, 1e-4), (-1e9, 1e5), (2e-15, 3e-16)])
def test_a_normal_distribution_has_its_mean_and_sigma(mean: float, sigma: float) -> None:
    found = gaussian(*counts_of(mean, sigma), is_weighted=False)
    assert found.is_converged
    assert abs(found.mean - mean) < 4 * found.mean_error
    assert abs(found.sigma - sigma) < 4 * found.sigma_error
    assert found.mean_error == pytest.approx(sigma / np.sqrt(100_000), rel=0.1)
    assert found.degrees == 57
    assert found.chi_squared is not None
    assert 25 < found.chi_squared < 110


def test_sums_of_weights_have_no_chi_squared() -> None:
    axis, counts = counts_of(1.0, 0.1)
    found = gaussian(axis, 1e-15 * counts, is_weighted=True)
    assert found.is_converged
    assert found.chi_squared is None
    assert found.mean == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([0, 0, 0, 0, 0, 0], "finds 0"),
        ([0, 5, 9, 4, 0, 0], "finds 3"),
        ([7, 7, 7, 7, 7, 7], "do not determine"),
    ],
)
def test_a_fit_that_did_not_converge_is_said_so(counts: list[int], words: str) -> None:
    found = gaussian(Bins.between(0.0, 1.0, 6), np.array(counts), is_weighted=False)
    assert not found.is_converged
    assert words in found.message


def test_without_scipy_the_histogram_is_drawn(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    answer = client.last("distribution", x="px", bins=[40], fit=True, sources=FIRST)
    assert answer.arrays[0].sum() == ROWS
    [found] = answer.content["fits"]
    assert (found["isConverged"], found["isTried"]) == (False, False)
    assert found["message"] == "it needs the package scipy.optimize"


def test_fits_are_made_for_those_who_ask(client: Client) -> None:
    asked = {"x": "px", "bins": [40], "sources": FIRST}
    assert "fits" not in client.last("distribution", **asked).content
    [found] = client.last("distribution", fit=True, **asked).content["fits"]
    assert found["isConverged"]
    assert found["sigma"] == pytest.approx(np.hypot(50.0 * 1e-4, 0.01), rel=0.05)
    assert "fits" not in client.last("distribution", fit=True, y="x", **{**asked, "bins": [4, 4]}).content


def test_a_fit_that_means_nothing_has_a_remark() -> None:
    axis = Bins.between(0.0, 1.0, len(NOISE))
    found = gaussian(axis, np.array(NOISE), is_weighted=False)
    assert found.is_converged
    assert found.sigma_error > found.sigma
    assert "means nothing" in found.remark
    assert gaussian(*counts_of(1.0, 0.1), is_weighted=False).remark == ""
    assert gaussian(axis, np.array([0, 5, 9, 4, 0, 0]), is_weighted=False).remark == ""  # it has a message


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


@pytest.fixture(name="address", scope="module")
def fixture_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    viewer = Viewer(Library([str(write_bunch(tmp_path_factory.mktemp("fits") / "run.h5"))]))
    viewer.start()
    yield viewer.address
    viewer.stop()


@needs_chromium
def test_the_fit_is_drawn_with_its_numbers(tab: Tab, address: str) -> None:
    tab.open(address, "view=histogram&of=px&bins=30").click("#fit")
    number = r"-?\d+(\.\d+)?"
    heading = (
        rf"Gaussian fit: mean {number} ± {number}.*, sigma {number} ± {number}.*, χ² {number} for 27 degrees"
    )
    assert re.search(heading, tab.text("#plot .chart-title"))
    rows = tab.numbers()
    assert [name.split(",")[0] for name in rows[0][2:]] == ["count", "fit"]
    counts, fitted = ([float(row[place]) for row in rows[1:]] for place in (2, 3))
    assert sum(fitted) == pytest.approx(sum(counts), rel=0.05)
    picture = tab.saved("#save-svg").decode()
    assert 'stroke-dasharray="6 4"' in picture
    assert "Gaussian fit" in picture
    assert tab.line()[-3:] == ["--fit", "gauss", "histogram.png"]
    tab.fill("of", "id")
    assert "Gaussian fit did not converge: the data do not determine" in tab.text("#plot .chart-title")
    tab.click("#fit")
    assert "fit" not in tab.text("#plot .chart-title")
    assert tab.page.is_hidden("#unsaid")


@needs_chromium
def test_the_page_says_of_a_fit_that_it_means_nothing(tab: Tab, serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "noise.h5") as out, out.step(0) as step:
        step.put("x", np.repeat(np.arange(6.0), NOISE))
    client = serve(tmp_path / "noise.h5")
    tab.open(f"http://127.0.0.1:{client.port}/{client.token}/", "view=histogram&bins=6&fit=true")
    assert tab.text("#plot .chart-title .bad").endswith(
        "; the error of sigma is larger than sigma, so the fit means nothing"
    )
    assert "means nothing" in tab.saved("#save-svg").decode()
    tab.fill("bins", "3")
    assert tab.text("#plot .chart-title .bad") == "No Gaussian fit: it needs 4 bins with rows, and finds 3"


@needs_chromium
def test_a_constant_column_has_its_bar_around_its_value(tab: Tab, serve: Serve, tmp_path: Path) -> None:
    with quire.create(tmp_path / "constant.h5") as out, out.step(0) as step:
        step.put("x", np.full(9, 2.5))
    client = serve(tmp_path / "constant.h5")
    tab.open(f"http://127.0.0.1:{client.port}/{client.token}/", "view=histogram&of=x")
    [bar] = [row for row in tab.numbers()[1:] if float(row[2])]
    assert (float(bar[0]) + float(bar[1])) / 2 == pytest.approx(2.5)


@needs_chromium
def test_a_cumulative_histogram_ends_at_all_rows(tab: Tab, address: str) -> None:
    tab.open(address, "view=histogram&bins=30").click("#cumulative")
    rows = tab.numbers()
    assert [float(row[3]) for row in rows[1:]] == np.cumsum([float(row[2]) for row in rows[1:]]).tolist()
    assert float(rows[-1][3]) == ROWS
    picture = tab.saved("#save-svg").decode()
    assert "rows up to the end of each bin" in picture
    assert "--cumulative" in tab.line()
    tab.click("#share").click("#fit").click("#logy")
    assert "share of the rows up to the end of each bin" in tab.saved("#save-svg").decode()


def test_followed_particles_are_fitted(serve: Serve, tmp_path: Path) -> None:
    client = serve(write_bunch(tmp_path / "run.h5"))
    followed = {"file": 0, "step": 10, "where": "z > 0"}
    answer = client.last("distribution", x="px", bins=[30], fit=True, sources=FIRST, followed=followed)
    with quire.open(tmp_path / "run.h5") as file:
        count = len(file.step(10).table.where("z > 0"))
    assert answer.arrays[0].sum() == count
    assert answer.content["fits"][0]["isConverged"]
