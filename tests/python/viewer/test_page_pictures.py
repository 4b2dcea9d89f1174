"""What pictures of the page show, measured in the saved ones, and their look."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import NUMBERS, View, write_bunch

import quire

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

SVG = "{http://www.w3.org/2000/svg}"
Array = NDArray[np.float64]


def parts(tab: Tab, name: str, **wanted: str) -> list[ElementTree.Element]:
    """Return the parts of the saved picture that have some attributes."""
    found = ElementTree.fromstring(tab.saved("#save-svg")).iter(f"{SVG}{name}")
    return [one for one in found if all(one.get(key.replace("_", "-")) == wanted[key] for key in wanted)]


def points_of(path: ElementTree.Element) -> Array:
    """Return the corners of a path as x and y."""
    numbers = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d", ""))
    return np.array(numbers, dtype=float).T


def heights_of(bars: ElementTree.Element) -> Array:
    """Return the heights of the bars of a histogram."""
    return np.array(re.findall(r"v(-?[\d.]+)", bars.get("d", "")), dtype=float)


def columns_of(path: Path) -> tuple[Array, Array]:
    """Return x and px of the first step."""
    with quire.open(path) as file:
        values = file[0].table.read()
    return values["x"], values["px"]


def test_the_sums_at_the_sides_are_distributions(tab: Tab, view: View, tmp_path: Path) -> None:
    tab.open(view("a.h5"), "bins=20")
    above, beside = (points_of(one) for one in parts(tab, "path", opacity="0.22"))
    for values, lengths in zip(
        columns_of(tmp_path / "a.h5"),
        (above[1][0] - above[1][1:-1:2], beside[0][1:-1:2] - beside[0][0]),
        strict=True,
    ):
        expected = np.histogram(values, 20)[0]
        np.testing.assert_allclose(lengths / lengths.max(), expected / expected.max(), atol=2e-3)


def test_the_ellipse_has_the_rms_sizes_and_the_emittance(tab: Tab, view: View, tmp_path: Path) -> None:
    tab.open(view("a.h5"), "bins=20")
    [ellipse] = parts(tab, "path", stroke_width="1.6")
    [image] = parts(tab, "image")
    x, px = columns_of(tmp_path / "a.h5")
    drawn = []
    for place, values in enumerate((x, px)):
        start, size = (float(image.get(name, "")) for name in (("x", "width"), ("y", "height"))[place])
        share = (points_of(ellipse)[place][:121] - start) / size
        drawn.append(values.min() + (1 - share if place else share) * np.ptp(values))
        assert np.ptp(drawn[-1]) / 2 == pytest.approx(values.std(), rel=0.01)
        assert (drawn[-1].max() + drawn[-1].min()) / 2 == pytest.approx(values.mean(), abs=values.std() / 50)
    area = abs(np.sum(drawn[0][:-1] * np.diff(drawn[1]) - drawn[1][:-1] * np.diff(drawn[0]))) / 2
    assert area == pytest.approx(np.pi * np.sqrt(np.linalg.det(np.cov(x, px, bias=True))), rel=0.02)
    tab.press("e")
    assert parts(tab, "path", stroke_width="1.6") == []


def test_a_logarithmic_histogram_has_heights_as_logarithms(tab: Tab, view: View, tmp_path: Path) -> None:
    write_bunch(tmp_path / "a.h5", rows=2000)
    tab.open(view("a.h5"), "view=histogram&of=x&bins=5").press("l")
    assert tab.page.is_checked("#logy")
    counts = np.array([float(row[2]) for row in tab.numbers()[1:]])
    assert counts.max() > 20 * counts.min() > 0
    [bars] = parts(tab, "path", opacity="0.18")
    slope, offset = np.polyfit(np.log(counts), heights_of(bars), 1)
    np.testing.assert_allclose(offset + slope * np.log(counts), heights_of(bars), atol=0.1)
    tab.press("l")
    [bars] = parts(tab, "path", opacity="0.18")
    np.testing.assert_allclose(heights_of(bars) / heights_of(bars).max(), counts / counts.max(), atol=2e-3)


@pytest.mark.nightly
def test_shares_of_files_of_different_sizes_are_compared(tab: Tab, view: View, tmp_path: Path) -> None:
    write_bunch(tmp_path / "large.h5", rows=800)
    tab.open(view("a.h5", "large.h5"), "view=histogram&of=x&bins=9&files=[0,1]")
    small, large = (heights_of(one).sum() for one in parts(tab, "path", opacity="0.18"))
    assert large / small == pytest.approx(4, rel=0.01)
    tab.click("#share")
    small, large = (heights_of(one).sum() for one in parts(tab, "path", opacity="0.18"))
    assert large / small == pytest.approx(1, rel=0.01)


@pytest.mark.nightly
def test_curves_and_jumps_along_the_run_by_step_s_and_time(tab: Tab, view: View, tmp_path: Path) -> None:
    with quire.create(tmp_path / "run.h5") as out:
        for place, number in enumerate(NUMBERS):
            with out.step(number) as step:
                step.set("s", 2.5 * place, unit="m")
                step.set("time", 1e-9 * place**2, unit="s")
                step.set("size", 1e-3 * (1 + place), unit="m")
                step.put("x", np.arange(4.0) * place, unit="m")
    tab.open(view("run.h5"), "view=run").fill("ys", "size, max(x)")
    expected = {"step": NUMBERS, "s": (0, 2.5, 5, 7.5), "time": (0, 1e-9, 4e-9, 9e-9)}
    for name, places in expected.items():
        rows = tab.fill("along", name).numbers()
        assert rows[0][1].split()[0] == name
        assert [float(row[1]) for row in rows[1:]] == pytest.approx(places)
        assert [float(row[2]) for row in rows[1:]] == pytest.approx([1e-3, 2e-3, 3e-3, 4e-3])
        assert [float(row[3]) for row in rows[1:]] == [0, 3, 6, 9]
    texts = ["".join(one.itertext()) for one in parts(tab, "text")]
    assert "time  [ns]" in texts
    assert any(one.endswith(("[mm]", "[m]")) for one in texts)
    tab.page.select_option("#jump-by", "time")
    assert tab.fill("jump", "3.6e-9").text("#place").startswith("step 20 ")
    assert tab.page.input_value("#jump") == "4e-9"


def test_the_numbers_of_the_beam_are_those_of_the_library(tab: Tab, view: View, tmp_path: Path) -> None:
    tab.open(view("a.h5")).press("ArrowRight")
    with quire.open(tmp_path / "a.h5") as file:
        beam = file.step(10).beam()
    for name in ("sigma_x", "emittance_nx", "beta_x", "alpha_y", "mean_energy", "energy_spread"):
        tab.page.fill("#filter", name)
        title = tab.page.locator("#beam tr", has_text=name).first.locator("td").nth(1).get_attribute("title")
        assert title is not None
        assert float(title.split()[0]) == pytest.approx(float(getattr(beam, name))), name


def luminance(colour: tuple[float, float, float]) -> float:
    """Return the relative luminance of a colour with parts up to 255."""
    linear = [
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in np.array(colour) / 255
    ]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def numbers_in(colour: str) -> tuple[float, float, float]:
    """Return the parts of a colour as style sheets write it."""
    red, green, blue = (float(one) for one in re.findall(r"[\d.]+", colour)[:3])
    return red, green, blue


def test_palettes_are_ordered_by_lightness(tab: Tab, view: View) -> None:
    """Those who see colours differently see their order."""
    tab.open(view("a.h5"))
    names = tab.page.eval_on_selector_all("#palette option", "all => all.map((one) => one.value)")
    assert len(names) > 2
    seen = []
    for name in names:
        tab.page.select_option("#palette", name)
        bar = [numbers_in(one.get("fill", "")) for one in parts(tab.settled(), "rect", width="10")]
        assert len(bar) == 256
        light = [luminance(one) for one in bar]
        assert all(high >= low - 0.002 for low, high in itertools.pairwise(light)), name
        assert light[-1] - light[0] > 0.5, name
        seen.append(bar)
    assert all(one != other for one, other in itertools.combinations(seen, 2))


TEXTS = (
    "#note",
    "#line",
    "#place",
    "#beam td",
    "#beam button.name",
    "#files .name",
    "#files small",
    "#left label",
    "h2",
)
COLOURS = """one => {
    const back = (part) => getComputedStyle(part).backgroundColor;
    let filled = one;
    while (/, 0\\)$/.test(back(filled))) filled = filled.parentElement;
    return [getComputedStyle(one).color, back(filled)];
}"""


def assert_readable(tab: Tab, selectors: tuple[str, ...]) -> None:
    """Texts have the contrast that WCAG asks for."""
    for selector in selectors:
        colours = tab.page.locator(selector).first.evaluate(COLOURS)
        dark, light = sorted(luminance(numbers_in(one)) for one in colours)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, selector


@pytest.mark.parametrize("theme", first_daily(["dark", "light"]))
def test_texts_and_pictures_are_readable_in_light_and_dark(tab: Tab, view: View, theme: str) -> None:
    """Without a choice the page is as the system."""
    is_dark = theme == "dark"
    tab.page.emulate_media(color_scheme="dark" if is_dark else "light")
    tab.open(view("a.h5"))
    assert tab.page.get_attribute("html", "data-theme") == theme
    assert_readable(tab, TEXTS)
    corner = "canvas => [...canvas.getContext('2d').getImageData(4, 4, 1, 1).data]"
    red, green, blue, _ = tab.page.locator("#plot canvas").first.evaluate(corner)
    assert (luminance((red, green, blue)) < 0.1) == is_dark
    [paper, *_] = parts(tab, "rect", x="0", y="0")
    assert paper.get("fill") == f"#{red:02x}{green:02x}{blue:02x}"
    assert_readable(tab.press("6"), ("#rows th", "#rows th small", "#rows td:first-child", "#rows .pages"))
    tab.press("d")
    assert tab.page.get_attribute("html", "data-theme") != theme


def test_keys_reach_all_views_and_controls(tab: Tab, view: View, tmp_path: Path) -> None:
    with quire.create(tmp_path / "field.h5") as out, out.step(0) as step:
        for name in ("x", "px", "z"):
            step.put(name, np.arange(9.0))
        step.put_field("rho", np.ones((2, 3, 4)))
    tab.open(view("field.h5", "a.h5"), "files=[0,1]")
    views = ["density", "histogram", "curves", "run", "fields", "rows", "space"]
    for place, name in enumerate(views, 1):
        tab.press(str(place))
        assert tab.page.get_attribute(f"[data-view={name}]", "aria-selected") == "true"
    tab.press("1").press("l")
    assert tab.page.input_value("#scale") == "linear"
    tab.press("o")
    assert tab.page.is_checked("#overlay")
    reached = set()
    for _ in range(80):
        tab.page.keyboard.press("Tab")
        focus = tab.page.evaluate(
            "() => [document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]"
        )
        reached.add(focus[0])
        assert focus[0] == "" or focus[1] != "none", focus
    wanted = {"save-png", "save-csv", "copy-link", "x", "y", "bins", "where", "cut-apply", "scale"}
    assert wanted | {"palette", "copy-line", "filter", "play", "slider", "jump-by", "jump"} <= reached
