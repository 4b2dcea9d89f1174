"""The page of the viewer in Chromium, by clicks and keys."""

from __future__ import annotations

import itertools
import re
import shutil
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import NUMBERS, ROWS, View, write_bunch

import quire
from quire.beam.result import beam_of_step
from quire.cli.main import main
from quire.toolkit.examples import EXAMPLES, write_example
from quire.viewer import surveys, tables
from quire.viewer.jobs import REPORTED_EVERY
from quire.viewer.library import Library
from quire.viewer.serving import Viewer

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

OPAL = Path(__file__).parents[2] / "data/codes/opal_t_3ranks.h5"
TWISS, BEAM = EXAMPLES["twiss"].name, EXAMPLES["beam"].name


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs and a table without steps along a run."""
    folder = tmp_path_factory.mktemp("viewer")
    write_bunch(folder / "run1.h5")
    write_bunch(folder / "run2.h5", seed=2, rows=2000, numbers=(0, 10, 21, 35))
    write_example("twiss", str(folder / TWISS))
    write_example("beam", str(folder / BEAM))
    shutil.copy(OPAL, folder)
    return folder


@pytest.fixture(name="address", scope="module")
def fixture_address(folder: Path) -> Iterator[str]:
    viewer = Viewer(Library([str(folder / name) for name in ("run1.h5", "run2.h5", TWISS, BEAM, OPAL.name)]))
    viewer.start()
    yield viewer.address
    viewer.stop()


def test_the_first_page_is_the_phase_space_with_the_beam(tab: Tab, address: str) -> None:
    tab.open(address)
    assert tab.page.title() == f"run1.h5, run2.h5, {TWISS}, {BEAM}, {OPAL.name} - Quire"
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

    def colours() -> list[list[int]]:
        return sorted(tab.colours(80, 120, 180, 80).tolist())

    before = colours()
    assert len(before) > 20
    seen = [before]
    tab.page.select_option("#palette", "cividis")
    seen.append(colours())
    tab.page.select_option("#scale", "equal")
    seen.append(colours())
    tab.press("e")
    assert not tab.page.is_checked("#ellipse")
    seen.append(colours())
    assert all(one != other for one, other in itertools.pairwise(seen))


def test_steps_by_keys_buttons_and_the_slider(tab: Tab, address: str) -> None:
    tab.open(address)
    keys = [("ArrowRight", 10), ("End", 35), ("ArrowRight", 35), ("ArrowLeft", 20), ("Home", 0)]
    for key, number in keys:
        assert tab.press(key).text("#place").startswith(f"step {number} ")
    for button, number in [("next", 10), ("last", 35), ("previous", 20), ("first", 0)]:
        assert tab.click(f"#{button}").text("#place").startswith(f"step {number} ")
    tab.page.locator("#slider").fill("2")
    assert tab.settled().text("#place").startswith("step 20 ")


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


def test_a_table_without_particles_is_shown_as_curves(tab: Tab, address: str) -> None:
    tab.open(address, "files=[2]")
    assert tab.page.get_attribute("[data-view=curves]", "aria-selected") == "true"
    assert tab.text("#plot .chart-title").split() == ["betax", "betay"]
    assert tab.text("#beam-title").lower() == "statistics"
    assert tab.page.locator("#play:disabled").count() == 1
    tab.fill("up", "betax, psix, hypot(betax, betay)")
    assert tab.page.locator("#plot .uplot").count() == 2
    rows = tab.numbers()
    assert rows[0] == ["file", "step", "s [m]", "betax [m]", "psix [rad]", "hypot(betax, betay) [m]"]
    assert len(rows) == 102
    assert "contains text" in tab.fill("up", "ElementName").text("#alert")


def test_curves_are_points_where_x_does_not_increase(tab: Tab, address: str) -> None:
    tab.open(address, "view=curves&across=z&up=" + '["pz","x"]')
    assert tab.page.locator("#plot .uplot").count() == 2
    tab.drag("#plot .u-over", (0.3, 0.5), (0.6, 0.5))
    tab.click("#box-cut")
    assert re.fullmatch(r"z >= \S+ and z <= \S+", tab.page.input_value("#where"))
    assert 0 < len(tab.numbers()) - 1 < ROWS


def test_curves_along_the_run_of_two_files(tab: Tab, address: str, folder: Path) -> None:
    tab.open(address).press("4")
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


def test_a_file_without_a_column_leaves_the_others(tab: Tab, address: str) -> None:
    tab.open(address, "view=density&files=[0,2]")
    assert f'{TWISS}, "x": step 0 has no column "x"' in tab.text("#alert")
    assert tab.text("#note") == "3\u2009000 of 3\u2009000 rows"
    assert tab.page.get_attribute("#plot", "class") in (None, "")
    tab.press("2")
    assert tab.text("#plot .chart-title").startswith("run1.h5, step 0: mean")


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


def test_planes_and_lines_of_fields(tab: Tab, address: str, folder: Path) -> None:
    assert tab.open(address).page.is_hidden("[data-view=fields]")  # the first file has none
    tab.open(f"{address}?", "files=[3]").press("5")
    assert tab.page.get_attribute("#plot canvas", "aria-label") == "field rho"
    assert tab.text("#note") == "16 x 16 values"
    with quire.open(folder / BEAM) as file:
        rho = file[0].fields["rho"].read()
    tab.page.locator("#slice").fill("3")
    rows = tab.settled().numbers()
    assert rows[0] == ["y", "x", "rho"]
    assert [float(row[2]) for row in rows[1:]] == rho[3].ravel().tolist()
    tab.fill("at", "z=@3,y=@8")
    assert [float(row[1]) for row in tab.numbers()[1:]] == rho[3, 8].tolist()
    assert "is no place in the field" in tab.fill("at", "z=5").text("#alert")


def test_rows_and_their_pages(tab: Tab, address: str) -> None:
    tab.open(address).press("6")
    assert tab.page.locator("#rows tbody tr").count() == 100
    tab.click("#rows .pages button:nth-child(2)")
    assert tab.text("#rows tbody tr:first-child td:first-child") == "100"
    assert tab.numbers()[0][:3] == ["row", "x [m]", "px [m$be$nc]"]
    tab.fill("where", "id == 1234")
    assert tab.text("#rows tbody tr:first-child td:first-child") == "1234"


def test_two_files_are_side_by_side_and_overlaid(tab: Tab, address: str) -> None:
    tab.open(address).click("#files label:nth-child(2) input")
    assert tab.text("#note") == "5\u2009000 of 5\u2009000 rows"
    assert len(tab.quantities()["sigma_x"]) == 3  # a number of each file, and the unit
    side_by_side = tab.page.evaluate("() => document.querySelector('#plot canvas').toDataURL()")
    tab.press("o")
    assert tab.page.is_checked("#overlay")
    assert tab.page.evaluate("() => document.querySelector('#plot canvas').toDataURL()") != side_by_side
    # Step 20 of the first file is nearest to step 21 of the other.
    tab.fill("jump", "20")
    assert {row[1] for row in tab.numbers()[1:]} == {"20", "21"}


@pytest.mark.parametrize(
    "state",
    first_daily(
        [
            "where=x > 0&step=10",
            "view=histogram&files=[0,1]&of=hypot(x, y)&logy=true&step=10",
            "contours=true&step=10",
            'view=run&ys=["sigma_x","emittance_nx"]&where=x > 0',
            'view=curves&across=z&up=["pz"]&step=10&logy=true&points=true&zoom=[[-1e-4,1e-4]]',
            "view=rows&step=10",
            "files=[3]&view=fields&step=10&at=z=@3",
            "x=z&y=pz&bins=40x30&zoom=[[-1e-4,1e-4],[1950,1960]]",
            "view=histogram&weight=-id&bins=5",
            "weight=id&bins=20",
            'view=run&files=[0,1]&ys=["rms_x"]',
            "view=histogram&of=px&fit=true&cumulative=true",
            "files=[3]&view=fields&at=z=0,y=0",
        ],
        7,
    ),
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
    tab.open(link)
    assert tab.page.input_value("#where") == "x > 0"
    assert tab.page.input_value("#y") == "pz"
    assert tab.text("#place").startswith("step 10 ")
    assert tab.quantities() == seen
    tab.click("#copy-line")
    assert tab.page.evaluate("() => navigator.clipboard.readText()") == tab.text("#line")


@pytest.mark.parametrize("state", ["", "view=histogram", "view=run", "view=curves", "view=fields&files=[3]"])
def test_pictures_are_png_and_not_empty(tab: Tab, address: str, state: str) -> None:
    data = tab.open(address, state).saved("#save-png")
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width > 600
    assert height > 400
    assert len(data) > 8000


def test_the_three_figures_of_the_manual(tab: Tab, address: str) -> None:
    """A phase space at a step, the size along two runs, and the energy with a cut."""
    figures = [tab.open(address).fill("jump", "10").saved("#save-png")]
    tab.click("#files label:nth-child(2) input").press("4").fill("ys", "sigma_x")
    assert tab.text("#plot .chart-title").split("\n") == ["sigma_x, run1.h5", "sigma_x, run2.h5"]
    figures.append(tab.saved("#save-png"))
    tab.press("2")
    energy = "(sqrt(1 + px**2 + py**2 + pz**2) - 1) * mc2_electron"
    tab.fill("of", energy).fill("where", "abs(x) < 1e-4")
    assert tab.numbers()[0][0] == f"low of {energy} [MeV]"
    assert "mean 999." in tab.text("#plot .chart-title")
    figures.append(tab.saved("#save-png"))
    assert all(one.startswith(b"\x89PNG") for one in figures)


def test_light_and_dark(tab: Tab, address: str) -> None:
    tab.open(address)
    back = "() => getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(back)
    tab.press("d")
    assert tab.page.evaluate(back) != light
    tab.page.reload()
    tab.settled()
    assert tab.page.evaluate(back) != light


def test_a_sample_is_shown_until_all_rows_are_read(
    tab: Tab, view: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveys, "SAMPLED_ROWS", 50)
    monkeypatch.setattr(surveys, "SAMPLED_BLOCKS", 4)
    is_seen = threading.Event()
    read = surveys.Rows.parts

    def parts(rows: surveys.Rows) -> Any:
        if not rows.is_sample:
            is_seen.wait(20)
        yield from read(rows)

    monkeypatch.setattr(surveys.Rows, "parts", parts)
    tab.page.goto(view(write_bunch(tmp_path / "large.h5").name))
    tab.page.wait_for_function("() => document.getElementById('note').innerText.startsWith('a sample of')")
    assert tab.page.locator("#plot canvas").count() == 1
    assert tab.page.get_attribute("body", "data-ready") == "no"
    is_seen.set()
    assert tab.settled().text("#note") == "3\u2009000 of 3\u2009000 rows"


def test_numbers_of_many_rows_are_marked_while_they_are_computed(
    tab: Tab, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_seen = threading.Event()

    def slow(step: Any, request: Any) -> Any:
        time.sleep(2 * REPORTED_EVERY)
        list(step.table.blocks(["x"]))
        is_seen.wait(20)
        return beam_of_step(step, request)

    monkeypatch.setattr(tables, "beam_of_step", slow)
    tab.page.goto(view("a.h5"))
    tab.page.wait_for_selector("#beam.stale", state="attached")
    assert tab.text("#beam-title").lower() == "computing …"
    is_seen.set()
    assert tab.settled().text("#beam-title").lower() == "beam"
    assert tab.page.locator("#beam.stale").count() == 0


def test_help_lists_the_keys(tab: Tab, address: str) -> None:
    tab.open(address).page.keyboard.press("?")
    assert "previous, next step" in tab.text("#keys")
    tab.page.keyboard.press("Escape")
    assert not tab.page.is_visible("#keys")


@pytest.mark.parametrize("state", ["files=[0,1]", "files=[3]&view=fields&onField=true", "files=[4]&step=2"])
def test_the_page_fits_without_scrolling(tab: Tab, address: str, state: str) -> None:
    """Nothing is wider than the page, nor outside of it, on a laptop and on a tablet."""
    tab.open(address, state)
    outside = """() => [".tools", "#plot", "#command", "#right", "footer", "#jump"].filter((one) => {
        const box = document.querySelector(one).getBoundingClientRect();
        return box.width > 0 && (box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
    })"""
    size = "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    for width, height in ((1280, 720), (1024, 768), (820, 1180)):
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.settled().page.evaluate(outside) == []
        assert tab.page.evaluate(size) == [width, height]
        assert tab.page.eval_on_selector("#slider", "one => one.offsetWidth") >= 60
        assert tab.page.eval_on_selector("#plot", "one => one.offsetHeight") > 300


@pytest.mark.parametrize(
    "state", first_daily(["", "view=histogram&fit=true", "files=[3]&view=space&withField=true"])
)
def test_a_narrow_page_scrolls_only_down(tab: Tab, address: str, state: str) -> None:
    """On a phone the picture is above the controls, which are as wide as the page, and the steps stay."""
    tab.page.set_viewport_size({"width": 420, "height": 800})
    tab.open(address, state)
    assert tab.page.evaluate("() => document.documentElement.scrollWidth") == 420
    controls = "button, input, select, textarea, #plot, footer, #right table"
    outside = f"""() => [...document.querySelectorAll("{controls}")]
        .filter((one) => one.offsetWidth && !one.closest("nav") && (one.getBoundingClientRect().left < 0
            || one.getBoundingClientRect().right > innerWidth + 1)).map((one) => one.id)"""
    assert tab.page.evaluate(outside) == []
    assert tab.page.eval_on_selector("#plot", "one => one.offsetHeight") > 300
    assert tab.page.eval_on_selector("footer", "one => one.getBoundingClientRect().bottom") <= 801
    before = tab.text("#place")
    tab.click("#next")
    assert tab.text("#place") != before
    tab.fill("where", "id < 80")
    assert tab.page.is_visible("#cuts li")
    tab.click("[data-view=run]")
    assert tab.page.get_attribute("[data-view=run]", "aria-selected") == "true"


LONG = "(sqrt(1 + px**2 + py**2 + pz**2) - 1) * mc2_electron / 1e6"


def title_at(tab: Tab, selector: str, x: float, y: float) -> str:
    """Return the title that the pointer shows at a place of an element."""
    tab.page.locator(selector).first.scroll_into_view_if_needed()
    box = tab.page.locator(selector).first.bounding_box()
    assert box is not None
    place = [box["x"] + x * box["width"], box["y"] + y * box["height"]]
    tab.page.mouse.move(*place)
    found = "([x, y]) => document.elementFromPoint(x, y).closest('[title]')?.title ?? ''"
    return str(tab.page.evaluate(found, place))


@pytest.mark.nightly
def test_long_names_are_shortened_with_the_whole_name_as_title(tab: Tab, view: View) -> None:
    name = f"{'a-run-with-a-long-name-' * 3}1.h5"
    tab.page.set_viewport_size({"width": 420, "height": 800})
    tab.open(view(name), f"view=histogram&of={quote(LONG)}&fit=true")
    assert title_at(tab, "#plot .uplot", 0.5, 0.97).startswith(LONG)
    assert title_at(tab, "#plot .chart-title b", 0.5, 0.5).startswith(f"{name}, step 0: mean ")
    whole = "one => one.scrollWidth - one.clientWidth"
    assert tab.page.eval_on_selector("#plot .chart-title b", whole) > 0
    assert tab.page.eval_on_selector("#plot .chart-title", whole) == 0
    picture = tab.saved("#save-svg").decode()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert "textLength" not in picture
    assert any(re.fullmatch(r"\(sqrt\(1.*…  \[.*eV\]", text) for text in texts)
    assert any(text.startswith("a-run") and text.endswith("…") for text in texts)
    tab.click("[data-view=density]").fill("x", LONG).fill("y", LONG)
    assert title_at(tab, "#plot canvas", 0.5, 0.98).startswith(LONG)
    assert title_at(tab, "#plot canvas", 0.03, 0.5).startswith(LONG)
    assert title_at(tab, "#plot canvas", 0.3, 17 / 500) == name
    assert title_at(tab, "#plot canvas", 0.5, 0.5) == ""
    tab.page.set_viewport_size({"width": 2400, "height": 1200})
    tab.fill("y", "px")
    assert title_at(tab, "#plot canvas", 0.5, 0.98) == ""


def test_a_file_that_vanishes_is_reported_and_others_stay(tab: Tab, view: View, tmp_path: Path) -> None:
    paths = [tmp_path / "here.h5", tmp_path / "gone.h5"]
    tab.open(view(*(path.name for path in paths))).click("#files label:nth-child(2) input")
    paths[1].unlink()
    assert "the file is gone" in tab.press("ArrowRight").text("#alert")
    tab.click("#files label:nth-child(2) input")
    assert tab.page.is_hidden("#alert")
    whole = paths[0].read_bytes()
    paths[0].write_bytes(whole[:500])
    assert "here.h5" in tab.press("ArrowRight").text("#alert")
    paths[0].write_bytes(whole)
    assert tab.press("ArrowRight").page.is_hidden("#alert")


def test_new_steps_of_a_run_are_watched(tab: Tab, view: View, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    tab.open(view(path.name)).press("w")
    assert tab.page.is_checked("#watch")
    with quire.append(path) as out, out.step(50) as step:
        step.put("x", np.arange(7.0), unit="m")
        step.put("px", np.arange(7.0))
    tab.page.wait_for_function("() => document.getElementById('place').innerText.startsWith('step 50 ')")
    assert tab.settled().text("#note") == "7 of 7 rows"
    assert "5 steps" in tab.text("#files")


def test_a_server_that_has_ended_is_reported(tab: Tab, folder: Path) -> None:
    viewer = Viewer(Library([str(folder / "run1.h5")]))
    viewer.start()
    tab.open(viewer.address)
    viewer.stop()
    assert "The server does not answer" in tab.press("ArrowRight").text("#alert")
    tab.expect_complaint("ERR_CONNECTION_REFUSED")


def test_lines_around_shares_of_the_rows(tab: Tab, address: str) -> None:
    tab.open(address)
    before = tab.saved("#save-svg").decode().count("<path")
    tab.press("c")
    assert tab.page.is_checked("#contours")
    assert tab.saved("#save-svg").decode().count("<path") == before + 3 * 2 + 1  # and the area of the lines
    assert tab.line()[-3:] == ["--shares", "50,90,99", "density.png"]
    assert tab.line()[-5:-3] == ["--log", "z"]
    tab.page.select_option("#scale", "linear")
    assert "--log" not in tab.settled().line()
    assert tab.page.is_hidden("#unsaid")
