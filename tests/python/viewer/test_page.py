"""The page of the viewer in Chromium, by clicks and keys."""

from __future__ import annotations

import csv
import io
import itertools
import re
import shlex
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.python.viewer.conftest import NUMBERS, ROWS, write_bunch

import quire
from quire.cli.main import main
from quire.viewer.library import Library
from quire.viewer.serving import Viewer

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    # Chromium itself asks hosts of its maker; no name but the server's is found.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
READY = "body[data-ready=yes]"


@pytest.fixture(name="browser", scope="module")
def fixture_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs and a table without steps along a run."""
    folder = tmp_path_factory.mktemp("viewer")
    write_bunch(folder / "run1.h5")
    write_bunch(folder / "run2.h5", seed=2, rows=2000, numbers=(0, 10, 21, 35))
    return folder


@pytest.fixture(name="address", scope="module")
def fixture_address(folder: Path) -> Iterator[str]:
    viewer = Viewer(Library([str(folder / "run1.h5"), str(folder / "run2.h5")]))
    viewer.start()
    yield viewer.address
    viewer.stop()


class Tab:
    """A page that is watched: what it asks for, and what it complains about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.hosts: set[str | None] = set()
        self.complaints: list[str] = []
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, address: str, state: str = "") -> Tab:
        """Open the page and wait until everything is drawn."""
        self.page.goto(f"{address}#{state}" if state else address)
        return self.settled()

    def settled(self) -> Tab:
        """Wait until the page has drawn what was asked last."""
        self.page.wait_for_selector(READY, timeout=20_000)
        return self

    def fill(self, name: str, text: str) -> Tab:
        """Write into a box, and wait."""
        self.page.fill(f"#{name}", text)
        self.page.press(f"#{name}", "Enter")
        return self.settled()

    def click(self, selector: str) -> Tab:
        """Click, and wait."""
        self.page.click(selector)
        return self.settled()

    def press(self, key: str) -> Tab:
        """Press a key, and wait."""
        self.page.keyboard.press(key)
        return self.settled()

    def text(self, selector: str) -> str:
        """Return the visible text of an element."""
        return self.page.inner_text(selector)

    def quantities(self) -> dict[str, list[str]]:
        """Return the numbers on the right by name."""
        rows = self.page.eval_on_selector_all(
            "#beam tbody tr", "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
        )
        return {row[0]: row[1:] for row in rows}

    def drag(self, selector: str, first: tuple[float, float], last: tuple[float, float]) -> None:
        """Draw with the pointer between two places, as shares of an element."""
        box = self.page.locator(selector).first.bounding_box()
        assert box is not None
        (x0, y0), (x1, y1) = (
            (box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (first, last)
        )
        mouse = self.page.mouse
        mouse.move(x0, y0)
        mouse.down()
        mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
        mouse.move(x1, y1)
        mouse.up()

    def saved(self, button: str) -> bytes:
        """Return the bytes of what a button saves."""
        with self.page.expect_download() as found:
            self.page.click(button)
        return Path(found.value.path()).read_bytes()

    def numbers(self) -> list[list[str]]:
        """Return the rows of the saved numbers."""
        return list(csv.reader(io.StringIO(self.saved("#save-csv").decode())))

    def line(self) -> list[str]:
        """Return the words of the first command below the picture."""
        return shlex.split(self.text("#line").split("; ")[0])


@pytest.fixture(name="tab")
def fixture_tab(browser: Browser) -> Iterator[Tab]:
    """A page of 1280 x 720 that asks no foreign host and complains about nothing."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = Tab(context.new_page())
    yield tab
    context.close()
    assert tab.hosts == {"127.0.0.1"}
    assert tab.complaints == []


def test_the_first_page_is_the_phase_space_with_the_beam(tab: Tab, address: str) -> None:
    tab.open(address)
    assert tab.page.title() == "run1.h5, run2.h5 - Quire"
    assert tab.page.get_attribute("#plot canvas", "aria-label") == "density of x and px"
    assert tab.text("#note") == "3\u2009000 of 3\u2009000 rows"
    numbers = tab.quantities()
    assert numbers["particles"] == [str(ROWS)]
    assert re.fullmatch(r"9\d\.\d+\sµm|1\d\d\.\d+\sµm", numbers["sigma_x"][0])
    assert "step 0" in tab.text("#place")
    assert tab.text("#attributes-of-step").split()[:3] == ["s", "0", "m"]


def test_the_density_is_drawn(tab: Tab, address: str) -> None:
    """The middle of the picture has colours, which a palette and the scale change."""
    tab.open(address)
    colours = """() => {
        const canvas = document.querySelector("#plot canvas");
        const context = canvas.getContext("2d");
        const { data } = context.getImageData(80, 120, canvas.width - 260, canvas.height - 200);
        const found = new Map();
        for (let at = 0; at < data.length; at += 4) {
            const one = data.slice(at, at + 3).join();
            found.set(one, (found.get(one) ?? 0) + 1);
        }
        return [...found].sort();
    }"""
    before = tab.page.evaluate(colours)
    assert len(before) > 20
    seen = [before]
    tab.page.select_option("#palette", "cividis")
    seen.append(tab.settled().page.evaluate(colours))
    tab.page.select_option("#scale", "equal")
    seen.append(tab.settled().page.evaluate(colours))
    tab.press("e")
    assert not tab.page.is_checked("#ellipse")
    seen.append(tab.page.evaluate(colours))
    assert all(one != other for one, other in itertools.pairwise(seen))
    tab.complaints[:] = [one for one in tab.complaints if "getImageData" not in one]  # of this test


def test_steps_by_keys_buttons_and_the_slider(tab: Tab, address: str) -> None:
    tab.open(address)
    keys = [("ArrowRight", 10), ("End", 35), ("ArrowRight", 35), ("ArrowLeft", 20), ("Home", 0)]
    for key, number in keys:
        assert tab.press(key).text("#place").startswith(f"step {number} ")
    for button, number in [("next", 10), ("last", 35), ("previous", 20), ("first", 0)]:
        assert tab.click(f"#{button}").text("#place").startswith(f"step {number} ")
    tab.page.locator("#slider").fill("2")
    assert tab.settled().text("#place").startswith("step 20 ")


def test_jumps_by_number_and_by_attribute_go_to_the_nearest_step(tab: Tab, address: str) -> None:
    tab.open(address)
    assert tab.fill("jump", "17").text("#place").startswith("step 20 ")
    tab.page.select_option("#jump-by", "s")
    assert tab.fill("jump", "2.9").text("#place").startswith("step 10 ")
    tab.fill("jump", "near")
    assert "'near' is not a number" in tab.text("#alert")


def test_play_goes_through_all_steps(tab: Tab, address: str) -> None:
    tab.open(address)
    tab.page.keyboard.press("Space")
    tab.page.wait_for_function("() => document.getElementById('place').innerText.startsWith('step 35 ')")
    tab.page.wait_for_selector("#play[aria-label=Play]")
    tab.settled()


def test_a_cut_applies_to_the_picture_and_the_numbers(tab: Tab, address: str, folder: Path) -> None:
    tab.open(address)
    tab.press("/").fill("where", "x > 0 and px > 0")
    with quire.open(folder / "run1.h5") as file:
        count = len(file[0].table.where("x > 0 and px > 0"))
    assert tab.quantities()["particles"] == [str(count)]
    assert tab.text("#note") == f"{count} of 3\u2009000 rows"
    tab.click("#cut-clear")
    assert tab.quantities()["particles"] == [str(ROWS)]


def test_a_wrong_cut_is_explained_and_the_picture_stays(tab: Tab, address: str) -> None:
    tab.open(address).fill("where", "x > > 0")
    assert 'a value is expected at character 5, not ">"' in tab.text("#alert")
    assert "^" in tab.text("#alert")
    assert tab.page.locator("#plot canvas").count() == 1
    assert "wrong" in (tab.page.get_attribute("#where", "class") or "")
    assert tab.fill("where", "x > 0").page.is_hidden("#alert")


def test_expressions_are_axes_and_wrong_ones_are_explained(tab: Tab, address: str) -> None:
    tab.open(address).fill("y", "hypot(x, y)")
    assert tab.page.get_attribute("#plot canvas", "aria-label") == "density of x and hypot(x, y)"
    assert 'no column "pq"' in tab.fill("y", "pq").text("#alert")
    tab.fill("y", "px").click("#swap")
    assert tab.page.get_attribute("#plot canvas", "aria-label") == "density of px and x"


def test_a_box_zooms_and_becomes_a_cut(tab: Tab, address: str) -> None:
    tab.open(address)
    tab.drag("#plot canvas", (0.35, 0.4), (0.5, 0.6))
    tab.click("#box-zoom")
    assert sum(word.startswith("--range") for word in tab.line()) == 2
    assert 0 < sum(float(row[-1]) for row in tab.numbers()[1:]) < ROWS
    tab.press("0")
    assert not any(word.startswith("--range") for word in tab.line())
    tab.drag("#plot canvas", (0.35, 0.4), (0.5, 0.6))
    tab.click("#box-cut")
    condition = tab.page.input_value("#where")
    number = r"-?[\d.]+(e-?\d+)?"
    assert re.fullmatch(rf"x >= {number} and x <= {number} and px >= {number} and px <= {number}", condition)
    assert 0 < int(tab.quantities()["particles"][0]) < ROWS


def test_a_histogram_of_two_files_with_a_logarithmic_axis(tab: Tab, address: str) -> None:
    tab.open(address).press("2")
    tab.click("#files label:nth-child(2) input").fill("of", "pz")
    title = tab.text("#plot .chart-title")
    assert "run1.h5, step 0: mean 195" in title
    assert "run2.h5, step 0: mean 195" in title
    rows = tab.numbers()
    assert rows[0][0] == "low of pz [m$be$nc]"
    assert [sum(float(row[place]) for row in rows[1:]) for place in (2, 3)] == [ROWS, 2000]
    tab.fill("bins", "7").press("Tab")
    assert len(tab.settled().numbers()) == 8
    tab.click("#logy")
    assert tab.line()[-3:] == ["--log", "y", "histogram.png"]


def test_a_range_of_a_histogram_becomes_a_cut(tab: Tab, address: str) -> None:
    tab.open(address, "view=histogram&of=x")
    tab.drag("#plot .u-over", (0.5, 0.5), (0.7, 0.5))
    tab.click("#box-cut")
    assert re.fullmatch(r"x >= \S+ and x <= \S+", tab.page.input_value("#where"))
    assert 0 < int(tab.quantities()["particles"][0]) < ROWS


def test_curves_along_the_run_of_two_files(tab: Tab, address: str, folder: Path) -> None:
    tab.open(address).press("3")
    tab.click("#files label:nth-child(2) input")
    tab.fill("ys", "rms_x, sigma_x, emittance_nx")
    assert tab.page.locator("#plot .uplot").count() == 2  # one for each unit
    rows = tab.numbers()
    assert rows[0] == ["file", "s [m]", "rms_x [m]", "sigma_x [m]", "emittance_nx [m rad]"]
    assert len(rows) == 1 + 2 * len(NUMBERS)
    for row in rows[1:]:
        assert float(row[2]) == pytest.approx(float(row[3]))
    with quire.open(folder / "run1.h5") as file:
        assert float(rows[1][4]) == pytest.approx(file[0].beam().emittance_nx)


def test_a_click_in_curves_goes_to_the_step(tab: Tab, address: str) -> None:
    tab.open(address, "view=run")
    box = tab.page.locator("#plot .u-over").first.bounding_box()
    assert box is not None
    tab.page.mouse.click(box["x"] + 0.66 * box["width"], box["y"] + 0.5 * box["height"])
    assert tab.settled().text("#place").startswith("step 20 ")


def test_a_click_on_a_quantity_draws_it_along_the_run(tab: Tab, address: str) -> None:
    tab.open(address)
    tab.page.fill("#filter", "dispersion_xp")
    assert list(tab.quantities()) == ["dispersion_xp"]
    tab.click("#beam button.name")
    assert tab.page.input_value("#ys") == "dispersion_xp"
    assert tab.text("#plot .chart-title") == "dispersion_xp"


def test_rows_and_their_pages(tab: Tab, address: str) -> None:
    tab.open(address).press("4")
    assert tab.page.locator("#rows tbody tr").count() == 100
    tab.click("#rows .pages button:nth-child(2)")
    assert tab.text("#rows tbody tr:first-child td:first-child") == "100"
    assert tab.numbers()[0][:3] == ["row", "x [m]", "px [m$be$nc]"]
    tab.fill("where", "id == 1234")
    assert tab.text("#rows tbody tr:first-child td:first-child") == "1234"


def test_two_files_are_side_by_side_and_overlaid(tab: Tab, address: str) -> None:
    tab.open(address).click("#files label:nth-child(2) input")
    assert tab.text("#note") == "5\u2009000 of 5\u2009000 rows"
    assert len(tab.quantities()["sigma_x"]) == 2
    side_by_side = tab.page.evaluate("() => document.querySelector('#plot canvas').toDataURL()")
    tab.press("o")
    assert tab.page.is_checked("#overlay")
    assert tab.page.evaluate("() => document.querySelector('#plot canvas').toDataURL()") != side_by_side
    # Step 20 of the first file is nearest to step 21 of the other.
    tab.fill("jump", "20")
    assert {row[1] for row in tab.numbers()[1:]} == {"20", "21"}


@pytest.mark.parametrize(
    "state",
    [
        "where=x > 0&step=10",
        "x=z&y=pz&bins=40x30&zoom=[[-1e-4,1e-4],[1950,1960]]",
        "view=histogram&files=[0,1]&of=hypot(x, y)&logy=true&step=10",
        'view=run&files=[0,1]&ys=["rms_x"]',
        'view=run&ys=["sigma_x","emittance_nx"]&where=x > 0',
        "view=rows&step=10",
    ],
)
def test_the_command_below_the_picture_runs(
    tab: Tab,
    address: str,
    state: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tab.open(address, state)
    words = tab.line()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0, capsys.readouterr().err
    assert words[1] == "show" or Path(words[-1]).stat().st_size > 1000


def test_a_link_restores_the_view(tab: Tab, address: str) -> None:
    tab.open(address).fill("where", "x > 0").fill("y", "pz").click("#next")
    tab.click("#copy-link")
    link: Any = tab.page.evaluate("() => navigator.clipboard.readText()")
    seen = tab.quantities()
    tab.page.goto("about:blank")
    tab.hosts.discard(None)
    tab.open(link)
    assert tab.page.input_value("#where") == "x > 0"
    assert tab.page.input_value("#y") == "pz"
    assert tab.text("#place").startswith("step 10 ")
    assert tab.quantities() == seen
    tab.click("#copy-line")
    assert tab.page.evaluate("() => navigator.clipboard.readText()") == tab.text("#line")


@pytest.mark.parametrize("state", ["", "view=histogram", "view=run"])
def test_pictures_are_png_and_not_empty(tab: Tab, address: str, state: str) -> None:
    data = tab.open(address, state).saved("#save-png")
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width > 600
    assert height > 400
    assert len(data) > 8000


def test_light_and_dark(tab: Tab, address: str) -> None:
    tab.open(address)
    back = "() => getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(back)
    tab.press("d")
    assert tab.page.evaluate(back) != light
    tab.page.reload()
    tab.settled()
    assert tab.page.evaluate(back) != light


def test_help_lists_the_keys(tab: Tab, address: str) -> None:
    tab.open(address).page.keyboard.press("?")
    assert "previous, next step" in tab.text("#keys")
    tab.page.keyboard.press("Escape")
    assert not tab.page.is_visible("#keys")


def test_the_page_fits_without_scrolling(tab: Tab, address: str) -> None:
    tab.open(address, "files=[0,1]")
    for width, height in ((1280, 720), (1024, 768), (820, 1180)):
        tab.page.set_viewport_size({"width": width, "height": height})
        size = tab.settled().page.evaluate(
            "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert size[0] <= width
        assert size[1] <= height


def test_a_file_that_vanishes_is_reported_and_others_stay(tab: Tab, tmp_path: Path) -> None:
    paths = [write_bunch(tmp_path / name, rows=200) for name in ("here.h5", "gone.h5")]
    viewer = Viewer(Library([str(path) for path in paths]))
    viewer.start()
    try:
        tab.open(viewer.address).click("#files label:nth-child(2) input")
        paths[1].unlink()
        assert "the file is gone" in tab.press("ArrowRight").text("#alert")
        tab.click("#files label:nth-child(2) input")
        assert tab.page.is_hidden("#alert")
        whole = paths[0].read_bytes()
        paths[0].write_bytes(whole[:500])
        assert "here.h5" in tab.press("ArrowRight").text("#alert")
        paths[0].write_bytes(whole)
        assert tab.press("ArrowRight").page.is_hidden("#alert")
    finally:
        viewer.stop()
    # The server answers errors of the files with words, and not with a status that the console reports.
    tab.complaints[:] = [one for one in tab.complaints if "api/step" not in one and "400" not in one]


def test_a_server_that_has_ended_is_reported(tab: Tab, folder: Path) -> None:
    viewer = Viewer(Library([str(folder / "run1.h5")]))
    viewer.start()
    tab.open(viewer.address)
    viewer.stop()
    assert "The server does not answer" in tab.press("ArrowRight").text("#alert")
    tab.complaints[:] = [one for one in tab.complaints if "ERR_CONNECTION_REFUSED" not in one]
